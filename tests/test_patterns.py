"""Patterns mean the same to every Python that memstore runs on."""

from __future__ import annotations

import re

from tests.installed import ROOT

# A group that is repeated possessively, `(…)*+`: Python before 3.11.5 goes back by one sign after it, so a pattern of
# words cuts off the last letter of each (python/cpython#106052). `(?>(…)*)` says the same, and all of them read it.
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+(?!\w*[,=;])")


def test_no_group_is_repeated_possessively() -> None:
    files = [path for suffix in ("*.py", "*.toml") for path in (ROOT / "memstore").rglob(suffix)]
    lines = ((path, line) for path in files for line in path.read_text(encoding="utf-8").splitlines())
    assert [(path.name, line) for path, line in lines if POSSESSIVE_GROUP.search(line)] == []


def test_one_that_is_would_be_found() -> None:
    for pattern in (r"\w+(?:\.\d+)*+", r"(ab)++c", r"(?:x|y)?+", r"(?:a|b){32,}+"):
        assert POSSESSIVE_GROUP.search(pattern)
    for pattern in (r"\w++[.)]*+\)++", r"(?>(?:a|b)*)", r"(?:a)+b+"):
        assert not POSSESSIVE_GROUP.search(pattern)
