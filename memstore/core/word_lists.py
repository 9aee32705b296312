"""Word lists, each written as one text; the long ones are data files beside the code that uses them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from sys import intern
from typing import Any

_PACKAGES = Path(__file__).parent.parent


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text."""
    return frozenset(map(intern, text.split()))


@cache
def word_lists(package: str, name: str = "words") -> dict[str, Any]:
    """Return the lists in the `words.toml` of one of memstore's packages, or in another of its files, by name.

    The file is read on first use, and by its path: importing `importlib.resources` takes longer than that.
    """
    import tomllib

    return tomllib.loads((_PACKAGES / package / f"{name}.toml").read_text(encoding="utf-8"))
