"""What `memstore.search` asks of a view: the words of visible memories, the index that has them, and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memstore.core.view import View
    from memstore.search.library import IndexStatus, Refreshed
    from memstore.search.opened import Opened
    from memstore.search.ranked import Ranker

    Vector = Sequence[float]


class VisibleIndex(Protocol):
    """The index as far as it is about visible rows."""

    @property
    def ranker(self) -> Ranker:
        """The ranker that orders memories by words."""

    def frequency(self, term: str) -> int:
        """Return about how many visible memories have a term in their text; some deleted ones may be counted."""

    def word_count(self, rows: Sequence[int]) -> int:
        """Return how many words the texts of some visible rows have in total."""

    def terms(self, prefix: str) -> Sequence[str]:
        """Return the terms that begin with `prefix`, sorted; some may occur in no visible memory."""

    def opened(self, row: int) -> Opened | None:
        """Return the file of a visible row for citing; None if its current content is hidden or has another status."""

    def vouched_for(self, rows: Sequence[int], *, least: float, levels: Collection[str]) -> Sequence[int]:
        """Return those of the given visible rows whose memories reach a level of trust; `Trust` explains the levels.

        Args:
            rows: the rows to filter.
            least: the lowest score, in [0, 1].
            levels: names of trust levels, all of which must be reached; empty for any.
        """

    def status(self) -> IndexStatus:
        """Return how the index compares with the vault; nothing is written."""

    def rebuild(self) -> View:
        """Drop the index, rebuild it, and return a view of the vault as it is now."""

    def refresh(self) -> Refreshed:
        """Write all changes into the index, however small."""


class Embedder(Protocol):
    """Turns texts into vectors. A text's vector depends only on that text, not on others in the same call."""

    @property
    def name(self) -> str:
        """The name of the model, under which vectors are stored; it must change whenever the vectors would."""

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, all with the same dimension; they need not have length 1."""


class VectorStore(Protocol):
    """Stores the vectors of memories and their lines by the file's blob id; lost ones are made again."""

    def last(self, name: str) -> dict[str, Vector]:
        """Return the stored vectors of the embedder with that name; none if they can't be read."""

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Store these vectors, all of one length, in place of the last ones; a failed write is not an error."""

    def tell(self, done: int, count: int) -> None:
        """Report how many of how many texts have vectors."""
