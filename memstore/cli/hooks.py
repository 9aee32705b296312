"""`memstore hooks` and `memstore hooks merge-driver`: what git runs at every commit and push, and at a merge."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from memstore.cli.commands import GROUPS
from memstore.cli.options import command, group, subcommand
from memstore.core.config import how_to_declare, stack_readers_key
from memstore.core.errors import RefusedError, UsageError, VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.vault.init import HooksReport


# The modules that git calls, by the hook's name; those of a server are not installed by `memstore hooks install`.
_MODULES = {
    **dict.fromkeys(("pre-commit", "pre-merge-commit", "prepare-commit-msg"), "pre_commit"),
    "commit-msg": "commit_msg",
    **dict.fromkeys(("pre-push", "pre-receive"), "push_guard"),
    "post-receive": "post_receive",
}


@group("hooks", table=GROUPS["hooks"], examples=("memstore hooks install", "memstore hooks status"))
def hooks() -> None:
    """Have git check memories at every commit and push, name them in messages, and merge them key by key."""


@subcommand(
    hooks,
    "install",
    examples=("memstore hooks install", "memstore hooks install --pre-receive /srv/notes.git   # on a server"),
)
@click.option(
    "--pre-receive",
    "repository",
    metavar="REPO",
    type=click.Path(),
    help="Instead: check what others push to REPO, by this vault's settings.",
)
@click.option("--remote", metavar="NAME", help="What REPO is called in the settings that count; origin by default.")
@click.option("--own-settings", is_flag=True, help="The settings in REPO's own current commit count; needs no vault.")
def install(session: CliSession, repository: str | None, *, remote: str | None, own_settings: bool) -> None:
    """Install memstore's hooks and its merge driver, never over another program's."""
    from memstore.vault import init as flow

    if repository is None:
        if remote or own_settings:
            raise UsageError("--remote and --own-settings go with --pre-receive REPO", hint="memstore hooks install")
        try:
            report = flow.install(session.view())
        except RefusedError as error:
            states = flow.states(session.view()).states
            if installed := ", ".join(name for name, state in states.items() if state.name == "OURS"):
                error.outcome += f"\ninstalled: {installed}"
            raise
        _emit(session, "install", report)
        return
    from memstore.vault import composition

    name, view = remote or "origin", None if own_settings else session.view()
    if view:
        view.require_owner("have their settings checked on a server")
    there = composition.hooks_of(session.environment(), repository)
    _emit(session, "install", flow.install_on_server(there, view, remote=name))
    if view and not view.config.declared(name, name):
        session.say(f"it isn't known who can read {name}, so nothing can be pushed there: {how_to_declare(name)}")
    if own_settings and flow.takes_nothing(there, name):
        _say_what_is_missing(session, repository, name)


def _say_what_is_missing(session: CliSession, repository: str, name: str) -> None:
    """Say how a repository without settings gets some; a push can't bring them, as it can't declare its own readers."""
    place = session.environment().expanded(repository)
    git = shlex.join(["git", "-C", str(place)])
    session.say(f"nothing in {place} says who reads {name}, so nothing can be pushed there")
    session.say(f"  hint: in the vault: {how_to_declare(name)}; then commit")
    session.say(f"  hint: on the server, to bring the vault there: {git} fetch VAULT BRANCH:BRANCH")
    session.say(f"  hint: for a shared stack: {git} config {shlex.quote(stack_readers_key(name))} ENTITY")


@subcommand(hooks, "uninstall", examples=("memstore hooks uninstall",))
def uninstall(session: CliSession) -> None:
    """Uninstall memstore's hooks and its merge driver, and nothing else."""
    from memstore.vault import init as flow

    _emit(session, "uninstall", flow.uninstall(session.view()))


@subcommand(hooks, "status", examples=("memstore hooks status --json",))
def status(session: CliSession) -> None:
    """Show whose hooks are installed."""
    from memstore.vault import init as flow

    _emit(session, "status", flow.states(session.view()))


@subcommand(hooks, "run", hidden=True, examples=('memstore hooks run pre-commit "$@"',))
@click.argument("name", type=click.Choice([*_MODULES]))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(session: CliSession, name: str, arguments: tuple[str, ...]) -> None:
    """Run a hook: to be called from another program's hook, or if the installed one can't find its Python.

    pre-receive belongs on a server. Its arguments are the remote's name in the settings, origin by default, and the
    folder of a vault on the server, if its settings count instead of those of the repository that is pushed to.
    So does post-receive, which indexes what was pushed.
    """
    import os
    import subprocess
    import sys

    # Run as a program of its own, as git runs it. -P: don't search for modules in the work tree.
    words = (f"memstore.hooks.{_MODULES[name]}", *([] if name == "commit-msg" else [name]), *arguments)
    who = {"MEMSTORE_ENTITY": session.choices.entity} if session.choices.entity else {}
    done = subprocess.run([sys.executable, "-P", "-m", *words], env=os.environ | who, check=False)
    raise SystemExit(done.returncode)


@command("merge-driver", examples=("memstore hooks merge-driver %O %A %B %P   # as git calls it",))
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.argument("path")
@click.argument("marker_size", required=False, default="7")
def merge_driver(session: CliSession, /, **arguments: str) -> None:
    """Merge three versions of a file into OURS, key by key; exit 1 if a conflict is left in it.

    `memstore init` and `memstore hooks install` set it up as the merge driver of Markdown files. PATH is the file's
    path from the current folder.
    """
    from pathlib import Path

    from memstore.hooks.merge_driver import main

    try:
        session.view().require_owner()
    except VaultError:  # the vault is below git's working folder; anybody may read files outside of vaults
        for version in ("base", "ours", "theirs"):
            session.bytes_of(arguments[version])
    if code := main(Path.cwd(), list(arguments.values())):
        session.exit(code)


def _emit(session: CliSession, verb: str, report: HooksReport) -> None:
    session.emit(f"hooks-{verb}", report, lambda: _lines(session, report))


def _lines(session: CliSession, report: HooksReport) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for name, state in report.states.items():
        role = {"OURS": "ok", "CALLING": "ok", "FOREIGN": "warning"}.get(state.name, "dim")
        yield f"{name}: {session.paint(role, state.value)}"
    yield session.paint("dim", safe_line(str(report.folder)))
