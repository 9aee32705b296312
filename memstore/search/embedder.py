"""Texts as vectors that lie close together where the texts mean alike things; always optional.

An embedder comes from a folder on this machine: `model.onnx`, run with onnxruntime, and `tokenizer.json`. No download.
Vectors lie in the user's cache, one file an embedder, of which nobody else can have written a byte.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import zlib
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.errors import UsageError
from memstore.files.local_state import is_private, make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memstore.search.meaning import Vector


# -- from a folder ---------------------------------------------------------------------------------


MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
# Small models were trained on about so many; what is longer is known by its beginning.
MOST_TOKENS = 256


class Recipe(NamedTuple):
    """How a model wants to be used, as it was trained.

    `pooling` is how its vectors of tokens become one: their "mean", the first one's ("cls"), or the "last" one's. The
    prefixes stand before what is asked, and before a text of a memory.
    """

    pooling: str = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""


USUAL = Recipe()


def load_embedder(folder: Path, recipe: Recipe = USUAL) -> OnnxEmbedder:
    """Return the embedder in a folder.

    Raises:
        UsageError: a file or a package is missing, or a file can't be used.
    """
    missing = [name for name in (MODEL, TOKENIZER) if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"the embedder {folder} has no {' and no '.join(missing)}",
            hint="docs/search.md says what belongs there; `memstore config --user embedder --unset` does without",
        )
    try:
        import numpy as np
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise UsageError(
            f"the embedder {folder} needs a package that is not there: {error.name}",
            hint="pip install 'memstore-vault[semantic]'; `memstore config --user embedder --unset` does without",
        ) from error
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        session = onnxruntime.InferenceSession(str(folder / MODEL), providers=["CPUExecutionProvider"])
    except Exception as error:  # what they raise is no class of their own
        raise UsageError(f"the embedder {folder} can't be loaded: {error}", hint="is it the whole model?") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return OnnxEmbedder(
        _name(folder, recipe), tokenizer, session, recipe, to_tensor=lambda rows: np.array(rows, dtype=np.int64)
    )


class OnnxEmbedder:
    """Embeds texts by the last layer of a model: the mean over it, or one of its tokens.

    Each text is run by itself: padded to others beside it, its vector would differ in the last digits.

    Args:
        name: names the model.
        tokenizer: has `encode(text)`, which gives `ids`, `attention_mask` and `type_ids`.
        session: has `get_inputs()` and `run(None, inputs)`, which gives vectors of the tokens, or one of the text.
        recipe: how the model wants to be used.
        to_tensor: makes the runtime's integers of rows of them.
    """

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        session: Any,
        recipe: Recipe = USUAL,
        *,
        to_tensor: Callable[[list[list[int]]], Any],
    ) -> None:
        self.name = name
        self._usage = recipe
        self._tokenizer = tokenizer
        self._session = session
        self._to_tensor = to_tensor
        self._wanted = {one.name for one in session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each text of a memory; `UsageError` where the model is none that embeds texts."""
        return self._with_prefix(self._usage.passage_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each text that is asked; raises what `embed` does."""
        return self._with_prefix(self._usage.query_prefix, texts)

    def _with_prefix(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        try:
            return [self._embedded(prefix + text) for text in texts]
        except Exception as error:  # what the runtime raises is no class of its own
            raise UsageError(
                f"the embedder {self.name} can't be run: {error}",
                hint="its model must take input_ids and give vectors; docs/search.md says more",
            ) from error

    def _embedded(self, text: str) -> Vector:
        tokens = self._tokenizer.encode(text)
        inputs = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.type_ids}
        given = {name: self._to_tensor([list(row)]) for name, row in inputs.items() if name in self._wanted}
        (found,) = self._session.run(None, given)[0]
        rows = found.tolist()
        if not isinstance(rows[0], list):
            return list(map(float, rows))
        if self._usage.pooling != "mean":
            return list(rows[0 if self._usage.pooling == "cls" else -1])
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _name(folder: Path, recipe: Recipe) -> str:
    """Return a name that changes with the files, and with what else changes the vectors of memories' texts.

    Reading a whole model for it would take long.
    """
    stats = [(folder / name).stat() for name in (MODEL, TOKENIZER)]
    files = ":".join(f"{stat.st_size}-{stat.st_mtime_ns}" for stat in stats)
    is_usual = recipe._replace(query_prefix="") == USUAL
    return f"onnx:{folder.resolve()}:{files}" + ("" if is_usual else f":{recipe.pooling}:{recipe.passage_prefix}")


# -- vector store ----------------------------------------------------------------------------------


VERSION = 1
_FOLDER = "vectors"


class DiskVectors:
    """A folder of vectors.

    Args:
        cache: the folder for what is derived from the vault; it is used only while nobody else can write into it.
        on_progress: told how many of how many vectors are made.
    """

    def __init__(self, cache: Path, *, on_progress: Callable[[int, int], None] | None = None) -> None:
        self._cache = cache
        self._folder = cache / _FOLDER
        self._on_progress = on_progress

    def last(self, name: str) -> dict[str, Vector]:
        """Return the vectors that were kept for an embedder of that name; none where they can't be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return {}
        try:
            return _read(self._place(name).read_bytes(), name)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these vectors, all of one length, in place of the last ones; not being able to is no error."""
        from memstore.files.local_state import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._place(name), _written(name, vectors), mode=0o600)

    def tell(self, done: int, count: int) -> None:
        """Tell whoever waits how many texts of how many have their vectors."""
        if self._on_progress:
            self._on_progress(done, count)

    def _place(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode()).hexdigest()[:32]


def drop_vectors(cache: Path) -> None:
    """Delete all vectors in a cache: a vector tells something of the text that it was made of.

    What can't be deleted is in a cache that can't be written: the index there stays too.
    """
    with suppress(OSError):
        shutil.rmtree(cache / _FOLDER)


def drop_vectors_of_all(cache_home: Path) -> None:
    """Delete the vectors of all vaults whose caches lie below a folder."""
    for folder in (cache_home / "memstore").glob("*/"):
        drop_vectors(folder)


def _written(name: str, vectors: Mapping[str, Vector]) -> bytes:
    facts = {"version": VERSION, "byteorder": sys.byteorder, "name": name, "blobs": list(vectors)}
    numbers = array("f", (value for vector in vectors.values() for value in vector))
    whole = json.dumps(facts).encode() + b"\n" + numbers.tobytes()
    return b"%08x %s" % (zlib.crc32(whole), whole)


def _read(data: bytes, name: str) -> dict[str, Vector]:
    whole = memoryview(data)[9:]
    if int(data[:8], 16) != zlib.crc32(whole):
        return {}
    end = data.index(b"\n") + 1
    facts = json.loads(data[9:end])
    if (facts["version"], facts["byteorder"], facts["name"]) != (VERSION, sys.byteorder, name):
        return {}
    numbers = array("f")
    numbers.frombytes(data[end:])
    blobs = facts["blobs"]
    size = len(numbers) // len(blobs) if blobs else 0
    return {blob: numbers[at * size : (at + 1) * size] for at, blob in enumerate(blobs)}
