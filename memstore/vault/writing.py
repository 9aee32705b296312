"""Write the files of one operation: all of them or none; an error says which of the two happened."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from memstore.core.change import Written
from memstore.core.errors import ChangedMeanwhileError, MemstoreError, NoFileError, TooLargeError, VaultError
from memstore.files.disk_vault import drop_leftovers
from memstore.files.fence import MOST_BYTES
from memstore.files.vault import DONE_ALL_THE_SAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.change import Journal, Operation
    from memstore.files.vault import VaultFiles
    from memstore.vault.workspace import Workspace

_NOTHING = "; nothing was written"


class _State(Enum):
    """The state of a file relative to the write; `OTHER` means that somebody else has changed it."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class _TakenBack(NamedTuple):
    """The paths of files not restored: still written, impossible to inspect, or changed by somebody else meanwhile."""

    written: list[str]
    unseen: list[str]
    left: list[str]
    errors: list[BaseException]

    @property
    def is_all(self) -> bool:
        """Whether nothing is left to take back."""
        return not (self.written or self.unseen)


@contextmanager
def locked(ws: Workspace) -> Iterator[None]:
    """Keep other writers out, and settle what one of them had begun outside of the tree before it died.

    Raises:
        LockedError: one stays for longer than a few seconds.
        VaultError: that can't be settled now; what is written on top of it would be lost with it.
    """
    with ws.vault.lock():
        if ws.pending_act is not None and ws.pending_act.exists():
            from memstore.vault.outside import settle

            try:
                take_back_begun(ws.vault, ws.journal)
                settle(ws)
            except OSError as error:
                raise VaultError(
                    f"what an interrupted command had begun can't be settled: {_text(error)}; nothing was written",
                    hint="make room on the disk, or fix the permissions",
                ) from error
        yield


def write_all(vault: VaultFiles, journal: Journal, operation: Operation, files: Sequence[Written]) -> None:
    """Write all files of one operation, or none; the caller holds `vault.lock()`.

    Args:
        vault: the vault to write to.
        journal: used by undo, and by the next program after a crash.
        operation: what undo is to remember. It may have fewer files than are written, since some, such as audit events,
            are never undone; without any files it is not remembered.
        files: what to write, each path once. A move is the deletion of one file and the creation of another with the
            same bytes: the new file keeps permissions and time.

    Raises:
        ChangedMeanwhileError: a file does not match its `before`; nothing was written.
        TooLargeError: a file would be too large to be read again; nothing was written.
        VaultError: a file or the journal could not be written; nothing was, unless the text says otherwise.
    """
    if len({file.path for file in files}) < len(files):
        raise ValueError("one operation writes each file once")
    # Deletions come last, so that the bytes of a moved file always exist somewhere.
    changes = tuple(sorted((file for file in files if file.before != file.after), key=lambda file: file.after is None))
    going = _deleted_paths(changes)
    touched: list[Written] = []
    is_begun = is_recording = False
    # (1) Take back what a program that died had begun, and check that every file is as it was read; (2) if there is
    # more than one file, record in the journal what is about to happen; (3) write the files, each durably; (4) record
    # the operation in the journal, which makes it final, and (5) clear the record of its beginning. A failure before
    # (4) takes the files back at once; after a crash before (4), whoever opens the vault next does so; a failure after
    # (4) changes nothing.
    try:
        take_back_begun(vault, journal)
        for file in files:
            _expect(vault, file)
        if len(changes) > 1:
            is_begun = True
            journal.begin(operation._replace(files=changes))
        with vault.together() if is_begun and not going else nullcontext():
            for file in changes:
                touched.append(file)  # added before the write: a call may fail after it has done its work
                _write(vault, file, going)
        is_recording = True
        if operation.files:
            journal.record(operation)
        elif is_begun:
            journal.clear()
    except BaseException as error:  # noqa: BLE001 -- an interrupt, too, leaves all or nothing
        if is_recording and _has_happened(journal, operation, error, is_begun=is_begun):
            return
        if touched and not is_recording and isinstance(error, ChangedMeanwhileError):
            touched.pop()  # the file is somebody else's, even if it holds the same bytes
        _go_on(error, _taken_back(vault, journal, touched, is_begun=is_begun))


def recover(vault: VaultFiles, journal: Journal) -> bool:
    """Take back what a program that died had begun to write; return whether anything was begun and is now settled.

    Nothing is done while that program is still alive. If something can't be taken back now, as on a full disk, it stays
    begun: reading still works, and `write_all` stops before it writes anything.
    """
    try:
        with vault.lock():
            return take_back_begun(vault, journal)
    except (MemstoreError, OSError):
        return False


def take_back_begun(vault: VaultFiles, journal: Journal) -> bool:
    """Take back what a program that died had begun to write, unless it was recorded; the vault must be locked.

    Returns:
        Whether anything was begun.

    Raises:
        VaultError: that is not possible now.
    """
    begun = journal.begun()
    if begun is not None and not journal.recorded():
        # Files are restored one by one, and the journal is cleared last: if this process dies, the next one continues.
        back = _take_back(vault, begun.files)
        for error in back.errors:
            if not isinstance(error, Exception):
                raise error
        if not back.is_all:
            why = f": {_text(back.errors[0])}" if back.errors else ""
            raise VaultError(
                f"`{begun.verb}` was interrupted, and {_names(back.written + back.unseen)} can't be taken back{why}",
                hint="make room on the disk, or fix the permissions of the files",
            )
        _drop_copies(vault, begun.files)
    journal.clear()
    return begun is not None


