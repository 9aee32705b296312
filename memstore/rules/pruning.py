"""Pruning: which memories could go out of sight, and why. It proposes; nothing is ever deleted."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memstore.rules import confidence
from memstore.rules.beliefs import held, replay_of

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.model.memory import Memory

REFUTED_BELOW = 0.30
LEAST_LIVE_EVIDENCE = 0.5
LEAST_STRENGTH = 0.05


class Prunable(StrEnum):
    """Why a memory could be archived."""

    REFUTED = "refuted"
    STALE = "stale"


def prunable(memory: Memory, now: datetime, *, strength: float) -> Prunable | None:
    """Return why a memory could be archived; None where it is to stay.

    Args:
        memory: one that is active; what is pinned or foundational always stays, and so does what states no confidence.
        now: UTC.
        strength: how easily it comes to mind, in [0, 1].
    """
    number = held(memory)
    if number is None or memory.status != "active" or memory.foundational or memory.importance == "pinned":
        return None
    if number < REFUTED_BELOW:
        return Prunable.REFUTED
    if strength < LEAST_STRENGTH and live_evidence(memory, now) < LEAST_LIVE_EVIDENCE:
        return Prunable.STALE
    return None


def figures(memory: Memory, now: datetime, *, strength: float, uses: int) -> str:
    """Return the numbers behind that, in words; arguments as for `prunable`, and how often it was used."""
    left = f"{live_evidence(memory, now):.2f} observations left"
    return (
        f"confidence {held(memory) or 0.0:g}, {left}, strength {strength:.2f}, {uses} {'use' if uses == 1 else 'uses'}"
    )


def live_evidence(memory: Memory, now: datetime) -> float:
    """Return how many observations still stand behind a confidence at `now`, 0 or more: they fade with their age."""
    return max(0.0, replay_of(memory, now).precision - confidence.PRIOR_WEIGHT)
