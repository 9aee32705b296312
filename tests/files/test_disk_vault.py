from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import LockedError, VaultError
from memstore.core.places import TEMPORARY_PREFIX
from memstore.files.write_lock import WriteLock
from tests.support import disk_vault

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.files.disk_vault import DiskVault


def paths(vault: DiskVault) -> set[str]:
    return {file.path for file in vault.memory_files()}


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("a.md", b"old")
    (vault.root / "a.md").chmod(0o640)
    vault.replace("a.md", b"new", expected=b"old")
    assert (vault.root / "a.md").stat().st_mode & 0o777 == 0o640


def test_a_write_through_a_link_goes_where_it_leads(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("deep/real.md", b"old")
    (vault.root / "link.md").symlink_to("deep/real.md")
    vault.replace("link.md", b"new", expected=b"old")
    assert (vault.root / "link.md").is_symlink()
    assert vault.read("deep/real.md") == b"new"


def test_links_are_not_listed_and_read_inside_the_vault_only(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("deep/real.md", b"text")
    (tmp_path / "secret.md").write_bytes(b"secret")
    (vault.root / "inside.md").symlink_to("deep/real.md")
    (vault.root / "outside.md").symlink_to(tmp_path / "secret.md")
    (vault.root / "loop.md").symlink_to("loop.md")
    (vault.root / "folder-loop").symlink_to(".")
    (vault.root / "away").symlink_to(tmp_path)
    assert paths(vault) == {"deep/real.md"}
    assert vault.read("inside.md") == b"text"
    for path in ("outside.md", "loop.md", "away/secret.md"):
        with pytest.raises(VaultError):
            vault.read(path)
    with pytest.raises(VaultError):
        vault.create("away/new.md", b"x")


def test_what_is_no_regular_file_is_neither_listed_nor_waited_for(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    os.mkfifo(vault.root / "pipe.md")
    (vault.root / "folder.md").mkdir()
    assert paths(vault) == set()
    for path in ("pipe.md", "folder.md"):
        with pytest.raises(VaultError):
            vault.read(path)


def test_a_folder_that_cannot_be_opened_is_passed_over(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("a.md", b"a")
    handle = os.open(vault.root, os.O_RDONLY)
    for _ in range(25):  # deeper than any path may be long
        os.mkdir("d" * 200, dir_fd=handle)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    assert paths(vault) == {"a.md"}


def test_ignore_rules(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    for path in ("drafts/a.md", "keep/b.md", "keep/c.tmp.md", "keep/d.tmp.md"):
        vault.create(path, b"x")
    (vault.root / ".memstoreignore").write_text("drafts/\n*.tmp.md\n!d.tmp.md\n")
    assert paths(vault) == {"keep/b.md", "keep/d.tmp.md"}


def test_names_with_odd_bytes(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    name = os.fsdecode(b"caf\xe9 \n.md")
    vault.create(name, b"x")
    assert paths(vault) == {name}
    vault.replace(name, b"y", expected=b"x")
    assert vault.read(name) == b"y"


def test_leftovers_of_killed_writers_are_unseen_and_swept_when_old(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    old, young = (vault.root / f"{TEMPORARY_PREFIX}{name}.md" for name in ("old", "young"))
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (1, 1))
    vault.create("a.md", b"a")
    assert paths(vault) == {"a.md"}
    assert not old.exists()
    assert young.exists()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("a.md", b"old")
    vault.root.joinpath("a.md").write_bytes(b"editor")
    with pytest.raises(Exception, match="changed in the meantime"):
        vault.replace("a.md", b"new", expected=b"old")
    assert [place.name for place in vault.root.iterdir()] == ["a.md"]
    assert vault.read("a.md") == b"editor"


HOLD = """
import sys
from pathlib import Path
from memstore.files.write_lock import WriteLock
with WriteLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_full_disk_keeps_the_name_out_of_the_lock_and_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with WriteLock(tmp_path / "write.lock").held():
        pass


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room there, and try again"),
        (errno.EROFS, "the disk can be read, but not written: mount it writable, or copy the vault"),
        (errno.EACCES, "remove what lies there, or fix the folder's permissions"),
    ],
)
def test_a_lock_that_can_not_be_made_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def refused(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(VaultError, match="can't make the lock") as found, WriteLock(tmp_path / "write.lock").held():
        pass
    assert found.value.hint == hint


def test_the_lock_keeps_another_program_out_and_dies_with_it(tmp_path: Path) -> None:
    place = tmp_path / "state" / "write.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        lock = WriteLock(place, patience_seconds=0)
        with pytest.raises(LockedError, match=f"process {holder.pid} on "), lock.held():
            pass
        holder.kill()
        holder.wait()
    with lock.held(), lock.held():
        pass
    assert place.parent.stat().st_mode & 0o777 == 0o700
