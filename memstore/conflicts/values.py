"""Values: decide whether two frames give different values of something that has only one: a price, address, manager.

The frames may not differ in anything else, and both must describe a state, not an event.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.frames import (
    CHANGES,
    DETERMINERS,
    IN_PART,
    PREPOSITIONS,
    root_of,
    shared_of,
    speaks_of,
    unmatched,
)
from memstore.conflicts.guards import (
    adds,
    comparable,
    equal,
    same_dates,
    same_day,
    same_times,
    says_these_days,
    tells_change,
    weekdays,
)
from memstore.conflicts.lexicon import Role
from memstore.conflicts.quantities import MONEY, Scale
from memstore.conflicts.statements import is_past
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.quantities import Quantity
    from memstore.conflicts.statements import Token


def other_value(one: Frame, other: Frame, *, days_apart: bool) -> str:
    """Return the rule by which two frames give different values of one thing; an empty string if none applies."""
    if one.denied or other.denied or not comparable(one, other):
        return ""
    shared = shared_of(one, other)
    if not shared or not (one.words | other.words).isdisjoint(IN_PART):
        return ""
    pair = _Pair(one, other, shared)
    if pair.other_number():
        # A value for Sundays, or for one release, may differ from that for weekdays, or for another release.
        same = pair.changed or (one.is_past and other.is_past) or (same_day(one, other) and _same_release(one, other))
        return pair.scale if same and pair.stands(days_apart=days_apart) else ""
    if pair.other_name(days_apart=days_apart) and (pair.changed or same_day(one, other)):
        return "names"
    return "weekdays" if pair.other_weekday() else "dates" if pair.other_end() else ""


def _says_now(frame: Frame) -> bool:
    return not frame.words.isdisjoint(_NOW) or says_these_days(frame)


def stays(one: Frame, other: Frame) -> bool:
    """Whether a frame says something that may still hold on another day: a state, or the value of an attribute."""
    if one.verb is None:
        return one.words.isdisjoint(_PASSING) and any(
            lexicon.has_role(one.word(key), Role.ATTRIBUTE) for key in one.content if key in other.content
        )
    return "today" not in one.words and (not one.is_past or bool(one.when and other.when))


# A reading of today, or of this morning, is one of many.
_PASSING = listed("today this")
# Past verbs that say how something was; and past verbs for what is permanent.
_WAS = listed("""
    was were had cost weighed rose fell went paid charged took raised increased lowered reduced cut changed set put
    brought extended
    """)
_FOR_GOOD = listed("born founded named called moved")
_MOST_WORDS_OF_A_NAME = 3
_MOST_WORDS_OF_A_KIND = 2
_FEWEST_SHARED = 2
_ALSO = listed("also can could")
_NOW = listed("now since nowadays anymore")
_MOST_LEFT = 3
# Verbs for something that happens only once, on a date.
_ONCE = listed("starts begins ends finishes expires closes opens start begin end finish expire close open")


class _Pair:
    """Two frames to compare: `mine` has the content of one that the other lacks, `theirs` that of the other.

    Args:
        one: a frame.
        other: another frame.
        shared: the content that both have.
    """

    def __init__(self, one: Frame, other: Frame, shared: frozenset[str]) -> None:
        self.one, self.other, self.shared = one, other, shared
        self.mine, self.theirs = _no_titles(unmatched(one, other)), _no_titles(unmatched(other, one))
        if all(map(_pays, (one, other))):
            self.mine, self.theirs = (
                [key for key in keys if frame.word(key) not in _PAYING]
                for frame, keys in ((one, self.mine), (other, self.theirs))
            )
        numbered = one.numbers and other.numbers
        if numbered and not (self.mine and self.theirs):
            self.mine, self.theirs = (
                [key for key in keys if frame.word(key) not in _EXTENT or speaks_of(frame, frame.content[key], shared)]
                for frame, keys in ((one, self.mine), (other, self.theirs))
            )
        self.changed = tells_change(one) or tells_change(other)
        # If one says what holds now, it may have changed, so both sides may have additional words.
        self.is_now = any(_says_now(frame) and not frame.is_past for frame, _ in self._sides)
        verbs = [[key for key in keys if frame.content[key] == main_verb(frame)] for frame, keys in self._sides]
        self.are = all(_is_being(frame) for frame, _ in self._sides)
        both = verbs[0] and verbs[1]
        self.does_other = bool(both)
        if self.is_now or self.are or (len(shared) >= _FEWEST_SHARED and (both or self.changed)):
            for (_, keys), found in zip(self._sides, verbs, strict=True):
                keys[:] = [key for key in keys if key not in found]
        for (frame, keys), (that, others) in zip(self._sides, self._sides[::-1], strict=True):
            kinds = lexicon.kinds_of(that.word(others[-1])) if others else ()
            keys[:] = [key for key in keys if not (kinds and frame.word(key) in kinds)]
        if self.is_now:
            for (frame, _), (that, keys) in zip(self._sides, self._sides[::-1], strict=True):
                if frame.tokens[0].word == "we":  # `we` may be what the other names, such as the shop
                    keys[:] = [key for key in keys if not speaks_of(that, that.content[key], shared)]
        self.scale = ""

    @property
    def _sides(self) -> tuple[tuple[Frame, list[str]], tuple[Frame, list[str]]]:
        return (self.one, self.mine), (self.other, self.theirs)

    @property
    def named(self) -> bool:
        """Whether both name the same attribute."""
        return any(lexicon.has_role(self.one.word(key), Role.ATTRIBUTE) for key in self.shared)

    # -- numbers

    def other_number(self) -> bool:
        """Whether the frames differ only in one number or range, which counts or measures the same thing in both."""
        most = _MOST_LEFT if len(self.shared) >= _FEWEST_SHARED else 0
        leaves = self.is_now and max(len(self.mine), len(self.theirs)) <= most
        if (self.mine and self.theirs and not leaves) or not self._adds():
            return False
        self.scale = other_measure(self.one, self.other, self.shared)
        return bool(self.scale)

    def _share_subject(self) -> bool:
        """Whether they share the subject, or more than one word."""
        return len(self.shared) >= _FEWEST_SHARED or all(
            speaks_of(frame, frame.content[key], self.shared) for frame, _ in self._sides for key in self.shared
        )

    def stands(self, *, days_apart: bool) -> bool:
        """Whether both describe a state, not an event."""
        named = self.named
        apart = self.changed or not same_times(self.one, self.other)
        if self.one.verb is None and len(self.shared) < _FEWEST_SHARED and not named:
            return False
        told = any(frame.verb is not None and not frame.is_past for frame, _ in self._sides)
        return all(
            _stands(frame, named=named or told, apart=apart, days_apart=days_apart)
            if frame.verb is None
            else _stands(frame, named=named, apart=apart, days_apart=days_apart)
            for frame, _ in self._sides
        )

    def _adds(self) -> bool:
        return all(adds(frame, keys, self.shared) and not _names_more(frame, keys) for frame, keys in self._sides)

    # -- names

    def other_name(self, *, days_apart: bool) -> bool:
        """Whether a name, a word of some kind or a label replaces another, and only one of them can be right."""
        if not self.mine or not self.theirs or any(frame.verb is None for frame, _ in self._sides):
            return False
        if ("formerly" in self.one.words) != ("formerly" in self.other.words):
            return False
        if not _ALSO.isdisjoint(self.one.words | self.other.words):
            return False  # the one does not exclude the other
        by = {_is_done(frame) and _is_agent(frame, keys[-1:]) for frame, keys in self._sides}
        if self.does_other and len(by) > 1:
            return False  # built on one, watched by another
        done = not days_apart and all(
            _is_agent(frame, keys[-1:]) or _does_it_alone(frame, keys[-1], self.shared) for frame, keys in self._sides
        )
        was = all(frame.is_past and not frame.when and (self.named or done) for frame, _ in self._sides)
        if not was and any(_is_over(frame) and not self.changed for frame, _ in self._sides):
            return False
        return self._narrows_to_values() and self._is_another()

    def _narrows_to_values(self) -> bool:
        """Reduce `mine` and `theirs` to the values; return whether the other words, on at most one side, only add."""
        values = _first_phrase(self.one, self.mine), _first_phrase(self.other, self.theirs)
        added = [
            [key for key in keys if key not in value] for (_, keys), value in zip(self._sides, values, strict=True)
        ]
        if all(added) or not all(
            adds(frame, more, self.shared) for (frame, _), more in zip(self._sides, added, strict=True)
        ):
            return False
        self.mine, self.theirs = values
        beside = [_beside(frame, keys, self.shared) for frame, keys in self._sides]
        return beside[0] == beside[1]  # Hugo Brandt is Mr. Brandt; the Albert School is not the Goethe School.

    def _is_another(self) -> bool:
        """Whether both values are of one sort, such as names or numbered labels, and only one of them can be right."""
        is_kind = self._is_kind()
        named = all(_is_named(frame, keys) for frame, keys in self._sides)
        called = all(_is_called(frame, keys) for frame, keys in self._sides) or self._are_owners()
        numbered = _is_numbered(self.one, self.mine, self.other) and _is_numbered(self.other, self.theirs, self.one)
        into = "into" in self.one.words | self.other.words  # one may move into a house in the same town
        placed = self.changed and not into and all(_follows(frame, keys) for frame, keys in self._sides)
        numbers = all(any(map(str.isdigit, frame.word(keys[0]))) for frame, keys in self._sides)
        labelled = (numbers or not LABELS.isdisjoint(self.one.words & self.other.words)) and all(
            _follows_be(frame, keys) for frame, keys in self._sides
        )
        if not (is_kind or named or numbered or called or placed or labelled) or not (
            numbered or not _unequal(self.one, self.other)
        ):
            return False
        moved = placed and self._share_subject() and (self.are or self._moved())
        return (
            called
            or labelled
            or moved
            or self._holds_one(is_address=named and (numbered or self.changed), is_kind=is_kind, named=named)
        )

    def _moved(self) -> bool:
        """Whether both have the same verb, or one says where something is and the other that it was moved."""
        verbs = [frame.tokens[main_verb(frame)].word for frame, _ in self._sides]
        been = any(_is_being(frame) for frame, _ in self._sides)
        return root_of(verbs[0]) == root_of(verbs[1]) or (been and not _MOVED.isdisjoint(verbs))

    def _are_owners(self) -> bool:
        """Whether both say who owns or heads it, by name or not."""
        words = {frame.word(key) for frame in (self.one, self.other) for key in self.shared}
        if words.isdisjoint(_HELD) or self.shared <= set(map(root_of, _HELD)):
            return False  # nobody says what is owned or paid
        return all(
            _is_agent(frame, keys)
            or (
                speaks_of(frame, frame.content[keys[0]], self.shared)
                and frame.tokens[frame.verb or 0].key != "be"
                and frame.tokens[frame.verb or 0].word not in _BELONGS
            )
            for frame, keys in self._sides
        )

    def _is_kind(self) -> bool:
        """Whether the values are two of one kind (not relatives), with or without a qualifier: white, dark green."""
        if max(len(self.mine), len(self.theirs)) > _MOST_WORDS_OF_A_KIND:
            return False
        kind = lexicon.other_value(self.one.word(self.mine[-1]), self.other.word(self.theirs[-1]))
        return kind not in (None, "relative")

    def _is_somewhere(self) -> bool:
        """Whether both say where one definite thing is, or how it is made; people may be in several places."""
        made = all(_is_made(frame) for frame, _ in self._sides)
        return (made or all(_follows(frame, keys) for frame, keys in self._sides)) and self._is_definite()

    def _is_definite(self) -> bool:
        """Whether both are about the only thing of its kind: the inspector, our van; not my sister."""
        return all(_is_definite(frame, self.shared) for frame, _ in self._sides)

    def _holds_one(self, *, is_address: bool, is_kind: bool, named: bool) -> bool:
        """Whether only one value is possible: for an office, an attribute, a verb with one object, or an address."""
        words = {frame.word(key) for frame in (self.one, self.other) for key in self.shared}
        in_subject = [
            any(speaks_of(frame, frame.content[key], self.shared) or frame.content[key] == 0 for key in keys)
            for frame, keys in self._sides
        ]
        offices = [lexicon.has_role(word, Role.HOLDER) for word in words]
        if any(offices) and (len(self.shared) > 1 or all(offices)):
            return all(
                _is_the_one(frame, word)
                for frame, _ in self._sides
                for word in frame.words & words
                if lexicon.has_role(word, Role.HOLDER)
            )
        agents = [
            _is_agent(frame, keys) or inside for (frame, keys), inside in zip(self._sides, in_subject, strict=True)
        ]
        is_changed = any(tells_change(frame._replace(words=frame.words - {"new"})) for frame, _ in self._sides)
        done_now = is_changed and len(self.shared) > 1 and all(agents) and not self.does_other
        is_held = len(self.shared) > 1 and any(lexicon.has_role(word, Role.HELD_BY_ONE) for word in words)
        if done_now or (is_held and (all(agents) or not any(in_subject))):
            return True
        if any(in_subject):
            return False
        both = self.one.words | self.other.words
        verbs = {frame.tokens[frame.verb].key for frame, _ in self._sides if frame.verb is not None}
        is_so = verbs <= {"be", "have"}
        binds = any(lexicon.has_role(word, Role.BINDING) for word in words)
        has_one = any(lexicon.has_role(word, Role.ATTRIBUTE) for word in words) or (named and self._is_definite())
        done = all(_is_agent(frame, keys) for frame, keys in self._sides)
        return (
            binds
            or all(_is_of_attribute(frame, keys) for frame, keys in self._sides)
            or (is_so and (has_one or done or (is_kind and "be" in verbs)))
            or (self.are and is_kind and self._is_somewhere())
            or not both.isdisjoint(FAVOURITE)
            or (is_address and not both.isdisjoint(_AT))
        )

    def _same_months(self) -> bool:
        mine, theirs = (_months(frame) for frame, _ in self._sides)
        return not mine or not theirs or not mine.isdisjoint(theirs)

    def _same_dates(self) -> bool:
        """Whether neither names another date; a month may be that of a date: in May, on 4 May."""
        dated = [any(token.value for token in frame.when) for frame, _ in self._sides]
        return not all(dated) or same_dates(self.one, self.other)

    # -- weekdays

    def other_weekday(self) -> bool:
        """Whether something that is on one weekday is now said to be on another."""
        ones, others = weekdays(self.one), weekdays(self.other)
        if not ones or not others or ones == others or (self.mine and self.theirs) or not self._adds():
            return False
        if any(frame.verb is None or frame.is_past for frame, _ in self._sides) or _unequal(self.one, self.other):
            return False
        at = all(frame.tokens[frame.verb or 0].key == "be" and ones.isdisjoint(others) for frame, _ in self._sides)
        if at and not any(token.word.endswith("ys") for frame, _ in self._sides for token in frame.when):
            return True
        meets = all(root_of(frame.tokens[main_verb(frame)].word) in _REGULAR for frame, _ in self._sides)
        if meets and self._is_definite() and ones.isdisjoint(others):
            return True
        always = any(not frame.words.isdisjoint(_AS_A_RULE) for frame, _ in self._sides)
        return self.changed or (always and ones.isdisjoint(others))

    def other_end(self) -> bool:
        """Whether both give different dates for something: its only date, its beginning or end, or `until` a date."""
        if (self.mine and self.theirs) or not self._adds():
            return False
        due = "due" in self.one.words & self.other.words
        one_each = due or self.named or self._is_definite()
        if self.are and one_each and not (self._same_dates() and self._same_months()):
            return not (self.one.numbers or self.other.numbers)
        if self._same_dates() and self._same_months():
            return False
        ends = [frame.tokens[main_verb(frame)].word for frame, _ in self._sides]
        if (
            _ONCE.issuperset(ends)
            and len(set(map(root_of, ends))) == 1
            and not any(frame.is_past for frame, _ in self._sides)
        ):
            return True
        return all("until" in frame.words and frame.verb is not None and not frame.is_past for frame, _ in self._sides)


def _months(frame: Frame) -> set[str]:
    """Return the months that a frame names, alone or in a date."""
    dates = [token.value.parts for token in frame.when if token.value and token.value.scale is Scale.DATE]
    return {token.word for token in frame.when if token.word in quantities.MONTHS} | {
        quantities.MONTHS[int(month) - 1] for _, month, *_ in dates if month
    }


def _pays(frame: Frame) -> bool:
    """Whether a frame says what is paid, or has a number that is written like a price."""
    values = (frame.tokens[at].value for at in frame.numbers)
    return not frame.words.isdisjoint(_PAYING) or any(value is not None and is_price(value) for value in values)


def is_price(value: Quantity) -> bool:
    """Whether a bare number is written like a price: 16.50."""
    return value.scale is Scale.CARDINAL and value.parts[0] is not None and not value.parts[0].is_integer()


# The roots of verbs for what is held as a rule on one day of the week, unlike opening.
_REGULAR = listed("be meet rehears practis gather assembl conven happen hold collect empti publish appear")
_MOVED = listed("moved switched migrated transferred")
_PAYING = listed("pay pays paid cost costs charge charges price fee rent")
# `Twelve pages long` says no more than twelve pages.
_EXTENT = listed("long high tall wide deep thick old heavy big large")
COSTS = frozenset({"cost", "price", "fee", "fare"})
# The values of these may be words of any sort.
_HELD = listed("""
    trigger triggers triggered launch launches launched own owns owned belongs belong belonged heads headed
    chairs chaired pay pays paid
    """)
_BELONGS = listed("belong belongs belonged")
LABELS = listed("""
    name surname nickname email e-mail password passphrase username hostname host domain code pin title motto
    """)
CALLED = listed("called named")
_TITLES = listed("mr mrs ms dr prof frau herr sir")


def _no_titles(keys: list[str]) -> list[str]:
    return [key for key in keys if key not in _TITLES]


FAVOURITE = listed("favourite favorite")
_AT = listed("at in")
_AS_A_RULE = listed("always weekly only regular")


def _names_more(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether an additional name narrows the statement to somebody or to a place: `three hours to Bergen`."""
    return any(frame.word(key) in frame.names and frame.tokens[frame.content[key] - 1].word in _NARROW for key in keys)


