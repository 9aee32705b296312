"""Consolidation: from memories of what happened to suggestions, decided by counting, never by inventing.

Every run looks at the whole pool, and so finds patterns whose memories arrive over many runs; nothing is suggested
twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from itertools import combinations, compress
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.world import ABOUT
from memstore.beliefs.clustering import average_link, centre, cosine
from memstore.beliefs.common import in_common, repeats, says_details
from memstore.beliefs.evidence import grounds
from memstore.beliefs.topics import Signs, overlap, shared_signs, shown, signs_of
from memstore.beliefs.wording import (
    FEWEST_TERMS,
    best_worth,
    closest,
    content_terms,
    denies,
    is_lasting,
    likely_belief,
    quotable,
    sayings,
    says_outright,
    worth,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.beliefs.changes import Change, Quote
    from memstore.beliefs.clustering import Vector
    from memstore.beliefs.common import Common
    from memstore.beliefs.evidence import Load
    from memstore.beliefs.likeness import Likeness
    from memstore.beliefs.pooled import Pooled
    from memstore.core.memory import Memory

    Compare = Callable[[str, str], "Polarity | None"]

MOST_COMPARED = 40  # memories per belief, and sentences that may stand for it
POOLED_TYPES = ("episode", "raw")
FEWEST_POOLED = 20  # seed 002, "Cold start"
MOST_POOLED = 5_000  # docs/consolidation.md, "What it costs"
FEWEST_MEMBERS = 3  # seed 002, "Hallucinated beliefs"
FEWEST_ROOTS = 3  # three sessions let a sixth of what three episodes let through: docs/consolidation.md, "Gates"
SHARED_BY = (2, 3)  # a term is shared if two thirds of the members have it
DEEPEST = 2  # seed 002, "Belief drift"
MORE_AFTER_DECISION = 3
REJECTED = "rejected"  # the tag of a suggestion that somebody rejected
MOST_SHOWN = 2  # of the subjects of a pattern
SAYING_MUCH_THE_SAME = 2.0  # in standard deviations: docs/consolidation.md, "By meaning"


class Action(StrEnum):
    """What a suggestion would do; the value is the word in its key `proposes`."""

    CREATE = "create"
    SUPPORT = "support"
    CONTRADICT = "contradict"
    SUPERSEDE = "supersede"
    ARCHIVE = "archive"
    REVISE = "revise"


class Polarity(StrEnum):
    """How one text relates to another.

    `ALIKE` says much the same, as far as can be determined; `CHANGED` has another value; `PASSED` says something else
    about another time.
    """

    SAME = "same"
    ALIKE = "alike"
    OPPOSED = "opposed"
    CHANGED = "changed"
    PASSED = "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBelief:
    """An existing belief: its text, and the terms that it is about."""

    memory: Memory
    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Memories from independent origins that say similar things.

    `members` are ordered by ref. `general` is the member most similar to all others, among those that state what is
    shared in one sentence, the `quote`, preferably not about a single time. `terms` are shared by two thirds of the
    members. `unlike` are the refs of members that deny what most state, or state what most deny. `topic` is the sign
    that brought the members together, empty if their meaning did, and None if they have terms in common. `like` are the
    refs of members that are close to the most general one in meaning.
    """

    members: tuple[Pooled, ...]
    general: Pooled
    terms: tuple[str, ...]
    quote: str
    unlike: frozenset[str] = frozenset()
    topic: str | None = None
    like: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier suggestion; `is_open` until somebody decides on it."""

    action: Action
    target: str | None
    members: frozenset[str]
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationProposal:
    """A proposal that follows from a pattern.

    `members` are the evidence, by ref; `against` are members that contradict the most general one, or memories from
    before a change. `target` is the belief concerned, None if there is none yet. `unanimous` means that the whole
    pattern says so, word by word. `quote` is the suggested statement, in the words of `general`; the members in
    `saying` say the same. `stated` is what all members state in common, with the ranges and lists in `differing`; then
    `quote` is the sentence of `general`. `once` is what was said before a change. A proposal to archive has no evidence
    and no most general member; its `terms` are the reason and the numbers behind it. `rule` found it, in a word, and
    `likeness` is the mean cosine of the words of its evidence, in [0, 1].
    """

    action: Action
    members: tuple[Pooled, ...] = ()
    against: tuple[Pooled, ...] = ()
    general: Pooled | None = None
    terms: tuple[str, ...] = ()
    target: Memory | None = None
    unanimous: bool = False
    quote: str = ""
    saying: tuple[Pooled, ...] = ()
    once: Quote | None = None
    topic: str = ""
    stated: str = ""
    differing: tuple[str, ...] = ()
    rule: str = ""
    likeness: float | None = None

    @property
    def roots(self) -> frozenset[str]:
        """The independent roots of its evidence."""
        return frozenset(root for member in (*self.members, *self.against) for root in member.roots)

    @property
    def text(self) -> str:
        """What is suggested: what its members state in common, or else a quotation from one of them."""
        return self.stated or self.quote

    @property
    def counted(self) -> tuple[Pooled, ...]:
        """The members that the suggestion's confidence is computed from."""
        return self.saying or self.members

    @property
    def id(self) -> str:
        """The id of the suggestion, determined by its action, its target and its evidence."""
        return proposal_id(self.action, self.target, [*self.members, *self.against])


