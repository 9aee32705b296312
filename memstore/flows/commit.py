"""Commit what is pending, with a message computed from the change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import audit_event
from memstore.errors import NotFoundError, RefusedError
from memstore.flows.changes import Changes, check_changes, introduced_ids
from memstore.flows.keyring import KEYRING_FILES, keeper_signature, read_keyring
from memstore.flows.pending import own_pending, pending
from memstore.flows.resolve import resolve
from memstore.flows.visible import sees_unreadable, visible_rows
from memstore.flows.widening import check_widening, surroundings
from memstore.model.finding import in_order
from memstore.rules import audit, commit_messages, own_files, transitions
from memstore.rules.audit import AUDIT_HEAD
from memstore.rules.vault_places import is_audit_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.flows.pending import Pending
    from memstore.model.audit import AuditEvent
    from memstore.model.change import MemoryChange
    from memstore.model.finding import Finding
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What was committed: None and nothing where nothing was pending.

    `own_files` are files of the vault itself, like its settings; `left_out` pending files that can't be read;
    `findings` warnings about memories that were committed, and about keys that nobody signed for.
    """

    commit: str | None
    message: str
    refs: tuple[str, ...]
    own_files: tuple[str, ...]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]


def commit(ws: Workspace, refs: Sequence[str] = (), *, text: str | None = None) -> Committed:
    """Commit pending changes of memories; with all of them also those of the vault's own files, like its settings.

    Args:
        ws: the vault.
        refs: which memories; empty for all that are pending.
        text: what the message is to say instead of what was done to which memory.

    Raises:
        NotFoundError: a ref names nothing that is pending.
        RefusedError: a change is one that a memory must not make.
        GitError: there is no repository, or git does not know who commits.
    """
    ws.history.require()
    ws.history.identity()
    with ws.vault.lock():
        snapshot = ws.library.snapshot()
        waiting = pending(ws, snapshot)
        chosen = [_chosen(ws, text, waiting, snapshot) for text in refs]
        if chosen:
            return _commit(ws, waiting, snapshot, chosen, {}, text)
        return _commit(ws, waiting, snapshot, waiting.changes.memories, own_pending(ws), text)


def commit_paths(ws: Workspace, paths: Collection[str], *, text: str | None = None) -> Committed:
    """Commit what is pending at these paths, old or new; for commands that commit what they wrote."""
    ws.history.require()
    ws.history.identity()
    with ws.vault.lock():
        snapshot = ws.library.snapshot()
        waiting = pending(ws, snapshot)
        chosen = [change for change in waiting.changes.memories if {change.path_before, change.path_after} & {*paths}]
        own: Mapping[str, bytes | None] = {}
        if any(map(own_files.is_own_path, paths)):
            own = {path: data for path, data in own_pending(ws).items() if path in paths}
        return _commit(ws, waiting, snapshot, chosen, own, text)


def _commit(
    ws: Workspace,
    waiting: Pending,
    snapshot: Snapshot,
    chosen: Sequence[MemoryChange],
    own: Mapping[str, bytes | None],
    text: str | None,
) -> Committed:
    left_out = tuple(file.path for file in waiting.changes.broken)
    if not chosen and not own:
        return Committed(commit=None, message="", refs=(), own_files=(), left_out=left_out, findings=())
    findings = _checked(ws, Changes(tuple(chosen), ()), waiting.files, snapshot)
    message = _message(chosen, own, text)
    sign = keeper_signature(ws) if set(own) & {*KEYRING_FILES} else None
    made = ws.history.commit({**_files(chosen, waiting.files), **own}, message, at=ws.clock.now(), sign=sign)
    if set(own) & {*KEYRING_FILES} and ws.pins.commit is not None:
        findings += read_keyring(ws)[1]
    return Committed(
        commit=made,
        message=message,
        refs=tuple(change.name for change in chosen),
        own_files=tuple(sorted(own)),
        left_out=left_out,
        findings=findings,
    )


def _message(chosen: Sequence[MemoryChange], own: Mapping[str, bytes | None], text: str | None) -> str:
    """Return the message for memories and the vault's own files, of which there are some, of the one or the other."""
    heads = [f"{AUDIT_HEAD}: {digest}" for digest in audit.heads(_events(own))]
    if not chosen:
        return commit_messages.with_trailers(text or f"vault: {own_files.told(own)}", heads)
    message = commit_messages.message(chosen, text)
    if own and text is None:
        subject, _, rest = message.partition("\n")
        message = f"{subject}\n\nwith {own_files.told(own)}\n{rest}"
    return commit_messages.with_trailers(message, heads)


def _events(own: Mapping[str, bytes | None]) -> Iterator[AuditEvent]:
    for path, data in own.items():
        if data and is_audit_path(path) and (event := audit_event.read(path, data)):
            yield event


def findings_of(ws: Workspace, changes: Changes, files: Mapping[str, ReadFile], snapshot: Snapshot) -> list[Finding]:
    """Return what is wrong with changes, as the pre-commit hook does.

    Args:
        ws: the vault.
        changes: what became of which memories.
        files: the files that hold them now, by path.
        snapshot: the vault as it is.
    """
    introduced = introduced_ids(changes, files)
    catalog = snapshot.catalog
    known = catalog.memories if sees_unreadable(ws) else visible_rows(ws, snapshot)
    there = set(known if introduced else ())
    holders = {
        memory_id: [catalog.entry(row).path for row in catalog.rows_of_id(memory_id) if row in there]
        for memory_id, _ in introduced.values()
    }
    findings = check_changes(changes, files)
    findings += check_widening(changes.memories, files, lambda ids: surroundings(ws, snapshot, ids), ws.clock.now())
    findings += transitions.duplicates(holders, {path: place for path, (_, place) in introduced.items()})
    return findings


def _checked(ws: Workspace, changes: Changes, files: Mapping[str, ReadFile], snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return warnings; stop on errors."""
    findings = findings_of(ws, changes, files, snapshot)
    errors = [finding for finding in in_order(findings) if finding.is_error]
    if errors:
        told = "\n".join(f"{e.path}:{e.at.line}:{e.at.column}: error: {e.text} [{e.code}]" for e in errors)
        raise RefusedError(f"nothing was committed:\n{told}", hint=errors[0].hint)
    return in_order(findings)


def _files(changes: Sequence[MemoryChange], files: Mapping[str, ReadFile]) -> dict[str, bytes | None]:
    """Return the bytes of all files that the commit is to have, None for those it is not to have any longer."""
    gone: dict[str, bytes | None] = {change.path_before: None for change in changes if change.path_before}
    return gone | {change.path_after: files[change.path_after].data for change in changes if change.path_after}


def _chosen(ws: Workspace, text: str, waiting: Pending, snapshot: Snapshot) -> MemoryChange:
    """Return the pending change of the memory that `text` means; one that was deleted answers to ref, id and path."""
    try:
        path = resolve(ws, text, snapshot=snapshot).path
    except NotFoundError:
        asked = text.strip()
        return _one(waiting, asked, lambda change: asked in {change.name, change.memory.id, change.path_before})
    return _one(waiting, text, lambda change: change.path_after == path)


def _one(waiting: Pending, text: str, is_meant: Callable[[MemoryChange], bool]) -> MemoryChange:
    found = next((change for change in waiting.changes.memories if is_meant(change)), None)
    if found is None:
        raise NotFoundError(f"nothing is pending for `{text}`", hint="memstore status lists what is not committed")
    return found