_NARROW = listed("to for from of in at")


def other_measure(one: Frame, other: Frame, shared: frozenset[str]) -> str:
    """Return the scale of the one number or range that differs, if it counts or measures the same thing in both."""
    ones, others = _unequal(one, other), _unequal(other, one)
    if not ones or len(ones) != len(others) or not (_is_one(one, ones) and _is_one(other, others)):
        return ""
    here, there = ones[0], others[0]
    this, that = one.tokens[here].value, other.tokens[there].value
    if this is None or that is None or not (quantities.comparable(this, that) or _are_prices(one, this, other, that)):
        return ""
    counted = _count_one(one, here, other, there)
    if not counted or _from_until(one, here, other, there):
        return ""
    if _is_name(one, here, shared) or _is_name(other, there, shared) or _may_agree(one, here, other, there):
        return ""
    return max((this, that), key=lambda value: value.scale is Scale.MEASURE).scale.value


def _are_prices(one: Frame, this: Quantity, other: Frame, that: Quantity) -> bool:
    """Whether both are prices, but only one has a unit: 4.20 euros, 4.60."""
    scales = {this.scale, that.scale}
    costs = all(not frame.terms or not COSTS.isdisjoint(frame.terms) for frame in (one, other))
    costs = costs or all(value.of in MONEY or is_price(value) for value in (this, that))
    return costs and scales == {Scale.CARDINAL, Scale.MEASURE} and {this.of, that.of} <= {"", *MONEY}


