"""`memstore beliefs consolidate` and `compress`: what was learnt from many memories, and old texts in brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command, ref_argument
from memstore.cli.written import (
    commit_option,
    dry_run_option,
    lines_of_all,
    saving_options,
    say_findings,
)
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.beliefs.compress import Compressed
    from memstore.beliefs.consolidate import Consolidated
    from memstore.cli.session import CliSession


BRANCH = "memstore/suggestions"


@command(
    "consolidate",
    examples=(
        "memstore beliefs consolidate                        # what it would suggest, as diffs",
        "memstore beliefs consolidate --apply                # write the suggestions",
        "memstore beliefs suggestions list                   # and decide on them",
        "memstore beliefs consolidate --apply --if-due -q    # from cron, or a hook",
        "memstore beliefs consolidate --branch               # for a pull request, without touching a file",
    ),
)
@click.option("--apply", is_flag=True, help="Write the suggestions.")
@click.option("--apply-safe", is_flag=True, help="Also record support at once if nothing in a pattern contradicts.")
@click.option("--branch", metavar="[NAME]", is_flag=False, flag_value=BRANCH, help="Write them to a branch instead.")
@click.option(
    "--if-due", is_flag=True, help="Only if there are 20 new memories, or `every` hours (config) have passed."
)
@click.option("--with", "command_line", metavar="CMD", help="What words new beliefs: a command, or llm:MODEL.")
@dry_run_option()
@click.option("--as-of", metavar="DATE", help="Look only at what had been written by then.")
@commit_option()
def consolidate(  # noqa: PLR0913 - one argument an option
    session: CliSession,
    *,
    apply: bool,
    apply_safe: bool,
    branch: str | None,
    if_due: bool,
    command_line: str | None,
    dry_run: bool,
    as_of: str | None,
    commit: bool,
) -> None:
    """Suggest beliefs from what happened repeatedly or changed, and evidence for and against existing beliefs.

    It looks at all episodes and raw memories that no belief rests on, if there are at least 20. A new belief needs
    three memories from three independent roots, a contradiction of a belief two that are younger; a change quotes both
    sides. Suggestions wait in suggestions/ for a decision.
    """
    from memstore.beliefs.consolidate import consolidate as run
    from memstore.core.times import period
    from memstore.vault import composition

    if branch and (apply_safe or commit):
        raise UsageError("--branch commits suggestions, and nothing else", hint="leave out --apply-safe and --commit")
    writes = bool(apply or apply_safe or branch) and not dry_run
    view = session.view()
    until = period(as_of, now=view.clock.here()).end if as_of else None
    done = run(
        view,
        apply=writes,
        apply_safe=apply_safe,
        if_due=if_due,
        branch=branch,
        as_of=until,
        synthesizer=composition.synthesizer(session.environment(), command_line),
        commit=commit,
    )
    session.emit(
        "consolidate", done, lambda: _lines(session, done, dry_run=not writes), each="suggestions", dry_run=not writes
    )
    _say(session, done, dry_run=not writes)
    session.say_unreadable()


def _say(session: CliSession, done: Consolidated, *, dry_run: bool) -> None:
    from memstore.cli.output import safe_line

    if not (done.enough and done.due):
        return
    for one in done.suggestions:
        if one.note:
            session.say(f"{one.ref}: {safe_line(one.note)}")
    if done.left_out:
        session.say(f"{done.left_out} older memories were left out: at most {done.pooled} are looked at")
    if done.below:
        some = "new belief is" if done.below == 1 else "new beliefs are"
        session.say(f"{done.below} {some} below the vault's thresholds, and not suggested: memstore config")
    if done.faded:
        session.say(f"{len(done.faded)} {'belief has' if len(done.faded) == 1 else 'beliefs have'} faded")
    if done.applied:
        session.say(f"{len(done.applied)} {('was' if len(done.applied) == 1 else 'were')} applied at once")
    count = len(done.suggestions)
    what = "nothing new" if not count else f"{count} {'suggestion' if count == 1 else 'suggestions'}"
    then = "; --apply writes it" if dry_run and count == 1 else "; --apply writes them" if dry_run and count else ""
    session.say(f"{done.pooled} memories looked at, {what}{then}")


def _lines(session: CliSession, done: Consolidated, *, dry_run: bool) -> Iterator[str]:
    from memstore.beliefs.consolidation import FEWEST_POOLED

    if not done.enough:
        some = f"{done.pooled} episodes and raw memories wait" if done.pooled > 1 else "1 episode or raw memory waits"
        waiting = some if done.pooled else "no episode or raw memory waits"
        yield f"not yet: {waiting} for a belief, and at least {FEWEST_POOLED} are needed"
    if not done.due:
        yield "not due yet"
    yield from lines_of_all(session, done.saved, dry_run=dry_run)


# -- compress --------------------------------------------------------------------------------------


@command(
    "compress",
    examples=(
        "memstore beliefs compress --dry-run        # all that is old and was never used, as diffs",
        "memstore beliefs compress -c",
        "memstore beliefs compress m_7f3",
        "memstore show m_7f3 --whole        # the whole text again",
    ),
)
@ref_argument("refs", metavar="[REF…]", nargs=-1)
@saving_options()
def compress(session: CliSession, refs: tuple[str, ...], *, commit: bool, dry_run: bool) -> None:
    """Replace unused texts with summaries: the title and the first sentence.

    Without REF it looks at all memories that are older than 30 days, of normal or low importance, never used, never
    cited and unsigned. The whole text must be committed; git keeps it, and memstore show --whole prints it.
    """
    from memstore.beliefs.compress import compress as put_summaries

    done = put_summaries(session.view(), refs, dry_run=dry_run, commit=commit)
    session.emit(
        "compress", done, lambda: lines_of_all(session, done.saved, dry_run=dry_run), each="memories", dry_run=dry_run
    )
    for saved in done.saved:
        say_findings(session, saved.findings)
    session.say(_compressed_text(done, dry_run=dry_run))


def _compressed_text(done: Compressed, *, dry_run: bool) -> str:
    if not done.saved:
        return "nothing to compress"
    freed = sum(size.before - size.after for size in done.sizes)
    what = "1 memory" if len(done.saved) == 1 else f"{len(done.saved)} memories"
    return f"{what} {('would be ' if dry_run else '')}compressed, {freed:,} bytes saved"
