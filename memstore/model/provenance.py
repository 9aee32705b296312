"""Where a memory comes from."""

from __future__ import annotations

from dataclasses import dataclass

# Marks in `derived_from` that name something outside the vault; they don't count as grounding.
EXTERNAL_MARKS = ("context:", "kernle:", "consolidation:", "url:", "file:")


def is_external_mark(text: str) -> bool:
    """Whether an entry of `derived_from` names something outside the vault."""
    return text.startswith(EXTERNAL_MARKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The circumstances of writing (seed 004's context)."""

    session_id: str | None = None
    trigger: str | None = None
