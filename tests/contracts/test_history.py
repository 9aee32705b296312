"""What every history keeps, whatever the repository is like."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import ChangedMeanwhileError, GitError, LockedError, NotFoundError, RefusedError
from memstore.history.git_history import GitHistory
from tests.git_repositories import git, repository

if TYPE_CHECKING:
    from pathlib import Path

DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)
ONE, TWO, THREE = (b"---\ntype: note\nid: m_%d\n---\nfirst\nsecond\n" % i for i in (1, 2, 3))
ODD_PATHS = ("with space.md", 'quo"te.md', "li\nne.md", "odd\udcff.md", "ä/ö.md", ":(top)x.md", "-dash.md", "[a]*.md")


@pytest.fixture(params=["sha1", "sha256", "folder", "worktree", "detached", "linked", "broken line"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder of a vault in a repository of each kind."""
    top = repository(tmp_path / "top", "sha256" if request.param == "sha256" else "sha1")
    match request.param:
        case "folder":
            vault = top / "some notes" / "väult"
            vault.mkdir(parents=True)
            return vault
        case "worktree":
            git(top, "commit", "-q", "--allow-empty", "-m", "empty")
            git(top, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
            return tmp_path / "tree"
        case "detached":
            git(top, "commit", "-q", "--allow-empty", "-m", "empty")
            git(top, "checkout", "-q", "--detach")
            return top
        case "linked":
            (tmp_path / "link").symlink_to(top)
            return tmp_path / "link"
        case "broken line":
            return repository(tmp_path / 'a "b"\n\\c')
        case _:
            return top


@pytest.fixture
def history(root: Path) -> GitHistory:
    return GitHistory(root, os.environ)


def committed(history: GitHistory, files: dict[str, bytes | None], message: str = "m", *, day: int = 0) -> str:
    return history.commit(files, message, at=DAY + timedelta(days=day))


def test_files_and_bytes_come_back(history: GitHistory) -> None:
    files = dict.fromkeys(ODD_PATHS, ONE) | {"memories/a.md": TWO}
    commit = committed(history, dict(files))
    found = history.files_at(commit)
    assert set(found) == set(files)
    blobs = history.blobs(found.values())
    assert {path: blobs[blob] for path, blob in found.items()} == files
    assert found["memories/a.md"] == history.blob_id(TWO)
    assert history.blobs(["0" * len(history.blob_id(b""))]) == {}


def test_the_past_has_all_that_any_commit_or_a_kept_one_had(history: GitHistory, root: Path) -> None:
    first = committed(history, {**dict.fromkeys(ODD_PATHS, ONE), "README.md": b"no memory\n"})
    assert set(history.past_blobs()) == {history.blob_id(ONE)}
    states = {history.past_state(), history.past_state()}
    history.keep("anchors/m_1/1", committed(history, {"a.md": TWO}, day=1))
    states.add(history.past_state())
    git(root, "reset", "-q", "--hard", first)
    committed(history, {"a.md": THREE, "with space.md": None}, day=2)
    states.add(history.past_state())
    assert set(history.past_blobs()) == {history.blob_id(data) for data in (ONE, TWO, THREE)}
    git(root, "update-ref", "-d", "refs/memstore/anchors/m_1/1")
    assert set(history.past_blobs()) == {history.blob_id(data) for data in (ONE, THREE)}
    assert len({*states, history.past_state()}) == 4


def test_before_the_first_commit_there_is_no_past(tmp_path: Path) -> None:
    assert set(GitHistory(repository(tmp_path), os.environ).past_blobs()) == set()


def test_only_what_could_be_a_memory_is_listed(history: GitHistory, root: Path) -> None:
    files: dict[str, bytes | None] = {
        "a.md": ONE, "README.md": ONE, "a.txt": ONE, "entities/e.md": ONE, "out/b.md": ONE,
        ".memstoreignore": b"out/\n",
    }  # fmt: skip
    assert set(history.files_at(committed(history, files))) == {"a.md"}


def test_a_commit_has_exactly_its_files_and_leaves_what_is_staged(history: GitHistory, root: Path) -> None:
    committed(history, {"a.md": ONE, "b.md": ONE})
    (root / "staged.md").write_bytes(THREE)
    git(root, "add", "staged.md")
    commit = committed(history, {"a.md": TWO, "b.md": None}, day=1)
    assert set(history.files_at(commit)) == {"a.md"}
    assert [(change.path, change.old) for change in history.staged()] == [("staged.md", None)]
    (root / "a.md").write_bytes(TWO)
    (root / "b.md").unlink(missing_ok=True)
    assert git(root, "status", "--porcelain").splitlines() == [
        f"A  {quoted(git(root, 'rev-parse', '--show-prefix').strip())}"
    ]


def quoted(prefix: str) -> str:
    path = f"{prefix}staged.md"
    return f'"{path}"' if " " in path and path.isascii() else git_quoted(path)


def git_quoted(path: str) -> str:
    if path.isascii():
        return path
    spelt = "".join(c if c.isascii() else "".join(f"\\{byte:03o}" for byte in c.encode()) for c in path)
    return f'"{spelt}"'


def test_commits_are_told_newest_first_with_what_they_changed(history: GitHistory) -> None:
    first = committed(history, {"a.md": ONE, "b.md": TWO}, "first\n\nBody: ä")
    second = committed(history, {"a.md": TWO}, "second", day=1)
    third = committed(history, {"b.md": None}, "third", day=2)
    commits = history.commits()[:3]
    assert [commit.id for commit in commits] == [third, second, first]
    assert [commit.summary for commit in commits] == ["third", "second", "first"]
    assert commits[2].message.strip() == "first\n\nBody: ä"
    assert {(commit.author, commit.email) for commit in commits} == {("Tester", "tester@example.org")}
    assert [commit.at for commit in commits] == [DAY + timedelta(days=i) for i in (2, 1, 0)]
    one, two = history.blob_id(ONE), history.blob_id(TWO)
    assert [[(f.path, f.old, f.new) for f in change.files] for change in history.changes(commits)] == [
        [("b.md", two, None)],
        [("a.md", one, two)],
        [("a.md", None, one), ("b.md", None, two)],
    ]
    assert [commit.id for commit in history.commits(path="a.md")] == [second, first]
    assert [commit.id for commit in history.commits(path="a.md", start=first)] == [first]
    assert [commit.id for commit in history.commits(limit=1)] == [third]


def test_odd_paths_have_a_history_too(history: GitHistory) -> None:
    commit = committed(history, dict.fromkeys(ODD_PATHS, ONE))
    for path in ODD_PATHS:
        assert [found.id for found in history.commits(path=path)] == [commit], path
        assert {found.id for found in history.blame(path, commit)} == {commit}, path


def test_a_merge_is_told_once_for_each_parent(history: GitHistory, root: Path) -> None:
    base = committed(history, {"a.md": ONE, "b.md": ONE})
    git(root, "checkout", "-q", "-f", "-b", "side")
    side = committed(history, {"a.md": TWO}, day=1)
    git(root, "checkout", "-q", "-f", "--detach", base)
    main = committed(history, {"b.md": TWO}, day=2)
    git(root, "checkout", "-q", "-f", "--detach", main)
    git(root, "merge", "-q", "--no-edit", "side")
    merge, *_ = history.commits(limit=1)
    assert set(merge.parents) == {main, side}
    against = {change.parent: [file.path for file in change.files] for change in history.changes([merge])}
    assert against == {main: ["a.md"], side: ["b.md"]}


def test_every_line_has_the_commit_that_wrote_it(history: GitHistory) -> None:
    first = committed(history, {"a.md": b"one\ntwo\nthree"})
    second = committed(history, {"a.md": b"one\n2\nthree"}, day=1)
    assert [commit.id for commit in history.blame("a.md", second)] == [first, second, first]
    assert history.blame("a.md", second)[1].at == DAY + timedelta(days=1)


def test_a_revision_or_a_time_names_a_commit(history: GitHistory) -> None:
    first = committed(history, {"a.md": ONE})
    second = committed(history, {"a.md": TWO}, day=1)
    assert history.resolve("HEAD") == history.head() == second
    assert history.resolve("HEAD~1") == history.resolve(first[:8]) == first
    assert history.last_commit(until=DAY) == first
    assert history.last_commit(until=DAY + timedelta(days=1, seconds=-1)) == first
    assert history.last_commit(until=DAY + timedelta(days=1)) == second
    assert history.last_commit(until=datetime(1975, 1, 1, tzinfo=UTC)) is None


@pytest.mark.soak(3)
@pytest.mark.parametrize("words", ["nothing", "-n1", "--all", "HEAD:a.md", "a\0b", "", "HEAD^{tree}", "HEAD~99", "@{9"])
def test_what_names_no_commit_is_not_found(history: GitHistory, words: str) -> None:
    committed(history, {"a.md": ONE})
    with pytest.raises(NotFoundError):
        history.resolve(words)


def test_staged_files_are_told_with_their_old_and_new_blobs(history: GitHistory, root: Path) -> None:
    committed(history, {"a.md": ONE, "b.md": ONE})
    git(root, "reset", "-q", "--hard")
    (root / "a.md").write_bytes(TWO)
    (root / "b.md").rename(root / "li\nne.md")
    (root / "README.md").write_bytes(THREE)
    git(root, "add", "-A", ".")
    (root / "a.md").write_bytes(THREE)
    one, two = history.blob_id(ONE), history.blob_id(TWO)
    found = {change.path: (change.old, change.new) for change in history.staged()}
    assert found == {"a.md": (one, two), "b.md": (one, None), "li\nne.md": (None, one)}
    assert history.staged_ids({"m_2", "m_1"}) == {"a.md": "m_2", "li\nne.md": "m_1"}
    assert history.staged_ids({"m_3"}) == {}


def test_a_commit_on_a_moved_branch_is_refused(
    history: GitHistory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(history, {"a.md": ONE})
    from memstore.history.git_commit import CommitMaker

    stage = CommitMaker._stage

    def meanwhile(self: CommitMaker, entries: bytes, scratch: Path) -> None:
        stage(self, entries, scratch)
        git(root, "commit", "-q", "--allow-empty", "-m", "somebody else")

    monkeypatch.setattr(CommitMaker, "_stage", meanwhile)
    with pytest.raises(ChangedMeanwhileError):
        committed(history, {"a.md": TWO}, day=1)
    assert git(root, "log", "-1", "--format=%s").strip() == "somebody else"


def test_a_branch_that_is_checked_out_elsewhere_is_not_moved(root: Path, tmp_path: Path) -> None:
    """Also with a git that does not know `worktree list -z`, which came with 2.36."""
    older = tmp_path / "older"
    older.mkdir()
    (older / "git").write_text(
        f"""#!/bin/sh
case " $* " in *" worktree list "*" -z "*) echo "error: unknown switch \\`z'" >&2; exit 129;; esac
exec {shutil.which("git")} "$@"
"""
    )
    (older / "git").chmod(0o755)
    history = GitHistory(root, dict(os.environ) | {"PATH": f"{older}{os.pathsep}{os.environ['PATH']}"})
    committed(history, {"a.md": ONE})
    history.commit_on("free", {"b.md": TWO}, "m", at=DAY)
    git(root, "worktree", "add", "-q", "-b", "busy\u2028", str(tmp_path / "li\nne"))
    with pytest.raises(RefusedError, match="checked out"):
        history.commit_on("busy\u2028", {"b.md": TWO}, "m", at=DAY)


def test_a_locked_index_stops_the_commit(history: GitHistory, root: Path) -> None:
    first = committed(history, {"a.md": ONE})
    lock = root / git(root, "rev-parse", "--git-path", "index.lock").strip()
    lock.touch()
    with pytest.raises(LockedError, match=r"index\.lock"):
        committed(history, {"a.md": TWO}, day=1)
    assert history.head() == first
    lock.unlink()
    committed(history, {"a.md": TWO}, day=1)
    assert not lock.exists()


def test_without_an_identity_only_a_commit_fails(root: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "GIT_CONFIG_GLOBAL"}
    history = GitHistory(root, environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "EMAIL": ""})
    git(root, "config", "user.useConfigOnly", "true")
    assert history.commits() == [] or history.head()
    with pytest.raises(GitError, match="who is committing") as told:
        committed(history, {"a.md": ONE})
    assert "git config --global user.name" in str(told.value.hint)
    assert "git config --global user.email" in str(told.value.hint)


def test_a_merge_under_way_is_not_disturbed(history: GitHistory, root: Path) -> None:
    committed(history, {"a.md": ONE})
    (root / git(root, "rev-parse", "--git-path", "MERGE_HEAD").strip()).write_text(f"{history.head()}\n")
    with pytest.raises(GitError, match="merge"):
        committed(history, {"a.md": TWO}, day=1)


def test_an_executable_file_stays_one(history: GitHistory, root: Path) -> None:
    (root / "run.md").write_bytes(ONE)
    (root / "run.md").chmod(0o755)
    git(root, "add", "run.md")
    git(root, "commit", "-q", "-m", "a program")
    committed(history, {"run.md": TWO}, day=1)
    assert git(root, "ls-files", "-s", "run.md").startswith("100755")
    assert git(root, "ls-tree", "HEAD", "run.md").startswith("100755")


def test_a_vault_without_a_repository_says_so(tmp_path: Path) -> None:
    history = GitHistory(tmp_path, os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert history.repository is None
    with pytest.raises(GitError, match="not in a git repository") as told:
        history.require()
    assert "git init" in str(told.value.hint)
    with pytest.raises(GitError):
        history.head()
    with pytest.raises(GitError):
        history.hooks.states()


def test_a_vault_without_git_says_so(root: Path) -> None:
    history = GitHistory(root, {"PATH": "/nowhere"})
    assert history.repository is None
    with pytest.raises(GitError, match="not installed"):
        history.require()
