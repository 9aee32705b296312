"""Differences between the work tree and the current commit, and the vault as of a commit or a date."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.access import registry
from memstore.access.audit_events import folder_of
from memstore.core import times
from memstore.core.change import Changes, Pending
from memstore.core.errors import NoFileError, NotFoundError, UsageError, VaultError
from memstore.core.places import ATTRIBUTES, RegistryKind, is_misnamed, is_own_path, is_sealed_path, kind_of
from memstore.files import memory_file
from memstore.files.memory_file import sealed_under_other_name
from memstore.files.plain_note import is_foreign
from memstore.files.vault import read_file
from memstore.history import git_objects
from memstore.history.changes import changes_between
from memstore.vault.init import ATTRIBUTES_LINES, OF_VAULT
from memstore.vault.look import LOOK
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from memstore.core.change import MemoryChange
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.search.library import Snapshot
    from memstore.vault.workspace import Workspace


def pending(
    view: View, ws: Workspace, snapshot: Snapshot, *, since: str | None = None, written: Collection[str] = ()
) -> Pending:
    """Return what is not committed yet, or changed since the commit `since`; `snapshot` is the current vault.

    At the paths `written`, which the actor has just written, a change counts whoever listens.
    """
    committed = _committed(ws, since)
    present = _as_committed(ws, _present(ws, snapshot), committed)
    unread = {path for path, blob in present.items() if not blob}
    gone = _deleted(ws, {path for path in committed.keys() - present if not _is_there(ws, path, unread)})
    old = {path: blob for path, blob in committed.items() if present.get(path, blob) != blob or path in gone}
    before = read_blobs(ws, old)
    new = {path for path in present if committed.get(path) != present[path]}
    if not new <= committed.keys():
        new &= committed.keys() | set(ws.history.kept_files())  # commits leave out what .gitignore names
    after = {path: file for path in present if path in new and (file := _read(ws, path))}
    changes = changes_between(before, after)
    sees_notes = view.of(LOOK).sees_notes

    def is_seen(change: MemoryChange) -> bool:
        if {change.path_before, change.path_after} & {*written}:
            return True
        if change.is_note:
            return sees_notes and not _is_settings(change.path_after or change.path_before or "")
        return all(view.sees(memory) for memory in (change.before, change.after) if memory)

    memories, notes = (tuple(filter(is_seen, found)) for found in (changes.memories, changes.notes))
    return Pending(Changes(memories, changes.broken if view.is_owners else (), notes), after)


def _is_settings(path: str) -> bool:
    """Whether a note is one of the vault's own files; what others keep in folders of registries is not."""
    return is_own_path(path) and kind_of(path) is None


def own_pending(ws: Workspace) -> Mapping[str, bytes | None]:
    """Return the vault's own files with uncommitted changes, by path; None for a deleted one.

    These files belong to the vault's owner alone.
    """
    head = ws.history.head()
    committed = ws.history.own_files_at(head) if head else {}
    kept = {path for path in ws.history.kept_files() if is_own_path(path)}
    present = {path for path in kept if os.path.lexists(ws.vault.root / path)}
    found: dict[str, bytes | None] = dict.fromkeys(_deleted(ws, committed.keys() - present))
    for path in present:
        data = _own_file(ws, path)
        if data is None or is_foreign(path, data, mixed=ws.config.mixed):
            continue
        if not ws.history.is_stored(path, data, committed.get(path)):
            found[path] = data
    return found


def unkept(ws: Workspace) -> Mapping[str, bytes]:
    """Return the files that `init` made and no commit has yet, by path: without them, a clone is no vault.

    What somebody staged is left to them, and so is a `.gitattributes` with other changes than memstore's line.
    """
    head = ws.history.head()
    committed = ws.history.own_files_at(head) if head else {}
    found = {path: data for path in OF_VAULT if (data := _own_file(ws, path)) is not None}
    found = {path: data for path, data in found.items() if committed.get(path) != ws.history.blob_id(data)}
    found = {path: data for path, data in found.items() if path == ATTRIBUTES or path not in committed}
    if not found:
        return {}
    if ATTRIBUTES in found:
        blob = committed.get(ATTRIBUTES)
        before = ws.history.blobs([blob]).get(blob) if blob else b""
        if before is None or not _adds_only_ours(before, found[ATTRIBUTES]):
            del found[ATTRIBUTES]
    kept, staged = ws.history.kept_files(), ws.history.index_files()
    return {path: data for path, data in found.items() if path in kept and staged.get(path) == committed.get(path)}


