"""A line of a ledger as a frontmatter holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec.shapes import is_absent
from memstore.model.keys import LEDGER_KEYS

if TYPE_CHECKING:
    from memstore.codec.render import Plain
    from memstore.model.confidence import LedgerLine

# They stand on every line, so that a person sees at a glance what it did.
_ALWAYS = frozenset({"old", "new"})


def entry_of(line: LedgerLine) -> dict[str, Plain]:
    """Return the map that stands on one line of a history, in the order of the table of keys."""
    entry: dict[str, Plain] = {}
    for key in LEDGER_KEYS:
        value = getattr(line, key.name)
        plain = list(value) if isinstance(value, tuple) else value
        if key.name in _ALWAYS or not is_absent(plain):
            entry[key.name] = plain
    return entry
