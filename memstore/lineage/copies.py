"""Exact copies: what one author wrote down twice on one day is one witness, not two (docs/adr/0047)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.memory import Memory
    from memstore.core.view import View

# Memories are copies of each other if all of these are equal, and were made on one day.
_EQUAL = ("words", "type", "author", "source", "source_type", "source_entity", "channel", "context", "subject_ids")


class Copies:
    """The exact copies among what a view shows.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def marked(self, memory: Memory) -> Memory:
        """Return a memory with the ref of the first that said the same, if it is a copy of that."""
        first = self._first.get(str(memory.ref))
        if first is None or (memory.origin and (memory.origin.repeated or memory.origin.session_id)):
            return memory
        return replace(memory, copy_of=first)

    @cached_property
    def _first(self) -> Mapping[str, str]:
        """The ref of the first one, by the ref of each later copy."""
        view = self._view
        words, made, ids = (view.column(name) for name in ("words", "created_at", "id"))
        counts = Counter(words)
        rows = [row for row in view.rows if ids[row] and made[row] and words[row] and counts[words[row]] > 1]
        if not rows:
            return {}
        columns = [view.column(name) for name in _EQUAL]
        rows.sort(key=lambda row: (made[row], ids[row]))
        first: dict[tuple[str, ...], str] = {}
        found: dict[str, str] = {}
        for row in rows:
            ref = str(view.entry(row).ref)
            known = first.setdefault((made[row][:10], *(column[row] for column in columns)), ref)
            if known != ref:
                found[ref] = known
        return found
