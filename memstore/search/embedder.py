"""Turn texts into vectors that are close together for similar meanings; always optional.

An embedder is a local folder with `model.onnx`, run with onnxruntime, and `tokenizer.json`; nothing is downloaded.
Vectors are kept in the user's cache, in one file per embedder that nobody else can write to.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import zlib
from array import array
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.errors import UsageError
from memstore.files.local_state import is_private, make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from memstore.search.meaning import Vector


# -- from a folder ---------------------------------------------------------------------------------


MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
# About the length that small models were trained on; only the beginning of a longer text is embedded.
MOST_TOKENS = 256


class Recipe(NamedTuple):
    """How a model must be used, according to its training.

    `pooling` says how the token vectors become one: their "mean", the first one ("cls"), or the "last" one. The
    prefixes are put before a query and before a memory's text.
    """

    pooling: str = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""


USUAL = Recipe()


def load_embedder(folder: Path, recipe: Recipe = USUAL) -> OnnxEmbedder:
    """Return the embedder in a folder.

    Raises:
        UsageError: a file or package is missing, or the model can't be loaded.
    """
    needs = Needs("the embedder", "docs/search.md", "memstore config --user embedder --unset")
    model = run_in(folder, (MODEL, TOKENIZER), needs)
    return OnnxEmbedder(_name(folder, recipe), model.tokenizer, model.session, recipe, to_tensor=model.to_tensor)


class FolderEmbedder:
    """The embedder in a folder, loaded when a text is first embedded, or its name is asked for.

    Args:
        folder: where it is.
        recipe: how the model must be used.
    """

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        self._folder, self._recipe = folder, recipe

    @property
    def name(self) -> str:
        """The name of the model; `UsageError` if it can't be loaded, as from all of these."""
        return self._loaded.name

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each memory text."""
        return self._loaded.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each query text."""
        return self._loaded.embed_queries(texts)

    @cached_property
    def _loaded(self) -> OnnxEmbedder:
        return load_embedder(self._folder, self._recipe)


class Needs(NamedTuple):
    """What messages about a model's folder say: what it is, where its files are explained, what does without."""

    what: str
    explained: str
    without: str


class Runnable(NamedTuple):
    """A model that was loaded: its tokenizer, its session, and what turns rows of integers into a tensor."""

    tokenizer: Any
    session: Any
    to_tensor: Callable[[list[list[int]]], Any]


def run_in(folder: Path, files: Sequence[str], needs: Needs) -> Runnable:
    """Return the model in a folder, loaded.

    Args:
        folder: where it is.
        files: the names of its files; the first one is the model, the second one the tokenizer.
        needs: what the messages say.

    Raises:
        UsageError: a file or package is missing, or the model can't be loaded.
    """
    if missing := [name for name in files if not (folder / name).is_file()]:
        raise UsageError(
            f"{needs.what} {folder} has no {' and no '.join(missing)}",
            hint=f"{needs.explained} says what belongs there; `{needs.without}` does without",
        )
    try:
        import numpy as np
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise UsageError(
            f"{needs.what} {folder} needs a package that is not there: {error.name}",
            hint=f"pip install 'memstore-vault[semantic]'; `{needs.without}` does without",
        ) from error
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / files[1]))
        session = onnxruntime.InferenceSession(str(folder / files[0]), providers=["CPUExecutionProvider"])
    except Exception as error:  # these packages have no exception class of their own
        raise UsageError(f"{needs.what} {folder} can't be loaded: {error}", hint="is it the whole model?") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return Runnable(tokenizer, session, lambda rows: np.array(rows, dtype=np.int64))


def inputs_of(tokens: Any, session: Any, to_tensor: Callable[[list[list[int]]], Any]) -> dict[str, Any]:
    """Return the inputs that a model takes for a text, or a pair of texts, that its tokenizer has encoded."""
    wanted = {one.name for one in session.get_inputs()}
    inputs = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.type_ids}
    return {name: to_tensor([list(row)]) for name, row in inputs.items() if name in wanted}


