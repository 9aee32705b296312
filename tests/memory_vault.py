"""A vault in memory: the twin of the one on disk, for tests of use cases."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import ChangedMeanwhileError, LockedError, NoFileError, SealedError, TooLargeError, VaultError
from memstore.core.places import RegistryKind, is_audit_path, is_memory_path, is_sealed_path, kind_of
from memstore.files.fence import MOST_BYTES
from memstore.files.vault import FileStat
from memstore.files.walk import rule_files, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from memstore.files.vault import Opener


class MemoryVault:
    """Files in a dict; every write is a tick later than the one before. All are listed, whatever is left out."""

    def __init__(
        self, files: dict[str, bytes] | None = None, *, mixed: bool = False, opener: Opener | None = None
    ) -> None:
        self.mixed = mixed
        self.opener = opener
        self.files: dict[str, bytes] = {}
        self._stats: dict[str, FileStat] = {}
        self._ticks = 0
        self.locked_by_another = False
        for path, data in (files or {}).items():
            self._write(path, data)

    @property
    def root(self) -> Path:
        return Path("/vault")

    def memory_files(self) -> Iterator[FileStat]:
        yield from [stat for path, stat in self._stats.items() if is_memory_path(path, mixed=self.mixed)]

    def registry_files(self, kinds: Iterable[RegistryKind] | None = None) -> Iterator[str]:
        wanted = {*(RegistryKind if kinds is None else kinds)}
        yield from [path for path in self.files if kind_of(path) in wanted]

    def audit_files(self) -> Iterator[str]:
        yield from [path for path in self.files if is_audit_path(path)]

    def read(self, path: str) -> bytes:
        data = self.stored(path)
        if not is_sealed_path(path):
            return data
        if self.opener is None:
            raise SealedError(f"{path} is sealed")
        return self.opener.opened(path, data)

    def stored(self, path: str) -> bytes:
        self._must_be_inside(path)
        if path not in self.files:
            raise NoFileError(f"can't read {path}: No such file")
        if len(self.files[path]) > MOST_BYTES:
            raise TooLargeError(f"{path} is too large", size=len(self.files[path]), beginning=self.files[path])
        return self.files[path]

    def leaves_out(self, path: str) -> bool:
        names = [name for name in rule_files([path], mixed=self.mixed) if name in self.files]
        return rules_of({name: self.files[name] for name in names}, mixed=self.mixed).leave_out(path)

    def saved_at(self, path: str) -> datetime | None:
        stat = self._stats.get(path)
        return datetime.fromtimestamp(stat.mtime_ns // 10**9, UTC) if stat else None

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:  # noqa: ARG002 -- no modes here
        self._must_be_free(path)
        self._write(path, data)

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        self._must_be(path, expected)
        self._write(path, data)

    def delete(self, path: str, *, expected: bytes) -> None:
        self._must_be(path, expected)
        self._forget(path)

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    @contextmanager
    def lock(self) -> Iterator[None]:
        if self.locked_by_another:
            raise LockedError("another program is writing to the vault")
        yield

    def _write(self, path: str, data: bytes) -> None:
        self._must_be_inside(path)
        self._ticks += 1
        time_ns = self._ticks * 10**9 + 1
        self.files[path] = data
        self._stats[path] = FileStat(path, len(data), time_ns, time_ns, self._ticks)

    def _forget(self, path: str) -> None:
        del self.files[path], self._stats[path]

    def _must_be_inside(self, path: str) -> None:
        if any(part in ("", ".", "..", ".git") for part in path.split("/")):
            raise VaultError(f"{path!r} is not a path in the vault")

    def _must_be_free(self, path: str) -> None:
        self._must_be_inside(path)
        if path in self.files:
            raise ChangedMeanwhileError(f"{path} already exists")

    def _must_be(self, path: str, expected: bytes) -> None:
        self._must_be_inside(path)
        if self.files.get(path) != expected:
            raise ChangedMeanwhileError(f"{path} changed in the meantime")
