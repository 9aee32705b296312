from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import write_whole

if TYPE_CHECKING:
    from pathlib import Path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, b"one")
    path.chmod(0o640)
    write_whole(path, b"two")
    assert (path.read_bytes(), mode_of(path)) == (b"two", 0o640)
    write_whole(path, b"three", mode=0o755)
    assert (path.read_bytes(), mode_of(path)) == (b"three", 0o755)
    assert [found.name for found in tmp_path.iterdir()] == ["a"]


def test_a_link_is_replaced_and_what_it_led_to_stays(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"one")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"two")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"one"


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "in the way" / "x").mkdir(parents=True)
    with pytest.raises(OSError, match="in the way"):
        write_whole(tmp_path / "in the way", b"one")
    assert [found.name for found in tmp_path.iterdir()] == ["in the way"]