def proposal_id(action: Action, target: Memory | None, members: Iterable[Pooled]) -> str:
    """Return the id of a suggestion, `prop_` and 12 hexadecimal digits."""
    said = [action.value, str(target.ref) if target else "", *sorted(member.ref for member in members)]
    return f"prop_{hashlib.sha256(chr(10).join(said).encode()).hexdigest()[:12]}"


# The polarities that count for each side; the first one is the word-by-word match.
_SIDES = {
    Action.CONTRADICT: (Polarity.OPPOSED, Polarity.CHANGED),
    Action.SUPPORT: (Polarity.SAME, Polarity.ALIKE),
}

# -- extract -------------------------------------------------------------------------------------


def spoken_for(beliefs: Iterable[Memory], load: Load) -> frozenset[str]:
    """Return the refs of all that these beliefs rest on, over any number of links, and of the evidence they weighed."""
    waiting = list(beliefs)
    seen = {str(belief.ref) for belief in waiting}
    while waiting:
        one = waiting.pop()
        against = [line.evidence_source for line in one.confidence_history if line.op == "contradict"]
        for ref in {*grounds(one), *filter(None, against)} - seen:
            seen.add(ref)
            known = load(ref)
            if known is not None:
                waiting.append(known)
    return frozenset(seen)


def depth_of(memory: Memory, load: Load) -> int:
    """Return the number of layers of beliefs below and including a memory; counting stops after `DEEPEST`."""
    deepest: dict[str, int] = {}
    waiting = [(memory, 0)]
    while waiting:
        one, above = waiting.pop()
        here = above + (one.type == "belief")
        if here <= deepest.get(str(one.ref), -1):
            continue
        deepest[str(one.ref)] = here
        if here > DEEPEST:
            return here
        waiting += [(known, here) for ref in one.derived_from if (known := load(ref)) is not None]
    return max(deepest.values())


def partitions(pool: Iterable[Pooled]) -> list[list[Pooled]]:
    """Return the pool split by who may see what, each part by time; memories of two parts are never combined."""
    parts: dict[Hashable, list[Pooled]] = defaultdict(list)
    for pooled in pool:
        parts[labels_of(pooled.memory)].append(pooled)
    for part in parts.values():
        part.sort(key=in_time)
    return sorted(parts.values(), key=lambda part: in_time(part[0]))


def in_time(one: Pooled) -> tuple[str, str, str]:
    """Return the place of a memory in the order of its partition; ids are random, and come last."""
    return one.memory.created_at or "", one.text, one.ref


