"""`memstore privacy log`: the acts that concern access, and whether their record is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import WholeNumber, group, subcommand
from memstore.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.access.audit import Verified
    from memstore.access.audit_events import AuditEvent
    from memstore.access.local_state import Access
    from memstore.cli.session import CliSession


@group("log", default="show", examples=("memstore privacy log", "memstore privacy log verify"))
def log() -> None:
    """Show who did what with access, and prove that the record is complete."""


@subcommand(log, "verify", examples=("memstore privacy log verify",))
def verify(session: CliSession) -> None:
    """Prove that every audit event is as it was written and that none is missing; exit 1 if not."""
    from memstore.history.audit_check import verify_audit

    done = verify_audit(session.view())
    session.emit("audit-verify", done, lambda: _verified_lines(done))
    count = f"{done.events} event{'' if done.events == 1 else 's'}"
    errors = sum(finding.is_error for finding in done.findings)
    session.say(f"{count}, all intact" if done.is_whole else f"{count}, {errors} not intact")
    if not done.is_whole:
        session.exit(Exit.FOUND_ERRORS)


@subcommand(
    log,
    "show",
    examples=(
        "memstore privacy log show",
        "memstore privacy log show human:sean -n 5",
        "memstore privacy log show --local",
    ),
)
@click.argument("of", metavar="[ID]", required=False)
@click.option("-n", "--limit", type=WholeNumber(min=1), metavar="N", help="Show at most this many.")
@click.option("--local", is_flag=True, help="Show what others were shown and denied on this machine instead.")
def show(session: CliSession, of: str | None, *, limit: int | None, local: bool) -> None:
    """Show what was done, the latest first: all, or by or about one entity, memory or consent."""
    from memstore.access.audit import audit_trail

    if local:
        _show_looks(session, of, limit)
        return
    events = audit_trail(session.view(), of=of, limit=limit)
    session.emit("audit-show", events, lambda: (_line(session, event) for event in events), each="events")
    if not events:
        session.say("there are no audit events yet")


def _show_looks(session: CliSession, of: str | None, limit: int | None) -> None:
    from memstore.access.audit import looks

    found = [look for look in looks(session.view()) if of in (None, look.by, *look.shown, *look.denied)][:limit]
    session.emit("audit-local", found, lambda: (_look_line(session, look) for look in found), each="looks")
    if not found:
        session.say("nobody else has looked from this machine")


def _look_line(session: CliSession, look: Access) -> str:
    from memstore.cli.output import safe_line
    from memstore.core.times import instant

    told = [f"{name} {', '.join(ids)}" for name, ids in (("shown", look.shown), ("denied", look.denied)) if ids]
    where = f" in {look.context}" if look.context else ""
    return f"{session.paint('dim', instant(look.at))}  {safe_line(f'{look.by}{where}  {look.how}  ' + '  '.join(told))}"


def _verified_lines(done: Verified) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for finding in done.findings:
        yield safe_line(finding.line)
        if finding.hint:
            yield f"  hint: {finding.hint}"


def _line(session: CliSession, event: AuditEvent) -> str:
    from memstore.cli.output import safe_line

    about = "  ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in event.about.items()
    )
    return f"{session.paint('dim', event.at)}  {safe_line(f'{event.by}  {event.event}  {about}')}"
