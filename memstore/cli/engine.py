"""`memstore engine`: an organisation's index on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import group, subcommand
from memstore.core.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.engines.database import IndexedVault, SchemaMade
    from memstore.engines.indexing import Indexed

_URL = "postgresql://db.example.org/memories"


@group("engine", examples=(f"memstore engine init {_URL}", f"memstore engine index {_URL}"))
def engine() -> None:
    """Index vaults on PostgreSQL, each for its possible viewers; git stays the truth."""


@subcommand(engine, "init", examples=(f"memstore engine init {_URL}",))
@click.argument("url", metavar="URL")
def init(session: CliSession, url: str) -> None:
    """Make the schema, and the roles that read and decide.

    Who does so must be allowed to create roles. The roles `memstore_broker` and `memstore_reader` have no password
    until you give them one; `memstore_owner` can't log in, and whoever indexes is a member of it.
    """
    from memstore.engines import database

    made = database.init(url)
    session.emit("engine-init", made, lambda: _made_lines(made))


@subcommand(
    engine, "index", examples=(f"memstore engine index {_URL}", f"memstore engine index {_URL} --name ops --anew")
)
@click.argument("url", metavar="URL")
@click.option("--name", metavar="NAME", help="The vault's name in the database; that of its folder by default.")
@click.option("--anew", is_flag=True, help="Forget what is indexed of it, and read all files.")
def index(session: CliSession, url: str, *, name: str | None, anew: bool) -> None:
    """Index what the protected branch has: the remote's default branch, or else main or master.

    Only what differs from the commit that was indexed last is read, from git; all of it is written, or nothing.
    """
    from memstore.engines.vault_indexing import index_vault

    done = index_vault(session.view(), url, name=name, anew=anew)
    session.emit("engine-index", done, lambda: _indexed_lines(done))


@subcommand(engine, "status", examples=(f"memstore engine status {_URL}",))
@click.argument("url", metavar="URL")
def status(session: CliSession, url: str) -> None:
    """Show which vaults are indexed, and as of which commit."""
    from memstore.engines import database

    found = database.indexed_vaults(url)
    session.emit("engine-status", found, lambda: _status_lines(found), each="vaults")
    if not found:
        session.say("no vault is indexed there")


@subcommand(engine, "drop", examples=(f"memstore engine drop {_URL} --yes",))
@click.argument("url", metavar="URL")
@click.option("--yes", is_flag=True, help="Delete it, for everybody.")
def drop(session: CliSession, url: str, *, yes: bool) -> None:
    """Delete the schema with all that is indexed; the roles stay.

    Nothing is lost that `memstore engine index` doesn't make again from git.
    """
    from memstore.engines import database

    if not yes:
        names = ", ".join(one.name for one in database.indexed_vaults(url)) or "no vault"
        raise RefusedError(f"this deletes the index of {names}, for everybody", hint="--yes")
    dropped = database.drop(url)
    session.emit("engine-drop", dropped, lambda: ("deleted the schema memstore; its roles stay",))


def _made_lines(made: SchemaMade) -> Iterator[str]:
    yield "made the schema memstore"
    for role in made.roles:
        yield f"made the role {role}"


def _indexed_lines(done: Indexed) -> Iterator[str]:
    files = "file" if done.files == 1 else "files"
    yield f"indexed {done.commit[:10]}: {done.files:,} {files}, generation {done.generation}"
    yield f"read: {done.read:,}; gone: {done.gone:,}; seen by others now: {done.moved:,}"


def _status_lines(found: Sequence[IndexedVault]) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for one in found:
        yield (
            f"{safe_line(one.name)}: {one.commit[:10]}, {one.files:,} files for {one.audiences:,} audiences, "
            f"generation {one.generation}"
        )
