"""The calls of the document on quality (003): `store.add(…)` and `store.search(…)`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from memstore.conflicts.conflict import between
from memstore.conflicts.sides import side_of
from memstore.core.conflict import PENALTY, RESOLUTION
from memstore.core.errors import UsageError
from memstore.documents.parts import conflict_document
from memstore.documents.search import answer_document
from memstore.face.given import opened
from memstore.files import FILES, memory_file
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.passages import LineMap
from memstore.memories.cite import EXCERPT, FILE_MARK, cite_file, source_lines
from memstore.memories.why import why
from memstore.search.citations import MOST_LINE, lines_mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import Memory
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
            excerpt: what those lines say, kept if the file itself doesn't say the same there.
            tags: words to find it by.

        Returns:
            The memory with `ref`, `content`, `confidence`, `citation`, `source_type` and `tags`; and each conflict with
            `conflict_type`, `penalty` and `suggested_resolution`. The citation's `note` says if the file isn't there.

        Raises:
            UsageError: the file does not have these lines, or the source type is unknown.
        """
        mark, text = self._mark(path, line_start, line_end)
        kept = {EXCERPT: excerpt} if excerpt and excerpt != text else {}
        saved = self.vault.add(content, channel=source_type, tags=tags, derived_from=[mark], keys=kept)
        shown = self.vault.get(saved.ref or saved.path)
        entry = SimpleNamespace(
            ref=saved.ref,
            path=saved.path,
            content=content,
            confidence=self._confidence(saved.ref or saved.path),
            citation=SimpleNamespace(**self._given(shown)),
            source_type=source_type,
            tags=[*tags],
        )
        return entry, [SimpleNamespace(**conflict_document(conflict)) for conflict in saved.conflicts]

    def search(self, query: str, min_confidence: float | None = None, max_results: int = 10) -> dict[str, Any]:
        """Return the document's answer: `results` with `confidence`, `content` and `citation`, and `fallback`.

        A citation is of the lines that the memory was taken from, if it names any, with a `note` if they aren't there;
        `stored` is then where the memory says it. Otherwise the citation is that place. `fallback` also says if nothing
        was found.
        """
        least = {} if min_confidence is None else {"min_confidence": min_confidence}
        answer = self.vault.search(query, limit=max_results, **least).answer  # type: ignore[arg-type]
        document = answer_document(answer)
        view = self.vault.view()
        for result in document["results"]:
            file = view.read(result["path"]) if "stack" not in result else None
            if file and (given := source_lines(view, file.memory)):
                result["stored"], result["citation"] = result["citation"], given._asdict()
        if not document["results"]:
            document["fallback"] = {"used": True, "reason": answer.fallback or "nothing matches"}
        return document

    memory_search = search

    def memory_get(self, ref: str) -> dict[str, Any]:
        """Return one memory with what the document adds to it; this is a use of it."""
        shown = self.vault.show(ref)
        cited = self.vault.cite(ref).now
        own = None if cited is None else cited._asdict()
        return {
            "ref": shown.ref,
            "content": shown.memory.body.strip("\r\n"),
            "confidence": shown.quality,
            "citation": self._given(shown.memory) or own,
            "stored": own,
            "source_type": shown.memory.channel,
            "conflicts": [conflict_document(conflict) for conflict in shown.conflicts],
        }

    def _mark(self, path: str, line_start: int | None, line_end: int | None) -> tuple[str, str | None]:
        """Return the mark by which a memory names lines of a file as its source; and what they say, if they are there.

        Raises:
            UsageError: the file does not have these lines.
        """
        view = self.vault.view()
        if line_start is None:
            return f"{FILE_MARK}{path}", None
        last = line_start if line_end is None else line_end
        if not 1 <= line_start <= last <= MOST_LINE:
            raise UsageError(f"there are no lines {line_start} to {last}", hint="lines count from 1")
        try:
            data = view.of(FILES).read(view.root / path)
        except OSError:
            return f"{FILE_MARK}{path}#{lines_mark(line_start, last)}", None
        return cite_file(view, path, data, f"{line_start}-{last}"), LineMap(data).excerpt(line_start, last)

    def _given(self, memory: Memory) -> dict[str, Any]:
        """Return the citation of the lines that a memory was taken from; empty if it names none."""
        found = source_lines(self.vault.view(), memory)
        return {} if found is None else found._asdict()

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
