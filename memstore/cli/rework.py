"""`memstore promote` and `memstore supersede`: memories made of memories, linked on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.add import given_text, utf8
from memstore.cli.key_options import account_options, given_account, given_values, key_options
from memstore.cli.options import command, ref_argument
from memstore.cli.written import commit_option, dry_run_option, emit_linked
from memstore.errors import UsageError
from memstore.model.ids import MEMORY_TYPES

if TYPE_CHECKING:
    from memstore.cli.session import Session

_KINDS = tuple(name for name in MEMORY_TYPES if name != "raw")
# Given by `--to`, or taken over.
_TYPE = frozenset({"type"})


@command(
    "promote",
    examples=(
        "memstore promote m_7f3 --to note",
        'memstore promote m_7f3 --to episode --objective "First collab" --outcome merged --lesson "ask early"',
        'memstore promote m_7f3 "Claire tires in the evening" --to belief --confidence 0.6 -c',
        "memstore promote m_7f3                        # a suggestion, as what it suggests",
    ),
)
@ref_argument("raw", metavar="RAW")
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("--to", "kind", metavar="TYPE", type=click.Choice(_KINDS), help=f"What it becomes: {', '.join(_KINDS)}.")
@account_options()
@key_options(without=_TYPE)
@commit_option()
@dry_run_option()
def promote(
    session: Session, /, raw: str, text: str | None, *, kind: str | None, commit: bool, dry_run: bool, **keys: Any
) -> None:
    """Make a memory of a raw memory or of a suggestion; both then name each other.

    It says what the raw memory says, unless there is a TEXT, and takes over how that is known, whom it is about and
    who may see it. A raw memory is promoted once.
    """
    from memstore.flows.promote import promote as make

    account = given_account(keys)
    given = given_text(session, text, None)
    linked = make(
        session.view(),
        raw,
        kind,
        given_values(keys),
        text=None if given is None else utf8(given),
        account=account,
        commit=commit,
        dry_run=dry_run,
    )
    emit_linked(session, "promote", linked, dry_run=dry_run)


@command(
    "supersede",
    examples=(
        'memstore supersede m_7f3 "Bella eats at nine"',
        'memstore supersede m_7f3 "Bella eats at nine" --reason "the vet asked for it" --since 2026-02-01 -c',
    ),
)
@ref_argument()
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("-F", "--file", "file", metavar="FILE", type=click.Path(), help="Take the text from a file.")
@click.option("--reason", metavar="TEXT", help="Why, for the history.")
@click.option("--since", metavar="DATE", help="The world changed then: until when the old one was true.")
@key_options(without=_TYPE)
@commit_option()
@dry_run_option()
def supersede(
    session: Session,
    /,
    ref: str,
    text: str | None,
    file: str | None,
    *,
    reason: str | None,
    since: str | None,
    commit: bool,
    dry_run: bool,
    **keys: Any,
) -> None:
    """Write a memory that takes the place of another; both then name each other.

    The old one keeps its text and its confidence, and is found with --status superseded. The new one is of the same
    type and rests on what the old one rested on.
    """
    from memstore.flows.supersede import supersede as replace

    given = given_text(session, text, file)
    if given is None:
        raise UsageError("there is no text to supersede it with", hint='memstore supersede REF "what holds instead"')
    linked = replace(
        session.view(),
        ref,
        utf8(given),
        given_values(keys),
        reason=reason,
        since=since,
        commit=commit,
        dry_run=dry_run,
    )
    emit_linked(session, "supersede", linked, dry_run=dry_run)
