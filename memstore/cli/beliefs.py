"""`memstore reinforce`, `contradict`, `recompute`: how sure one is, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from memstore.cli.options import REF, command, ref_argument, several
from memstore.cli.written import (
    commit_option,
    diff_lines,
    dry_run_option,
    emit_saved,
    saved_document,
    saved_lines,
    say_findings,
)
from memstore.errors import Exit, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.cli.session import Session
    from memstore.flows.recompute import Recomputed, Unequal
    from memstore.flows.reinforce import Reinforced

F = TypeVar("F", bound="Callable[..., Any] | click.Command")


def _evidence_options(function: F) -> F:
    """Add what both commands about evidence take."""
    reason = click.option("--reason", metavar="TEXT", help="Why it does, for the history.")
    partial = click.option("--partial", is_flag=True, help="Only in part: it counts half for and half against.")
    evidence = several("--evidence", type=REF, metavar="REF…", required=True, help="The memories that say so.")
    return evidence(partial(reason(commit_option()(dry_run_option()(function)))))


@command(
    "reinforce",
    examples=(
        "memstore reinforce m_7f3 --evidence episode:m_abc",
        'memstore reinforce m_7f3 --evidence m_abc m_def --reason "Both say the same" -c',
    ),
)
@ref_argument()
@_evidence_options
def reinforce(session: Session, /, ref: str, *, dry_run: bool, **told: Any) -> None:
    """Record what speaks for a memory; how sure you are follows from all that was recorded.

    Each independent source counts once, as much as it is reliable. The same evidence again changes nothing.
    """
    from memstore.flows.reinforce import reinforce as record

    _emit(session, "reinforce", record(session.view(), ref, dry_run=dry_run, **told), dry_run=dry_run)


@command("contradict", examples=('memstore contradict m_7f3 --evidence m_abc --reason "It was not so today"',))
@ref_argument()
@_evidence_options
def contradict(session: Session, /, ref: str, *, dry_run: bool, **told: Any) -> None:
    """Record what speaks against a memory; the other side of `memstore reinforce`."""
    from memstore.flows.reinforce import contradict as record

    _emit(session, "contradict", record(session.view(), ref, dry_run=dry_run, **told), dry_run=dry_run)


def _emit(session: Session, verb: str, done: Reinforced, *, dry_run: bool) -> None:
    session.emit(
        verb,
        document=lambda: {
            **saved_document(done.saved, dry_run=dry_run),
            "old": done.old,
            "new": done.new,
            "counted_before": list(done.counted_before),
        },
        lines=lambda: _lines(session, done, dry_run=dry_run),
    )
    for source in done.counted_before:
        session.say(f"{source} was counted before")
    if not done.saved.changed:
        session.say("nothing changed")
    elif done.new == done.old:
        session.say("the number stays: this adds nothing to what was counted before")
    say_findings(session, done.saved.findings)


def _lines(session: Session, done: Reinforced, *, dry_run: bool) -> Iterator[str]:
    from memstore.rules.differences import number

    if dry_run:
        yield from diff_lines(session, done.saved.diff)
        return
    step = f"{number(done.old)} → {number(done.new)}" if done.new != done.old else number(done.new)
    yield from (f"{line}  {step}" for line in saved_lines(session, done.saved, dry_run=False))


# -- recompute -----------------------------------------------------------------------------------


@command(
    "recompute",
    examples=("memstore recompute --check", "memstore recompute m_7f3 --dry-run", "memstore recompute --fold m_7f3 -c"),
)
@ref_argument("refs", metavar="[REF]…", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 where a number is another.")
@click.option("--fold", is_flag=True, help="Put one line in the place of a memory's history; git keeps the others.")
@commit_option()
@dry_run_option()
def recompute(
    session: Session, refs: tuple[str, ...], *, only_check: bool, fold: bool, commit: bool, dry_run: bool
) -> None:
    """Store the confidence that follows from each history, or prove that it is what is stored.

    A number that was changed by hand since the last commit is kept: its history gets a line that says so.
    """
    if fold:
        _fold(session, refs, only_check=only_check, commit=commit, dry_run=dry_run)
    else:
        replay_all(session, refs, only_check=only_check, commit=commit, dry_run=dry_run)


def replay_all(session: Session, refs: tuple[str, ...], *, only_check: bool, commit: bool, dry_run: bool) -> None:
    """Replay these histories, or all, and tell which numbers differ."""
    from memstore.flows.recompute import check_confidences
    from memstore.flows.recompute import recompute as replay

    if only_check and (dry_run or commit):
        raise UsageError("--check writes nothing", hint="leave out --commit and --dry-run")
    view = session.view()
    done = check_confidences(view, refs) if only_check else replay(view, refs, dry_run=dry_run, commit=commit)
    session.emit(
        "recompute",
        document=lambda: _recomputed_document(done, dry_run=dry_run),
        lines=lambda: _recomputed_lines(session, done, dry_run=dry_run),
        each="memories",
    )
    differ = "differ from" if only_check or dry_run else "differed from"
    session.say(f"{len(done.unequal)} of {done.ledgers} {differ} what their histories amount to")
    if not refs:
        session.say_unreadable()
    if only_check and done.unequal:
        session.exit(Exit.FOUND_ERRORS)


def _fold(session: Session, refs: tuple[str, ...], *, only_check: bool, commit: bool, dry_run: bool) -> None:
    from memstore.flows.recompute import fold

    if only_check or len(refs) != 1:
        raise UsageError("--fold takes one memory, and writes", hint="memstore recompute --fold REF --dry-run")
    saved = fold(session.view(), refs[0], commit=commit, dry_run=dry_run)
    emit_saved(session, "recompute-fold", saved, dry_run=dry_run, unchanged="nothing to fold: the history is short")


def _recomputed_document(done: Recomputed, *, dry_run: bool) -> dict[str, Any]:
    diffs = {saved.path: saved.diff for saved in done.saved} if dry_run else {}
    return {
        "memories": [_unequal_document(one, diffs.get(one.path)) for one in done.unequal],
        "total": done.ledgers,
        "conflicts": [],
        "findings": [],
    }


def _unequal_document(one: Unequal, diff: str | None) -> dict[str, Any]:
    document = {
        "ref": one.ref, "path": one.path, "line": one.line,
        "stored": one.stored, "replayed": one.replayed, "by_hand": one.by_hand,
    }  # fmt: skip
    return document if diff is None else {**document, "diff": diff}


def _recomputed_lines(session: Session, done: Recomputed, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.rules.differences import number

    if dry_run:
        for saved in done.saved:
            yield from diff_lines(session, saved.diff)
        return
    for one in done.unequal:
        place = f"{session.paint('path', safe_line(one.path))}:{session.paint('line', str(one.line))}"
        stands = " (changed by hand: it stands)" if one.by_hand else ""
        yield f"{place}: {one.ref or ''} {number(one.stored)}, replayed {number(one.replayed)}{stands}"
