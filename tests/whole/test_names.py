"""A title names a memory for commands that read it; what grants, shares, signs or forgets takes an id or a path."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli.commands import COMMANDS
from memstore.cli.group import Program
from memstore.cli.options import RefType
from tests.installed import ROOT
from tests.whole import test_outputs
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READING = {
    "bisect", "blame", "cite", "conflicts", "diff", "edit", "impact", "links", "log", "path", "show", "trace", "trust",
    "why",
}  # fmt: skip
# Commands that the vault of examples has no keys, or no other memories, for.
REF = test_outputs.REF
MORE = (
    ["sign", REF], ["witness", REF, "--attest", "confirm"], ["request-witness", REF, "--from", "si:claire"],
    ["anchor", REF, "--type", "url", "--reference", "https://example.org", "--snapshot", "README.md"],
    ["attest", "payload", REF], ["resolve", REF, "--outcome", "upheld"], ["commit", REF], ["tag", REF, "x"],
    ["mv", REF, "x/"], ["set", REF, "title=x"], ["fmt", REF], ["compress", REF], ["archive", REF],
    ["resolve-conflict", REF, "m_enqj11r5df", "--keep", "both"], ["trust", REF], ["path", REF], ["conflicts", REF],
)  # fmt: skip


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for word in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), word)
            assert below is not None
            yield from leaves(below, f"{name} {word}".strip())
    else:
        yield name, command


def test_only_commands_that_read_take_a_title() -> None:
    takes_title: set[str] = set()
    takes_ref: set[str] = set()
    for name, command in leaves(Program("memstore"), ""):
        for parameter in command.params:
            if isinstance(parameter.type, RefType):
                (takes_title if parameter.type.by_name else takes_ref).add(name)
    assert takes_title == READING
    assert not takes_title & takes_ref
    assert takes_ref >= {"privacy grant", "privacy revoke", "sign", "witness", "resolve", "anchor", "archive", "commit"}
    assert {name.split()[0] for name in takes_title} <= {*COMMANDS}


@pytest.fixture
def sample(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    program.ok("init", ".")
    program.ok("commit")
    return program


def test_the_program_holds_itself_to_that(sample: InProcess) -> None:
    titles = {one["id"]: one["title"] for one in sample.json("list", "--status", "all")["memories"]}
    before = {
        path: path.read_bytes() for path in sample.vault.rglob("*") if path.is_file() and ".git" not in path.parts
    }
    tried, wrong = set(), []
    for words in (*test_outputs.COMMANDS, *MORE):
        renamed = [named(word, titles) for word in words]
        if renamed != list(words):
            tried.add(words[0])
            done = sample.run(*renamed, MEMSTORE_EDITOR="true")
            refused = any(message in done.stderr for message in ("no memory matches", "nothing is pending for"))
            if refused is (words[0] in {*READING, "expand"}) or refused is (done.returncode == 0):
                wrong.append((renamed, done.returncode, done.stderr))
    assert wrong == []
    assert before == {path: path.read_bytes() for path in before}
    assert tried >= {*READING, "privacy", "consent", "sign", "witness", "resolve", "anchor", "reinforce", "archive"}


def named(word: str, titles: dict[str, str]) -> str:
    """Return an argument with the title of a memory in the place of its id."""
    for memory_id, title in titles.items():
        if memory_id and memory_id in word:
            return word.replace(memory_id, title)
    return word
