"""`memstore graduate`: the pages of what has earned to be read every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.cli.options import command
from memstore.cli.written import commit_option, diff_lines, dry_run_option

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
    they lose it. A memory of a project goes to projects/NAME/MEMORY.md. Only the part between two comments is written.
    """
    from memstore.flows.graduate import graduate as write_pages

    pages = write_pages(session.workspace(), dry_run=dry_run, commit=commit)
    session.emit(
        "graduate",
        document=lambda: {"pages": [_document(page, dry_run=dry_run) for page in pages]},
        lines=lambda: _lines(session, pages, dry_run=dry_run),
        each="pages",
    )
    for proposal in (one for page in pages for one in page.proposals):
        session.say(f"{proposal.path}:{proposal.line}: {_told(proposal)}")
    if not any(page.diff for page in pages):
        session.say("nothing comes in, and nothing goes")


def _lines(session: Session, pages: Sequence[Graduated], *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for page in pages:
        if dry_run:
            yield from diff_lines(session, page.diff)
            continue
        place = session.paint("path", safe_line(page.path))
        yield from (f"{place}: + {session.paint('ref', ref)}" for ref in page.entered)
        yield from (f"{place}: - {session.paint('ref', ref)}" for ref in page.left)
        if page.diff and not (page.entered or page.left):
            yield f"{place}: brought up to date"


def _told(proposal: Proposal) -> str:
    """Return what a hand did, and the command that makes the memories say the same."""
    from memstore.cli.output import safe_line

    text = safe_line(proposal.text)
    if proposal.ref is None:
        return f"written by hand, and kept; as a memory: memstore add {_quoted(text)}"
    if not text:
        stays = f"{proposal.ref} was taken out by hand, and stays out"
        return f"{stays}; where it no longer holds: memstore archive {proposal.ref}"
    return f"changed by hand, and kept; in the memory too: memstore revise {proposal.ref} --title {_quoted(text)}"


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _document(page: Graduated, *, dry_run: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "path": page.path,
        "entered": list(page.entered),
        "left": list(page.left),
        "proposals": [
            {"line": one.line, "ref": one.ref, "text": one.text or None, "hint": _told(one)} for one in page.proposals
        ],
        "commit": page.commit,
    }
    return {**document, "diff": page.diff} if dry_run else document
