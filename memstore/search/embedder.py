"""Texts as vectors that lie close together where the texts mean alike things; always optional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Vector = Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors. A text's vector depends on that text alone, and not on those beside it."""

    @property
    def name(self) -> str:
        """Names the model: vectors are kept under it, so whatever changes them changes the name."""

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, all of one length; their own lengths do not matter."""


class VectorStore(Protocol):
    """Keeps the vectors of memories, by the blob id of their file; what is lost is made again."""

    def last(self, name: str) -> dict[str, Vector]:
        """Return the vectors that were kept for an embedder of that name; none where they can't be read."""

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these vectors, all of one length, in place of the last ones; not being able to is no error."""

    def tell(self, done: int, count: int) -> None:
        """Tell whoever waits how many texts of how many have their vectors."""
