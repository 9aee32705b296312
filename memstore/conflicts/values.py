"""Values: whether two frames give other values of what has room for one: another price, address, manager, weekday.

Nothing else may differ; and both must tell what is so, not what happened.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.frames import IN_PART, PREPOSITIONS, shared_of, speaks_of, unmatched
from memstore.conflicts.guards import adds, comparable, equal, same_dates, same_times, tells_change, weekdays
from memstore.conflicts.lexicon import Role
from memstore.conflicts.quantities import Scale
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame

_DETERMINERS = listed("the a an our my your his her its their there")


def other_value(one: Frame, other: Frame, *, days_apart: bool) -> str:
    """Return the rule by which two frames give other values of one thing; empty where none says so."""
    if one.denied or other.denied or not comparable(one, other):
        return ""
    shared = shared_of(one, other)
    if not shared or not (one.words | other.words).isdisjoint(IN_PART):
        return ""
    pair = _Pair(one, other, shared)
    if pair.other_number():
        return pair.scale if pair.stands(days_apart=days_apart) else ""
    if pair.other_name():
        return "names"
    return "weekdays" if pair.other_weekday() else "dates" if pair.other_end() else ""


def stays(one: Frame, other: Frame) -> bool:
    """Whether a frame tells what may still be so on another day: a state, or an attribute that has a value."""
    if one.verb is None:
        return any(lexicon.has_role(one.word(key), Role.ATTRIBUTE) for key in one.content if key in other.content)
    return "today" not in one.words and (not one.is_past or bool(one.when and other.when))


# Verbs of the past that tell how something was; and what was for good.
_WAS = listed("was were had cost weighed rose fell went paid charged took")
_FOR_GOOD = listed("born founded named called moved")
_MOST_WORDS_OF_A_NAME = 3
_FEWEST_SHARED = 2
_NOW = listed("now since nowadays these anymore down up")
_MOST_LEFT = 3


class _Pair:
    """Two frames beside each other: `mine` and `theirs` are the content that the other lacks.

    Args:
        one: a frame.
        other: another.
        shared: the content that both have.
    """

    def __init__(self, one: Frame, other: Frame, shared: frozenset[str]) -> None:
        self.one, self.other, self.shared = one, other, shared
        self.mine, self.theirs = _no_titles(unmatched(one, other)), _no_titles(unmatched(other, one))
        self.changed = tells_change(one) or tells_change(other)
        verbs = [[key for key in keys if frame.content[key] == frame.verb] for frame, keys in self._sides]
        # What is so now was not so before; then more may be said on both sides.
        self.is_now = any(not frame.words.isdisjoint(_NOW) and not frame.is_past for frame, _ in self._sides)
        if self.is_now or (len(shared) >= _FEWEST_SHARED and verbs[0] and verbs[1]):
            for (_, keys), found in zip(self._sides, verbs, strict=True):
                keys[:] = [key for key in keys if key not in found]
        self.scale = ""

    @property
    def _sides(self) -> tuple[tuple[Frame, list[str]], tuple[Frame, list[str]]]:
        return (self.one, self.mine), (self.other, self.theirs)

    @property
    def named(self) -> bool:
        """Whether an attribute is named."""
        return any(lexicon.has_role(self.one.word(key), Role.ATTRIBUTE) for key in self.shared)

    # -- numbers

    def other_number(self) -> bool:
        """Whether one number, or range, differs, that counts or measures the same; and nothing else does."""
        leaves = self.is_now and max(len(self.mine), len(self.theirs)) <= _MOST_LEFT
        if (self.mine and self.theirs and not leaves) or not self._adds():
            return False
        ones, others = _unequal(self.one, self.other), _unequal(self.other, self.one)
        if not ones or len(ones) != len(others) or not (_is_one(self.one, ones) and _is_one(self.other, others)):
            return False
        here, there = ones[0], others[0]
        this, that = self.one.tokens[here].value, self.other.tokens[there].value
        if this is None or that is None or not quantities.comparable(this, that):
            return False
        if not _count_one(self.one, here, self.other, there) or _from_until(self.one, here, self.other, there):
            return False
        if any(
            _is_name(frame, at, self.shared) or _is_vague(frame, at)
            for frame, at in ((self.one, here), (self.other, there))
        ):
            return False
        self.scale = this.scale.value
        return True

    def stands(self, *, days_apart: bool) -> bool:
        """Whether both tell what is so, not what happened."""
        named = self.named
        apart = self.changed or not same_times(self.one, self.other)
        if self.one.verb is None and len(self.shared) < _FEWEST_SHARED and not named:
            return False
        return all(_stands(frame, named=named, apart=apart, days_apart=days_apart) for frame, _ in self._sides)

    def _adds(self) -> bool:
        return all(adds(frame, keys, self.shared) and not _names_more(frame, keys) for frame, keys in self._sides)

    # -- names

    def other_name(self) -> bool:
        """Whether a name, a word of one kind or a label stands in the place of another, and there is room for one."""
        if not self.mine or not self.theirs or any(frame.verb is None for frame, _ in self._sides):
            return False
        if ("formerly" in self.one.words) != ("formerly" in self.other.words):
            return False
        was = all(frame.is_past and not frame.when and self.named for frame, _ in self._sides)
        if not was and any(_is_over(frame) and not self.changed for frame, _ in self._sides):
            return False
        return self._narrows_to_values() and self._is_another()

    def _narrows_to_values(self) -> bool:
        """Take what stands for a value of `mine` and `theirs`; whether what is left on one side only adds to it."""
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
        """Whether both values are of one sort: names, words of a kind, labels with a number, what it is called."""
        words = [frame.word(keys[0]) for frame, keys in self._sides]
        is_kind = len(self.mine) == len(self.theirs) == 1 and lexicon.other_value(*words) not in (None, "relative")
        named = all(_is_named(frame, keys) for frame, keys in self._sides)
        called = all(_is_called(frame, keys) for frame, keys in self._sides)
        numbered = _is_numbered(self.one, self.mine, self.other) and _is_numbered(self.other, self.theirs, self.one)
        placed = self.changed and all(_follows(frame, keys) for frame, keys in self._sides)
        numbers = all(any(map(str.isdigit, frame.word(keys[0]))) for frame, keys in self._sides)
        labelled = (numbers or not LABELS.isdisjoint(self.one.words & self.other.words)) and all(
            _follows_be(frame, keys) for frame, keys in self._sides
        )
        if not (is_kind or named or numbered or called or placed or labelled) or not (
            numbered or not _unequal(self.one, self.other)
        ):
            return False
        moved = placed and self.one.terms[self.one.verb or 0] == self.other.terms[self.other.verb or 0]
        return (
            called
            or labelled
            or moved
            or self._holds_one(is_address=named and (numbered or self.changed), is_kind=is_kind)
        )

    def _holds_one(self, *, is_address: bool, is_kind: bool) -> bool:
        """Whether there is room for one: of a role, of an attribute, after a verb that binds to one, at an address."""
        words = {frame.word(key) for frame in (self.one, self.other) for key in self.shared}
        in_subject = [
            any(speaks_of(frame, frame.content[key], self.shared) or frame.content[key] == 0 for key in keys)
            for frame, keys in self._sides
        ]
        if any(lexicon.has_role(word, Role.HOLDER) for word in words):
            return all(
                _is_the_one(frame, word)
                for frame, _ in self._sides
                for word in frame.words & words
                if lexicon.has_role(word, Role.HOLDER)
            )
        agents = [
            _is_agent(frame, keys) or inside for (frame, keys), inside in zip(self._sides, in_subject, strict=True)
        ]
        if any(lexicon.has_role(word, Role.HELD_BY_ONE) for word in words) and (all(agents) or not any(in_subject)):
            return True
        if any(in_subject):
            return False
        both = self.one.words | self.other.words
        is_so = all(frame.verb is not None and frame.tokens[frame.verb].key == "be" for frame, _ in self._sides)
        binds = any(lexicon.has_role(word, Role.BINDING) for word in words)
        if binds or all(_is_of_attribute(frame, keys) for frame, keys in self._sides):
            return True
        if is_so and any(lexicon.has_role(word, Role.ATTRIBUTE) for word in words):
            return True
        done = is_so and all(_is_agent(frame, keys) for frame, keys in self._sides)
        return (
            done or (is_kind and is_so) or not both.isdisjoint(FAVOURITE) or (is_address and not both.isdisjoint(_AT))
        )

    # -- weekdays

    def other_weekday(self) -> bool:
        """Whether what is at a day of the week is said to be at another now."""
        ones, others = weekdays(self.one), weekdays(self.other)
        if not ones or not others or ones == others or (self.mine and self.theirs) or not self._adds():
            return False
        if _unequal(self.one, self.other) or any(frame.is_past or frame.verb is None for frame, _ in self._sides):
            return False
        at = all(frame.tokens[frame.verb or 0].key == "be" and ones.isdisjoint(others) for frame, _ in self._sides)
        if at and not any(token.word.endswith("ys") for frame, _ in self._sides for token in frame.when):
            return True
        always = any(not frame.words.isdisjoint(_AS_A_RULE) for frame, _ in self._sides)
        return self.changed or (always and ones.isdisjoint(others))

    def other_end(self) -> bool:
        """Whether what lasts until a day is said to last until another."""
        if (self.mine and self.theirs) or not self._adds() or same_dates(self.one, self.other):
            return False
        return all("until" in frame.words and frame.verb is not None and not frame.is_past for frame, _ in self._sides)


# What they name is a word or two of any sort.
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
    """Whether what is said more narrows it to somebody, or to a place: `three hours to Bergen`."""
    return any(frame.word(key) in frame.names and frame.tokens[frame.content[key] - 1].word in _NARROW for key in keys)


_NARROW = listed("to for from of in at")


def _unequal(one: Frame, other: Frame) -> list[int]:
    """Return the numbers of one that the other lacks."""
    theirs = [value for at in other.numbers if (value := other.tokens[at].value)]
    return [
        at for at in one.numbers if (value := one.tokens[at].value) and not any(equal(value, that) for that in theirs)
    ]


def _is_one(frame: Frame, places: Sequence[int]) -> bool:
    """Whether there is one number, or a range."""
    if len(places) == 1:
        return True
    first, last = places[0], places[-1]
    return len(places) == 2 and last - first == 2 and frame.tokens[first + 1].word in ("to", "and", "over")  # noqa: PLR2004


def _is_vague(frame: Frame, at: int) -> bool:
    """Whether a number is a bound or a guess; `up to` is one, `gone up to` is none."""
    before = frame.tokens[at - 1].word if at else ""
    if before != "to":
        return frame.tokens[at].vague
    ranged = at > 1 and frame.tokens[at - 2].value is not None
    return not ranged and "up" in frame.words and not tells_change(frame)


def _counted(frame: Frame, at: int) -> tuple[str, str]:
    """Return the root of what a bare number counts, and in how long: `12 visitors a day`."""
    value = frame.tokens[at].value
    after = at + 1
    thing = next((key for key, place in frame.content.items() if place == after), "")
    words = [token.word for token in frame.tokens[after : after + 4]]
    rate = next((each for per, each in pairwise(words) if per in _PER), "")
    return (thing if value and value.scale is Scale.CARDINAL and thing != rate else ""), rate


def _count_one(one: Frame, here: int, other: Frame, there: int) -> bool:
    """Whether two numbers count the same, in the same time; which one may say elsewhere: `a night costs 26`."""
    (this, rate), (that, other_rate) = _counted(one, here), _counted(other, there)
    same_rate = rate == other_rate or (not rate and other_rate in one.words) or (not other_rate and rate in other.words)
    return this == that and same_rate


def _from_until(one: Frame, here: int, other: Frame, there: int) -> bool:
    """Whether one number begins what the other ends: from six, until two."""
    before = {frame.tokens[at - 1].word for frame, at in ((one, here), (other, there)) if at}
    return not before.isdisjoint(("from", "after")) and not before.isdisjoint(("until", "till", "before", "to"))


_PER = listed("a an per each every")


def _is_name(frame: Frame, at: int, shared: frozenset[str]) -> bool:
    """Whether a number is a name: `Room 4 costs`, `the second team won`."""
    value = frame.tokens[at].value
    before = frame.tokens[at - 1].word if at else "the"
    if before == "nr" and (frame.verb is None or at < frame.verb or frame.tokens[frame.verb].key != "be"):
        return True
    in_subject = frame.verb is not None and at < frame.verb and speaks_of(frame, at, shared)
    if value is not None and value.scale is Scale.ORDINAL:
        return in_subject
    return in_subject and before not in _DETERMINERS | PREPOSITIONS


def _stands(frame: Frame, *, named: bool, apart: bool, days_apart: bool) -> bool:
    if frame.verb is None:
        return named or not days_apart or "for" in frame.words
    if not frame.is_past:
        return True
    return frame.tokens[frame.verb].word in _WAS and (apart or (named and not days_apart))


def _is_over(frame: Frame) -> bool:
    return frame.is_past and frame.words.isdisjoint(_FOR_GOOD)


def _first_phrase(frame: Frame, keys: Sequence[str]) -> list[str]:
    """Return the first of some words, and those that stand right after it."""
    ordered = sorted(keys, key=lambda key: frame.content[key])
    places = [frame.content[key] for key in ordered]
    width = next((n for n in range(1, len(places)) if places[n] != places[0] + n), len(places))
    return ordered[: min(width, _MOST_WORDS_OF_A_NAME)]


def _follows(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase follows a preposition after the verb, with or without an article: `meets in the library`."""
    first = min(frame.content[key] for key in keys)
    before = [token.word for token in frame.tokens[max(0, first - 2) : first]]
    return frame.verb is not None and frame.verb < first and not PREPOSITIONS.isdisjoint(before)


