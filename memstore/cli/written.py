"""Shared by all commands that write memories: options, and how their answers look."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memstore.cli.options import F, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memstore.access.audit import Registered
    from memstore.cli.output import Palette
    from memstore.cli.session import CliSession
    from memstore.core.change import Saved
    from memstore.core.conflict import Conflict, Lines, PairVerdict
    from memstore.core.finding import Finding
    from memstore.memories.promote import Linked


def dry_run_option() -> Callable[[F], F]:
    """Add `--dry-run`."""
    return click.option("--dry-run", is_flag=True, help="Write nothing; show what would change.")


def commit_option() -> Callable[[F], F]:
    """Add `-c`."""
    return click.option("-c", "--commit", is_flag=True, help="Also commit it.")


def keep_secret_option() -> Callable[[F], F]:
    """Add `--keep-secret`, which only a person has."""
    return _term("keep_secret", "Write what looks like a secret all the same; for people alone.")


def again_option() -> Callable[[F], F]:
    """Add `--again`."""
    return _term("again", "Write it even if you wrote exactly the same before today: it happened again.")


def private_option() -> Callable[[F], F]:
    """Add `--private`."""
    return _term("private", "In a vault of a group: write it to your own vault, for you alone.")


def acknowledge_option() -> Callable[[F], F]:
    """Add `--acknowledge`."""
    return _term("acknowledge", "Grant what is said in a context to others than those who belong there all the same.")


def _term(name: str, told: str) -> Callable[[F], F]:
    def choose(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click calls it
        if value:
            setattr(ctx.obj.choices, name, True)

    return click.option(f"--{name.replace('_', '-')}", is_flag=True, expose_value=False, callback=choose, help=told)


def saving_options() -> Callable[[F], F]:
    """Add `-c` and `--dry-run`."""
    return together(commit_option(), dry_run_option())


def emit_saved(session: CliSession, verb: str, saved: Saved, *, dry_run: bool, unchanged: str) -> None:
    """Report the result for one memory: a line that editors can jump from, or the diff of a dry run.

    Args:
        session: the call.
        verb: the command.
        saved: the result of the use case.
        dry_run: whether nothing was written.
        unchanged: what to say if nothing changed.
    """
    session.emit(verb, saved, lambda: saved_lines(session, saved, dry_run=dry_run), dry_run=dry_run)
    if saved.is_first:
        session.say("you wrote exactly this before today: this is the first one, and nothing was added")
        session.say("  hint: --again writes it all the same, as something that happened again")
    elif not saved.changed:
        session.say(unchanged)
    say_what_stays_out(session, saved)
    say_findings(session, saved.findings)
    say_conflicts(session, saved.conflicts, of=saved.ref or saved.path)
    if saved.compared_in_part:
        name = saved.ref or saved.path
        session.say(f"not everything alike was compared for conflicts: memstore conflicts {name}")


def emit_linked(session: CliSession, verb: str, linked: Linked, *, dry_run: bool) -> None:
    """Report the result for a memory and those that changed with it: a line each, or the diffs of a dry run."""
    written = (linked.saved, *linked.others)
    session.emit(verb, linked, lambda: lines_of_all(session, written, dry_run=dry_run), dry_run=dry_run)
    for saved in written:
        say_what_stays_out(session, saved)
        say_findings(session, saved.findings)


def saved_lines(session: CliSession, saved: Saved, *, dry_run: bool) -> Iterator[str]:
    """Yield the memory's line, or in a dry run the lines of the diff."""
    from memstore.cli.output import safe_line

    if dry_run:
        yield from diff_lines(session, saved.diff)
        return
    paint = session.paint
    ref = paint("ref", saved.ref) if saved.ref else ""
    told = " ".join(word for word in (ref, paint("title", safe_line(saved.title))) if word)
    yield f"{paint.path(saved.path)}: {told}"


def lines_of_all(session: CliSession, saved: Iterable[Saved], *, dry_run: bool) -> Iterator[str]:
    """Yield what `saved_lines` yields for each of several memories."""
    return (line for one in saved for line in saved_lines(session, one, dry_run=dry_run))


def emit_registered(session: CliSession, verb: str, done: Registered, *, dry_run: bool) -> None:
    """Report the result for a registry file."""
    session.emit(verb, done, lambda: _registered_lines(session, done, dry_run=dry_run), dry_run=dry_run)
    if not done.diff:
        session.say("nothing changed")
    for note in done.notes:
        session.say(f"note: {note}")


def _registered_lines(session: CliSession, done: Registered, *, dry_run: bool) -> Iterator[str]:
    if dry_run:
        yield from diff_lines(session, done.diff)
    else:
        yield f"{session.paint.path(done.path)}: {session.paint('ref', done.id)}"


def say_what_stays_out(session: CliSession, saved: Saved) -> None:
    """Say if a file was to be committed but git ignores it, or another repository has it."""
    if saved.stays_out:
        from memstore.cli.output import safe_line

        session.say(
            f"not committed: git ignores {safe_line(session.from_here(saved.path))}, already has it as it is, "
            "or it lies in a repository of its own"
        )


