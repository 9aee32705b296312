"""A search by the database finds what a search by the local index finds, to the last digit."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memstore.access import CONTEXTS
from memstore.access.local_state import CallContext
from memstore.access.world import ActiveContext
from memstore.core.clock import FixedClock
from memstore.core.config import Config
from memstore.memories.search import search
from memstore.search.reranker import Wish
from memstore.search.retrieval import Sort, Unit
from tests.memory_workspace import memory_workspace
from tests.support import examples
from tests.whole.hidden import NOW, OWNER, VIEWERS, WORDS, drawn

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.search.retrieval import Answer
    from memstore.vault.workspace import Workspace
    from tests.engine_vaults import Engine

WISHES = (
    Wish(limit=50),
    Wish(by=Unit.PASSAGE),
    Wish(sort=Sort.CREATED, facets=("type", "tags", "status")),
    Wish(sort=Sort.QUALITY),
)


def queries(random: Random) -> list[str]:
    words = random.sample(WORDS, 4)
    return [
        " ".join(words[:2]),
        f"+{words[0]} {words[1]} -{words[2]}",
        f'"{words[0]} {words[1]}" {words[2][:4]}*',
        f"type:note {words[3]}",
        "the boat house teh",
        "type:belief -tea",
        f"{words[0]}x {words[1]}",
    ]


def answers(view: View, asked: list[str]) -> list[Answer]:
    """Return all that searches say."""
    return [search(view, query, wish) for query in asked for wish in WISHES]


def opened(files: dict[str, bytes], actor: str, context: str | None = None) -> Workspace:
    """Return a vault in memory as somebody opens it, always at the same time."""
    ws = memory_workspace(files, config=Config(owner=OWNER), actor=actor)
    if context:
        ws = ws.having(CONTEXTS, CallContext(ActiveContext(context)))
    return ws._replace(clock=FixedClock(NOW, ws.clock))


def differences(engine: Engine, name: str, ws: Workspace, random: Random) -> list[object]:
    """Return what is found in the database and otherwise by the local index."""
    asked = queries(random)
    with engine.view(name, ws) as view:
        found = answers(view, asked)
        seen = {view.entry(row) for row in view.texts}
    here = ws.view()
    assert seen == {here.entry(row) for row in here.texts}
    return [pair for pair in zip(found, answers(here, asked), strict=True) if pair[0] != pair[1]]


def test_a_vault_of_one_is_found_as_by_the_local_index(engine: Engine) -> None:
    random = Random(1)  # noqa: S311 - chance, not secrecy
    ws = opened(drawn(random).files, OWNER)
    name = engine.name()
    done = engine.index(name, ws)
    assert (done.generation, done.read, done.files) == (1, *[len([*ws.vault.memory_files()])] * 2)
    assert differences(engine, name, ws, random) == []
    assert any(one.hits for one in answers(ws.view(), queries(random)))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_of_each_class_one_file_is_decided_about(engine: Engine, viewer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random, name = Random(2), engine.name()  # noqa: S311 - chance, not secrecy
    files = drawn(random).files
    engine.index(name, opened(files, OWNER))
    monkeypatch.setattr("memstore.engines.labels.labels", lambda *_: pytest.fail("the labels of all files are read"))
    assert differences(engine, name, opened(files, viewer), random) == []


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_whoever_looks_finds_the_same_after_each_commit(engine: Engine, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case, name = drawn(random), engine.name()
    registry = {path: data for path, data in case.files.items() if path not in case.before}
    states = [case.before | registry, case.files, {**case.before, **case.files}]
    for files in states:
        owners = opened(files, OWNER)
        engine.index(name, owners)
        for actor, context in ((case.viewer, case.context), (random.choice(VIEWERS), None), (OWNER, None)):
            assert differences(engine, name, opened(files, actor, context), random) == [], (actor, context)
    again = engine.index(name, owners)
    assert (again.read, again.gone, again.moved) == (0, 0, 0)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_what_is_hidden_makes_no_difference_to_what_the_database_finds(engine: Engine, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = drawn(random)
    ws = opened(case.files, case.viewer, case.context)
    here = ws.view()
    seen = {here.entry(row).path for row in here.texts}
    memories = {stat.path for stat in ws.vault.memory_files()}
    # What somebody sees may depend on hidden sources, which stay: the one question is what else it says.
    without = {path: data for path, data in case.files.items() if path in seen or path not in memories}
    alone = opened(without, case.viewer, case.context)
    assume({alone.view().entry(row).path for row in alone.view().texts} == seen and len(without) < len(case.files))
    asked, found = queries(random), []
    for one in (ws, alone):
        name = engine.name()
        engine.index(name, one)
        with engine.view(name, one) as view:
            found.append(answers(view, asked))
    assert found[0] == found[1]
