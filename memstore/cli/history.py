"""`memstore log`, `blame`, `diff`, `status`, `commit`, `undo`: what happened, who wrote it, what is not committed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from memstore.access import STACK_FOLDERS
from memstore.cli.options import WholeNumber, command, named_argument, ref_argument
from memstore.core.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.core.change import Committed, Undone
    from memstore.core.view import View
    from memstore.history.diff import MemoryDiff
    from memstore.history.log import Log, LogLine
    from memstore.history.revisions import Blame
    from memstore.vault.status import Status, Uncommitted

_SHORT = 10
_NOT_COMMITTED = "·"


@command(
    "log",
    examples=(
        "memstore log                               # all memories and notes, newest first",
        "memstore log belief:m_7f3k9q2x1c           # commits and confidence events",
        "memstore log -n 5 --json",
    ),
)
@named_argument(required=False, metavar="[REF]")
@click.option("-n", "--limit", type=WholeNumber(min=0), metavar="N", help="Show at most this many.")
def log(session: CliSession, ref: str | None, limit: int | None) -> None:
    """Show what happened, newest first: when, in which commit (`·` marks a confidence event), what, and by whom."""
    view = session.view()
    found = _happened(session, view, ref, limit)
    session.emit("log", found, lambda: (_log_line(session, line) for line in found.lines), each="entries")
    if not found.lines and limit != 0:
        of_all = f"no memory{' or note' if view.plain else ''} is committed yet"
        session.say("it is not committed yet" if ref else of_all)
    _say_cut_off(session, found.cut_off)


def _happened(session: CliSession, view: View, ref: str | None, limit: int | None) -> Log:
    """Return the log of what is called so; a file that is gone may be named from the person's folder as well."""
    from memstore.cli.written import in_vault
    from memstore.history.log import log as happened

    try:
        return happened(view, ref, limit=limit)
    except NotFoundError:
        with suppress(UsageError, NotFoundError):
            if ref and (path := in_vault(session, ref)) != ref:
                return happened(view, path, limit=limit)
        raise


@command("blame", examples=("memstore blame m_7f3", "memstore blame belief:m_7f3k9q2x1c --json"))
@named_argument()
def blame(session: CliSession, ref: str) -> None:
    """Show who wrote each line of a note or of a memory's text, or an entry of its confidence's history, and when."""
    from memstore.history.revisions import blame as written

    found = written(session.view(), ref)
    session.emit("blame", found, lambda: _blame_lines(session, found), verbatim=True)
    _say_cut_off(session, found.cut_off)


@command(
    "diff",
    examples=(
        "memstore diff                              # everything that is not committed",
        "memstore diff m_7f3 HEAD~3                 # since three commits ago",
        "memstore diff m_7f3 2026-01 2026-02        # from the end of January to that of February",
    ),
)
@named_argument(required=False, metavar="[REF]")
@click.argument("old", metavar="[A]", required=False)
@click.argument("new", metavar="[B]", required=False)
def diff(session: CliSession, ref: str | None, old: str | None, new: str | None) -> None:
    """Show what changed: keys in words, the text as lines. A and B are commits or dates."""
    from memstore.history.diff import diff as compare

    found = compare(session.view(), ref, old, new)
    session.emit(
        "diff",
        found,
        lambda: (line for memory in found.memories for line in _diff_lines(session, memory)),
        each="memories",
        verbatim=True,
    )
    for path in found.broken:
        _say_safely(session, f"{session.from_here(path)} can't be read; see `memstore check`")
    if not (found.memories or found.broken):
        session.say("no difference")


@command("status", examples=("memstore status", "memstore status --json"))
def status(session: CliSession) -> None:
    """Show what is not committed, which files can't be read, and which hooks are missing."""
    from memstore.vault.status import status as look

    view = session.view()
    found = look(view)
    session.emit("status", found, lambda: _status_lines(session, found))
    if view.of(STACK_FOLDERS).shared():
        say_withdrawn(session, view)


def say_withdrawn(session: CliSession, view: View) -> None:
    """Say which shared stacks have memories that their recipients may see no longer."""
    from memstore.exchange.sharing import withdrawn

    for name, count in withdrawn(view).items():
        memories = "1 memory" if count == 1 else f"{count} memories"
        _say_safely(
            session,
            f"the stack {name} has {memories} that its recipients may see no longer: memstore share --update {name}",
        )


