"""The filters shared by all commands about several memories."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from memstore.cli.session import CliSession
    from memstore.core.times import Period
    from memstore.search.retrieval import Filters

F = TypeVar("F", bound="Callable[..., None]")

# As in `trust.score`, which is not loaded for a command's options.
TRUST_LEVELS = ("unverified", "attested", "anchored", "consensus")


class Given(NamedTuple):
    """The filters as typed."""

    type: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    source_type: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    min_confidence: str | None = None
    min_trust: str | None = None
    level: str | None = None
    where: tuple[str, ...] = ()

    def filters(self, now: datetime) -> "Filters":
        """Return the filters as the search takes them.

        Raises:
            UsageError: a filter is invalid.
        """
        from memstore.search import filters as rules
        from memstore.search.retrieval import Filters

        values: dict[str, Any] = {
            name: tuple(rules.checked(name, value) for value in getattr(self, name)) for name in rules.FIELDS
        }
        return Filters(
            **values,
            since=_period(self.since, now).start if self.since is not None else None,
            until=_period(self.until, now).end if self.until is not None else None,
            min_confidence=rules.checked_fraction(self.min_confidence) if self.min_confidence is not None else None,
            min_trust=rules.checked_fraction(self.min_trust, "trust") if self.min_trust is not None else None,
            level=self.level,
            where=tuple(map(rules.parse_where, self.where)),
        )


def say_near_keys(session: "CliSession", given: Given) -> None:
    """Say which known key a condition may have meant, if nothing matches; the key may also be a person's own."""
    if not given.where:
        return
    from memstore.core.errors import nearest
    from memstore.core.keys import KEY_BY_NAME
    from memstore.search import filters as rules

    for key in dict.fromkeys(rules.parse_where(text).key for text in given.where):
        near = None if key.partition(".")[0] in KEY_BY_NAME else nearest(key, KEY_BY_NAME)
        if near:
            session.say(f"hint: memstore knows no key {key}; did you mean {near}?")


def _period(text: str, now: datetime) -> "Period":
    from memstore.core import times  # only filters by date need it

    return times.period(text, now=now)


def _repeatable(*names: str, metavar: str, what: str) -> Callable[[F], F]:
    return click.option(*names, multiple=True, metavar=metavar, help=what, shell_complete=_complete)


def _complete(_: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer a shell the possible values of a filter, if there are few."""
    from memstore.search import filters as rules

    return [value for value in rules.choices(param.name or "") if value.startswith(incomplete)]


_OPTIONS: tuple[Callable[[F], F], ...] = (
    _repeatable("-t", "--type", metavar="TYPE", what="Only this type; repeat an option for alternatives."),
    _repeatable("--tag", metavar="TAG", what="Only with this tag or one nested in it, like TAG/MORE."),
    _repeatable(
        "--status",
        metavar="STATUS",
        what="Only this status (active by default): draft, superseded, archived, … or all.",
    ),
    _repeatable("--scope", metavar="SCOPE", what="Only in this scope, global or project:NAME."),
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
    """Add the filters to a command; it gets them together as `given`."""

    @wraps(function)
    def with_given(*args: Any, **values: Any) -> None:
        given = Given(**{name: values.pop(name) for name in Given._fields})
        function(*args, given=given, **values)

    for option in reversed(_OPTIONS):
        with_given = option(with_given)
    return with_given
