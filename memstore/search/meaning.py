"""Similarity in meaning between a text and memories, from vectors; missing ones are made, for visible memories only.

A memory has one vector as a whole and one for each of its lines. A line is embedded after the memory's title and, in a
conversation, after what was said before it, because a line by itself rarely says what it is about.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, partial
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core import digests
from memstore.core.errors import UsageError
from memstore.core.titles import default_title, title_of
from memstore.files.passages import SAYS_NOTHING, passages
from memstore.history import HISTORY
from memstore.search import EMBEDDER, INDEX, VECTORS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.files.fence import FencedText
    from memstore.files.memory_file import MemoryFile
    from memstore.search.facets import Embedder

    Vector = Sequence[float]


AT_ONCE = 32  # texts embedded between two progress reports
NOTHING = "…"  # replaces a text without words


class Similar(NamedTuple):
    """The similarity in meaning of rows to a text, in [0,1], scaled by `Background`; a row's is that of its best part.

    `lines` has the similarity of each line, by its number in the file; 0 is the memory as a whole.
    """

    rows: Mapping[int, float]
    lines: Mapping[int, Mapping[int, float]]


NOT_SIMILAR = Similar({}, {})


def similar_rows(then: View, rows: Sequence[int], text: str, *, literal: bool = False) -> Similar:
    """Return the similarity in meaning of these visible rows to a text.

    Empty if no embedder is configured or the view is of a past state, which is searched by words alone.

    Args:
        then: the vault at the time in question.
        rows: the rows.
        text: the text.
        literal: whether to return cosines as they are, whatever is usual between texts of the vault.

    Raises:
        UsageError: the embedder does not return valid vectors.
    """
    embedder = then.of(EMBEDDER)
    if embedder is None or then.is_past or not (rows and text.strip()):
        return NOT_SIMILAR
    # A model that was trained to distinguish questions from texts has a separate method for them.
    (asked,) = embedded(embedder, [text], embed=getattr(embedder, "embed_queries", embedder.embed))
    blobs = then.column("blob")

    def texts_of(row: int) -> dict[int, str]:
        file = then.of(INDEX).opened(row)
        if file is None or file.entry.blob != blobs[row]:
            return {}  # just saved: the next search will find it
        return _texts(file.entry.title, file.text)

    wanted = {blobs[row]: lambda row=row: texts_of(row) for row in rows}
    vectors = _vectors(then, embedder, wanted | {USUAL: lambda: dict(enumerate(UNRELATED))}, size=len(asked))
    places = {part: _place_of(part) for part in vectors}
    parts = [(*places[part], vector) for part, vector in vectors.items() if places[part][0] in wanted]
    cosines = similarities(asked, [vector for *_, vector in parts])
    unrelated = [vector for part, vector in vectors.items() if places[part][0] == USUAL]
    background = RAW if literal else background_of(unrelated)
    alike: dict[str, dict[int, float]] = defaultdict(dict)
    for (blob, line, _), cosine in zip(parts, cosines, strict=True):
        alike[blob][line] = background.scaled(cosine)
    known = {row: alike[blobs[row]] for row in rows if blobs[row] in alike}
    return Similar({row: max(its.values()) for row, its in known.items()}, known)


def embedded(
    embedder: Embedder, texts: Sequence[str], *, embed: Callable[[Sequence[str]], Sequence[Vector]] | None = None
) -> list[Vector]:
    """Return a vector of length 1 for each text.

    Args:
        embedder: the embedder.
        texts: the texts.
        embed: the embedder's method to call; by default the one for memory texts.

    Raises:
        UsageError: there are more or fewer vectors than texts, or their dimensions differ.
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
    """Return the vector of each file, of length 1, under the same name, for `beliefs.clustering`.

    Args:
        view: the vault; without an embedder, the result is empty.
        files: memories that the viewer may see, by name.

    Raises:
        UsageError: the embedder does not return valid vectors.
    """
    embedder = view.of(EMBEDDER)
    if embedder is None:
        return {}
    repository = view.of(HISTORY).repository
    digest = repository.object_format if repository else "sha1"
    blobs = {name: digests.blob_id(file.data, digest) for name, file in files.items()}
    wanted = {blobs[name]: partial(_texts, title_of(file.memory), file.text) for name, file in files.items()}
    vectors = _vectors(view, embedder, wanted)
    return {name: Dense(vectors[blob]) for name, blob in blobs.items()}


# -- the embedded texts of a memory ----------------------------------------------------------------


_WHOLE = 0  # in place of a line number


def _texts(title: str, text: FencedText) -> dict[int, str]:
    """Return the texts of a memory to embed, by line number: the whole, and each line if there is more than one.

    A line is preceded by the title and its heading, and in a conversation by what was said before.
    """
    own = title if title and title != default_title(text.body) else ""
    said = f"{own}\n{text.body}".strip()
    whole = {_WHOLE: said if says_something(said) else NOTHING}
    lines: dict[int, str] = {}
    before = ""
    for passage in passages(text.body, first_line=text.body_line):
        if passage.kind in SAYS_NOTHING:
            continue
        around = (title, *passage.headings[-1:], before if passage.speaker else "")
        its_lines = passage.text.split("\n")
        for number, line in enumerate(its_lines, passage.line_end - len(its_lines) + 1):
            if says_something(line):
                lines[number] = "\n".join(dict.fromkeys(filter(None, (*around, line.strip()))))
        before = passage.text
    return whole | lines if len(lines) > 1 else whole


