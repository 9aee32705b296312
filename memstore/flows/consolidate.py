"""Consolidation: look at what happened, and suggest what to make of it. A pure plan first, then all of it at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import splice
from memstore.flows.consolidation_pool import gather
from memstore.flows.save import Edit, save_all
from memstore.flows.suggestion_file import suggestion_of
from memstore.model.instants import instant
from memstore.rules.beliefs import held, held_now
from memstore.rules.clustering import TEXT_THRESHOLD, Weights
from memstore.rules.consolidation import (
    FEWEST_POOLED,
    Polarity,
    is_news,
    labels_of,
    partitions,
    patterns,
    proposals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memstore.flows.consolidation_pool import Gathered
    from memstore.flows.save import Saved
    from memstore.flows.suggestion_file import Suggestion
    from memstore.ports.synthesizer import Synthesizer
    from memstore.ports.workspace import Workspace
    from memstore.rules.consolidation import Held, Pooled, Proposal

FADED_BY = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Faded:
    """A belief that time made less sure: what is stored, and what may still be held, both in [0, 1]."""

    ref: str
    title: str
    stored: float
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What consolidation found, and what was written, or would be.

    `pooled` memories were looked at, those of `left_out` were too many; where `enough` is false they were too few, and
    nothing else was done. `faded` is reported and nothing more: time writes no file.
    """

    pooled: int
    left_out: int = 0
    enough: bool = True
    suggestions: tuple[Suggestion, ...] = ()
    faded: tuple[Faded, ...] = ()
    saved: tuple[Saved, ...] = ()


def consolidate(
    ws: Workspace,
    *,
    apply: bool = False,
    as_of: datetime | None = None,
    synthesizer: Synthesizer | None = None,
    commit: bool = False,
) -> Consolidated:
    """Suggest beliefs, and evidence for and against beliefs, from memories that no belief rests on yet.

    Args:
        ws: the vault.
        apply: write the suggestions; else only return what would be.
        as_of: look at what had been written by then, in UTC; now where it is None.
        synthesizer: who words new beliefs; else they quote.
        commit: commit what is written, too.

    Raises:
        ChangedMeanwhileError: a file is no longer what was read; nothing was written.
    """
    now = as_of or ws.clock.now()
    gathered = gather(ws, until=instant(now))
    if len(gathered.pool) < FEWEST_POOLED:
        return Consolidated(pooled=len(gathered.pool), enough=False)
    suggestions = [
        suggestion_of(ws, proposal, gathered, now=now, synthesizer=synthesizer) for proposal in _news(gathered)
    ]
    edits = [*(_accepted_by_hand(gathered)), *(one.edit for one in suggestions)]
    saved = save_all(ws, edits, verb="consolidate", dry_run=not apply, commit=commit)
    return Consolidated(
        pooled=len(gathered.pool),
        left_out=gathered.left_out,
        suggestions=tuple(suggestions),
        faded=tuple(_faded(gathered.beliefs, now)),
        saved=saved,
    )


def _news(gathered: Gathered) -> Iterator[Proposal]:
    """Yield what is suggested and was not before, by id."""
    made = [proposal for part in partitions(gathered.pool) for proposal in _of_partition(part, gathered.beliefs)]
    for proposal in sorted(made, key=lambda proposal: proposal.id):
        if is_news(proposal, gathered.earlier):
            yield proposal


def _of_partition(part: Sequence[Pooled], beliefs: Sequence[Held]) -> list[Proposal]:
    labels = labels_of(part[0].memory)
    own = [held for held in beliefs if labels_of(held.memory) == labels]
    weights = Weights([pooled.terms for pooled in part])
    vectors = {pooled.ref: weights.vector(pooled.terms) for pooled in part}
    vectors |= {str(held.memory.ref): weights.vector(held.terms) for held in own}
    found = patterns(part, vectors, TEXT_THRESHOLD)
    return proposals(found, own, vectors, TEXT_THRESHOLD, _compare)


def _compare(_said: str, _other: str) -> Polarity | None:
    return None


def _accepted_by_hand(gathered: Gathered) -> Iterator[Edit]:
    """Yield the edits that make beliefs of suggestions which were moved out of their folder."""
    for file in gathered.moved:
        after = splice.apply(file, [splice.SetValue("status", "active"), splice.RemoveKey("proposes")])
        yield Edit(path=file.path, before=file, after=after)


def _faded(beliefs: Sequence[Held], now: datetime) -> Iterator[Faded]:
    for one in beliefs:
        stored, left = held(one.memory), held_now(one.memory, now)
        if stored is not None and left is not None and stored - left >= FADED_BY:
            yield Faded(ref=str(one.memory.ref), title=one.text, stored=stored, now=left)
