"""The one way to write memories: check by reading, then all files of an operation under the lock, then the journal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from memstore.codec import memory_file, registry_file
from memstore.codec.memory_file import BrokenFile, MemoryFile
from memstore.codec.titles import title_of
from memstore.errors import ChangedMeanwhileError, FormatError, MemstoreError, RefusedError, UsageError, VaultError
from memstore.flows.visible import owns
from memstore.model import registry
from memstore.model.finding import in_order
from memstore.model.instants import instant
from memstore.ports.journal import Operation, Written
from memstore.rules import checks, transitions
from memstore.rules.checks import Checked
from memstore.rules.vault_places import is_audit_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.model.conflict import Conflict
    from memstore.model.finding import Finding
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to become of one file: `before` is the file as it was read, None for a new one."""

    path: str
    before: ReadFile | None
    after: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of one memory, or would: `diff` is the unified diff, empty where nothing changes.

    `commit` is the commit that has it, None where none was asked for, or where it `stays_out`: git ignores the file, or
    has it as it is. `conflicts` are the open ones with other memories that what it says anew raises.
    """

    ref: str | None
    path: str
    title: str
    diff: str
    findings: tuple[Finding, ...] = ()
    commit: str | None = None
    stays_out: bool = False
    conflicts: tuple[Conflict, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the file differs from what it was."""
        return bool(self.diff)


def save(
    ws: Workspace,
    edit: Edit,
    *,
    verb: str,
    dry_run: bool = False,
    commit: bool = False,
    message: str | None = None,
) -> Saved:
    """Write one memory; see `save_all`."""
    return save_all(ws, [edit], verb=verb, dry_run=dry_run, commit=commit, message=message)[0]


