"""The vault: a folder of files that people edit at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memstore.files.memory_file import ReadFile

# The outcome of a `VaultError` whose call has changed the file, and could not take that back.
DONE_ALL_THE_SAME = "; the change was made nevertheless"


class FileStat(NamedTuple):
    """What tells that a file changed: size in bytes, times in nanoseconds, inode."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class VaultFiles(Protocol):
    """Files below one folder. Paths are relative to it, with forward slashes; odd bytes as surrogate escapes.

    A call that changes a file raises `ChangedMeanwhileError` only where it has not changed it, and another error mostly
    so: the outcome of one that has is `DONE_ALL_THE_SAME`, or Python was interrupted. What somebody saves at the same
    moment is never lost where the system can exchange two files in one step.
    """

    @property
    def root(self) -> Path:
        """The vault's folder."""

    @property
    def mixed(self) -> bool:
        """Whether notes of other programs lie here (`core.config.Config.mixed`)."""

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories (2-format.md, "Where"), in no order."""

    def registry_files(self) -> Iterator[str]:
        """Yield the paths of all registry files (`core.places`), in no order."""

    def audit_files(self) -> Iterator[str]:
        """Yield the paths of all files with audit events, in no order."""

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            TooLargeError: it has more bytes than a memory may have (`fence.MOST_BYTES`); no more of them were read.
            NoFileError: there is no such file.
            VaultError: it is no regular file, can't be read, or lies outside the vault.
        """

    def leaves_out(self, path: str) -> bool:
        """Whether `.memstoreignore`, or git's in a vault with other notes, leaves out what lies at a path."""

    def saved_at(self, path: str) -> datetime | None:
        """Return when a file was saved last, UTC; None where there is no such file."""

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:
        """Write a new file, whole or not at all; `ChangedMeanwhileError` where one is there already.

        Args:
            path: the file.
            data: its bytes.
            like: a file whose permissions and time it takes over, as when it is moved; nothing is, where that is gone.
        """

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        """Write a file anew, whole or not at all; `ChangedMeanwhileError` unless its bytes are `expected`."""

    def delete(self, path: str, *, expected: bytes) -> None:
        """Take a file away; `ChangedMeanwhileError` unless its bytes are `expected`."""

    def together(self) -> AbstractContextManager[None]:
        """Let files that are created meanwhile be durable at the end, and not each at once; a `VaultError` if not.

        For operations that a journal takes back after a crash.
        """

    def lock(self) -> AbstractContextManager[None]:
        """Keep other writers out; `LockedError` when one stays for longer than a few seconds."""


def note_bytes(vault: VaultFiles, path: str) -> bytes:
    """Return the bytes of a file as `VaultFiles.read` does; of a plain note that is too large, none."""
    try:
        return vault.read(path)
    except TooLargeError as error:
        from memstore.files import memory_file

        read = memory_file.read_too_large(path, error.beginning, size=error.size, mixed=vault.mixed)
        if isinstance(read, memory_file.PlainFile):
            return read.data
        raise


def read_file(vault: VaultFiles, path: str) -> ReadFile:
    """Return what the file at `path` holds; one that is too large is a note without text, or a broken file."""
    from memstore.files import memory_file

    try:
        return memory_file.read(path, vault.read(path), mixed=vault.mixed)
    except TooLargeError as error:
        return memory_file.read_too_large(path, error.beginning, size=error.size, mixed=vault.mixed)
