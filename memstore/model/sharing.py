"""Who may see a memory."""

from __future__ import annotations

from dataclasses import dataclass

EVERYBODY = "*"
EVERYBODY_SPELLED = "public"

# Whoever may be listening without having been named.
UNKNOWN_LISTENER = "anon:unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalization:
    """The verdict of the check that let a memory be seen more widely than its sources."""

    verdict: str
    checks: tuple[str, ...] = ()
    k: int | None = None
    note: str | None = None
    acknowledged_by: str | None = None
