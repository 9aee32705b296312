"""`memstore privacy entity` and `memstore privacy group`: entities, their guardians, and groups of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.access.registry import ENTITY_KINDS
from memstore.cli.options import group, several, subcommand
from memstore.cli.written import emit_registered, saving_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.access.entities import KnownEntity, KnownGroup, KnownMember
    from memstore.cli.session import CliSession


_entity_argument = click.argument("entity_id", metavar="ENTITY")
_remove_option = click.option("--remove", is_flag=True, help="Remove them.")


@group(
    "entity",
    examples=(
        "memstore privacy entity add dog:bella --alias Bella --guardian human:sean",
        "memstore privacy entity list",
    ),
)
def entity() -> None:
    """List and register entities: people, agents, animals, topics."""


@subcommand(
    entity,
    "add",
    examples=(
        "memstore privacy entity add dog:bella --alias Bella --guardian human:sean",
        'memstore privacy entity add vet:dr_smith --alias "Dr. Smith" --role vet --note "Bella\'s vet"',
    ),
)
@_entity_argument
@several("--alias", "--aliases", "aliases", metavar="NAME…", help="Names that people call it by.")
@several("--guardian", "--guardians", "guardians", metavar="ENTITY…", help="Who speaks for it.")
@click.option(
    "--kind", type=click.Choice(ENTITY_KINDS), help="What kind of entity it is, if its namespace does not say so."
)
@several("--role", "--roles", "roles", metavar="ROLE…", help="Roles it holds.")
@click.option("--note", metavar="TEXT", default="", help="A note for people.")
@saving_options()
def add(session: CliSession, /, entity_id: str, *, dry_run: bool, **said: Any) -> None:
    """Register an entity. Its names are what a generalization must not give away; its guardians consent for it."""
    from memstore.access.entities import add_entity

    done = add_entity(session.view(), entity_id, dry_run=dry_run, **said)
    emit_registered(session, "entity-add", done, dry_run=dry_run)


@subcommand(entity, "alias", examples=('memstore privacy entity alias dog:bella "Bella Blue"',))
@_entity_argument
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
@_remove_option
@saving_options()
def alias(
    session: CliSession, entity_id: str, names: tuple[str, ...], *, remove: bool, commit: bool, dry_run: bool
) -> None:
    """Give an entity names, or remove them."""
    from memstore.access.entities import name_entity

    done = name_entity(session.view(), entity_id, names, remove=remove, commit=commit, dry_run=dry_run)
    emit_registered(session, "entity-alias", done, dry_run=dry_run)


@subcommand(entity, "guardian", examples=("memstore privacy entity guardian dog:bella human:sean",))
@_entity_argument
@click.argument("guardians", metavar="GUARDIAN…", nargs=-1, required=True)
@_remove_option
@saving_options()
def guardian(
    session: CliSession, entity_id: str, guardians: tuple[str, ...], *, remove: bool, commit: bool, dry_run: bool
) -> None:
    """Say who speaks for an entity: their consent is needed, and its own is not enough."""
    from memstore.access.entities import guard_entity

    done = guard_entity(session.view(), entity_id, guardians, remove=remove, commit=commit, dry_run=dry_run)
    emit_registered(session, "entity-guardian", done, dry_run=dry_run)


@subcommand(entity, "list", examples=("memstore privacy entity list",))
def list_entities(session: CliSession) -> None:
    """List the registered entities; anybody but the vault's owner sees only themselves."""
    from memstore.access.entities import entities

    known = entities(session.view())
    session.emit("entity-list", known, lambda: (_entity_line(session, one) for one in known), each="entities")
    if not known:
        session.say("no entity is registered; memstore privacy entity add registers one")


def _entity_line(session: CliSession, one: KnownEntity) -> str:
    from memstore.cli.output import safe_line

    told = [", ".join(one.aliases), f"guardian: {', '.join(one.guardians)}" if one.guardians else ""]
    told += [", ".join(one.roles)]
    words = "  ".join(safe_line(part) for part in told if part)
    return f"{session.paint.path(one.path)}: {session.paint('ref', one.id)}  {words}".rstrip()


# -- groups --------------------------------------------------------------------------------------


@group(
    "group",
    examples=(
        "memstore privacy group add group:bella_care_team human:sean vet:dr_smith",
        "memstore privacy group list",
    ),
)
def group_() -> None:
    """List and change groups. Members see what is granted to the group, while they are members."""


@subcommand(
    group_,
    "add",
    examples=(
        "memstore privacy group add group:bella_care_team human:sean vet:dr_smith",
        "memstore privacy group add group:tutors si:tutor_b --until 2026-06-15",
        "memstore privacy group add group:ops human:ben --email ben@example.org",
    ),
)
@click.argument("group_id", metavar="GROUP")
@click.argument("members", metavar="ENTITY…", nargs=-1, required=True)
@click.option("--from", "since", metavar="DATE", help="When the membership begins; now by default.")
@click.option("--until", metavar="DATE", help="When the membership ends.")
@click.option("--keeper", is_flag=True, help="They also keep the group, where it owns the vault.")
@click.option("--email", metavar="ADDRESS", help="With which git address the one who joins commits.")
@saving_options()
def add_to_group(
    session: CliSession, /, group_id: str, members: tuple[str, ...], *, commit: bool, dry_run: bool, **joining: Any
) -> None:
    """Add entities to a group; if there is no such group, it is made."""
    from memstore.access.entities import add_members

    done = add_members(session.view(), group_id, members, **joining, commit=commit, dry_run=dry_run)
    emit_registered(session, "group-add", done, dry_run=dry_run)


@subcommand(group_, "remove", examples=("memstore privacy group remove group:bella_care_team vet:dr_smith",))
@click.argument("group_id", metavar="GROUP")
@click.argument("members", metavar="ENTITY…", nargs=-1, required=True)
@saving_options()
def remove_from_group(
    session: CliSession, group_id: str, members: tuple[str, ...], *, commit: bool, dry_run: bool
) -> None:
    """End memberships now. What was granted to the group is no longer seen; grants by name stay."""
    from memstore.access.entities import remove_members

    done = remove_members(session.view(), group_id, members, commit=commit, dry_run=dry_run)
    emit_registered(session, "group-remove", done, dry_run=dry_run)


@subcommand(group_, "list", examples=("memstore privacy group list",))
def list_groups(session: CliSession) -> None:
    """List the groups and their members; anybody but the vault's owner sees only themselves in them."""
    from memstore.access.entities import groups

    known = groups(session.view())
    session.emit(
        "group-list", known, lambda: (line for one in known for line in _group_lines(session, one)), each="groups"
    )
    if not known:
        session.say("no group is registered; memstore privacy group add makes one")


def _group_lines(session: CliSession, one: KnownGroup) -> Iterator[str]:
    yield f"{session.paint.path(one.path)}: {session.paint('ref', one.id)}"
    yield from (f"  {_member_line(member)}" for member in one.members)


def _member_line(member: KnownMember) -> str:
    since = f"  from {member.since}" if member.since else ""
    return f"{member.id}{since}" + (f"  until {member.until}" if member.until else "")
