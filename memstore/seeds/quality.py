"""The calls of the document on quality (003): `store.add(…)` and `store.search(…)`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from memstore.conflicts.conflict import between
from memstore.conflicts.sides import side_of
from memstore.core.conflict import PENALTY, RESOLUTION
from memstore.core.digests import blob_id
from memstore.core.errors import UsageError
from memstore.documents.parts import conflict_document
from memstore.documents.search import answer_document
from memstore.face.given import opened
from memstore.files import FILES, memory_file
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.passages import LineMap
from memstore.memories.cite import cite_file
from memstore.memories.why import why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.face.vault import Vault


class MemoryStore:
    """Memories with citations and a quality, on an opened vault.

    Args:
        vault: the vault.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = opened(vault)

    def add(
        self,
        content: str,
        path: str,
        source_type: str,
        line_start: int | None = None,
        line_end: int | None = None,
        excerpt: str | None = None,
        tags: Sequence[str] = (),
    ) -> tuple[SimpleNamespace, list[SimpleNamespace]]:
        """Write a memory with the lines that it was taken from; return it and the conflicts that it raises.

        Args:
            content: what it says.
            path: the file that it was taken from, relative to the vault's folder; it need not exist.
            source_type: the document's: USER.md, MEMORY.md, AGENTS.md, session, heartbeat, inferred, fallback.
            line_start: the first line, from 1.
            line_end: the last line; None means the first.
            excerpt: what those lines say, stored if the file itself can't be cited.
            tags: words to find it by.

        Returns:
            The memory with `ref`, `content`, `confidence`, `citation`, `source_type` and `tags`; and each conflict with
            `conflict_type`, `penalty` and `suggested_resolution`.

        Raises:
            UsageError: the file does not have these lines, or the source type is unknown.
        """
        citation, mark = self._cited(path, line_start, line_end, excerpt)
        saved = self.vault.add(
            content,
            channel=source_type,
            tags=tags,
            derived_from=[mark],
            keys={} if citation["version_hash"] or not excerpt else {"excerpt": excerpt},
        )
        entry = SimpleNamespace(
            ref=saved.ref,
            path=saved.path,
            content=content,
            confidence=self._confidence(saved.ref or saved.path),
            citation=SimpleNamespace(**citation),
            source_type=source_type,
            tags=[*tags],
        )
        return entry, [SimpleNamespace(**conflict_document(conflict)) for conflict in saved.conflicts]

    def search(self, query: str, min_confidence: float | None = None, max_results: int = 10) -> dict[str, Any]:
        """Return the document's answer: `results` with `confidence`, `content` and `citation`, and `fallback`."""
        least = {} if min_confidence is None else {"min_confidence": min_confidence}
        return answer_document(self.vault.search(query, limit=max_results, **least).answer)  # type: ignore[arg-type]

    memory_search = search

    def memory_get(self, ref: str) -> dict[str, Any]:
        """Return one memory with what the document adds to it; this is a use of it."""
        shown = self.vault.show(ref)
        cited = self.vault.cite(ref).now
        return {
            "ref": shown.ref,
            "content": shown.memory.body.strip("\r\n"),
            "confidence": shown.quality,
            "citation": None if cited is None else cited._asdict(),
            "source_type": shown.memory.channel,
            "conflicts": [conflict_document(conflict) for conflict in shown.conflicts],
        }

    def _cited(
        self, path: str, line_start: int | None, line_end: int | None, excerpt: str | None
    ) -> tuple[dict[str, Any], str]:
        """Return the citation of a file's lines, and its mark that a memory keeps as its source."""
        last = line_start if line_end is None else line_end
        named = {"path": path, "line_start": line_start, "line_end": last}
        view = self.vault.view()
        try:
            data = view.of(FILES).read(view.root / path)
        except OSError:
            return {**named, "excerpt": excerpt, "version_hash": None}, f"file:{path}"
        if line_start is None or last is None:
            return {**named, "excerpt": excerpt, "version_hash": blob_id(data)}, f"file:{path}"
        mark = cite_file(view, path, data, f"{line_start}-{last}")
        text = LineMap(data).excerpt(line_start, last)
        return {**named, "excerpt": text, "version_hash": blob_id(data)}, mark

    def _confidence(self, ref: str) -> float:
        """Return the document's confidence, which is quality here; this is not a use of the memory."""
        quality = next(number for number in why(self.vault.view(), ref).numbers if number.name == "quality")
        return quality.value or 0.0


def detect_contradiction(a: str, b: str) -> SimpleNamespace | None:
    """Return how two texts contradict each other, None if they don't."""
    one, other = (side_of(_file(f"{name}.md", text)) for name, text in (("a", a), ("b", b)))
    found = between(one, other)
    if found is None:
        return None
    return SimpleNamespace(conflict_type=found.value, penalty=-PENALTY[found], suggested_resolution=RESOLUTION[found])


def _file(path: str, text: str) -> MemoryFile:
    file = memory_file.read(path, new_file({"type": "note"}, text))
    if not isinstance(file, MemoryFile):
        raise UsageError("this can't be the text of a memory")
    return file