def labels_of(memory: Memory) -> tuple[Hashable, ...]:
    """Return the values that determine whom a memory is about and who may see it, whatever the order of lists."""
    values = [getattr(memory, name) for name in ABOUT]
    return tuple(frozenset(value) if isinstance(value, tuple) else value for value in values)


# -- patterns ------------------------------------------------------------------------------------


def patterns(part: Sequence[Pooled], vectors: Mapping[str, Vector], threshold: float) -> list[Pattern]:
    """Return the patterns among memories of one partition that pass the gates, by their first members.

    Args:
        part: the memories of one partition.
        vectors: a vector of length 1 for each, by ref.
        threshold: the mean similarity required, in (0, 1].
    """
    by_time = sorted(part, key=in_time)
    clusters = average_link({at: vectors[one.ref] for at, one in enumerate(by_time)}, threshold)
    found = (_pattern([by_time[at] for at in cluster], vectors) for cluster in clusters)
    return [pattern for pattern in found if pattern is not None]


def _pattern(members: list[Pooled], vectors: Mapping[str, Vector]) -> Pattern | None:
    """Return the pattern of these members; None if they fail a gate."""
    members = _members_with(shared_terms(members), members)
    terms = shared_terms(members)
    if len(terms) < FEWEST_TERMS or not is_founded(members):
        return None
    middle = centre(vectors[member.ref] for member in members)
    unlike = _unlike(members, terms)
    own = [member for member in members if member.ref not in unlike]
    speaking = {member: found for member in own if (found := best_worth(member.text, terms))}
    if not speaking:
        return None  # no member says it, so there is nothing to quote
    alike = {member: round(cosine(vectors[member.ref], middle), 10) for member in speaking}
    ranked = sorted(speaking, key=lambda member: (speaking[member].of_one_time, -alike[member], in_time(member)))
    quotes = {member: closest(member.text, terms) for member in ranked}
    likely = ranked[:MOST_COMPARED]
    general = next((one for one in likely if is_founded(saying(quotes[one], one, own))), ranked[0])
    members.sort(key=lambda member: member.ref)
    return Pattern(members=tuple(members), general=general, terms=terms, quote=quotes[general], unlike=unlike)


def by_themselves(part: Iterable[Pooled]) -> list[Pooled]:
    """Return the memories that share no root with another, unlike the turns of one conversation."""
    part = list(part)
    sharing = Counter(root for one in part for root in one.roots)
    return [one for one in part if all(sharing[root] == 1 for root in one.roots)]


def by_topics(part: Sequence[Pooled], signs: Signs, alike: Likeness) -> Iterator[Pattern]:
    """Yield patterns among memories that share no roots, the strongest first; some may be much the same.

    Args:
        part: the memories.
        signs: their signs.
        alike: how alike they are.
    """
    by_ref = {one.ref: one for one in part}
    quoted: set[str] = set()
    for refs in alike.groups():
        if pattern := of_topic([by_ref[ref] for ref in refs], signs, alike, quoted):
            quoted.add(pattern.quote)
            yield pattern


