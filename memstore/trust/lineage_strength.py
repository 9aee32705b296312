"""How far the sources and supporters of a memory are vouched for. It is shown beside trust and never part of it.

The sources are a chain, as strong as its weakest link. Supporters add up like independent witnesses (1 minus the chance
that all are wrong, a noisy-or), but only as far as they have distinct roots. Cycles add nothing.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.evidence import rests_on, roots
from memstore.core.ids import MemoryRef
from memstore.lineage.graph import knots
from memstore.lineage.refs import loader
from memstore.trust.reader import TrustReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.beliefs.evidence import Load
    from memstore.core.memory import Memory

    Trusted = Callable[[Memory], float]
    from memstore.core.view import View


class StrengthLink(NamedTuple):
    """A memory that another rests on, by its ref: how far it is vouched for, in [0, 1], and why not more."""

    ref: str
    strength: float
    reason: str = ""


class Support(NamedTuple):
    """The support from memories in `relates_to`, in [0, 1]; from how many groups without a common root; all `links`."""

    strength: float
    groups: int
    links: tuple[StrengthLink, ...]


def weakest(memory: Memory, load: Load, trust_of: Trusted, *, shows_missing: bool) -> StrengthLink | None:
    """Return the weakest memory that a memory was derived from, over any number of links; None if there are none.

    Args:
        memory: the memory.
        load: returns the memory that a ref names; None if it can't be seen.
        trust_of: returns how far a memory itself is vouched for, in [0, 1].
        shows_missing: whether a link that leads nowhere is a weak one; otherwise it does not exist.
    """
    start = str(memory.ref)
    edges: dict[str, list[str]] = {start: _sources(memory)}
    found: list[StrengthLink] = []
    waiting = deque(edges[start])
    while waiting:
        ref = waiting.popleft()
        if ref in edges:
            continue
        known = load(ref)
        edges[ref] = _sources(known) if known else []
        waiting += edges[ref]
        if known is None and not shows_missing:
            continue
        link = StrengthLink(ref, trust_of(known)) if known else StrengthLink(ref, 0.0, "there is no such memory")
        if not link.strength:
            return link  # none can be weaker
        found.append(link)
    looped = sorted(ref for knot in knots(edges) for ref in knot if len(knot) > 1 or ref in edges[ref])
    if looped:
        return StrengthLink(looped[0], 0.0, "it was derived from itself")
    return min(found, key=lambda link: (link.strength, link.ref), default=None)


def support(memory: Memory, load: Load, trust_of: Trusted, *, shows_missing: bool) -> Support | None:
    """Return the support from the memories in `relates_to`; None if there are none. Arguments as for `weakest`."""
    links: list[StrengthLink] = []
    groups: list[tuple[set[str], float]] = []
    for ref in dict.fromkeys(ref for ref in memory.relates_to if MemoryRef.parse(ref)):
        known = load(ref)
        if known is None:
            links += [StrengthLink(ref, 0.0, "there is no such memory")] if shows_missing else []
            continue
        link = _lent(memory, known, load, trust_of, shows_missing=shows_missing)
        links.append(link)
        if link.strength:
            groups = _add_source(groups, set(roots(known, load)), link.strength)
    if not links:
        return None
    strength = 1 - prod(1 - strength for strength in sorted(strength for _, strength in groups))
    return Support(strength, len(groups), tuple(links))


def _lent(memory: Memory, known: Memory, load: Load, trust_of: Trusted, *, shows_missing: bool) -> StrengthLink:
    """Return the support that one memory gives another: no more than its own sources have."""
    ref = str(known.ref)
    if known.ref == memory.ref or rests_on(known, str(memory.ref), load):
        return StrengthLink(ref, 0.0, "it rests on this memory itself")
    own, below = trust_of(known), weakest(known, load, trust_of, shows_missing=shows_missing)
    if below is not None and below.strength < own:
        return StrengthLink(ref, below.strength, f"{below.ref} is its weakest link")
    return StrengthLink(ref, own)


def _add_source(
    groups: Sequence[tuple[set[str], float]], own: set[str], strength: float
) -> list[tuple[set[str], float]]:
    """Return groups of sources without common roots, with one more source; the strongest of a group counts."""
    sharing = [group for group in groups if group[0] & own]
    apart = [group for group in groups if not group[0] & own]
    together = own.union(*(found for found, _ in sharing))
    return [*apart, (together, max([strength, *(known for _, known in sharing)]))]


def _sources(memory: Memory) -> list[str]:
    return [str(ref) for ref in map(MemoryRef.parse, memory.derived_from) if ref is not None]


# -- as seen by a viewer ---------------------------------------------------------------------------


class LineageStrength(NamedTuple):
    """The weakest memory that another was derived from, and the support from others; None if there are none."""

    derived_from: StrengthLink | None
    relates_to: Support | None


def lineage_strength_of(view: View, memory: Memory) -> LineageStrength:
    """Return the lineage strength of a memory that the viewer was shown; what they may not see does not exist."""
    reader, load, owner = TrustReader(view), loader(view), view.is_owners
    scores = cache(lambda ref: reader.of(found).score if (found := load(ref)) else 0.0)

    def score(known: Memory) -> float:
        return float(scores(str(known.ref)))

    return LineageStrength(
        weakest(memory, load, score, shows_missing=owner),
        support(memory, load, score, shows_missing=owner),
    )
