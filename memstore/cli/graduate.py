"""`memstore beliefs graduate` and `suggestions`: pages of memories that qualify, and suggestions to decide on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command, group, ref_argument, subcommand
from memstore.cli.written import diff_lines, emit_saved, lines_of_all, saving_options, say_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.beliefs.graduate import Graduated
    from memstore.cli.session import CliSession
    from memstore.memories.promote import Linked
    from memstore.memories.suggestions import Waiting


@command(
    "graduate",
    examples=(
        "memstore beliefs graduate --dry-run        # what would be added to MEMORY.md, and what removed",
        "memstore beliefs graduate -c",
    ),
)
@saving_options()
def graduate(session: CliSession, *, commit: bool, dry_run: bool) -> None:
    """Write memories that have earned it into MEMORY.md, at most ten a run, and remove those that no longer qualify.

    Important memories qualify after 3 uses or 14 days, beliefs with a confidence of 0.7 from 3 independent roots, until
    it falls below 0.6. Memories of a project go to projects/NAME/MEMORY.md. Only the part between two comments is
    written; what you change in it is kept, and becomes a suggestion for the memory: memstore beliefs suggestions.
    """
    from memstore.beliefs.graduate import graduate as write_pages
    from memstore.cli.output import safe_line
    from memstore.documents.beliefs import proposal_hint

    pages = write_pages(session.view(), dry_run=dry_run, commit=commit)
    session.emit("graduate", pages, lambda: _lines(session, pages, dry_run=dry_run), each="pages", dry_run=dry_run)
    for proposal in (one for page in pages for one in page.proposals):
        session.say(safe_line(f"{session.from_here(proposal.path)}:{proposal.line}: {proposal_hint(proposal)}"))
    if not any(page.diff or page.suggested for page in pages):
        session.say("nothing to add or remove")


def _lines(session: CliSession, pages: Sequence[Graduated], *, dry_run: bool) -> Iterator[str]:
    for page in pages:
        if dry_run:
            for diff in (page.diff, *(saved.diff for saved in page.suggested)):
                yield from diff_lines(session, diff)
            continue
        place = session.paint.path(page.path)
        yield from (f"{place}: + {session.paint('ref', ref)}" for ref in page.entered)
        yield from (f"{place}: - {session.paint('ref', ref)}" for ref in page.left)
        if page.diff and not (page.entered or page.left):
            yield f"{place}: brought up to date"
        yield from lines_of_all(session, page.suggested, dry_run=False)


# -- suggestions -----------------------------------------------------------------------------------


@group(
    "suggestions",
    examples=(
        "memstore beliefs suggestions list",
        "memstore beliefs suggestions show prop_3bf           # what it says, and what it would change",
        "memstore beliefs suggestions accept prop_3bf -c",
        "memstore beliefs suggestions reject prop_6b3",
    ),
)
def suggestions() -> None:
    """Show suggestions, and accept or reject them.

    A suggestion is a file in suggestions/: edit it before you accept it, if you like. Deleting a committed one rejects
    it; moving one out of suggestions/ accepts it at the next `memstore beliefs consolidate --apply`.
    """


@subcommand(
    suggestions, "list", examples=("memstore beliefs suggestions list", "memstore beliefs suggestions list --json")
)
def list_(session: CliSession) -> None:
    """List the suggestions that wait for a decision, oldest first."""
    from memstore.memories.suggestions import list_suggestions

    waiting = list_suggestions(session.view())
    session.emit("suggestions-list", waiting, lambda: (_line(session, one) for one in waiting), each="suggestions")
    if not waiting:
        session.say("no suggestions; memstore beliefs consolidate looks for some")


@subcommand(suggestions, "show", examples=("memstore beliefs suggestions show prop_3bf",))
@ref_argument()
def show(session: CliSession, ref: str) -> None:
    """Show a suggestion, its evidence, and what accepting it would change."""
    from memstore.memories.suggestions import accept_suggestion, show_suggestion

    view = session.view()
    one = show_suggestion(view, ref)
    linked = accept_suggestion(view, ref, dry_run=True)
    session.emit("suggestions-show", one, lambda: _waiting_lines(session, one, linked), linked=linked)


@subcommand(suggestions, "accept", examples=("memstore beliefs suggestions accept prop_3bf -c",))
@ref_argument()
@saving_options()
def accept(session: CliSession, ref: str, *, commit: bool, dry_run: bool) -> None:
    """Accept a suggestion: write its belief, or record its evidence; the suggestion is archived."""
    from memstore.memories.suggestions import accept_suggestion as do

    linked = do(session.view(), ref, commit=commit, dry_run=dry_run)
    written = (linked.saved, *linked.others)
    session.emit("suggestions-accept", linked, lambda: lines_of_all(session, written, dry_run=dry_run), dry_run=dry_run)
    for saved in written:
        say_findings(session, saved.findings)


@subcommand(
    suggestions,
    "reject",
    examples=(
        "memstore beliefs suggestions reject prop_6b3",
        'memstore beliefs suggestions reject prop_6b3 --reason "only in May"',
    ),
)
@ref_argument()
@click.option("--reason", metavar="TEXT", help="Why; kept in the suggestion.")
@saving_options()
def reject(session: CliSession, ref: str, *, reason: str | None, commit: bool, dry_run: bool) -> None:
    """Reject a suggestion; it comes back only if three more memories support it."""
    from memstore.memories.suggestions import reject_suggestion as do

    saved = do(session.view(), ref, reason=reason, commit=commit, dry_run=dry_run)
    emit_saved(session, "suggestions-reject", saved, dry_run=dry_run, unchanged="nothing changed")


def _line(session: CliSession, one: Waiting) -> str:
    from memstore.cli.output import safe_line
    from memstore.core.titles import title_of
    from memstore.history.changes import number

    paint, memory = session.paint, one.memory
    sure = f" ({number(memory.confidence)})" if memory.confidence is not None else ""
    about = f" {one.target}" if one.target else ""
    ref = paint("ref", str(memory.ref)) if memory.ref else ""
    said = f"{one.action.value}{about}: {paint('title', safe_line(title_of(one.memory)))}{sure}"
    count = len(one.evidence)
    on = f", {count} {'memory' if count == 1 else 'memories'}" if count else ""
    return f"{paint.path(one.file.path)}: {ref} {said}{on}"


def _waiting_lines(session: CliSession, one: Waiting, linked: Linked) -> Iterator[str]:
    from memstore.beliefs.suggestion_file import EVIDENCE
    from memstore.cli.output import safe

    yield _line(session, one)
    if EVIDENCE not in one.memory.body:
        yield from (f"  {session.paint('ref', ref)}" for ref in one.evidence)
    yield safe(one.memory.body.strip("\n"))
    yield ""
    for saved in (linked.saved, *linked.others):
        yield from diff_lines(session, saved.diff)
