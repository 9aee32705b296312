"""How sure a memory's holder is: the ledger of events behind the number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One event in `confidence_history`; confidences are in [0, 1], `timestamp` is RFC 3339 in UTC."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a memory says, in a form that can be compared."""

    subject: str
    attribute: str
    value: str
    since: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedConflict:
    """A decision about a conflict with another memory, kept so that it is not raised again."""

    with_: str
    conflict_type: str
    decision: str
    at: str | None = None
    by: str | None = None
    reason: str | None = None
