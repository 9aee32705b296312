"""Absolutes: decide whether one statement leaves no room for what the other says, in quite other words.

If `Vanessa plays on a Yamaha, the only piano she has`, whatever else is said of her piano can't be so. So if one of two
statements on one subject says "only", "always", "every" or "never", and the other says something else of it, the
remaining words need not match.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memstore.conflicts.denials import NEGATIVE
from memstore.conflicts.frames import IN_PART, PREPOSITIONS, states
from memstore.conflicts.guards import (
    are_elsewhere,
    are_numbered_apart,
    are_two,
    first_of,
    is_of_its_own,
    named_by,
    same_times,
)
from memstore.conflicts.lexicon import kinds_of
from memstore.conflicts.values import main_verb, other_measure
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from memstore.conflicts.frames import Frame

# The part of its content that one must have in common with the other, and that each must have; the fewest words.
_SHARED, _LEAST_SHARED, _FEWEST = 0.5, 0.34, 2
_MOST_WORDS = 30
_ONLY = (
    r"(?:only|sole|solely|always|alone|whole|entire|entirely|strictly|throughout|just the one|all (?:the way|along))"
)
_ALL = r"(?:every(?:thing|body|one)?|each|all)"
_EXCLUSIVE, _NOT_ALL = re.compile(rf"(?<![\w-]){_ONLY}(?![\w-])"), re.compile(rf"\bnot (?:{_ONLY}|{_ALL})\b")
_DENIES_ALL = re.compile(r"\b(?:never|nobody|nothing|no one|no_one|nowhere|none|not (?:a|an|one|any))\b")
_DENIES = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|neither|nor|without|nowhere|apart|except|absent|unless|until|hardly|no_one)\b"
)
# What is only said of some, of a possibility, or for a reason leaves room.
_LEAVES_ROOM = IN_PART | listed(
    "you your when whenever because since while although though as nothing_but even too also can could"
)


def leaves_no_room(one: Frame, other: Frame, *, days_apart: bool) -> str:
    """Return the rule by which one frame excludes whatever else the other says; an empty string if none applies."""
    return next(
        (rule for pair in ((one, other), (other, one)) if (rule := _excludes(*pair, days_apart=days_apart))), ""
    )


def tells_otherwise(one: Frame, other: Frame, *, days_apart: bool) -> str:
    """Return how two frames tell one thing differently, in whatever words; empty if they do not.

    It is the scale of two numbers, or `names` for two words of one kind, such as two colours.
    """
    if one.denied or other.denied:
        return ""
    of_one = _share(one, other) and _share(other, one) and (_speaks_of(one, other) or _speaks_of(other, one))
    if not of_one or _are_told_apart(one, other) or not _are_comparable(one, other, days_apart=days_apart):
        return ""
    if _is_of_another(one, other) or _is_of_another(other, one):
        return ""
    counts_one = len(one.numbers) == len(other.numbers) == 1 and _TOGETHER.isdisjoint(one.words ^ other.words)
    if counts_one and (scale := other_measure(one, other, named_by(one, other))):
        return scale
    return "names" if _kinds_of_one(one, other) & _kinds_of_one(other, one) else ""


def _is_of_another(one: Frame, other: Frame) -> bool:
    """Whether a frame speaks of something that is only described by the other's subject: the break after the exam."""
    if first_of(one) in other.content or one.tokens[0].word in PREPOSITIONS:
        return False
    return any(at < (one.verb or 0) for key, at in one.content.items() if key in other.content)


def _kinds_of_one(frame: Frame, other: Frame) -> set[str]:
    """Return the kinds, such as colours, of which a thing has one, and a frame names one that the other does not."""
    kinds = Counter(kind for key in frame.content.keys() - other.content.keys() for kind in kinds_of(frame.word(key)))
    of_one = listed(word_lists("conflicts")["of_one"])
    return {kind for kind, count in kinds.items() if count == 1 and kind in of_one}


_TOGETHER = listed("both together altogether total")


