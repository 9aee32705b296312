"""Whose words turned out right, computed now from the memories that the viewer may see, and never read from a file."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec.catalog_entry import RESOLVED, WITNESS
from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.ids import MemoryRef
from memstore.rules import reputation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View
    from memstore.flows.vouch import Voucher
    from memstore.model.memory import Memory
    from memstore.rules.reputation import Outcome, Reputation

CORRECTION = "correction"


class Reputations:
    """The reputations of many, each computed once; only files that something was decided about are read.

    Args:
        view: the vault.
        voucher: verifies what was said and decided.
    """

    def __init__(self, view: View, voucher: Voucher) -> None:
        self._view = view
        self._voucher = voucher
        self._known: dict[str, Reputation] = {}

    def of(self, entity: str | None) -> Reputation:
        """Return the reputation of whoever controls an entity."""
        who = self._voucher.controller_of(entity) if entity else ""
        if who not in self._known:
            outcomes = (self._outcome(who, row) for row in self._decided.get(who, ()))
            self._known[who] = reputation.reputation(outcome for outcome in outcomes if outcome)
        return self._known[who]

    def _outcome(self, who: str, row: int) -> Outcome | None:
        memory = self._memory(row)
        if memory is None or memory.ref is None:
            return None
        voucher = self._voucher
        found = voucher.of(memory)
        said = reputation.words(memory.signature, found.signature, found.witnesses, controller_of=voucher.controller_of)
        decided = reputation.decision(
            said,
            zip(memory.resolutions, found.resolutions, strict=True),
            [
                (str(one.ref), one.signature, voucher.of(one).signature)
                for one in map(self._memory, self._corrections.get(row, ()))
                if one is not None and one.signature is not None
            ],
            controller_of=voucher.controller_of,
        )
        return None if decided is None else reputation.outcome(who, str(memory.ref), said, decided)

    # -- which memories something was decided about -----------------------------------------------

    @cached_property
    def _decided(self) -> Mapping[str, Sequence[int]]:
        """The rows that something was decided about, by those who said something of them."""
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
