"""Slots: decide whether two frames fill a place that has room for one with different words: made of tin, made of slate.

The verbs that have such a place, and the prepositions that lead to it, are in `words.toml`; what fills it may be any
word, known or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon
from memstore.conflicts.frames import ALWAYS, DETERMINERS, PREPOSITIONS, root_of
from memstore.conflicts.guards import comparable, same_day, tells_change
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from memstore.conflicts.frames import Frame


class FilledSlot(NamedTuple):
    """What fills the place after a verb: `verb` is its root, `value` has the content there, `rest` that after it.

    `has_room_for_one` is false for what may be one of several: `cooks with gas`.
    """

    verb: str
    preposition: str
    has_room_for_one: bool
    holder: frozenset[str]
    value: tuple[str, ...]
    rest: frozenset[str]


def refilled(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether two frames fill a place that has room for one with different words, and are equal in all else."""
    if one.denied or other.denied or one.numbers or other.numbers or not comparable(one, other):
        return False
    always = not (one.words | other.words).isdisjoint(ALWAYS)
    mine, theirs = _slot_of(one, always=always), _slot_of(other, always=always)
    if (
        not mine
        or not theirs
        or not (mine.has_room_for_one or theirs.has_room_for_one)
        or not _is_one_place(mine, theirs, always=always)
        or (mine.rest and theirs.rest and mine.rest != theirs.rest)
    ):
        return False
    if not (one.words | other.words).isdisjoint(_ADDS):
        return False
    changed = tells_change(one) or tells_change(other)
    if not (changed or same_day(one, other)) or _passes(one, other, mine, days_apart=days_apart and not changed):
        return False
    return _are_of_one(mine, theirs) and _differ(one, mine, other, theirs, always=always)


def _slot_of(frame: Frame, *, always: bool) -> FilledSlot | None:
    """Return the slot of a frame; None if its main verb has none, or nothing fills it.

    Args:
        frame: the frame.
        always: whether one of the two frames says that it is always so, so that there is room for one anyhow.
    """
    at = main_verb(frame)
    if at < 0:
        return None
    verb = "be" if frame.tokens[at].key == "be" else root_of(frame.tokens[at].word)
    ahead = enumerate(frame.tokens[at + 1 : at + FARTHEST], at + 1)
    place, preposition = next(((n, token.word) for n, token in ahead if token.word in PREPOSITIONS | {"as"}), (at, "-"))
    # How something is regularly done leaves room for one: it is heated with wood.
    is_done = frame.verb is not None and at != frame.verb and frame.tokens[frame.verb].key == "be" and not frame.is_past
    has_room_for_one = lexicon.has_slot(verb, preposition) or (
        preposition in OF_MANNER and (is_done or (always and verb not in _OFTEN_AT_ONCE))
    )
    if not (has_room_for_one or preposition in OF_MEANS):
        return None
    value = _phrase(frame, place + 1)
    places = {n: key for key, n in frame.content.items() if key not in (*value, verb)}
    holder = frozenset(key for n, key in places.items() if n < max(at, place))
    rest = frozenset(key for n, key in places.items() if n > max(at, place))
    return FilledSlot(verb, preposition, has_room_for_one, holder, value, rest) if value and holder else None


# The roots of verbs for what one does at several places on one occasion: the bus always stops at the mill.
_OFTEN_AT_ONCE = listed("stop call pass walk look")
# A preposition follows its verb after at most two words: `get our milk from`.
FARTHEST = 5


def _phrase(frame: Frame, start: int) -> tuple[str, ...]:
    """Return the roots of the words of the noun phrase that begins at a position."""
    found: list[str] = []
    for at, token in enumerate(frame.tokens[start:], start):
        if token in frame.when:
            break
        if token.word in DETERMINERS | {"own"} and not found:
            continue
        if frame.content.get(root_of(token.word)) != at and token.word not in frame.names:
            break
        found.append(root_of(token.word))
    return tuple(found)


_PLACES = listed("in on at under behind with above over below beside")
OF_MANNER = listed("in on at by with under to from as")
OF_MEANS = listed("by with from")


_ADDS = listed("also too well additionally another")
_KEPT = listed("keep store hang mount")


def _is_one_place(mine: FilledSlot, theirs: FilledSlot, *, always: bool) -> bool:
    if mine.verb == theirs.verb and mine.verb not in _KEPT:
        for_one = mine.verb == "work" and {mine.preposition, theirs.preposition} == {"at", "for"}
        return (
            for_one
            or mine.preposition == theirs.preposition
            or (always and {mine.preposition, theirs.preposition} <= _PLACES)
        )
    # Verbs for where a thing is are interchangeable: it hangs, it is kept.
    placed = all(
        (slot.verb == "be" or lexicon.has_role(slot.verb, lexicon.Role.BEING)) and slot.preposition in _PLACES
        for slot in (mine, theirs)
    )
    origin = {mine.verb, theirs.verb} == {"be", "come"}
    return placed or (origin and mine.preposition == theirs.preposition == "from")


# What was once made or written stays so.
_FOR_GOOD = listed("make build write bear carv compos publish print")


def _passes(one: Frame, other: Frame, slot: FilledSlot, *, days_apart: bool) -> bool:
    """Whether the frames tell of events, or of where something is for a while."""
    past = one.is_past or other.is_past
    return (past and slot.verb not in _FOR_GOOD and slot.preposition != "by") or (days_apart and slot.verb == "be")


def _are_of_one(mine: FilledSlot, theirs: FilledSlot) -> bool:
    """Whether both are about the same thing, which one of them may describe further."""
    return mine.holder == theirs.holder or (
        min(len(mine.holder), len(theirs.holder)) > 1 and (mine.holder <= theirs.holder or theirs.holder <= mine.holder)
    )


def _sort(frame: Frame, slot: FilledSlot) -> str:
    """Return how a value is written: as one definite thing (or a name, after `by`), as any of its kind, or bare."""
    at = min((place for key in slot.value if (place := frame.content.get(key)) is not None), default=0)
    before = next((token.word for token in frame.tokens[at - 1 :: -1] if token.word != "own"), "")
    named = slot.preposition in _DONE and frame.tokens[at].word in frame.names
    return "definite" if before in _DEFINITE or named else "any" if before in DETERMINERS else "bare"


_DONE = listed("by with")
_DEFINITE = listed("the my our your his her its their")


def _differ(one: Frame, mine: FilledSlot, other: Frame, theirs: FilledSlot, *, always: bool) -> bool:
    """Whether two values are different, and neither is a kind of the other."""
    alike = _sort(one, mine) == _sort(other, theirs) or (always and mine.verb == theirs.verb)
    if not set(mine.value).isdisjoint(theirs.value) or not alike:
        return False
    words = [
        [frame.tokens[at].word for key in slot.value for at in (frame.content.get(key),) if at is not None]
        for frame, slot in ((one, mine), (other, theirs))
    ]
    return not any(
        lexicon.same(this, that)
        or lexicon.is_wider(this, that)
        or lexicon.is_member(this, that)
        or lexicon.is_member(that, this)
        for this in words[0]
        for that in words[1]
    )
