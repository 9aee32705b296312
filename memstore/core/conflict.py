"""A conflict between two memories, as searches, checks and commands report it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from memstore.core.ids import is_entity_id
from memstore.core.short_repr import short_repr


class ConflictType(Enum):
    """The kind of a conflict (seed 003)."""

    CONTRADICTION = "contradiction"
    TEMPORAL = "temporal"
    SEMANTIC = "semantic"


# Seed 003, "Types of Conflicts": how much a conflict lowers the quality of both sides, and the suggested resolution.
PENALTY = {ConflictType.CONTRADICTION: 0.30, ConflictType.TEMPORAL: 0.15, ConflictType.SEMANTIC: 0.10}
RESOLUTION = {
    ConflictType.CONTRADICTION: "manual_review",
    ConflictType.TEMPORAL: "timestamp_priority",
    ConflictType.SEMANTIC: "merge_or_clarify",
}


# What somebody may judge of two statements: the first contradicts, supersedes or narrows the other; they say the same,
# have nothing to do with each other, or it can't be told.
VERDICTS = ("contradicts", "supersedes", "narrows", "same", "unrelated", "unsure")
# Takes a verdict back.
WITHDRAWN = "withdrawn"
# The beginnings of the names of models that judge; a model of another name has not the form of an entity's id.
JUDGING_MODELS = ("llm:", "nli:")
# The rule of a conflict between claims.
CLAIMS = "claims"
# In place of a rule: somebody judged so whose verdicts are reported.
BY_VERDICT = "verdict"


class Lines(NamedTuple):
    """Where one side of a conflict says it: lines from 1, both inclusive, with their text.

    `said` is the sentence in them that is in conflict, or the claim that they make, as people read it.
    """

    path: str
    line_start: int
    line_end: int
    excerpt: str
    said: str


class Judged(NamedTuple):
    """The lines of one memory that were judged, where they are now; they count from 1, both inclusive."""

    ref: str
    path: str
    line_start: int
    line_end: int


class PairVerdict(NamedTuple):
    """What somebody judged of two statements; of `supersedes` and `narrows`, the first one does.

    `verdict` is one of `VERDICTS`; `model` is what a person or an agent let judge, None for their own judgement.
    """

    id: str
    path: str
    verdict: str
    judged: tuple[Judged, Judged]
    judged_by: str
    judged_at: str
    model: str | None = None
    reason: str | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def judge(self) -> str:
        """Whose judgement it is: the model, or else who judged."""
        return self.model or self.judged_by

    def is_about(self, *places: Judged) -> bool:
        """Whether it judges statements that share a line with each of two, in either order."""
        return all(any(_overlap(one, place) for one in self.judged) for place in places)

    def is_again(self, judge: str, judged_by: str, *places: Judged) -> bool:
        """Whether it is this judge's on the same statements."""
        return (self.judge, self.judged_by) == (judge, judged_by) and self.is_about(*places)


def is_judging_model(name: str) -> bool:
    """Whether a name may be a model's: it is not anybody else's, as `human:ann` is."""
    return not is_entity_id(name) or name.startswith(JUDGING_MODELS)


def _overlap(one: Judged, other: Judged) -> bool:
    return one.path == other.path and one.line_start <= other.line_end and other.line_start <= one.line_end


class Conflict(NamedTuple):
    """An open conflict between two memories; the one that was asked about comes first.

    `penalty` is how much it lowers the quality of the first memory, from 0 to 0.3. `command` is the command that
    decides the conflict or shows what to decide. `rule` is the rule that found it. For a temporal conflict, `current`
    is the ref of the memory that probably holds now; None if each says what was so in its time. `verdicts` is what
    somebody judged of the same lines.
    """

    conflict_type: ConflictType
    penalty: float
    refs: tuple[str, str]
    titles: tuple[str, str]
    lines: tuple[Lines, Lines]
    rule: str
    command: str
    current: str | None = None
    verdicts: tuple[PairVerdict, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def order(self) -> tuple[float, tuple[str, str], tuple[Lines, Lines]]:
        """The key to sort conflicts by, the worst first; paths tell copies of a memory apart."""
        return -self.penalty, self.refs, self.lines

    @property
    def suggested_resolution(self) -> str:
        """Seed 003's name for the suggested resolution."""
        return RESOLUTION[self.conflict_type]