def _adds_only_ours(before: bytes, data: bytes) -> bool:
    """Whether memstore's line at the end is all that was added to a `.gitattributes`."""
    added = data.removeprefix(before).strip()
    return data.startswith(before) and added in {line.encode() for line in ATTRIBUTES_LINES}


def recorded_by(actor: str, own: Mapping[str, bytes | None]) -> Mapping[str, bytes | None]:
    """Return those of a vault's own files that record what somebody did: their events, what they consented to, judged.

    They know of these anyway, and one is not to be committed without the other.
    """
    theirs = folder_of(actor)
    return {path: data for path, data in own.items() if path.startswith(theirs) or _is_record_of(actor, path, data)}


_RECORDS = frozenset({RegistryKind.CONSENT, RegistryKind.REQUEST, RegistryKind.VERDICT})


def _is_record_of(actor: str, path: str, data: bytes | None) -> bool:
    kind = kind_of(path)
    if data is None or kind not in _RECORDS:
        return False
    file = registry.read(path, kind, data)
    said = file.values if isinstance(file, registry.RegistryFile) else {}
    return actor in (said.get("grantor"), said.get("by"), said.get("judged_by"))


def _deleted(ws: Workspace, missing: AbstractSet[str]) -> AbstractSet[str]:
    """Return those of the committed files missing in the work tree that somebody deleted.

    A sparse checkout leaves the others out; to commit them as deleted would delete them for everybody.
    """
    return missing and missing - {*ws.history.sparse_files()}


def _own_file(ws: Workspace, path: str) -> bytes | None:
    """Return the bytes of one of the vault's own files; None for a link or an unreadable file, which stays as it is."""
    try:
        return None if (ws.vault.root / path).is_symlink() else ws.vault.read(path)
    except VaultError:
        return None


def moment_of_head(ws: Workspace, snapshot: Snapshot) -> Moment:
    """Return the current commit's state of the files that differ from `snapshot` or are missing in it."""
    present = _present(ws, snapshot)
    old = {path: blob for path, blob in _committed(ws).items() if present.get(path) != blob}
    data = ws.history.blobs(old.values())
    files = {path: data[blob] for path, blob in old.items() if blob in data}
    return Moment(ws.library.snapshot_of(files.items()), files.__getitem__)


def _committed(ws: Workspace, since: str | None = None) -> Mapping[str, str]:
    """Return path and blob of every memory file of a commit; of the current one for None."""
    commit = since or ws.history.head()
    return ws.history.files_at(commit) if commit else {}


def _present(ws: Workspace, snapshot: Snapshot) -> dict[str, str]:
    """Return path and blob of every memory file of a snapshot; of a sealed one, the blob that git has."""
    catalog = snapshot.catalog
    paths, blobs = catalog.column("path"), catalog.column("blob")
    found = {paths[row]: blobs[row] for row in (*catalog.memories, *catalog.broken, *catalog.plain)}
    return found | {path: _stored_blob(ws, path) for path in filter(is_sealed_path, found)}


def misnamed(ws: Workspace) -> Iterator[Finding]:
    """Yield a finding for each file that holds a committed sealed memory under a name that no memory has.

    Only if a sealed memory is missing, other names are looked at.
    """
    committed = _committed(ws) if ws.history.repository else {}
    sealed = {path: blob for path, blob in committed.items() if is_sealed_path(path)}
    gone = {blob: path for path, blob in sealed.items() if not os.path.lexists(ws.vault.root / path)}
    for path in sorted(ws.history.kept_files()) if gone else ():
        if is_misnamed(path) and (was := gone.get(_stored_blob(ws, path))):
            yield sealed_under_other_name(path, was)