def mark_of(files: Sequence[Path]) -> str:
    """Return a mark that changes with files: by size and modification time, as reading a model takes too long."""
    stats = [file.stat() for file in files]
    return ":".join(f"{stat.st_size}-{stat.st_mtime_ns}" for stat in stats)


class OnnxEmbedder:
    """Embeds texts with the last layer of a model: the mean over its tokens, or one of them.

    Each text is run by itself: padding it to the length of others would change the last digits of its vector.

    Args:
        name: the name of the model.
        tokenizer: has `encode(text)`, which returns `ids`, `attention_mask` and `type_ids`.
        session: has `get_inputs()` and `run(None, inputs)`, which returns the token vectors, or one of the text.
        recipe: how the model must be used.
        to_tensor: converts rows of integers to the runtime's tensor type.
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

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each memory text; raise `UsageError` if the model can't embed texts."""
        return self._with_prefix(self._usage.passage_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each query text; raises the same errors as `embed`."""
        return self._with_prefix(self._usage.query_prefix, texts)

    def _with_prefix(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        try:
            return [self._embedded(prefix + text) for text in texts]
        except Exception as error:  # the runtime has no exception class of its own
            raise UsageError(
                f"the embedder {self.name} can't be run: {error}",
                hint="its model must take input_ids and give vectors; docs/search.md says more",
            ) from error

    def _embedded(self, text: str) -> Vector:
        tokens = self._tokenizer.encode(text)
        (found,) = self._session.run(None, inputs_of(tokens, self._session, self._to_tensor))[0]
        rows = found.tolist()
        if not isinstance(rows[0], list):
            return list(map(float, rows))
        if self._usage.pooling != "mean":
            return list(rows[0 if self._usage.pooling == "cls" else -1])
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _name(folder: Path, recipe: Recipe) -> str:
    """Return a name that changes with anything that changes the vectors of memory texts: the files and the recipe."""
    files = mark_of([folder / name for name in (MODEL, TOKENIZER)])
    is_usual = recipe._replace(query_prefix="") == USUAL
    return f"onnx:{folder.resolve()}:{files}" + ("" if is_usual else f":{recipe.pooling}:{recipe.passage_prefix}")


# -- vector store ----------------------------------------------------------------------------------


VERSION = 1
_FOLDER = "vectors"


class DiskVectors:
    """A folder of vectors.

    Args:
        cache: the folder for data derived from the vault; used only if nobody else can write to it.
        on_progress: called with the number of vectors made and the total.
    """

    def __init__(self, cache: Path, *, on_progress: Callable[[int, int], None] | None = None) -> None:
        self._cache = cache
        self._folder = cache / _FOLDER
        self._on_progress = on_progress

    def last(self, name: str) -> dict[str, Vector]:
        """Return the stored vectors of the embedder with that name; none if they can't be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return {}
        try:
            return _read(self._place(name).read_bytes(), name)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Store these vectors, all of one length, in place of the last ones; a failed write is not an error."""
        from memstore.files.local_state import write_whole

        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._place(name), _vector_bytes(name, vectors), mode=0o600)

    def tell(self, done: int, count: int) -> None:
        """Report how many of how many texts have vectors."""
        if self._on_progress:
            self._on_progress(done, count)

    def _place(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode()).hexdigest()[:32]


def drop_vectors(cache: Path) -> None:
    """Delete all vectors in a cache, because a vector reveals something about its text.

    Errors are ignored: if the cache can't be written, its index can't be deleted either.
    """
    with suppress(OSError):
        shutil.rmtree(cache / _FOLDER)


def drop_vectors_of_all(cache_home: Path) -> None:
    """Delete the vectors of all vaults that have their caches below a folder."""
    for folder in (cache_home / "memstore").glob("*/"):
        drop_vectors(folder)


def _vector_bytes(name: str, vectors: Mapping[str, Vector]) -> bytes:
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
