"""`memstore engine`: an organisation's index on PostgreSQL."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING

import click

from memstore.cli.options import WholeNumber, group, subcommand
from memstore.core.errors import RefusedError, UsageError, VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.engines.database import IndexedVault, SchemaMade
    from memstore.engines.indexing import Indexed
    from memstore.engines.own_server import ServerStarted

_URL = "postgresql://db.example.org/memories"
_SETTING = "engine.url"


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
    engine,
    "index",
    examples=("memstore engine index    # where engine.url is", f"memstore engine index {_URL} --name ops --anew"),
)
@click.argument("url", metavar="[URL]", required=False)
@click.option("--name", metavar="NAME", help="The vault's name in the database; that of its folder by default.")
@click.option("--anew", is_flag=True, help="Forget what is indexed of it, and read all files.")
def index(session: CliSession, url: str | None, *, name: str | None, anew: bool) -> None:
    """Index what the protected branch has: the remote's default branch, or else main or master.

    Only what differs from the commit that was indexed last is read, from git; all of it is written, or nothing.
    """
    from memstore.engines.vault_indexing import index_vault

    done = index_vault(session.view(), url or _url_in_use(session), name=name, anew=anew)
    session.emit("engine-index", done, lambda: _indexed_lines(done))


@subcommand(
    engine,
    "serve",
    examples=(
        "memstore engine serve ~/notes                                # a clone",
        "memstore engine serve /srv/git/notes.git /srv/git/ops.git    # what was pushed there",
    ),
)
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER…")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=8766, show_default=True, help="Listen there, on this machine."
)
def serve(session: CliSession, folders: tuple[str, ...], *, port: int) -> None:
    """Answer search, list, trace and recall over HTTP.

    Each folder is a vault, or a repository in which hooks/post-receive indexes what is pushed. Whoever asks brings a
    token that `memstore mcp token add` made for that vault. It is served on this machine; a proxy passes on what comes
    from others.
    """
    from memstore.cli.main import stay
    from memstore.cli.mcp import listening_at, usable_tokens

    stay()
    try:
        from memstore.broker import http
    except ModuleNotFoundError as error:
        raise VaultError(
            f"serving HTTP needs an ASGI server, and there is no module {error.name}",
            hint='pip install "memstore-vault[postgres]"',
        ) from error
    from memstore.access.tokens import Tokens
    from memstore.broker.answering import Answering
    from memstore.broker.served import served_vaults

    metrics = http.Metrics()

    def notice(message: str) -> None:
        metrics.note_local()
        session.say(message)

    env = session.environment()._replace(on_progress=None, on_notice=notice, at_terminal=False)
    find = partial(served_vaults, env, folders)
    served = find()
    if not [token for one in served for token in usable_tokens(Tokens(env, one.folder))]:
        hint = f"memstore --vault {shlex.quote(str(served[0].folder))} mcp token add ENTITY"
        raise UsageError("there are no tokens, so no one could be served", hint=hint)
    listening = listening_at(http.HOST, port)
    for one in served:
        session.say(f"serving {one.name}: {one.folder}")
    session.say(f"answering at http://{http.HOST}:{listening.getsockname()[1]} (Ctrl-C or SIGTERM ends it)")
    http.serve(Answering(env, find), metrics, listening)


@subcommand(engine, "up", examples=("memstore engine up",))
def up(session: CliSession) -> None:
    """Start a PostgreSQL server of your own, and use it from now on.

    It is made by the system's programs when it is started first: among your data, on a socket there that is for you
    alone. It runs until it is stopped, or the machine is; then start it again.
    """
    from memstore.engines.own_server import start
    from memstore.files.config_file import read_user_config
    from memstore.vault import composition
    from memstore.vault.status import change_setting

    env = session.environment()
    file, defaults = composition.settings_file(env, None, user=True)
    used = read_user_config(file.path).url
    started = start(env.data_home / "memstore" / "postgresql", env.variables)
    if used is None:
        change_setting(file, defaults, _SETTING, started.url)
        file.path.chmod(0o600)
    elif used != started.url:
        hint = f"memstore config --user {_SETTING} {shlex.quote(started.url)}"
        session.say(f"your settings go on naming another database\nhint: {hint}")
    session.emit("engine-up", started, lambda: _started_lines(started))


@subcommand(engine, "status", examples=("memstore engine status", f"memstore engine status {_URL}"))
@click.argument("url", metavar="[URL]", required=False)
def status(session: CliSession, url: str | None) -> None:
    """Show which vaults are indexed, and as of which commit."""
    from memstore.engines import database

    found = database.indexed_vaults(url or _url_in_use(session))
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


def _url_in_use(session: CliSession) -> str:
    """Return the database that the user's settings name.

    Raises:
        UsageError: they name none.
    """
    from memstore.files.config_file import read_user_config

    url = read_user_config(session.environment().config_file).url or ""
    if not url.startswith("postgres"):
        raise UsageError(f"no database is named, and none by {_SETTING} in your settings", hint=_URL)
    return url


def _made_lines(made: SchemaMade) -> Iterator[str]:
    yield "made the schema memstore"
    for role in made.roles:
        yield f"made the role {role}"


def _started_lines(started: ServerStarted) -> Iterator[str]:
    yield f"{'started' if started.was_started else 'running'}: {started.folder}"
    yield f"index a vault, in its folder: memstore engine index {shlex.quote(started.url)}"
    yield f"stop it: {shlex.join(started.stop)}"


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
