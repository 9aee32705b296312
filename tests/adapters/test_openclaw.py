"""OpenClaw's `memory_search` and `memory_get` on a vault."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from memstore.adapters.openclaw import memory_get, memory_search
from tests.adapters.vaults import OTHER, made, opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    return made(tmp_path)


def test_a_search_and_what_it_cites(program: InProcess) -> None:
    made_ = program.json("add", "Bella eats at eight\n\nShe had a murmur in spring.\n\nRex sleeps.")
    vault = opened(program)
    answer = memory_search(vault, {"query": "murmur in spring", "maxResults": 1})
    (hit,) = answer["results"]
    assert hit.keys() == {"path", "startLine", "endLine", "score", "snippet", "source", "corpus", "citation"}
    assert (hit["path"], hit["snippet"]) == (made_["path"], "She had a murmur in spring.")
    lines = (program.vault / hit["path"]).read_text().splitlines()
    assert lines[hit["startLine"] - 1 : hit["endLine"]] == ["She had a murmur in spring."]
    assert hit["citation"] == f"{hit['path']}#L{hit['startLine']}"
    assert 0 < hit["score"] <= 1
    got = memory_get(vault, {"path": hit["path"], "from": hit["startLine"], "lines": 1})
    assert got == {
        "path": hit["path"], "text": "She had a murmur in spring.", "from": hit["startLine"], "lines": 1,
        "truncated": True, "nextFrom": hit["startLine"] + 1,
    }  # fmt: skip
    whole = memory_get(vault, {"path": made_["ref"]})
    assert whole["text"].strip().startswith("Bella eats")
    assert "truncated" not in whole
    assert "id:" not in whole["text"]
    assert memory_search(vault, {"query": "murmur", "minScore": 1.1})["results"] == []


def test_what_can_not_be_searched_is_disabled(program: InProcess) -> None:
    answer = memory_search(opened(program), {"query": "(("})
    assert answer["disabled"] is True
    assert answer["error"]


@pytest.mark.parametrize(
    "params",
    [{}, {"query": 5}, {"query": "Bella", "maxResults": "x"}, {"query": "Bella", "minScore": [1]},
     {"query": "Bella", "maxResults": float("inf")}, {"query": "Bella", "minScore": True}],
)  # fmt: skip
def test_a_search_that_is_no_request_is_disabled(program: InProcess, params: dict[str, object]) -> None:
    program.ok("add", "Bella eats")
    answer = memory_search(opened(program), params)
    assert (answer["results"], answer["disabled"]) == ([], True)
    assert "`" in answer["error"]


@pytest.mark.parametrize(
    "params", [{}, {"path": 5}, {"path": "x", "from": "y"}, {"path": "x", "lines": None, "from": []}]
)
def test_a_get_that_is_no_request_is_disabled(program: InProcess, params: dict[str, object]) -> None:
    answer = memory_get(opened(program), params)
    assert (answer["text"], answer["disabled"]) == ("", True)
    assert "`" in answer["error"]


def test_what_is_hidden_is_missing(program: InProcess) -> None:
    secret = program.json("add", "Bella bites")
    program.ok("add", "Bella eats", "--access", "*")

    def told() -> list[object]:
        vault = opened(program, OTHER)
        gets = [memory_get(vault, {"path": name}) for name in (secret["path"], secret["ref"])]
        return [*gets, memory_search(vault, {"query": "Bella bites"}), memory_search(vault, {"query": "bites"})]

    full = told()
    assert full[0] == {"path": secret["path"], "text": ""}
    (program.vault / secret["path"]).unlink()
    assert told() == full


def test_what_is_written_after_a_page_was_shown_is_derived_from_it(program: InProcess) -> None:
    page = program.json("add", "Dr. Evil sells food", "--source-type", "external")
    own = program.json("add", "Bella sleeps")
    for show in (
        partial(memory_search, params={"query": "Dr. Evil"}),
        partial(memory_get, params={"path": page["path"]}),
    ):
        vault = opened(program)
        memory_get(vault, {"path": own["path"]})
        assert memory_search(vault, {"query": "Evil", "minScore": 2.0})["results"] == []
        assert vault.get(vault.add("Bella eats.")).derived_from == ()
        show(vault)
        assert vault.get(vault.add("Bella eats Dr. Evil's.")).derived_from == (page["ref"],)
