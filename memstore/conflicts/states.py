"""States: decide whether one frame says that somebody is in a state that excludes what the other frame says.

A deaf person does not hear the neighbours. The states and the evidence against them are general knowledge, in
`words.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.frames import IN_PART, PREPOSITIONS, root_of, states
from memstore.conflicts.guards import is_epithet, same_dates, same_times
from memstore.conflicts.quantities import MONTHS
from memstore.conflicts.statements import is_past
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.lexicon import Condition


def excludes(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether one frame states something that excludes what the other says of the same person or thing."""
    return _excludes(one, other, days_apart=days_apart) or _excludes(other, one, days_apart=days_apart)


def _excludes(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    if not one.words.isdisjoint(IN_PART) or (other.tokens and other.tokens[0].word in _OF_SOME):
        return False  # almost everything there is vegan; most of the choir can read
    if not states(one) or not states(other) or any(other.tokens[at].word != "without" for at in other.denials):
        return False
    known = lexicon.states()
    for at, term in enumerate(one.terms):
        for phrase, state in known.get(term, ()):
            width = len(phrase)
            if one.terms[at : at + width] == phrase and _is_evidence(
                one, other, at, width, state, days_apart=days_apart
            ):
                return True
    return False


_OF_SOME = listed("most some half few several many")


def _is_evidence(one: Frame, other: Frame, at: int, width: int, state: Condition, *, days_apart: bool) -> bool:
    evidence = [key for key in other.content if key in state.excluded]
    if not state.excluded:  # It is no more.
        told = _is_over(one, at, width) and _is_in_use(other, one) and _is_later(one, other, days_apart=days_apart)
        return told and _is_of_one(one, other, at, width, evidence)
    if root_of(one.tokens[at].word) in other.content:
        return False  # both say that somebody is allergic to cats
    if _is_for_some(one, other, at + width) or _is_for_another(other, evidence):
        return False  # free for children; bought a bottle of wine for Ida
    if one.tokens[at].word == "can" and at + width in one.content.values():
        return False  # can't read Russian
    if not evidence or not _is_told_of_now(one, other, ends=state.ends, days_apart=days_apart):
        return False
    return _is_of_one(one, other, at, width, evidence)


def _is_over(one: Frame, at: int, width: int) -> bool:
    """Whether a frame says that something is no more: it has burnt down; not how to fill in a form, or a dead link."""
    word, before = one.tokens[at].word, one.tokens[at - 1].key if at else ""
    is_told = before == "be" if word == "dead" else is_past(word) or lexicon.plain_form(word) != word or width > 1
    after = [token.word for token in one.tokens[at + width : at + width + 2]]
    describes = at + width in one.content.values() and after[0] not in PREPOSITIONS and after[1:] != ["ago"]
    at_verb = one.verb is not None and 0 < one.verb <= at <= one.verb + _FARTHEST
    # Two of its disks, or number 4, are only a part of what the other may be about.
    is_part = not _PARTS.isdisjoint(token.word for token in one.tokens[: one.verb]) or bool(one.numbers)
    may_be = not one.words.isdisjoint(_MAY_BE) or " to be " in f" {one.spoken} "
    return is_told and at_verb and not (describes or is_part or may_be)


# `has since been sold` has three words up to the last.
_FARTHEST = 3
_PARTS = listed("its their his her")
_MAY_BE = listed("will would can could may might must shall should when if")


def _is_in_use(other: Frame, one: Frame) -> bool:
    """Whether a frame tells of something that somebody does with what another is about, or that it does itself."""
    if other.verb is None or not other.words.isdisjoint(_REMEMBERED):
        return False
    if any(token.word.endswith("ing") for token in other.tokens[other.verb + 1 : other.verb + 3]):
        return True
    verb = other.tokens[main_verb(other)]
    speaks_of_it = any(at < other.verb and key in one.content for key, at in other.content.items())
    return verb.key not in ("be", "have") and not (speaks_of_it and lexicon.has_role(verb.word, lexicon.Role.BEING))


# What is no more may be remembered, told of, replaced, or stand where the new one stood.
_REMEMBERED = listed("""
    remember remembers remembered miss misses missed mourn mourned replace replaced rebuild rebuilt rebuilding restore
    restored memory memories memorial grave tomb funeral ashes ruin ruins remains site photo photos picture pictures
    portrait painting story stories insurance insurer estate will widow heirs new another former formerly once would
    report reported police claim claimed search searching look looking find
    """)


def _is_later(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether a frame is about a time after the end that the other tells of: the present, or a later date."""
    if not other.is_past:
        return True
    dates = [[token.value.parts for token in frame.when if token.value] for frame in (one, other)]
    if all(dates):
        return max(map(_sortable, dates[1])) > max(map(_sortable, dates[0]))
    months = [[MONTHS.index(token.word) for token in frame.when if token.word in MONTHS] for frame in (one, other)]
    if all(months) and not any(dates):
        return max(months[1]) > max(months[0])
    return not days_apart and not _JUST_NOW.isdisjoint(token.word for token in other.when)


def _sortable(parts: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(part or 0.0 for part in parts)


def _is_told_of_now(one: Frame, other: Frame, *, ends: bool, days_apart: bool) -> bool:
    """Whether the evidence is about the time of the state: a widow may have had a husband before."""
    if ends and one.when and other.when and not same_dates(one, other):
        return _year(other) > _year(one)
    if not same_times(one, other):
        return False
    if not other.is_past:
        return not one.is_past or ends
    if one.is_past:
        return all(map(_is_dated, (one, other)))
    if days_apart or (one.when and other.when and not same_dates(one, other)):
        return False
    return (
        bool(one.when and other.when) or not other.when or not _JUST_NOW.isdisjoint(token.word for token in other.when)
    )


def _is_dated(frame: Frame) -> bool:
    return any(token.value or token.word in MONTHS for token in frame.when)


def _is_for_some(one: Frame, other: Frame, after: int) -> bool:
    """Whether a state is said to be so for somebody of whom the other frame does not speak."""
    words = [token.word for token in one.tokens[after : after + 3]]
    return words[:1] == ["for"] and not any(root_of(word) in other.content for word in words[1:])


def _is_for_another(other: Frame, evidence: Sequence[str]) -> bool:
    """Whether somebody only hands over what would be evidence, or what is told was so before."""
    at = main_verb(other)
    hands_over = at >= 0 and other.tokens[at].word in _HANDS_OVER and all(other.content[key] > at for key in evidence)
    return hands_over or not other.words.isdisjoint(_BEFORE)


_HANDS_OVER = listed("""
    buy buys bought bring brings brought sell sells sold serve serves served offer offers offered
    """)
_BEFORE = listed("before formerly")
_JUST_NOW = listed("""
    today morning afternoon night tonight evening yesterday week
    monday tuesday wednesday thursday friday saturday sunday
    """)


def _year(frame: Frame) -> float:
    years = [token.value.parts[0] or 0.0 for token in frame.when if token.value]
    return max(years, default=0.0)


def _is_of_one(one: Frame, other: Frame, place: int, width: int, evidence: Sequence[str]) -> bool:
    """Whether the state and the evidence are about the same person or thing: both frames name its subject."""
    verb = one.verb if one.verb is not None else place
    if place + width <= verb or any(not place <= at < place + width for at in one.denials):
        return False
    if one.verb is None and len(one.content) == len(one.tokens):
        return False  # only a term: static dead link detection
    spoken = [key for key, at in one.content.items() if at < verb and key in other.content]
    if not spoken or _is_of_another(one, other, verb, min(one.content[key] for key in spoken), evidence):
        return False
    owners = {one.word(key) for key in spoken} & other.possessors
    return all(_owned(other, owner, evidence) for owner in owners)


def _is_of_another(one: Frame, other: Frame, verb: int, first: int, evidence: Sequence[str]) -> bool:
    """Whether the subject is not what the other names, but a part of it, somebody's sister, or another of its kind."""
    leads = one.tokens[0].word in PREPOSITIONS
    missing = [
        at
        for key, at in one.content.items()
        if (first if leads else 0) <= at < verb and key not in other.content and not is_epithet(one, at)
    ]
    places = set(one.content.values())
    of_its_own = [
        key
        for key, at in other.content.items()
        if key not in one.content and key not in evidence and at < (other.verb or 0)
    ]
    if missing and of_its_own:
        return True
    if _is_had_by_another(one, other):
        return True
    return len(missing) > 1 or any(at - 1 in places or at + 1 in places for at in missing)


def _is_had_by_another(one: Frame, other: Frame) -> bool:
    """Whether the other names an owner where one names none: the cabin, the neighbour's cabin."""
    owners = [other.tokens[at - 1].word for key, at in other.content.items() if at and key in one.content]
    named = any(root_of(owner) in one.content for owner in other.possessors)
    return not named and not other.possessors.isdisjoint(owners)


def _owned(frame: Frame, owner: str, evidence: Sequence[str]) -> bool:
    """Whether what somebody has is the evidence itself, or no other being or thing: Tom's dog, the archive's door."""
    at = next((at for at, token in enumerate(frame.tokens) if token.word == owner), 0)
    owned = [token.word for token in frame.tokens[at + 1 : at + 4]]
    if not owned or root_of(owned[0]) in evidence:
        return bool(owned)
    is_another = lexicon.is_person(owned[0]) or "pet" in lexicon.kinds_of(owned[0])
    return not is_another and (at == 0 or owner in frame.names or any(root_of(word) in evidence for word in owned))
