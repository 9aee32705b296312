"""A use case says at its top what it needs; what it imports later is in this list, with the reason."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGES = ("access", "lineage", "conflicts", "beliefs", "trust", "engines", "memories", "exchange", "report")
LATER = {
    # The owner, whom nobody overhears, comes without, as does all but a push.
    "access.local_state": {"access.label_reader", "access.world"},
    # Whoever reads registries, as the guard of pushes does, comes without.
    "access.registry": {"files.draft", "files.splice"},
    # The pre-commit hook and most searches come without.
    "access.widening": {"access.generalization"},
    "trust.reader": {"trust.reputation", "trust.verification"},
    # A stack's signature is checked whenever it is read; the vault's keyring only when it is loaded.
    "trust.senders": {"trust.read_keyring"},
    "trust.signatures": {"trust.ssh_crypto"},
    # Only where the user chose an embedder, asks for reasons, or found something attested.
    "beliefs.recall": {"search.meaning"},
    "conflicts.candidates": {"search.meaning"},
    "memories.search": {"search.absence", "search.meaning", "trust.reader"},
    # Only where there is something to compare, to echo, to sign, or to reinforce; `list` comes without.
    "beliefs.revise": {"beliefs.reinforce"},
    "conflicts.among": {
        "conflicts.conflict",
        "conflicts.contradiction",
        "conflicts.gisting",
        "conflicts.sides",
        "conflicts.statements",
    },
    "conflicts.compare": {"conflicts.conflict", "conflicts.gisting", "conflicts.verdicts"},
    "conflicts.survey": {
        *("conflicts.conflict", "conflicts.contradiction", "conflicts.gisting", "conflicts.statements"),
    },
    # Only of a title that says something.
    "memories.add": {"beliefs.echo"},
    # A card says more than a line of `list`.
    "memories.show": {
        "beliefs.archive",
        "beliefs.reconsolidation",
        "search.opened",
        "search.reranker",
        "trust.reader",
    },
}


def deferred(path: Path) -> Iterator[str]:
    """Yield which of memstore's own modules the functions of a module import."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memstore."):
                    below = [f"{node.module}.{name.name}" for name in node.names]
                    modules = [name for name in below if (ROOT / f"{name.replace('.', '/')}.py").exists()]
                    yield from (name.removeprefix("memstore.") for name in modules or [node.module])


def test_what_use_cases_import_later_is_listed() -> None:
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        folder = ROOT / "memstore" / package
        for path in sorted(folder.rglob("*.py")):
            if modules := set(deferred(path)):
                name = ".".join((package, *path.relative_to(folder).with_suffix("").parts))
                found[name] = modules
    assert found == LATER
