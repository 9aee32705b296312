"""What many tests need: a clock that ticks, ids that count, and a vault in a temporary folder."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import settings

from memstore.core.errors import SealedError
from memstore.files.age_file import MAGIC, is_sealed
from memstore.files.disk_vault import DiskVault

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from memstore.core.finding import Finding
    from memstore.files.vault import Opener


def examples(most: int) -> int:
    """Return how many of `most` examples a property is tried with: a quarter, all if explored."""
    return max(1, most * (settings.default or settings()).max_examples // 100)


def as_meant(data: bytes, finding: Finding) -> str:
    """Return the line of a finding with what was meant in the place of what the finding is about."""
    lines = [line.removesuffix("\r") for line in data.decode(errors="surrogateescape").split("\n")]
    assert finding.extent, finding
    start, end = finding.extent
    first, last = lines[start.line - 1], lines[end.line - 1]
    assert (1, 1) <= start <= end, finding
    assert start.column <= len(first) + 1, finding
    assert end.column <= len(last) + 1, finding
    return first[: start.column - 1] + (finding.meant or "") + last[end.column - 1 :]


class TickClock:
    """A clock that advances by a minute with every look."""

    def __init__(self, start: datetime = datetime(2026, 2, 1, 12, tzinfo=UTC)) -> None:
        self._next = start

    def now(self) -> datetime:
        now, self._next = self._next, self._next + timedelta(minutes=1)
        return now

    def here(self) -> datetime:
        return self.now()


class CountingIds:
    """Ids that count: m_0000000001, m_0000000002; others begin otherwise, as ids that chance makes do.

    Args:
        first: the first characters of all of them.
    """

    def __init__(self, first: str = "") -> None:
        self._first = first
        self._count = 0

    def memory_id(self) -> str:
        self._count += 1
        return f"m_{self._first}{self._count:0{10 - len(self._first)}d}"


def disk_vault(tmp_path: Path, *, mixed: bool = False, opener: Opener | None = None) -> DiskVault:
    """Return an empty vault, with its state beside it."""
    root = tmp_path / "vault"
    root.mkdir()
    return DiskVault(root, state=tmp_path / "state", mixed=mixed, opener=(lambda: opener) if opener else None)


class Reversing:
    """Opens what looks sealed by reading it backwards."""

    state = "reversing"

    def opened(self, path: str, data: bytes) -> bytes:
        if not is_sealed(data):
            raise SealedError(f"{path} is not sealed", is_damaged=True)
        return data.removeprefix(MAGIC)[::-1]


def reversed_as_sealed(data: bytes) -> bytes:
    """Return what `Reversing` opens."""
    return MAGIC + data[::-1]


def shut(patch: pytest.MonkeyPatch, place: Path) -> None:
    """Let a file or a folder be there and not be opened, as without the permission: to root nothing is forbidden."""
    opened = os.open

    def open_unless_shut(path: Any, *args: Any, **settings: Any) -> int:
        if not isinstance(path, int) and os.fspath(path) == os.fspath(place):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        return opened(path, *args, **settings)

    patch.setattr(os, "open", open_unless_shut)


def memory_text(body: str = "Some text.\n", **keys: str) -> bytes:
    """Return the bytes of a memory file with these frontmatter values, written as given."""
    head = "".join(f"{name}: {value}\n" for name, value in ({"type": "note"} | keys).items())
    return f"---\n{head}---\n{body}".encode()
