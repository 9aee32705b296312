"""A memory: the frozen value of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memstore.model.ids import MemoryRef
from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.model.attestation import Anchor, Resolution, Signature, Witness
    from memstore.model.confidence import Claim, LedgerLine, ResolvedConflict
    from memstore.model.provenance import Origin
    from memstore.model.sharing import Generalization


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedFrom:
    """Where the whole body of a compressed memory is kept."""

    commit: str
    blob: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What one file says. Field names are the frontmatter's keys; absent keys are None or empty."""

    type: str
    id: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: str = "active"
    status_reason: str | None = None
    proposes: str | None = None
    created_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    scope: str = "global"
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
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    body: str = ""
    # What the file says, where this is less: somebody may not be shown all that it names. What was signed, and what
    # decides who sees it, is this.
    original: Memory | None = field(default=None, repr=False, compare=False)

    __repr__ = one_line

    @property
    def sharing(self) -> object:
        """What its owner decides of who sees it; where that changes, it is audited."""
        return self.access_grants, self.access_denies, self.owner

    @property
    def ref(self) -> MemoryRef | None:
        """The memory's ref, or None where it has no id yet."""
        return MemoryRef(self.type, self.id) if self.id else None
