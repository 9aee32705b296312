"""Small things that were computed, kept until what they were computed from changes: computing them anew takes long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

Kept = Mapping[str, Sequence[str]]
"""For each thing, mostly a blob, what was computed of it."""


class Derived(Protocol):
    """Keeps, under each name, what was last computed, with the state of all that it depends on."""

    def last(self, name: str, state: str) -> Kept:
        """Return what was kept under a name in that state; nothing in any other, or where none can be read."""

    def keep(self, name: str, state: str, found: Kept) -> None:
        """Keep something in place of what was kept under the name; not being able to is no error."""
