"""Conflicts: two memories that can't both be right, as values."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from memstore.model.one_line import one_line


class ConflictType(Enum):
    """What kind of conflict it is (seed 003)."""

    CONTRADICTION = "contradiction"
    TEMPORAL = "temporal"
    SEMANTIC = "semantic"


# Seed 003, "Types of Conflicts": what a conflict takes from the quality of both sides, and what it suggests to do.
PENALTY = {ConflictType.CONTRADICTION: 0.30, ConflictType.TEMPORAL: 0.15, ConflictType.SEMANTIC: 0.10}
RESOLUTION = {
    ConflictType.CONTRADICTION: "manual_review",
    ConflictType.TEMPORAL: "timestamp_priority",
    ConflictType.SEMANTIC: "merge_or_clarify",
}


class Lines(NamedTuple):
    """Where one side says it: lines from 1, both inclusive, and what stands there."""

    path: str
    line_start: int
    line_end: int
    excerpt: str


class Conflict(NamedTuple):
    """An open conflict between two memories, the one that was asked about first.

    `penalty` is what it takes from the quality of the first, from 0 to 0.3; `command` decides it, or shows what to
    decide about; `rule` is what found it.
    """

    conflict_type: ConflictType
    penalty: float
    refs: tuple[str, str]
    titles: tuple[str, str]
    lines: tuple[Lines, Lines]
    rule: str
    command: str

    def __repr__(self) -> str:
        return one_line(self)

    @property
    def suggested_resolution(self) -> str:
        """Seed 003's name of what to do."""
        return RESOLUTION[self.conflict_type]