def save_all(
    ws: Workspace,
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
        ws: the vault.
        edits: what is to be written; files whose bytes stay the same are left alone.
        verb: the command, for `undo`.
        dry_run: write nothing, and return what would be.
        commit: commit the files as well; the vault's configuration may ask for that too.
        own: files of the vault itself that belong to the operation: registries, consents, audit events.
        message: what the commit says; None for what the changes say themselves.

    Raises:
        FormatError: the new bytes could not be read as a memory, or as what such a file has to be.
        RefusedError: a memory must not change in that way.
        ChangedMeanwhileError: a file is no longer what was read, or there is one already; nothing was written.
    """
    return _save(ws, edits, verb=verb, dry_run=dry_run, commit=commit, own=own, message=message)[0]


def _save(
    ws: Workspace,
    edits: Sequence[Edit],
    *,
    verb: str,
    dry_run: bool,
    commit: bool,
    own: Sequence[Written],
    message: str | None = None,
) -> tuple[tuple[Saved, ...], str | None]:
    """Return what became of the memories, and the commit."""
    _refuse_others(ws, edits, verb)
    files = [_checked(edit) for edit in edits]
    saved = tuple(_saved(edit, file) for edit, file in zip(edits, files, strict=True))
    changes = [edit for edit in edits if edit.before is None or edit.before.data != edit.after]
    for file in own:
        _check_own(file)
    if dry_run or not (changes or own):
        return _with_conflicts(ws, edits, files, saved), None
    commit = commit or ws.config.auto_commit
    if commit:
        can_commit(ws)
    with ws.vault.lock():
        _write(ws, [*map(_written, changes), *own], verb)
    paths = [edit.path for edit in changes] + [file.path for file in own]
    made = commit_written(ws, paths, message) if commit else None
    stays_out = commit and made is None
    done = tuple(replace(each, commit=made, stays_out=stays_out) for each in saved)
    return _with_conflicts(ws, edits, files, done), made


# With more memories at once, as an import has, nobody waits for them to be compared: `memstore conflicts` does it.
MOST_COMPARED = 5


def _with_conflicts(
    ws: Workspace, edits: Sequence[Edit], files: Sequence[MemoryFile], saved: tuple[Saved, ...]
) -> tuple[Saved, ...]:
    """Return what became of memories with the conflicts that what they say anew raises."""
    anew = {file.path for edit, file in zip(edits, files, strict=True) if _says_anew(edit.before, file)}
    if not anew or len(anew) > MOST_COMPARED:
        return saved
    from memstore.flows.audience import View
    from memstore.flows.compare import Comparer, side_of

    # What others may see follows from files that a glance does not look at.
    snapshot = ws.library.glance() if ws.actor == ws.config.owner else ws.library.snapshot()
    comparer = Comparer(ws, View(ws, snapshot, ws.vault.read))
    paths = [file.path for file in files]
    return tuple(
        replace(each, conflicts=tuple(comparer.conflicts(side_of(file), but=paths))) if file.path in anew else each
        for each, file in zip(saved, files, strict=True)
    )


def save_own(
    ws: Workspace, files: Sequence[Written], *, verb: str, dry_run: bool = False, commit: bool = False
) -> str | None:
    """Write files of the vault itself as one operation; return the commit that has them, None where there is none.

    Raises:
        FormatError: the new bytes are not what such a file has to be.
        ChangedMeanwhileError: a file is no longer what was read, or there is one already; nothing was written.
    """
    return _save(ws, [], verb=verb, dry_run=dry_run, commit=commit, own=files)[1]


# Who vouches for somebody else's memory writes into it; the vault's owner mends every file.
_BY_OTHERS = frozenset({"witness", "check --fix", "adopt"})


def _refuse_others(ws: Workspace, edits: Sequence[Edit], verb: str) -> None:
    """Stop where somebody else's memory would be changed: that it may be seen lets nobody write it."""
    for edit in edits if verb not in _BY_OTHERS else ():
        if isinstance(edit.before, MemoryFile) and edit.after != edit.before.data and not owns(ws, edit.before.memory):
            refuse_as_not_owner(ws, edit.before)


def refuse_as_not_owner(ws: Workspace, file: MemoryFile) -> NoReturn:
    """Say that only its owner changes a memory; the viewer knows already that it is there."""
    owner = file.memory.owner or ws.config.owner
    raise RefusedError(
        f"{file.memory.ref or file.path} is {owner}'s, and only its owner changes it",
        hint="memstore add writes a memory of your own; --derived-from says what it is made of",
    )


def _check_own(file: Written) -> None:
    """Stop where a registry file would not be readable."""
    kind = registry.kind_of(file.path)
    read = registry_file.read(file.path, kind, file.after) if kind and file.after is not None else None
    if isinstance(read, tuple):
        raise FormatError(f"{file.path} would not be readable; nothing was written:\n{told(read)}", hint=hint(read))


def _written(edit: Edit) -> Written:
    return Written(edit.path, edit.before.data if edit.before else None, edit.after)


def _says_anew(before: ReadFile | None, after: MemoryFile) -> bool:
    """Whether a file says something that it did not say before, and that others may contradict."""
    if after.memory.status != "active":
        return False
    if not isinstance(before, MemoryFile):
        return True
    was, now = before.memory, after.memory
    return (was.body, was.title, was.claims, was.status) != (now.body, now.title, now.claims, now.status)


def _checked(edit: Edit) -> MemoryFile:
    """Return the file that the new bytes make; stop where it is broken or must not follow the old one."""
    if isinstance(edit.before, BrokenFile) and not lacks_only_its_type(edit.before):
        findings = edit.before.findings
        raise FormatError(f"{edit.path} can't be read and is not touched:\n{told(findings)}", hint=hint(findings))
    file = memory_file.read(edit.path, edit.after)
    if not isinstance(file, MemoryFile):
        findings = file.findings if isinstance(file, BrokenFile) else ()
        raise FormatError(
            f"{edit.path} would not be readable; nothing was written:\n{told(findings)}", hint=hint(findings)
        )
    errors = [finding for finding in findings_between(edit.before, file) if finding.is_error]
    if errors:
        raise RefusedError(f"nothing was written:\n{told(errors)}", hint=hint(errors))
    return file


def lacks_only_its_type(file: BrokenFile) -> bool:
    """Whether a file would be a memory if it only said of what type: another program's note, most likely."""
    return {finding.code for finding in file.findings} == {"type-missing"}


def findings_between(before: ReadFile | None, after: MemoryFile) -> tuple[Finding, ...]:
    """Return what is wrong with a step from one state of a file to the next: what it changes, and slips in new keys."""
    place = after.front.position
    known = before.memory.extra if isinstance(before, MemoryFile) else ()
    findings = list(checks.unread_keys(Checked(after.path, after.memory, place, after.text.body_line), but=known))
    if isinstance(before, MemoryFile):
        findings += transitions.check(before.memory, after.memory, path=after.path, place=place)
    return in_order(findings)


def message_of(ws: Workspace, reason: str | None, *, commit: bool, dry_run: bool) -> str | None:
    """Return what the commit is to say where a change leaves its reason nowhere else.

    Raises:
        UsageError: there is a reason, and nothing is committed that could keep it.
    """
    if reason and not (commit or ws.config.auto_commit or dry_run):
        raise UsageError(
            "only the commit's message has a place for this reason, and nothing is committed",
            hint="add -c, or leave it out and say it with memstore commit -m",
        )
    return reason


def told(findings: Sequence[Finding]) -> str:
    """Return findings as lines that editors jump from."""
    return "\n".join(finding.line for finding in findings)


def hint(findings: Sequence[Finding]) -> str | None:
    """Return the first hint among findings."""
    return next((finding.hint for finding in findings if finding.hint), None)


def _saved(edit: Edit, file: MemoryFile) -> Saved:
    return Saved(
        ref=str(file.memory.ref) if file.memory.ref else None,
        path=edit.path,
        title=title_of(file.memory),
        diff=unified_diff(edit.path, edit.before.data if edit.before else None, edit.after),
        findings=findings_between(edit.before, file),
    )


def unchanged(file: MemoryFile) -> Saved:
    """Return what became of a memory that stays as it is."""
    return _saved(Edit(path=file.path, before=file, after=file.data), file)


def _write(ws: Workspace, files: Sequence[Written], verb: str) -> None:
    """Write all files; before the first one is touched, each must be as it was read."""
    for file in files:
        _expect(ws, file)
    # What was audited stays so: undoing an act is another act.
    undoable = tuple(file for file in files if not is_audit_path(file.path))
    operation = Operation(verb, instant(ws.clock.now()), undoable, ws.actor)
    # (1) The journal says what is about to be, where one file is not all; (2) the files; (3) the journal says that it
    # is done. After a crash in between, whoever opens the vault next finishes (2).
    if len(files) > 1:
        ws.journal.begin(operation._replace(files=tuple(files)))
    for file in files:
        if file.before is None:
            ws.vault.create(file.path, file.after or b"")
        else:
            ws.vault.replace(file.path, file.after or b"", expected=file.before)
    ws.journal.record(operation)


def _expect(ws: Workspace, file: Written) -> None:
    try:
        now = ws.vault.read(file.path)
    except VaultError:
        now = None
    if now != file.before:
        what = "there is a file already" if file.before is None else "it was saved by somebody else meanwhile"
        raise ChangedMeanwhileError(f"{file.path}: {what}; nothing was written", hint="run the command again")


def can_commit(ws: Workspace) -> None:
    """Stop before anything is written where it could not be committed: `GitError` or `LockedError`."""
    ws.history.require()
    ws.history.stop_if_busy()


def may_commit(ws: Workspace) -> bool:
    """Whether something could be committed just now."""
    try:
        can_commit(ws)
    except MemstoreError:
        return False
    return True


def without_commits(ws: Workspace) -> Workspace:
    """Return the workspace of somebody who commits nothing, whatever the vault's settings ask for."""
    return ws._replace(config=ws.config._replace(auto_commit=False))


def commit_written(ws: Workspace, paths: Sequence[str], message: str | None = None) -> str | None:
    """Commit what has just been written, and return the commit; None where git takes no notice of any of it.

    Raises:
        MemstoreError: it could not be committed; the error says that it is written all the same.
    """
    from memstore.flows.commit import commit_paths

    try:
        return commit_paths(ws, paths, text=message).commit
    except MemstoreError as error:
        what = f"{paths[0]} is" if len(paths) == 1 else f"{len(paths)} files are"
        error.args = (f"{error}\n{what} written all the same, and not committed",)
        raise


def unified_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """Return the difference between two states of a file as `git diff` shows it; empty where they are the same."""
    import difflib

    if before == after:
        return ""
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else f"a/{path}",
        "/dev/null" if after is None else f"b/{path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Return a file's lines with their ends; a carriage return is part of its line."""
    parts = (data or b"").decode(errors="replace").split("\n")
    return [f"{line}\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