def says_something(line: str) -> bool:
    """Whether a line has a word; numbers, rules and punctuation alone mean nothing, and models find them anywhere."""
    return any(map(str.isalpha, line))


def _part_of(blob: str, line: int) -> str:
    """Return the name under which the vector of a part is stored; the inverse of `_place_of`."""
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
    """Return the vectors of the parts of the wanted blobs, by `_part_of`; missing ones are made and stored.

    If the viewer is the vault's owner, vectors of deleted files are dropped; only the owner can tell which these are.

    If `size` is given, vectors of another size are ignored, because they come from another model.
    """
    kept = view.of(VECTORS).last(embedder.name)
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
                    view.of(VECTORS).tell(done, len(missing))
    finally:
        # Store what was made so far, even if the run is interrupted.
        if made:
            view.of(VECTORS).keep(embedder.name, {part: known[part] for part in _alive(view, known)} | made)
    return known | made


def _alive(view: View, known: Collection[str]) -> Collection[str]:
    """Return the known parts of files that are still in the vault, as far as the viewer can tell."""
    if not view.is_owners:
        return known
    blobs = view.column("blob")
    now = {blobs[row] for row in view.whole.rows}
    return [part for part in known if _place_of(part)[0] in now or _place_of(part)[0] == USUAL]


# -- what is usual ---------------------------------------------------------------------------------


class Background(NamedTuple):
    """What is usual between any two texts, and means nothing: 0.05 for some models, 0.75 for others."""

    median: float

    def scaled(self, cosine: float) -> float:
        """Return a cosine on a scale that is about the same for all models, in [0,1]: what is usual is 0."""
        return min(1.0, max(0.0, (cosine - self.median) / (1 - self.median)))


RAW = Background(0.0)
USUAL = "usual"  # in place of a blob
MOST_USUAL = 0.95
# Texts that have nothing to do with each other. Lines of one vault are no measure: those of conversations between two
# people are all alike, and questions about them are not (docs/search.md, "By meaning").
UNRELATED = (
    "The train to the coast leaves at ten past six.", "She planted two rows of beans behind the shed.",
    "The function returns an empty list if no file matches.", "His grandfather repaired clocks in a small town.",
    "Add the salt only after the lentils are soft.", "The court dismissed the claim for lack of evidence.",
    "A heron stood in the shallow water all morning.", "The printer is out of toner again.",
    "Their first album was recorded in a church.", "Interest rates were raised by a quarter of a point.",
    "The dog needs its second vaccination in March.", "We lost three to one in the rain.",
    "The bridge will be closed to lorries until autumn.", "He speaks Portuguese with his mother.",
    "Lightning struck the antenna on the roof.", "The lease ends two months after written notice.",
    "Her knee hurts when she climbs stairs.", "The museum shows maps of the eighteenth century.",
    "Please forward the invoice to the accountant.", "Glaciers carve wide valleys over thousands of years.",
)  # fmt: skip


def background_of(vectors: Sequence[Vector]) -> Background:
    """Return what is usual, given the vectors of texts that have nothing to do with each other."""
    cosines = sorted(sum(map(mul, one, other)) for at, one in enumerate(vectors) for other in vectors[:at])
    median = cosines[len(cosines) // 2] if cosines else 0.0
    return Background(min(MOST_USUAL, max(0.0, median)))


# -- words and meaning as one score ----------------------------------------------------------------


VECTOR_WEIGHT = 0.45  # against 0.6 for words; docs/search.md, "By meaning"
# Whoever gives other words for it knows better than a model how it may have been said.
VECTOR_WEIGHT_BESIDE_ALSO = 0.2
# A memory with a lower similarity is not found by its meaning alone; seed 002's minimum vector similarity.
LEAST_SIMILARITY = 0.25


def unit(vector: Iterable[float]) -> array[float]:
    """Return the vector scaled to length 1; all zeros if its length is 0 or not finite."""
    found = array("f", vector)
    length = math.sqrt(sum(map(mul, found, found)))
    return array("f", (value / length if 0 < length < math.inf else 0.0 for value in found))


def similarity(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of two vectors of length 1, in [0,1]; a negative cosine counts as 0."""
    return min(1.0, max(0.0, float(sum(map(mul, left, right)))))


def similarities(asked: Vector, vectors: Sequence[Vector]) -> list[float]:
    """Return the similarity of each vector to `asked`; uses numpy if it is installed, as it is with a real model."""
    if (numpy := numpy_if_there()) is None or not vectors:
        return [similarity(asked, vector) for vector in vectors]
    asked_row, *rows = (numpy.asarray(vector, dtype=numpy.float32) for vector in (asked, *vectors))
    found: list[float] = numpy.clip(numpy.stack(rows) @ asked_row, 0.0, 1.0).tolist()
    return found


@cache
def numpy_if_there() -> Any:
    """Return numpy, which comes with the extra `semantic`, or None if it is not installed."""
    try:
        import numpy as np
    except ImportError:
        return None
    return np


def fused(words: float, alike: float, *, vector_weight: float = VECTOR_WEIGHT) -> float:
    """Combine two scores into one in [0,1]. All are absolute: even the best result may have a low score.

    Args:
        words: the relevance by words, in [0,1].
        alike: the similarity in meaning, in [0,1].
        vector_weight: the weight of the similarity, in [0,1]; with 0, only the words count.
    """
    return (1 - vector_weight) * words + vector_weight * alike


class Dense(Mapping[int, float]):
    """A vector of an embedder as a mapping of index to number.

    Args:
        numbers: the numbers; as many as in all other vectors.
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
