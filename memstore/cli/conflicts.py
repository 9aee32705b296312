"""`memstore conflicts` and `memstore conflicts resolve`: memories that conflict or say the same, and the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.filters import filter_options
from memstore.cli.options import NAME, WholeNumber, command, ref_argument
from memstore.cli.written import diff_lines, lines_of_all, said_line, saving_options, verdict_line
from memstore.core.conflict import VERDICTS
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.conflicts.candidates import Candidate, OwnStatement
    from memstore.conflicts.duplicates import Duplicates
    from memstore.conflicts.judging import Judgement
    from memstore.core.conflict import Conflict, Lines
    from memstore.search.filters import Which


@command(
    "list",
    examples=(
        "memstore conflicts",
        "memstore conflicts m_7f3",
        "memstore conflicts --tag dog --json",
        "memstore conflicts --duplicates            # what says nearly the same",
        "memstore conflicts --candidates m_7f3 m_k2  # what may concern them, for you to judge",
        "memstore conflicts --judge llm:gpt-4o-mini m_7f3   # for that model to judge",
    ),
)
@click.argument("refs", type=NAME, metavar="[REF]...", nargs=-1)
@click.option("--duplicates", is_flag=True, help="Find memories that say nearly the same instead.")
@click.option(
    "--candidates",
    is_flag=True,
    help="List the statements most like those of REF, or of what has changed since the last commit, to be judged.",
)
@click.option(
    "--judge",
    metavar="llm[:MODEL]|nli",
    help="Let a model judge these candidates, and record its verdicts: of the llm package, or your NLI model.",
)
@click.option("-k", "each", type=WholeNumber(min=1), metavar="N", help="At most N candidates of a memory; 3 if unset.")
@click.option("-n", "--limit", type=WholeNumber(min=1), metavar="N", help="Show at most this many.")
@filter_options
def list_(
    session: CliSession,
    refs: Sequence[str],
    given: Which,
    *,
    duplicates: bool,
    candidates: bool,
    judge: str | None,
    each: int | None,
    limit: int | None,
) -> None:
    """List memories that can't both be right, the gravest first; of REF, or of all.

    Each comes with the lines on both sides, the rule that found it, and the command that settles it. Nothing is
    changed; only --judge writes verdicts.
    """
    ref = refs[0] if refs else None
    if candidates or judge:
        if duplicates or limit is not None:
            raise UsageError("candidates go with neither --duplicates nor --limit", hint="-k N says how many")
        _list_candidates(session, refs, given, each, judge)
        return
    if each is not None:
        raise UsageError("-k is for --candidates", hint="memstore conflicts --candidates REF -k 3")
    if len(refs) > 1:
        hint = "name one, or none for all of them; --candidates takes several"
        raise UsageError(f"conflicts are listed of one memory, not of {len(refs)}", hint=hint)
    if duplicates:
        if ref is not None:
            raise UsageError("--duplicates looks at all memories", hint="narrow it with filters, like --tag dog")
        _list_duplicates(session, given, limit)
        return
    from memstore.conflicts.compare import survey

    view = session.view()
    found, not_compared = survey(view, ref, **given)
    session.emit(
        "conflicts",
        found[:limit],
        lambda: _lines(session, found[:limit]),
        each="conflicts",
        left_out=len(found[limit:] if limit else ()),
        not_compared=not_compared,
    )
    _say_left_out(session, found, limit)
    session.say_not_compared(not_compared)
    if not found:
        session.say("no conflicts")
    if ref is None:
        if (plain := len(view.plain)) and not found:
            notes = "1 plain note isn't" if plain == 1 else f"{plain:,} plain notes aren't"
            session.say(f"{notes} compared; memstore adopt makes memories of them")
        session.say_unreadable()


def _say_left_out(session: CliSession, found: Sequence[object], limit: int | None) -> None:
    if limit and len(found) > limit:
        session.say(f"{len(found) - limit:,} more; a higher --limit lists them")


def _lines(session: CliSession, found: Sequence[Conflict]) -> Iterator[str]:
    """Yield conflicts by memory: what it says, and below, what each of the others says and what to do."""
    by_side: dict[tuple[str, Lines], list[Conflict]] = {}
    gravest = {ref: at for at, ref in reversed([*enumerate(one.refs[0] for one in found)])}
    for one in sorted(found, key=lambda one: gravest[one.refs[0]]):
        by_side.setdefault((one.refs[0], one.lines[0]), []).append(one)
    paint = session.paint
    for (ref, lines), conflicts in by_side.items():
        yield f"{paint.place(lines.path, lines.line_start)}: {paint('ref', ref)} {said_line(paint, lines)}"
        for one in conflicts:
            theirs = one.lines[1]
            place = paint.place(theirs.path, theirs.line_start)
            kind = paint("warning", one.conflict_type.value)
            yield f"  {place}: {kind} with {paint('ref', one.refs[1])}: {said_line(paint, theirs)} [{one.rule}]"
            current = f" ({paint('ref', one.current)} is current)" if one.current else ""
            yield f"    {paint('dim', one.suggested_resolution)}{current}: {one.command}"
            yield from (f"    {verdict_line(session, verdict)}" for verdict in one.verdicts)


@command(
    "resolve",
    examples=(
        "memstore conflicts resolve m_7f3 m_abc --keep m_abc         # it supersedes the other",
        'memstore conflicts resolve m_7f3 m_abc --keep both --reason "one in summer, one in winter"',
    ),
)
@ref_argument()
@ref_argument("other")
@click.option("--keep", required=True, metavar="REF|both", help="Which of them holds.")
@click.option(
    "--decision", type=click.Choice(("keep", "supersede", "merge", "both-true")), help="What is decided, if not that."
)
@click.option("--reason", metavar="TEXT", help="Why, for whoever asks later.")
@saving_options()
def resolve(
    session: CliSession,
    ref: str,
    other: str,
    *,
    keep: str,
    decision: str | None,
    reason: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Decide a conflict between two memories, and record it in both, so that it is not raised again."""
    from memstore.conflicts.resolve import resolve_conflict

    view = session.view()
    done = resolve_conflict(
        view, ref, other, keep=keep, decision=decision, reason=reason, dry_run=dry_run, commit=commit
    )
    session.emit("resolve-conflict", done, lambda: lines_of_all(session, done.saved, dry_run=dry_run), dry_run=dry_run)
    if not any(each.changed for each in done.saved):
        session.say(f"{done.decision} was decided already")