@command(
    "commit",
    examples=(
        "memstore commit                            # all pending memories and notes, with a computed message",
        'memstore commit -m "After the vet" m_7f3   # one of them, in your words',
    ),
)
@ref_argument("refs", nargs=-1, metavar="[REF...]")
@click.option("-m", "--message", metavar="TEXT", help="The commit message; trailers are added to it.")
def commit(session: CliSession, refs: tuple[str, ...], message: str | None) -> None:
    """Commit pending memories and notes and nothing else; other staged files stay staged.

    Without REF, the vault's own files are committed as well: settings, entities, groups, consents. For anybody but the
    vault's owner, these are the audit events and consents of what they did.

    The checks of the pre-commit hook run, other hooks don't, and only a change of the keyring is signed. Use git commit
    if you need more than that.
    """
    from memstore.vault.status import commit as make

    done = make(session.view(), refs, message=message)
    session.emit("commit", done, lambda: _commit_lines(session, done))
    for finding in done.findings:
        _say_safely(
            session, f"{session.from_here(finding.path)}:{finding.at.line}: warning: {finding.text} [{finding.code}]"
        )
    for path in done.left_out:
        _say_safely(session, f"left out: {session.from_here(path)} can't be read; see `memstore check`")


@command(
    "sync",
    examples=(
        "memstore sync                              # commit, fetch, merge, check, push",
        "memstore sync origin --dry-run             # what there is to do",
    ),
)
@click.argument("remote", required=False)
@click.option("-m", "--message", metavar="TEXT", help="The commit message, in place of the computed one.")
@click.option("--dry-run", is_flag=True, help="Only show what there is to do.")
def sync(session: CliSession, remote: str | None, message: str | None, *, dry_run: bool) -> None:
    """Commit what is pending, fetch from the remote, merge, check what came, and push.

    It stops at the first thing that needs a person, says how to go on, and ends with exit code 1. A merge that fails is
    taken back: both sides stay in commits.
    """
    from memstore.cli.output import safe
    from memstore.core.errors import Exit
    from memstore.vault.syncing import sync as bring_together

    done = bring_together(session.view(), remote, message=message, dry_run=dry_run)
    session.emit("sync", done, lambda: done.done, dry_run=dry_run)
    if stop := done.stopped:
        session.say(safe(f"stopped at {stop.step}: {stop.why}"))
        session.say(f"  hint: {stop.hint}")
        if stop.rescued:
            session.say(f"  theirs is kept as {stop.rescued}")
        session.exit(Exit.FOUND_ERRORS)


@command("undo", examples=("memstore undo                              # run it again to redo",))
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
def undo(session: CliSession, *, dry_run: bool) -> None:
    """Take back what memstore wrote last, if the files have not been changed since. Commits stay."""
    from memstore.vault.status import undo as take_back

    done = take_back(session.view(), dry_run=dry_run)
    session.emit("undo", done, lambda: _undo_lines(session, done, dry_run=dry_run), dry_run=dry_run)


# -- log and blame -------------------------------------------------------------------------------


def _say_cut_off(session: CliSession, commits: Sequence[str]) -> None:
    """Say where the history of a shallow clone ends: what is older looks as if it came with that commit."""
    if commits:
        session.say(f"this clone's history ends at {', '.join(commit[:_SHORT] for commit in commits)}")
        session.say("  hint: git fetch --unshallow")


def _log_line(session: CliSession, line: LogLine) -> str:
    from memstore.cli.output import safe_line

    paint = session.paint
    commit = paint("line", line.commit[:_SHORT]) if line.commit else _NOT_COMMITTED.ljust(_SHORT)
    title = f"{paint('title', safe_line(line.title))}  " if line.title else ""
    name = session.from_here(line.path) if line.name == line.path else line.name
    what = f"{line.verb} {title}{paint('ref', safe_line(name))}"
    details = f": {safe_line(', '.join(line.details))}" if line.details else ""
    return f"{paint('dim', line.at)}  {commit}  {what}{details}  {paint('dim', safe_line(line.by))}".rstrip()


def _blame_lines(session: CliSession, blame: Blame) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.core.quotation import quoted

    lines, said = (*blame.history, *blame.body), safe_line
    if blame.external is not None:
        yield session.paint("warning", blame.external.opening)
        said = quoted
    authors = [line.commit.author if line.commit else "not committed" for line in lines]
    width = max(map(len, authors), default=0)
    for line, author in zip(lines, authors, strict=True):
        commit = line.commit.short if line.commit else _NOT_COMMITTED.ljust(_SHORT)
        day = f"{line.commit.at:%Y-%m-%d}" if line.commit else " " * 10
        who = session.paint("dim", f"{day}  {safe_line(author).ljust(width)}")
        yield f"{session.paint('line', commit)}  {who}  {line.line:>4}  {said(line.text)}".rstrip()


# -- diff and status -----------------------------------------------------------------------------


