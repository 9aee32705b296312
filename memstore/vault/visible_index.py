"""The one implementation of `search.facets.VisibleIndex`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import VaultError
from memstore.vault.look import LOOK
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memstore.core.view import View
    from memstore.search.library import IndexStatus, Refreshed
    from memstore.search.opened import Opened
    from memstore.search.ranked import Ranker


class VaultIndex:
    """The index of a vault as far as a view shows its rows."""

    def __init__(self, view: View) -> None:
        self._view, self._look = view, view.of(LOOK)

    @property
    def ranker(self) -> Ranker:
        return self._look.ranker

    def frequency(self, term: str) -> int:
        return self._look.index.frequency(term)

    def word_count(self, rows: Sequence[int]) -> int:
        from memstore.core.catalog import Field

        lengths = self._look.index.lengths(Field.TEXT)
        return sum(lengths[row] for row in rows)

    def terms(self, prefix: str) -> Sequence[str]:
        return self._look.index.terms(prefix)

    def opened(self, row: int) -> Opened | None:
        from memstore.search import opened

        look, view = self._look, self._view
        entry = view.entry(row)
        try:
            data = look.bytes_of(entry.path)
        except VaultError:
            return None
        if opened.is_revision(entry, data):
            shown = None if look.foreign is None else look.foreign.file
            return opened.opened(entry, data, mixed=view.config.mixed, shown=shown)
        # Saved since the snapshot: its catalogue entry, and what was decided on it, no longer hold.
        file = view.text(entry.path)
        now = opened.of_file(file, entry, mixed=view.config.mixed) if file else None
        return now if now and now.entry.status == entry.status else None

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        from memstore.trust.reader import TrustReader
        from memstore.trust.score import Level

        lowest = max((Level[level.upper()] for level in levels), default=Level.UNVERIFIED)
        reader = TrustReader(self._view)
        found = [(row, reader.of_row(row)) for row in rows]
        reader.keep()
        return [row for row, trust in found if trust.score >= least and trust.level >= lowest]

    def status(self) -> IndexStatus:
        return self._look.ws.library.status()

    def rebuild(self) -> View:
        return self._look.ws.view_at(Moment(self._look.ws.library.rebuild()))

    def refresh(self) -> Refreshed:
        return self._look.ws.library.refresh()
