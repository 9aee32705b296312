"""`memstore watch`: the index kept up to date beforehand, for vaults so large that a search should not wait for it."""

from __future__ import annotations

import sys
import time
from math import isnan
from typing import TYPE_CHECKING

import click

from memstore.cli.options import command

if TYPE_CHECKING:
    from memstore.cli.session import Session
    from memstore.ports.search_index import Refreshed

DEFAULT_SECONDS = 5.0
LONGEST_SECONDS = 86_400.0


def _number(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    """Return the number; `nan` is one to Python, which is in every range."""
    if isnan(value):
        raise click.BadParameter("nan is no number")
    return value


@command("watch", examples=("memstore watch", "memstore watch --every 60 &", "memstore watch --once"))
@click.option(
    "--every",
    type=click.FloatRange(min=0.0, min_open=True, max=LONGEST_SECONDS),
    callback=_number,
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait between two looks.",
)
@click.option("--once", is_flag=True, help="Look once, and end.")
def watch(session: Session, every: float, *, once: bool) -> None:
    """Write changes into the index as they come, until Ctrl-C.

    Nothing needs it: every command sees files as they are. In a vault of a hundred thousand files that change by the
    hundred, as after `git pull`, it saves the next search the work. A line is printed each time that files were new,
    changed or gone; with --jsonl, a document.
    """
    from memstore.flows import index as flow

    view = session.view()
    while True:
        done = flow.refresh(view)
        if once or done.changed:
            _tell(session, done)
        if once:
            return
        time.sleep(every)


def _tell(session: Session, done: Refreshed) -> None:
    files = "file" if done.changed == 1 else "files"
    line = f"indexed {done.changed:,} changed {files}" if done.changed else "up to date"
    session.emit("watch", document=lambda: {"changed": done.changed}, lines=lambda: (line,))
    sys.stdout.flush()  # whoever reads through a pipe is to see it now
