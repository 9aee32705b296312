"""Commit pending changes, with a message computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access import audit, audit_events
from memstore.access.audit import AUDIT_HEAD, consents_gone
from memstore.core import places
from memstore.core.change import Changes, Committed
from memstore.core.errors import NotFoundError, RefusedError
from memstore.core.finding import in_order
from memstore.core.ids import is_group
from memstore.core.places import is_audit_path, is_sealed_path
from memstore.history import HISTORY, WORK_TREE, commit_messages
from memstore.trust import PINS
from memstore.trust.read_keyring import is_counted, keeper_signature, member_signature, read_keyring
from memstore.vault import GATE
from memstore.vault.look import LOOK
from memstore.vault.pending import own_pending, pending, unkept
from memstore.vault.staged import findings_of
from memstore.vault.writing import locked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memstore.access.audit_events import AuditEvent
    from memstore.core.change import MemoryChange, Pending
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.vault.workspace import Workspace


def commit_pending(ws: Workspace, refs: Sequence[str], text: str | None) -> Committed:
    """Commit the pending changes of the memories that refs name, or all of them; see `vault.status.commit`."""
    ws.history.require()
    ws.history.identity()
    with locked(ws):
        view = ws.view()
        asked = ws.having(HISTORY, view.of(HISTORY))
        asked.history.stop_if_busy()  # also where nothing of the vault waits: the person is told what is half done
        view.of(GATE).refuse_secrets((), "commit", text)
        if text and is_group(view.config.owner):
            from memstore.vault.references import stop_private_names

            stop_private_names(view, [text.encode()])
        waiting = view.of(WORK_TREE).pending()
        chosen = [_chosen(view, text, waiting) for text in refs]
        if chosen:
            return _commit(view, asked, waiting, chosen, {}, text)
        return _commit(view, asked, waiting, waiting.changes.all, view.of(WORK_TREE).own_pending(), text)


def commit_paths(ws: Workspace, paths: Collection[str], text: str | None) -> Committed:
    """Commit the pending changes at these paths, old or new; for commands that commit what they wrote.

    What `init` made and no commit has yet goes along: without it, a clone of what is committed is no vault.
    """
    ws.history.require()
    ws.history.identity()
    with locked(ws):
        view = ws.view()
        asked = ws.having(HISTORY, view.of(HISTORY))
        waiting = pending(view, asked, view.of(LOOK).snapshot, written=paths)
        chosen = [change for change in waiting.changes.all if {change.path_before, change.path_after} & {*paths}]
        own: Mapping[str, bytes | None] = {}
        if any(map(places.is_own_path, paths)):  # whoever writes them: an event, a consent
            own = {path: data for path, data in own_pending(asked).items() if path in paths}
        # A note that became a memory elsewhere: its old file goes along without a word of its own.
        gone = [change for change in chosen if change.is_note and change.after is None]
        gone = gone if len(gone) < len(chosen) else []
        chosen = [change for change in chosen if change not in gone]
        own = {**unkept(asked), **own} if chosen or own else own
        return _commit(
            view, asked, waiting, chosen, own, text, gone=[one.path_before for one in gone if one.path_before]
        )


def _commit(
    view: View,
    ws: Workspace,
    waiting: Pending,
    chosen: Sequence[MemoryChange],
    own: Mapping[str, bytes | None],
    text: str | None,
    *,
    gone: Collection[str] = (),
) -> Committed:
    left_out = tuple(file.path for file in waiting.changes.broken)
    if not chosen and not own:
        return Committed(commit=None, message="", refs=(), own_files=(), left_out=left_out, findings=())
    memories, notes = (tuple(change for change in chosen if change.is_note is kind) for kind in (False, True))
    findings = _checked(view, Changes(memories, (), notes), waiting.files, own)
    paths = (path for change in chosen for path in (change.path_before, change.path_after) if path)
    message = _message(chosen, own, text, ws.history.hidden(paths))
    sign = (keeper_signature(view) if any(map(is_counted, own)) else None) or member_signature(view)
    files = {**dict.fromkeys(gone), **_files(ws, chosen, waiting.files), **own}
    made = ws.history.commit(files, message, at=ws.clock.now(), sign=sign)
    if any(map(is_counted, own)) and ws.of(PINS).commit is not None:
        findings += read_keyring(view)[1]
    return Committed(
        commit=made,
        message=message,
        refs=tuple(change.name for change in chosen),
        own_files=tuple(sorted(own)),
        left_out=left_out,
        findings=findings,
    )


def _message(
    chosen: Sequence[MemoryChange], own: Mapping[str, bytes | None], text: str | None, hidden: Collection[str]
) -> str:
    """Return the message for changes of memories, of the vault's own files, or both."""
    heads = [f"{AUDIT_HEAD}: {digest}" for digest in audit.heads(_events(own))]
    if not chosen:
        return commit_messages.with_trailers(text or f"vault: {places.summary_of(own)}", heads)
    message = commit_messages.message(chosen, text, hidden=hidden)
    if own and text is None:
        subject, _, rest = message.partition("\n")
        message = f"{subject}\n\nwith {places.summary_of(own)}\n{rest}"
    return commit_messages.with_trailers(message, heads)


def _events(own: Mapping[str, bytes | None]) -> Iterator[AuditEvent]:
    for path, data in own.items():
        if data and is_audit_path(path) and (event := audit_events.read(path, data)):
            yield event


def _checked(
    view: View, changes: Changes, files: Mapping[str, ReadFile], own: Mapping[str, bytes | None]
) -> tuple[Finding, ...]:
    """Return warnings; raise on errors."""
    gone = [path for path, data in own.items() if data is None]
    there = [path for path, data in own.items() if data is not None]
    findings = findings_of(view, changes, files, own)
    findings += consents_gone(gone, lambda: there, lambda: audit.events_in(view)[0])
    errors = [finding for finding in in_order(findings) if finding.is_error]
    if errors:
        told = "\n".join(f"{e.path}:{e.at.line}:{e.at.column}: error: {e.text} [{e.code}]" for e in errors)
        raise RefusedError(f"nothing was committed:\n{told}", hint=errors[0].hint)
    return in_order(findings)


def _files(ws: Workspace, changes: Sequence[MemoryChange], files: Mapping[str, ReadFile]) -> dict[str, bytes | None]:
    """Return the bytes of all files of the commit, None for deleted files."""
    gone: dict[str, bytes | None] = {change.path_before: None for change in changes if change.path_before}
    return gone | {change.path_after: _stored(ws, files[change.path_after]) for change in changes if change.path_after}


def _stored(ws: Workspace, file: ReadFile) -> bytes:
    """Return the bytes of a file that git gets: of a sealed one, not those that were checked."""
    if not is_sealed_path(file.path):
        return file.data
    from memstore.vault.sealing import stored_bytes

    return stored_bytes(ws, file.path, file.data)


def _chosen(view: View, text: str, waiting: Pending) -> MemoryChange:
    """Return the pending change of the memory that `text` means; for a deleted one it may be its ref, id or path."""
    try:
        path = view.named(text, notes=True).path
    except NotFoundError:
        asked = text.strip()
        return _one(waiting, asked, lambda change: asked in {change.name, change.memory.id, change.path_before})
    return _one(waiting, text, lambda change: change.path_after == path)


def _one(waiting: Pending, text: str, is_meant: Callable[[MemoryChange], bool]) -> MemoryChange:
    found = next((change for change in waiting.changes.all if is_meant(change)), None)
    if found is None:
        raise NotFoundError(f"nothing is pending for `{text}`", hint="memstore status lists what is not committed")
    return found