def _unequal(one: Frame, other: Frame) -> list[int]:
    """Return the positions of the first frame's numbers that the other frame lacks."""
    theirs = [value for at in other.numbers if (value := other.tokens[at].value)]
    return [
        at
        for at in one.numbers
        if (value := one.tokens[at].value)
        and not any(equal(value, that) or (_numbers_a_name(one, at) and _is_within(value, that)) for that in theirs)
    ]


def _numbers_a_name(frame: Frame, at: int) -> bool:
    return at > 0 and frame.tokens[at - 1].word in frame.names


def _is_within(one: Quantity, other: Quantity) -> bool:
    """Whether one number says less exactly what the other says: PostgreSQL 16 may be 16.1."""
    here, there = one.parts[0] or 0.0, other.parts[0] or 0.0
    return (
        {one.scale, other.scale} == {Scale.CARDINAL} and int(here) == int(there) and (here % 1 == 0) != (there % 1 == 0)
    )


def _is_one(frame: Frame, places: Sequence[int]) -> bool:
    """Whether the numbers at these positions are one number, or one range."""
    if len(places) == 1:
        return True
    first, last = places[0], places[-1]
    return len(places) == 2 and last - first == 2 and frame.tokens[first + 1].word in ("to", "and", "over")  # noqa: PLR2004


