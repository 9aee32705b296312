"""Reputation: how often an entity's signed statements turned out right, once somebody had decided about them.

Only resolved outcomes count, never agreement: the signed decision of a dispute by somebody who took no side, or the
author's own signed correction. The number is the mean of a Beta distribution, (1 + right) / (2 + right + wrong), so
everybody starts with 0.5. It is computed now from the memories that the viewer may see, and never read from a file.

Source: docs/references.md, "reputation"; docs/adr/0014.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.ids import MemoryRef
from memstore.files.catalog_entry import RESOLVED, WITNESS
from memstore.trust.vouching import Outcome, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memstore.core.memory import Memory, Resolution, Signature, Witness
    from memstore.core.view import View
    from memstore.trust.verification import Voucher
    from memstore.trust.vouching import Attested, Verdict


# The initial count of both sides: nothing is known, and neither is more likely.
PRIOR = 1
AUTHOR = "author"


class SpokenWord(NamedTuple):
    """One entity's signed statement: as the `author`, or as a witness (`confirm`, `dispute`, `partial`).

    `who` is the controller of the entity that made it.
    """

    who: str
    said: str
    at: datetime


class ReputationDecision(NamedTuple):
    """The decision: whether the memory was upheld, `by` an entity, or by the author's correction, given as a ref."""

    upheld: bool
    at: datetime
    by: str


