"""A title names a memory for commands that read it; what grants, shares, signs or forgets takes an id or a path."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli.commands import COMMANDS
from memstore.cli.group import PROGRAM, Group
from memstore.cli.options import RefType
from tests.installed import ROOT
from tests.whole import test_outputs
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READING = {
    "blame", "conflicts list", "diff", "edit", "links", "log", "search", "show", "trace", "trust show", "why",
}  # fmt: skip
# They change the memory that a title names; what they would write is only shown here.
AMENDING = {"contradict", "mv", "reinforce", "set", "tag"}
# Commands that the vault of examples has no keys, or no other memories, for.
REF = test_outputs.REF
MORE = (
    ["trust", "sign", REF], ["trust", "witness", REF, "--attest", "confirm"],
    ["trust", "request-witness", REF, "--from", "si:claire"],
    ["trust", "anchor", REF, "--type", "url", "--reference", "https://example.org", "--snapshot", "README.md"],
    ["trust", "attest", "payload", REF], ["trust", "resolve", REF, "--outcome", "upheld"], ["commit", REF],
    ["tag", REF, "x"],
    ["mv", REF, "x/"], ["set", REF, "title=x"], ["check", "fmt", REF], ["beliefs", "compress", REF], ["archive", REF],
    ["conflicts", "resolve", REF, "m_enqj11r5df", "--keep", "both"], ["trust", REF], ["show", "--path", REF],
    ["conflicts", REF],
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
    for name, command in leaves(PROGRAM, ""):
        for parameter in command.params:
            if isinstance(parameter.type, RefType):
                (takes_title if parameter.type.by_name else takes_ref).add(name)
    assert takes_title == READING | AMENDING
    assert not READING & takes_ref
    assert takes_ref >= {"privacy grant", "privacy revoke", "trust sign", "trust witness", "archive", "commit"}
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
            done = sample.run(*renamed, *["--dry-run"] * (words[0] in {*AMENDING, "edit"}), MEMSTORE_EDITOR="true")
            refused = any(
                message in done.stderr
                for message in ("no memory matches", "nothing is pending for", "is a name, and this")
            )
            if refused is reads(words) or refused is (done.returncode == 0):
                wrong.append((renamed, done.returncode, done.stderr))
    assert wrong == []
    assert before == {path: path.read_bytes() for path in before}
    assert tried >= {*(name.split()[0] for name in READING), "privacy", "reinforce", "archive"}


def reads(words: list[str]) -> bool:
    """Whether a command line is of a command that takes a title."""
    command = PROGRAM.get_command(click.Context(PROGRAM), words[0])
    if not isinstance(command, Group) or not command.default:
        return words[0] in READING | AMENDING
    verbs = command.list_commands(click.Context(command))
    return f"{words[0]} {words[1] if words[1] in verbs else command.default}" in READING


def named(word: str, titles: dict[str, str]) -> str:
    """Return an argument with the title of a memory in the place of its id."""
    for memory_id, title in titles.items():
        if memory_id and memory_id in word:
            return word.replace(memory_id, title)
    return word
