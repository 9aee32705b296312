"""States: decide whether one frame says that somebody is in a state that excludes what the other frame says.

A deaf person does not hear the neighbours. The states and the evidence against them are general knowledge, in
`words.toml`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.frames import DETERMINERS, IN_PART, PREPOSITIONS, root_of, states
from memstore.conflicts.guards import is_epithet, same_dates, same_times
from memstore.conflicts.quantities import MONTHS
from memstore.conflicts.values import main_verb
from memstore.core.terms import term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.lexicon import Condition


def excludes(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether one frame states something that excludes what the other says of the same person or thing."""
    return _excludes(one, other, days_apart=days_apart) or _excludes(other, one, days_apart=days_apart)


def _excludes(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    said = _states_in(one.terms)
    if not said or not one.words.isdisjoint(IN_PART) or (other.tokens and other.tokens[0].word in _OF_SOME):
        return False  # almost everything there is vegan; most of the choir can read
    if not states(one) or not states(other) or any(other.tokens[at].word != "without" for at in other.denials):
        return False
    return any(_is_evidence(one, other, at, width, state, days_apart=days_apart) for at, width, state in said)


# A sentence is compared with many others.
@lru_cache(maxsize=4096)
def _states_in(terms: tuple[str, ...]) -> Sequence[tuple[int, int, Condition]]:
    """Return the states that phrases among some terms express, each with its place and its number of words."""
    return [(at, width, state) for at in range(len(terms)) for width, state in lexicon.states_at(terms, at)]


_OF_SOME = listed("most some half few several many")


def _is_evidence(one: Frame, other: Frame, at: int, width: int, state: Condition, *, days_apart: bool) -> bool:
    evidence = [key for key in other.content if not state.excluded.isdisjoint((key, term_of(other.word(key))))]
    lasts = state.ends or one.tokens[at].word in _LASTING
    if (
        not evidence
        or _both_say(one, other, at)
        or _is_narrower(one, other, at, at + width)
        or _is_for_another(other, evidence)  # bought a bottle of wine for Ida
        or not _is_told_of_now(one, other, at, lasts=lasts, days_apart=days_apart)
    ):
        return False
    return _is_of_one(one, other, at, width, evidence)


def _both_say(one: Frame, other: Frame, at: int) -> bool:
    """Whether both say that somebody is allergic to cats; not that one speaks no Polish, and the other speaks it."""
    denies = at + 1 < len(one.tokens) and one.tokens[at + 1].word == "no"
    return root_of(one.tokens[at].word) in other.content and not denies


def _is_narrower(one: Frame, other: Frame, at: int, after: int) -> bool:
    """Whether a state is only so in part, at times or for some: free for children, no coffee after four."""
    if _is_for_some(one, other, after) or _is_only_in_part(one, at, after):
        return True
    return one.tokens[at].word in _DENYING and (_goes_on(one, after) or _is_so_only(one, other, after))


# After one of these, a word more makes it another thing.
_DENYING = listed("can never not no")
_SAYS_NO_MORE = listed("here there left yet either alone properly well whatsoever")
# What was given up, lost or never learnt is so from then on.
_LASTING = listed("never gave gives given lost stopped quit swore sworn retired")


def _goes_on(one: Frame, at: int) -> bool:
    """Whether a phrase is only the beginning of another: no car park, never learned to drive a lorry."""
    after = at + (at < len(one.tokens) and one.tokens[at].word in _ARTICLES)
    return after in one.content.values() and one.tokens[after].word not in _SAYS_NO_MORE | PREPOSITIONS


_ARTICLES = listed("a an the any")


def _is_so_only(one: Frame, other: Frame, at: int) -> bool:
    """Whether something is denied only for a place or time of which the other frame does not speak."""
    after = one.tokens[at : at + 4]
    if not after or after[0].word not in PREPOSITIONS - _SAYS_WHY:
        return False
    told = {token.key for token in after[1:] if token.value or token in one.when or root_of(token.word) in one.content}
    return told.isdisjoint(token.key for token in other.tokens)


_SAYS_WHY = listed("since for of by to")


def _is_only_in_part(one: Frame, at: int, after: int) -> bool:
    """Whether a state is said of one ear, leg or side, or as a figure of speech: blind to it."""
    words = [token.word for token in one.tokens[after : after + 4]]
    if words[:1] == ["to"]:
        return one.tokens[at].word in _FIGURES
    ones = (token for token in one.tokens[after : after + 4] if token.value and token.value.parts == (1.0,))
    return words[:1] in (["in"], ["on"]) and (not {"left", "right"}.isdisjoint(words) or any(ones))


_FIGURES = listed("deaf blind")


def _is_at_times(one: Frame, other: Frame) -> bool:
    """Whether one is so today alone, or the other whenever something happens: the house is empty today."""
    is_of_today = not _JUST_NOW.isdisjoint(token.word for token in one.when)
    return not (_WHENEVER & other.words <= one.words) or (is_of_today and not (other.is_past or other.when))


def _is_told_of_now(one: Frame, other: Frame, at: int, *, lasts: bool, days_apart: bool) -> bool:
    """Whether the evidence is about the time of the state: a widow may have had a husband before."""
    since = "since" in one.words and not one.is_past
    if (lasts or since) and one.when and other.when and not same_dates(one, other):
        return _year(other) > _year(one)
    if _is_for_life(one, at) or not same_times(one, other) or _is_at_times(one, other):
        return _is_for_life(one, at)
    if not other.is_past or _is_regular(other):
        return not one.is_past or lasts or "born" in one.words
    is_just_now = not _JUST_NOW.isdisjoint(token.word for token in other.when)
    if one.is_past and one.tokens[at].word != "never":
        was_before = not one.when or "ago" in one.words
        later = lasts and is_just_now and was_before and not days_apart
        return later or all(map(_is_dated, (one, other)))
    if days_apart or (one.when and other.when and not same_dates(one, other)):
        return False
    return bool(one.when and other.when) or not other.when or is_just_now


def _is_for_life(one: Frame, at: int) -> bool:
    """Whether a state is so from birth to death: an only child, colour-blind, born deaf."""
    words = [token.word for token in one.tokens[at : at + 2]]
    return words == ["only", "child"] or words[0] in _FOR_LIFE or not one.words.isdisjoint(_FROM_BIRTH)


_FOR_LIFE = listed("colour-blind colorblind eldest oldest youngest")
_FROM_BIRTH = listed("birth born lifelong")


def _is_regular(frame: Frame) -> bool:
    """Whether what a frame tells of happens again and again: they had three pints, as they do each year."""
    return any(this.word in ("each", "every") and after in frame.when for this, after in pairwise(frame.tokens))


def _is_dated(frame: Frame) -> bool:
    return any(token.value or token.word in MONTHS for token in frame.when)


def _is_for_some(one: Frame, other: Frame, after: int) -> bool:
    """Whether a state is said to be so for somebody of whom the other frame does not speak."""
    said = one.tokens[after : after + 4]
    words = [token.word for token in said]
    how_long = any(token.word in _HOW_LONG or token.value for token in said[1:])
    return words[:1] == ["for"] and not how_long and not any(root_of(word) in other.content for word in words[1:])


_HOW_LONG = listed("""
    years year months month weeks week days day decades ages centuries miles good ever long now time moment
    present whole rest
    """)


def _is_for_another(other: Frame, evidence: Sequence[str]) -> bool:
    """Whether somebody only hands over what would be evidence, or what is told was so before, or is dreamt of."""
    at = main_verb(other)
    hands_over = at >= 0 and other.tokens[at].word in _HANDS_OVER and all(other.content[key] > at for key in evidence)
    used_to = (other.is_past and "once" in other.words) or other.tokens[-1].word == "before"
    gives_up = "up" in other.words and not other.words.isdisjoint(_GIVES_UP)
    return hands_over or gives_up or used_to or not other.words.isdisjoint(_BEFORE)


_HANDS_OVER = listed("""
    buy buys bought bring brings brought sell sells sold serve serves served offer offers offered
    """)
_GIVES_UP = listed("gave give gives given giving")
_BEFORE = listed("""
    formerly quit swore sworn hate hates hated refuse refuses refused miss misses missed dream dreams dreaming
    imagine imagines longs yearns craves saving planning plans plan
    """)
# What somebody does when they can is not what they do now.
_WHENEVER = listed("when whenever")
_JUST_NOW = listed("""
    today morning afternoon night tonight evening yesterday week
    monday tuesday wednesday thursday friday saturday sunday
    """)


def _year(frame: Frame) -> float:
    years = [token.value.parts[0] or 0.0 for token in frame.when if token.value]
    return max(years, default=0.0)


def _is_of_one(one: Frame, other: Frame, place: int, width: int, evidence: Sequence[str]) -> bool:
    """Whether the state and the evidence are about the same person or thing: both frames name its subject."""
    verb = place if one.verb is None or one.tokens[place].word in _CAN_NOT else one.verb
    is_term = one.verb is None and len(one.content) == len(one.tokens)  # static dead link detection
    if is_term or place + width <= verb or any(at < place for at in one.denials) or _are_told_apart(one, other, verb):
        return False
    spoken = [key for key, at in one.content.items() if at < verb and key in other.content]
    if not spoken or _is_of_another(one, other, verb, min(one.content[key] for key in spoken), evidence):
        return False
    if _is_done_elsewhere(other, [other.content[key] for key in spoken], [other.content[key] for key in evidence]):
        return False
    owners = {owner for owner in other.possessors if root_of(owner) in spoken}
    return all(_owned(other, owner, evidence) for owner in owners)


# Verbs of two words, which are in the lists as one.
_CAN_NOT = listed("can_not_bear can_not_stand")


def _is_done_elsewhere(other: Frame, spoken: Sequence[int], evidence: Sequence[int]) -> bool:
    """Whether the subject is only named in a clause after the evidence: drafts are deleted before they reach it."""
    until = next((at for at, token in enumerate(other.tokens) if at and token.word in _CLAUSES), None)
    return until is not None and bool(evidence) and max(evidence) < until < min(spoken)


_CLAUSES = listed("before until till after when while unless")


def _are_told_apart(one: Frame, other: Frame, verb: int) -> bool:
    """Whether a word of the subject is the opposite of one that the other has there: those under 18, those over it."""
    others = [token.word for token in other.tokens[: other.verb] if token.word]
    return any(
        lexicon.listed_opposite(token.word, word) for token in one.tokens[:verb] if token.word for word in others
    )


def _is_of_another(one: Frame, other: Frame, verb: int, first: int, evidence: Sequence[str]) -> bool:
    """Whether the subject is not what the other names, but a part of it, somebody's sister, or another of its kind."""
    leads = one.tokens[0].word in PREPOSITIONS
    named = _is_called(one, other, verb)
    missing = [
        at
        for key, at in one.content.items()
        if (first if leads else 0) <= at < verb
        and key not in other.content
        and not (named or is_epithet(one, at) or (at and one.tokens[at].word in _OF_THE_BODY))
    ]
    places = set(one.content.values())
    of_its_own = [
        key
        for key, at in other.content.items()
        if key not in one.content and key not in evidence and at < (other.verb or 0)
    ]
    if missing and of_its_own:
        return True
    if _is_had_by_another(one, other) or _is_beside_another(one, other, evidence):
        return True
    return len(missing) > 1 or any(at - 1 in places or at + 1 in places for at in missing)


def _is_called(one: Frame, other: Frame, verb: int) -> bool:
    """Whether a name that both have ends the subject, after what it is: our goat Berta, the rowing boat Elsa."""
    places = {place: key for key, place in one.content.items()}
    key = places.get(verb - 1, "")
    return key in other.content and one.tokens[verb - 1].word in one.names and verb - 2 in places


# What is so of a part of somebody's body is so of them: her leg is in plaster. So is what one pays to enter a place.
_OF_THE_BODY = listed("""
    entry admission entrance
    leg legs arm arms foot feet hand hands ankle ankles knee knees hip hips wrist wrists shoulder shoulders back eyes
    eyesight sight hearing ears voice hair head teeth memory
    """)


def _is_had_by_another(one: Frame, other: Frame) -> bool:
    """Whether the other names an owner where one names none: the cabin, the neighbour's cabin."""
    owners = [other.tokens[at - 1].word for key, at in other.content.items() if at and key in one.content]
    named = any(root_of(owner) in one.content for owner in other.possessors)
    return not named and not other.possessors.isdisjoint(owners)


def _is_beside_another(one: Frame, other: Frame, evidence: Sequence[str]) -> bool:
    """Whether the other is about something that is only told apart by what the one is about: the flat above ours."""
    keys = {place: key for key, place in other.content.items()}
    subject = {other.content[key] for key, at in one.content.items() if at < (one.verb or 0) and key in other.content}
    ends = other.verb or len(other.tokens)
    return any(at < ends and _is_told_apart(other, keys, at, evidence, one.content.keys()) for at in subject)


def _is_told_apart(
    other: Frame, keys: Mapping[int, str], at: int, evidence: Sequence[str], known: Collection[str]
) -> bool:
    at -= 1
    while at > 0 and other.tokens[at].word in DETERMINERS:
        at -= 1
    named = keys.get(at - 1, "")
    if other.tokens[at].word not in _BESIDE or not named or named in evidence or other.word(named) in _WHO_USE_IT:
        return False
    return other.tokens[at].word != "of" or named not in known


_WHO_USE_IT = listed("visitor visitors guest guests people user users member members passengers callers")
_BESIDE = listed("of for to from above below under over behind beside near opposite before next_to in_front_of outside")


def _owned(frame: Frame, owner: str, evidence: Sequence[str]) -> bool:
    """Whether what somebody has is the evidence itself, or no other being or thing: Tom's dog, the archive's door."""
    at = next((at for at, token in enumerate(frame.tokens) if token.word == owner), 0)
    owned = [token.word for token in frame.tokens[at + 1 : at + 4]]
    if not owned or root_of(owned[0]) in evidence:
        return bool(owned)
    is_another = lexicon.is_person(owned[0]) or "pet" in lexicon.kinds_of(owned[0]) or owned[0] in _PEOPLE
    return not is_another and (at == 0 or owner in frame.names or any(root_of(word) in evidence for word in owned))


_PEOPLE = listed("""
    child children kid kids grandchild grandchildren grandson granddaughter parents parent family friend friends
    neighbour neighbours colleague colleagues guest guests twin twins baby girl boy pupil pupils student students
    customer customers client clients patient patients team crew staff fans visitors classmate niece nephew stepfather
    stepmother stepson widow widower heirs heir sister-in-law brother-in-law mother-in-law father-in-law
    """)