def _is_of_attribute(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase stands right after an attribute: `platform B`."""
    first = min(frame.content[key] for key in keys)
    return first > 0 and lexicon.has_role(frame.tokens[first - 1].word, Role.ATTRIBUTE)


def _follows_be(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase stands right after `is`, or after the word of it that both have."""
    at = frame.verb
    first = min(frame.content[key] for key in keys)
    return at is not None and frame.tokens[at].key == "be" and 0 < first - at <= _MOST_WORDS_OF_A_NAME


def _beside(frame: Frame, keys: Sequence[str], shared: frozenset[str]) -> set[str]:
    """Return the names that both have and that a phrase stands beside."""
    places = [frame.content[key] for key in keys]
    beside = (min(places) - 1, max(places) + 1)
    names = {key for key in shared if frame.content[key] in beside and frame.word(key) in frame.names}
    return {key for key in names if key not in _TITLES and not lexicon.has_role(key, Role.HOLDER)}


def _is_called(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase follows `called`."""
    return frame.tokens[frame.content[keys[0]] - 1].word in CALLED


def _is_named(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether a phrase is a name: written as one; or the first word of the sentence, without an article."""
    return all(frame.word(key) in frame.names or frame.content[key] == 0 or key.isdigit() for key in keys)


def _is_numbered(frame: Frame, keys: Sequence[str], other: Frame) -> bool:
    """Whether a number that the other lacks stands beside a phrase: `8 Pier Street`, `heron-44`."""
    places = [frame.content[key] for key in keys]
    beside = (min(places) - 1, max(places) + 1)
    return any(at in beside for at in _unequal(frame, other))


def _is_agent(frame: Frame, keys: Sequence[str]) -> bool:
    """Whether it is told by whom it is done, or to whom it belongs: `led by Mayor Quist`."""
    first = min(frame.content[key] for key in keys)
    before = {token.word for token in frame.tokens[max(0, first - 2) : first]}
    return not before.isdisjoint(("by", "belongs", "belong"))


def _is_the_one(frame: Frame, word: str) -> bool:
    """Whether a role is said to be the one: `the manager`, `our dentist`, `Ana's husband`; not `a manager`."""
    at = next(at for at, token in enumerate(frame.tokens) if token.word == word)
    before = {token.word for token in frame.tokens[max(0, at - 3) : at]}
    return before.isdisjoint(("a", "an", "one", "another"))
