"""`memstore today`: the daily note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command
from memstore.cli.written import diff_lines, emit_saved, keep_secret_option, saving_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.core.change import Saved


@command(
    "today",
    examples=(
        'memstore today "Bella slept till nine"',
        "memstore today                      # opens it in your editor",
        "fortune | memstore today - -c",
        'code "$(memstore today)"            # the path, since there is no terminal to edit in',
    ),
)
@click.argument("text", metavar="[TEXT|-]", required=False)
@keep_secret_option()
@saving_options()
def today(session: CliSession, text: str | None, *, commit: bool, dry_run: bool) -> None:
    """Add a line to today's note, and make the note if there is none; without TEXT open it in your editor.

    The daily note is a note with the tag `daily` and the date as its title: one for each day, context and
    person. Where the vault's owner keeps daily notes with another program, like `daily/2026-02-01.md` or
    `journals/2026_02_01.md`, it is the one named for this day there. Without a terminal to edit in, its path is printed
    instead.
    """
    from memstore.cli.add import given_text, utf8
    from memstore.memories.today import note_today

    given = given_text(session, text, None)
    line = None if given is None else utf8(given)
    saved = note_today(session.view(), line, dry_run=dry_run, commit=commit)
    if line is not None:
        emit_saved(session, "today", saved, dry_run=dry_run, unchanged="nothing changed")
    elif _can_edit(session) and not (dry_run and saved.changed):
        from memstore.cli.amend import edit_by_hand

        edit_by_hand(session, session.view().again(), saved.path, verb="today", commit=commit, dry_run=dry_run)
    else:
        _emit_path(session, saved, dry_run=dry_run)


def _can_edit(session: CliSession) -> bool:
    """Whether a person sits at a terminal and reads the output there: `$(memstore today)` expects the path."""
    is_free = not (session.choices.no_input or session.as_json)
    return is_free and session.at_terminal and session.environment().at_terminal


def _emit_path(session: CliSession, saved: Saved, *, dry_run: bool) -> None:
    session.emit("today", saved, lambda: _path_lines(session, saved, dry_run=dry_run), dry_run=dry_run)


def _path_lines(session: CliSession, saved: Saved, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import harmless_path

    if dry_run and saved.changed:
        yield from diff_lines(session, saved.diff)
    else:
        yield harmless_path(session.from_here(saved.path))
