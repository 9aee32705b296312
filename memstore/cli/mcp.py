"""`memstore mcp`: serve a vault to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.access import CONTEXTS
from memstore.cli.commands import GROUPS
from memstore.cli.options import WholeNumber, command, group, subcommand
from memstore.core.errors import VaultError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from socket import socket

    from memstore.access.tokens import BearerToken, Tokens
    from memstore.cli.session import CliSession
    from memstore.core.view import View
    from memstore.files.local_state import Environment
    from memstore.mcp.server import Server, WriteRules


@group(
    "mcp",
    table=GROUPS["mcp"],
    default="serve",
    examples=(
        "memstore --vault ~/notes --as si:ash --self mcp install claude-code",
        "memstore --vault ~/notes --as si:ash --self mcp           # for an agent that nobody else listens to",
    ),
)
def mcp() -> None:
    """Serve a vault to agents, by the Model Context Protocol, and set memstore up in their programs."""


@command(
    "serve",
    examples=(
        "memstore --vault ~/notes --as si:ash --self mcp           # for an agent that nobody else listens to",
        "memstore --vault ~/notes --as si:ash --context ctx:work mcp",
        "memstore mcp --read-only",
        "memstore mcp --http 8765                                  # for whoever brings a token",
    ),
)
@click.option(
    "--tools",
    "offered",
    type=click.Choice(("usual", "seeds", "all")),
    default="usual",
    show_default=True,
    help="Which tools are offered.",
)
@click.option("--read-only", is_flag=True, help="Write nothing into the vault.")
@click.option("-c", "--commit", is_flag=True, help="Commit each change.")
@click.option("--http", "port", type=WholeNumber(0, 65535), metavar="PORT", help="Serve HTTP on this machine instead.")
def serve(session: CliSession, *, offered: str, read_only: bool, commit: bool, port: int | None) -> None:
    """Serve a vault to an agent on standard input and output, by the Model Context Protocol.

    Who acts is fixed when the server starts, by --as. So is what may be shown at most: what everybody in --context may
    see, all that is one's own with --self, and with neither only what everybody may see. With --http all of that is
    said by the bearer token that a client brings.
    """
    from memstore.core.errors import UsageError
    from memstore.mcp.server import WriteRules

    if read_only and commit:
        raise UsageError("--read-only and --commit contradict each other", hint="leave one out")
    from memstore.cli.main import stay

    stay()
    rules = WriteRules(read_only=read_only, commit=commit)
    if port is None:
        _serve_pipe(session, offered, rules)
    else:
        _serve_http(session, offered, rules, port)


def _serve_pipe(session: CliSession, offered: str, rules: WriteRules) -> None:
    from memstore.mcp import stdio

    session.stop_at_two_audiences()
    server = server_of(session, offered, rules)
    env, who = server.env, server.identity
    if env.at_terminal:
        session.say(f"serving {who.folder} as {who.entity} on standard input and output (Ctrl-C ends it)")
    stdio.serve(server)


def server_of(session: CliSession, offered: str = "usual", rules: WriteRules | None = None) -> Server:
    """Return a server for whoever this call is made for."""
    from memstore.mcp import tools
    from memstore.mcp.server import Identity, Server, WriteRules

    choices = session.choices
    view = session.served_view(any_context=True)
    context = view.of(CONTEXTS).current()
    identity = Identity(
        folder=str(view.root),
        entity=view.actor,
        context=context.id if context else None,
        alone=choices.alone,
        track=not choices.no_track,
    )
    return Server(_environment(session), identity, rules or WriteRules(), tools.CHOICES[offered])


def _serve_http(session: CliSession, offered: str, rules: WriteRules, port: int) -> None:
    from memstore.core.errors import UsageError
    from memstore.mcp import tools

    choices = session.choices
    if choices.context or choices.alone or choices.entity:
        raise UsageError(
            "with --http each token says who is served", hint="memstore mcp token add ENTITY; leave out --as and others"
        )
    try:
        from memstore.mcp import http
    except ModuleNotFoundError as error:
        raise VaultError(
            f"serving HTTP needs the MCP SDK, and there is no module {error.name}",
            hint='pip install "memstore-vault[mcp]"',
        ) from error
    view = session.served_view(any_context=True)
    tokens = _tokens(session, view)
    if not usable_tokens(tokens):
        raise UsageError("there are no tokens, so no one could be served", hint="memstore mcp token add ENTITY")
    served = http.Served(_environment(session), str(view.root), rules, tools.CHOICES[offered], tokens)
    listening = listening_at(http.HOST, port)
    session.say(f"serving {view.root} at http://{http.HOST}:{listening.getsockname()[1]}{http.PATH} (Ctrl-C ends it)")
    http.serve(served, listening)


def listening_at(host: str, port: int) -> socket:
    """Return a socket that listens there.

    Raises:
        VaultError: the port is taken, or may not be used.
    """
    from socket import create_server

    try:
        return create_server((host, port))
    except OSError as error:
        raise VaultError(f"can't listen on port {port}: {error.strerror}", hint="give another one, or 0") from error


def _environment(session: CliSession) -> Environment:
    return session.environment()._replace(on_progress=None)


# -- tokens ----------------------------------------------------------------------------------------


@group("token", examples=("memstore mcp token add si:ash --self", "memstore mcp token list"))
def token() -> None:
    """Make, list and revoke the tokens that clients bring to `memstore mcp --http`."""


@subcommand(
    token, "add", examples=("memstore mcp token add si:ash --self", "memstore mcp token add si:ash --context ctx:work")
)
@click.argument("stands_for", metavar="ENTITY")  # not `entity`: that is the global option --as
def add(session: CliSession, stands_for: str) -> None:
    """Make a token that stands for ENTITY; it is written into a file that only you can read.

    What it shows at most is said by --context and --self, as for `memstore mcp`. The token is never printed: have the
    client read the file.
    """
    from memstore.access.audit import entity_id

    session.stop_at_two_audiences()
    view = session.served_view(any_context=True)
    context = view.of(CONTEXTS).current()
    made = _tokens(session, view).add(
        entity_id(stands_for, "entity"), context=context.id if context else None, alone=session.choices.alone
    )
    _emit(session, (made,))


@subcommand(token, "list", examples=("memstore mcp token list",))
def list_(session: CliSession) -> None:
    """List the tokens of this vault, and whom they stand for."""
    tokens = _tokens(session, session.served_view(any_context=True))
    found = tokens.list()
    _emit(session, found)
    for file in tokens.exposed(found):
        session.say(f"{_exposed(file)}; {_SHUT.format(file)}")
    for one in found:
        if one.contradicts_itself:
            session.say(f"{_contradicts(one)}; {_ANEW.format(one.id)}")
    if not found:
        session.say("no tokens; memstore mcp token add ENTITY makes one")


@subcommand(token, "revoke", examples=("memstore mcp token revoke si:ash", "memstore mcp token revoke 3fa2b1c9"))
@click.argument("named", metavar="ENTITY|ID")
def revoke(session: CliSession, named: str) -> None:
    """Take a token back, or all that stand for an entity; a running server refuses them at once."""
    _emit(session, _tokens(session, session.served_view(any_context=True)).revoke(named))


def usable_tokens(tokens: Tokens) -> Sequence[BearerToken]:
    """Return the tokens of a vault.

    Raises:
        VaultError: one of them would be refused.
    """
    found = tokens.list()
    if exposed := tokens.exposed(found):
        raise VaultError(_exposed(exposed[0]), hint=_SHUT.format(exposed[0]))
    for one in found:
        if one.contradicts_itself:
            raise VaultError(_contradicts(one), hint=_ANEW.format(one.id))
    return found


_SHUT = "chmod 600 {}, or revoke it if somebody may have"


def _exposed(file: Path) -> str:
    return f"others can read {file}, so this token is refused"


_ANEW = "memstore mcp token revoke {}, and add one with --self or a context"


def _contradicts(token: BearerToken) -> str:
    from memstore.cli.output import safe_line

    context = safe_line(token.context or "")
    return f"token {token.id} says that nobody else listens, and that {context} does, so it is refused"


def _tokens(session: CliSession, view: View) -> Tokens:
    from memstore.access.tokens import Tokens

    return Tokens(_environment(session), view.root)


def _emit(session: CliSession, found: Sequence[BearerToken]) -> None:
    session.emit("mcp-token", found, lambda: _token_lines(session, found), each="tokens")


def _token_lines(session: CliSession, found: Sequence[BearerToken]) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for one in found:
        shows = "nobody else listens" if one.alone else one.context or "only what everybody may see"
        shows = "refused" if one.contradicts_itself else shows
        ref = session.paint("ref", one.entity)
        yield f"{session.paint('path', safe_line(str(one.file)))}: {one.id} {ref}  {safe_line(shows)}"
