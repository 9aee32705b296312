"""`memstore import`: take over what other programs, or people, wrote elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import group, subcommand
from memstore.cli.written import commit_option, diff_lines, dry_run_option, saved_document, saved_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.import_seeds import ImportedSeeds


@group("import", examples=("memstore import seeds beliefs.yaml --dry-run",))
def import_() -> None:
    """Take over memories from files of other kinds; what is there already is left out."""


@subcommand(
    import_, "seeds", examples=("memstore import seeds beliefs.yaml", "memstore import seeds seeds.md --dry-run")
)
@click.argument("file", metavar="FILE", type=click.Path())
@commit_option()
@dry_run_option()
def seeds(session: Session, file: str, *, commit: bool, dry_run: bool) -> None:
    """Take over seed beliefs from YAML, JSON or a Markdown list.

    An item is a statement, or a map with statement, confidence and tags; in Markdown `- Statement. (0.65) #tag`. A
    belief that states the same is left as it is.
    """
    from memstore.codec.seeds import read
    from memstore.flows.import_seeds import import_seeds

    found = read(file, session.environment().expanded(file).read_bytes())
    done = import_seeds(session.workspace(), found, commit=commit, dry_run=dry_run)
    session.emit(
        "import-seeds",
        document=lambda: _document(done, dry_run=dry_run),
        lines=lambda: _lines(session, done, dry_run=dry_run),
        each="memories",
    )
    session.say(f"{len(done.saved)} {'would be ' if dry_run else ''}imported, {len(done.known)} there already")


def _document(done: ImportedSeeds, *, dry_run: bool) -> dict[str, Any]:
    return {
        "memories": [saved_document(saved, dry_run=dry_run) for saved in done.saved],
        "known": list(done.known),
        "conflicts": [],
        "findings": [],
    }


def _lines(session: Session, done: ImportedSeeds, *, dry_run: bool) -> Iterator[str]:
    for saved in done.saved:
        yield from diff_lines(session, saved.diff) if dry_run else saved_lines(session, saved, dry_run=False)
