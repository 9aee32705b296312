"""The command line makes no JSON document itself: forms of `memstore.documents` make what it prints as one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from memstore.documents.form import form_of_verb
from tests.installed import ROOT
from tests.schemas import outputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The session prints what commands give it; `emit` is there.
MODULES = sorted(path for path in (ROOT / "memstore" / "cli").glob("*.py") if path.stem != "session")
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
        if node.module.startswith("memstore.documents") or name.name in RETURN_DOCUMENTS
    }


def printed(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield each expression that is printed as a document."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
            if called in PRINTS:
                yield call.args[PRINTS[called]]


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
    """Return what each name stands for in a function."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
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
        "output.document({'a': 1})",
        "output.one_line(made_document(1) | {'b': 2})",
        "found = {'a': 1}; output.document(found)",
        "output.write_lines((output.one_line(published('error', {'error': failure})),))",
    ],
)
def test_one_that_is_would_be_found(source: str) -> None:
    assert strangers(f"from memstore.documents.form import made_document, published\ndef run():\n    {source}")


def emitted() -> Iterator[str]:
    """Yield the verbs that commands emit, as far as they stand there in words."""
    for path in MODULES:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(func=ast.Attribute(attr="emit"), args=[ast.Constant(value=str(verb)), *_]):
                    yield verb


def test_each_verb_has_a_form() -> None:
    verbs = {*emitted()}
    assert len(verbs) > 80
    assert verbs <= outputs.published().keys()


def test_the_form_of_a_verb_is_that_of_the_value() -> None:
    assert form_of_verb("attest-export", "signed").of == "str"
    assert form_of_verb("attest-export", {"payload": ""}).of == "Envelope"
    assert form_of_verb("group-list", ()).of == "Iterable[KnownGroup]"
    assert form_of_verb("add", None).of == "None"
    with pytest.raises(LookupError):
        form_of_verb("shown", None)
