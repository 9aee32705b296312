"""Who vouches for a memory: signature, witnesses, anchors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The author's signature over both digests."""

    by: str
    at: str
    content: str
    provenance: str
    sig: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What another agent says about a memory; unsigned ones count for nothing."""

    agent_id: str
    attestation: str
    witnessed_at: str
    content: str | None = None
    provenance: str | None = None
    aspects: tuple[str, ...] = ()
    notes: str | None = None
    sig: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """How a dispute came out: the memory was upheld, or overturned."""

    by: str
    outcome: str
    at: str
    content: str
    provenance: str
    sig: str
    notes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Something outside the file that shows what a memory said, and when."""

    type: str
    reference: str
    role: str | None = None
    path: str | None = None
    blob: str | None = None
    hash: str | None = None
    created_at: str | None = None
