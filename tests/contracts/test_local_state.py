"""What this machine keeps of a vault, on disk and in memory: the active context, the last run, vectors."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pytest

from memstore.access.local_state import CallContext, ContextFile
from memstore.access.world import ActiveContext
from memstore.beliefs.run_record import DiskRuns, Run
from memstore.search.embedder import DiskVectors
from tests.memory_state import KeptVectors, LastRun

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.access.local_state import ContextState
    from memstore.beliefs.run_record import RunRecord
    from memstore.search.facets import VectorStore

AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 2, 2, 12, tzinfo=UTC)


class LocalState(NamedTuple):
    """All of it."""

    contexts: ContextState
    runs: RunRecord
    vectors: VectorStore
    progress: list[tuple[int, int]]


@pytest.fixture(params=["disk", "memory"])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> LocalState:
    if request.param == "memory":
        vectors = KeptVectors()
        return LocalState(CallContext(), LastRun(), vectors, vectors.told)
    progress: list[tuple[int, int]] = []
    disk = DiskVectors(tmp_path / "cache", on_progress=lambda done, count: progress.append((done, count)))
    contexts = ContextFile(tmp_path / "state", entity="si:ash")
    return LocalState(contexts, DiskRuns(tmp_path / "state", "si:ash"), disk, progress)


def test_a_context_is_active_until_it_is_left(state: LocalState) -> None:
    assert state.contexts.current() is None
    assert state.contexts.declared is None
    park = ActiveContext(id="ctx:park", participants=("human:sean",), expires_at=LATER)
    home = ActiveContext(id="ctx:home", expires_at=LATER, role="role:friend")
    for context in (park, home):
        state.contexts.enter(context)
        assert state.contexts.current() == context
        assert state.contexts.place is None or state.contexts.place.is_file()
    state.contexts.leave()
    assert state.contexts.current() is None
    state.contexts.leave()


def test_the_last_run_is_remembered(state: LocalState) -> None:
    assert state.runs.last() is None
    for run in (Run(AT, frozenset({"note:m_a", "note:m_b"})), Run(LATER, frozenset())):
        state.runs.record(run)
        assert state.runs.last() == run


def test_vectors_are_kept_by_the_embedders_name(state: LocalState) -> None:
    assert state.vectors.last("one") == {}
    first, second = {"a" * 40: array("f", [0.5, -1.25])}, {"b" * 40: array("f", [0.0, 1.0])}
    state.vectors.keep("one", first)
    state.vectors.keep("other", second)
    assert state.vectors.last("one") == first
    state.vectors.keep("one", second)
    assert state.vectors.last("one") == second
    assert state.vectors.last("other") == second


def test_whoever_waits_for_vectors_is_told_how_far_they_are(state: LocalState) -> None:
    state.vectors.tell(1, 3)
    assert state.progress == [(1, 3)]
