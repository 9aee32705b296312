"""Opposites: decide whether two frames differ only in one word and its opposite, or swap two things."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.frames import ALL, IN_PART, PREPOSITIONS, root_of, shared_of, speaks_of, unmatched
from memstore.conflicts.guards import (
    FEWEST_SHARED,
    MOST_ADDED,
    comparable,
    same_numbers,
    same_tense,
    same_times,
    tells_change,
    weekdays,
)
from memstore.conflicts.quantities import Scale
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.conflicts.frames import Frame


def opposed(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether two frames say the same except for one word of each, and these two are opposites."""
    if (
        one.denied
        or other.denied
        or not _FAILS.isdisjoint(one.words | other.words)
        or (_of_part(one, other) and not (says_all(one) or says_all(other)))
    ):
        return False
    mine, theirs = unmatched(one, other), unmatched(other, one)
    if min(len(mine), len(theirs)) != 1 or not shared_of(one, other) or not comparable(one, other):
        return False
    pairs = [(a, b) for a in mine for b in theirs if opposite(one.word(a), other.word(b))]
    if len(pairs) != 1 or not _of_one_time(one, other, days_apart=days_apart):
        return False
    this, that = pairs[0]
    more = [key for key in mine if key != this], [key for key in theirs if key != that]
    return _exclude(one, other, this, that) and _is_said_of_one(one, this, more[0], other, that, more[1])


# Who forgot to lock the door left it unlocked.
_FAILS = listed("forgot forgotten forget forgets neglected omitted")


def _of_part(one: Frame, other: Frame) -> bool:
    return not (one.words | other.words).isdisjoint(IN_PART)


def says_all(frame: Frame) -> bool:
    """Whether a frame says something of all, and not of nearly all."""
    return not frame.words.isdisjoint(_ALL) and frame.words.isdisjoint(IN_PART)


_ALL = listed("all every each everyone everybody everything both whole entire")


