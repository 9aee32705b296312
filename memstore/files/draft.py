"""The text of a new memory, of an episode, and of a draft in an editor with notes at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.core.keys import KEYS
from memstore.files.fence import BOM, encoded
from memstore.files.render import parts_of, scalar
from memstore.files.shapes import is_absent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.files.render import Plain


_RANK = {key.name: i for i, key in enumerate(KEYS)}


def new_file(values: Mapping[str, Plain], body: str) -> bytes:
    """Return the bytes of a new memory file with exactly these values and this body.

    Keys are in the order of the table of keys, a person's own keys last; absent values are left out. The body is
    preceded by a blank line and ends with a line end.
    """
    said = {name: value for name, value in values.items() if not is_absent(value)}
    lines = [
        line for name in sorted(said, key=lambda name: _RANK.get(name, len(_RANK))) for line in _lines(name, said[name])
    ]
    return encoded("\n".join(["---", *lines, "---", _set_off(body)]))


def _lines(name: str, value: Plain) -> list[str]:
    inline, items = parts_of(name, value)
    return [f"{scalar(name)}: {inline}".rstrip(), *(f"  - {item}" for item in items)]


def _set_off(body: str) -> str:
    """Return a body with a blank line before it and a line end after it."""
    if not body.strip():
        return ""
    text = body if body.startswith(("\n", "\r\n")) else "\n" + body
    return text if text.endswith("\n") else text + "\n"


# A memory begins with its fence, so lines before the fence belong to nobody's text.
NOTE = "# memstore: "


def with_notes(data: bytes, notes: Iterable[str]) -> bytes:
    """Return a draft with notes to its writer at the top, one per line."""
    newline = "\r\n" if data.partition(b"\n")[0].endswith(b"\r") else "\n"
    mark = BOM if data.startswith(BOM) else b""
    top = "".join(f"{NOTE}{line}{newline}" for note in notes for line in note.splitlines() or [""])
    return mark + top.encode() + data.removeprefix(BOM)


def without_notes(data: bytes) -> bytes:
    """Return a draft without the notes at its top, as its writer meant it."""
    mark = BOM if data.startswith(BOM) else b""
    rest = data.removeprefix(BOM)
    while rest.startswith(NOTE.rstrip().encode()):
        rest = rest.partition(b"\n")[2]
    return mark + rest


# -- episodes: objective, outcome, lessons ---------------------------------------------------------


OUTCOME = "## Outcome"
LESSONS = "## Lessons"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The parts of an episode: its objective, which is its title, its outcome, and the lessons learnt."""

    objective: str = ""
    outcome: str = ""
    lessons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.objective or self.outcome or self.lessons)

    @property
    def title(self) -> str:
        """The objective on one line."""
        return " ".join(self.objective.split())

    def as_text(self, text: str = "") -> str:
        """Return a text followed by the outcome and the list of lessons, if any, under headings of their own."""
        parts = [text.strip("\n")] if text.strip() else []
        if self.outcome.strip():
            parts += [OUTCOME, self.outcome.strip()]
        lessons = [" ".join(lesson.split()) for lesson in self.lessons if lesson.strip()]
        if lessons:
            parts += [LESSONS, "\n".join(f"- {lesson}" for lesson in lessons)]
        return "\n\n".join(parts)
