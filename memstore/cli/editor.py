"""`memstore lsp install` and `uninstall`: let a text editor start the language server, and undo that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.agents.editors import EDITORS, NOT_BY_FILE
from memstore.cli.agent import changed_lines, program, say_notes, stop_at_unprintable
from memstore.cli.options import command
from memstore.cli.written import dry_run_option
from memstore.core.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from memstore.agents.installing import EditorInstaller, EditorSetUp
    from memstore.cli.session import CliSession

_NAME = click.argument("name", metavar="NAME", type=click.Choice((*EDITORS, *NOT_BY_FILE)))


@command("install", examples=("memstore lsp install nvim --dry-run", "memstore --as human:sean lsp install helix"))
@_NAME
@dry_run_option()
def install(session: CliSession, name: str, *, dry_run: bool) -> None:
    """Let NAME start the language server for Markdown files.

    NAME is nvim, helix, vscode or zed; docs/editors.md has others.

    The program is named by its whole path; --as, --context and --self go along. Vaults are those around the files that
    are opened. Only memstore's own lines are changed; memstore lsp uninstall takes them out again.
    """
    choices = session.choices
    if choices.vault:
        raise UsageError("an editor finds vaults by the files that it opens", hint="leave out --vault")
    session.stop_at_two_audiences()
    words = [*(["--as", choices.entity] if choices.entity else []), *(["--self"] if choices.alone else [])]
    words += ["--context", choices.context] if choices.context else []
    line = (program(session.environment()), *words, "lsp")
    stop_at_unprintable(line)
    done = _installer(session, name).install(line, dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)
    if not done.changes:
        session.say(f"{done.title}: everything is set up already")
    say_notes(session, done.notes)


@command("uninstall", examples=("memstore lsp uninstall nvim --dry-run",))
@_NAME
@dry_run_option()
def uninstall(session: CliSession, name: str, *, dry_run: bool) -> None:
    """Undo memstore lsp install: take memstore's lines out of NAME's settings, and remove the file that it made."""
    done = _installer(session, name).uninstall(dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)
    if not (done.changes or done.notes):
        session.say(f"{done.title}: memstore is not set up there")
    say_notes(session, done.notes)


def _installer(session: CliSession, name: str) -> EditorInstaller:
    from memstore.agents.installing import EditorInstaller

    if name in NOT_BY_FILE:
        raise RefusedError(f"{NOT_BY_FILE[name]}; nothing was written", hint="docs/editors.md says what there is")
    return EditorInstaller(session.environment(), name)


def _emit(session: CliSession, done: EditorSetUp, *, dry_run: bool) -> None:
    session.emit("editor", done, lambda: changed_lines(session, done.changes), dry_run=dry_run)
