"""`memstore privacy`: who may see a memory, who sees it, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.access import SHARED
from memstore.cli.commands import GROUPS
from memstore.cli.options import at_option, group, ref_argument, several, subcommand
from memstore.cli.written import acknowledge_option, saved_lines, saving_options, say_findings
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.access.plan import AccessPlan
    from memstore.access.privacy import Shared
    from memstore.access.report import Sighted
    from memstore.access.sight import SightChange
    from memstore.access.world import Decision
    from memstore.cli.session import CliSession


@group(
    "privacy",
    table=GROUPS["privacy"],
    examples=(
        "memstore privacy grant m_7f3 --to si:new_vet_agent --consent human:sean",
        "memstore privacy audit --subject dog:bella",
    ),
)
def privacy() -> None:
    """Share memories, take that back, and see who sees what."""


@subcommand(
    privacy,
    "grant",
    examples=(
        "memstore privacy grant m_7f3 --to si:new_vet_agent --consent human:sean",
        "memstore privacy grant m_7f3 --to '*'",
    ),
)
@ref_argument()
@several("--to", "to", metavar="ENTITY…", required=True, help="Who may see it: entities, groups, ctx:… or '*'.")
@several(
    "--consent", "consents", metavar="ENTITY…", help="Who has consented; recorded for this memory and these grantees."
)
@acknowledge_option()
@saving_options()
def grant(
    session: CliSession, ref: str, *, to: tuple[str, ...], consents: tuple[str, ...], commit: bool, dry_run: bool
) -> None:
    """Let others see one of your memories.

    Those it is about and those who told it must have consented to these grantees, who must also be allowed to see what
    it was derived from.
    """
    from memstore.access.privacy import grant_access

    done = grant_access(session.view(), ref, to, consents, commit=commit, dry_run=dry_run)
    _emit_shared(session, "privacy-grant", done, dry_run=dry_run)


@subcommand(privacy, "revoke", examples=("memstore privacy revoke m_7f3 --from si:old_agent",))
@ref_argument()
@several("--from", "whom", metavar="ENTITY…", required=True, help="Who may no longer see it.")
@saving_options()
def revoke(session: CliSession, ref: str, *, whom: tuple[str, ...], commit: bool, dry_run: bool) -> None:
    """Take a grant back. Whoever would still see the memory through a group, a context or '*' is denied by name."""
    from memstore.access.privacy import revoke_access

    done = revoke_access(session.view(), ref, whom, commit=commit, dry_run=dry_run)
    _emit_shared(session, "privacy-revoke", done, dry_run=dry_run)


@subcommand(
    privacy,
    "explain",
    examples=(
        "memstore privacy explain m_7f3 --for si:luna_agent",
        "memstore privacy explain m_7f3 --for human:sean --in ctx:bella_care",
        "memstore privacy explain m_7f3 --for si:luna_agent --at 2026-03-01",
    ),
)
@ref_argument()
@click.option("--for", "viewer", metavar="ENTITY", required=True, help="Who would be looking.")
@click.option("--in", "in_context", metavar="CTX", help="In which context.")
@at_option()
def explain(session: CliSession, ref: str, *, viewer: str, in_context: str | None, at: str | None) -> None:
    """Show whether somebody may see a memory, or might on an earlier day, why, and what would change that."""
    from memstore.access.privacy import explain_access

    decision = explain_access(session.view(), ref, viewer, context=in_context, at=at)
    session.emit("privacy-explain", decision, lambda: _decision_lines(decision))


@subcommand(
    privacy,
    "plan",
    examples=(
        "memstore privacy plan m_7f3 --to si:new_vet_agent",
        "memstore privacy plan m_7f3 --to si:new_vet_agent --guardian dog:bella=human:sean --apply",
    ),
)
@ref_argument()
@click.option("--to", "to", metavar="ENTITY", required=True, help="Who is to see it: an entity, group, ctx:… or '*'.")
@several("--guardian", "--guardians", "guardians", metavar="ENTITY=PERSON…", help="Who speaks for whom.")
@several("--consent", "consents", metavar="ENTITY…", help="Who has consented.")
@click.option("--apply", is_flag=True, help="Do what you may, and write requests for the consents that are missing.")
@click.option("-c", "--commit", is_flag=True, help="Commit that, too.")
def plan(
    session: CliSession,
    ref: str,
    *,
    to: str,
    guardians: tuple[str, ...],
    consents: tuple[str, ...],
    apply: bool,
    commit: bool,
) -> None:
    """List every step that is missing until somebody sees a memory; only the vault's owner can.

    With --apply, guardians and consents that you state are recorded, a context that you are in is registered with those
    who are there, everybody else is asked (a file in requests/ for each, to send), and the memory is granted as soon as
    nobody's consent is missing.
    """
    from memstore.access.plan import plan_access

    named: dict[str, list[str]] = {}
    for text in guardians:
        entity, equals, person = text.partition("=")
        if not equals:
            raise UsageError(f"`{text}` is not ENTITY=PERSON", hint="write it like dog:bella=human:sean")
        named.setdefault(entity, []).append(person)
    done = plan_access(session.view(), ref, to, guardians=named, consent=consents, apply=apply, commit=commit)
    session.emit("privacy-plan", done, lambda: _plan_lines(session, done))
    if done.sees:
        session.say(f"{done.to} sees it")
    elif not apply and any(step.state == "ready" for step in done.steps):
        session.say("--apply does what is ready")
    for note in done.notes:
        session.say(f"note: {note}")


@subcommand(
    privacy,
    "audit",
    examples=(
        "memstore privacy audit --subject dog:bella",
        "memstore privacy audit --entity si:tutor_b --stack student_123",
        "memstore privacy audit --entity '*'",
        "memstore privacy audit --id m_7f3",
        "memstore privacy audit --stack student_123",
    ),
)
@click.option("--subject", metavar="ENTITY", help="Memories about this entity, and who sees them.")
# Not named `entity`: that is the global option --as.
@click.option("--entity", "seer", metavar="ENTITY", help="Memories that this entity sees; '*' is everybody.")
@click.option("--id", "ref", metavar="REF", help="One memory, and who sees it.")
@click.option("--stack", metavar="DIR|NAME", help="A stack that was shared or loaded, or another vault.")
def audit(session: CliSession, *, subject: str | None, seer: str | None, ref: str | None, stack: str | None) -> None:
    """Show who sees what. Anybody but the vault's owner learns no more than what they see themselves."""
    from memstore.access.report import audit_sight

    count = sum(given is not None for given in (subject, seer, ref))
    if count > 1 or (count == 0 and stack is None):
        raise UsageError(
            "privacy audit needs a subject, an entity or a memory",
            hint="give one of --subject ENTITY, --entity ENTITY, --id REF; --stack DIR|NAME alone lists all of a stack",
        )
    if stack is not None:
        session.move_to(_folder_of(session, stack))
    found = audit_sight(session.view(), subject=subject, entity=seer, memory=ref)
    session.emit(
        "privacy-audit",
        found,
        lambda: (line for one in found for line in _sighted_lines(session, one)),
        each="memories",
    )
    if not found:
        session.say("no memory")
    if stack is None and ref is None:
        _say_stacks(session)


