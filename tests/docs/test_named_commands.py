"""Commands that a text names exist, with the options that it names: in messages, helps, hints, docs and templates."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli.commands import FORMER
from memstore.cli.group import GLOBAL_OPTIONS, HELP_OPTION, PROGRAM, Group
from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What follows the program's name in sentences about it, rather than a command.
PROSE = frozenset(
    ["wrote", "encrypts", "knows", "is", "does", "writes", "that", "here", "again", "and", "digests", "vault"]
)
MODULES = sorted((ROOT / "memstore").rglob("*.py"))
TEXTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "schemas" / "README.md",
    ROOT / "memstore" / "agents" / "SKILL.md",
]
HOOKS = [path for path in sorted((ROOT / "hooks").iterdir()) if path.is_file()]

# The name at the beginning of a command line: in a text, in a code span, behind a prompt, a pipe or a variable.
_CALL = re.compile(r"(?<![\w./@-])memstore (?=[a-z]|--[a-z])((?:(?!memstore | \| )[^`;#\n])*)")
_SPAN = re.compile(r"`(memstore [^`]*)`")
_SPAN_WHOLE = re.compile(r"`memstore [^`]*`")
_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"--[a-z][a-z-]*|-[a-zA-Z]")
_WORD = re.compile(r"-{0,2}[a-z][a-z0-9.-]*")


def unknown(call: str) -> str | None:
    """Return what of a command line, as it follows the program's name, there is not; None where all of it is there."""
    command: click.Command = PROGRAM
    skipped = False
    for word in re.split(r"[\s\[]+", call):
        if skipped:
            skipped = False
            continue
        below: click.Command | None = None
        for one in (part.strip("\"'(),:…?!}]>").rstrip(".") for part in word.split("|")):
            if _OPTION.fullmatch(name := one.partition("=")[0]):
                option = _options(command).get(name) or _options(_default(command)).get(name)
                if option is None:
                    return f"{name} of {command.name}"
                skipped = command is PROGRAM and not option.is_flag
            elif isinstance(command, Group) and _WORD.fullmatch(one):
                below = command.get_command(click.Context(PROGRAM), one)
                if below is None and not command.default:
                    return _of_today(one) if command is PROGRAM else one
            elif command is PROGRAM:
                return None  # a text that goes on with something else
        command = below or (_default(command) if _WORD.fullmatch(word) else command)
    return None


def _of_today(word: str) -> str | None:
    """Return why a first word is no command; None if it goes on with a sentence about the program."""
    if word in FORMER:
        return f"{word}, which is {FORMER[word]} today"
    return None if word in PROSE else word


def _default(command: click.Command) -> click.Command:
    """Return the command that is meant where no verb of a group is named; for others the command itself."""
    if not isinstance(command, Group) or not command.default:
        return command
    return command.get_command(click.Context(command), command.default) or command


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by name, those of every command among them."""
    shared = [*GLOBAL_OPTIONS, HELP_OPTION]
    shared += [click.Option(["--version"], is_flag=True)] if command is PROGRAM else []
    own = [param for param in command.params if isinstance(param, click.Option)]
    return {name: option for option in (*shared, *own) for name in option.opts}


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module, with `X` where something is filled in; of docstrings the code alone."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {id(text) for node in ast.walk(tree) if isinstance(node, owners) for text in _docstring(node.body)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=values):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in values)
            case ast.Constant(value=str(text)) if id(node) in docs:
                yield from _SPAN_WHOLE.findall(text)
            case ast.Constant(value=str(text)) if id(node) not in inner:
                yield text


def _docstring(body: list[ast.stmt]) -> Iterator[ast.expr]:
    if body and isinstance(first := body[0], ast.Expr):
        yield first.value


def calls(text: str) -> Iterator[str]:
    """Yield what follows the program's name, wherever it stands in a text; a command that wraps is one."""
    for span in _SPAN.findall(text):
        yield from _CALL.findall(" ".join(span.split()))
    yield from _CALL.findall(_SPAN.sub(";", text))


def in_document(text: str) -> Iterator[str]:
    """Yield the calls in the code of a document: blocks and spans. What its sentences say is no command."""
    for block in _BLOCK.findall(text):
        yield from _CALL.findall(block)
    for span in _SPAN.findall(_BLOCK.sub("", text)):
        yield from _CALL.findall(" ".join(span.split()))


def test_messages_and_helps_name_what_there_is() -> None:
    found = {
        (path.name, call, why)
        for path in MODULES
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        for call in calls(text)
        if (why := unknown(call))
    }
    assert found == set()


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_documents_name_what_there_is(path: Path) -> None:
    found = {(call, why) for call in in_document(path.read_text(encoding="utf-8")) if (why := unknown(call))}
    assert found == set()


@pytest.mark.parametrize("path", HOOKS, ids=lambda path: path.name)
def test_hooks_name_what_there_is(path: Path) -> None:
    assert [call for call in calls(path.read_text(encoding="utf-8")) if unknown(call)] == []


@pytest.mark.parametrize(
    "text",
    [
        "memstore frobnicate REF",
        "memstore beliefs frobnicate",
        "`memstore list --frobnicate`",
        "memstore --vault DIR frobnicate",
        "memstore dedupe --tag dog",
        "memstore " + "sign REF",  # a former name
        "memstore trust keys add|frobnicate",
        "memstore beliefs sign REF",
    ],
)
def test_what_is_not_there_is_found(text: str) -> None:
    assert any(unknown(call) for call in calls(text))


@pytest.mark.parametrize(
    "text",
    [
        "memstore list --tag dog, or memstore check",
        "`memstore trust\nkeys add X FILE` puts it there",
        "memstore trust REF --online",
        "memstore --vault DIR list -n 3",
        "memstore show --full|--whole REF",
        "memstore index status|rebuild",
        "take back what memstore wrote last",
        "memstore: no such file",
    ],
)
def test_what_is_there_passes(text: str) -> None:
    assert not any(unknown(call) for call in calls(text))
