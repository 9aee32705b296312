from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.cli.add import add, raw
from memstore.cli.key_options import OFFERED, given_values, own_values
from memstore.cli.session import CliSession
from memstore.core.errors import UsageError
from memstore.core.keys import KEYS
from memstore.memories.add import KEPT_BY_THE_PROGRAM

if TYPE_CHECKING:
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
