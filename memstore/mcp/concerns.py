"""What an agent is told that may concern a memory which it just wrote, to judge it, call it unrelated, or leave it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.cli.output import safe_line
from memstore.conflicts.candidates import candidates
from memstore.conflicts.open_pairs import concerns, note_shown
from memstore.documents.form import plain
from memstore.lineage.descent import from_outside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.conflicts.candidates import Candidate
    from memstore.conflicts.open_pairs import Concern
    from memstore.core.view import View
    from memstore.mcp.call import ToolAnswer

HOW_TO_JUDGE = "may concern it: judge each with memory_conflicts, or leave it"


def with_concerns(answer: ToolAnswer, opened: Callable[[], View]) -> ToolAnswer:
    """Return the answer of a command that wrote a memory, with what may concern it; whatever fails, it was written.

    Nothing from outside is among it: whoever reads that is no witness any more in what they write next.
    """
    found: Sequence[Candidate] = ()
    with suppress(Exception):
        view = opened()
        found = candidates(view, [answer.document["ref"]] if answer.document["ref"] else [])
        outside = {*from_outside(view, [one.ref for one in found])}
        found = [one for one in found if one.ref not in outside]
        note_shown(view, found)
    if not found:
        return answer
    told = concerns(found)
    lines = (f"{HOW_TO_JUDGE}:", *(f"  {line_of(one)}" for one in told))
    return answer._replace(notes=(*answer.notes, *lines), document={**answer.document, "may_concern": plain(told)})


def line_of(one: Concern) -> str:
    """Return what may concern a memory on one line."""
    day = f" {one.day}" if one.day else ""
    return safe_line(f"{one.ref} {one.place}{day}: {one.text} ({one.why})")
