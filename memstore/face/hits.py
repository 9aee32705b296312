"""What a search gives to a Python program: its hits, to be gone through, and what else there is to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from memstore.search.retrieval import Answer, Hit


class Hits(Sequence["Hit"]):
    """The hits of a search, best first.

    Args:
        answer: the whole answer.
    """

    __slots__ = ("answer",)

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def __len__(self) -> int:
        return len(self.answer.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.answer.hits[at]

    def __repr__(self) -> str:
        return f"<{len(self)} of {self.total} hits for {self.answer.query.text[:60]!r}>"

    @property
    def total(self) -> int:
        """How many memories match."""
        return self.answer.total

    @property
    def left_out(self) -> int:
        """Of how many files it is not known whether they match, since they can't be read."""
        return self.answer.left_out

    @property
    def fallback(self) -> str | None:
        """Why hits below the asked-for quality are given; None where none are."""
        return self.answer.fallback

    @property
    def facets(self) -> dict[str, dict[str, int]]:
        """How many matching memories have each value of the keys that were asked for, most first."""
        return {key: dict(counts) for key, counts in self.answer.facets}

    @property
    def suggestion(self) -> str | None:
        """A query that finds something, where this one found nothing."""
        return self.answer.suggestion
