"""Guards: decide whether two frames are about the same thing at all: the same time, the same numbers, a statement.

Events on different days are different events; suppositions are not statements; additional words may mean another thing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.conflicts import quantities
from memstore.conflicts.frames import FORBIDDEN, NORMS, speaks_of, states
from memstore.conflicts.quantities import Scale
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.quantities import Quantity
    from memstore.conflicts.statements import Token

FEWEST_SHARED = 2
# With more additional words on one side, it says something else.
MOST_ADDED = 4


TIMES = (
    listed("monday tuesday wednesday thursday friday saturday sunday"),
    frozenset(quantities.MONTHS),
    listed("spring summer autumn winter first-half second-half q1 q2 q3 q4"),
    listed("morning noon afternoon evening night midnight tonight"),
    listed("today yesterday tomorrow"),
    listed("formerly now nowadays currently previously"),
)


def weekdays(one: Frame) -> frozenset[str]:
    """Return the days of the week that a frame names."""
    return frozenset(_plain(token.word) for token in one.when) & TIMES[0]


def same_times(one: Frame, other: Frame) -> bool:
    """Whether two frames don't name different times: two weekdays, two dates, now and formerly."""
    days = [frozenset(_plain(token.word) for token in frame.when) for frame in (one, other)]
    if any(this & _WORKDAYS and that & _DAYS_OFF for this, that in (days, days[::-1])):
        return False
    if not same_years(one, other):
        return False
    return all(_meet(one.when, other.when, kind) for kind in TIMES) and same_dates(one, other)


def are_of_two_times(one: Frame, other: Frame) -> bool:
    """Whether each is told of a time of its own, so that both may be right: in March, in April; on Monday, on Friday.

    `Since` and `now` tell of a change instead, and so does the past beside the present.
    """
    if one.is_past != other.is_past or not (one.words | other.words).isdisjoint(_OF_A_CHANGE):
        return False
    named = [{_plain(token.word) for token in frame.when} for frame in (one, other)]
    return any(all(when & kind for when in named) and not named[0] & named[1] & kind for kind in TIMES[:3])


_OF_A_CHANGE = listed("since now still again formerly")


def same_years(one: Frame, other: Frame) -> bool:
    """Whether two frames don't name different times in relation to now: last year, this year."""
    return not (of_this(one) and of_this(other)) or not of_this(one).isdisjoint(of_this(other))


def of_this(frame: Frame) -> frozenset[tuple[str, str]]:
    """Return `last`, `this` and `next` with the time that they are said of: last year, this year."""
    return frozenset(
        (this.word, that.word) for this, that in pairwise(frame.tokens) if this.word in _THIS and that in frame.when
    )


_THIS = listed("last this next")


def same_day(one: Frame, other: Frame) -> bool:
    """Whether two frames don't name different weekdays, parts of the day or seasons; dates may differ."""
    return same_times(one._replace(when=_no_dates(one)), other._replace(when=_no_dates(other)))


def _no_dates(frame: Frame) -> tuple[Token, ...]:
    return tuple(token for token in frame.when if token.value is None)


_WORKDAYS = listed("weekday monday tuesday wednesday thursday friday")
_DAYS_OFF = listed("weekend saturday sunday")


def _meet(ones: Sequence[Token], others: Sequence[Token], kind: frozenset[str]) -> bool:
    mine, theirs = ({_plain(token.word) for token in when} & kind for when in (ones, others))
    return not mine or not theirs or not mine.isdisjoint(theirs)


def _plain(word: str) -> str:
    return word.removesuffix("s") if word.endswith(("days", "ends", "ings", "noons", "nights", "ers")) else word


def same_dates(one: Frame, other: Frame) -> bool:
    """Whether two frames don't name different dates."""
    mine, theirs = ([token for token in frame.when if token.value] for frame in (one, other))
    return not mine or not theirs or any(_same(this, that) for this in mine for that in theirs)


