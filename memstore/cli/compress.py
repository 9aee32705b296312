"""`memstore compress`: summaries for what is old and was never used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.cli.options import command, ref_argument
from memstore.cli.written import commit_option, dry_run_option, saved_document, saved_lines, say_findings

if TYPE_CHECKING:
    from memstore.cli.session import Session
    from memstore.flows.compress import Compressed


@command(
    "compress",
    examples=(
        "memstore compress --dry-run        # all that is old and was never used, as diffs",
        "memstore compress -c",
        "memstore compress m_7f3",
        "memstore expand m_7f3 --full       # the whole text again",
    ),
)
@ref_argument("refs", metavar="[REF…]", nargs=-1)
@commit_option()
@dry_run_option()
def compress(session: Session, refs: tuple[str, ...], *, commit: bool, dry_run: bool) -> None:
    """Put summaries in the place of texts that nobody used: title and first sentence.

    Without REF, of all memories that are older than 30 days, of normal or low importance, never used, cited by none and
    signed by nobody. The whole text must be committed; git keeps it, and memstore expand --full prints it.
    """
    from memstore.flows.compress import compress as put_summaries

    done = put_summaries(session.view(), refs, dry_run=dry_run, commit=commit)
    session.emit(
        "compress",
        document=lambda: _document(done, dry_run=dry_run),
        lines=lambda: (line for saved in done.saved for line in saved_lines(session, saved, dry_run=dry_run)),
        each="memories",
    )
    for saved in done.saved:
        say_findings(session, saved.findings)
    session.say(_told(done, dry_run=dry_run))


def _told(done: Compressed, *, dry_run: bool) -> str:
    if not done.saved:
        return "nothing to compress"
    freed = sum(size.before - size.after for size in done.sizes)
    what = "1 memory" if len(done.saved) == 1 else f"{len(done.saved)} memories"
    return f"{what} {'would be ' if dry_run else ''}compressed, {freed:,} bytes less"


def _document(done: Compressed, *, dry_run: bool) -> dict[str, Any]:
    memories = [
        {**saved_document(saved, dry_run=dry_run), "bytes_before": size.before, "bytes_after": size.after}
        for saved, size in zip(done.saved, done.sizes, strict=True)
    ]
    return {"memories": memories, "commit": next((saved.commit for saved in done.saved), None)}