def _are_told_apart(one: Frame, other: Frame) -> bool:
    """Whether each names another place, or another word is beside a noun of both: the east tower, the west tower."""
    shared = one.content.keys() & other.content.keys()
    if all(
        any(_follows_a_preposition(frame, at) for key, at in frame.content.items() if key not in shared)
        for frame in (one, other)
    ):
        return True
    return any(
        one.content[key] in mine and other.content[key] in theirs
        for key in shared
        for mine, theirs in zip(_beside(one, shared), _beside(other, shared), strict=True)
    )


def _beside(frame: Frame, shared: AbstractSet[str]) -> tuple[set[int], set[int]]:
    """Return the places after a word that only this frame has, and those before a name that only it has."""
    own = {key: at for key, at in frame.content.items() if key not in shared}
    return {at + 1 for at in own.values()}, {at - 1 for key, at in own.items() if key in frame.names}


def _follows_a_preposition(frame: Frame, at: int) -> bool:
    return not PREPOSITIONS.isdisjoint(token.word for token in frame.tokens[max(0, at - 2) : at])


def is_absolute(frame: Frame) -> bool:
    """Whether a statement says that something is always, only or never so."""
    words = frame.spoken
    return _EXCLUSIVE.search(words) is not None or _DENIES_ALL.search(words) is not None


def _excludes(all_: Frame, one: Frame, *, days_apart: bool) -> str:
    if not is_absolute(all_) or is_absolute(one) or max(len(all_.tokens), len(one.tokens)) > _MOST_WORDS:
        return ""
    denials = len(_DENIES.findall(all_.spoken))
    if denials > 1 or _DENIES.search(one.spoken) or not _are_comparable(all_, one, days_apart=days_apart):
        return ""
    if denials and not (_names_the_act(all_, one) and NEGATIVE.isdisjoint(all_.words | one.words)):
        return ""
    if not denials and not (set(all_.content) - set(one.content) and set(one.content) - set(all_.content)):
        return ""
    of_one = _share(all_, one) and _share(one, all_) and _speaks_of(all_, one) and _speaks_of(one, all_)
    return ("negation" if denials else "only") if of_one else ""


def _begins_with(frame: Frame, word: str) -> bool:
    return word in (token.word for token in frame.tokens[:2])


def _speaks_of(one: Frame, other: Frame) -> bool:
    """Whether the other names the subject of one, or a part of it."""
    subject = {key for key, at in one.content.items() if at < (one.verb or 0)}
    return not subject.isdisjoint(named_by(one, other))


def _names_the_act(denies: Frame, one: Frame) -> bool:
    """Whether one names what the other denies: who never cleans the kitchen may paint it."""
    verb = denies.tokens[main_verb(denies)]
    return verb.key in ("be", "have") or any(denies.content[key] == main_verb(denies) for key in named_by(denies, one))


def _are_comparable(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    words = one.words | other.words
    if not words.isdisjoint(_LEAVES_ROOM) or not (states(one) and states(other)) or not same_times(one, other):
        return False
    if are_two(one.words, other.words) or are_two(other.words, one.words) or are_elsewhere(one, other):
        return False
    if not one.verb or not other.verb or one.is_past != other.is_past or (days_apart and one.is_past):
        return False  # what is so on every occasion may have been otherwise on one
    if any(
        _begins_with(frame, "only") or frame.tokens[0].word.endswith("ing") or _NOT_ALL.search(frame.spoken)
        for frame in (one, other)
    ):
        return False
    return not any(
        is_of_its_own(this, that, key) for this, that in ((one, other), (other, one)) for key in this.content
    )


def _share(one: Frame, other: Frame) -> bool:
    """Whether one has enough in common with the other; the parts of one name count as one word."""
    named = named_by(one, other)
    shared = len(named) - _parts_of_names(one, named)
    part = len(named) / len(one.content) if one.content else 0.0
    most = max(part, len(named_by(other, one)) / len(other.content) if other.content else 0.0)
    return shared >= _FEWEST and part >= _LEAST_SHARED and most >= _SHARED and not are_numbered_apart(one, other, named)


def _parts_of_names(frame: Frame, named: AbstractSet[str]) -> int:
    """Return how many of these words only continue a name: Grandpa Anton."""
    places = {frame.content[key] for key in named}
    return sum(
        at - 1 in places
        and frame.tokens[at].word in frame.names
        and (at == 1 or frame.tokens[at - 1].word in frame.names)
        for at in places
    )
