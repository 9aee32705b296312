"""Write the files of one operation: all of them or none; an error says which of the two it is."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from memstore.core.change import Written
from memstore.core.errors import ChangedMeanwhileError, MemstoreError, NoFileError, TooLargeError, VaultError
from memstore.files.fence import MOST_BYTES
from memstore.files.vault import DONE_ALL_THE_SAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.change import Journal, Operation
    from memstore.files.vault import VaultFiles

_NOTHING = "; nothing was written"


class _State(Enum):
    """What a file is, seen from what is written into it; `OTHER` is what somebody else has made of it."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class _TakenBack(NamedTuple):
    """The paths of files that are not as they were: still written, not to be looked at, or somebody else's by now."""

    written: list[str]
    unseen: list[str]
    left: list[str]
    errors: list[BaseException]

    @property
    def is_all(self) -> bool:
        """Whether nothing is left to be taken back."""
        return not (self.written or self.unseen)


def write_all(vault: VaultFiles, journal: Journal, operation: Operation, files: Sequence[Written]) -> None:
    """Write all files of one operation, or none; the caller holds `vault.lock()`.

    Args:
        vault: where they are written.
        journal: what undo asks, and whoever comes after a crash.
        operation: what undo is to remember; fewer files than are written where some are never undone, as audit events
            are, and without any it is not remembered.
        files: what is written, each path once. A file that is moved is one that goes and one that comes with the same
            bytes: it keeps its permissions and its time.

    Raises:
        ChangedMeanwhileError: a file is not as its `before` says; nothing was written.
        TooLargeError: a file could not be read again; nothing was written.
        VaultError: a file or the journal could not be written; nothing was, unless the text says otherwise.
    """
    if len({file.path for file in files}) < len(files):
        raise ValueError("one operation writes each file once")
    # Deletions come last, so that the bytes of a file that is moved are always somewhere.
    changes = tuple(sorted((file for file in files if file.before != file.after), key=lambda file: file.after is None))
    going = _going(changes)
    touched: list[Written] = []
    is_begun = is_recording = False
    # (1) What a program that died had begun is taken back, and every file is as it was read; (2) the journal says what
    # is about to be, where one file is not all; (3) the files are written, each durably; (4) the journal remembers the
    # operation, which thereby has happened, and (5) forgets that it was begun. A failure before (4) takes the files
    # back at once, a crash before (4) lets whoever opens the vault next do so; what fails after (4) changes nothing.
    try:
        _take_back_begun(vault, journal)
        for file in files:
            _expect(vault, file)
        if len(changes) > 1:
            is_begun = True
            journal.begin(operation._replace(files=changes))
        with vault.together() if is_begun and not going else nullcontext():
            for file in changes:
                touched.append(file)  # before it is: a call may fail when it has done its work
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
            touched.pop()  # is somebody else's, even if it holds the same bytes
        _go_on(error, _taken_back(vault, journal, touched, is_begun=is_begun))


def recover(vault: VaultFiles, journal: Journal) -> bool:
    """Take back what a program that died had begun to write; return whether anything was begun, and is settled now.

    Nothing is done while that program is still alive. What can't be taken back now, as on a full disk, stays begun:
    reading goes on, and `write_all` stops before it writes anything.
    """
    try:
        with vault.lock():
            return _take_back_begun(vault, journal)
    except (MemstoreError, OSError):
        return False


def _take_back_begun(vault: VaultFiles, journal: Journal) -> bool:
    """Take back what was begun, unless it was recorded; `VaultError` where that is not possible."""
    begun = journal.begun()
    if begun is not None and not journal.recorded():
        # Each file goes back by itself and the journal forgets last: whoever dies here is followed by one who goes on.
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
    journal.clear()
    return begun is not None


def _expect(vault: VaultFiles, file: Written) -> None:
    """Stop where a file is not as it was read, or is to become what nobody could read."""
    if file.after is not None and len(file.after) > MOST_BYTES:
        raise TooLargeError(f"{file.path} would be too large to be read again", size=len(file.after))
    if _state(vault, file) is not _State.BEFORE:
        what = "the file already exists" if file.before is None else "somebody else saved it in the meantime"
        raise ChangedMeanwhileError(f"{file.path}: {what}", hint="run the command again")


