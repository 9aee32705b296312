"""What is frozen of a file: all that is read of it, as JSON; keys that say nothing are left out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.files.memory_file import MemoryFile


def as_json(file: MemoryFile) -> dict[str, Any]:
    """Return what a file says, and on which line its body begins."""
    said = {key: value for key, value in asdict(file.memory).items() if value not in (None, (), {}, False)}
    return {"body_line": file.text.body_line, "memory": _plain(said)}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: tuples are lists, entries have only the keys that say something."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item not in (None, ())}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
