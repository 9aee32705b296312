from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from memstore.cli.add import add, raw
from memstore.cli.key_options import OFFERED, given_values, own_values
from memstore.cli.session import CliSession
from memstore.core.errors import UsageError
from memstore.core.keys import KEYS, USUAL_KEYS
from memstore.memories.add import KEPT_BY_THE_PROGRAM
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    import click


def parsed(words: list[str], command: click.Command = add) -> dict[str, Any]:
    return command.make_context(command.name, list(words), obj=CliSession()).params


def values(*words: str) -> dict[str, Any]:
    return dict(given_values(parsed(["text", *words])))


def test_every_key_is_an_option_or_kept_by_the_program() -> None:
    names = {param.name for param in add.params}
    for key in KEYS:
        assert (key.name in names) != (key.name in KEPT_BY_THE_PROGRAM | {"context"}), key.name
    assert {"--source-type", "--derived-from", "--valid-until", "--created-at", "--context-tag"} <= {
        name for param in add.params for name in param.opts
    }


def test_values_follow_an_option_up_to_the_next() -> None:
    words = [
        "a text",
        "--access",
        "human:sean",
        "si:ash",
        "--tag",
        "a",
        "b",
        "-t",
        "belief",
        "--tag",
        "c",
        "--alias",
        "x",
    ]
    params = parsed(words)
    assert params["text"] == "a text"
    assert given_values(params) == {
        "type": "belief",
        "aliases": ["x"],
        "tags": ["a", "b", "c"],
        "access_grants": ["human:sean", "si:ash"],
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--access", "none"], {"access_grants": []}),
        (["--foundational"], {"foundational": True}),
        (["--confidence", "0.7"], {"confidence": 0.7}),
        (["--set", "mine=1.5", "importance=high"], {"mine": 1.5, "importance": "high"}),
        (["--set", "mine=a=b"], {"mine": "a=b"}),
        (["--subject", "dog:bella", "--subject-ids", "vet:smith"], {"subject_ids": ["dog:bella", "vet:smith"]}),
        (["--source-chain", "si:ash", "human:claire"], {"source_chain": ["si:ash", "human:claire"]}),
        (["--origin", "session_id=1", "trigger=x"], {"origin": {"session_id": "1", "trigger": "x"}}),
        (["--derived-from", "context:one, two"], {"derived_from": ["context:one, two"]}),
    ],
)
def test_options_become_values(words: list[str], expected: dict[str, Any]) -> None:
    assert values(*words) == expected


def test_raw_has_no_type_of_its_own() -> None:
    names = {param.name for param in raw.params}
    assert "type" not in names
    assert {"tags", "source"} <= names
    assert {key.name for key in OFFERED} > {"tags", "source"}


@pytest.mark.parametrize("pair", ["importance", "=x", " =x"])
def test_a_pair_needs_a_key_and_an_equals_sign(pair: str) -> None:
    with pytest.raises(UsageError):
        own_values((pair,))


@pytest.mark.parametrize("kind", USUAL_KEYS)
def test_who_leaves_out_what_a_type_usually_says_gets_a_hint_that_works(tmp_path: Path, kind: str) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    other = program.json("add", "Bella is a dog.")["ref"]
    values = {"confidence": "0.7", "importance": "high", "valid_until": "2026-12-31", "source": "Claire"}
    values |= {"derived_from": other, "relates_to": other, "entities": "Claire"}
    usual = USUAL_KEYS[kind]
    done = program.run("add", "Something about walks.", "-t", kind)
    named = " or ".join(f"--{name.replace('_', '-')}" for name in usual)
    hint = re.search(
        r"^  hint: (.+) usually has (.+); memstore (set \S+) (\w+)=VALUE adds it later$", done.stderr, re.MULTILINE
    )
    assert hint is not None, done.stderr
    assert (hint[1], hint[2]) == (f"a memory of type {kind}", named)
    program.ok(*hint[3].split(), f"{hint[4]}={values[hint[4]]}")
    for name in usual:
        told = program.run("add", "More about walks.", "-t", kind, f"--{name.replace('_', '-')}", values[name])
        assert (told.returncode, "hint" in told.stderr) == (0, False), told.stderr
    for quiet in ("--json", "-q"):
        assert "hint" not in program.run(quiet, "add", "Nothing of walks.", "-t", kind).stderr


def test_a_template_gives_the_keys_and_there_is_no_hint(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    (program.vault / ".memstore/templates").mkdir()
    (program.vault / ".memstore/templates/goal.md").write_text('---\nvalid_until: "2026-12-31"\n---\n')
    assert not program.run("add", "Walk to the river.", "-t", "goal").stderr
    assert not program.run("add", "A goal of nobody's.").stderr


def test_a_draft_says_which_keys_its_type_usually_has(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    shown = program.home / "shown.md"
    for kind, line in (("goal", "# memstore: a memory of type goal usually has valid_until\n"), ("note", "")):
        program.run("add", "-t", kind, EDITOR=f"sh -c 'cp $0 {shown}'")
        assert ("usually has" in shown.read_text(), line in shown.read_text()) == (bool(line), True)
