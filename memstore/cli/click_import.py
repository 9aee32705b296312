"""Importing click without `inspect`, of which it needs one small function here (docs/adr/0010)."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_SLOW = "inspect"


class _StandIn(ModuleType):
    """What `inspect` is meanwhile: one function of it, and the real module for whoever asks for another."""

    def cleandoc(self, doc: str) -> str:
        """Return a docstring without its indentation."""
        return cleandoc(doc)

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(_SLOW), name)


def import_click() -> None:
    """Import click, and `dataclasses`, which both import `inspect`.

    It loads the compiler's tree, the disassembler and the tokenizer, a fifth of what `--help` takes, and nothing here
    looks into code. It is taken out again at once, so that whoever needs the real one gets it.
    """
    if "click" in sys.modules or _SLOW in sys.modules:
        return
    sys.modules[_SLOW] = _StandIn(_SLOW)
    try:
        import dataclasses  # noqa: F401

        import click  # noqa: F401
    finally:
        del sys.modules[_SLOW]


def cleandoc(doc: str) -> str:
    """Return a docstring without its indentation, as `inspect.cleandoc` does."""
    first, *others = doc.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in others)]).strip("\n")
