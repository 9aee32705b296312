"""Beliefs are views of what they rest on: make their numbers anew from it, and see what differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.flows.sources import loader
from memstore.model.one_line import one_line
from memstore.rules.rebuilding import changed_evidence, rebuilt

if TYPE_CHECKING:
    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A memory whose number would be another: both in [0, 1]; `because` names the evidence that is another now."""

    ref: str | None
    path: str
    line: int
    stored: float | None
    rebuilt: float
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """How many ledgers were made anew, and which numbers would differ."""

    ledgers: int
    differing: tuple[Differing, ...]

    __repr__ = one_line


def rebuild_from_episodes(view: View) -> Rebuilt:
    """Return what the numbers would be if all evidence were weighed again as it is now; nothing is written.

    A piece of evidence may be known in another way than when it was recorded, come from another session, or be gone.

    >>> held = belief(ws.view(), "Bella eats at nine.")
    >>> seen = episode(ws.view(), "Breakfast", "at nine", source_type="inference")
    >>> reinforce(ws.view(), held.ref, seen.ref).new
    0.8154
    >>> set_keys(ws.view(), seen.ref, {"source_type": ["told_by_human"]}).changed
    True
    >>> [(one.stored, one.rebuilt) for one in rebuild_from_episodes(ws.view()).differing]
    [(0.8154, 0.8286)]
    """
    load = loader(view)
    differing, ledgers = [], 0
    for file in view.memories():
        memory = file.memory
        if not memory.confidence_history:
            continue
        ledgers += 1
        number = rebuilt(memory, load)
        if number != memory.confidence:
            differing.append(
                Differing(
                    ref=str(memory.ref) if memory.ref else None,
                    path=file.path,
                    line=file.front.position("confidence").line,
                    stored=memory.confidence,
                    rebuilt=number,
                    because=tuple(changed_evidence(memory, load)),
                )
            )
    return Rebuilt(ledgers=ledgers, differing=tuple(differing))