def _may_agree(one: Frame, here: int, other: Frame, there: int) -> bool:
    """Whether one number is a bound or an estimate that the other agrees with; two bounds of one sort never agree."""
    bounds = _bound(one, here), _bound(other, there)
    this, that = one.tokens[here].value, other.tokens[there].value
    if bounds[0] == bounds[1] or not this or not that:
        return False
    if this.parts[0] is None or that.parts[0] is None or ("about" in bounds and all(bounds)):
        return True
    if all(bounds):
        return (this.parts[0] <= that.parts[0]) == (bounds[0] == "at least")
    bound, value = (this.parts[0], that.parts[0]) if bounds[0] else (that.parts[0], this.parts[0])
    match bounds[0] or bounds[1]:
        case "at most":
            return value <= bound
        case "at least":
            return value >= bound
        case _:
            return value < _TWICE * bound and bound < _TWICE * value


_TWICE = 2.0


def _bound(frame: Frame, at: int) -> str:
    """Return `at most`, `at least` or `about` for a bound or an estimate; an empty string for any other number.

    `up to` makes a number a bound, `gone up to` does not.
    """
    before = [token.word for token in frame.tokens[max(0, at - 2) : at]]
    last = before[-1] if before else ""
    if before == ["up", "to"]:
        verb = frame.tokens[at - _FARTHEST_VERB].word if at >= _FARTHEST_VERB else ""
        return "" if verb in _GONE else "at most"
    if last == "to":
        return ""
    if last in _AT_MOST or before in (["less", "than"], ["fewer", "than"]):
        return "at most"
    if last in _AT_LEAST or before == ["more", "than"]:
        return "at least"
    return "about" if frame.tokens[at].vague else ""


