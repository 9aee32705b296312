"""`memstore export html`: one page of everything that the viewer may see."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import click

from memstore.cli.options import command
from memstore.core.errors import UsageError
from memstore.files import FILES

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.cli.session import CliSession


@command(
    "html",
    examples=(
        "memstore export html -o ~/memories.html",
        "memstore --as human:claire export html -o for-claire.html",
        "memstore export html | ssh HOST 'cat > memories.html'",
    ),
)
@click.option("-o", "--output", "to", metavar="FILE", help="Where to write the page; - for standard output.")
def html(session: CliSession, *, to: str | None) -> None:
    """Write one HTML page of what you may see: what needs attention, all memories, lineage, who sees what.

    The page loads nothing from anywhere, and sends nothing. It has a filter, and its address may end in `#q=WORDS` to
    filter by them. FILE is replaced only if it is an earlier page.
    """
    from memstore.cli import output
    from memstore.report.contents import report as gather
    from memstore.report.page import BEGINNING, page

    named = None if to in (None, "-") else to
    if to is None and session.at_terminal and not session.as_json:
        raise UsageError(
            "a page is nothing for a terminal", hint="memstore export html -o memories.html writes it to a file"
        )
    view = session.view()
    place = None if named is None else session.environment().expanded(named)
    if place is not None:
        view.of(FILES).check_place(place, over=BEGINNING)
    found = gather(view)
    made = page(found, base=_way(place.resolve().parent if place else session.environment().folder, view.root))
    if place is not None and named is not None:
        view.of(FILES).put(place, made, over=BEGINNING)
        session.emit("report", found, lambda: (output.safe_line(named),), path=named)
    elif session.as_json:
        session.emit("report", found, tuple, made=made)
    else:
        output.write_pieces((made,))


def _way(folder: Path, root: Path) -> str:
    """Return the relative path from a folder to the vault, with a final slash; empty from the vault itself."""
    way = posixpath.relpath(root.resolve(), folder.resolve())
    return "" if way == "." else f"{way}/"
