"""`memstore privacy consent` and `memstore privacy delegate`: who consented, who refused, and who may for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import F, command, group, subcommand, together
from memstore.cli.written import emit_registered, saving_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.access.audit import Registered
    from memstore.access.consents import KnownConsent
    from memstore.cli.session import CliSession


_STATES = {"active": "in force", "open": "unanswered"}
_EXAMPLE = "--from human:parent_456 --to si:reading_specialist --scope ctx:student_123_academic"


def _record_options(*, ends: bool = True) -> Callable[[F], F]:
    """Add the options of all records: who, to whom, for what, on whose behalf, until when and why."""
    scope = "What it covers: mem:ID or any REF, ctx:NAME, subject:ENTITY or source:ENTITY."
    expires = click.option("--expires", metavar="DATE", help="When it ends: a date, or a time from now like 30d.")
    return together(
        click.option("--from", "grantor", metavar="ENTITY", required=True, help="Who says so."),
        click.option("--to", "grantee", metavar="ENTITY", required=True, help="To whom it may be passed on."),
        click.option("--scope", metavar="SCOPE", required=True, help=scope),
        click.option("--for", "on_behalf_of", metavar="ENTITY", help="Whom they speak for, as guardian or delegate."),
        *([expires] if ends else []),
        click.option("--reason", metavar="TEXT", help="Why."),
        click.option("--note", metavar="TEXT", default="", help="What was said, word for word."),
        saving_options(),
    )


@group("consent", examples=(f"memstore privacy consent grant {_EXAMPLE}", "memstore privacy consent list"))
def consent() -> None:
    """Record consents and refusals. A consent alone opens nothing: it lets a grant count."""


@subcommand(
    consent,
    "grant",
    examples=(
        f"memstore privacy consent grant {_EXAMPLE}",
        "memstore privacy consent grant --from human:sean --for dog:bella --to si:luna_agent --scope m_7f3",
    ),
)
@_record_options()
def grant(session: CliSession, /, **said: Any) -> None:
    """Record that somebody consents."""
    from memstore.access.consents import grant_consent

    _record(session, grant_consent, "consent-grant", "consent", said)


@subcommand(
    consent,
    "refuse",
    examples=("memstore privacy consent refuse --from human:sean --to '*' --scope subject:dog:bella",),
)
@_record_options()
def refuse(session: CliSession, /, **said: Any) -> None:
    """Record that somebody refuses; a refusal overrides every consent."""
    from memstore.access.consents import refuse_consent

    _record(session, refuse_consent, "consent-refuse", "refusal", said)


@subcommand(consent, "request", examples=(f"memstore privacy consent request {_EXAMPLE}",))
@_record_options(ends=False)
def request(session: CliSession, /, **said: Any) -> None:
    """Write a request to send to whoever is asked; it opens nothing, and no answer means no consent."""
    from memstore.access.consents import request_consent

    _record(session, request_consent, "consent-request", "request", said)


@subcommand(
    consent,
    "revoke",
    examples=(
        "memstore privacy consent revoke con_7c8q9twgxk --by human:sean",
        "memstore privacy consent revoke con_7c8q9twgxk --as human:sean",
    ),
)
@click.argument("consent_id", metavar="CONSENT")
@click.option("--by", metavar="ENTITY", help="Who takes it back; whoever acts by default.")
@click.option("--reason", metavar="TEXT", help="Why.")
@click.option("--note", metavar="TEXT", default="", help="What was said, word for word.")
@saving_options()
def revoke(session: CliSession, /, consent_id: str, *, by: str | None, dry_run: bool, **told: Any) -> None:
    """Take back a consent, a refusal or a delegation, from now on.

    Only whoever gave it, whoever it speaks for, or a guardian of theirs can.
    """
    from memstore.access.consents import revoke_consent, saying_the_same

    view = session.view()
    same = saying_the_same(view, consent_id)
    done = revoke_consent(view, consent_id, by=by, dry_run=dry_run, **told)
    emit_registered(session, "consent-revoke", done, dry_run=dry_run)
    for other in same:
        session.say(f"{other} says the same, and is still in force")
        session.say(f"  hint: memstore privacy consent revoke {other}" + (f" --by {by}" if by else ""))


@subcommand(
    consent, "list", examples=("memstore privacy consent list", "memstore --as human:sean privacy consent list")
)
def list_consents(session: CliSession) -> None:
    """List consents, refusals, delegations and requests; only the vault's owner sees those that don't name them."""
    from memstore.access.consents import consents

    known = consents(session.view())
    session.emit("consent-list", known, lambda: (_line(session, one) for one in known), each="consents")
    if not known:
        session.say("no consent is recorded; memstore privacy consent grant records one")


@command(
    "delegate",
    examples=("memstore privacy delegate --from human:sean --to si:claire --scope source:human:sean --expires 1y",),
)
@_record_options()
def delegate(session: CliSession, /, **said: Any) -> None:
    """Record that somebody lets somebody else consent for them; it must end, and can't be passed on."""
    from memstore.access.consents import delegate as let_consent

    _record(session, let_consent, "delegate", "delegation", said)


def _record(session: CliSession, record: Callable[..., Registered], verb: str, kind: str, said: dict[str, Any]) -> None:
    """Make a record by a use case, and name those from before that say the same."""
    from memstore.access.consents import said_already
    from memstore.cli.output import safe_line

    who = [said.pop(name) for name in ("grantor", "grantee", "scope")]
    done = record(session.view(), *who, **said)
    emit_registered(session, verb, done, dry_run=said["dry_run"])
    for one in said_already(session.view(), kind, *who, on_behalf_of=said["on_behalf_of"]):
        until = f" until {one.expires_at}" if one.expires_at else ""
        if one.id != done.id:
            session.say(safe_line(f"{one.id} says the same already, and is {_STATES[one.state]}{until}"))


def _line(session: CliSession, one: KnownConsent) -> str:
    from memstore.cli.output import safe_line

    behalf = f" for {one.on_behalf_of}" if one.on_behalf_of else ""
    ends = f" until {one.expires_at}" if one.expires_at else ""
    told = f"{one.kind}  {one.grantor}{behalf} -> {one.grantee or ''}  {one.scope or ''}  {one.state}{ends}"
    return f"{session.paint.path(one.path)}: {session.paint('ref', one.id)}  {safe_line(told)}"