_FARTHEST_VERB = 3
_GONE = listed("go goes gone went rose risen shot jumped")
_AT_MOST = listed("under below most within")
_AT_LEAST = listed("over above least")


def _counted(frame: Frame, at: int) -> tuple[str, str]:
    """Return the root of what a bare number counts, and the period, if one is named: `12 visitors a day`."""
    value = frame.tokens[at].value
    after = at + 1
    thing = next((key for key, at in frame.content.items() if at == after and frame.word(key) not in CHANGES), "")
    words = [token.word for token in frame.tokens[after : after + 4]]
    rate = next((each for per, each in pairwise(words) if per in _PER), "")
    return (thing if value and value.scale is Scale.CARDINAL and thing != rate else ""), rate


def _count_one(one: Frame, here: int, other: Frame, there: int) -> bool:
    """Whether two numbers count the same thing in the same period, named anywhere in a frame: `a night costs 26`."""
    (this, rate), (that, other_rate) = _counted(one, here), _counted(other, there)
    value = one.tokens[here].value
    if value is not None and value.scale is Scale.CLOCK:
        return True  # at two each night
    same_rate = rate == other_rate or (not rate and other_rate in one.words) or (not other_rate and rate in other.words)
    return this == that and same_rate


def _from_until(one: Frame, here: int, other: Frame, there: int) -> bool:
    """Whether one number is the beginning and the other the end: from six, until two."""
    before = {frame.tokens[at - 1].word for frame, at in ((one, here), (other, there)) if at}
    return not before.isdisjoint(("from", "after")) and not before.isdisjoint(("until", "till", "before", "to"))