def _as_committed(ws: Workspace, present: Mapping[str, str], committed: Mapping[str, str]) -> Mapping[str, str]:
    """Return present files with the committed blob where committing the file would change nothing.

    Git may store a file otherwise than it is in the work tree: with other line ends, or through a filter.
    """
    odd = {path for path, blob in present.items() if path in committed and committed[path] != blob}
    same: dict[str, str] = {}
    for path in odd if odd and ws.history.may_convert(odd) else ():
        with suppress(VaultError):
            if ws.history.is_stored(path, ws.vault.stored(path), committed[path]):
                same[path] = committed[path]
    return {**present, **same} if same else present


def _stored_blob(ws: Workspace, path: str) -> str:
    try:
        return ws.history.blob_id(ws.vault.stored(path))
    except VaultError:
        return ""


def read_blobs(ws: Workspace, blobs: Mapping[str, str]) -> dict[str, ReadFile]:
    """Return the files in these blobs, by path."""
    data = ws.history.blobs(blobs.values())
    return {
        path: memory_file.read(path, data[blob], mixed=ws.config.mixed) for path, blob in blobs.items() if blob in data
    }


def _read(ws: Workspace, path: str) -> ReadFile | None:
    try:
        return read_file(ws.vault, path)
    except NoFileError:
        return None  # deleted since the snapshot was taken
    except VaultError as error:
        return memory_file.unreadable(path, str(error))


def _is_there(ws: Workspace, path: str, unread: set[str]) -> bool:
    """Whether a file that is no longer a memory's seems to exist still; such a file must not be treated as deleted.

    It may have become ignored, may be a link now, or may be below a folder that can't be read.
    """
    return os.path.lexists(ws.vault.root / path) or any(path.startswith(folder + "/") for folder in unread)


# -- the vault as it was ---------------------------------------------------------------------------


_LIKE_A_DATE = re.compile(r"\d{4}-\d|\d{4}-?$|\d+(d|w|mo|y)$")


def moment_of_commit(ws: Workspace, commit: str) -> Moment:
    """Return the vault as of a commit, by the commit's id."""
    files = ws.history.files_at(commit)
    blobs = ws.history.blobs(files.values())

    def read(path: str) -> bytes:
        if path not in files:
            raise VaultError(
                f"{path} was not there in commit {commit[:10]}", hint="memstore log shows what was there when"
            )
        return blobs[files[path]]

    found = ((path, blobs[blob]) for path, blob in files.items() if blob in blobs)
    return Moment(ws.library.snapshot_of(found), read, commit)


def commit_at(ws: Workspace, when: str) -> str:
    """Return the commit that `when` names: the last one up to the end of a date, or the one of a revision.

    Raises:
        UsageError: it is empty, or looks like a date and is not one.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
    """
    ws.history.require()
    try:
        period = times.period(when, now=ws.clock.here())
    except UsageError as no_date:
        return _revision(ws, when, no_date)
    commit = ws.history.last_commit(until=period.end)
    if commit is None:
        raise NotFoundError(f"there is no commit up to {when}", hint="memstore log shows when it begins")
    return commit


def time_of(ws: Workspace, when: str, commit: str) -> datetime:
    """Return the time that `when` names, UTC: the end of a date, or now if that is earlier, or the commit's time."""
    now = ws.clock.now()
    try:
        return min(times.period(when, now=ws.clock.here()).end, now)
    except UsageError:
        made = ws.history.objects([commit]).get(commit)
        return git_objects.commit(commit, made.data).at if made else now


def _revision(ws: Workspace, when: str, no_date: UsageError) -> str:
    """Return the commit of a revision; if there is none and `when` is empty or looks like a date, raise `no_date`."""
    try:
        return ws.history.resolve(when)
    except NotFoundError:
        if not when or _LIKE_A_DATE.match(when):
            raise no_date from None
        raise
