"""What every log of uses keeps, and what the one on disk makes of odd files."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.search.local_state import DiskUsage
from memstore.search.usage_log import Use
from tests.memory_workspace import ListedUses

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.search.facets import UsageLog

AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
TEA, LATER, MILK = (
    Use("m_tea", AT, "human:sean", "show"),
    Use("m_tea", AT + timedelta(days=3), "si:ash", "cite"),
    Use("m_tea2", AT, "human:sean", "expand"),
)


@pytest.fixture(params=["disk", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> UsageLog:
    return DiskUsage(tmp_path / "state") if request.param == "disk" else ListedUses()


def test_uses_come_back_by_memory(log: UsageLog) -> None:
    assert list(log.uses()) == []
    for use in (TEA, LATER, MILK):
        log.record(use)
    assert sorted(log.uses(["m_tea"])) == [TEA, LATER]
    assert list(log.uses(["m_tea2", "m_none", ""])) == [MILK]
    assert list(log.uses([])) == []
    assert sorted(log.uses()) == [TEA, LATER, MILK]


def test_nobody_else_can_read_the_log(tmp_path: Path) -> None:
    log = DiskUsage(tmp_path / "state")
    log.record(TEA)
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert log.path.parent.stat().st_mode & 0o077 == 0
    assert log.path.read_bytes() == (b'{"id":"m_tea","at":"2026-02-01T12:00:00Z","by":"human:sean","how":"show"}\n')


def test_another_programs_uses_are_seen(tmp_path: Path) -> None:
    log, other = DiskUsage(tmp_path), DiskUsage(tmp_path)
    log.record(TEA)
    assert list(log.uses(["m_tea"])) == [TEA]
    other.record(LATER)
    assert list(log.uses(["m_tea"])) == [TEA, LATER]


def test_who_is_not_to_be_tracked_is_not(tmp_path: Path) -> None:
    DiskUsage(tmp_path).record(TEA)
    log = DiskUsage(tmp_path, records=False)
    log.record(LATER)
    assert list(log.uses()) == [TEA]


@pytest.mark.parametrize("length", range(1, 74))
def test_a_line_torn_anywhere_costs_itself_alone(tmp_path: Path, length: int) -> None:
    log = DiskUsage(tmp_path)
    log.record(MILK)
    whole = log.path.read_bytes()
    log.record(TEA)
    log.path.write_bytes(log.path.read_bytes()[: len(whole) + length])
    log.record(LATER)
    left = [TEA] if length == 73 else []  # all but its line feed
    assert sorted(log.uses()) in ([LATER, MILK], sorted([*left, LATER, MILK]))
    assert LATER in list(log.uses(["m_tea"]))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n\n", b"\xff\xfe\x00", b"[]\n", b"null", b'{"id":"m_tea"}\n', b'{"id":"' * 1000,
        b'{"id":"m_tea","at":1,"by":"x","how":"y"}\n', b'{"id":"m_tea","at":"soon","by":"x","how":"y"}',
        b'{"id":"m_tea","at":"2026-01-01T00:00:00","by":"","how":""}\n', b'{"id":"m_tea",' + b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_log_of_ours_says_nothing(tmp_path: Path, data: bytes) -> None:
    log = DiskUsage(tmp_path)
    log.path.write_bytes(data)
    assert list(log.uses()) == []
    assert list(log.uses(["m_tea"])) == []


def test_a_log_that_cannot_be_written_or_read_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    in_the_way = DiskUsage(tmp_path / "file")
    folder = DiskUsage(tmp_path)
    folder.path.mkdir()
    for log in (in_the_way, folder):
        log.record(TEA)
        assert list(log.uses()) == []


def test_neither_a_link_nor_a_pipe_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b'{"id":"m_tea","at":"2026-02-01T12:00:00Z","by":"human:sean","how":"show"}\n')
    before = target.read_bytes()
    linked = DiskUsage(tmp_path / "a")
    linked.path.parent.mkdir()
    linked.path.symlink_to(target)
    linked.record(LATER)
    assert (target.read_bytes(), list(linked.uses())) == (before, [])
    piped = DiskUsage(tmp_path / "b")
    piped.path.parent.mkdir()
    os.mkfifo(piped.path)
    piped.record(TEA)
    assert list(piped.uses()) == []
