"""`memstore engine`: a vault's protected branch in a database, from git."""

from __future__ import annotations

import itertools
import os
import shutil
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from memstore.core.clock import FixedClock
from memstore.files import memory_file
from memstore.files.local_state import Environment
from memstore.memories.search import search
from memstore.search.reranker import Wish
from memstore.vault.composition import open_workspace
from tests.git_repositories import git
from tests.installed import ROOT, validated, verb_of
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine_vaults import Engine

pytestmark = pytest.mark.soak(2, together=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    """The sample vault, committed."""
    program = InProcess(tmp_path_factory.mktemp("sample"))
    shutil.copytree(ROOT / "sample-vault", program.vault)
    git(program.vault, "init", "-q", "-b", "main")
    program.ok("init", ".")
    commit(program)
    return program


@pytest.fixture
def program(made: InProcess, tmp_path: Path) -> InProcess:
    return made.copied(tmp_path)


def commit(program: InProcess) -> None:
    git(program.vault, "add", "-A")
    git(program.vault, "commit", "-q", "-m", "x")


def answers(program: InProcess, url: str, *words: str) -> dict[str, Any]:
    document: dict[str, Any] = validated(program.ok("--json", "engine", *words, url))
    assert verb_of(document) == f"engine-{words[0]}"
    return document


def test_a_commit_costs_what_it_changed(program: InProcess, database: str) -> None:
    program.ok("engine", "init", database)
    program.ok("engine", "index", database)
    program.ok("search", "tea")
    (program.vault / "new.md").write_text("---\ntype: note\n---\nQuetzalcoatl drinks tea.\n")
    commit(program)
    with patch.object(memory_file, "read", wraps=memory_file.read) as read:
        program.ok("engine", "index", database)
    assert {call.args[0] for call in read.call_args_list} == {"new.md"}


def test_a_vault_is_indexed_from_git_commit_by_commit(program: InProcess, database: str) -> None:
    assert isinstance(answers(program, database, "init")["roles"], list)
    first = answers(program, database, "index")
    assert first["read"] == first["files"] != 0
    again = answers(program, database, "index")
    assert (again["read"], again["gone"], again["moved"], again["generation"]) == (0, 0, 0, 2)
    (program.vault / "new.md").write_text("---\ntype: note\n---\nQuetzalcoatl drinks tea.\n")
    assert answers(program, database, "index")["read"] == 0  # it isn't committed
    commit(program)
    done = answers(program, database, "index")
    assert (done["read"], done["gone"], done["commit"]) == (1, 0, git(program.vault, "rev-parse", "main").strip())
    (program.vault / "new.md").unlink()
    git(program.vault, "switch", "-q", "-c", "topic")
    commit(program)
    assert answers(program, database, "index")["gone"] == 0  # not on the protected branch
    git(program.vault, "switch", "-q", "main")
    git(program.vault, "merge", "-q", "topic")
    assert answers(program, database, "index")["gone"] == 1
    (vault,) = answers(program, database, "status")["vaults"]
    assert (vault["name"], vault["files"]) == (program.vault.name, first["files"])
    refused = program.run("engine", "drop", database)
    assert (refused.returncode, f"the index of {program.vault.name}" in refused.stderr) == (4, True)
    assert answers(program, database, "drop", "--yes")["vaults"] == [program.vault.name]


@pytest.mark.parametrize("mixed", [False, True])
def test_what_git_has_is_indexed_as_the_local_index_has_it(program: InProcess, engine: Engine, *, mixed: bool) -> None:
    program.ok("config", "notes", "mixed" if mixed else "own")
    (program.vault / "no id.md").write_text("---\ntype: note\ntitle: No id\n---\nTea without an id.\n")
    (program.vault / "plain.md").write_text("# Ginger\n\nTea with ginger.\n")
    commit(program)
    name = engine.name()
    program.ok("engine", "index", engine.url, "--name", name)
    with patch.dict(os.environ, program.environment, clear=True):
        ws = open_workspace(Environment.of_process(), vault=str(program.vault))
        ws = ws._replace(clock=FixedClock(ws.clock.now(), ws.clock))
        here = ws.view()
        with engine.view(name, ws) as view:
            assert {view.entry(row) for row in view.texts} == {here.entry(row) for row in here.texts}
            assert len(view.texts) > 20
            for query in ("tea", "Bella heart", '"heart murmur" -vet', "type:belief dog*"):
                assert search(view, query, Wish(facets=("type",))) == search(here, query, Wish(facets=("type",)))


def test_the_registries_of_the_commit_decide_who_sees_what_is_indexed(program: InProcess, engine: Engine) -> None:
    answers(program, engine.url, "index")
    group = program.vault / "groups" / "emergent_instruments.yaml"
    group.write_text(group.read_text() + '  - {id: "vet:dr_smith", from: "2026-01-01T00:00:00Z"}\n')
    assert answers(program, engine.url, "index")["moved"] == 0  # it isn't committed
    git(program.vault, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "x")
    assert answers(program, engine.url, "index")["moved"] > 0


def test_only_the_owner_indexes(program: InProcess, engine: Engine) -> None:
    done = program.run("--as", "human:claire", "engine", "index", engine.url)
    assert (done.returncode, "only the vault's owner may index the whole vault elsewhere" in done.stderr) == (4, True)


@pytest.mark.parametrize("mixed", [False, True])
def test_what_differs_between_commits_is_what_their_files_differ_in(tmp_path: Path, *, mixed: bool) -> None:
    program = InProcess(tmp_path)
    (program.vault / "below").mkdir(parents=True)
    files = {"a.md": "A", "below/b.md": "B", "below/c.txt": "C", ".memstore-ignored": ""}
    for path, text in files.items():
        (program.vault / path).write_text(text)
    git(program.vault, "init", "-q", "-b", "main")
    program.ok("init", ".")
    program.ok("config", "notes", "mixed" if mixed else "own")
    commit(program)
    commits = [git(program.vault, "rev-parse", "HEAD").strip()]
    for act in (
        lambda: (program.vault / "a.md").write_text("other"),
        lambda: (program.vault / "below" / "b.md").rename(program.vault / "d.md"),
        (program.vault / "a.md").unlink,
        lambda: (program.vault / "a.md").symlink_to("d.md"),
        lambda: (program.vault / ".gitignore").write_text("d.md\n"),
        lambda: (program.vault / ".memstoreignore").write_text("d.md\n"),
        lambda: (program.vault / ".gitattributes").write_text("*.md text\n"),
    ):
        act()
        commit(program)
        commits.append(git(program.vault, "rev-parse", "HEAD").strip())
    with patch.dict(os.environ, program.environment, clear=True):
        history = open_workspace(Environment.of_process(), vault=str(program.vault)).history
    told = 0
    for before, after in itertools.pairwise(commits):
        old, new = history.files_at(before), history.files_at(after)
        found = history.files_changed(before, after)
        if found is not None:
            told += 1
            assert {path: blob for path, blob in found.items() if old.get(path) != blob} == {
                path: new.get(path) for path in {*old, *new} if old.get(path) != new.get(path)
            }
    assert told >= 4
    assert history.files_changed("0" * 40, commits[-1]) is None
    assert history.files_changed(commits[-3], commits[-2]) is None
