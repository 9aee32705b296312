"""The only way to write: all of an operation or nothing of it, checked together and compared under the lock.

`save` and `save_all` write memories through it; `again_where_changed` runs a use case once more where somebody else
wrote in the meantime what it had read.
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, NoReturn, ParamSpec, Protocol, Self, TypeVar

from memstore.core.change import Edit, Saved
from memstore.core.errors import ChangedMeanwhileError, RefusedError, UsageError
from memstore.core.memory import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.core.change import Committed, Operation, Written
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


class Transaction(Protocol):
    """What is to be written, collected in a `with` block and written at its end; nothing is where the block fails.

    What is written: memories (`edit`), and files of the vault's own with the audit event of an act (`put`). All are
    checked before the first one is touched, and read again and compared under the lock.
    """

    def __enter__(self) -> Self:
        """Begin to collect."""

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        """Write all that was collected.

        Raises:
            FormatError: new bytes could not be read as a memory, or as what such a file has to be.
            RefusedError: a memory must not change in that way, or is not the actor's to change.
            ChangedMeanwhileError: a file is no longer what was read, or there is one already; nothing was written.
            MemstoreError: it could not be written, and was not; or it was and could not be committed, as the text says.
        """

    def edit(self, *edits: Edit) -> None:
        """Let files of memories become other bytes; those whose bytes stay the same are left alone."""

    def put(self, *files: Written) -> None:
        """Let files of the vault itself change: registries, consents, its keyring, pages, audit events."""

    def move(self, file: MemoryFile, to: str, after: bytes) -> None:
        """Give a memory's file another path, and the bytes that its links need there."""

    def take_back(self, last: Operation) -> Operation:
        """Undo an operation, and return what is written to do so; the only change of its transaction."""

    def commit_pending(self, refs: Sequence[str]) -> Committed:
        """Commit what is pending of the memories that `refs` mean, all of it for none; writes no file."""

    @property
    def saved(self) -> tuple[Saved, ...]:
        """What became of the memories, in the order of their edits; what would, in a dry run."""

    @property
    def commit(self) -> str | None:
        """The commit that has it all; None where none was asked for, or git takes no notice of any of it."""


# -- a use case again ------------------------------------------------------------------------------


P = ParamSpec("P")
T = TypeVar("T")

# Under the lock nobody but an editor can be in the way, and hardly one twice.
MOST_TRIES = 4


def again_where_changed(use_case: Callable[Concatenate[View, P], T]) -> Callable[Concatenate[View, P], T]:
    """Return a use case that writes, tried again under the vault's lock where its first try came too late.

    Two programs that change one memory at once both succeed: the second does its work on what the first has left. The
    first try takes no lock while it reads, so that many who write to different files don't wait for each other.
    """

    @wraps(use_case)
    def tried(view: View, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return use_case(view, *args, **named)
        except ChangedMeanwhileError:
            pass
        with view.locked():
            for _ in range(MOST_TRIES - 2):
                with suppress(ChangedMeanwhileError):
                    return use_case(view.again(), *args, **named)
            return use_case(view.again(), *args, **named)

    return tried


# -- writing memories ------------------------------------------------------------------------------


def save(
    view: View,
    edit: Edit,
    *,
    verb: str,
    dry_run: bool = False,
    commit: bool = False,
    message: str | None = None,
) -> Saved:
    """Write one memory; see `save_all`."""
    return save_all(view, [edit], verb=verb, dry_run=dry_run, commit=commit, message=message)[0]


def save_all(
    view: View,
    edits: Sequence[Edit],
    *,
    verb: str,
    dry_run: bool = False,
    commit: bool = False,
    own: Sequence[Written] = (),
    message: str | None = None,
) -> tuple[Saved, ...]:
    """Write the memories of one operation, after all of them have been checked.

    Args:
        view: the vault.
        edits: what is to be written; files whose bytes stay the same are left alone.
        verb: the command, for `undo`.
        dry_run: write nothing, and return what would be.
        commit: commit the files as well; the vault's configuration may ask for that too.
        own: files of the vault itself that belong to the operation: registries, consents, audit events.
        message: what the commit says; None for what the changes say themselves.

    Raises:
        MemstoreError: as `Transaction.__exit__`.
    """
    with view.transaction(verb, dry_run=dry_run, commit=commit, message=message) as change:
        change.edit(*edits)
        change.put(*own)
    return change.saved


def save_own(
    view: View, files: Sequence[Written], *, verb: str, dry_run: bool = False, commit: bool = False
) -> str | None:
    """Write files of the vault itself as one operation; return the commit that has them, None where there is none.

    Raises:
        MemstoreError: as `Transaction.__exit__`.
    """
    with view.transaction(verb, dry_run=dry_run, commit=commit) as change:
        change.put(*files)
    return change.commit


def refuse_as_not_owner(view: View, file: MemoryFile) -> NoReturn:
    """Say that only its owner changes a memory; the viewer knows already that it is there."""
    owner = file.memory.owner or view.config.owner
    raise RefusedError(
        f"{file.memory.ref or file.path} is {owner}'s, and only its owner may change it",
        hint="memstore add writes a memory of your own; --derived-from names what it was derived from",
    )


def message_of(view: View, reason: str | None, *, commit: bool, dry_run: bool) -> str | None:
    """Return what the commit is to say where a change leaves its reason nowhere else.

    Raises:
        UsageError: there is a reason, and nothing is committed that could keep it.
    """
    if reason and not (commit or view.config.auto_commit or dry_run):
        raise UsageError(
            "the reason goes into the commit message, and nothing is committed",
            hint="add -c, or leave it out and give it with memstore commit -m",
        )
    return reason


def shown(findings: Sequence[Finding]) -> str:
    """Return findings as lines that editors jump from."""
    return "\n".join(finding.line for finding in findings)


def hint(findings: Sequence[Finding]) -> str | None:
    """Return the first hint among findings."""
    return next((finding.hint for finding in findings if finding.hint), None)


def unified_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """Return the difference between two states of a file as `git diff` shows it; empty where they are the same."""
    import difflib

    if before == after:
        return ""
    if before is None:
        return _all_new(path, _lines(after))
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else f"a/{path}",
        "/dev/null" if after is None else f"b/{path}",
    )
    return "".join(map(_ended, lines))


def _all_new(path: str, lines: list[str]) -> str:
    """Return the difference to no file, for which nothing need be compared."""
    if not lines:
        return ""
    count = "" if len(lines) == 1 else f",{len(lines)}"
    return "".join([f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1{count} @@\n", *(_ended(f"+{line}") for line in lines)])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    """Return a file's lines with their ends; a carriage return is part of its line."""
    parts = (data or b"").decode(errors="replace").split("\n")
    return [f"{line}\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def unchanged(file: MemoryFile) -> Saved:
    """Return what became of a memory that stays as it is."""
    ref = file.memory.ref
    return Saved(ref=str(ref) if ref else None, path=file.path, title=title_of(file.memory), diff="")
