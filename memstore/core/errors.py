"""The one tree of errors. Each has an exit code and says what was tried, what was found and what to do."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Exit(IntEnum):
    """Exit codes that scripts rely on; listed in docs/exit-codes.md."""

    DONE = 0
    FOUND_ERRORS = 1
    USAGE = 2
    NOT_FOUND = 3
    REFUSED = 4
    VAULT = 5
    LOCKED = 6
    BUG = 70
    INTERRUPTED = 130


class MemstoreError(Exception):
    """What stops the work.

    Args:
        message: what was tried and what was found, one sentence.
        hint: what to do about it, or None.
        outcome: what became of the files, as the end of the sentence; whoever knows better later puts it right.
    """

    exit_code: Exit = Exit.VAULT

    def __init__(self, message: str, *, hint: str | None = None, outcome: str = "") -> None:
        super().__init__(message)
        self.message, self.hint, self.outcome = message, hint, outcome

    def __str__(self) -> str:
        return self.message + self.outcome


class UsageError(MemstoreError):
    """The words of a command, a filter, a query or a date are off."""

    exit_code = Exit.USAGE


class NotThereYetError(UsageError):
    """A call that is promised, and not built yet; the text says which ability it needs."""


class NotFoundError(MemstoreError):
    """No memory, or more than one, answers to a ref; the same for one that may not be seen."""

    exit_code = Exit.NOT_FOUND


class PlainNoteError(NotFoundError):
    """What was named is a plain note, and no memory yet; `path` is its file, relative to the vault."""

    def __init__(self, message: str, *, path: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class RefusedError(MemstoreError):
    """Privacy, consent or a guard forbids it."""

    exit_code = Exit.REFUSED


class VaultError(MemstoreError):
    """The vault, git, the file system or a file's format is in the way."""

    exit_code = Exit.VAULT


class FormatError(VaultError):
    """A file does not follow the format and is therefore not touched."""


class TooLargeError(VaultError):
    """A file has more bytes than a memory may have, and was not read any further than that: its `beginning`."""

    def __init__(self, message: str, *, size: int, beginning: bytes = b"", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.size, self.beginning = size, beginning


class NoFileError(VaultError):
    """There is no file of that name in the vault."""


class GitError(VaultError):
    """Git is missing, or said no."""


class LockedError(MemstoreError):
    """Somebody else is writing."""

    exit_code = Exit.LOCKED


class ChangedMeanwhileError(MemstoreError):
    """The file is no longer the one that was read."""

    exit_code = Exit.LOCKED


# -- the word that was likely meant ----------------------------------------------------------------


# difflib's ratio of two words' similarity, from 0 to 1; at its own default of 0.6 a slip or two is forgiven.
SIMILAR = 0.6


def nearest(word: str, known: Iterable[str], *, similar: float = SIMILAR) -> str | None:
    """Return the known word that is most like `word`; None where none is at least so `similar`, in [0, 1]."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=similar)), None)


def did_you_mean(word: str, known: Iterable[str], *, otherwise: str, similar: float = SIMILAR) -> str:
    """Return a hint that names the nearest known word, or `otherwise` where none is near."""
    near = nearest(word, known, similar=similar)
    return f"did you mean {near}?" if near else otherwise
