"""How like a text in meaning memories are: their vectors, made where they are missing, and only of what may be seen.

A memory has a vector as a whole and one for each of its lines. A line is embedded with the memory's title before it,
and in a conversation with what was said before: a line by itself rarely says what it is about.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, partial
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memstore.core import digests
from memstore.core.errors import UsageError
from memstore.core.memory import default_title, title_of
from memstore.files.passages import SAYS_NOTHING, passages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.files.fence import FencedText
    from memstore.files.memory_file import MemoryFile

    Vector = Sequence[float]


AT_ONCE = 32  # texts that are embedded before it is told how far it is
NOTHING = "…"  # stands for a text that is empty


class Embedder(Protocol):
    """Turns texts into vectors. A text's vector depends on that text alone, and not on those beside it."""

    @property
    def name(self) -> str:
        """Names the model: vectors are kept under it, so whatever changes them changes the name."""

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, all of one length; their own lengths do not matter."""


class VectorStore(Protocol):
    """Keeps the vectors of memories and their lines, by the file's blob id; what is lost is made again."""

    def last(self, name: str) -> dict[str, Vector]:
        """Return the vectors that were kept for an embedder of that name; none where they can't be read."""

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these vectors, all of one length, in place of the last ones; not being able to is no error."""

    def tell(self, done: int, count: int) -> None:
        """Tell whoever waits how many texts of how many have their vectors."""


class Similar(NamedTuple):
    """How like a text in meaning rows are, in [0,1], each as its best part is.

    `lines` says it of their lines, as they are numbered in the file; 0 stands for the whole.
    """

    rows: Mapping[int, float]
    lines: Mapping[int, Mapping[int, float]]


NOT_SIMILAR = Similar({}, {})


def similar_rows(then: View, rows: Sequence[int], text: str) -> Similar:
    """Return how like a text in meaning these visible rows are.

    Nothing where no embedder is configured; a past state of the vault is searched by its words alone.

    Raises:
        UsageError: the embedder gives no vectors.
    """
    embedder = then.embedder
    if embedder is None or then.is_past or not (rows and text.strip()):
        return NOT_SIMILAR
    # A model that was trained to tell questions from texts has a way of its own for them.
    (asked,) = embedded(embedder, [text], embed=getattr(embedder, "embed_queries", embedder.embed))
    blobs = then.column("blob")

    def texts_of(row: int) -> dict[int, str]:
        file = then.opened(row)
        if file is None or file.entry.blob != blobs[row]:
            return {}  # saved a moment ago: the next search knows it
        return _texts(file.entry.title, file.text)

    wanted = {blobs[row]: lambda row=row: texts_of(row) for row in rows}
    parts = [
        (blob, line, vector)
        for part, vector in _vectors(then, embedder, wanted, size=len(asked)).items()
        for blob, line in [_place_of(part)]
        if blob in wanted
    ]
    alike: dict[str, dict[int, float]] = defaultdict(dict)
    for (blob, line, _), value in zip(parts, similarities(asked, [vector for *_, vector in parts]), strict=True):
        alike[blob][line] = value
    known = {row: alike[blobs[row]] for row in rows if blobs[row] in alike}
    return Similar({row: max(its.values()) for row, its in known.items()}, known)


def embedded(
    embedder: Embedder, texts: Sequence[str], *, embed: Callable[[Sequence[str]], Sequence[Vector]] | None = None
) -> list[Vector]:
    """Return a vector of length 1 for each text.

    Args:
        embedder: what turns texts into vectors.
        texts: the texts.
        embed: its way to do so; that for texts of memories by default.

    Raises:
        UsageError: there are more or fewer vectors than texts, or they are not of one length.
    """
    if not texts:
        return []
    made: list[Vector] = [unit(vector) for vector in (embed or embedder.embed)(texts)]
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
    wanted = {blobs[name]: partial(_texts, title_of(file.memory), file.text) for name, file in files.items()}
    vectors = _vectors(view, view.embedder, wanted)
    return {name: Dense(vectors[blob]) for name, blob in blobs.items()}


# -- what is embedded of a memory ------------------------------------------------------------------


_WHOLE = 0  # in place of a line


def _texts(title: str, text: FencedText) -> dict[int, str]:
    """Return what is embedded of a memory: all of it, and where it has several lines these, by their place in the file.

    A line has the title and its heading before it, and in a conversation what was said before.
    """
    own = title if title and title != default_title(text.body) else ""
    whole = {_WHOLE: f"{own}\n{text.body}".strip() or NOTHING}
    lines: dict[int, str] = {}
    before = ""
    for passage in passages(text.body, first_line=text.body_line):
        if passage.kind in SAYS_NOTHING:
            continue
        around = (title, *passage.headings[-1:], before if passage.speaker else "")
        said = passage.text.split("\n")
        for number, line in enumerate(said, passage.line_end - len(said) + 1):
            if line.strip():
                lines[number] = "\n".join(dict.fromkeys(filter(None, (*around, line.strip()))))
        before = passage.text
    return whole | lines if len(lines) > 1 else whole


def _part_of(blob: str, line: int) -> str:
    """Return under which name the vector of a part is kept; the reverse of `_place_of`."""
    return f"{blob}:{line}" if line != _WHOLE else blob


def _place_of(part: str) -> tuple[str, int]:
    blob, _, line = part.partition(":")
    return blob, int(line or _WHOLE)


def _vectors(
    view: View,
    embedder: Embedder,
    wanted: Mapping[str, Callable[[], Mapping[int, str]]],
    *,
    size: int | None = None,
) -> dict[str, Vector]:
    """Return the vectors of the wanted blobs' parts, by `_part_of`; those that were missing are made and kept.

    Those of files that are gone are dropped where the vault's owner looks, who alone sees which these are.

    Vectors that are not of the size, where one is given, are no longer this embedder's.
    """
    kept = view.vectors.last(embedder.name)
    known = {part: vector for part, vector in kept.items() if size in (None, len(vector))}
    missing = [blob for blob in wanted if blob not in known]
    made: dict[str, Vector] = {}
    waiting: dict[str, str] = {}
    try:
        for done, blob in enumerate(missing, 1):
            waiting |= {_part_of(blob, line): text for line, text in wanted[blob]().items()}
            if len(waiting) >= AT_ONCE or done == len(missing):
                made.update(zip(waiting, embedded(embedder, [*waiting.values()]), strict=True))
                waiting.clear()
                if len(missing) > AT_ONCE:
                    view.vectors.tell(done, len(missing))
    finally:
        # One that is stopped halfway has not worked for nothing.
        if made:
            view.vectors.keep(embedder.name, {part: known[part] for part in _alive(view, known)} | made)
    return known | made


def _alive(view: View, known: Collection[str]) -> Collection[str]:
    """Return the parts among those known of which the vault still has the file, as far as the viewer can tell."""
    if not view.is_owners:
        return known
    blobs = view.column("blob")
    now = {blobs[row] for row in view.whole.rows}
    return [part for part in known if _place_of(part)[0] in now]


# -- words and meaning as one score ----------------------------------------------------------------


VECTOR_WEIGHT = 0.45  # against 0.6 for words; docs/search.md, "By meaning"
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


def similarities(asked: Vector, vectors: Sequence[Vector]) -> list[float]:
    """Return the similarity of each vector to one; by numpy where that is there, as it is beside a real model."""
    if (numpy := numpy_if_there()) is None or not vectors:
        return [similarity(asked, vector) for vector in vectors]
    asked_row, *rows = (numpy.asarray(vector, dtype=numpy.float32) for vector in (asked, *vectors))
    found: list[float] = numpy.clip(numpy.stack(rows) @ asked_row, 0.0, 1.0).tolist()
    return found


@cache
def numpy_if_there() -> Any:
    """Return numpy, which comes with the extra `semantic`; None where it is not there."""
    try:
        import numpy as np
    except ImportError:
        return None
    return np


def fused(words: float, alike: float, *, vector_weight: float = VECTOR_WEIGHT) -> float:
    """Return one score for two, all of them absolute, in [0,1]: the best of several may still be far off.

    Args:
        words: the relevance by words.
        alike: the similarity in meaning.
        vector_weight: what that weighs, in [0,1]; with 0 the words alone count.
    """
    return (1 - vector_weight) * words + vector_weight * alike


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
