"""A use case reaches content through a view alone, and writes through a transaction alone."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The one implementation of view and transaction, and what opens a vault.
IMPLEMENTATION = frozenset(
    [
        "composition",
        "committing",
        "finding",
        "gate",
        "index_elsewhere",
        "look",
        "named_files",
        "parts",
        "pending",
        "registries",
        "sealing",
        "sight",
        "standing",
        "transaction",
        "undoing",
        "view",
        "whole",
        "work_tree",
        "workspace",
        "writing",
    ]
)
PACKAGES = [
    "access",
    "history",
    "lineage",
    "search",
    "conflicts",
    "beliefs",
    "trust",
    "vault",
    "engines",
    "memories",
    "exchange",
    "report",
]
# Whatever is given a view is a use case, or a part of one.
USE_CASES = [
    path
    for package in PACKAGES
    for path in sorted((ROOT / "memstore" / package).glob("*.py"))
    if "memstore.core.view import View" in path.read_text(encoding="utf-8")
    and not (package == "vault" and path.stem in IMPLEMENTATION)
]
COMMANDS = sorted((ROOT / "memstore/cli").glob("*.py")) + sorted((ROOT / "memstore/mcp").glob("*.py"))
COMMANDS += [path for name in ("lsp", "broker") for path in sorted((ROOT / "memstore" / name).glob("*.py"))]
# What only `memstore.vault` holds: the files, their snapshot, the journal, and what lies behind a view.
BEHIND = frozenset({"library", "vault", "snapshot", "journal", "ws", "_ws", "_snapshot", "kept_in"})
# What the history holds of memories is asked of the view, which knows who may see it.
OF_HISTORY = frozenset({"blobs", "commit", "staged_ids"})
OPENS = frozenset({"read_bytes", "read_text", "write_bytes", "write_text", "unlink", "rename"})
# `init` makes the folder of a vault, before there is one; drafts, and what an editor has open, are the person's own.
MAY_OPEN = frozenset({"editing.py", "open_files.py"})
# Objects of git are checked against their names there: keyring and anchors, not memories.
MAY_ASK_GIT = frozenset({"staged.py"})


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def attributes(path: Path) -> Iterator[tuple[ast.Attribute, str]]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute):
            yield node, f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


def test_nothing_is_reached_beside_the_view() -> None:
    found = [
        where
        for path in (*USE_CASES, *COMMANDS)
        for node, where in attributes(path)
        if node.attr in BEHIND and not _is_choice(node)
    ]
    assert found == []


def _is_choice(node: ast.Attribute) -> bool:
    """Whether this is the command line's option of that name."""
    return node.attr == "vault" and ast.unparse(node.value).endswith("choices")


def test_what_the_history_holds_of_memories_is_asked_of_the_view() -> None:
    found = [
        where
        for path in USE_CASES
        for node, where in attributes(path)
        if node.attr in OF_HISTORY and ast.unparse(node.value).endswith("history") and path.name not in MAY_ASK_GIT
    ]
    assert found == []


def test_no_file_is_opened_beside_the_view() -> None:
    paths = [path for path in (*USE_CASES, *COMMANDS) if path.name not in MAY_OPEN]
    opened = [
        where for path in paths for node, where in attributes(path) if node.attr in OPENS and "formatter" not in where
    ]
    called = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"
    ]
    assert [*opened, *called] == []
