"""What every journal keeps, and what the one on disk does with odd files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.adapters import disk_journal
from memstore.adapters.disk_journal import DiskJournal
from memstore.ports.journal import Operation, Written

if TYPE_CHECKING:
    from pathlib import Path

FILES = (Written("od\udcffd\n.md", None, b"\x00\xff"), Written("b.md", b"", None))
OPERATION = Operation(verb="add", at="2026-01-01T00:00:00Z", files=FILES, by="si:ash")


def test_the_last_operation_comes_back(tmp_path: Path) -> None:
    journal = DiskJournal(tmp_path / "state")
    assert journal.last() is None
    journal.record(Operation(verb="set", at="", files=()))
    journal.record(OPERATION)
    assert DiskJournal(tmp_path / "state").last() == OPERATION
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "state").rglob("*")} == {0}


def test_what_was_begun_is_known_until_it_is_recorded(tmp_path: Path) -> None:
    journal = DiskJournal(tmp_path / "state")
    assert journal.begun() is None
    journal.begin(OPERATION)
    assert (DiskJournal(tmp_path / "state").begun(), journal.last()) == (OPERATION, None)
    journal.record(OPERATION)
    assert (journal.begun(), journal.last()) == (None, OPERATION)


def test_a_large_operation_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_journal, "MOST_BYTES", 3)
    journal = DiskJournal(tmp_path)
    journal.record(OPERATION)
    journal.record(Operation(verb="import", at="", files=(Written("a", b"12", b"34"),)))
    assert journal.last() is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"version": 2}', b"\xff", b'{"version": 1, "files": [["zz"]]}'])
def test_what_is_no_journal_of_ours_says_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "last-operation.json").write_bytes(data)
    assert DiskJournal(tmp_path).last() is None
