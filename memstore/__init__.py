"""memstore: long-term memory in plain text, for agents and the people who work with them.

`open_vault(path)` opens a vault; the functions beside it do what the commands of the same name do:

    ws = memstore.open_vault("~/notes")
    for entry in memstore.list_memories(ws).entries: ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.flows.list_memories import list_memories
    from memstore.flows.show import show_memory
    from memstore.wiring import open_vault

__version__ = "0.1.0"

__all__ = ["__version__", "list_memories", "open_vault", "show_memory"]

# Name -> module; loaded when first asked for, so that importing memstore costs nothing.
_HOMES = {
    "list_memories": "memstore.flows.list_memories",
    "open_vault": "memstore.wiring",
    "show_memory": "memstore.flows.show",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
