"""How like a text in meaning memories are: their vectors, made where they are missing, and only of what may be seen."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from functools import partial
from operator import mul
from typing import TYPE_CHECKING, Protocol

from memstore.core import digests
from memstore.core.errors import UsageError
from memstore.core.memory import default_title

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile

    Vector = Sequence[float]


AT_ONCE = 32
NOTHING = "…"  # stands for a text that is empty


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


def similar_rows(then: View, rows: Sequence[int], text: str) -> dict[int, float]:
    """Return how like a text in meaning each of these visible rows is, in [0,1].

    Nothing where no embedder is configured; a past state of the vault is searched by its words alone.

    Raises:
        UsageError: the embedder gives no vectors.
    """
    embedder = then.embedder
    if embedder is None or then.is_past or not (rows and text.strip()):
        return {}
    (asked,) = embedded(embedder, [text])
    blobs = then.column("blob")

    def text_of(row: int) -> str | None:
        file = then.opened(row)
        if file is None or file.entry.blob != blobs[row]:
            return None  # saved a moment ago: the next search knows it
        return _said(file.entry.title, file.text.body)

    wanted = {blobs[row]: lambda row=row: text_of(row) for row in rows}
    vectors = _vectors(then, embedder, wanted, size=len(asked))
    return {row: similarity(asked, vector) for row in rows if (vector := vectors.get(blobs[row]))}


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Return a vector of length 1 for each text.

    Raises:
        UsageError: there are more or fewer vectors than texts, or they are not of one length.
    """
    if not texts:
        return []
    made: list[Vector] = [unit(vector) for vector in embedder.embed(texts)]
    if len(made) != len(texts) or len({len(vector) for vector in made}) > 1:
        raise UsageError(
            f"the embedder {embedder.name} gave {len(made)} vectors for {len(texts)} texts, or not all of one length",
            hint="embed(texts) must return one vector for each text, all of one length",
        )
    return made


def vectors_of(view: View, files: Mapping[str, MemoryFile]) -> dict[str, Dense]:
    """Return the vector of each file, of length 1 and by the same name, for `beliefs.clustering`.

    Args:
        view: the vault; it has an embedder.
        files: memories that the viewer may see.

    Raises:
        UsageError: the embedder gives no vectors.
    """
    if view.embedder is None:
        return {}
    repository = view.history.repository
    digest = repository.object_format if repository else "sha1"
    blobs = {name: digests.blob_id(file.data, digest) for name, file in files.items()}
    wanted = {blobs[name]: partial(_said, file.memory.title, file.memory.body) for name, file in files.items()}
    vectors = _vectors(view, view.embedder, wanted)
    return {name: Dense(vectors[blob]) for name, blob in blobs.items()}


def _said(title: str | None, body: str) -> str:
    """Return the text that is embedded of a memory."""
    own = title if title and title != default_title(body) else ""
    return f"{own}\n{body}".strip() or NOTHING


def _vectors(
    view: View,
    embedder: Embedder,
    wanted: Mapping[str, Callable[[], str | None]],
    *,
    size: int | None = None,
) -> dict[str, Vector]:
    """Return the vectors of the wanted blobs; those that were missing are made and kept.

    Those of files that are gone are dropped where the vault's owner looks, who alone sees which these are.

    Vectors that are not of the size, where one is given, are no longer this embedder's.
    """
    kept = view.vectors.last(embedder.name)
    known = {blob: vector for blob, vector in kept.items() if size in (None, len(vector))}
    missing = [blob for blob in wanted if blob not in known]
    made: dict[str, Vector] = {}
    try:
        for start in range(0, len(missing), AT_ONCE):
            texts = {blob: text for blob in missing[start : start + AT_ONCE] if (text := wanted[blob]())}
            made.update(zip(texts, embedded(embedder, list(texts.values())), strict=True))
            if len(missing) > AT_ONCE:
                view.vectors.tell(min(start + AT_ONCE, len(missing)), len(missing))
    finally:
        # One that is stopped halfway has not worked for nothing.
        if made:
            view.vectors.keep(embedder.name, {blob: known[blob] for blob in _alive(view, known)} | made)
    return known | made


def _alive(view: View, known: Collection[str]) -> Collection[str]:
    """Return the blobs among those known that the vault still has, as far as the viewer can tell."""
    if not view.is_owners:
        return known
    blobs = view.column("blob")
    now = {blobs[row] for row in view.whole.rows}
    return [blob for blob in known if blob in now]


# -- words and meaning as one score ----------------------------------------------------------------


VECTOR_WEIGHT = 0.3  # against 0.7 for words
# What is less like the query is not found by its meaning alone; seed 002's minimum vector similarity.
LEAST_SIMILARITY = 0.25


def unit(vector: Iterable[float]) -> array[float]:
    """Return a vector of length 1 that points the same way; zeros where it points nowhere, or is not finite."""
    found = array("f", vector)
    length = math.sqrt(sum(map(mul, found, found)))
    return array("f", (value / length if 0 < length < math.inf else 0.0 for value in found))


def similarity(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of two vectors of length 1, in [0,1]: what points away is as unlike as can be."""
    return min(1.0, max(0.0, float(sum(map(mul, left, right)))))


def fused(
    lexical: Mapping[int, float], similar: Mapping[int, float], *, vector_weight: float = VECTOR_WEIGHT
) -> dict[int, float]:
    """Return a score in [0,1] for whatever has one of the two.

    Args:
        lexical: scores of any scale, 0 or more; they count as shares of the best.
        similar: similarities in [0,1], which count as they are: the best may still be far off.
        vector_weight: what these weigh, in [0,1]; with 0 the lexical order stands.
    """
    top = max(lexical.values(), default=0.0) or 1.0
    rows = [*lexical, *(row for row in similar if row not in lexical)]
    words = 1 - vector_weight
    return {row: words * lexical.get(row, 0.0) / top + vector_weight * similar.get(row, 0.0) for row in rows}


class Dense(Mapping[int, float]):
    """A vector of an embedder: all of its numbers, by their place.

    Args:
        numbers: of a length that all vectors share.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Sequence[float]) -> None:
        self._numbers = numbers

    def __getitem__(self, at: int) -> float:
        return self._numbers[at]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._numbers)))

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and 0 <= at < len(self._numbers)
