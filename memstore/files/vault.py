"""The protocol for a vault: a folder of files that people edit at the same time."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.core.errors import SealedError, TooLargeError, VaultError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from memstore.core.places import RegistryKind
    from memstore.files.memory_file import ReadFile

# The outcome of a `VaultError` whose call changed the file and could not undo that.
DONE_ALL_THE_SAME = "; the change was made nevertheless"


class FileStat(NamedTuple):
    """The stats that reveal a changed file: size in bytes, times in nanoseconds, inode."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Opener(Protocol):
    """Opens sealed files with the keys that this machine has for its user."""

    @property
    def state(self) -> str:
        """A digest of the keys that there are: as long as it is the same, the same files are opened."""

    def opened(self, path: str, data: bytes) -> bytes:
        """Return what was sealed.

        Args:
            path: the file, for messages.
            data: the bytes of the sealed file.

        Raises:
            SealedError: no key here opens it, or it is damaged.
        """


class VaultFiles(Protocol):
    """Files below one folder. Paths are relative to it, with forward slashes; undecodable bytes are surrogate escapes.

    A call that changes a file raises `ChangedMeanwhileError` only if it has not changed the file. The same is true of
    other errors, except if their outcome is `DONE_ALL_THE_SAME` or Python was interrupted. Whatever somebody saves at
    the same moment is never lost if the system can exchange two files in one step.
    """

    @property
    def root(self) -> Path:
        """The vault's folder."""

    @property
    def mixed(self) -> bool:
        """Whether the vault holds notes of other programs (`core.config.Config.mixed`)."""

    def memory_files(self) -> Iterator[FileStat]:
        """Yield all Markdown files that can be memories (docs/format.md, "Where files are"), in no particular order."""

    def registry_files(self, kinds: "Iterable[RegistryKind] | None" = None) -> Iterator[str]:
        """Yield the paths of all registry files (`core.places`), or of those of some kinds, in no particular order."""

    def audit_files(self) -> Iterator[str]:
        """Yield the paths of all files with audit events, in no particular order."""

    def read(self, path: str) -> bytes:
        """Return a file's bytes; of a sealed memory, what was sealed.

        Raises:
            TooLargeError: it has more bytes than a memory may have (`fence.MOST_BYTES`); only that many were read.
            NoFileError: there is no such file.
            SealedError: it is sealed, and no key here opens it.
            VaultError: it is not a regular file, can't be read, or is outside the vault.
        """

    def stored(self, path: str) -> bytes:
        """Return a file's bytes as they are on disk, and in git: of a sealed memory, what everybody can read.

        All other calls that have bytes mean these. Raises errors as `read` does, but no `SealedError`.
        """

    def leaves_out(self, path: str) -> bool:
        """Return whether a path is excluded by `.memstoreignore`, or in a mixed vault by git's ignore files."""

    def saved_at(self, path: str) -> datetime | None:
        """Return when a file was last saved, in UTC; None if there is no such file."""

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:
        """Write a new file, completely or not at all; `ChangedMeanwhileError` if one already exists.

        Args:
            path: the file.
            data: its bytes.
            like: a file whose permissions and times the new one takes over, as in a move; ignored if it is gone.
        """

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        """Rewrite a file, completely or not at all; `ChangedMeanwhileError` unless its bytes are `expected`."""

    def delete(self, path: str, *, expected: bytes) -> None:
        """Delete a file; `ChangedMeanwhileError` unless its bytes are `expected`."""

    def together(self) -> "AbstractContextManager[None]":
        """Make files created meanwhile durable at the end instead of one by one; `VaultError` if that fails.

        For operations that a journal undoes after a crash.
        """

    def lock(self) -> "AbstractContextManager[None]":
        """Keep other writers out.

        Raises:
            LockedError: one holds the lock for longer than a few seconds.
            VaultError: the vault's folder is gone, or the lock can't be taken.
        """


def gone(root: Path) -> VaultError:
    """Return the error for a vault that was there when it was opened."""
    return VaultError(
        f"the vault {root} is no longer there", hint="put it back or mount it again, or open it where it is now"
    )


def note_bytes(vault: VaultFiles, path: str) -> bytes:
    """Return the bytes of a file as `VaultFiles.read` does; empty for a plain note that is too large."""
    try:
        return vault.read(path)
    except TooLargeError as error:
        from memstore.files import memory_file

        read = memory_file.read_too_large(path, error.beginning, size=error.size, mixed=vault.mixed)
        if isinstance(read, memory_file.PlainFile):
            return read.data
        raise


def read_file(vault: VaultFiles, path: str) -> "ReadFile":
    """Return the content of the file at `path`; one that is too large is a note without text, or a broken file."""
    from memstore.files import memory_file

    try:
        return memory_file.read(path, vault.read(path), mixed=vault.mixed)
    except SealedError as error:
        return memory_file.unopened(path, error, mixed=vault.mixed)
    except TooLargeError as error:
        return memory_file.read_too_large(path, error.beginning, size=error.size, mixed=vault.mixed)
