"""`memstore propagate`: what a change of confidence does to all that rests on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command, ref_argument
from memstore.cli.written import commit_option, diff_lines, dry_run_option, say_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.propagate import Propagated
    from memstore.rules.propagation import Step


@command(
    "propagate",
    examples=(
        "memstore propagate                  # what would change, and because of what",
        "memstore propagate m_7f3            # because of this one alone",
        "memstore propagate m_7f3 --apply -c",
    ),
)
@ref_argument("ref", metavar="[REF]", required=False)
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Follow so many links from REF at most.")
@click.option("--apply", is_flag=True, help="Write it; without this, the plan is shown.")
@commit_option()
@dry_run_option()
def propagate(
    session: Session, ref: str | None, *, depth: int | None, apply: bool, commit: bool, dry_run: bool
) -> None:
    """Carry a change of confidence on to all that rests on it, over any number of links.

    Evidence counts as much less as its source is held less surely than when it was used. What a memory was made of caps
    what was merely stated of it. Nothing is written without --apply; a source that recovers restores what hung on it.
    """
    from memstore.flows.propagate import propagate as carry_on

    done = carry_on(session.workspace(), ref, depth=depth, apply=apply, commit=commit, dry_run=dry_run)
    session.emit(
        "propagate",
        document=lambda: _propagated_document(done, applied=apply and not dry_run, dry_run=dry_run),
        lines=lambda: _propagated_lines(session, done, dry_run=dry_run),
        each="steps",
    )
    for circle in done.plan.cycles:
        session.say(f"in a circle, none supports another: {', '.join(circle)}")
    for saved in done.saved:
        say_findings(session, saved.findings)
    if not done.plan.steps:
        session.say("nothing changes")
    elif not apply and not dry_run:
        session.say(f"{len(done.plan.steps)} would change; --apply writes it")


def _propagated_document(done: Propagated, *, applied: bool, dry_run: bool) -> dict[str, Any]:
    diffs = {saved.path: saved.diff for saved in done.saved} if dry_run else {}
    return {
        "applied": applied,
        "steps": [_step_document(step, done.paths[step.ref], diffs) for step in done.plan.steps],
        "cycles": [list(circle) for circle in done.plan.cycles],
        "commit": next((saved.commit for saved in done.saved), None),
    }


def _step_document(step: Step, path: str, diffs: dict[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ref": step.ref, "path": path, "old": step.old, "new": step.new,
        "because": list(step.because), "depth": step.depth,
    }  # fmt: skip
    return {**document, "diff": diffs[path]} if path in diffs else document


def _propagated_lines(session: Session, done: Propagated, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.rules.differences import number

    if dry_run:
        for saved in done.saved:
            yield from diff_lines(session, saved.diff)
        return
    for step in done.plan.steps:
        place = f"{session.paint('path', safe_line(done.paths[step.ref]))}:{session.paint('line', '1')}:"
        because = f"because of {', '.join(step.because)}" if step.because else "nothing caps it any longer"
        yield f"{place} {session.paint('ref', step.ref)}  {number(step.old)} → {number(step.new)}  {because}"