def new_patterns(some: Iterable[Pattern], found: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns that are not among those found already; `found` may grow meanwhile."""
    return (one for one in some if not any(_is_known(one, other) for other in found))


def _is_known(pattern: Pattern, other: Pattern) -> bool:
    """Whether a pattern has the same quotation as another one, or more than half of the members."""
    mine, its = ([member.ref for member in one.members] for one in (pattern, other))
    return pattern.quote == other.quote or overlap(mine, its)


def of_topic(members: Sequence[Pooled], signs: Signs, alike: Likeness, quoted: Collection[str] = ()) -> Pattern | None:
    """Return the pattern of memories that are alike; None if they fail a gate, or if no sentence can stand for them.

    One thing in common is not a pattern: somebody may be named often, and one word may have several senses.
    """
    if not alike.has_meaning:
        linked = [any(o is not one and signs.are_linked(one.ref, o.ref) for o in members) for one in members]
        members = [*compress(members, linked)]
    if not is_founded(members):
        return None
    of = signs.common([member.ref for member in members])
    if len(of) < FEWEST_TERMS and not alike.has_meaning:
        return None
    counts = Counter(term for member in members for term in set(member.terms))
    own = {term for member in members for term in signs.terms(member.ref, of)}
    terms = [term for term in counts if counts[term] > 1 or term in own]
    texts = ((text, at) for at, one in enumerate(members) for text in quotable(one.text))
    every = ((likely_belief(text, own, counts), at, text) for text, at in texts if text not in quoted)
    said = [one for one in every if not one[0].needs_others and not (own and one[0].few_terms)]
    if not said:
        return None
    said = sorted(said)[:MOST_COMPARED]
    near = [_near(member, members, alike) for member in members]
    # Of equals, the last: what was said before may have changed.
    ranks = [(-len(saying(text, members[at], members, near[at])), likely, -at, text) for likely, at, text in said]
    _, _, back, quote = min(ranks)
    at = -back
    return Pattern(
        members=tuple(members),
        general=members[at],
        terms=tuple(sorted(terms, key=lambda term: (-counts[term], term))),
        quote=quote,
        topic=shown(of[:MOST_SHOWN]),
        like=near[at],
    )


def _near(member: Pooled, others: Iterable[Pooled], alike: Likeness) -> frozenset[str]:
    """Return the refs of the others that say much the same as a member in other words."""
    return frozenset(
        o.ref for o in others if o is not member and alike.between(member.ref, o.ref) >= SAYING_MUCH_THE_SAME
    )


def _unlike(members: Collection[Pooled], terms: Collection[str]) -> frozenset[str]:
    """Return the refs of the members that deny what most of them state, or state what most deny."""
    denying = frozenset(member.ref for member in members if denies(closest(member.text, terms)))
    every = frozenset(member.ref for member in members)
    return every - denying if len(denying) * 2 > len(members) else denying


def _members_with(terms: Collection[str], members: Iterable[Pooled]) -> list[Pooled]:
    """Return the members that have enough of these terms: a single one may be a coincidence."""
    return [member for member in members if len(set(terms).intersection(member.terms)) >= FEWEST_TERMS]


def is_founded(members: Collection[Pooled]) -> bool:
    """Whether there are enough members from enough independent roots, and none is an abstraction of abstractions."""
    if not members:
        return False
    roots = {root for member in members for root in member.roots}
    enough = len(members) >= FEWEST_MEMBERS and len(roots) >= FEWEST_ROOTS
    return enough and max(member.depth for member in members) < DEEPEST


def shared_terms(members: Collection[Pooled]) -> tuple[str, ...]:
    """Return the terms that two thirds of the members have, the most common first."""
    counts = Counter(term for member in members for term in set(member.terms))
    part, whole = SHARED_BY
    shared = [(-count, term) for term, count in counts.items() if count * whole >= part * len(members)]
    return tuple(term for _, term in sorted(shared))


# -- match ---------------------------------------------------------------------------------------


def proposals(
    found: Sequence[Pattern],
    beliefs: Sequence[KnownBelief],
    vectors: Mapping[str, Vector],
    threshold: float,
    compare: Compare,
) -> list[ConsolidationProposal]:
    """Return the proposals that follow from the patterns of one partition and the beliefs in it.

    Similarity decides only which belief a pattern is about, because contradictions are as similar as paraphrases.
    Whether it supports the belief is decided for each member separately.

    Args:
        found: the patterns.
        beliefs: the beliefs.
        vectors: a vector of length 1 for each member and each belief, by ref.
        threshold: the mean similarity between a belief and the members that are about it, in (0, 1].
        compare: returns how the second text relates to the first; None if it says nothing about it.
    """
    made: list[ConsolidationProposal] = []
    for pattern in found:
        about = _belief_about(pattern, beliefs, vectors, threshold)
        sides = _proposals_about(pattern, about, compare) if about else []
        made += sides or _creation(pattern, compare)
    return made


def _belief_about(
    pattern: Pattern, beliefs: Sequence[KnownBelief], vectors: Mapping[str, Vector], threshold: float
) -> KnownBelief | None:
    """Return the belief that a pattern is about: the most similar one above the threshold that shares its terms."""
    ranked: list[tuple[float, str, KnownBelief]] = []
    for held in beliefs:
        ref = str(held.memory.ref)
        alike = sum(cosine(vectors[ref], vectors[member.ref]) for member in pattern.members) / len(pattern.members)
        if alike >= threshold and _covers(held, pattern):
            ranked.append((-round(alike, 10), ref, held))
    return min(ranked, key=lambda rank: rank[:2])[2] if ranked else None


def _covers(held: KnownBelief, pattern: Pattern) -> bool:
    """Whether a belief has two thirds of the terms that the members of a pattern share."""
    part, whole = SHARED_BY
    return len(set(held.terms) & set(pattern.terms)) * whole >= part * len(pattern.terms)


def _proposals_about(pattern: Pattern, held: KnownBelief, compare: Compare) -> list[ConsolidationProposal]:
    """Return the proposals of a pattern about a belief; none if too few of its members take a side."""
    said = {member.ref: compare(held.text, member.text) for member in pattern.members}
    made = []
    for action, polarities in _SIDES.items():
        members = tuple(member for member in pattern.members if said[member.ref] in polarities)
        if is_founded(members):
            made.append(
                ConsolidationProposal(
                    action=action,
                    members=members,
                    general=(general := pattern.general if pattern.general in members else members[0]),
                    quote=closest(general.text, pattern.terms),
                    terms=pattern.terms,
                    target=held.memory,
                    unanimous=all(polarity is polarities[0] for polarity in said.values()),
                )
            )
    return made


def _creation(pattern: Pattern, compare: Compare) -> list[ConsolidationProposal]:
    """Return the proposal of a new belief that follows from a pattern.

    Members that contradict the most general one count against it; members that merely differ in negation count on
    neither side. If only common terms brought the members together, enough of them must say what is quoted.
    """
    # What happened on different days does not conflict: `all of them split`, and later `not one has cracked`.
    are_events = not is_lasting(pattern.quote)
    if are_events and (common := _in_common(pattern)):
        return [
            ConsolidationProposal(
                action=Action.CREATE,
                members=common.members,
                general=common.general,
                terms=pattern.terms,
                unanimous=not pattern.unlike and len(common.members) == min(len(pattern.members), MOST_COMPARED),
                quote=common.quote,
                saying=common.members,
                topic=pattern.topic or "",
                stated=common.text,
                differing=common.differing,
            )
        ]
    opposed = {
        member.ref
        for member in pattern.members
        if member is not pattern.general and compare(pattern.general.text, member.text) in _SIDES[Action.CONTRADICT]
    }
    agreeing = tuple(member for member in pattern.members if member.ref not in opposed | pattern.unlike)
    is_each_of_its_day = are_events and pattern.topic is not None
    against = () if is_each_of_its_day else tuple(member for member in pattern.members if member.ref in opposed)
    so = saying(pattern.quote, pattern.general, agreeing, pattern.like)
    if _are_made_alike(agreeing):
        # Two events told in much the same words are still two; in ever new words, counting decides.
        agreeing = so = tuple(one for one in so if _is_told_by(one, pattern))
    if not is_founded(agreeing if pattern.topic else so):
        return []
    return [
        ConsolidationProposal(
            action=Action.CREATE,
            members=agreeing,
            against=against,
            general=pattern.general,
            terms=pattern.terms,
            unanimous=not opposed,
            quote=pattern.quote,
            saying=so,
            topic=pattern.topic or "",
        )
    ]


class _Stated(NamedTuple):
    """What members state in common, and what differs; `quote` is the sentence of the first of them, `general`."""

    text: str
    differing: tuple[str, ...]
    general: Pooled
    quote: str
    members: tuple[Pooled, ...]


def _in_common(pattern: Pattern) -> _Stated | None:
    """Return what most members state in the same words, but for details, in those of the most general one if it may.

    Of many, the earliest decide what that is: the later ones confirm it.
    """
    members = [one for one in pattern.members if one is pattern.general or one.ref not in pattern.unlike]
    members = sorted(members, key=lambda one: (one is not pattern.general, in_time(one)))[:MOST_COMPARED]
    said = [pattern.quote, *(closest(one.text, pattern.terms) for one in members[1:])]
    best: _Stated | None = None
    for first, general in enumerate(members):
        order = [first, *(at for at in range(len(said)) if at != first)]
        ordered = [said[at] for at in order]
        common = in_common(ordered)
        is_news = common and (common.differing or _has_details(ordered, common))
        if not common or not is_news:
            continue
        # What differs tells more than that there is something else; then the more say so, the better.
        if best is None or (bool(common.differing), len(common.of)) > (bool(best.differing), len(best.members)):
            telling = tuple(sorted((members[order[at]] for at in common.of), key=lambda one: one.ref))
            best = _Stated(common.text, common.differing, general, said[first], telling)
    return best if best and is_founded(best.members) else None


def _has_details(said: Sequence[str], common: Common) -> bool:
    """Whether the first of some sentences has a word that not all have that state this in common."""
    first, *others = (set(content_terms(said[at])) for at in common.of)
    return not all(first <= other for other in others)


def _is_told_by(member: Pooled, pattern: Pattern) -> bool:
    """Whether a member tells of the event in the quotation: in its words, or in others if meaning brought them here."""
    told = repeats(pattern.quote, member.text)
    is_meant = told is None and pattern.topic == "" and member.ref in pattern.like
    return member is pattern.general or told is True or is_meant


def _are_made_alike(members: Sequence[Pooled]) -> bool:
    """Whether two thirds of these tell different things in much the same words; then words decide who says what."""
    some = sorted(members, key=in_time)[:MOST_COMPARED]
    alike = {
        each.ref
        for one, other in combinations(some, 2)
        if repeats(one.text, other.text) is False
        for each in (one, other)
    }
    part, whole = SHARED_BY
    return len(alike) * whole >= part * len(some)


def saying(
    quote: str, general: Pooled, members: Iterable[Pooled], like: Collection[str] = frozenset()
) -> tuple[Pooled, ...]:
    """Return the members that say the same as a quotation: they share two signs with it, or are close in meaning.

    Whoever lacks a number, a time or a name of the quotation does not say the same, nor whoever says something else in
    much the same words.

    Args:
        quote: the quotation.
        general: the memory that it is from.
        members: the members.
        like: the refs of those that are close to that memory in meaning.
    """
    quoted = signs_of(quote, [term for term in content_terms(quote) if term in general.terms])
    return tuple(
        member
        for member in members
        if member is general
        or (
            says_details(quote, member.text)
            and repeats(quote, member.text) is not False
            and (member.ref in like or shared_signs(quoted, signs_of(member.text, member.terms)) >= FEWEST_TERMS)
        )
    )


# -- changes -------------------------------------------------------------------------------------


FEWEST_LATER = 2  # independent roots that contradict a belief: design of beliefs, "Consolidation"


def by_terms(part: Iterable[Pooled]) -> dict[str, list[Pooled]]:
    """Return the memories that have each term, in order."""
    having: dict[str, list[Pooled]] = defaultdict(list)
    for one in part:
        for term in set(one.terms):
            having[term].append(one)
    return having


def answers(having: Mapping[str, Sequence[Pooled]], held: KnownBelief, compare: Compare) -> list[ConsolidationProposal]:
    """Return proposals from memories that are younger than a belief and contradict it: two independent ones suffice.

    Args:
        having: the memories of the belief's partition by their terms.
        held: the belief.
        compare: returns how the second text relates to the first.
    """
    about = set(held.terms)
    said = {one: compare(held.text, one.text) for one in _later(having, held)}
    against = tuple(one for one in said if said[one] in (Polarity.OPPOSED, Polarity.CHANGED, Polarity.PASSED))
    if len({root for one in against for root in one.roots}) < FEWEST_LATER:
        return []
    against = tuple(sorted(against, key=lambda one: (one.memory.created_at or "", one.ref)))
    is_new = any(said[one] is not Polarity.OPPOSED or says_outright(one.text) for one in against)
    ranked = [(worth(text, about), at, text) for at, one in enumerate(against) for text in sayings(one.text)]
    _, at, quote = min(ranked)
    return [
        ConsolidationProposal(
            action=Action.SUPERSEDE if is_new else Action.CONTRADICT,
            members=against,
            general=against[at],
            terms=tuple(sorted(about.intersection(*(one.terms for one in against)))),
            target=held.memory,
            quote=quote,
            saying=saying(quote, against[at], against),
        )
    ]


def _later(having: Mapping[str, Sequence[Pooled]], held: KnownBelief) -> list[Pooled]:
    """Return the memories that are younger than a belief and share terms with it, those that share most first."""
    since = held.memory.created_at or ""
    shared = Counter(one for term in set(held.terms) for one in having.get(term, ()))
    later = [one for one in shared if shared[one] >= FEWEST_TERMS and (one.memory.created_at or "") > since]
    return sorted(later, key=lambda one: (-shared[one], one.ref))[:MOST_COMPARED]


def cases(
    having: Mapping[str, Sequence[Pooled]], held: KnownBelief, reading: Callable[[str, str], tuple[str, bool] | None]
) -> list[ConsolidationProposal]:
    """Return proposals from later memories that each tell of one case of a habit that is believed.

    Two independent cases suffice, for the habit or against it; one is left to `revise-from`.

    Args:
        having: the memories of the belief's partition by their terms.
        held: the belief.
        reading: returns the sentence of the second text that tells of a case of the first, and whether it speaks for
            it.
    """
    said = {one: found for one in _later(having, held) if (found := reading(held.text, one.text))}
    proposed = []
    for action, is_for in ((Action.SUPPORT, True), (Action.CONTRADICT, False)):
        members = tuple(sorted((one for one in said if said[one][1] is is_for), key=in_time))
        if len({root for one in members for root in one.roots}) >= FEWEST_LATER:
            general = members[-1]
            shared = set(held.terms).intersection(*(one.terms for one in members))
            proposed.append(
                ConsolidationProposal(
                    action=action,
                    members=members,
                    general=general,
                    terms=tuple(sorted(shared)),
                    target=held.memory,
                    quote=said[general][0],
                )
            )
    return proposed


def superseding(change: Change) -> ConsolidationProposal:
    """Return the proposal of a new belief that follows from a change, if no belief states what was true before."""
    return ConsolidationProposal(
        action=Action.SUPERSEDE,
        members=change.after,
        against=change.before,
        general=change.since.memory,
        quote=change.since.text,
        saying=saying(change.since.text, change.since.memory, change.after),
        once=change.once,
        topic=shown((change.sign,)),
    )


# -- when ----------------------------------------------------------------------------------------


def is_due(last_at: datetime, now: datetime, fresh: int, *, every_hours: int) -> bool:
    """Whether another run is due: after `every_hours`, or with enough new memories, whichever comes first."""
    return fresh >= FEWEST_POOLED or now - last_at >= timedelta(hours=every_hours)


# -- what was suggested before -------------------------------------------------------------------


def is_news(proposal: ConsolidationProposal, earlier: Iterable[Earlier]) -> bool:
    """Whether no similar suggestion is open, and at least three members are new since a similar one was decided on."""
    members = frozenset(member.ref for member in (*proposal.members, *proposal.against))
    target = str(proposal.target.ref) if proposal.target else None
    return not any(
        _is_same(members, one.members) and (one.is_open or len(members - one.members) < MORE_AFTER_DECISION)
        for one in earlier
        if (one.action, one.target) == (proposal.action, target)
    )


def _is_same(members: frozenset[str], before: frozenset[str]) -> bool:
    """Whether two suggestions share half of the smaller one's evidence; those without any are the same."""
    return 2 * len(members & before) >= min(len(members), len(before)) if members and before else members == before
