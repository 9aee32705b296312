"""Importing click without what it hardly needs of the standard library here (docs/adr/0010)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from memstore.stand_ins import standing_in

if TYPE_CHECKING:
    from collections.abc import Callable


def import_click() -> None:
    """Import click, and `dataclasses`, which both import `inspect`.

    It loads the compiler's tree, the disassembler and the tokenizer, a fifth of what `--help` takes, and nothing here
    looks into code. `gettext` translates only what click says for itself, and `uuid` asks `platform` for a name.
    """
    if "click" in sys.modules:
        return
    own: dict[str, dict[str, Callable[..., object]]] = {"inspect": {"cleandoc": cleandoc}, "gettext": {}}
    if hasattr(os, "uname"):
        own["platform"] = {"system": lambda: os.uname().sysname}
    with standing_in(own):
        import dataclasses  # noqa: F401

        import click  # noqa: F401


def cleandoc(doc: str) -> str:
    """Return a docstring without its indentation, as `inspect.cleandoc` does."""
    first, *others = doc.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in others)]).strip("\n")
