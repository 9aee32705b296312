"""Lists of words, written as one text; the long ones stand as data beside the code that goes by them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_PACKAGES = Path(__file__).resolve().parent.parent


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text."""
    return frozenset(text.split())


@cache
def word_lists(package: str) -> dict[str, Any]:
    """Return the lists in the file `words.toml` of one of memstore's packages, each as one text, by name.

    It is read when a word is first looked up, and by its path: to import `importlib.resources` takes longer than that.
    """
    import tomllib

    return tomllib.loads((_PACKAGES / package / "words.toml").read_text(encoding="utf-8"))