def _of_one_time(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    changed = (tells_change(one) or tells_change(other)) and not (one.is_past and other.is_past)
    always = not (one.words | other.words).isdisjoint(_ALWAYS) or changed
    if (_bounds(one) ^ _bounds(other)) and bool(one.numbers) == bool(other.numbers):
        return False  # Something that closes at six is open until six.
    by_day = bool(one.when) != bool(other.when) and bool(weekdays(one) | weekdays(other))
    always = always and not (by_day and changed)
    if not same_times(one, other) or (bool(one.when) != bool(other.when) and not always):
        return False
    return always or same_tense(one, other, days_apart=days_apart)


_ALWAYS = listed("always daily")
_BOUNDS = listed("until till from before after")


def _bounds(frame: Frame) -> frozenset[str]:
    """Return the words of a frame that say from when on, or until when; not `absent from the meeting`."""
    later = {at - 1 for at, token in enumerate(frame.tokens) if token.value is not None or token in frame.when}
    return frozenset(
        token.word
        for at, token in enumerate(frame.tokens)
        if token.word in _BOUNDS and (token.word != "from" or not later.isdisjoint((at, at + 1)))
    )


def _bare(frame: Frame, key: str) -> Frame:
    """Return a frame without the number that says how far an opposite goes: `two hours late`, `older by a year`."""
    at = frame.content[key]
    after = at - 1 if frame.tokens[at - 1].word != "too" else at - 2
    return frame._replace(numbers=tuple(n for n in frame.numbers if n != after and not _says_by_how_much(frame, n)))


def _says_by_how_much(frame: Frame, at: int) -> bool:
    return "by" in [token.word for token in frame.tokens[max(0, at - 3) : at]]


def _says_as_many(one: Frame, other: Frame) -> bool:
    """Whether the other frame has all numbers of the first; or none, and these are time limits or count some of all."""
    if same_numbers(one, other):
        return True
    if other.numbers:
        return False
    return not other.words.isdisjoint(ALL) or all(_begins_or_ends(one, at) for at in one.numbers)


def _begins_or_ends(frame: Frame, at: int) -> bool:
    value = frame.tokens[at].value
    return value is not None and value.scale is Scale.CLOCK and frame.tokens[at - 1].word in _BOUNDS | {"to"}


def _exclude(one: Frame, other: Frame, this: str, that: str) -> bool:
    """Whether two opposites exclude each other, unlike a son and a daughter, or two acts one after the other."""
    if lexicon.other_value(one.word(this), other.word(that)) is not None:
        return False
    on_one_day = bool(one.when and other.when)
    return on_one_day or not any(
        frame.is_past and lexicon.is_act(frame.word(key)) and frame.verb == frame.content[key]
        for frame, key in ((one, this), (other, that))
    )


def _is_said_of_one(one: Frame, this: str, mine: list[str], other: Frame, that: str, theirs: list[str]) -> bool:
    """Whether two opposites are said of the same thing, and don't distinguish two things."""
    shared = shared_of(one, other)
    if (mine and theirs) or not (_says_as_many(_bare(one, this), other) and _says_as_many(_bare(other, that), one)):
        return False
    told = shared - _leading(one) - _leading(other)
    order = _order(one, told | {this})
    if one.word(this) in _RELATIONS and order != _order(other, told | {that}, {that: this}):
        return False
    if not _have_one_subject(one, other, shared):
        return False  # Something behind the church has the church in front of it.
    if any(
        _is_another_one(frame, keys, shared) or _is_of_its_part(frame, keys, shared)
        for frame, keys in ((one, mine), (other, theirs))
    ):
        return False
    if speaks_of(one, one.content[this], shared) or speaks_of(other, other.content[that], shared):
        return False
    return all(len(keys) <= MOST_ADDED and not (keys and one.verb is None) for keys in (mine, theirs))


_DENYING = ("un", "in", "im", "ir", "il", "dis", "non", "non-")


# With such a prefix, these are not opposites: they are other words, or mean the same (`invaluable`, `discover`).
_NO_OPPOSITE = listed("""
    valuable habitable flammable different famous press form side come prove port tend cover play miss deed vent tern
    crease creases creased creasing quest stance tensive grain print pose posed poses pact part plant quire
    """)


def opposite(one: str, other: str) -> bool:
    """Whether two words are opposites in the list, or one is the other with a negative prefix or `-less` for `-ful`."""
    if one.endswith(("less", "ful")) and _bare_of_less(one) == _bare_of_less(other):
        return one.endswith("less") != other.endswith("less")
    return lexicon.opposite(one, other) or one in without_prefix(other) or other in without_prefix(one)


def _bare_of_less(word: str) -> str:
    """Return a word without `-less` or `-ful`: `care` for careless and careful."""
    return word.removesuffix("less").removesuffix("ful")


# If fewer letters follow, the prefix is usually part of the word, as in `under`.
_SHORTEST_WORD = 4


def without_prefix(word: str) -> Sequence[str]:
    """Return the words that a word negates if it begins with a negative prefix: `locked` for `unlocked`."""
    bare = (word.removeprefix(prefix) for prefix in _DENYING if word.startswith(prefix))
    return [each for each in bare if len(each) >= _SHORTEST_WORD and each not in _NO_OPPOSITE]


# Something left of the church has the church on its right.
_RELATIONS = listed("""
    left right north northern south southern east eastern west western above below under behind front inside outside
    over upstairs downstairs near far older elder younger taller shorter higher lower bigger larger smaller faster
    slower
    """)


def _is_of_its_part(frame: Frame, added: Sequence[str], shared: frozenset[str]) -> bool:
    """Whether the subject belongs to what the other frame speaks of: the museum shop, a wing of the museum."""
    ends = {frame.content[key] + 1 for key in shared}
    places = [frame.content[key] for key in added if speaks_of(frame, frame.content[key], shared)]
    return any(at in ends or frame.tokens[at + 1].word == "of" for at in places)


def _is_another_one(frame: Frame, added: Sequence[str], shared: frozenset[str]) -> bool:
    """Whether the subject is told apart by where it is: the printer in the library."""
    places = [frame.content[key] for key in added]
    return any(
        speaks_of(frame, at, shared)
        and not PREPOSITIONS.isdisjoint(token.word for token in frame.tokens[max(0, at - 2) : at])
        for at in places
    )


def _leading(frame: Frame) -> frozenset[str]:
    """Return the content of a phrase before the subject: `Past the mill`."""
    if frame.tokens[0].word not in PREPOSITIONS or frame.verb is None:
        return frozenset()
    return frozenset([key for key in frame.content if frame.content[key] < frame.verb][:-1])


def _have_one_subject(one: Frame, other: Frame, shared: frozenset[str]) -> bool:
    """Whether the subject of one frame is, or contains, that of the other: the lake, swimming in the lake."""
    firsts = {_first(one, shared), _first(other, shared)} - {""}
    if len(firsts) <= 1:
        return True
    mine, theirs = ({key for key in shared if speaks_of(each, each.content[key], shared)} for each in (one, other))
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


def _first(frame: Frame, keys: frozenset[str]) -> str:
    """Return the subject: the first of some words; empty if the sentence begins with a preposition."""
    return "" if frame.tokens[0].word in PREPOSITIONS else _order(frame, keys)[0]


def _order(frame: Frame, keys: frozenset[str], called: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return some keys in the order of the frame, some of them renamed."""
    return [called.get(key, key) for key in sorted(keys, key=lambda key: frame.content[key])]


# Asymmetric relations: they can't hold both ways between two things.
ASYMMETRIC = listed("than above below behind north south east west prefer prefers preferred")


def swapped(one: Frame, other: Frame) -> bool:
    """Whether two frames state an asymmetric relation between two things in opposite directions: each is older."""
    if _compares_the_other_way(one, other):
        return True
    shared = shared_of(one, other)
    if one.content.keys() != other.content.keys() or one.denied or other.denied or len(shared) < FEWEST_SHARED:
        return False
    marks = one.words & other.words & ASYMMETRIC
    if not (marks or _same_role(one, other, shared)) or not comparable(one, other) or not same_times(one, other):
        return False
    ranks = [[frame.tokens[at].key for at in frame.numbers] for frame in (one, other)]
    if any(ranks):
        return len(set(ranks[0])) > 1 and ranks[0] == ranks[1][::-1]
    nouns = shared - {root_of(each.tokens[main_verb(each)].word) for each in (one, other)}
    mine, theirs = _order(one, nouns), _order(other, nouns)
    return sum(this != that for this, that in zip(mine, theirs, strict=True)) == len(("one", "other"))


def _compares_the_other_way(one: Frame, other: Frame) -> bool:
    """Whether both compare two things by one measure, but in each another is ahead: Ida is older than Eva."""
    by = {word for word in one.words & other.words if word in _COMPARATIVES or word.endswith("er")}
    if "than" not in one.words & other.words or not by or one.denied or other.denied or not comparable(one, other):
        return False
    mine, theirs = _around_than(one), _around_than(other)
    return bool(mine[0] and theirs[0]) and mine[0] <= theirs[1] and theirs[0] <= mine[1] and same_times(one, other)


_COMPARATIVES = listed("more less fewer better worse")


def _around_than(frame: Frame) -> tuple[frozenset[str], frozenset[str]]:
    """Return what is compared, before and after `than`, without the verb and the comparative."""
    at = next(at for at, token in enumerate(frame.tokens) if token.word == "than")
    told = {
        key: place
        for key, place in frame.content.items()
        if place != frame.verb and not (place == at - 1 and frame.tokens[place].word.endswith("er"))
    }
    before = frozenset(key for key, place in told.items() if place < at)
    return before, frozenset(told) - before


def _same_role(one: Frame, other: Frame, shared: frozenset[str]) -> bool:
    """Whether both say whose boss, mother or teacher somebody is; not whose sister, who has a sister, too."""
    roles = {one.word(key) for key in shared if is_one_way(one.word(key))}
    return bool(roles) and all(len(frame.possessors) == 1 for frame in (one, other))


def is_one_way(word: str) -> bool:
    """Whether a word names somebody by a relation that the other side does not have: a boss, a mother."""
    return lexicon.is_person(word) and word not in _MUTUAL


_MUTUAL = listed("""
    brother sister cousin spouse partner fiance fiancee boyfriend girlfriend flatmate roommate housemate contact capital
    headquarters deputy
    """)
