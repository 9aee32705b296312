"""`[engine]` in the user's settings: whatever is asked is answered as by the local index, wherever the files are."""

from __future__ import annotations

import gc
import os
import shutil
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memstore.core.clock import FixedClock
from memstore.engines import database
from memstore.files.local_state import Environment
from memstore.vault.composition import open_workspace
from tests.engines.test_engine_search import answers, queries
from tests.git_repositories import git
from tests.support import examples, memory_text
from tests.whole.hidden import NOW, OWNER, VIEWERS, drawn
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace
    from tests.engine_vaults import Engine


def commit(program: InProcess) -> None:
    git(program.vault, "add", "-A")
    git(program.vault, "commit", "-q", "--no-verify", "--allow-empty", "-m", "x")


def put(program: InProcess, files: dict[str, bytes], *, instead_of: dict[str, bytes] | None = None) -> None:
    """Write files, and delete those that were before and aren't any more."""
    for path in (instead_of or {}).keys() - files.keys():
        (program.vault / path).unlink()
    for path, data in files.items():
        place = program.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_bytes() != data:
            place.write_bytes(data)


def using(program: InProcess, url: str) -> None:
    """Name a database in the user's settings."""
    program.ok("config", "--user", "engine.url", url)


def opened(program: InProcess, notices: list[str] | None = None, **wanted: object) -> Workspace:
    with patch.dict(os.environ, program.environment, clear=True):
        env = Environment.of_process(on_notice=None if notices is None else notices.append)
        ws = open_workspace(env, vault=str(program.vault), **wanted)  # type: ignore[arg-type]
    return ws._replace(clock=FixedClock(NOW, ws.clock))


def by_both(ws: Workspace, random: Random) -> tuple[object, object]:
    """Return what is seen and found by the database, and by the local index."""
    asked = queries(random)
    told = []
    for one in (ws, ws._replace(elsewhere=None)):
        view = one.view()
        seen = {(view.entry(row), tuple(view.column("path")[row : row + 1])) for row in view.texts}
        told.append((seen, answers(view, asked), len(view.broken)))
    return told[0], told[1]


@settings(max_examples=examples(10), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_a_work_tree_is_answered_as_by_its_own_index_whatever_differs(engine: Engine, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case, name = drawn(random), engine.name()
    registry = {path: data for path, data in case.files.items() if path not in case.before}
    with TemporaryDirectory() as folder:
        program = InProcess(Path(folder))
        program.init(OWNER)
        program.vault.rename(program.home / name)
        program.vault = program.home / name
        git(program.vault, "init", "-q", "-b", "main")
        put(program, case.before | (registry if random.random() < 0.8 else {}))
        commit(program)
        program.ok("engine", "index", engine.url)
        using(program, engine.url)
        if random.random() < 0.7:
            some = {path: data for path, data in case.files.items() if random.random() < 0.5}
            put(program, case.before | registry | some)
            commit(program)
            put(program, case.files, instead_of=case.before | registry | some)
        if random.random() < 0.3:
            (program.vault / "broken.md").write_bytes(b"---\ntype: note\ntype: note\n---\nTea.\n")
        notices: list[str] = []
        for who in ({"entity": case.viewer, "context": case.context}, {"entity": random.choice(VIEWERS)}, {}):
            ws = opened(program, notices, **who)
            there, here = by_both(ws, random)
            assert there == here, who


@pytest.fixture
def indexed(tmp_path: Path, engine: Engine) -> InProcess:
    """A vault that is indexed in a database, which the user's settings name."""
    program, name = InProcess(tmp_path), engine.name()
    program.init(OWNER)
    program.vault.rename(program.home / name)
    program.vault = program.home / name
    git(program.vault, "init", "-q", "-b", "main")
    put(program, {"tea.md": memory_text("Hot tea.\n", id="m_0000000001", title="Tea")})
    commit(program)
    program.ok("engine", "index", engine.url)
    using(program, engine.url)
    return program


def test_a_search_is_answered_there_and_what_is_not_committed_lies_over_it(indexed: InProcess) -> None:
    shutil.rmtree(indexed.home / ".cache", ignore_errors=True)
    assert "tea.md" in indexed.ok("search", "tea")
    put(indexed, {"mint.md": memory_text("Mint tea.\n", id="m_0000000002", title="Mint")})
    done = indexed.run("search", "mint")
    assert ("mint.md" in done.stdout, done.stderr) == (True, "")
    (indexed.vault / "tea.md").unlink()
    assert "tea.md" not in indexed.ok("search", "tea")
    notices: list[str] = []
    opened(indexed, notices).view().texts  # noqa: B018 - it is looked at
    assert notices == []


def test_if_the_server_is_away_the_local_index_answers_and_a_line_says_why(indexed: InProcess, tmp_path: Path) -> None:
    using(indexed, f"postgresql://admin@/nothing?host={tmp_path}")
    done = indexed.run("search", "tea")
    assert ("tea.md" in done.stdout, done.returncode) == (True, 0)
    assert "answered by the index on this machine, as the database doesn't let memstore_broker in" in done.stderr
    assert "answered by" not in indexed.run("--quiet", "search", "tea").stderr


def test_the_address_is_the_users_own_and_a_secret(indexed: InProcess, engine: Engine) -> None:
    place = Path(indexed.environment["XDG_CONFIG_HOME"]) / "memstore" / "config.toml"
    assert place.stat().st_mode & 0o777 == 0o600
    place.chmod(0o644)
    refused = indexed.run("search", "tea")
    assert (refused.returncode, f"chmod 600 {place}" in refused.stderr) == (5, True)
    place.chmod(0o600)
    using(indexed, "postgresql://me:sesame@db.example.org/memories")
    assert "sesame" not in indexed.ok("config", "--user")
    assert indexed.run("config", "engine.url", engine.url).returncode == 2
    with (indexed.vault / ".memstore" / "config.toml").open("a") as file:
        file.write(f'[engine]\nurl = "{engine.url}"\n')
    assert "engine.url" in indexed.run("search", "tea").stderr


@pytest.mark.parametrize("differs", [False, True])
def test_a_session_ends_with_what_was_seen_in_it(indexed: InProcess, engine: Engine, *, differs: bool) -> None:
    if differs:
        put(indexed, {"more.md": memory_text("More tea.\n", id="m_0000000002")})
    gc.collect()
    before = sessions(engine)
    views = [opened(indexed).view() for _ in range(2)]
    assert [len(view.rows) for view in views] == [1 + differs] * 2
    assert sessions(engine) == before + 4
    del views
    gc.collect()
    assert any(sessions(engine) <= before for _ in range(100))


def sessions(engine: Engine) -> int:
    """Return how many sessions of whoever looks there are a little later."""
    time.sleep(0.05)
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename LIKE 'memstore%'"
    with database.session(engine.url) as asking:
        [[count]] = asking.execute(query)
    return int(count)
