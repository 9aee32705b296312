"""What an operation does outside of the vault's tree, done with what it writes, or not at all.

The event of an act that hands something out, or what this machine keeps of forgotten texts, can't be written in one
step with the act. What was begun is noted in the vault's local state; after a crash, the next program settles it.
"""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access import FORGOTTEN
from memstore.core.change import Operation
from memstore.core.digests import digest_of
from memstore.core.errors import MemstoreError, NoFileError, VaultError
from memstore.core.places import is_audit_path
from memstore.files.disk_vault import drop_leftovers, folders_below
from memstore.files.local_state import make_private, private_bytes, regular_bytes, sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.change import Act, Written
    from memstore.vault.workspace import Workspace


class _Begun(NamedTuple):
    """What was begun: done if the file `tells` has other bytes by now than those of the digest `before`.

    If it was not done, `events` by path and digest are deleted, and the files in `keeps` get their former bytes. If it
    was, this machine forgets the memories `forgets`, whose sealed files and ids are among `names`.
    """

    tells: Path
    before: str
    events: Mapping[str, str]
    keeps: Mapping[Path, bytes | None]
    forgets: Sequence[str]
    names: Sequence[str]


@contextmanager
def with_act(ws: Workspace, act: Act, files: Sequence[Written]) -> Iterator[None]:
    """Do an act once its event is written in the block; if it fails, take the event back.

    The caller has the vault `locked`.

    Raises:
        VaultError: nothing can be noted, so nothing was done.
    """
    # (1) What is begun is noted, (2) the event is written, (3) the act is done, which a file tells, and (4) the note
    # goes. After a crash before (3) the next program takes the event back; after it, (4) alone is left to do.
    events = {file.path: digest_of(file.after) for file in files if file.after and is_audit_path(file.path)}
    keeps = {path: _bytes_of(path) for path in act.keeps}
    _note(ws, _Begun(act.tells, _digest_of(act.tells), events, keeps, (), ()))
    try:
        yield
        act.do()
    except BaseException as error:
        with suppress(MemstoreError, OSError):
            settle(ws)
        if _is_pending(ws) and isinstance(error, MemstoreError):
            error.outcome += "; its record is taken back by the next command in this vault"
        raise
    with suppress(OSError):  # else the next program finds that it is done
        _clear(ws)


@contextmanager
def with_forgetting(
    ws: Workspace, forgets: Sequence[str], names: Sequence[str], files: Sequence[Written]
) -> Iterator[None]:
    """Have this machine keep nothing of memories whose tombstones are written in the block, and otherwise all of it.

    The caller has the vault `locked`, and makes the machine forget in the block.
    """
    changed = next((file for file in files if file.before != file.after), None)
    tells = ws.vault.root / changed.path if changed else None
    keeps = {path: _bytes_of(path) for path in ws.of(FORGOTTEN).places}
    if tells is not None:
        _note(ws, _Begun(tells, _digest_of(tells), {}, keeps, forgets, names))
    try:
        yield
    except BaseException:
        with suppress(MemstoreError, OSError):
            settle(ws)
        raise
    with suppress(OSError):
        _clear(ws)


def settle(ws: Workspace) -> None:
    """Finish or take back what was begun and noted; the vault must be locked, and nothing in it begun.

    Raises:
        MemstoreError: an event or what is kept of forgotten texts can't be deleted now.
        OSError: a file can't be read or written.
    """
    if not _is_pending(ws) or ws.journal.begun() is not None:
        return
    begun = _begun(private_bytes(ws.pending_act)) if ws.pending_act else None
    if begun is not None and _digest_of(begun.tells) == begun.before:
        for path, digest in begun.events.items():
            with suppress(NoFileError):
                if digest_of(data := ws.vault.stored(path)) == digest:
                    ws.vault.delete(path, expected=data)
        for place, kept in begun.keeps.items():
            if kept is None:
                place.unlink(missing_ok=True)
            elif _bytes_of(place) != kept:
                write_whole(place, kept, mode=0o600)
    elif begun is not None and begun.forgets:
        scrub(ws, begun.forgets, Operation("forget", "", (), ws.actor), names=begun.names)
    _clear(ws)


def _is_pending(ws: Workspace) -> bool:
    return ws.pending_act is not None and ws.pending_act.exists()


def _clear(ws: Workspace) -> None:
    if ws.pending_act is not None:
        ws.pending_act.unlink(missing_ok=True)


def _note(ws: Workspace, begun: _Begun) -> None:
    if ws.pending_act is None:
        return
    document = {
        "tells": str(begun.tells),
        "before": begun.before,
        "events": begun.events,
        "keeps": {str(path): None if data is None else _text(data) for path, data in begun.keeps.items()},
        "forgets": [*begun.forgets],
        "names": [*begun.names],
    }
    try:
        make_private(ws.pending_act.parent)
        write_whole(ws.pending_act, json.dumps(document).encode(), mode=0o600)
        sync_folder(ws.pending_act.parent)
    except OSError as error:
        with suppress(OSError):
            _clear(ws)
        raise VaultError(
            f"can't note what is begun in {ws.pending_act.parent}: {error.strerror}; nothing was written",
            hint="make room there, or fix the permissions",
        ) from error


def _begun(data: bytes) -> _Begun | None:
    """Return what a note says; None if it says nothing of ours."""
    try:
        said: dict[str, Any] = json.loads(data)
        keeps = {Path(path): None if text is None else base64.b64decode(text) for path, text in said["keeps"].items()}
        return _Begun(Path(said["tells"]), said["before"], said["events"], keeps, said["forgets"], said["names"])
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes_of(path: Path) -> bytes | None:
    try:
        return regular_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _digest_of(path: Path) -> str:
    """Return a digest of a file's bytes; empty if there is no such file."""
    data = _bytes_of(path)
    return "" if data is None else digest_of(data)


def scrub(ws: Workspace, memory_ids: Sequence[str], operation: Operation, *, names: Sequence[str]) -> tuple[str, ...]:
    """Delete what this machine keeps of memories' texts outside the vault; return what could not be deleted.

    `names` are their ids, and the paths of sealed files, in which no id can be found.

    The index is merged, so that no word of theirs stays in its files; vectors and computed values of all memories go,
    since they are made again when they are needed. The logs of uses and looks have ids alone.
    """
    from memstore.history.purging import is_version

    drop_leftovers(folders_below(ws.vault.root), lambda data: is_version(data, {*memory_ids}))
    left = []
    try:
        ws.journal.forget(names, operation)
    except VaultError as error:
        left.append(f"the journal of undo: {error}")
    try:
        if ws.drafts is not None:
            ws.drafts.drop(memory_ids)
    except OSError as error:
        left.append(f"a draft: {error}")
    if not ws.library.refresh(purge=True).written:
        left.append("the search index, which could not be written: memstore index rebuild")
    return tuple(left)
