"""An episode's text: what happened, how it came out, what was learnt (docs/format.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTCOME = "## Outcome"
LESSONS = "## Lessons"


def episode_body(text: str = "", *, outcome: str = "", lessons: Sequence[str] = ()) -> str:
    """Return the text with the outcome and the list of lessons below headings of their own, where there are any."""
    parts = [text.strip("\n")] if text.strip() else []
    if outcome.strip():
        parts += [OUTCOME, outcome.strip()]
    told = [" ".join(lesson.split()) for lesson in lessons if lesson.strip()]
    if told:
        parts += [LESSONS, "\n".join(f"- {lesson}" for lesson in told)]
    return "\n\n".join(parts)
