"""What `memstore.search` asks of a view: the words of visible memories, the index that has them, and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memstore.search.retrieval import Unit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.core.view import View
    from memstore.search.clauses import Clause
    from memstore.search.library import IndexStatus, Refreshed
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Ranked
    from memstore.search.usage_log import Use

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


class Ranker(Protocol):
    """Ranks memories by words, with statistics over only the memories that a view shows."""

    def rank(
        self,
        clauses: Sequence[Clause],
        view: View,
        k: int | None,
        *,
        among: Sequence[int] | None = None,
        text: str = "",
        by: Unit = Unit.MEMORY,
    ) -> Ranked:
        """Return the memories that match at least one clause, all required ones and no excluded one.

        If all clauses are excluding ones, all other memories match, with a score of 0.

        Args:
            clauses: the clauses of the query.
            view: the memories that the viewer may see.
            k: how many memories to return, best first, ties by ref and path; None for all, in no particular order.
            among: the rows that may match, ascending; all by default.
            text: the query as typed; a memory with an alias that occurs in it ranks above all others.
            by: the unit of results; for passages, excluded words are checked per passage, not here.
        """


class UsageLog(Protocol):
    """A best-effort log of uses; it never fails, because only the strength of memories depends on it."""

    @property
    def path(self) -> Path | None:
        """The path of the log, which may not exist yet; None if nothing is recorded."""

    def record(self, use: Use) -> None:
        """Record a use; a failed write is ignored."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:
        """Yield the uses of these memories, or of all, in no particular order; unreadable entries are skipped."""