def _same(this: Token, that: Token) -> bool:
    if this.value and that.value:
        return equal(this.value, that.value)
    return this.key == that.key


_HALF_A_DAY = 720.0


def equal(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities may be equal; six may mean 18:00."""
    if one.scale is other.scale is Scale.CLOCK and one.parts[0] is not None and other.parts[0] is not None:
        return one.parts[0] % _HALF_A_DAY == other.parts[0] % _HALF_A_DAY
    return quantities.comparable(one, other) and quantities.equal(one, other)


def same_numbers(one: Frame, other: Frame) -> bool:
    """Whether every number of the first frame is also in the second."""
    return all(any(_same(one.tokens[at], other.tokens[there]) for there in other.numbers) for at in one.numbers)


CHANGED = listed("""
    now since raised risen rose increased reduced lowered moved anymore nowadays changed switched elected
    appointed upgraded downgraded migrated again reopened renamed rewritten replaced extended shortened new
    """)
_LONG = listed("year term semester season spring summer autumn winter")


def tells_change(frame: Frame) -> bool:
    """Whether a frame says that something has changed."""
    told = CHANGED - {"since"} if _gives_a_reason(frame) else CHANGED
    return (
        says_these_days(frame)
        or not frame.words.isdisjoint(told)
        or any(
            (this.word == "from" and (after in frame.when or after.word in _THIS))
            or (this.word == "this" and after.word in _LONG)
            for this, after in pairwise(frame.tokens)
        )
    )


def _gives_a_reason(frame: Frame) -> bool:
    """Whether `since` may give a reason: it took an hour since we were late."""
    is_of_time = any(this.word == "since" and after in frame.when for this, after in pairwise(frame.tokens))
    return frame.is_past and not frame.is_perfect and not is_of_time


def says_these_days(frame: Frame) -> bool:
    """Whether a frame says that something is so `these days`; not just `these`."""
    return any(this.word == "these" and after.word == "days" for this, after in pairwise(frame.tokens))


_TODAY = listed("today tonight")


def same_tense(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether two frames are about the same time, judging by their tense; events on two days are different events."""
    passes = one.is_past or one.verb is None or other.verb is None or not (one.words | other.words).isdisjoint(_TODAY)
    if any(no.is_perfect and _stops(no) and not yes.is_past for no, yes in ((one, other), (other, one))):
        return True
    has_been = one.is_perfect or other.is_perfect
    return (one.is_past == other.is_past or has_been) and not (days_apart and (passes or has_been))


def _stops(frame: Frame) -> bool:
    """Whether a frame says that something has come to an end: `have stopped laying`."""
    return any(frame.tokens[at].word in ("stopped", "quit", "ceased") for at in frame.denials)


def comparable(one: Frame, other: Frame) -> bool:
    """Whether both are statements without hedges, and both say what is or both what should be."""
    if are_two(one.words, other.words) or are_two(other.words, one.words):
        return False
    if (
        all(frame.tokens and frame.tokens[0].word == "when" for frame in (one, other))
        and one.content.keys() != other.content.keys()
    ):
        return False  # each in another case
    permits = is_permission(one) and is_permission(other) and one.denied != other.denied
    return all(states(each, permits=permits) for each in (one, other)) and (permits or _is_norm(one) == _is_norm(other))


def _is_norm(frame: Frame) -> bool:
    """Whether a frame says what somebody should do: `must be`, `don't open`."""
    needs = any(this.word in ("need", "needs") and after.word == "to" for this, after in pairwise(frame.tokens))
    return needs or not frame.words.isdisjoint(NORMS) or [token.word for token in frame.tokens[:2]] == ["do", "not"]


def is_permission(frame: Frame) -> bool:
    """Whether a frame says what is allowed or not allowed: `may`, `is forbidden`, `must not`."""
    must_not = any(this.word == "must" and after.word == "not" for this, after in pairwise(frame.tokens))
    return must_not or not frame.words.isdisjoint(_PERMITS)


_PERMITS = FORBIDDEN | listed("""
    may can allowed permitted welcome allow allows permit permits accept accepts accepted admit admits admitted let lets
    tolerate tolerates tolerated
    """)


# If one frame has a word of one list and the other one of the other, they are about two things or two times.
_TWO = tuple(
    (listed(one), listed(other))
    for one, other in (
        ("old former previous", "new current present"),
        ("before until", "after"),
        ("during in inside within", "outside"),
        ("above over", "below under"),
    )
)


def are_two(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Whether the words are about two things or times: the old one, the new one; before, after."""
    return any(ones & this and others & that and not (ones & that or others & this) for this, that in _TWO)


def adds(one: Frame, added: Sequence[str], shared: frozenset[str]) -> bool:
    """Whether two frames are still about the same thing despite the words that one adds."""
    if len(added) > MOST_ADDED or (added and one.verb is None):
        return False
    return not any(_is_of_another(one, key, shared) for key in added)


def _is_of_another(one: Frame, key: str, shared: frozenset[str]) -> bool:
    """Whether a word turns it into another thing: the tyre of the bicycle, Tom's sister, the car park."""
    at = one.content[key]
    if speaks_of(one, at, shared):
        return not _only_describes(one, key, shared) and not is_epithet(one, at)
    if one.word(key).endswith("ly") or one.word(key) in _WHERE:
        return False  # an adverb, or a preposition
    before = next((other for other in shared if one.content[other] == at - 1 != one.verb), None)
    if before is not None and (one.word(before) in one.possessors or at - 1 > (one.verb or 0)):
        return True
    after = [token.word for token in one.tokens[at + 1 : at + 2]]
    if at == one.verb:
        return False  # complains of
    return after == ["of"] and any(at < one.content[other] <= at + _FARTHEST for other in shared)


_WHERE = listed("below above over under behind beside inside outside between beneath")


def is_epithet(one: Frame, at: int) -> bool:
    """Whether a word only says how one sees somebody: old Seraina."""
    return one.tokens[at].word in _EPITHETS and at + 1 < len(one.tokens) and one.tokens[at + 1].word in one.names


_EPITHETS = listed("old young little big dear poor late good")
# The maximum distance of a noun from `of`: `the door of the old house`.
_FARTHEST = 4


def _only_describes(one: Frame, key: str, shared: frozenset[str]) -> bool:
    """Whether a word before a noun may be left out: the speed limit in Mill Road is the limit there."""
    at = one.content[key]
    if len(shared) <= FEWEST_SHARED or one.tokens[at - 1].word in one.possessors:
        return False
    return any(one.content[other] == at + 1 < (one.verb or 0) for other in shared)


def are_numbered_apart(one: Frame, other: Frame, named: frozenset[str]) -> bool:
    """Whether different numbers or letters follow a noun of both: server 3, server 4; lift A, lift B."""
    return any(
        (this := _number_after(one, key)) and (that := _number_after(other, key)) and this != that
        for key in named
        if key in other.content and one.content[key] < (one.verb or 0)
    )


def _number_after(frame: Frame, key: str) -> str:
    after = [token for token in frame.tokens[frame.content[key] + 1 : frame.content[key] + 3] if token.word != "nr"]
    is_letter = after and len(after[0].word) == 1 and after[0].word in frame.names - {"i"}
    if not after or (after[0].value is None and after[0].word != "one" and not is_letter):
        return ""
    return after[0].key if after[0].value is None or after[0].value.scale is Scale.CARDINAL else ""


def points(frame: Frame) -> bool:
    """Whether a statement is about something that another names: it, that, what everybody knows."""
    return frame.tokens[0].word in _POINTERS and frame.tokens[1:2] != frame.when[:1]


_POINTERS = listed("it that this these those what which there he she they")
