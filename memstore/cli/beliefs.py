"""`memstore reinforce`, `contradict`, `recompute`, `propagate`, `revise-from`, `calibrate`: confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import REF, F, WholeNumber, command, named_argument, ref_argument, several, together
from memstore.cli.written import (
    commit_option,
    diff_lines,
    emit_saved,
    lines_of_all,
    saved_lines,
    saving_options,
    say_findings,
)
from memstore.core.errors import Exit, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.beliefs.calibration import Calibration
    from memstore.beliefs.propagation import Propagated
    from memstore.beliefs.recompute import Rebuilt, Recomputed
    from memstore.beliefs.reinforce import Reinforced
    from memstore.beliefs.revise import Proposal
    from memstore.cli.session import CliSession
    from memstore.core.change import Saved


def _evidence_options(*, partial: bool) -> Callable[[F], F]:
    """Add the options of both commands about evidence; `--partial` is shown only for the one that it belongs to."""
    half = "It does so only in part: it counts half for and half against."
    return together(
        several("--evidence", type=REF, metavar="REF…", required=True, help="The memories that say so."),
        click.option("--partial", is_flag=True, hidden=not partial, help=half),
        click.option("--reason", metavar="TEXT", help="Why, for the history."),
        saving_options(),
    )


@command(
    "reinforce",
    examples=(
        "memstore reinforce m_7f3 --evidence episode:m_abc",
        'memstore reinforce m_7f3 --evidence m_abc m_def --reason "Both say the same" -c',
        "memstore reinforce m_7f3 --evidence m_abc --partial      # it says half of it, and denies half",
    ),
)
@named_argument()
@_evidence_options(partial=True)
def reinforce(session: CliSession, /, ref: str, *, dry_run: bool, **told: Any) -> None:
    """Record evidence for a memory; its confidence is computed from all the evidence recorded.

    Each independent source counts once, weighted by how reliable it is. Recording the same evidence again changes
    nothing.
    """
    from memstore.beliefs.reinforce import reinforce as record

    _emit(session, "reinforce", record(session.view(), ref, dry_run=dry_run, **told), dry_run=dry_run)


@command("contradict", examples=('memstore contradict m_7f3 --evidence m_abc --reason "It was not so today"',))
@named_argument()
@_evidence_options(partial=False)
def contradict(session: CliSession, /, ref: str, *, dry_run: bool, **told: Any) -> None:
    """Record evidence against a memory; the opposite of `memstore reinforce`."""
    from memstore.beliefs.reinforce import contradict as record

    if told["partial"]:
        session.say("memstore: contradict --partial is now memstore reinforce --partial")
    _emit(session, "contradict", record(session.view(), ref, dry_run=dry_run, **told), dry_run=dry_run)


def _emit(session: CliSession, verb: str, done: Reinforced, *, dry_run: bool) -> None:
    session.emit(verb, done, lambda: _lines(session, done, dry_run=dry_run), dry_run=dry_run)
    for source in done.counted_before:
        session.say(f"{source} has already been counted")
    if not done.saved.changed:
        session.say("nothing changed")
    elif done.new == done.old:
        session.say("the confidence stays: this adds nothing to what has already been counted")
    say_findings(session, done.saved.findings)


def _lines(session: CliSession, done: Reinforced, *, dry_run: bool) -> Iterator[str]:
    from memstore.history.changes import number

    if dry_run:
        yield from diff_lines(session, done.saved.diff)
        return
    step = f"{number(done.old)} → {number(done.new)}" if done.new != done.old else number(done.new)
    yield from (f"{line}  {step}" for line in saved_lines(session, done.saved, dry_run=False))


# -- recompute -----------------------------------------------------------------------------------


def _diffs(saved: Sequence[Saved], *, dry_run: bool) -> dict[str, str]:
    return {one.path: one.diff for one in saved} if dry_run else {}


_from_episodes = click.option(
    "--from-episodes", is_flag=True, help="Weigh all evidence again as it is now; only show what would differ."
)


@command(
    "recompute",
    examples=(
        "memstore beliefs recompute --check",
        "memstore beliefs recompute m_7f3 --dry-run",
        "memstore beliefs recompute --fold m_7f3 -c",
        "memstore beliefs recompute --from-episodes         # what would differ, weighed again",
    ),
)
@ref_argument("refs", metavar="[REF]…", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a number differs.")
@click.option("--fold", is_flag=True, help="Replace a memory's history with one line; git keeps the others.")
@_from_episodes
@saving_options()
def recompute(
    session: CliSession,
    refs: tuple[str, ...],
    *,
    only_check: bool,
    fold: bool,
    from_episodes: bool,
    commit: bool,
    dry_run: bool,
) -> None:
    """Recompute each confidence from its history and store it, or prove that the stored one matches.

    A number that was changed by hand since the last commit is kept, and its history gets a line that says so. With
    --from-episodes each piece of evidence is looked at again: how it is known, which session it is from, whether it
    still exists.
    """
    if from_episodes:
        if refs or fold or commit:
            raise UsageError(
                "--from-episodes looks at all memories, and writes nothing",
                hint="memstore beliefs recompute --from-episodes",
            )
        _weigh_anew(session, only_check=only_check)
    elif fold:
        _fold(session, refs, only_check=only_check, commit=commit, dry_run=dry_run)
    else:
        replay_all(session, refs, only_check=only_check, commit=commit, dry_run=dry_run)


def replay_all(session: CliSession, refs: tuple[str, ...], *, only_check: bool, commit: bool, dry_run: bool) -> None:
    """Replay these histories, or all, and report which confidences differ."""
    from memstore.beliefs.recompute import recompute as replay

    if only_check and (dry_run or commit):
        raise UsageError("--check writes nothing", hint="leave out --commit and --dry-run")
    done = replay(session.view(), refs, check=only_check, dry_run=dry_run, commit=commit)
    session.emit(
        "recompute",
        done,
        lambda: _recomputed_lines(session, done, dry_run=dry_run),
        each="memories",
        diffs=_diffs(done.saved, dry_run=dry_run),
    )
    differ = "differ from" if only_check or dry_run else "differed from"
    session.say(f"{len(done.unequal)} of {done.ledgers} {differ} what their histories amount to")
    if not refs:
        session.say_unreadable()
    if only_check and done.unequal:
        session.exit(Exit.FOUND_ERRORS)


def _fold(session: CliSession, refs: tuple[str, ...], *, only_check: bool, commit: bool, dry_run: bool) -> None:
    from memstore.beliefs.recompute import fold

    if only_check or len(refs) != 1:
        raise UsageError(
            "--fold takes exactly one memory, and no --check", hint="memstore beliefs recompute --fold REF --dry-run"
        )
    saved = fold(session.view(), refs[0], commit=commit, dry_run=dry_run)
    emit_saved(session, "recompute-fold", saved, dry_run=dry_run, unchanged="nothing to fold: the history is short")


def _recomputed_lines(session: CliSession, done: Recomputed, *, dry_run: bool) -> Iterator[str]:
    from memstore.history.changes import number

    if dry_run:
        yield from lines_of_all(session, done.saved, dry_run=True)
        return
    for one in done.unequal:
        place = session.paint.place(one.path, one.line)
        stands = " (changed by hand, so it is kept)" if one.by_hand else ""
        yield f"{place}: {one.ref or ''} {number(one.stored)}, replayed {number(one.replayed)}{stands}"


# -- propagate -------------------------------------------------------------------------------------


@command(
    "propagate",
    examples=(
        "memstore beliefs propagate                  # what would change, and why",
        "memstore beliefs propagate m_7f3            # because of this one alone",
        "memstore beliefs propagate m_7f3 --apply -c",
    ),
)
@ref_argument("ref", metavar="[REF]", required=False)
@click.option("--depth", type=WholeNumber(min=1), metavar="N", help="Follow at most this many links from REF.")
@click.option("--apply", is_flag=True, help="Write the changes; without it, only show the plan.")
@saving_options()
def propagate(
    session: CliSession, ref: str | None, *, depth: int | None, apply: bool, commit: bool, dry_run: bool
) -> None:
    """Carry changes of confidence on to everything that rests on them, over any number of links.

    Evidence counts less, in proportion, if the confidence of its source has fallen since it was used. A confidence that
    was merely stated is capped by that of the memories it was derived from. Nothing is written without --apply; if a
    source recovers, so does what rests on it.
    """
    from memstore.beliefs.propagation import propagate as carry_on

    done = carry_on(session.view(), ref, depth=depth, apply=apply, commit=commit, dry_run=dry_run)
    session.emit(
        "propagate",
        done,
        lambda: _propagated_lines(session, done, dry_run=dry_run),
        each="steps",
        applied=apply and not dry_run,
        diffs=_diffs(done.saved, dry_run=dry_run),
    )
    for circle in done.plan.cycles:
        session.say(f"in a circle, so that none supports another: {', '.join(circle)}")
    for saved in done.saved:
        say_findings(session, saved.findings)
    if not done.plan.steps:
        session.say("nothing would change")
    elif not apply and not dry_run:
        session.say(f"{len(done.plan.steps)} would change; --apply writes it")


def _propagated_lines(session: CliSession, done: Propagated, *, dry_run: bool) -> Iterator[str]:
    from memstore.history.changes import number

    if dry_run:
        yield from lines_of_all(session, done.saved, dry_run=True)
        return
    for step in done.plan.steps:
        place = f"{session.paint.place(done.paths[step.ref], 1)}:"
        because = f"because of {', '.join(step.because)}" if step.because else "nothing caps it any longer"
        yield f"{place} {session.paint('ref', step.ref)}  {number(step.old)} → {number(step.new)}  {because}"


# -- revise-from ---------------------------------------------------------------------------------


@command(
    "revise-from",
    examples=("memstore beliefs revise-from m_abc", "memstore beliefs revise-from m_abc --apply    # asks before each"),
)
@ref_argument("episode", metavar="EPISODE")
@click.option("--apply", is_flag=True, help="Ask about each, and record those you accept.")
@commit_option()
def revise_from(session: CliSession, episode: str, *, apply: bool, commit: bool) -> None:
    """Find the beliefs that an episode supports or contradicts, each with the command that records it.

    Sentences are compared word by word, without a network; what they do not settle is not proposed. One case speaks for
    a habit or weakens it: "jammed again today", "jams often".
    """
    from memstore.beliefs.revise import record
    from memstore.beliefs.revise import revise_from as find

    view = session.view()
    found = find(view, episode)
    applied = []
    for one in found if apply else ():
        if session.confirm(f"{_what_it_does(one)} {one.ref} ({one.title})", instead=one.command):
            record(view, one, commit=commit)
            applied.append(one.ref)
    session.emit(
        "revise-from",
        found,
        lambda: (line for one in found for line in _proposal_lines(session, one, done=one.ref in applied)),
        each="proposals",
        applied=applied,
    )
    if not found:
        session.say("it says nothing in so many words for or against a belief that does not count it yet")


def _proposal_lines(session: CliSession, one: Proposal, *, done: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.history.changes import number

    place = f"{session.paint.place(one.path, one.line)}:"
    step = f"{number(one.old)} → {number(one.new)}"
    yield f"{place} {session.paint('ref', one.ref)}  {safe_line(one.title)}  {_what_it_does(one)}: {step}"
    if one.why:
        yield f"  one case of a habit: {one.why}"
    yield "  recorded" if done else f"  {one.command}"


def _what_it_does(one: Proposal) -> str:
    """Return what a proposal does to its belief; partial evidence is proposed only against a habit."""
    return "weaken" if one.stance.value == "partial" else one.stance.value


# -- calibrate, and confidences computed anew ----------------------------------------------------


@command("calibrate", examples=("memstore beliefs calibrate", "memstore beliefs calibrate --json"))
def calibrate(session: CliSession) -> None:
    """Score how well each confidence predicted the independent evidence that came next.

    The Brier score is the mean squared error: 0 is perfect, 0.25 is what guessing gets. Below it stands how many
    suggestions of consolidate were accepted, by what they suggest, the rule that found them and from how many
    independent roots; then thresholds for new beliefs that follow from that. They apply only once you set them.
    """
    from memstore.beliefs.calibration import FEWEST_DECIDED
    from memstore.beliefs.calibration import calibrate as score

    found = score(session.view())
    session.emit("calibrate", found, lambda: _calibration_lines(found))
    if not found.predictions:
        session.say("no history has any evidence yet")
    if not found.suggestions:
        session.say("no suggestion was decided on yet")
    elif found.decided < FEWEST_DECIDED:
        session.say(
            f"{found.decided} new beliefs decided on; from {FEWEST_DECIDED} on, thresholds of your own are proposed"
        )
    elif not found.thresholds:
        session.say("no threshold would have left out what you rejected")


def _calibration_lines(found: Calibration) -> Iterator[str]:
    if found.brier is not None:
        yield f"Brier score {found.brier:.4f} over {found.predictions} predictions"
        yield "confidence  predictions  expected  observed"
    for one in found.bins:
        yield f"{one.low:.1f} to {one.high:.1f}  {one.predictions:>11}  {one.expected:>8.2f}  {one.observed:>8.2f}"
    if found.suggestions:
        yield "suggestion  rule     roots  accepted  rejected"
    for each in found.suggestions:
        yield f"{each.action:<10}  {each.rule or '-':<7}  {each.roots:>5}  {each.accepted:>8}  {each.rejected:>8}"
    for least in found.thresholds:
        were = "was" if least.accepted_below == 1 else "were"
        yield f"memstore config {least.setting} {least.value:g}"
        yield f"  of {least.below} new beliefs below it {least.accepted_below} {were} accepted"
        yield f"  of {least.reaching} others {least.accepted_reaching}"


def _weigh_anew(session: CliSession, *, only_check: bool) -> None:
    from memstore.beliefs.recompute import rebuild_from_episodes

    done = rebuild_from_episodes(session.view())
    session.emit("rebuild", done, lambda: _rebuilt_lines(session, done), each="memories")
    session.say(f"{len(done.differing)} of {done.ledgers} would differ; nothing was written")
    if only_check and done.differing:
        session.exit(Exit.FOUND_ERRORS)


def _rebuilt_lines(session: CliSession, done: Rebuilt) -> Iterator[str]:
    from memstore.history.changes import number

    for one in done.differing:
        place = f"{session.paint.place(one.path, one.line)}:"
        because = f"  because of {', '.join(one.because)}" if one.because else ""
        yield f"{place} {one.ref or ''} {number(one.stored)}, rebuilt {number(one.rebuilt)}{because}"
