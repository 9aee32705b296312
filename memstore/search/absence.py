"""Explain why one visible memory is not among the results of a query, or at which place it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.times import instant
from memstore.search import INDEX, filters
from memstore.search.clauses import Filters, Need
from memstore.search.explain import name_of, places_in
from memstore.search.explanation import Reason, Sought, WhyNot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memstore.core.catalog import Entry
    from memstore.core.view import View
    from memstore.search.clauses import Query
    from memstore.search.opened import Opened
    from memstore.search.ranker import Candidates
    from memstore.search.reranker import HitReader, Wish


class Inquiry:
    """Finds the reasons, in the order in which a search excludes memories.

    Args:
        then: the vault at the time in question.
        asked: the query.
        wish: the options of the search.
        now: the current time, in UTC.
    """

    def __init__(self, then: View, asked: Query, wish: Wish, now: datetime) -> None:
        self._then, self._asked, self._wish, self._now = then, asked, wish, now

    def row_of(self, ref: str) -> int:
        """Return the row of the memory or plain note that `ref` names.

        Raises:
            NotFoundError: no file that the viewer may see has this name.
        """
        entry = self._then.named(ref, notes=True)
        paths = self._then.column("path")
        return next(row for row in self._then.texts if paths[row] == entry.path)

    def why_not(self, row: int, current: Sequence[int], candidates: Candidates, reader: HitReader) -> WhyNot:
        """Return why the memory in a row is not among the results, or its place among them.

        Args:
            row: the row of a visible memory.
            current: the rows that pass the filters, without past ones.
            candidates: the matching memories among these rows.
            reader: reads all of them, whatever the limit of the search.
        """
        entry = self._then.entry(row)
        file = self._then.of(INDEX).opened(row)
        held = places_in(file, candidates.matcher_of(row)) if file else {}
        sought = [
            Sought(name_of(clause), clause.need, tuple(held.get(number, {}).items()))
            for number, clause in enumerate(self._asked.clauses)
        ]
        reasons = [*(() if row in current else self._left_out(row, entry)), *self._unmatched(row, sought, candidates)]
        place = None
        if not reasons:
            place, of_place = self._place_of(file, reader)
            reasons += of_place
        return WhyNot(entry.ref, entry.path, entry.title, place, tuple(reasons), tuple(sought))

    # -- by filters ------------------------------------------------------------------------------

    def _left_out(self, row: int, entry: Entry) -> Iterator[Reason]:
        """Yield a reason for each filter that excludes the row, and one if the memory is past."""
        for given, label in ((self._asked.filters, "{name}:{value}"), (self._wish.filters, "--{option} {value}")):
            for name, value, filter_ in _each(given):
                if not filters.narrowed(self._then, [row], filter_):
                    text = label.format(name=name, option=name.replace("_", "-"), value=value)
                    yield Reason("filtered", f"{text} leaves it out", f"leave out {text}")
        if any(map(filters.asks_status, (self._asked.filters, self._wish.filters))):
            return
        status = entry.status or "active"
        if status not in filters.DEFAULT_STATUS:
            code = "past" if status in filters.PAST_STATUS else "filtered"
            yield Reason(code, f"its status is {status}{self._heirs(row)}", f"--status {status} shows it")
        elif filters.PastRows(self._then, self._now).among([row]):
            until = self._then.column("valid_until")[row]
            over = until and until < instant(self._now)[: len(until)]
            text = f"it expired: valid_until is {until}" if over else f"it is superseded{self._heirs(row)}"
            yield Reason("past", text, "--status all shows it")

    def _heirs(self, row: int) -> str:
        """Return " by …" with the visible memories that supersede a memory, or an empty string."""
        then = self._then
        memory_id, supersedes = then.column("id")[row], then.column("supersedes")
        heirs = [
            then.entry(other).ref or then.column("path")[other]
            for other in then.rows
            if memory_id and memory_id in (ref.partition(":")[2] for ref in supersedes[other].split(ITEM_SEPARATOR))
        ]
        file = then.read(then.column("path")[row])
        heirs += [str(ref) for ref in (file.memory.superseded_by if file else ())]
        return f" by {', '.join(dict.fromkeys(heirs))}" if heirs else ""

    # -- by words --------------------------------------------------------------------------------

    def _unmatched(self, row: int, sought: Sequence[Sought], candidates: Candidates) -> Iterator[Reason]:
        """Yield the reasons why a memory does not match the clauses of the query."""
        then, asked = self._then, self._asked
        if then.of(INDEX).ranker.rank(asked.clauses, then, None, among=[row], text=asked.text, by=self._wish.by).rows:
            return
        lacking = [one.term for one in sought if one.need is Need.MUST and not one.places]
        barred = [one.term for one in sought if one.need is Need.MUST_NOT and one.places]
        if lacking:
            yield Reason("must", f"it lacks what must be there: {', '.join(lacking)}", "leave out the +")
        if barred:
            yield Reason("must_not", f"it holds what must not be there: {', '.join(barred)}", "leave out the -")
        wanted = [one.term for one in sought if one.need is not Need.MUST_NOT]
        if not (lacking or barred or row in candidates.by_meaning):
            yield Reason("no_words", f"it holds none of: {', '.join(wanted)}")

    # -- by its place ----------------------------------------------------------------------------

    def _place_of(self, file: Opened | None, reader: HitReader) -> tuple[int | None, Iterable[Reason]]:
        """Return the place of a matching memory, and the reasons why it is not shown."""
        if file is None:
            return None, [Reason("changed", "its file was changed while the search ran", "search again")]
        place, hit = reader.place_of(file.entry)
        if hit is None:
            least = self._wish.filters.min_confidence
            if least is not None:
                return None, [Reason("filtered", f"its confidence is below --min-confidence {least:g}")]
            return None, [Reason("letters", "what is quoted or has a + does not stand there letter by letter")]
        if hit.path != file.entry.path:
            same = hit.ref or hit.path
            return place, [Reason("folded", f"it says the same in the same words as {same}, which stands for it")]
        if place > self._wish.limit:
            limit = self._wish.limit
            return place, [Reason("limit", f"it is result {place}, and {limit} are shown", f"-n {place} shows it")]
        return place, []


def _each(given: Filters) -> Iterator[tuple[str, str, Filters]]:
    """Yield each filter that is set: its name, its value as a user writes it, and a `Filters` with only that filter."""
    every = Filters(status=(filters.EVERY_STATUS,))
    for name in Filters._fields:
        value = getattr(given, name)
        if value in ((), None) or name == "min_confidence":
            continue
        if name == "where":
            for one in value:
                alone = every._replace(where=(one,))
                yield name, " ".join(filter(None, (one.key, one.operator.value, one.value))), alone
            continue
        shown = [" ".join(item) if isinstance(item, tuple) else str(item) for item in _items(value)]
        alone = Filters(status=value) if name == "status" else every._replace(**{name: value})
        yield name, " or ".join(shown), alone


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, tuple) else [value]