def _diff_lines(session: CliSession, memory: MemoryDiff) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.core.quotation import quoted

    paint, said = session.paint, safe_line
    yield _headline(session, memory.verb, memory.name, memory.path, memory.path_before)
    if memory.external is not None:
        yield paint("warning", memory.external.opening)
        said = quoted
    for statement in memory.statements:
        yield f"  {said(statement)}"
    roles = {"+": "added", "-": "removed", "@": "line"}
    for line in memory.body:
        role = roles.get(line[:1])
        text = line if line[:1] == "@" else line[:1] + said(line[1:])
        yield paint(role, text) if role else text


def _headline(session: CliSession, verb: str, name: str, path: str, path_before: str | None) -> str:
    from memstore.cli.output import safe_line

    moved = f" (from {safe_line(session.from_here(path_before))})" if path_before else ""
    # A memory without an id is named by its path.
    which = "" if name == path else f"{session.paint('ref', safe_line(name))}  "
    return f"{verb} {which}{session.paint.path(path)}{moved}"


def _status_lines(session: CliSession, status: Status) -> Iterator[str]:
    from memstore.history.commit_messages import counted_files

    paint = session.paint
    yield f"{counted_files(status.memories, status.notes)}, {_where(status)}"
    if status.quarantined:
        yield f"{status.quarantined} quarantined (memstore list --status quarantined)"
    if status.sealed:
        yield f"{status.sealed} sealed, which no key here opens"
    yield from _uncommitted_lines(session, status.uncommitted)
    yield from _section(
        session, "the vault's settings and records, not committed yet (memstore commit)", status.own_files
    )
    yield from _section(session, "not merged by git (memstore check says what to do)", status.unmerged)
    yield from _section(session, "can't be read (memstore check says why)", status.broken)
    yield from _section(session, "front matter without a type (memstore adopt makes memories of them)", status.untyped)
    if status.widened:
        from memstore.cli.output import safe_line

        yield ""
        yield paint("warning", "changes that let others see more than at the last commit or check (memstore check)")
        yield from (f"  {paint.path(finding.path)}: {safe_line(finding.text)}" for finding in status.widened)
    missing = [name for name, state in status.hooks.items() if state.name not in ("OURS", "CALLING")]
    if missing:
        yield ""
        yield f"{paint('warning', 'no hook')}: {', '.join(missing)} (memstore hooks install)"


def _where(status: Status) -> str:
    from memstore.cli.output import safe_line

    repository = status.repository
    if repository is None:
        return "not in a git repository, so there is no history"
    at = f"branch {safe_line(repository.branch)}" if repository.branch else "no branch"
    if not status.is_owners:
        return f"on {at}"
    if repository.head is None:
        return f"on {at}, nothing committed yet" if repository.branch else "nothing committed yet"
    is_pending = status.uncommitted or status.own_files or status.unmerged or status.broken_uncommitted
    pending = "" if is_pending else ", all committed"
    return f"on {at} at {repository.head[:_SHORT]}{pending}"


def _uncommitted_lines(session: CliSession, changes: Iterable[Uncommitted]) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for i, change in enumerate(changes):
        if i == 0:
            yield ""
            yield session.paint("heading", "not committed (memstore commit)")
        details = f": {safe_line(', '.join(change.details))}" if change.details else ""
        yield f"  {_headline(session, change.verb, change.name, change.path, change.path_before)}{details}"


def _section(session: CliSession, heading: str, paths: Iterable[str]) -> Iterator[str]:
    for i, path in enumerate(paths):
        if i == 0:
            yield ""
            yield session.paint("heading", heading)
        yield f"  {session.paint.path(path)}"


# -- commit and undo -----------------------------------------------------------------------------


def _commit_lines(session: CliSession, done: Committed) -> Iterator[str]:
    from memstore.cli.output import safe_line

    if done.commit is None:
        yield "nothing to commit"
    else:
        yield f"{session.paint('line', done.commit[:_SHORT])} {safe_line(done.message.partition(chr(10))[0])}"


def _undo_lines(session: CliSession, done: Undone, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.cli.written import diff_lines
    from memstore.core.change import UNDO_OF

    if dry_run:
        yield from diff_lines(session, done.diff)
        return
    again = safe_line(done.verb).removeprefix(UNDO_OF)
    yield f"undone: {again} of {done.at}" if again == done.verb else f"redone: {again}, undone at {done.at}"
    for path in done.paths:
        yield f"  {session.paint.path(path)}"


def _say_safely(session: CliSession, message: str) -> None:
    from memstore.cli.output import safe_line

    session.say(safe_line(message))
