"""Tell how each number of a memory came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.show import glance
from memstore.flows.uses import uses_of
from memstore.model.config import QualityProfile
from memstore.model.one_line import one_line
from memstore.rules import explanation

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.flows.show import Shown
    from memstore.rules.explanation import Number, Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A memory's numbers, each with its terms; `shown` is the memory."""

    shown: Shown
    numbers: tuple[Number, ...]

    __repr__ = one_line

    def line_of(self, term: Term) -> int | None:
        """Return the line of the file that says a term; None where it says nothing of it."""
        if term.line is not None:
            return term.line
        return self.shown.file.front.position(*term.at).line if term.at else None


def why(view: View, ref: str, *, profile: QualityProfile | None = None) -> Why:
    """Return how each number of the memory that `ref` names came about; this look is no use of it.

    Args:
        view: the vault.
        ref: the memory.
        profile: how quality is computed; None: as the vault's settings do.

    Raises:
        NotFoundError: there is none that the viewer may see.

    >>> ref = note(ws.view(), "Bella eats at eight.", source_type="told_by_human").ref
    >>> confidence, now, quality, strength, trust = why(ws.view(), ref).numbers
    >>> quality.terms[0].why
    '0.5 × 1 for source_type told_by_human, as no confidence is stored'
    """
    shown = glance(view, ref)
    memory, now = shown.memory, view.clock.now()
    uses = uses_of(view, [memory.id or ""]).get(memory.id or "", [])
    return Why(
        shown=shown,
        numbers=(
            explanation.of_confidence(memory),
            explanation.of_confidence_now(memory, now),
            explanation.of_quality(
                shown.grounds, memory, shown.conflicts, profile or QualityProfile(view.config.quality_profile)
            ),
            explanation.of_strength(
                shown.grounds.strength,
                memory.created_at,
                [(use.at, f"{use.how} by {use.by}") for use in uses],
                now,
            ),
            explanation.of_trust(shown.trust),
        ),
    )
