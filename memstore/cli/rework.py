"""`memstore raw promote`, `supersede`, `conflicts split`, `conflicts merge`, `archive`: memories from memories."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.add import given_text, utf8
from memstore.cli.key_options import USUAL, account_options, given_account, given_values, key_options
from memstore.cli.options import REF, command, ref_argument, several
from memstore.cli.written import (
    emit_linked,
    keep_secret_option,
    saved_lines,
    saving_options,
    say_findings,
    say_what_stays_out,
)
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.beliefs.quarantine import Quarantined
    from memstore.cli.session import CliSession
    from memstore.core.change import Saved


_KINDS = tuple(name for name in MEMORY_TYPES if name != "raw")
# Set by `--to`, or taken over.
_TYPE = frozenset({"type"})


@command(
    "promote",
    usual=USUAL,
    examples=(
        "memstore raw promote m_7f3 --to note",
        'memstore raw promote m_7f3 --to episode --objective "First collab" --outcome merged --lesson "ask early"',
        'memstore raw promote m_7f3 "Claire tires in the evening" --to belief --confidence 0.6 -c',
    ),
)
@ref_argument("raw", metavar="RAW")
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("--to", "kind", metavar="TYPE", type=click.Choice(_KINDS), help=f"What it becomes: {', '.join(_KINDS)}.")
@account_options()
@key_options(without=_TYPE)
@keep_secret_option()
@saving_options()
def promote(
    session: CliSession, /, raw: str, text: str | None, *, kind: str | None, commit: bool, dry_run: bool, **keys: Any
) -> None:
    """Turn a raw memory into another type of memory; both then name each other.

    The new memory says what the raw one says, unless there is a TEXT, and takes over how that is known, whom it is
    about and who may see it. A raw memory can be promoted only once.
    """
    from memstore.memories.promote import promote as make

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
    if kind is None:  # so it was a suggestion
        session.say("memstore: raw promote SUGGESTION is now memstore beliefs suggestions accept SUGGESTION")


@command(
    "supersede",
    usual=USUAL,
    examples=(
        'memstore supersede m_7f3 "Bella eats at nine"',
        'memstore supersede m_7f3 "Bella eats at nine" --reason "the vet asked for it" --since 2026-02-01 -c',
    ),
)
@ref_argument()
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("-F", "--file", "file", metavar="FILE", type=click.Path(), help="Take the text from a file.")
@click.option("--reason", metavar="TEXT", help="Why, for the history.")
@click.option("--since", metavar="DATE", help="When the world changed: the old one was true until then.")
@key_options(without=_TYPE)
@keep_secret_option()
@saving_options()
def supersede(
    session: CliSession,
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
    """Write a memory that replaces another; both then name each other.

    The old one keeps its text and its confidence, and is found with --status superseded. The new one has the same type,
    and rests on what the old one rested on.
    """
    from memstore.memories.promote import supersede as replace

    given = given_text(session, text, file)
    if given is None:
        raise UsageError("there is no new text", hint='memstore supersede REF "what holds instead"')
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


# -- split, merge, archive -------------------------------------------------------------------------


@command(
    "split",
    examples=(
        'memstore conflicts split m_7f3 "Stairs make Bella limp" "Cold makes Bella limp" --first m_abc --second m_def',
    ),
)
@ref_argument()
@click.argument("texts", metavar="TEXT TEXT", nargs=2)
@several("--first", type=REF, metavar="REF…", help="The evidence that goes to the first of the two.")
@several("--second", type=REF, metavar="REF…", help="The evidence that goes to the second.")
@click.option("--reason", metavar="TEXT", help="Why; kept in what is superseded.")
@keep_secret_option()
@saving_options()
def split(session: CliSession, /, ref: str, texts: tuple[str, str], *, dry_run: bool, **settings: Any) -> None:
    """Split a memory that says two things into two, which replace it.

    Each starts from the confidence that the old one stated, and each piece of evidence goes to one of the two. What
    supported the old one only in part counts half for each, unless you give it to one.
    """
    from memstore.memories.split import split as divide

    emit_linked(session, "split", divide(session.view(), ref, texts, dry_run=dry_run, **settings), dry_run=dry_run)


@command(
    "merge",
    examples=("memstore conflicts merge m_7f3 m_abc --dry-run", "memstore conflicts merge m_7f3 m_abc m_def -c"),
)
@ref_argument("refs", metavar="KEPT OTHER…", nargs=-1, required=True)
@click.option("--reason", metavar="TEXT", help="Why; kept in what is superseded.")
@keep_secret_option()
@saving_options()
def merge(session: CliSession, refs: tuple[str, ...], *, reason: str | None, dry_run: bool, commit: bool) -> None:
    """Merge several memories that say the same into the first one, which replaces the others.

    It keeps its text and gets their evidence, sources and titles. The same evidence counts once.
    """
    from memstore.memories.split import merge as unite

    done = unite(session.view(), refs, reason=reason, dry_run=dry_run, commit=commit)
    emit_linked(session, "merge", done, dry_run=dry_run)


@command(
    "archive",
    examples=(
        "memstore archive m_7f3",
        'memstore archive m_7f3 m_abc -c --reason "refuted long ago"',
        "memstore archive --restore m_7f3",
    ),
)
@ref_argument("refs", metavar="REF…", nargs=-1, required=True)
@click.option("--restore", is_flag=True, help="Bring archived memories back instead, byte for byte as they were.")
@click.option("--reason", metavar="TEXT", help="Why; kept in the memories, or with --restore in the commit message.")
@saving_options()
def archive(
    session: CliSession, refs: tuple[str, ...], *, restore: bool, reason: str | None, dry_run: bool, commit: bool
) -> None:
    """Put memories out of sight; nothing is deleted, and memstore list --status archived still lists them."""
    if not restore:
        put_out_of_sight(session, refs, reason=reason, commit=commit, dry_run=dry_run)
        return
    from memstore.beliefs.archive import restore as bring_back

    saved = bring_back(session.view(), refs, reason=reason, dry_run=dry_run, commit=commit)
    _emit(session, "restore", saved, dry_run=dry_run, already="not archived")


def put_out_of_sight(
    session: CliSession, refs: tuple[str, ...], *, reason: str | None, commit: bool, dry_run: bool
) -> None:
    """Archive memories and report that, for `archive` and `forget --archive`."""
    from memstore.beliefs.archive import archive as put_away

    saved = put_away(session.view(), refs, reason=reason, dry_run=dry_run, commit=commit)
    _emit(session, "archive", saved, dry_run=dry_run, already="already archived")


@command(
    "quarantine",
    examples=(
        "memstore trust quarantine m_7f3 --dry-run                  # what it would take, and each number that changes",
        "memstore trust quarantine https://example.org --reason 'it told agents what to do' -c",
        "memstore trust quarantine web:example.org                  # all that this entity wrote or told",
        "memstore trust quarantine imports/chatgpt                  # all that came with these imports",
        "memstore trust quarantine m_7f3 --lift",
    ),
)
@click.argument("name", metavar="REF|ENTITY|SOURCE|IMPORT")
@click.option("--lift", is_flag=True, help="Bring back what was quarantined under this name.")
@click.option("--reason", metavar="TEXT", help="Why; kept in the memories.")
@saving_options()
def quarantine(session: CliSession, name: str, *, lift: bool, reason: str | None, dry_run: bool, commit: bool) -> None:
    """Take memories, and all that was derived from them, out of recall and confidence; their files stay.

    It first shows what is taken, and each confidence that changes. memstore undo takes it back; memstore list --status
    quarantined lists what is taken. Only the owner of memories quarantines them.
    """
    from memstore.beliefs import quarantine as ward

    if lift and reason:
        raise UsageError("--lift takes no reason", hint=f"memstore trust quarantine {name} --lift")
    act = ward.lift if lift else partial(ward.quarantine, reason=reason)
    done = act(session.view(), name, dry_run=True)
    lines = [*_quarantined_lines(session, done)]
    if not dry_run:
        if not session.as_json:  # the plan stands there before anything is written
            session.write(lines)
            lines = []
        done = act(session.view(), name, commit=commit)
    session.emit("quarantine", done, lambda: lines, lifted=lift, dry_run=dry_run)
    _say_quarantined(session, done, lifted=lift, dry_run=dry_run)


def _quarantined_lines(session: CliSession, done: Quarantined) -> Iterator[str]:
    """Yield the memories that are taken or brought back, and the confidences that change because of it."""
    from memstore.cli.output import safe_line
    from memstore.history.changes import number

    paint = session.paint
    for one in done.taken:
        because = "" if one.source is None else paint("dim", f"  derived from {one.source}")
        title = paint("title", safe_line(one.title))
        yield f"{paint.path(one.path)}: {paint('ref', one.ref)} {title}{because}"
    for step in done.moved:
        yield f"{paint.path(step.path)}: {paint('ref', step.ref)}  {number(step.old)} → {number(step.new)}"


def _say_quarantined(session: CliSession, done: Quarantined, *, lifted: bool, dry_run: bool) -> None:
    from memstore.cli.output import safe_line
    from memstore.core.quotation import quoted

    what = "1 memory" if len(done.taken) == 1 else f"{len(done.taken)} memories"
    numbers = "1 confidence changes" if len(done.moved) == 1 else f"{len(done.moved)} confidences change"
    if not done.taken:
        session.say("nothing changed: all of it " + ("stays quarantined" if lifted else "is quarantined already"))
    elif dry_run:
        session.say(f"{what} would be {'brought back' if lifted else 'quarantined'}; {numbers}")
    else:
        session.say(f"{what} {'brought back' if lifted else 'quarantined'}; {numbers}; memstore undo takes this back")
    for ref in done.stays:
        session.say(f"{ref} stays: what it was derived from is still quarantined")
    for ref in done.not_owned:
        session.say(f"{safe_line(ref)} stays: somebody else owns it, or it has no id")
    for near in done.near:
        session.say(f"spelt nearly like it: {quoted(near.name)}, of {near.memories} more")


def _emit(session: CliSession, verb: str, saved: tuple[Saved, ...], *, dry_run: bool, already: str) -> None:
    changed = [one for one in saved if one.changed]
    session.emit(
        verb,
        changed,
        lambda: (line for one in changed for line in saved_lines(session, one, dry_run=dry_run)),
        each="memories",
        dry_run=dry_run,
    )
    for one in saved:
        if not one.changed:
            session.say(f"{one.ref or session.from_here(one.path)} is {already}")
        say_what_stays_out(session, one)
        say_findings(session, one.findings)
