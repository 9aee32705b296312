"""A memory: the frozen value of one file, and the values of its keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.config import GLOBAL_SCOPE
from memstore.core.ids import MemoryRef
from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Mapping


# How sure a belief's holder is that states nothing; docs/beliefs.md, "Unstated confidence".
UNSTATED_BELIEF_CONFIDENCE = 0.8


class CompressedFrom(NamedTuple):
    """Where the full body of a compressed memory is kept."""

    commit: str
    blob: str


class Quarantine(NamedTuple):
    """What a memory was quarantined with, when, by whom and why, and which status its file had, None if it had none."""

    of: str
    at: str
    by: str | None = None
    was: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The content of one file. Field names are the frontmatter's keys; absent keys are None or empty."""

    type: str
    id: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: str = "active"
    status_reason: str | None = None
    quarantine: Quarantine | None = None
    proposes: str | None = None
    created_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    scope: str = GLOBAL_SCOPE
    owner: str | None = None
    author: str | None = None
    platform: str | None = None
    source: str | None = None
    source_type: str | None = None
    source_entity: str | None = None
    source_chain: tuple[str, ...] = ()
    channel: str | None = None
    origin: Origin | None = None
    derived_from: tuple[str, ...] = ()
    relates_to: tuple[str, ...] = ()
    processed_into: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    context_tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    subject_ids: tuple[str, ...] = ()
    context: str | None = None
    access_grants: tuple[str, ...] = ()
    access_denies: tuple[str, ...] = ()
    consent_grants: tuple[str, ...] = ()
    upstream_grants: tuple[tuple[str, ...], ...] = ()
    generalized: bool = False
    generalization: Generalization | None = None
    belief_type: str | None = None
    foundational: bool = False
    importance: str | None = None
    confidence: float | None = None
    confidence_history: tuple[LedgerLine, ...] = ()
    claims: tuple[Claim, ...] = ()
    resolved_conflicts: tuple[ResolvedConflict, ...] = ()
    compressed_from: CompressedFrom | None = None
    signature: Signature | None = None
    witnesses: tuple[Witness, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    keeps_secret: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    body: str = ""
    # The file's full content, if this value has less because somebody may not see all that it names. Signatures and
    # access rules apply to the original.
    original: Memory | None = field(default=None, repr=False, compare=False)
    # The ref of the memory of which this is an exact copy, as far as the viewer may see it (`lineage.copies`).
    copy_of: str | None = field(default=None, repr=False, compare=False)
    # The path of its file, for whoever got it from a vault by name (`Vault.get`).
    path: str | None = field(default=None, repr=False, compare=False)

    __repr__ = short_repr

    @property
    def sharing(self) -> object:
        """The owner's decisions about who sees it; changes to them are audited."""
        return self.access_grants, self.access_denies, self.owner

    @property
    def ref(self) -> MemoryRef | None:
        """The memory's ref, or None if it has no id yet."""
        return MemoryRef(self.type, self.id) if self.id else None


# -- who may see it --------------------------------------------------------------------------------


EVERYBODY = "*"
EVERYBODY_SPELLED = "public"

# Stands for anybody who may be listening without having been named.
UNKNOWN_LISTENER = "anon:unknown"


class Generalization(NamedTuple):
    """The verdict of the check that allowed a memory to be seen more widely than its sources."""

    verdict: str
    checks: tuple[str, ...] = ()
    k: int | None = None
    note: str | None = None
    acknowledged_by: str | None = None


# -- its origin ------------------------------------------------------------------------------------


# Marks in `derived_from` that name something outside the vault; they don't count as grounding.
STACK_MARK = "stack:"  # then the name of a loaded stack, and the ref or path of a memory there: `stack:bella/note:m_1`
OWN_VAULT = "own"  # stands for the actor's own vault where stacks have names
EXTERNAL_MARKS = ("context:", "kernle:", "consolidation:", "url:", "file:", STACK_MARK)


def is_external_mark(text: str) -> bool:
    """Return whether an entry of `derived_from` names something outside the vault."""
    return text.startswith(EXTERNAL_MARKS)


class Origin(NamedTuple):
    """The circumstances in which a memory was written (seed 004's context).

    `repeated` means that it says on purpose what its author had said that day already: it is an event of its own.
    `likeness` is how alike the memories are that a suggestion follows from, and `trigger` then the rule that found it.
    """

    session_id: str | None = None
    trigger: str | None = None
    repeated: bool | None = None
    likeness: float | None = None


# -- who vouches for it ----------------------------------------------------------------------------


class Signature(NamedTuple):
    """The author's signature over both digests."""

    by: str
    at: str
    content: str
    provenance: str
    sig: str


class Witness(NamedTuple):
    """What another agent says about a memory; unsigned statements count for nothing."""

    agent_id: str
    attestation: str
    witnessed_at: str
    content: str | None = None
    provenance: str | None = None
    aspects: tuple[str, ...] = ()
    notes: str | None = None
    sig: str | None = None


class Resolution(NamedTuple):
    """The outcome of a dispute: the memory was upheld or overturned."""

    by: str
    outcome: str
    at: str
    content: str
    provenance: str
    sig: str
    notes: str | None = None


class Anchor(NamedTuple):
    """Something outside the file that shows what a memory said, and when."""

    type: str
    reference: str
    role: str | None = None
    path: str | None = None
    blob: str | None = None
    hash: str | None = None
    created_at: str | None = None


# -- confidence ------------------------------------------------------------------------------------


class LedgerLine(NamedTuple):
    """One event in `confidence_history`; confidences are in [0, 1], times are RFC 3339 in UTC.

    `timestamp` is when it was recorded; `happened_at` when the evidence arose, if that was a day or more before.
    """

    timestamp: str
    op: str
    old: float | None = None
    new: float | None = None
    evidence_source: str | None = None
    weight: float | None = None
    roots: tuple[str, ...] = ()
    reason: str | None = None
    by: str | None = None
    precision: float | None = None
    counted: tuple[str, ...] = ()
    source_confidence: float | None = None
    factor: float | None = None
    cap: float | None = None
    happened_at: str | None = None


class Claim(NamedTuple):
    """What a memory says, in a form that can be compared."""

    subject: str
    attribute: str
    value: str
    since: str | None = None


class ResolvedConflict(NamedTuple):
    """A decision about a conflict with another memory, kept so that it is not raised again."""

    with_: str
    conflict_type: str
    decision: str
    at: str | None = None
    by: str | None = None
    reason: str | None = None
