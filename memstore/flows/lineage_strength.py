"""How far what a memory was made of, and what supports it, is itself vouched for, as far as the viewer may see it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.flows.sources import loader
from memstore.flows.trust_level import TrustReader
from memstore.rules import lineage_strength

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.model.memory import Memory
    from memstore.rules.lineage_strength import Link, Support


class LineageStrength(NamedTuple):
    """The weakest memory that another was made of, and what others lend it; None where there are none."""

    derived_from: Link | None
    relates_to: Support | None


def lineage_strength_of(view: View, memory: Memory) -> LineageStrength:
    """Return how strong the lineage of a memory is that the viewer was shown; what they may not see does not exist."""
    now = view
    reader, load, owner = TrustReader(now), loader(view), view.is_owners
    scores = cache(lambda ref: reader.of(found).score if (found := load(ref)) else 0.0)

    def score(known: Memory) -> float:
        return float(scores(str(known.ref)))

    return LineageStrength(
        lineage_strength.weakest(memory, load, score, shows_missing=owner),
        lineage_strength.support(memory, load, score, shows_missing=owner),
    )