def _say_stacks(session: CliSession) -> None:
    """Say how to ask the same about the stacks that are loaded beside the vault."""
    if names := [mount.name for mount in session.view().of(SHARED).mounted]:
        session.say(f"stacks that are loaded here are not asked; --stack {'|'.join(names)} asks one")


def _folder_of(session: CliSession, stack: str) -> str:
    """Return the folder of a stack that was shared or loaded under a name; any other text is a folder itself."""
    from memstore.access.report import folder_named
    from memstore.core.errors import NotFoundError, VaultError
    from memstore.core.places import SETTINGS_FOLDER

    try:
        known = folder_named(session.view(), stack)
    except VaultError:  # there is no vault around
        if not session.takes_folders:
            raise
        return stack
    # Whether there is a folder that is no vault may be hidden.
    is_vault = session.takes_folders and (session.environment().expanded(stack) / SETTINGS_FOLDER).is_dir()
    if known is None and not is_vault:
        raise NotFoundError(
            f"no stack was shared or loaded as {stack}, and no vault is there",
            hint="memstore share load --list; memstore share --list",
        )
    return known or stack


@subcommand(privacy, "report", examples=("memstore privacy report",))
def report(session: CliSession) -> None:
    """Show what each entity sees, by itself and in contexts."""
    from memstore.access.report import sight_report

    found = sight_report(session.view())
    session.emit("privacy-report", found, lambda: _report_lines(session, found), each="entities")
    if not found:
        session.say("nobody but the owner sees anything")


