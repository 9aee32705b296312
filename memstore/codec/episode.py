"""An episode's text: what happened, how it came out, what was learnt (docs/format.md)."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOME = "## Outcome"
LESSONS = "## Lessons"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What an episode tells: its objective, which is its title, how it came out, and what was learnt."""

    objective: str = ""
    outcome: str = ""
    lessons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.objective or self.outcome or self.lessons)

    @property
    def title(self) -> str:
        """The objective on one line."""
        return " ".join(self.objective.split())

    def told(self, text: str = "") -> str:
        """Return a text with the outcome and the list of lessons below headings of their own, where there are any."""
        parts = [text.strip("\n")] if text.strip() else []
        if self.outcome.strip():
            parts += [OUTCOME, self.outcome.strip()]
        lessons = [" ".join(lesson.split()) for lesson in self.lessons if lesson.strip()]
        if lessons:
            parts += [LESSONS, "\n".join(f"- {lesson}" for lesson in lessons)]
        return "\n\n".join(parts)
