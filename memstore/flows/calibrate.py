"""Score the vault's own numbers by what came after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.rules import calibration

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.rules.calibration import Calibration


def calibrate(view: View) -> Calibration:
    """Return how well the confidences of the memories that the viewer may see foretold the evidence that came next.

    >>> held = belief(ws.view(), "It rains on Mondays.", confidence=0.9)
    >>> seen = episode(ws.view(), "A Monday", "no rain at all")
    >>> contradict(ws.view(), held.ref, seen.ref).old
    0.9
    >>> round(calibrate(ws.view()).brier, 2)
    0.81
    """
    memories = [file.memory for file in view.memories()]
    # What was split or merged took its evidence along: the memory that had it first foretold it.
    memories.sort(key=lambda memory: memory.created_at or "", reverse=True)
    made = {one.of: one for memory in memories for one in calibration.predictions(memory.confidence_history)}
    return calibration.calibrate(made.values())