def diff_lines(session: CliSession, diff: str) -> Iterator[str]:
    """Yield the lines of a unified diff, in colours."""
    from memstore.cli.output import Verbatim, safe_line

    roles = {"+": "added", "-": "removed", "@": "dim"}
    for line in diff.removesuffix("\n").split("\n") if diff else ():
        yield Verbatim(session.paint(roles[line[0]], safe_line(line)) if line[:1] in roles else safe_line(line))


def write_for_a_server(session: CliSession, findings: Sequence[Finding], form: str, *, prefix: str) -> None:
    """Print findings as a build server reads them: `form` is github or sarif, `prefix` the vault's folder in git's."""
    from memstore import __version__
    from memstore.cli.output import one_line
    from memstore.documents.findings import github_lines, sarif_document

    if form == "github":
        session.write(github_lines(findings, prefix))
    else:
        session.write((one_line(sarif_document(findings, prefix, version=__version__)),))


def say_findings(session: CliSession, findings: tuple[Finding, ...]) -> None:
    """Report findings on standard error."""
    from memstore.cli.output import safe_line

    for finding in findings:
        session.say(safe_line(finding._replace(path=session.from_here(finding.path)).line))
        if finding.hint:
            session.say(f"  hint: {safe_line(finding.hint)}")


# Whoever reads of more than these after each memory that they add stops reading; the whole list has a command.
MOST_CONFLICTS = 3


def say_conflicts(session: CliSession, conflicts: Sequence[Conflict], *, of: str) -> None:
    """Report conflicts of a memory on standard error: the place of each side, and what to do.

    The first `MOST_CONFLICTS` are shown; conflicts are ordered by gravity.
    """
    from memstore.cli.output import Palette

    plain = Palette(colours=False, signs=False, from_here=session.from_here)
    for conflict in conflicts[:MOST_CONFLICTS]:
        session.say(conflict_line(plain, conflict))
        session.say(f"  hint: {conflict.command}")
    if more := len(conflicts[MOST_CONFLICTS:]):
        session.say(f"  … and {more} more: memstore conflicts {of}")


def conflict_line(paint: Palette, conflict: Conflict) -> str:
    """Return a conflict as a line that editors can jump from."""
    mine, theirs = (paint.place(one.path, one.line_start) for one in conflict.lines)
    said = said_line(paint, conflict.lines[1])
    kind = paint("warning", conflict.conflict_type.value)
    return f"{mine}: {kind} with {paint('ref', conflict.refs[1])} at {theirs}: {said} [{conflict.rule}]"


def said_line(paint: Palette, lines: Lines) -> str:
    """Return what one side of a conflict says, as one line."""
    from memstore.cli.output import safe_line

    return paint("title", safe_line(" ".join(lines.said.split())))


def verdict_line(session: CliSession, verdict: PairVerdict) -> str:
    """Return a verdict as one line: who judged when, what, and why."""
    from memstore.cli.output import safe_line

    paint = session.paint
    said = SAID_OF_TWO[verdict.verdict].format(*(paint("ref", f"{one.ref}:{one.line_start}") for one in verdict.judged))
    by = safe_line(f"{verdict.judged_by} with {verdict.model}" if verdict.model else verdict.judged_by)
    reason = f": {safe_line(verdict.reason)}" if verdict.reason else ""
    return f"{session.day_of(verdict.judged_at)} {by}: {said}{reason} {paint('dim', f'[{verdict.id}]')}"


def verdict_lines(session: CliSession, verdicts: Sequence[PairVerdict]) -> Iterator[str]:
    """Yield verdicts as a part of an answer, after an empty line; nothing without any."""
    if verdicts:
        yield from ("", session.paint("heading", "verdicts"))
    yield from (verdict_line(session, one) for one in verdicts)


# What each verdict says of two memories.
SAID_OF_TWO = {
    "contradicts": "{} contradicts {}",
    "supersedes": "{} is newer than {}",
    "narrows": "{} holds beside {}, in another time, place or scope",
    "same": "{} says the same as {}",
    "unrelated": "{} has nothing to do with {}",
    "unsure": "can't tell how {} and {} stand to each other",
}


def in_vault(session: CliSession, path: str, *, is_folder: bool = False) -> str:
    """Return a path relative to the vault; it is given from the person's folder if inside, else from the vault's.

    Raises:
        UsageError: it is outside the vault.
    """
    root = session.view().root.resolve()
    folder = session.environment().folder.resolve()
    place = folder / path
    # Folders may be links; the last name itself is the vault's, whatever it may point to.
    whole = _real(place) if is_folder or place.name == ".." else _real(place.parent) / place.name
    if whole.is_relative_to(root):
        return whole.relative_to(root).as_posix()
    if folder.is_relative_to(root) or Path(path).is_absolute():
        from memstore.core.errors import UsageError

        raise UsageError(f"{path} is outside the vault {root}", hint="name a path inside it")
    return path


def _real(place: Path) -> Path:
    """Return where a path leads; as far as it can be resolved, if links form a cycle."""
    return Path(os.path.realpath(place))
