"""Explain each number of a memory: the terms that it is made of, in words a person understands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs import ledger, next_lines
from memstore.core.config import QualityProfile
from memstore.core.keys import EXTERNAL
from memstore.core.short_repr import short_repr
from memstore.memories.show import glance
from memstore.search import quality as quality_rules
from memstore.search.quality import STABILITY_DAYS, Strength, days_between, stabilities
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.conflict import Conflict
    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.memories.show import Shown
    from memstore.search.quality import QualityGrounds
    from memstore.trust.score import Trust


MOST_USES = 10  # earlier ones are summed up in one term
# A pull too small to show in four decimals.
NOTHING = 0.00005
THOUSAND = 1000  # trust is counted in thousandths


class Term(NamedTuple):
    """One part of a number, and where it comes from.

    `at` is its place in the frontmatter: a key, or a key and an index in its list; empty if it has none. `line` is its
    line in the file, from 1, if it comes from elsewhere in the file.
    """

    name: str
    value: float
    why: str
    at: tuple[str | int, ...] = ()
    line: int | None = None


class Number(NamedTuple):
    """A number of a memory, None if it has none, and its terms.

    The terms add up to the number, unless they have a `unit` of their own, like days.
    """

    name: str
    value: float | None
    meaning: str
    terms: tuple[Term, ...] = ()
    unit: str = ""


# -- confidence ----------------------------------------------------------------------------------


def of_confidence(memory: Memory) -> Number:
    """Return the confidence according to its history, line by line."""
    meaning = "how sure its holder is, as stored"
    held = next_lines.held(memory)
    if held is None:
        return Number("confidence", None, "a memory of this type needs none")
    if not next_lines.states_nothing(memory.confidence_history):
        return Number("confidence", held, meaning, tuple(_ledger_terms(memory, held)))
    if memory.confidence is None:
        return Number(
            "confidence", held, "none is stored", (Term("unstated", held, "what beliefs that state none have"),)
        )
    return Number("confidence", held, meaning, (Term("stated", held, "without a history", ("confidence",)),))


def _ledger_terms(memory: Memory, held: float) -> Iterator[Term]:
    history = memory.confidence_history
    steps = ledger.each_line(history)
    before = 0.0
    if steps[0][0].op in _OF_EVIDENCE:
        before = ledger.BASE_CONFIDENCE
        yield Term(
            "prior", before, f"even odds to begin with, weighing as much as {ledger.PRIOR_WEIGHT:g} observations"
        )
    for line, after in steps:
        pull = after.confidence - before
        before = after.confidence
        yield Term(line.op, pull, _line_words(line, pull), ("confidence_history", history.index(line)))
    if abs(held - before) >= NOTHING:
        yield Term(
            "by hand", held - before, "the file has another number; see memstore beliefs recompute", ("confidence",)
        )


_OF_EVIDENCE = {
    "support": "supports it",
    "partial": "speaks half for it and half against it",
    "contradict": "contradicts it",
    "retract": "was taken back",
    "propagate": "has another confidence now",
}
_OF_STATEMENTS = {"assert": "stated", "edit": "set by hand", "checkpoint": "folded from earlier lines"}


def _line_words(line: LedgerLine, pull: float) -> str:
    day = line.timestamp[:10]
    if line.op not in _OF_EVIDENCE:
        return f"{_OF_STATEMENTS[line.op]}{f' by {line.by}' if line.by else ''}, {day}"
    words = f"{line.evidence_source or 'evidence'} {_OF_EVIDENCE[line.op]}"
    if line.weight is not None:
        words += f", weight {line.weight:g}"
    if line.happened_at:
        day = f"{line.happened_at[:10]}, recorded {day}"
    return f"{words}, {day}{'; it adds nothing to what was counted' if abs(pull) < NOTHING else ''}"


def of_confidence_now(memory: Memory, now: datetime) -> Number:
    """Return the confidence with its evidence faded as of `now`, UTC."""
    held, today = next_lines.held(memory), next_lines.held_now(memory, now)
    meaning = "the same, as evidence fades"
    if held is None or today is None:
        return Number("confidence_now", None, meaning)
    importance = "pinned" if memory.foundational else memory.importance or "normal"
    factor = ledger.HALF_LIFE_FACTOR[importance]
    fades = (
        f"halves in weight every {ledger.HALF_LIFE_DAYS * factor:g} days" if factor < float("inf") else "never fades"
    )
    return Number(
        "confidence_now",
        today,
        meaning,
        (
            Term("confidence", held, "as stored"),
            Term("faded", today - held, f"a memory of {importance} importance {fades}"),
        ),
    )


# -- quality -------------------------------------------------------------------------------------


def of_quality(of: QualityGrounds, memory: Memory, conflicts: Sequence[Conflict], profile: QualityProfile) -> Number:
    """Return the quality, term by term of its formula, with a term for each open conflict."""
    terms = quality_rules.terms(of, profile)
    literal = profile is QualityProfile.SEED_003
    share = f"{quality_rules.SEED_SHARE:g} × " if literal else ""
    uses = of.strength.uses
    found = [
        _base_term(of, terms.base, memory),
        Term("recency", terms.recency, _recency_words(of, literal=literal)),
        Term("uses", terms.uses, f"{share}0.05 × ln(1 + {uses}), at most {share}0.1"),
        Term(
            "citation",
            terms.citation,
            "it cites lines that still exist" if of.cites else "it cites no lines that still exist",
        ),
        *_conflict_terms(conflicts, terms.conflicts, literal=literal),
    ]
    cut = terms.total - sum(terms)
    if abs(cut) >= NOTHING:
        found.append(Term("cut", cut, "quality lies between 0 and 1"))
    return Number("quality", round(terms.total, quality_rules.DIGITS), "how far you can rely on it today", tuple(found))


def _base_term(of: QualityGrounds, value: float, memory: Memory) -> Term:
    key, worth = of.base.key, of.base.worth
    if key == "confidence":
        return Term("base", value, f"0.5 × the stored confidence {worth:g}", (key,))
    said = memory.channel if key == "channel" else memory.source_type
    if said == EXTERNAL:
        return Term("base", value, f"0.5 × {worth:g}, the most for what is external", (key,))
    words = f"0.5 × {worth:g} for {key} {said or 'unknown'}, as no confidence is stored"
    return Term("base", value, words, (key,) if said else ())


def _conflict_terms(conflicts: Sequence[Conflict], together: float, *, literal: bool) -> Iterator[Term]:
    if not conflicts or literal:
        yield Term("conflicts", 0.0, "seed 003's formula takes nothing for them" if literal else "no open conflict")
        return
    for one in conflicts:
        words = f"{one.conflict_type.value} with {one.refs[1]} [{one.rule}]"
        yield Term("conflict", -one.penalty, words, line=one.lines[0].line_start)
    spared = together + sum(one.penalty for one in conflicts)
    if spared >= NOTHING:
        yield Term("conflicts", spared, f"all of them together take at most {quality_rules.MOST_PENALTY:g}")


def _recency_words(of: QualityGrounds, *, literal: bool) -> str:
    if not literal:
        return f"0.3 × its strength {of.strength.retrieval:.4f}"
    return f"0.3 × exp(-{max(of.days_old, 0.0):.1f} days / 30)" if of.days_old is not None else "it has no date"


# -- strength ------------------------------------------------------------------------------------


def of_strength(of: Strength, made_at: str | None, uses: Sequence[tuple[datetime, str]], now: datetime) -> Number:
    """Return the strength: the stability with what each use added to it, and the days since the last use.

    Args:
        of: the strength.
        made_at: when the memory was made, according to its file; None if it doesn't say.
        uses: when it was used, UTC, and how and by whom in words; oldest first.
        now: the time, UTC.
    """
    meaning = "how readily it comes to mind: exp(-days / stability)"
    if of.last is None:
        return Number("strength", 0.0, "it has neither a date nor a use")
    since = "its last use" if uses else "it was written" if made_at else "its file was saved (it has no date)"
    place = ("created_at",) if made_at and not uses else ()
    days = Term("days", max(days_between(of.last, now), 0.0), f"since {since}", place)
    return Number("strength", of.retrieval, meaning, (*_stability_terms(made_at, uses), days), unit="days")


def _stability_terms(made_at: str | None, uses: Sequence[tuple[datetime, str]]) -> Iterator[Term]:
    yield Term("stability", STABILITY_DAYS, "what every memory begins with")
    made = datetime.fromisoformat(made_at) if made_at else None
    gains, before = [], STABILITY_DAYS
    for _, after in stabilities(made, [at for at, _ in uses]):
        gains.append(after - before)
        before = after
    earlier = len(uses) - MOST_USES
    if earlier > 0:
        yield Term("uses", sum(gains[:earlier]), f"more for {earlier} earlier uses")
    for gain, (at, words) in list(zip(gains, uses, strict=True))[max(earlier, 0) :]:
        yield Term("use", gain, f"more for {words}, {at:%Y-%m-%d}")


# -- trust ---------------------------------------------------------------------------------------


def of_trust(of: Trust) -> Number:
    """Return the trust: a term for each signature, witness and anchor that counts, and its level."""
    terms = tuple(Term(term.name, term.points / THOUSAND, term.because) for term in of.terms)
    cut = of.score - sum(term.value for term in terms)
    if abs(cut) >= NOTHING:
        terms += (Term("cut", cut, "trust lies between 0 and 1"),)
    return Number("trust", of.score, f"who vouches for it: {of.word}", terms)


# -- the use case ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A memory's numbers, each with its terms; `shown` is the memory."""

    shown: Shown
    numbers: tuple[Number, ...]

    __repr__ = short_repr

    def line_of(self, term: Term) -> int | None:
        """Return the line of the file that a term comes from; None if there is none."""
        if term.line is not None:
            return term.line
        is_assumed = len(term.at) > 1 and term.at[1] not in range(len(self.shown.memory.confidence_history))
        return self.shown.file.front.position(*term.at).line if term.at and not is_assumed else None


