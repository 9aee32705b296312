"""Git's output, read while git prints it: whole, or an error, however it ends."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import GitError
from memstore.history.git_objects import printed_objects
from memstore.history.git_process import GitProcess
from memstore.history.outgoing import each_object
from tests.git_repositories import git, vault_in

if TYPE_CHECKING:
    from pathlib import Path


def test_objects_come_one_by_one_and_missing_ones_are_left_out(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    for i in range(300):
        vault.write(f"{i}.md", f"{i} " * 5_000)
    vault.commit("many")
    process = GitProcess(vault.root, os.environ)
    names = [line.split()[2] for line in git(vault.root, "ls-tree", "-r", "HEAD").splitlines()]
    asked = [names[0], "0" * 40, *names, names[0]]
    assert {name: found.data for name, found in each_object(process, asked)} == {
        name: process.run("cat-file", "blob", name) for name in names
    }


def test_who_reads_no_further_does_not_wait_for_git(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    for i in range(9):
        vault.write(f"{i}.md", f"{i} " * 100_000)
    vault.commit("long")
    names = [line.split()[2] for line in git(vault.root, "ls-tree", "-r", "HEAD").splitlines()]
    asked = ["0" * 40 + f"{i}" for i in range(5_000)]
    found = each_object(GitProcess(vault.root, os.environ), [*names, *asked])
    assert next(found)[0] == names[0]
    found.close()


def test_a_failure_of_git_is_told_in_its_words(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    with (
        pytest.raises(GitError, match="no-such-option"),
        GitProcess(vault.root, os.environ).printing("cat-file", "--no-such-option", data=b"") as pipe,
    ):
        assert pipe.read() == b""


def test_a_repository_of_another_account_is_refused_with_the_way_out(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    process = GitProcess(vault.root, os.environ)
    process.environ["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"
    with pytest.raises(GitError) as caught:
        process.run("rev-parse", "--git-dir")
    assert str(caught.value).startswith("git rev-parse failed: fatal: detected dubious ownership in repository at ")
    assert ";" not in str(caught.value)
    assert caught.value.hint == f"if you trust it: git config --global --add safe.directory {vault.root}"


@pytest.mark.parametrize("cut", [b"abc blob 4\nab", b"abc blob 4\n", b"abc blob 4\nabcd", b"abc bl"])
def test_an_object_that_ends_early_is_an_error(cut: bytes) -> None:
    with pytest.raises(GitError, match="in the middle"):
        list(printed_objects(io.BytesIO(cut)))


@pytest.mark.parametrize("sizes", [(0, 1, 0), (262_120, 5, 262_144, 1), (1_000_000, 262_143, 3), (0,) * 20_000])
def test_objects_of_any_size_are_cut_where_they_end(sizes: tuple[int, ...]) -> None:
    printed = b"0 missing\n".join(b"%d blob %d\n%s\n" % (i, size, b"\n" * size) for i, size in enumerate(sizes))
    assert [(name, len(found.data)) for name, found in printed_objects(io.BytesIO(printed))] == [
        (str(i), size) for i, size in enumerate(sizes)
    ]