_PER = listed("a an per each every")


def _is_name(frame: Frame, at: int, shared: frozenset[str]) -> bool:
    """Whether a number is part of a name: `Room 4 costs`, `the second team won`."""
    value = frame.tokens[at].value
    before = frame.tokens[at - 1].word if at else "the"
    if before == "nr" and _is_place_of_one(frame, at):
        return False
    if before == "nr" and (frame.verb is None or at < frame.verb or frame.tokens[frame.verb].key != "be"):
        return True
    in_subject = frame.verb is not None and at < frame.verb and speaks_of(frame, at, shared)
    if value is not None and value.scale is Scale.ORDINAL:
        return in_subject
    if frame.verb is None and at > 1 and frame.tokens[at - 2].word in PREPOSITIONS and not _is_when(frame, at - 1):
        # `The kettle of house 4 sings`, though the verb is not known.
        after = frame.tokens[at + 1].word if at + 1 < len(frame.tokens) else ""
        in_subject = after.endswith("s") and not after.endswith("ss")
    return in_subject and before not in DETERMINERS | PREPOSITIONS | {"there"}


def _is_when(frame: Frame, at: int) -> bool:
    return frame.tokens[at] in frame.when


def _is_place_of_one(frame: Frame, at: int) -> bool:
    """Whether a number says which one of its kind is used, after the verb: leaves from platform 4."""
    words = [token.word for token in frame.tokens[max(0, at - 3) : at - 1]]
    after = frame.verb is not None and frame.verb < at and not frame.is_past
    return after and len(words) > 1 and words[0] in PREPOSITIONS and lexicon.has_role(words[1], Role.ATTRIBUTE)