@subcommand(privacy, "diff", examples=("memstore privacy diff", "memstore privacy diff HEAD~3 HEAD"))
@click.argument("old", metavar="[A]", default="HEAD")
@click.argument("new", metavar="[B]", required=False)
def diff(session: CliSession, *, old: str, new: str | None) -> None:
    """Show who can see more or less in one state than in another: commits or dates; B is the work tree by default."""
    from memstore.access.report import sight_diff

    changes = sight_diff(session.view(), old, new)
    session.emit(
        "privacy-diff",
        changes,
        lambda: (line for change in changes for line in _change_lines(session, change)),
        each="changes",
    )
    if not changes:
        session.say("nobody can see more or less than before")


# -- as JSON and as lines ---------------------------------------------------------------------------


def _emit_shared(session: CliSession, verb: str, done: Shared, *, dry_run: bool) -> None:
    session.emit(verb, done, lambda: _shared_lines(session, done, dry_run=dry_run), dry_run=dry_run)
    if not done.saved.changed:
        session.say("nothing changed")
    for note in done.notes:
        session.say(f"note: {note}")
    say_findings(session, done.saved.findings)


def _shared_lines(session: CliSession, done: Shared, *, dry_run: bool) -> Iterator[str]:
    for line in saved_lines(session, done.saved, dry_run=dry_run):
        yield line if dry_run else f"{line}  {done.scope}"


def _decision_lines(decision: Decision) -> Iterator[str]:
    rule = f" (rule {decision.rule})" if decision.rule else ""
    yield f"{'allow' if decision.allowed else 'deny'}: {decision.code}{rule}"
    if decision.who:
        yield f"  who: {', '.join(decision.who)}"
    if decision.missing:
        yield f"  missing: {', '.join(decision.missing)}"
    if decision.fix:
        yield f"  fix: {decision.fix}"


def _plan_lines(session: CliSession, plan: AccessPlan) -> Iterator[str]:
    for step in plan.steps:
        where = f"  {session.paint.path(step.path)}" if step.path else ""
        yield f"{step.state}: {step.text}{where}"
        if step.state != "done":
            yield f"  {step.command}"


def _sighted_lines(session: CliSession, one: Sighted) -> Iterator[str]:
    from memstore.access.sight import in_words
    from memstore.cli.output import safe_line

    ref = f"{session.paint('ref', one.ref)}  " if one.ref else ""
    yield f"{session.paint.path(one.path)}: {ref}{safe_line(one.title)}  {one.scope}"
    if one.seen_by:
        yield f"  seen by {in_words(one.seen_by, but=one.but)}"


def _report_lines(session: CliSession, found: Mapping[str, tuple[Sighted, ...]]) -> Iterator[str]:
    from memstore.access.sight import called
    from memstore.cli.output import safe_line

    for entity, seen in found.items():
        always = [one for one in seen if any(seer == (entity, None) for seer in one.seen_by)]
        inside = len(seen) - len(always)
        more = f"  {inside} more in contexts" if inside else ""
        yield f"{session.paint('ref', called(entity))}  {len(always)}{more}"
        for one in seen:
            contexts = ", ".join(seer.context for seer in one.seen_by if seer.entity == entity and seer.context)
            where = f"  in {contexts}" if contexts else ""
            yield f"  {session.paint.path(one.path)}: {one.ref or ''}  {safe_line(one.title)}{where}"


def _change_lines(session: CliSession, change: SightChange) -> Iterator[str]:
    from memstore.access.sight import in_words

    yield f"{session.paint.path(change.path)}: {session.paint('ref', change.ref)}"
    if change.gained:
        yield session.paint("added", f"  + {in_words(change.gained)}")
    if change.lost:
        yield session.paint("removed", f"  - {in_words(change.lost)}")
    if change.but:
        yield f"  not seen by {in_words(change.but)}"
    if change.still:
        yield f"  still seen by {in_words(change.still)}"
