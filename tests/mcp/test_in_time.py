"""Answers are given in time: what takes longer is stopped, what was read is kept, and nothing narrower is answered."""

from __future__ import annotations

import shutil
from itertools import count
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from memstore.mcp.server import MOST_SECONDS, Server
from tests.mcp.serving import answered, sample, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.whole.program import InProcess

FILES = 30


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = sample(tmp_path_factory.mktemp("herons"))
    for number in range(FILES):
        program.run("add", f"Heron {number} stood in the shallow water of pond {number}.", "-t", "note")
    return program


@pytest.fixture
def vault(made: InProcess, tmp_path: Path) -> InProcess:
    return made.copied(tmp_path)


@pytest.fixture
def _told_of_each() -> Iterator[None]:
    with patch("memstore.files.local_state.FIRST_SECONDS", 0), patch("memstore.files.local_state.NEXT_SECONDS", 0):
        yield


def slow(program: InProcess, *, step: float) -> Server:
    """Return a server to which each look at the clock takes so many seconds."""
    ticks = count(0, step)
    server = served(program, offered="all")
    server._now = lambda: float(next(ticks))
    return server


def cold(program: InProcess) -> None:
    shutil.rmtree(program.environment["XDG_CACHE_HOME"], ignore_errors=True)


pytestmark = [pytest.mark.usefixtures("_told_of_each"), pytest.mark.soak(6, together=True)]
READING: tuple[tuple[str, dict[str, object]], ...] = (
    ("memory_search", {"query": "heron"}),
    ("memory_recall", {"prompt": "Which heron stood in pond 7?"}),
    ("memory_list", {}),
    ("memory_lineage", {"action": "sources", "ref": "note:m_4egv3sm7m4"}),
)


@pytest.mark.parametrize(("tool", "arguments"), READING, ids=lambda value: value if isinstance(value, str) else "")
def test_a_cold_index_is_made_in_steps(vault: InProcess, tool: str, arguments: dict[str, object]) -> None:
    whole = served(vault, offered="all").call(tool, arguments)
    assert not whole.failed
    cold(vault)
    said = []
    for _ in range(9):
        answer = slow(vault, step=MOST_SECONDS / 20).call(tool, arguments)
        if not answer.failed:
            break
        said.append(answer)

    assert answer.document == whole.document
    assert said
    for one in said:
        assert one.document["error"]["code"] == "unfinished"
        assert "call again" in one.text


@pytest.mark.parametrize("work", ["gisting.gists_of", "survey.are_in_conflict"])
def test_what_was_compared_is_not_compared_again(vault: InProcess, work: str) -> None:
    whole = answered(served(vault, offered="all"), "memory_conflicts", action="list")
    vault.ok("index", "rebuild")
    done = []
    name = f"memstore.conflicts.{work}"

    def taking_long(*given: Any) -> Any:
        done.append(given)
        return of_survey(*given)

    of_survey = resolve_name(name)
    server = served(vault, offered="all")
    server._now = lambda: float(len(done))
    with patch(name, taking_long), patch("memstore.mcp.server.MOST_SECONDS", 30):
        answers = [server.call("memory_conflicts", {"action": "list"}) for _ in range(40)]

    assert answers[-1].document == whole.document
    assert answers[0].document["error"]["code"] == "unfinished"
    assert answers[0].lines[0].startswith("memstore: this takes longer than 30 s: it was stopped while ")
    assert [one.failed for one in answers] == sorted((one.failed for one in answers), reverse=True)


def test_what_writes_is_stopped_before_it_begins_or_not_at_all(vault: InProcess) -> None:
    cold(vault)
    before = sorted(vault.vault.rglob("*.md"))
    stopped = slow(vault, step=MOST_SECONDS / 2).call("memory_add", {"text": "A heron stood on the weir."})
    assert stopped.document["error"]["code"] == "unfinished"
    assert sorted(vault.vault.rglob("*.md")) == before

    server, seconds = served(vault), [0.0]
    server._now = lambda: seconds[0]
    told: list[str] = []

    def tell(work: str, done: int, count: int) -> None:
        told.append(work)
        seconds[0] += 0 if work == "indexing files" else MOST_SECONDS

    server.on_progress = tell
    written = server.call("memory_review", {"action": "consolidate"})
    assert not written.failed, written.text
    assert "reading memories" in told
