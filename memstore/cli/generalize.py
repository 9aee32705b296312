"""`memstore privacy generalize`: share what was learnt, without saying from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import RealNumber, command, ref_argument, several
from memstore.cli.written import saved_lines, saving_options, say_findings, say_what_stays_out
from memstore.core.errors import Exit, UsageError
from memstore.memories.generalize import FEWEST_SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.memories.generalize import GeneralizationCheck


@command(
    "generalize",
    examples=(
        'memstore privacy generalize m_7f3 --text "Heart murmurs in small breeds need monitoring" --access public',
        'memstore privacy generalize m_7f3 --check --text "Bella\'s breed often has heart issues"',
        'memstore privacy generalize m_7f3 m_abc --text "Cold makes old dogs limp" --access group:vets -c',
    ),
)
@ref_argument("refs", metavar="SRC…", nargs=-1, required=True)
@click.option("--text", metavar="TEXT", required=True, help="What was learnt.")
@click.option("--title", metavar="TEXT", help="Its title.")
@several("--access", metavar="ENTITY…", help="Who may see it: entities, groups, ctx:… or public.")
@click.option("--confidence", metavar="N", type=RealNumber(0, 1), help="At most that of its sources.")
@click.option("--note", metavar="TEXT", help="How sure that is, and why.")
@click.option("--check", is_flag=True, help="Only say what the check says; exit 1 unless it is safe.")
@click.option(
    "--acknowledge", is_flag=True, help="You have weighed the warnings; the vault's owner: and names in it are none."
)
@saving_options()
def generalize(
    session: CliSession, /, refs: tuple[str, ...], *, text: str, check: bool, dry_run: bool, **about: Any
) -> None:
    """Write a belief that others may see although they may not see the memories it was learnt from.

    A text with a name of somebody whom the sources are about, or who told them, is refused, in whatever spelling; where
    the word is no name, the vault's owner can --acknowledge this text. A date, a number, a phrase or most words of a
    source, and whatever points to one individual, need --acknowledge. The check knows words, not meanings: weigh by
    yourself whether somebody could tell who is meant.
    """
    from memstore.memories.generalize import check_generalization
    from memstore.memories.generalize import generalize as share

    if check:
        if unused := next((name for name in ("note", "acknowledge", "commit") if about[name]), None):
            raise UsageError(f"--check writes nothing, so --{unused} has no effect", hint="leave one of them out")
        found = check_generalization(session.view(), refs, text, title=about["title"])
        session.emit("generalize-check", found, lambda: _check_lines(found))
        if not found.verdict.safe:
            session.exit(Exit.FOUND_ERRORS)
        return
    view = session.view()
    done = share(view, refs, text, **about, dry_run=dry_run)
    session.emit("generalize", done, lambda: saved_lines(session, done.saved, dry_run=dry_run), dry_run=dry_run)
    for line in (*done.checked.verdict.warnings, *_advice(done.checked)):
        session.say(line)
    say_what_stays_out(session, done.saved)
    say_findings(session, done.saved.findings)


def _check_lines(found: GeneralizationCheck) -> Iterator[str]:
    verdict = found.verdict
    yield verdict.verdict
    yield from (f"  {told}" for told in (verdict.blocked_reason, *verdict.warnings, *_advice(found)) if told)


def _advice(found: GeneralizationCheck) -> Iterator[str]:
    if found.k < FEWEST_SUBJECTS:
        count = {0: "no subject has", 1: "one subject has"}.get(found.k, f"{found.k} subjects have")
        yield f"only advice: {count} memories that say so; whoever knows them may guess who is meant"
