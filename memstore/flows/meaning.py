"""How like a text in meaning memories are: their vectors, made where they are missing, and only of what may be seen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memstore.codec import git_blob
from memstore.codec.titles import default_title
from memstore.errors import UsageError
from memstore.flows.opened import opened
from memstore.rules import fusion
from memstore.rules.clustering import Dense

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.flows.audience import View
    from memstore.ports.embedder import Embedder, Vector
    from memstore.ports.workspace import Workspace

AT_ONCE = 32
NOTHING = "…"  # stands for a text that is empty


def similar_rows(then: View, rows: Sequence[int], text: str) -> dict[int, float]:
    """Return how like a text in meaning each of these visible rows is, in [0,1].

    Nothing where no embedder is configured; a past state of the vault is searched by its words alone.

    Raises:
        UsageError: the embedder gives no vectors.
    """
    embedder = then.ws.embedder
    if embedder is None or then.is_past or not (rows and text.strip()):
        return {}
    (asked,) = embedded(embedder, [text])
    blobs = then.snapshot.catalog.column("blob")

    def text_of(row: int) -> str | None:
        file = opened(then, row)
        if file is None or file.entry.blob != blobs[row]:
            return None  # saved a moment ago: the next search knows it
        return _said(file.entry.title, file.text.body)

    wanted = {blobs[row]: lambda row=row: text_of(row) for row in rows}
    live = lambda: {blobs[row] for row in then.snapshot.catalog.memories}  # noqa: E731
    vectors = _vectors(then.ws, embedder, wanted, size=len(asked), live=live)
    return {row: fusion.similarity(asked, vector) for row in rows if (vector := vectors.get(blobs[row]))}


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Return a vector of length 1 for each text.

    Raises:
        UsageError: there are more or fewer vectors than texts, or they are not of one length.
    """
    if not texts:
        return []
    made: list[Vector] = [fusion.unit(vector) for vector in embedder.embed(texts)]
    if len(made) != len(texts) or len({len(vector) for vector in made}) > 1:
        raise UsageError(
            f"the embedder {embedder.name} gave {len(made)} vectors for {len(texts)} texts, or not all of one length",
            hint="embed(texts) must return one vector for each text, all of one length",
        )
    return made


def vectors_of(ws: Workspace, files: Mapping[str, MemoryFile]) -> dict[str, Dense]:
    """Return the vector of each file, of length 1 and by the same name, for `rules/clustering.py`.

    Args:
        ws: the vault; it has an embedder.
        files: memories that the viewer may see.

    Raises:
        UsageError: the embedder gives no vectors.
    """
    if ws.embedder is None:
        return {}
    repository = ws.history.repository
    digest = repository.object_format if repository else "sha1"
    blobs = {name: git_blob.blob_id(file.data, digest) for name, file in files.items()}
    wanted = {blobs[name]: partial(_said, file.memory.title, file.memory.body) for name, file in files.items()}
    vectors = _vectors(ws, ws.embedder, wanted)
    return {name: Dense(vectors[blob]) for name, blob in blobs.items()}


def _said(title: str | None, body: str) -> str:
    """Return the text that is embedded of a memory."""
    own = title if title and title != default_title(body) else ""
    return f"{own}\n{body}".strip() or NOTHING


def _vectors(
    ws: Workspace,
    embedder: Embedder,
    wanted: Mapping[str, Callable[[], str | None]],
    *,
    size: int | None = None,
    live: Callable[[], Collection[str]] | None = None,
) -> dict[str, Vector]:
    """Return the vectors of the wanted blobs; those that were missing are made and kept, of what is live.

    Vectors that are not of the size, where one is given, are no longer this embedder's.
    """
    kept = ws.vectors.last(embedder.name)
    known = {blob: vector for blob, vector in kept.items() if size in (None, len(vector))}
    missing = [blob for blob in wanted if blob not in known]
    made: dict[str, Vector] = {}
    try:
        for start in range(0, len(missing), AT_ONCE):
            texts = {blob: text for blob in missing[start : start + AT_ONCE] if (text := wanted[blob]())}
            made.update(zip(texts, embedded(embedder, list(texts.values())), strict=True))
            if len(missing) > AT_ONCE:
                ws.vectors.tell(min(start + AT_ONCE, len(missing)), len(missing))
    finally:
        # One that is stopped halfway has not worked for nothing.
        if made:
            alive = live() if live else known
            ws.vectors.keep(embedder.name, {blob: known[blob] for blob in known if blob in alive} | made)
    return known | made