def _state(vault: VaultFiles, file: Written) -> _State:
    try:
        now = vault.read(file.path)
    except NoFileError:
        now = None
    except TooLargeError:
        return _State.OTHER
    return _State.BEFORE if now == file.before else _State.AFTER if now == file.after else _State.OTHER


def _going(files: Sequence[Written]) -> dict[bytes, str]:
    """Return the paths of the files that go, by the bytes that go with them."""
    return {file.before: file.path for file in reversed(files) if file.after is None and file.before is not None}


def _write(vault: VaultFiles, file: Written, going: Mapping[bytes, str]) -> None:
    """Write one file; one that comes is like the one of those `going` that goes with the same bytes."""
    match file:
        case Written(before=None, after=bytes() as after):
            vault.create(file.path, after, like=going.get(after))
        case Written(before=bytes() as before, after=None):
            vault.delete(file.path, expected=before)
        case Written(before=bytes() as before, after=bytes() as after):
            vault.replace(file.path, after, expected=before)


def _has_happened(journal: Journal, operation: Operation, error: BaseException, *, is_begun: bool) -> bool:
    """Whether an operation was recorded, or forgotten to be begun, although that failed; an interrupt goes on."""
    try:
        if is_begun and journal.begun() is not None:
            happened = journal.recorded()
        elif operation.files:
            happened = journal.last(operation.by) == operation
        else:
            happened = is_begun  # all that was left to do was to forget it, and nobody could take back half of it
    except Exception:  # noqa: BLE001 -- taking back what the journal may know to be done would leave half of it
        _go_on(
            error,
            (
                "; everything is written, but if the journal does not have it, the next command in this vault takes it "
                "back"
            ),
        )
    if happened and not isinstance(error, Exception):
        _go_on(error, DONE_ALL_THE_SAME)
    return happened


def _taken_back(vault: VaultFiles, journal: Journal, files: Sequence[Written], *, is_begun: bool) -> str:
    """Take back what was written, and return how that ended, as the end of an error's text."""
    back = _take_back(vault, files)
    if back.is_all and is_begun:
        with suppress(BaseException):  # whoever comes next finds nothing to take back, and clears it
            journal.clear()
    left = f"; {_names(back.left)} changed in the meantime, and stays as somebody saved it" if back.left else ""
    if back.is_all:
        return f"{left}, and nothing else was written" if left else _NOTHING
    written = f"; {_names(back.written)} is written, and can't be taken back now" if back.written else ""
    unseen = f"; it can't be seen whether {_names(back.unseen)} is written" if back.unseen else ""
    if is_begun:
        return f"{left}{written}{unseen}; the next command in this vault takes it back"
    return f"{left}{written}{unseen}; undo does not know of it"


def _take_back(vault: VaultFiles, files: Sequence[Written]) -> _TakenBack:
    """Let files be as they were, the last first, and look at each; what somebody changed since is left alone."""
    back = _TakenBack([], [], [], [])
    ways_back = [Written(file.path, file.after, file.before) for file in reversed(files)]
    going = _going(ways_back)
    for file in ways_back:
        try:
            if _state_now(vault, file) is _State.BEFORE:
                _write(vault, file, going)
        except BaseException as error:  # noqa: BLE001 -- the others go back all the same
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
    """Return what a file is; a folder in its place, or a link that leads out, is somebody else's doing."""
    try:
        return _state(vault, file)
    except VaultError as error:
        if isinstance(error.__cause__, OSError):  # which may be another one next time
            raise
        return _State.OTHER


def _go_on(error: BaseException, ending: str) -> NoReturn:
    """Raise an error on that ends by saying what was written; one of the system becomes a `VaultError`."""
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
    """Return an error's text without its outcome: by now that may be otherwise."""
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        return place + (error.strerror or str(error) or type(error).__name__)
    if isinstance(error, MemstoreError):
        return error.message
    return str(error) or ("interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__)


def _names(paths: Sequence[str]) -> str:
    """Return paths as the subject of a sentence in the singular."""
    return paths[0] if len(paths) == 1 else f"each of {', '.join(paths)}"
