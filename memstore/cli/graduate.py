"""`memstore graduate`: the pages of what has earned to be read every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.cli.options import command
from memstore.cli.written import commit_option, diff_lines, dry_run_option, saved_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import Session
    from memstore.flows.graduate import Graduated, Proposal


@command(
    "graduate",
    examples=(
        "memstore graduate --dry-run        # what would come into MEMORY.md, and what would go",
        "memstore graduate -c",
    ),
)
@commit_option()
@dry_run_option()
def graduate(session: Session, *, commit: bool, dry_run: bool) -> None:
    """Write what has earned it into MEMORY.md, at most ten memories a run, and take out what has lost it.

    Important memories earn it by 3 uses or 14 days, beliefs by a confidence of 0.7 from 3 independent roots; below 0.6
    they lose it. A memory of a project goes to projects/NAME/MEMORY.md. Only the part between two comments is written;
    what you change in it stays, and is suggested to the memories: memstore suggestions.
    """
    from memstore.flows.graduate import graduate as write_pages

    pages = write_pages(session.view(), dry_run=dry_run, commit=commit)
    session.emit(
        "graduate",
        document=lambda: {"pages": [_document(page, dry_run=dry_run) for page in pages]},
        lines=lambda: _lines(session, pages, dry_run=dry_run),
        each="pages",
    )
    for proposal in (one for page in pages for one in page.proposals):
        session.say(f"{proposal.path}:{proposal.line}: {_told(proposal)}")
    if not any(page.diff or page.suggested for page in pages):
        session.say("nothing comes in, and nothing goes")


def _lines(session: Session, pages: Sequence[Graduated], *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for page in pages:
        if dry_run:
            for diff in (page.diff, *(saved.diff for saved in page.suggested)):
                yield from diff_lines(session, diff)
            continue
        place = session.paint("path", safe_line(page.path))
        yield from (f"{place}: + {session.paint('ref', ref)}" for ref in page.entered)
        yield from (f"{place}: - {session.paint('ref', ref)}" for ref in page.left)
        if page.diff and not (page.entered or page.left):
            yield f"{place}: brought up to date"
        for saved in page.suggested:
            yield from saved_lines(session, saved, dry_run=False)


def _told(proposal: Proposal) -> str:
    """Return what a hand did, and the command that makes the memories say the same."""
    accept = f"memstore suggestions accept {proposal.suggestion}"
    if proposal.ref is None:
        return f"written by hand, and kept; {accept} makes a memory of it"
    if not proposal.text:
        return f"{proposal.ref} was taken out by hand, and stays out; {accept} archives it"
    return f"changed by hand, and kept; {accept} makes the memory say so"


def _document(page: Graduated, *, dry_run: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "path": page.path,
        "entered": list(page.entered),
        "left": list(page.left),
        "proposals": [
            {
                "line": one.line,
                "ref": one.ref,
                "text": one.text or None,
                "suggestion": one.suggestion,
                "hint": _told(one),
            }
            for one in page.proposals
        ],
        "commit": page.commit,
    }
    return {**document, "diff": page.diff} if dry_run else document