def why(view: View, memory: Named, *, profile: QualityProfile | None = None, at: str | None = None) -> Why:
    """Return how each number of a memory is derived, now or on an earlier day; this is not a use of it.

    Args:
        view: the vault.
        memory: the memory.
        profile: how quality is computed; None: according to the vault's settings.
        at: a commit or a date, on which nothing had faded or been used that did so later.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
        UsageError: `at` is neither a date nor a commit.

    >>> ref = note(ws.view(), "Bella eats at eight.", source_type="told_by_human").ref
    >>> confidence, now, quality, strength, trust = why(ws.view(), ref).numbers
    >>> quality.terms[0].why
    '0.5 × 1 for source_type told_by_human, as no confidence is stored'
    """
    view = view.at(at, with_clock=True)
    shown = glance(view, memory)
    return Why(shown=shown, numbers=numbers_of(view, shown, shown.memory, shown.conflicts, profile))


def numbers_of(
    view: View, shown: Shown, memory: Memory, conflicts: Sequence[Conflict], profile: QualityProfile | None
) -> tuple[Number, ...]:
    """Return the numbers of a memory that is shown, as it is, or as it would be with another confidence or conflicts.

    Args:
        view: the vault.
        shown: the memory as it is.
        memory: the memory as it is, or as it would be.
        conflicts: those that are open then.
        profile: how quality is computed; None: according to the vault's settings.
    """
    now = view.clock.now()
    uses = [use for use in uses_of(view, [memory.id or ""]).get(memory.id or "", []) if use.at <= now]
    base = quality_rules.base(memory.confidence, memory.channel or "", memory.source_type or "")
    of = shown.grounds._replace(base=base, penalty=sum(one.penalty for one in conflicts))
    return (
        of_confidence(memory),
        of_confidence_now(memory, now),
        of_quality(of, memory, conflicts, profile or QualityProfile(view.config.quality_profile)),
        of_strength(of.strength, memory.created_at, [(use.at, f"{use.how} by {use.by}") for use in uses], now),
        of_trust(shown.trust),
    )
