"""`memstore init` and `memstore doctor`: make a folder a vault, and check that everything around it works."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memstore.cli.options import command
from memstore.core.config import NOTES
from memstore.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.exchange.founding import SharedVault
    from memstore.files.local_state import Environment
    from memstore.vault.doctor import Check, Diagnosis
    from memstore.vault.init import Initialised
    from memstore.vault.undo_init import InitUndone


@command(
    "init",
    examples=(
        "memstore init                              # this folder",
        "memstore init ~/notes --owner human:sean   # that folder, whose memories are Sean's",
        "memstore init --undo                       # this folder is no longer a vault",
        "memstore init ~/ops --owner group:ops --from ~/notes --dry-run",
    ),
)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path())
@click.option("--owner", metavar="ENTITY", help="Whose memories these are; by default --as, or human:<login name>.")
@click.option(
    "--notes",
    type=click.Choice(NOTES),
    help="Whether files with frontmatter are all memories (own) or not (mixed); mixed by default if there are notes.",
)
@click.option("--undo", is_flag=True, help="Remove what init made, if the vault holds nothing else yet.")
@click.option(
    "--from",
    "source",
    metavar="VAULT",
    type=click.Path(),
    help="For a group: begin with what all of it may see of your own vault, which stays.",
)
@click.option(
    "--acknowledge", is_flag=True, help="With --from: although texts have words that are titles of what stays."
)
@click.option("--dry-run", is_flag=True, help="With --undo or --from: only show what would be done.")
def init(
    session: CliSession,
    folder: str | None,
    owner: str | None,
    notes: str | None,
    source: str | None,
    *,
    undo: bool,
    acknowledge: bool,
    dry_run: bool,
) -> None:
    """Make a folder a vault: with settings, git hooks, and a git repository if there is none.

    Notes in the folder stay as they are. In a repository that it makes, it commits the vault's own files, so that a
    clone is a vault; in one that was there, the first command with -c commits them. Running it again changes nothing.
    In a mixed vault, notes are searched, listed and cited for the owner alone until they are adopted. In a vault of
    memstore's own (own), every Markdown file with frontmatter is a memory, and is checked as one.

    --undo removes what init made, and nothing else: settings, hooks, lines in git's files, the index. It refuses if
    there are memories by now, or settings were changed. The repository stays.

    --from makes a vault for the members of a group that your own vault knows. It has what the whole group may see
    already, its members, and you as their keeper, in one commit: whoever clones a vault gets its history, so nothing
    of yours is in it. Nobody sees more than before. Your vault stays as it is.
    """
    from memstore.core.errors import UsageError
    from memstore.core.ids import is_group
    from memstore.vault import composition
    from memstore.vault.init import init as make_vault

    if undo and (owner or notes or source is not None):
        raise UsageError("--owner, --notes and --from are for a new vault", hint="leave them out of init --undo")
    if source is not None and (folder is None or owner is None or notes):
        raise UsageError(
            "--from needs a new folder and a group, and the notes are as they are there",
            hint="memstore init DIR --owner group:ops --from VAULT --dry-run",
        )
    if acknowledge and source is None:
        raise UsageError("--acknowledge needs --from", hint="memstore init DIR --owner group:ops --from VAULT")
    if dry_run and not undo and source is None:
        raise UsageError(
            "--dry-run needs --undo or --from", hint="memstore init --undo --dry-run shows what would be removed"
        )
    env = session.environment()
    named = composition.checked_entity(session.choices.entity or env.get("MEMSTORE_ENTITY"), "--as")
    root = Path(os.path.realpath(env.expanded(folder or session.choices.vault or ".")))
    if undo:
        _undo(session, env, root, dry_run=dry_run)
        return
    begun = (
        _begin(session, env, root, source, owner or "", acknowledge=acknowledge, dry_run=dry_run)
        if source is not None
        else None
    )
    if begun and not begun[0].commit:
        _say_begun(session, begun[0])
        return
    named = begun[1] if begun else named
    done = make_vault(
        composition.place(env, root),
        owner=composition.checked_entity(owner, "--owner"),
        notes=notes,
        default_owner=session.choices.entity or env.login_entity,
        open_vault=lambda: composition.open_made(env, root, named).view(),
    )
    if is_group(done.owner) and (named or done.is_new):
        composition.remember_actor(env, root, composition.founder(env, named, root))
    if begun:
        _say_begun(session, begun[0], hooks_refused=done.hooks_refused)
    else:
        session.emit("init", done, lambda: _lines(session, done))


def _lines(session: CliSession, done: Initialised) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    where = paint("path", safe_line(str(done.root)))
    if not done.did_anything:
        yield f"{where} is already a vault; its owner is {done.owner}; nothing to do"
        return
    yield f"{where} is {'now' if done.is_new else 'already'} a vault; its owner is {paint('ref', done.owner)}"
    if done.is_new:
        yield f"  found  {safe_line('; '.join(_found(done)))}"
    if made := (*(("a git repository",) if done.repository_made else ()), *done.changed):
        yield f"  made   {', '.join(made)}{_commit_of(done)}"
    hooks = (_counted(len(done.hooks_installed), "git hook"),) if done.hooks_installed else ()
    if set_up := (*hooks, *(("headings in git's diffs",) if done.git_configured else ())):
        yield f"  set up {' and '.join(set_up)}"
    if done.hooks_refused:
        yield f"  {paint('warning', 'no git hook')}: {safe_line(done.hooks_refused)}"
    if not session.choices.quiet:
        yield from _next_steps(session, done)


def _found(done: Initialised) -> Iterator[str]:
    """Yield what was there: notes and what happens to them, a repository and its remotes."""
    if done.notes:
        keys = f", {done.with_keys} with frontmatter" if done.with_keys else ""
        stay = "stays as it is" if done.notes == 1 else "stay as they are"
        becomes = f"{stay}, for {done.owner} alone" if done.mixed else "what has frontmatter is a memory"
        yield f"{_counted(done.notes, 'note')}{keys}: {becomes}"
    else:
        yield "no notes"
    if not done.repository_made:
        remotes = f"the remote{'s' * (len(done.remotes) > 1)} {', '.join(done.remotes)}"
        yield f"a git repository with {remotes if done.remotes else 'no remote'}"


def _commit_of(done: Initialised) -> str:
    """Return how what was made gets into a commit."""
    if done.commit:
        return f"; committed as {done.commit[:10]}"
    return "; not committed yet: memstore commit" if done.uncommitted else ""


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _next_steps(session: CliSession, done: Initialised) -> Iterator[str]:
    """Yield what to try, where the vault is: one search, one list, and one way to a first memory."""
    away = "" if done.root == session.environment().folder.resolve() else f" --vault {shlex.quote(str(done.root))}"
    program = f"memstore{away}"
    words = f"{program} search {done.example or 'WORDS'}"
    yield session.paint("heading", "try")
    if not done.is_new:
        yield f"  {program} list"
    elif done.notes:
        rows = (
            (words, "the lines of your notes that say so"),
            (f"{program} list", "all of them, newest first"),
            (f"{program} adopt", "which of them can become memories"),
        )
        width = max(len(said) for said, _ in rows)
        yield from (f"  {said.ljust(width)}   # {why}" for said, why in rows)
    else:
        yield f'  {program} add "My first memory"'
        yield f"  {program} search first"


# -- init --from -----------------------------------------------------------------------------------

# How many files that stay are named, of those that stay for one reason.
_MOST_NAMED = 10


def _begin(
    session: CliSession, env: Environment, root: Path, source: str, group: str, *, acknowledge: bool, dry_run: bool
) -> tuple[SharedVault, str]:
    """Return the vault that begins with what a group may see of another, and who keeps it."""
    from memstore.exchange.founding import begin_shared
    from memstore.vault import composition

    chosen = session.choices
    named = str(composition.find_vault(env, source, where="--from"))
    view = composition.open_workspace(
        env, vault=named, entity=chosen.entity, context=chosen.context, alone=chosen.alone
    ).view()
    place = composition.stack_place(env, str(root))
    return begin_shared(view, place, group=group, acknowledge=acknowledge, dry_run=dry_run), view.actor


def _say_begun(session: CliSession, done: SharedVault, *, hooks_refused: str | None = None) -> None:
    session.emit("init-from", done, lambda: _lines_begun(session, done, hooks_refused), dry_run=done.commit is None)
    if done.obstacles:
        session.exit(Exit.FOUND_ERRORS)


def _lines_begun(session: CliSession, done: SharedVault, hooks_refused: str | None) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    is_done = done.commit is not None
    who = ", ".join(one.id for one in done.members)
    yield f"{paint.path(done.folder)} {'is now' if is_done else 'would be'} a vault of {paint('ref', done.group)}"
    yield f"  kept by {', '.join(done.keepers)}; members: {who}"
    took = "has" if is_done else "would have"
    yield f"  it {took} {_counted(len(done.taken), 'file')} that all of {done.group} may see already"
    yield from (paint("added", f"  + {safe_line(path)}") for path in done.taken)
    yield from (f"  {safe_line(one.path)} goes without {safe_line(one.why)}" for one in done.without)
    yield from _lines_of_what_stays(done)
    yield f"  its history is one commit: a clone has no earlier version, message, grant or consent of {done.source}"
    if not is_done:
        yield from (f"  {paint('error', 'in the way')}: {safe_line(one)}" for one in done.obstacles)
    if hooks_refused:
        yield f"  {paint('warning', 'no git hook')}: {safe_line(hooks_refused)}"
    if not session.choices.quiet:
        yield from _steps_of_members(session, done)


def _lines_of_what_stays(done: SharedVault) -> Iterator[str]:
    """Yield what stays, by the reason for it."""
    from memstore.cli.output import safe_line

    reasons: dict[str, list[str]] = {}
    for one in done.stays:
        reasons.setdefault(one.why, []).append(one.path)
    if reasons:
        stay = "stays" if len(done.stays) == 1 else "stay"
        yield f"  {_counted(len(done.stays), 'file')} of {done.source} {stay} there alone"
    for why, paths in reasons.items():
        yield f"  - {safe_line(why)}:"
        yield from (f"    {safe_line(path)}" for path in paths[:_MOST_NAMED])
        if len(paths) > _MOST_NAMED:
            yield f"    and {len(paths) - _MOST_NAMED:,} more; --json names all"


def _steps_of_members(session: CliSession, done: SharedVault) -> Iterator[str]:
    add = f"memstore privacy group add {done.group}"
    for one in done.members:
        if not one.email:
            yield f"  no git address of {one.id} is known: {add} {one.id} --email ADDRESS"
    if done.commit is None:
        if done.stays:
            yield f"  memstore privacy grant REF --to {done.group} lets one of them in"
        return
    rows = (
        ("git remote add origin URL", "a remote that the members alone can read"),
        (f"memstore config remotes.origin {done.group}", "says so"),
        ("memstore sync", "sends it there"),
        ("memstore --as human:NAME init", "in each member's clone, once"),
    )
    width = max(len(words) for words, _ in rows)
    yield session.paint("heading", f"then, in {done.folder}")
    yield from (f"  {words.ljust(width)}   # {why}" for words, why in rows)


# -- init --undo -----------------------------------------------------------------------------------


def _undo(session: CliSession, env: Environment, root: Path, *, dry_run: bool) -> None:
    from memstore.vault import composition
    from memstore.vault.undo_init import undo_init

    chosen = session.choices
    done = undo_init(
        composition.place(env, root),
        open_vault=lambda: composition.open_workspace(
            env, vault=str(root), entity=chosen.entity, context=chosen.context, alone=chosen.alone, any_context=True
        ).view(),
        may_act=lambda owner: composition.acts_as(env, chosen.entity, owner),
        dry_run=dry_run,
    )
    session.emit("init-undo", done, lambda: _lines_undone(session, done))


def _lines_undone(session: CliSession, done: InitUndone) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    where = paint("path", safe_line(str(done.root)))
    now = "would no longer be" if done.dry_run else "is no longer"
    yield f"{where} {now} a vault" if not done.is_vault else f"{where} stays a vault"
    took = "would remove" if done.dry_run else "removed"
    if done.removed:
        yield f"  {took} {safe_line(', '.join(done.removed))}"
    if done.restored:
        yield f"  {took} memstore's line from {safe_line(', '.join(done.restored))}"
    if done.hooks:
        yield f"  {took} the git hooks {', '.join(done.hooks)}"
    if done.git_key:
        yield f"  {took} git config {done.git_key}"
    if done.is_forgotten:
        yield f"  {took} its index and local state on this machine"
    for what, why in done.kept.items():
        yield f"  {safe_line(what)} stays: {safe_line(why)}"
    if done.has_repository:
        yield "  the git repository stays"
    if done.tracked:
        yield f"  git still tracks {safe_line(', '.join(done.tracked))}: commit their removal, too"


# -- doctor ----------------------------------------------------------------------------------------


_ROLES = {"ok": "ok", "fixed": "ok", "warning": "warning", "error": "error"}


@command("doctor", examples=("memstore doctor", "memstore doctor --fix"))
@click.option("--fix", is_flag=True, help="Fix what needs no judgement, and say so.")
def doctor(session: CliSession, *, fix: bool) -> None:
    """Check Python, git, settings, vault, hooks, remotes, index, cache, keyring, clocks and files; exit 1 on errors."""
    from memstore.vault import composition
    from memstore.vault.doctor import doctor as examine

    around = composition.surroundings(session.environment(), session.choices.vault)
    diagnosis = examine(around, session.view, fix=fix)
    session.emit("doctor", diagnosis, lambda: _lines_of_doctor(session, diagnosis), each="checks")
    if not diagnosis.is_well:
        session.exit(Exit.FOUND_ERRORS)


def _lines_of_doctor(session: CliSession, diagnosis: Diagnosis) -> Iterator[str]:
    for check in diagnosis.checks:
        yield from _check_lines(session, check)


def _check_lines(session: CliSession, check: Check) -> Iterator[str]:
    from memstore.cli.output import safe

    word = check.verdict.value
    yield f"{session.paint(_ROLES[word], f'{word:<8}')} {check.name:<17} {safe(check.text)}"
    if check.hint:
        yield f"{'':<26} {session.paint('dim', 'hint: ' + safe(check.hint))}"