class Reputation(NamedTuple):
    """What is known about an entity's statements, the latest outcome first."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def right(self) -> int:
        """How many statements turned out right."""
        return sum(outcome.was_right for outcome in self.outcomes)

    @property
    def wrong(self) -> int:
        """How many statements turned out wrong."""
        return len(self.outcomes) - self.right

    @property
    def value(self) -> float:
        """The reputation, in (0, 1); 0.5 if nothing was decided about the entity."""
        return (PRIOR + self.right) / (2 * PRIOR + len(self.outcomes))


def words(
    signed: Signature | None,
    verdict: Verdict,
    attested: Iterable[Attested],
    *,
    controller_of: Callable[[str], str],
) -> tuple[SpokenWord, ...]:
    """Return the statements about a memory whose signatures hold, including a witness's earlier ones, in no order.

    Args:
        signed: the author's signature.
        verdict: the verdict on it.
        attested: the witnesses, as returned by `vouching.voices`.
        controller_of: returns who controls an entity, or the entity itself if nobody else does.
    """
    author = (
        SpokenWord(controller_of(signed.by), AUTHOR, datetime.fromisoformat(signed.at))
        if signed and verdict.counts
        else None
    )
    held = [one.witness for one in attested if one.verdict.state in (State.VALID, State.EXCLUDED)]
    told = (_of_witness(witness, controller_of(witness.agent_id)) for witness in held)
    return (*((author,) if author else ()), *(word for word in told if author is None or word.who != author.who))


def decision(
    said: Sequence[SpokenWord],
    resolutions: Iterable[tuple[Resolution, Verdict]],
    corrections: Iterable[tuple[str, Signature, Verdict]],
    *,
    controller_of: Callable[[str], str],
) -> ReputationDecision | None:
    """Return the decision about a memory; None if nobody has decided. The latest decision holds.

    A resolution decides only if somebody had disputed the memory before and whoever decides took no side. A correction
    decides only if it is the author's own: anybody else's is just another opinion.

    Args:
        said: the statements about it.
        resolutions: the resolutions of the memory, with their verdicts.
        corrections: the memories of type correction that supersede it: ref, signature, and its verdict.
        controller_of: returns who controls an entity.
    """
    parties = {word.who for word in said}
    disputed_at = min((word.at for word in said if word.said == "dispute"), default=None)
    found = [
        ReputationDecision(one.outcome == "upheld", datetime.fromisoformat(one.at), one.by)
        for one, verdict in resolutions
        if verdict.counts
        and controller_of(one.by) not in parties
        and disputed_at is not None
        and disputed_at <= datetime.fromisoformat(one.at)
    ]
    authors = {word.who for word in said if word.said == AUTHOR}
    found += [
        ReputationDecision(upheld=False, at=datetime.fromisoformat(signed.at), by=ref)
        for ref, signed, verdict in corrections
        if verdict.counts and controller_of(signed.by) in authors
    ]
    return max(found, key=lambda one: (one.at, not one.upheld, one.by), default=None)


def outcome(who: str, ref: str, said: Iterable[SpokenWord], decided: ReputationDecision) -> Outcome | None:
    """Return how the last statement of `who` before a decision turned out; None if there is none or it took no side."""
    before = [word for word in said if word.who == who and word.at <= decided.at]
    last = max(before, key=lambda word: (word.at, word.said), default=None)
    if last is None or last.said == "partial":
        return None
    return Outcome(ref, last.said, (last.said != "dispute") == decided.upheld, decided.at, decided.by)


def reputation(outcomes: Iterable[Outcome]) -> Reputation:
    """Return the reputation that results from outcomes, in whatever order they come."""
    return Reputation(tuple(sorted(outcomes, key=lambda one: (one.at, one.ref), reverse=True)))


def _of_witness(witness: Witness, who: str) -> SpokenWord:
    return SpokenWord(who, witness.attestation, datetime.fromisoformat(witness.witnessed_at))


# -- the use case ----------------------------------------------------------------------------------


CORRECTION = "correction"


class Reputations:
    """The reputations of many entities, each computed once; only files about which something was decided are read.

    Args:
        view: the vault.
        voucher: verifies the statements and decisions.
    """

    def __init__(self, view: View, voucher: Voucher) -> None:
        self._view = view
        self._voucher = voucher
        self._known: dict[str, Reputation] = {}

    def of(self, entity: str | None) -> Reputation:
        """Return the reputation of the controller of an entity."""
        who = self._voucher.controller_of(entity) if entity else ""
        if who not in self._known:
            outcomes = (self._outcome(who, row) for row in self._decided.get(who, ()))
            self._known[who] = reputation(outcome for outcome in outcomes if outcome)
        return self._known[who]

    def _outcome(self, who: str, row: int) -> Outcome | None:
        memory = self._memory(row)
        if memory is None or memory.ref is None:
            return None
        voucher = self._voucher
        found = voucher.of(memory)
        said = words(memory.signature, found.signature, found.witnesses, controller_of=voucher.controller_of)
        decided = decision(
            said,
            zip(memory.resolutions, found.resolutions, strict=True),
            [
                (str(one.ref), one.signature, voucher.of(one).signature)
                for one in map(self._memory, self._corrections.get(row, ()))
                if one is not None and one.signature is not None
            ],
            controller_of=voucher.controller_of,
        )
        return None if decided is None else outcome(who, str(memory.ref), said, decided)

    # -- memories about which something was decided -----------------------------------------------

    @cached_property
    def _decided(self) -> Mapping[str, Sequence[int]]:
        """The rows about which something was decided, by the controllers who made statements about them."""
        column = self._view.column
        authors, attested, visible = column("author"), column("attested"), self._visible
        rows = {row for row in visible if f"{RESOLVED} " in attested[row]} | self._corrections.keys()
        found = defaultdict(list)
        for row in sorted(rows):
            items = [item.partition(" ") for item in attested[row].split(ITEM_SEPARATOR)]
            said_by = {entity for word, _, entity in items if word == WITNESS} | {authors[row]}
            for who in {self._voucher.controller_of(entity) for entity in said_by if entity}:
                found[who].append(row)
        return found

    @cached_property
    def _corrections(self) -> Mapping[int, Sequence[int]]:
        """The corrections that supersede a memory, by its row."""
        column = self._view.column
        types, supersedes, ids = column("type"), column("supersedes"), column("id")
        by_id = defaultdict(list)
        for row in self._visible:
            if types[row] == CORRECTION and supersedes[row]:
                for ref in filter(None, map(MemoryRef.parse, supersedes[row].split(ITEM_SEPARATOR))):
                    by_id[ref.id].append(row)
        return {row: by_id[ids[row]] for row in self._visible if ids[row] in by_id} if by_id else {}

    def _memory(self, row: int) -> Memory | None:
        file = self._view.read(self._view.entry(row).path)
        return file.memory if file else None

    @cached_property
    def _visible(self) -> frozenset[int]:
        return frozenset(self._view.rows)
