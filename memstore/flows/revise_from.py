"""Find the beliefs that an episode supports or contradicts, and propose to record it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import ChangedMeanwhileError, UsageError
from memstore.flows.compare import Comparer
from memstore.flows.sources import loader
from memstore.model.one_line import one_line
from memstore.rules.beliefs import Stance, held, weigh
from memstore.rules.evidence import as_evidence, rests_on
from memstore.rules.polarity import Verdict, compare_statements

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.rules.conflicts import Side

_STANCES = {
    Verdict.AGREES: Stance.SUPPORT,
    Verdict.CONTRADICTS: Stance.CONTRADICT,
    Verdict.OTHER_VALUE: Stance.CONTRADICT,
}
_VERBS = {Stance.SUPPORT: "reinforce", Stance.CONTRADICT: "contradict"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A belief, the line of its file that was compared, what the episode says of it, and what its number would be."""

    ref: str
    path: str
    line: int
    title: str
    stance: Stance
    rule: str
    old: float
    new: float
    evidence: str

    __repr__ = one_line

    @property
    def command(self) -> str:
        """What records it."""
        return f"memstore {_VERBS[self.stance]} {self.ref} --evidence {self.evidence}"


def revise_from(view: View, episode: str) -> tuple[Proposal, ...]:
    """Return the beliefs that an episode, or any other memory, supports or contradicts by what its sentences say.

    What was counted already is not proposed, and neither is what the memory itself rests on. Nothing is written.

    >>> held = belief(ws.view(), "Sean likes tea.")
    >>> seen = episode(ws.view(), "Breakfast", "Sean dislikes tea.")
    >>> [(one.ref == held.ref, one.stance.value) for one in revise_from(ws.view(), seen.ref)]
    [(True, 'contradict')]

    Raises:
        NotFoundError: there is no such memory.
        UsageError: it has no id to refer to it by.
    """
    comparer = Comparer(view)
    entry = view.find(episode)
    if entry.ref is None:
        raise UsageError(f"{entry.path} has no id to refer to it by", hint=f"memstore adopt {entry.path}")
    side = comparer.side_at(entry.path)
    if side is None:
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    alike = (other for other in comparer.alike(side) if other.memory.type == "belief" and other.memory.ref)
    found = (_proposal(view, side, other) for other in alike)
    return tuple(sorted(filter(None, found), key=lambda one: (one.stance, one.ref)))


def _proposal(view: View, side: Side, other: Side) -> Proposal | None:
    """Return what one belief gains by an episode; None where they say nothing about each other."""
    ours, theirs = ([statement for statement, _ in one.statements] for one in (side, other))
    said = compare_statements(ours, theirs, opposes=view.lexicon.opposes)
    stance = _STANCES.get(said.verdict)
    if stance is None or said.at_other_times or held(other.memory) is None:
        return None
    load = loader(view)
    if rests_on(side.memory, other.ref, load):
        return None
    evidence = as_evidence(side.memory, load)
    weighed = weigh(other.memory, [evidence], stance, now=view.clock.now(), by=view.actor, reason=None)
    if not weighed.lines:
        return None
    lines = next((lines for statement, lines in other.statements if statement == said.right), None)
    return Proposal(
        ref=other.ref,
        path=other.path,
        line=lines.line_start if lines else 1,
        title=other.title,
        stance=stance,
        rule=said.rule,
        old=weighed.old,
        new=weighed.new,
        evidence=evidence.source,
    )


def record(view: View, proposal: Proposal, *, commit: bool = False) -> float:
    """Record a proposal that a person said yes to; return the number that came of it."""
    from memstore.flows.reinforce import contradict, reinforce

    done = reinforce if proposal.stance is Stance.SUPPORT else contradict
    return done(view, proposal.ref, proposal.evidence, commit=commit).new
