"""`memstore context`: the active context, and who listens there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import group, several, subcommand
from memstore.cli.written import emit_registered, saving_options
from memstore.core.errors import UsageError
from memstore.core.memory import UNKNOWN_LISTENER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.access.contexts import KnownContext, Present
    from memstore.cli.session import CliSession


@group("context", examples=("memstore context enter ctx:bella_care", "memstore context show", "memstore context leave"))
def context() -> None:
    """Enter and leave contexts: in a context you see only what everybody there may see."""


@subcommand(
    context,
    "add",
    examples=(
        "memstore context add ctx:bella_care --roster human:sean si:bella_agent dog:bella",
        "memstore context add ctx:lobby --open",
    ),
)
@click.argument("context_id", metavar="CONTEXT")
@several("--roster", "roster", metavar="ENTITY…", help="Who belongs to it.")
@click.option("--open", "is_open", is_flag=True, help="Anybody may be listening.")
@several(
    "--default-access", "default_access", metavar="ENTITY…", help="Who is granted everything that is written in it."
)
@several("--role", "--roles", "roles", metavar="ENTITY=ROLE…", help="Roles held while it is active.")
@saving_options()
def add(
    session: CliSession, /, context_id: str, *, is_open: bool, roles: tuple[str, ...], dry_run: bool, **said: Any
) -> None:
    """Register a context, or add to the roster of one; only the vault's owner can.

    A context that is not registered grants nothing.
    """
    from memstore.access.contexts import add_context

    held: dict[str, list[str]] = {}
    for text in roles:
        name, equals, role = text.partition("=")
        if not equals:
            raise UsageError(f"`{text}` is not ENTITY=ROLE", hint="write it like si:bella_agent=care_agent")
        held.setdefault(name, []).append(role)
    done = add_context(session.view(), context_id, open=is_open, roles=held, dry_run=dry_run, **said)
    emit_registered(session, "context-add", done, dry_run=dry_run)


@subcommand(
    context,
    "enter",
    examples=(
        "memstore context enter ctx:bella_care",
        "memstore context enter ctx:bella_health --role care_agent --participants human:sean si:bella_agent",
    ),
)
@click.argument("context_id", metavar="CONTEXT")
@several("--participants", "--participant", "participants", metavar="ENTITY…", help="Who is there.")
@click.option("--role", metavar="ROLE", help="What you are there, as a note for people.")
def enter(session: CliSession, context_id: str, *, participants: tuple[str, ...], role: str | None) -> None:
    """Enter a context, and leave the one before; it expires after 12 hours, and then commands fail until you leave it.

    It applies only to you (--as) and your session (MEMSTORE_SESSION). Without --participants, everybody on the
    context's roster is there.
    """
    from memstore.access.contexts import enter_context

    present = enter_context(session.view(any_context=True), context_id, participants=participants, role=role)
    _emit(session, "context-enter", present)
    names = present.unlisted if present.registered else participants
    act = f"memstore context add {context_id}" + (f" --roster {' '.join(names)}" if names else "")
    if not present.registered:
        session.say(f"{context_id} is not registered, so it grants nothing: {act}")
    elif names and UNKNOWN_LISTENER not in names:
        session.say(f"what is granted to {context_id} stays closed to {' and '.join(names)}: {act}")


@subcommand(context, "leave", examples=("memstore context leave",))
def leave(session: CliSession) -> None:
    """Leave the active context; what was granted in it stays granted."""
    from memstore.access.contexts import leave_context

    left = leave_context(session.view(any_context=True))
    session.emit("context-leave", left, lambda: (f"left {left}",) if left else ())
    if left is None:
        session.say("no context is active")


@subcommand(context, "show", examples=("memstore context show",))
def show(session: CliSession) -> None:
    """Show the active context and who listens there."""
    from memstore.access.contexts import present_context

    present = present_context(session.view(any_context=True))
    _emit(session, "context-show", present)
    if present.context is None:
        session.say("no context is active")


@subcommand(context, "list", examples=("memstore context list",))
def list_contexts(session: CliSession) -> None:
    """List the registered contexts; while others listen, only those with all of them on the roster."""
    from memstore.access.contexts import contexts

    known = contexts(session.view())
    session.emit("context-list", known, lambda: (_line(session, one) for one in known), each="contexts")
    if not known:
        session.say("no context to show here; memstore context add registers one")


@subcommand(context, "suggest", examples=('memstore context suggest "How is Bella\'s heart?"',))
@click.argument("text", metavar="TEXT")
def suggest(session: CliSession, text: str) -> None:
    """Suggest contexts that a text may belong to, best first; none is entered."""
    from memstore.access.contexts import suggest_context
    from memstore.cli.output import safe_line

    found = suggest_context(session.view(), text)
    session.emit(
        "context-suggest",
        found,
        lambda: (f"{session.paint('ref', one.context)}  {safe_line(', '.join(one.because))}" for one in found),
        each="suggestions",
    )
    if found:
        session.say(f"memstore context enter {found[0].context}")
    else:
        session.say("no registered context fits")


def _emit(session: CliSession, verb: str, present: Present) -> None:
    session.emit(verb, present, lambda: _present_lines(session, present))


def _present_lines(session: CliSession, present: Present) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.core.times import instant

    active = present.context
    if active is None:
        return
    ends = f" until {instant(active.expires_at)}" if active.expires_at else ""
    role = f" as {active.role}" if active.role else ""
    yield session.paint("ref", safe_line(active.id)) + safe_line(f"{role}{ends}")
    if present.trouble:
        yield f"  {present.trouble}: memstore context enter CTX, or context leave"
    else:
        yield f"  listening: {safe_line(', '.join(present.listeners) or 'nobody else')}"


def _line(session: CliSession, one: KnownContext) -> str:
    words = ", ".join(one.roster) + ("  open" if one.open else "")
    return f"{session.paint.path(one.path)}: {session.paint('ref', one.id)}  {words}".rstrip()