def _drop_copies(vault: VaultFiles, files: Sequence[Written]) -> None:
    """Delete copies that a killed writer left beside the files: one may be the plain text of what was being sealed."""
    known = [data for file in files for data in (file.before, file.after) if data is not None]
    folders = {(vault.root / file.path).parent for file in files}
    drop_leftovers(sorted(folders), lambda copy: any(data.startswith(copy) for data in known))


def _expect(vault: VaultFiles, file: Written) -> None:
    """Raise if a file is not as it was read, or would become too large to be read."""
    if file.after is not None and len(file.after) > MOST_BYTES:
        raise TooLargeError(f"{file.path} would be too large to be read again", size=len(file.after))
    if _state(vault, file) is not _State.BEFORE:
        what = "the file already exists" if file.before is None else "somebody else saved it in the meantime"
        raise ChangedMeanwhileError(f"{file.path}: {what}", hint="run the command again")


def _state(vault: VaultFiles, file: Written) -> _State:
    try:
        now = vault.stored(file.path)
    except NoFileError:
        now = None
    except TooLargeError:
        return _State.OTHER
    return _State.BEFORE if now == file.before else _State.AFTER if now == file.after else _State.OTHER


def _deleted_paths(files: Sequence[Written]) -> dict[bytes, str]:
    """Return the paths of the files to delete, by their bytes."""
    return {file.before: file.path for file in reversed(files) if file.after is None and file.before is not None}


def _write(vault: VaultFiles, file: Written, going: Mapping[bytes, str]) -> None:
    """Write one file; a new one is created like a file in `going` with the same bytes."""
    match file:
        case Written(before=None, after=bytes() as after):
            vault.create(file.path, after, like=going.get(after))
        case Written(before=bytes() as before, after=None):
            vault.delete(file.path, expected=before)
        case Written(before=bytes() as before, after=bytes() as after):
            vault.replace(file.path, after, expected=before)


def _has_happened(journal: Journal, operation: Operation, error: BaseException, *, is_begun: bool) -> bool:
    """Whether an operation was recorded or cleared although that call failed; an interrupt is raised again."""
    try:
        if is_begun and journal.begun() is not None:
            happened = journal.recorded()
        elif operation.files:
            happened = journal.last(operation.by) == operation
        else:
            happened = is_begun  # only clearing was left to do, and nobody could have taken back half of it
    except Exception:  # noqa: BLE001 -- taking back what the journal may have recorded as done would leave half of it
        _go_on(
            error,
            "; everything is written, but if the journal does not have it, the next command in this vault takes it "
            "back",
        )
    if happened and not isinstance(error, Exception):
        _go_on(error, DONE_ALL_THE_SAME)
    return happened


def _taken_back(vault: VaultFiles, journal: Journal, files: Sequence[Written], *, is_begun: bool) -> str:
    """Take back what was written, and return the outcome as the end of an error's text."""
    back = _take_back(vault, files)
    if back.is_all and is_begun:
        with suppress(BaseException):  # the next program finds nothing to take back, and clears it
            journal.clear()
    left = f"; {_names(back.left)} changed in the meantime, and stays as it was saved" if back.left else ""
    if back.is_all:
        return f"{left}, and nothing else was written" if left else _NOTHING
    written = f"; {_names(back.written)} is written, and can't be taken back now" if back.written else ""
    unseen = f"; it can't be seen whether {_names(back.unseen)} is written" if back.unseen else ""
    if is_begun:
        return f"{left}{written}{unseen}; the next command in this vault takes it back"
    return f"{left}{written}{unseen}; undo does not know of it"


def _take_back(vault: VaultFiles, files: Sequence[Written]) -> _TakenBack:
    """Restore files, last first, and inspect each; files that somebody changed since are left alone."""
    back = _TakenBack([], [], [], [])
    ways_back = [Written(file.path, file.after, file.before) for file in reversed(files)]
    going = _deleted_paths(ways_back)
    for file in ways_back:
        try:
            if _state_now(vault, file) is _State.BEFORE:
                _write(vault, file, going)
        except BaseException as error:  # noqa: BLE001 -- the others are restored all the same
            back.errors.append(error)
        try:
            state = _state_now(vault, file)
        except BaseException as error:  # noqa: BLE001 -- likewise
            back.errors.append(error)
            back.unseen.append(file.path)
            continue
        if state is not _State.AFTER:
            (back.written if state is _State.BEFORE else back.left).append(file.path)
    return back


def _state_now(vault: VaultFiles, file: Written) -> _State:
    """Return the state of a file; a folder in its place, or a link that leads out, counts as somebody else's change."""
    try:
        return _state(vault, file)
    except VaultError as error:
        if isinstance(error.__cause__, OSError):  # another attempt may get another result
            raise
        return _State.OTHER


def _go_on(error: BaseException, ending: str) -> NoReturn:
    """Raise an error again with an ending that says what was written; a system error becomes a `VaultError`."""
    if isinstance(error, OSError):
        hint = "check the disk and the permissions"
        raise VaultError(f"can't write: {_text(error)}", hint=hint, outcome=ending) from error
    if isinstance(error, MemstoreError):
        error.outcome = ending
    elif isinstance(error, KeyboardInterrupt):
        error.args = (_text(error) + ending,)
    else:
        error.add_note(_text(error) + ending)  # not every class shows its `args`
    raise error


def _text(error: BaseException) -> str:
    """Return an error's text without its outcome, which may have changed by now."""
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        return place + (error.strerror or str(error) or type(error).__name__)
    if isinstance(error, MemstoreError):
        return error.message
    return str(error) or ("interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__)


def _names(paths: Sequence[str]) -> str:
    """Return paths as the singular subject of a sentence."""
    return paths[0] if len(paths) == 1 else f"each of {', '.join(paths)}"
