"""What every journal keeps, and what the one on disk does with odd files."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from memstore.core.change import Operation, Written
from memstore.core.errors import VaultError
from memstore.files import disk_journal
from memstore.files.disk_journal import DiskJournal
from tests.memory_workspace import LastOperation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.core.change import Journal

    Opened = Callable[[], Journal]

FILES = (Written("od\udcffd\n.md", None, b"\x00\xff"), Written("b.md", b"", None))
OPERATION = Operation(verb="add", at="2026-01-01T00:00:00Z", files=FILES, by="si:ash")
EARLIER = Operation(verb="set", at="2025-01-01T00:00:00Z", files=(Written("a.md", b"a", b"b"),))


@pytest.fixture(params=["disk", "memory"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """What opens the journal, as every program does for itself."""
    twin = LastOperation()
    return lambda: twin if request.param == "memory" else DiskJournal(tmp_path / "state")


def test_the_last_operation_comes_back(opened: Opened) -> None:
    journal = opened()
    assert journal.last() is None
    journal.record(Operation(verb="set", at="", files=()))
    journal.record(OPERATION)
    assert opened().last() == OPERATION


def test_what_was_begun_is_known_until_it_is_recorded(opened: Opened) -> None:
    journal = opened()
    assert journal.begun() is None
    assert not journal.recorded()
    journal.begin(OPERATION)
    assert (opened().begun(), opened().recorded(), journal.last()) == (OPERATION, False, None)
    journal.record(OPERATION)
    assert (opened().begun(), opened().recorded(), opened().last()) == (None, False, OPERATION)


def test_what_was_begun_can_be_forgotten(opened: Opened) -> None:
    opened().record(EARLIER)
    opened().begin(OPERATION)
    for _ in range(2):
        opened().clear()
        assert (opened().begun(), opened().last()) == (None, EARLIER)


def test_what_is_begun_again_is_not_what_was_recorded(opened: Opened) -> None:
    journal = opened()
    journal.begin(OPERATION)
    journal.record(OPERATION)
    journal.begin(OPERATION)
    assert not opened().recorded()


def test_back_at_its_mark_it_knows_what_it_knew(opened: Opened) -> None:
    by, other = "si:ash", "si:other"
    back_to_none = opened().mark(by)
    opened().record(EARLIER._replace(by=by))
    opened().record(OPERATION._replace(by=other))
    back_to_earlier = opened().mark(by)
    opened().record(OPERATION)
    assert opened().last() == OPERATION
    back_to_earlier()
    assert (opened().last(by), opened().last()) == (EARLIER._replace(by=by), OPERATION._replace(by=other))
    back_to_none()
    assert (opened().last(by), opened().last()) == (None, OPERATION._replace(by=other))


def test_the_journal_is_private(tmp_path: Path) -> None:
    journal = DiskJournal(tmp_path / "state")
    journal.record(OPERATION)
    journal.begin(OPERATION)
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "state").rglob("*")} == {0}


@pytest.mark.parametrize("most_bytes", [disk_journal.MOST_BYTES, 1])
def test_what_is_recorded_and_not_cleared_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_bytes: int
) -> None:
    monkeypatch.setattr(disk_journal, "MOST_BYTES", most_bytes)
    journal = DiskJournal(tmp_path)
    journal.begin(OPERATION)
    with monkeypatch.context() as patch:
        patch.setattr(type(tmp_path), "unlink", lambda path, **_: refused() if path.name[0] != "." else None)
        journal.record(OPERATION._replace(files=FILES[:1]))  # it has happened, so this is not a failure
    assert DiskJournal(tmp_path).begun() == OPERATION
    assert DiskJournal(tmp_path).recorded()
    journal.clear()
    assert not DiskJournal(tmp_path).recorded()


def test_what_cannot_be_kept_or_read_is_not_taken_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = DiskJournal(tmp_path)
    journal.record(EARLIER)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refused)
        for keep in (journal.begin, journal.record):
            with pytest.raises(VaultError, match="can't write the journal"):
                keep(OPERATION)
    assert (journal.begun(), journal.last()) == (None, EARLIER)
    (tmp_path / "begun-operation.json").mkdir()
    with pytest.raises(VaultError, match="can't read the journal"):
        journal.begun()


def refused(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_large_operation_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_journal, "MOST_BYTES", 3)
    journal = DiskJournal(tmp_path)
    journal.record(OPERATION)
    journal.record(Operation(verb="import", at="", files=(Written("a", b"12", b"34"),), by=OPERATION.by))
    assert journal.last() is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"version": 2}', b"\xff", b'{"version": 1, "files": [["zz"]]}'])
def test_what_is_no_journal_of_ours_says_nothing(tmp_path: Path, data: bytes) -> None:
    for name in ("last-operation.json", "begun-operation.json"):
        (tmp_path / name).write_bytes(data)
    journal = DiskJournal(tmp_path)
    assert (journal.last(), journal.begun(), journal.recorded()) == (None, None, False)


def test_operations_that_hold_a_name_are_dropped_and_another_takes_their_place(opened: Opened) -> None:
    journal = opened()
    journal.record(OPERATION._replace(by="si:one", files=(Written("a.md", None, b"id: m_gone"),)))
    journal.record(OPERATION._replace(by="si:two", files=(Written("m_gone.md", b"", None),)))
    journal.record(OPERATION._replace(by="si:three"))
    done = Operation(verb="forget", at="2026-01-02T00:00:00Z", files=(), by="si:ash")
    journal.forget(["m_gone"], done)
    assert [opened().last(by) for by in ("si:one", "si:two")] == [None, None]
    assert (opened().last("si:three") or OPERATION).by == "si:three"
    assert opened().last("si:ash") == opened().last() == done
