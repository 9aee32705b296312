"""`memstore index` and `memstore index watch`: the data derived from the vault, and how to update it in advance.

Nobody needs to watch; it is for vaults so large that a search should not have to wait for the index.
"""

from __future__ import annotations

import posixpath
import sys
import time
from math import isnan
from typing import TYPE_CHECKING

import click

from memstore.cli.commands import GROUPS
from memstore.cli.options import RealNumber, command, group, subcommand
from memstore.core.errors import UsageError
from memstore.history import HISTORY
from memstore.search import INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.search.index_upkeep import IndexRebuilt
    from memstore.search.library import IndexStatus, Refreshed


_MEGABYTE = 1_000_000


@group("index", table=GROUPS["index"], examples=("memstore index status", "memstore index rebuild"))
def index() -> None:
    """Show, locate or rebuild the search index; every read keeps it up to date by itself."""


@subcommand(index, "status", examples=("memstore index status --json",))
def status(session: CliSession) -> None:
    """Show where the index is, what is in it, and how many files have changed since."""
    from memstore.search import index_upkeep as flow

    found = flow.status(session.view())
    session.emit("index-status", found, lambda: _status_lines(found))


@subcommand(index, "rebuild", examples=("memstore index rebuild",))
def rebuild(session: CliSession) -> None:
    """Delete the index and build it again; nothing is lost."""
    from memstore.search import index_upkeep as flow

    done = flow.rebuild(session.view())
    session.emit("index-rebuild", done, lambda: _rebuilt_lines(done))


@subcommand(index, "path", examples=("du -sh $(memstore index path)",))
def path(session: CliSession) -> None:
    """Print the folder of the index."""
    from memstore.cli.output import harmless_path

    found = session.view().of(INDEX).status()
    session.emit("index-path", found, lambda: (harmless_path(str(found.folder)),))


def _status_lines(found: IndexStatus) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield f"path: {safe_line(str(found.folder))}"
    if not found.usable:
        yield "not used: the folder belongs to others, or others can write to it; every command reads all files again"
    elif not found.built:
        yield "not built yet: the next search builds it"
    else:
        left_out = f", {found.broken:,} left out: see memstore check" if found.broken else ""
        yield f"memories: {found.memories:,} of {found.files:,} files{left_out}"
        yield f"changed since: {found.changed:,} {'file' if found.changed == 1 else 'files'}"
        yield f"size: {found.size / _MEGABYTE:.1f} MB, generation {found.generation}"
        yield f"written: {found.written_at:%Y-%m-%d %H:%M:%S} UTC"


def _rebuilt_lines(done: IndexRebuilt) -> Iterator[str]:
    yield f"indexed {done.memories:,} {'memory' if done.memories == 1 else 'memories'}"


# -- watch -----------------------------------------------------------------------------------------


DEFAULT_SECONDS = 5.0
LONGEST_SECONDS = 86_400.0


def _number(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    """Return the number; `nan` is rejected, since to Python it lies in every range."""
    if isnan(value):
        raise click.BadParameter("nan is not a number")
    return value


@command(
    "watch",
    examples=(
        "memstore index watch",
        "memstore index watch --every 60 &",
        "memstore index watch --once",
        "memstore index watch --citations                        # which cited lines have changed",
        "memstore index watch --citations --output-format github # as notices in a pull request",
    ),
)
@click.option(
    "--every",
    type=RealNumber(min=0.0, min_open=True, max=LONGEST_SECONDS),
    callback=_number,
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait between two looks at the files.",
)
@click.option("--once", is_flag=True, help="Look once, and exit.")
@click.option("--citations", is_flag=True, help="Report which cited lines have changed since, instead, and exit.")
@click.option(
    "--output-format",
    type=click.Choice(("text", "json", "github", "sarif")),
    default="text",
    help="The output format of --citations.",
)
def watch(session: CliSession, every: float, *, once: bool, citations: bool, output_format: str) -> None:
    """Write changes into the index as they happen, until Ctrl-C; or report changes of cited lines.

    Nothing depends on it: every command sees files as they are. In a vault of a hundred thousand files where hundreds
    change at once, as after `git pull`, it saves the next search the work. It prints a line each time files were added,
    changed or deleted; with --jsonl, a document.
    """
    from memstore.search import index_upkeep as flow

    if output_format != "text" and not citations:
        raise UsageError(
            "--output-format is for --citations", hint="memstore index watch --citations --output-format github"
        )
    if citations:
        _tell_citations(session, output_format)
        return
    from memstore.cli.main import stay

    stay()
    view = session.view()
    while True:
        done = flow.refresh(view)
        if once or done.changed:
            _tell(session, done)
        if once:
            return
        time.sleep(every)


def _tell(session: CliSession, done: Refreshed) -> None:
    files = "file" if done.changed == 1 else "files"
    line = f"indexed {done.changed:,} changed {files}" if done.changed else "up to date"
    session.emit("watch", done, lambda: (line,))
    sys.stdout.flush()  # whoever reads through a pipe must see it now


def _tell_citations(session: CliSession, output_format: str) -> None:
    from memstore.cli.output import safe_line
    from memstore.cli.written import write_for_a_server
    from memstore.vault.cited_lines import cited_lines

    session.choices.json = session.choices.json or output_format == "json"
    view = session.view()
    found = cited_lines(view)
    if output_format in {"github", "sarif"} and not session.as_json:
        repository = view.of(HISTORY).repository
        prefix = repository.prefix if repository else ""
        of_repository = [one._replace(path=posixpath.normpath(prefix + one.path)) for one in found]
        write_for_a_server(session, of_repository, output_format, prefix="")
        return
    session.emit(
        "watch-citations",
        found,
        lambda: (
            f"{session.paint.path(one.path)}:{one.at.line}: {session.paint('notice', 'notice')}: {safe_line(one.text)} "
            f"[{one.code}]"
            for one in found
        ),
        each="findings",
    )
    if not found:
        session.say("all cited lines are as they were")