def _same_release(one: Frame, other: Frame) -> bool:
    """Whether two frames are about the same release: `version 2.1 needs Java 11`."""
    mine, theirs = ([token.key for token in frame.tokens[:3] if _is_release(frame, token)] for frame in (one, other))
    return mine == theirs


def _is_release(frame: Frame, token: Token) -> bool:
    return token in frame.when and token.value is not None and token.value.scale is Scale.CARDINAL


def _stands(frame: Frame, *, named: bool, apart: bool, days_apart: bool) -> bool:
    is_of_today = "today" in frame.words and not tells_change(frame)
    if days_apart and (is_of_today or (frame.verb is None and "this" in frame.words)):
        return False
    if frame.verb is None:
        return named or not days_apart or "for" in frame.words or bool(frame.possessors) or _is_dose(frame)
    if not frame.is_past:
        return True
    if frame.verb == 0:
        return False  # a diary without "I": went to the dentist at nine
    return frame.tokens[frame.verb].word in _WAS and (apart or (named and not days_apart))


_MOST_OF_A_DOSE = 1.0


def _is_dose(frame: Frame) -> bool:
    """Whether a frame names less than a gram of something, a number of units, or a bandwidth."""
    values = [value for at in frame.numbers if (value := frame.tokens[at].value)]
    return "units" in frame.words or any(
        (value.of == "mass" and (value.parts[0] or 0.0) < _MOST_OF_A_DOSE) or value.of == "bandwidth"
        for value in values
    )


def main_verb(frame: Frame) -> int:
    """Return the position of the main verb: after `is` or `has`, the participle, if there is one; -1 without a verb."""
    at = frame.verb if frame.verb is not None else -1
    if at >= 0 and frame.tokens[at].key in ("be", "have"):
        after = [
            n for n, token in enumerate(frame.tokens) if n > at and token not in frame.when and token.word != "this"
        ]
        after = after[:_FARTHEST_PARTICIPLE]
        return next((n for n in after if is_past(frame.tokens[n].word) or _is_irregular(frame.tokens[n].word)), at)
    if at >= 0 and frame.tokens[at].word in _HELPS:
        return min((n for n in frame.content.values() if at < n <= at + _FARTHEST_PARTICIPLE + 1), default=at)
    return at


_FARTHEST_PARTICIPLE = 2
_HELPS = listed("do does did can could will would may might must should shall")


def _is_irregular(word: str) -> bool:
    return lexicon.plain_form(word) != word


def _is_being(frame: Frame) -> bool:
    """Whether a frame only says where, when or how something is."""
    if frame.verb is None or frame.is_past:
        return False
    at = main_verb(frame)
    return _is_made(frame) or frame.tokens[at].key == "be" or lexicon.has_role(frame.tokens[at].word, Role.BEING)


def _is_done(frame: Frame) -> bool:
    """Whether a frame says what is done to something: it is watched."""
    return main_verb(frame) not in (-1, frame.verb) and frame.tokens[frame.verb or 0].key == "be"


def _is_made(frame: Frame) -> bool:
    """Whether a frame says what something is made of, or who made it."""
    at = main_verb(frame)
    return at not in (-1, frame.verb) and frame.tokens[at].word in _MADE


_MADE = listed("""
    written implemented built made grown produced milled printed carved cast sewn knitted woven
    """)


def _is_definite(frame: Frame, shared: frozenset[str]) -> bool:
    """Whether the subject is the only one of its kind: `the inspector`, `our van`; not a name, a sister or a friend."""
    spoken = [frame.content[key] for key in shared if speaks_of(frame, frame.content[key], shared)]
    if not spoken or any(_is_one_of_many(frame.tokens[at].word) for at in spoken):
        return False
    before = {token.word for token in frame.tokens[: min(spoken)]}
    return not before.isdisjoint(THE) and before.isdisjoint(_A) and frame.tokens[max(spoken)].word not in frame.names