@command(
    "judge",
    examples=(
        'memstore conflicts judge m_7f3 m_abc supersedes --reason "measured again"',
        "memstore conflicts judge m_7f3:9 m_abc:12-13 narrows",
        "memstore conflicts judge m_7f3 m_abc m_k2q unrelated        # the same of several",
    ),
)
@ref_argument()
@ref_argument("others", nargs=-1, required=True, metavar="OTHER...")
@click.argument("verdict", type=click.Choice(VERDICTS), metavar="VERDICT")
@click.option("--reason", metavar="TEXT", help="Why, for whoever asks later.")
@saving_options()
def judge(
    session: CliSession,
    ref: str,
    others: Sequence[str],
    verdict: str,
    *,
    reason: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Record what you judge of two statements: REF contradicts, supersedes or narrows OTHER, and so on.

    Add lines to say which statements, like m_7f3:9; else the two that are most alike are meant. VERDICT is
    contradicts; supersedes, if REF is newer; narrows, if another time, place or scope makes both true; same; unrelated;
    or unsure. A verdict changes neither memory, but you are not asked again, until one of the lines changes.
    """
    from memstore.conflicts.judging import judge as record

    done = record(session.view(), ref, others, verdict, reason=reason, dry_run=dry_run, commit=commit)
    _emit_verdicts(session, "judge", done, dry_run=dry_run)
    if not done.written:
        session.say("you judged that before")


@command(
    "withdraw",
    examples=(
        "memstore conflicts withdraw llm:gpt-4o-mini       # all that this model judged",
        "memstore conflicts withdraw si:ash",
        "memstore conflicts withdraw ver_7c8q9twgxk",
    ),
)
@click.argument("judge")
@saving_options()
def withdraw(session: CliSession, judge: str, *, commit: bool, dry_run: bool) -> None:
    """Take back the verdicts of JUDGE: an entity, a model, or the id of one verdict.

    You take back your own; the vault's owner anybody's.
    """
    from memstore.conflicts.judging import withdraw as take_back

    done = take_back(session.view(), judge, dry_run=dry_run, commit=commit)
    _emit_verdicts(session, "withdraw", done, dry_run=dry_run)
    if not dry_run:
        session.say(f"{done.written:,} {'verdict' if done.written == 1 else 'verdicts'} taken back")


def _emit_verdicts(session: CliSession, verb: str, done: Judgement, *, dry_run: bool) -> None:
    said = (verdict_line(session, one) for one in done.verdicts)
    lines = diff_lines(session, done.diff) if dry_run and done.diff else said
    session.emit(verb, done, lambda: lines, each="verdicts", dry_run=dry_run)


def _list_candidates(
    session: CliSession, refs: Sequence[str], given: Which, each: int | None, judge: str | None
) -> None:
    if judge:
        from memstore.conflicts.judging import judge_with
        from memstore.conflicts.model_judges import judge_named

        view = session.view()
        done = judge_with(view, judge_named(view, judge), refs or None, limit=each or 3, which=given)
        _emit_verdicts(session, "judge", done, dry_run=False)
        session.say(f"{done.written:,} {'pair was' if done.written == 1 else 'pairs were'} judged")
        return
    from memstore.conflicts.candidates import MOST_SHOWN
    from memstore.conflicts.candidates import candidates as find

    found = find(session.view(), refs or None, limit=each or MOST_SHOWN, **given)
    session.emit("candidates", found, lambda: _candidate_lines(session, found), each="candidates")
    if not found:
        session.say("no candidates")


def _candidate_lines(session: CliSession, found: Sequence[Candidate]) -> Iterator[str]:
    """Yield each statement that was asked about, and below, those that may concern it."""
    from memstore.cli.output import safe_line
    from memstore.conflicts.open_pairs import because

    paint = session.paint
    by_own: dict[OwnStatement, list[Candidate]] = {}
    for one in found:
        by_own.setdefault(one.concerns, []).append(one)
    for own, others in by_own.items():
        said = paint("title", safe_line(own.text))
        yield f"{paint.place(own.path, own.line_start)}: {paint('ref', own.ref)} {said}"
        for one in others:
            text = safe_line(one.external.framed(one.text) if one.external else one.text)
            day = f"{session.day_of(one.created_at)} " if one.created_at else ""
            yield f"  {paint.place(one.path, one.line_start)}: {paint('ref', one.ref)} {day}{paint('title', text)}"
            yield f"    {paint('dim', safe_line(because(one.why)))}"


def _list_duplicates(session: CliSession, given: Which, limit: int | None = None) -> None:
    from memstore.conflicts.duplicates import dedupe as find

    view = session.view()
    found = find(view, **given)
    session.emit(
        "dedupe",
        found[:limit],
        lambda: (line for one in found[:limit] for line in _duplicate_lines(session, one)),
        each="duplicates",
        left_out=len(found[limit:] if limit else ()),
    )
    _say_left_out(session, found, limit)
    if not found:
        session.say("no duplicates")
    session.say_unreadable()


def _duplicate_lines(session: CliSession, found: Duplicates) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    for copy in found.copies:
        where = paint.place(copy.path, 1)
        yield f"{where}: {paint('ref', copy.ref)} {safe_line(copy.title)}"
    yield f"  {paint('dim', f'{found.similarity:.2f} alike')}: {found.command}"
