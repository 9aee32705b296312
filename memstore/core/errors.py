"""The hierarchy of errors. Each has an exit code and says what was tried, what was found and what to do."""

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
    """Base class of all errors that stop the work.

    Args:
        message: what was tried and what was found, in one sentence.
        hint: what to do about it, or None.
        outcome: what happened to the files, as the end of the sentence; a caller that knows better corrects it later.
    """

    exit_code: Exit = Exit.VAULT

    def __init__(self, message: str, *, hint: str | None = None, outcome: str = "") -> None:
        super().__init__(message)
        self.message, self.hint, self.outcome = message, hint, outcome

    def __str__(self) -> str:
        return self.message + self.outcome


class UsageError(MemstoreError):
    """A command, filter, query or date is worded wrongly."""

    exit_code = Exit.USAGE


class UnknownActorError(UsageError):
    """A group owns the vault, and it isn't known who acts; `supposed` is who git's settings or the login suggest."""

    supposed = ""


class NotFoundError(MemstoreError):
    """A ref matches no memory or more than one; also raised for a memory that may not be seen."""

    exit_code = Exit.NOT_FOUND


class InStackError(NotFoundError):
    """The named memory is in a stack that is loaded beside the vault: in `stack`, at `path` there."""

    def __init__(self, message: str, *, stack: str, path: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.stack = stack
        self.path = path


class PlainNoteError(NotFoundError):
    """The named file is a plain note, not a memory yet; `path` is the file, relative to the vault."""

    def __init__(self, message: str, *, path: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class NoIdError(UsageError):
    """The named memory has no id to refer to it by; `path` is its file, relative to the vault."""

    def __init__(self, path: str) -> None:
        from shlex import quote

        super().__init__(f"{path} has no id to refer to it by", hint=f"memstore adopt {quote(path)}")
        self.path = path


class RefusedError(MemstoreError):
    """Privacy, consent or a guard forbids it."""

    exit_code = Exit.REFUSED


class VaultError(MemstoreError):
    """The vault, git, the file system or a file's format prevents it."""

    exit_code = Exit.VAULT


class FormatError(VaultError):
    """A file does not follow the format and is therefore not touched; `why`, if it is known, at the place `where`."""

    def __init__(self, message: str, *, where: str = "", hint: str | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.where, self.why = where, message


class TooLargeError(VaultError):
    """A file is larger than a memory may be; only its `beginning`, up to that size, was read."""

    def __init__(self, message: str, *, size: int, beginning: bytes = b"", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.size, self.beginning = size, beginning


class NoFileError(VaultError):
    """The vault has no file of that name."""


class SealedError(VaultError):
    """A sealed file is not opened; `is_damaged` if no key could open it as it is, `is_other` if it is not sealed."""

    def __init__(
        self, message: str, *, is_damaged: bool = False, is_other: bool = False, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.is_damaged, self.is_other = is_damaged, is_other


class GitError(VaultError):
    """Git is missing or refused."""


class LockedError(MemstoreError):
    """Somebody else is writing."""

    exit_code = Exit.LOCKED


class ChangedMeanwhileError(MemstoreError):
    """The file has changed since it was read."""

    exit_code = Exit.LOCKED


class UnfinishedError(MemstoreError):
    """The time for an answer is over, and it is not there."""

    exit_code = Exit.INTERRUPTED


class OutOfTimeError(KeyboardInterrupt):
    """The time for an answer is over; `share` of `work` is done, in [0, 1]. No handler of errors takes it for one."""

    def __init__(self, work: str, share: float) -> None:
        super().__init__()
        self.work, self.share = work, share


# -- texts of errors that many modules raise -------------------------------------------------------


def changed_while_read(path: str) -> ChangedMeanwhileError:
    """Return the error for a file that was there a moment ago, and is not as it was."""
    return ChangedMeanwhileError(f"{path} changed while it was read", hint="try again")


# -- suggesting the intended word ------------------------------------------------------------------


# difflib's similarity ratio of two words, from 0 to 1. Its own default of 0.6 forgives a typo or two.
SIMILAR = 0.6


def nearest(word: str, known: Iterable[str], *, similar: float = SIMILAR) -> str | None:
    """Return the known word most like `word`; None if no word is at least this `similar`, in [0, 1]."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=similar)), None)


def did_you_mean(word: str, known: Iterable[str], *, otherwise: str, similar: float = SIMILAR) -> str:
    """Return a hint that names the nearest known word, or `otherwise` if none is near."""
    near = nearest(word, known, similar=similar)
    return f"did you mean {near}?" if near else otherwise