THE = listed("the our my his her its their")
_A = listed("a an some any each every one another")


def _is_one_of_many(word: str) -> bool:
    """Whether a word names somebody or something that there are usually several of: a sister, a guest, a reason."""
    return not lexicon.kinds_of(word).isdisjoint(("relative", "pet")) or word in _SEVERAL


_SEVERAL = listed("""
    friend colleague neighbour neighbor cousin aunt uncle brother sister son daughter child kid guest visitor customer
    patient member student pupil speaker topic reason example problem issue question answer
    """)


def _is_over(frame: Frame) -> bool:
    return frame.is_past and frame.words.isdisjoint(_FOR_GOOD)


def _first_phrase(frame: Frame, keys: Sequence[str]) -> list[str]:
    """Return the first of some words, and those that directly follow it, up to three in all."""
    ordered = sorted(keys, key=lambda key: frame.content[key])
    places = [frame.content[key] for key in ordered]
    width = next((n for n in range(1, len(places)) if places[n] != places[0] + n), len(places))
    return ordered[: min(width, _MOST_WORDS_OF_A_NAME)]


def _follows(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase after the verb follows a preposition, with or without an article: `meets in the library`."""
    first = min(frame.content[key] for key in keys)
    before = [token.word for token in frame.tokens[max(0, first - 2) : first]]
    return frame.verb is not None and frame.verb < first and not PREPOSITIONS.isdisjoint(before)


def _is_of_attribute(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase directly follows an attribute: `platform B`."""
    first = min(frame.content[key] for key in keys)
    before = frame.tokens[first - 2 : first] if first > 1 else frame.tokens[:first]
    named = [token.word for token in before if token.word != "nr"]
    return bool(named) and lexicon.has_role(named[-1], Role.ATTRIBUTE)


def _follows_be(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase begins at most three words after `is`."""
    at = frame.verb
    first = min(frame.content[key] for key in keys)
    return at is not None and frame.tokens[at].key == "be" and 0 < first - at <= _MOST_WORDS_OF_A_NAME


def _beside(frame: Frame, keys: Sequence[str], shared: frozenset[str]) -> set[str]:
    """Return the shared names directly before or after a phrase, without titles and offices."""
    places = [frame.content[key] for key in keys]
    beside = (min(places) - 1, max(places) + 1)
    names = {key for key in shared if frame.content[key] in beside and frame.word(key) in frame.names}
    return {key for key in names if key not in _TITLES and not lexicon.has_role(key, Role.HOLDER)}


def _is_called(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase directly follows `called` or `named`."""
    return frame.tokens[frame.content[keys[0]] - 1].word in CALLED


def _is_named(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether each word of a phrase is written like a name, is the first of the sentence, or is a number."""
    return all(frame.word(key) in frame.names or frame.content[key] == 0 or key.isdigit() for key in keys)


def _is_numbered(frame: Frame, keys: Sequence[str], other: Frame) -> bool:
    """Whether a number that the other frame lacks is next to a phrase: `8 Pier Street`, `heron-44`."""
    places = [frame.content[key] for key in keys]
    beside = (min(places) - 1, max(places) + 1)
    return any(at in beside for at in _unequal(frame, other))


def _is_agent(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase names an agent or an owner: `led by Mayor Quist`."""
    first = min(frame.content[key] for key in keys)
    before = {token.word for token in frame.tokens[max(0, first - 3) : first]}
    return not before.isdisjoint(("by", "belongs", "belong"))


def _does_it_alone(frame: Frame, key: str, shared: frozenset[str]) -> bool:
    """Whether a word names who did what only one does: `Saskia chaired the meeting`."""
    at = main_verb(frame)
    does = at == frame.verb and lexicon.has_role(frame.tokens[at].word, Role.HELD_BY_ONE)
    return does and speaks_of(frame, frame.content[key], shared)


def _is_the_one(frame: Frame, word: str) -> bool:
    """Whether a role has only one holder: `the manager`, `our dentist`, `Ana's husband`; not `a manager`."""
    at = next(at for at, token in enumerate(frame.tokens) if token.word == word)
    before = {token.word for token in frame.tokens[max(0, at - 3) : at]}
    return before.isdisjoint(("a", "an", "one", "another"))
