"""The filters shared by all commands about several memories."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from memstore.cli.options import complete_tag
from memstore.core.keys import TRUST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.cli.session import CliSession
    from memstore.search.filters import Which

F = TypeVar("F", bound="Callable[..., None]")


def say_near_keys(session: CliSession, given: Which) -> None:
    """Say which key a condition may have meant, if nothing matches and no file has the one that it names."""
    conditions = cast("tuple[str, ...]", given.get("where", ()))
    if not conditions:
        return
    from memstore.core.errors import nearest
    from memstore.core.keys import KEY_BY_NAME
    from memstore.search import filters as rules
    from memstore.search.own_keys import OwnKeys

    own = OwnKeys(session.view())
    for key in dict.fromkeys(rules.parse_where(text).key for text in conditions):
        is_known = key.partition(".")[0] in KEY_BY_NAME or own.holders(key)
        if not is_known and (near := nearest(key, [*own.names, *KEY_BY_NAME])):
            session.say(f"hint: no file has the key {key}; did you mean {near}?")


def _repeatable(*names: str, metavar: str, what: str) -> Callable[[F], F]:
    return click.option(*names, multiple=True, metavar=metavar, help=what, shell_complete=_complete)


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer a shell the possible values of a filter, if there are few, or the tags that there are."""
    if param.name == "tag":
        return complete_tag(ctx, param, incomplete)
    from memstore.search import filters as rules

    return [value for value in rules.choices(param.name or "") if value.startswith(incomplete)]


scope_option = _repeatable("--scope", metavar="SCOPE", what="Only in this scope, global or project:NAME.")
_OPTIONS: tuple[Callable[[F], F], ...] = (
    _repeatable("-t", "--type", metavar="TYPE", what="Only this type; repeat an option for alternatives."),
    _repeatable("--tag", metavar="TAG", what="Only with this tag or one nested in it, like TAG/MORE."),
    _repeatable(
        "--status",
        metavar="STATUS",
        what="Only this status (active by default): draft, superseded, archived, … or all.",
    ),
    scope_option,
    _repeatable("--subject", metavar="ENTITY", what="Only about this entity."),
    _repeatable("--source-type", metavar="KIND", what="Only known in this way, like told_by_human."),
    _repeatable("--author", metavar="ENTITY", what="Only by this author."),
    click.option("--since", metavar="DATE", help="Only created then or later: 2026-02, today, 3d, 2w, 6mo, 1y …"),
    click.option("--until", metavar="DATE", help="Only created by the end of that time."),
    click.option("--min-confidence", metavar="NUMBER", help="Only at least so reliable, from 0 to 1."),
    click.option("--min-trust", metavar="NUMBER", help="Only with at least this much trust, from 0 to 1."),
    click.option("--level", type=click.Choice(TRUST_LEVELS), help="Only with this level of trust or a higher one."),
    _repeatable(
        "--where", metavar="'KEY OP VALUE'", what="A condition on any key: = != < <= > >= ~ !~ exists missing."
    ),
)


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the filters to a command; it gets those that were typed together as `given`, a `Which`."""

    @wraps(function)
    def with_given(*args: Any, **values: Any) -> None:
        from memstore.search.filters import Which

        typed = {name: values.pop(name) for name in Which.__annotations__}
        given = {name: value for name, value in typed.items() if value not in ((), None)}
        function(*args, given=given, **values)

    for option in reversed(_OPTIONS):
        with_given = option(with_given)
    return with_given
