"""`memstore mcp install`, `uninstall`, `list`: set memstore up in an agent's program, undo that, and show where."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memstore.agents.hosts import HOSTS, NAME, SKILL, PinnedCommand
from memstore.cli.options import command
from memstore.cli.written import dry_run_option
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.agents.installing import ServedProgram, SettingsChange, SetUp
    from memstore.cli.session import CliSession
    from memstore.files.local_state import Environment


@command(
    "install",
    examples=(
        "memstore --vault ~/notes --as si:ash --self mcp install codex --dry-run",
        "memstore --vault ~/notes --as si:ash --context ctx:work mcp install cursor",
    ),
)
@click.argument("name", metavar="NAME", type=click.Choice(tuple(HOSTS)))
@click.option(
    "--scope", metavar="SCOPE", help="The scope of this folder's repository, like project:acme, in every program."
)
@dry_run_option()
def install(session: CliSession, name: str, *, scope: str | None, dry_run: bool) -> None:
    """Set memstore up in NAME, the program that an agent runs in.

    NAME is claude-code, codex, gemini, cursor, openclaw, vscode, copilot, zed, windsurf or opencode.

    Its settings get an MCP server and, if it takes them, hooks: what to have in mind when a session begins, what comes
    to mind at each prompt, and what was said, written down when a session is compacted or ends. Program, vault and
    identity are pinned by name, so that none of them is ever looked for in the folder that the agent works in. Only
    memstore's own lines are changed; memstore mcp uninstall takes them out again.

    What hooks write down in a repository is that project's, and comes to mind there alone. With --scope, you say what
    the project around this folder is called. It is one of your own settings: memstore config --user scopes shows it.
    """
    from memstore.agents.installing import Installer
    from memstore.agents.skill import skill
    from memstore.vault import composition

    pinned = _pinned(session, name)
    env = session.environment()
    if scope is not None:
        composition.remember_scope(env, scope, dry_run=True)  # a mistake in it is told before anything is written
    done = Installer(env, name).install(pinned, skill(), dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)
    if scope is not None:
        folder = composition.remember_scope(env, scope, dry_run=dry_run)
        session.say(f"{env.config_file}: scopes.{folder} = {scope}{', as it would be' if dry_run else ''}")
    if not done.changes:
        session.say(f"{done.title}: everything {'' if scope is None else 'else '}is set up already")
    elif not (session.choices.alone or session.choices.context):
        session.say(
            f"nobody is said to listen to {done.title}, so it is shown only what everybody may see: give --self if "
            "nobody but you listens, or --context CTX"
        )
    say_notes(session, done.notes)


@command("uninstall", examples=("memstore mcp uninstall claude-code --dry-run",))
@click.argument("name", metavar="NAME", type=click.Choice(tuple(HOSTS)))
@dry_run_option()
def uninstall(session: CliSession, name: str, *, dry_run: bool) -> None:
    """Undo memstore mcp install: take memstore's lines out of NAME's settings, and remove the files it made."""
    from memstore.agents.installing import Installer

    done = Installer(session.environment(), name).uninstall(dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)
    if not done.changes:
        session.say(f"{done.title}: memstore is not set up there")
    say_notes(session, done.notes)


@command("list", examples=("memstore mcp list",))
def list_(session: CliSession) -> None:
    """List the programs that memstore is set up in: whose vault each is shown, as whom, and who listens.

    What hooks write down in the current folder has the scope that is named, and comes to mind there alone.
    All is read from the programs' settings. No server is started.
    """
    from memstore.agents.installing import Installer
    from memstore.cli.output import safe_line
    from memstore.vault.composition import scope_at

    env = session.environment()
    found = [served for name in HOSTS if (served := Installer(env, name).served())]
    found = [
        replace(one, scope=scope_at(env, Path(one.root), None)) if one.root and not one.problem else one
        for one in found
    ]
    session.emit("agents", found, lambda: _served_lines(session, found), each="programs")
    for one in found:
        if one.problem:
            session.say(safe_line(f"{one.agent}: {one.problem}"))
    if not found:
        session.say("no program is set up; memstore --vault DIR --as ENTITY --self mcp install NAME does that")


def _served_lines(session: CliSession, found: Sequence[ServedProgram]) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for one in found:
        if one.root is not None:
            shows = "nobody else listens" if one.alone else one.context or "only what everybody may see"
            shown = f"{safe_line(one.root)} as {session.paint('ref', safe_line(one.entity or 'nobody'))}"
            here = f", here {safe_line(one.scope)}" if one.scope else ""
            yield f"{one.agent}: {shown}, {safe_line(shows)}{here} ({session.paint('path', safe_line(str(one.file)))})"


def _pinned(session: CliSession, name: str) -> PinnedCommand:
    """Return the command line to pin. The vault must have been named: the one around this folder may be anybody's."""
    env, choices = session.environment(), session.choices
    if not (choices.vault or env.get("MEMSTORE_VAULT")):
        raise UsageError(
            "settings of an agent name the vault, and none was named",
            hint=f"memstore --vault DIR --as ENTITY --self mcp install {name}",
        )
    session.stop_at_two_audiences()
    host, view = HOSTS[name], session.view()
    heard = ["--self"] if choices.alone else ["--context", choices.context] if choices.context else []
    words = ("--vault", str(view.root.resolve()), "--as", view.actor, *heard)
    place = program(env)
    stop_at_unprintable((place, *words))
    for word in (place, *words):
        if host.expands and (found := host.expands.search(word)):
            raise UsageError(
                f"{host.title} would take a part of {word} for an environment variable, and use another path",
                hint=f"rename that folder: {found[0]} can't be escaped there",
            )
    return PinnedCommand(place, words)


def stop_at_unprintable(words: Sequence[str]) -> None:
    """Raise `UsageError` for a command line that no settings file can hold."""
    for word in words:
        if not word.isprintable():
            raise UsageError(f"settings can't hold the path {word!r}", hint="use a path of printable characters")


def program(env: Environment) -> str:
    """Return the absolute path of the program that runs, or of the one beside its Python."""
    for place in (env.folder / sys.argv[0], Path(sys.executable).with_name(NAME)):
        if place.name == NAME and place.is_file():
            return str(place)
    raise UsageError("there is no program of that name beside this Python", hint="install memstore again")


def _emit(session: CliSession, done: SetUp, *, dry_run: bool) -> None:
    session.emit("agent", done, lambda: changed_lines(session, done.changes), dry_run=dry_run)


def changed_lines(session: CliSession, changes: Sequence[SettingsChange]) -> Iterator[str]:
    """Yield the files that were changed, with the lines that were put in or taken out."""
    from memstore.cli.output import safe_line

    for change in changes:
        yield f"{session.paint('path', safe_line(str(change.path)))}: {change.kind}"
        if change.path.name == SKILL:  # all of it is memstore's, and long
            continue
        for role, sign, pieces in (("removed", "-", change.removed), ("added", "+", change.added)):
            for piece in pieces:
                yield from (session.paint(role, sign + safe_line(line)) for line in piece.strip("\r\n").splitlines())


def say_notes(session: CliSession, notes: Sequence[str]) -> None:
    """Say what whoever installs has to know."""
    for note in notes:
        session.say(note)
