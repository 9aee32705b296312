from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import (
    cache_folder,
    find_repository,
    is_private,
    make_private,
    state_folder,
    vault_hash,
    write_whole,
)

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(folder: Path, *options: str) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", *options)
    git(folder, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def test_state_lies_where_git_would_put_it(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    (main / "deep" / "vault").mkdir(parents=True)
    (main / ".hidden" / ".git").mkdir(parents=True)  # empty, so git goes on upwards
    for vault in (main, main / "deep" / "vault", tmp_path / "tree", main / ".hidden"):
        expected = (vault / git(vault, "rev-parse", "--git-path", "memstore")).resolve()
        found = state_folder(vault, state_home=tmp_path / "home")
        assert found == expected / vault_hash(vault)


def test_outside_of_a_repository_state_lies_at_home(tmp_path: Path) -> None:
    assert find_repository(tmp_path) is None
    assert state_folder(tmp_path, state_home=tmp_path / "home").parent == tmp_path / "home" / "memstore"
    assert cache_folder(tmp_path, cache_home=tmp_path / "home").parent == tmp_path / "home" / "memstore"


def test_a_link_to_a_vault_is_the_same_vault(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert vault_hash(tmp_path / "link") == vault_hash(tmp_path / "real") != vault_hash(tmp_path)


def test_a_git_file_that_points_nowhere_is_no_repository(tmp_path: Path) -> None:
    for text in ("gitdir: nowhere\n", "nonsense\n"):
        (tmp_path / ".git").write_text(text)
        assert find_repository(tmp_path) is None


def test_how_a_repository_names_its_objects(tmp_path: Path) -> None:
    for name in ("sha1", "sha256"):
        found = find_repository(repository(tmp_path / name, f"--object-format={name}"))
        assert found is not None
        assert found.object_format == name


def test_private_folders(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    make_private(tmp_path / "a" / "b")
    assert is_private(tmp_path / "a" / "b")
    (tmp_path / "a" / "b").chmod(0o770)
    (tmp_path / "link").symlink_to("a")
    assert not is_private(tmp_path / "a" / "b")
    assert not is_private(tmp_path / "link")
    assert not is_private(tmp_path / "nothing")


def test_a_file_that_can_not_be_written_is_named_and_not_the_one_beside_it(tmp_path: Path) -> None:
    for place in (tmp_path / "missing" / "page.html", tmp_path / ("long" * 62 + ".html")):
        with pytest.raises(OSError, match=r"No such file|too long") as found:
            write_whole(place, b"<p>")
        assert found.value.filename == str(place)
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(IsADirectoryError) as found:
        write_whole(tmp_path / "folder.html", b"<p>")
    assert (found.value.filename, found.value.filename2) == (str(tmp_path / "folder.html"), None)
    assert [one.name for one in tmp_path.iterdir()] == ["folder.html"]
