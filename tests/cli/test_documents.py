"""The command line makes no JSON document itself: functions of `memstore.documents` make what it prints as one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The session prints what commands give it; `emit` is there.
MODULES = sorted(path for path in (ROOT / "memstore" / "cli").glob("*.py") if path.stem != "session")
# The page has its own document, made of what the page shows.
DOCUMENTS = ("memstore.documents", "memstore.report.page")
# A function, and the number of its argument that is a document.
PRINTS = {"published": 1, "one_line": 0, "document": 0}
# Use cases that return documents in forms of their own: two are signed as they stand, one is memory-v0.1.
RETURN_DOCUMENTS = {"answer_request", "envelope", "export_memories"}


def makers(tree: ast.AST) -> set[str]:
    """Return what a module calls the functions that make documents elsewhere."""
    return RETURN_DOCUMENTS | {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
        if node.module.startswith(DOCUMENTS) or name.name in RETURN_DOCUMENTS
    }


def printed(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield each expression that is printed as a document, without the `lambda` around it."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        called = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        found = [word.value for word in call.keywords if called == "emit" and word.arg == "document"]
        if called in PRINTS:
            found = [call.args[PRINTS[called]]]
        for value in found:
            yield value.body if isinstance(value, ast.Lambda) else value


def strangers(source: str) -> list[str]:
    """Return what the functions of a module print as a document though nothing of `memstore.documents` made it."""
    tree = ast.parse(source)
    known = makers(tree)
    return [
        ast.unparse(value)
        for scope in tree.body
        for value in printed(scope)
        if not is_made(value, known=known, assigned=assigned(scope))
    ]


def assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what each name stands for in a function, and what functions inside it return."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
        if isinstance(node, ast.FunctionDef) and node is not scope:
            returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
            values.setdefault(node.name, []).extend(returned)
    return values


def is_made(value: ast.expr, *, known: set[str], assigned: dict[str, list[ast.expr]]) -> bool:
    """Whether one of the known functions made a value."""
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in known
        case ast.Name(id=name):
            found = assigned.get(name, [])
            return name in known or (found != [] and all(is_made(one, known=known, assigned=assigned) for one in found))
        case ast.Subscript(value=several):
            return is_made(several, known=known, assigned=assigned)
        case ast.IfExp(body=one, orelse=other):
            return all(is_made(each, known=known, assigned=assigned) for each in (one, other))
    return False


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_document_is_made_in_the_command_line(path: Path) -> None:
    assert strangers(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "session.emit('a', document=lambda: {'a': 1}, lines=tuple)",
        "session.emit('a', document=dict, lines=tuple)",
        "session.emit('a', document=lambda: dict(a=1), lines=tuple)",
        "session.emit('a', document=lambda: made_document(1) | {'b': 2}, lines=tuple)",
        "session.emit('a', document=lambda: {**made_document(1)}, lines=tuple)",
        "found = {'a': 1}; session.emit('a', document=lambda: found, lines=tuple)",
        "def found(): return {'a': 1}\n    session.emit('a', document=found, lines=tuple)",
        "output.write_lines((output.one_line(published('error', {'error': failure})),))",
    ],
)
def test_one_that_is_would_be_found(source: str) -> None:
    assert strangers(f"from memstore.documents.form import made_document, published\ndef run():\n    {source}")
