"""A memory's file opened for citing: access is decided, and lines are cited, on the same bytes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec import fence, git_blob, passages, titles
from memstore.codec.fence import FencedText
from memstore.codec.line_map import LineMap
from memstore.errors import VaultError
from memstore.flows.visible import seer
from memstore.model.retrieval import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.codec.memory_file import ReadFile
    from memstore.flows.audience import View
    from memstore.model.catalog import Entry
    from memstore.model.retrieval import Passage


class Opened:
    """One file that was read; `entry` is what its bytes say."""

    def __init__(self, entry: Entry, data: bytes, text: FencedText) -> None:
        self.entry, self.data, self.text = entry, data, text

    @cached_property
    def passages(self) -> Sequence[Passage]:
        """The passages of its body, with file lines."""
        return passages.passages(self.text.body, first_line=self.text.body_line)

    @cached_property
    def own_title(self) -> str:
        """The title that the frontmatter has; empty where the text's beginning serves for one."""
        title = self.entry.title
        return "" if not title or title == titles.default_title(self.text.body) else title

    def states(self) -> Iterator[str]:
        """Yield the texts in which it may state something."""
        yield self.entry.title
        yield from (one.text for one in self.passages if one.kind not in passages.SAYS_NOTHING)

    def cite(self, line_start: int, line_end: int) -> Citation:
        """Return the citation of these lines."""
        return Citation(
            path=self.entry.path,
            line_start=line_start,
            line_end=line_end,
            excerpt=self._lines.excerpt(line_start, line_end),
            version_hash=self.entry.blob,
        )

    def line_of_key(self, *path: str | int) -> int:
        """Return the line of a key of the frontmatter, or of an item in its list."""
        if len(path) == 1 and (found := re.search(rf"^{path[0]}[ \t]*:", self.text.head, re.MULTILINE)):
            return self.text.head_line + self.text.head.count("\n", 0, found.start())
        from memstore.codec.memory_file import MemoryFile

        return self.file.front.position(*path).line if isinstance(self.file, MemoryFile) else 1

    @cached_property
    def file(self) -> ReadFile:
        """What its bytes hold: the memory."""
        from memstore.codec import memory_file

        return memory_file.read(self.entry.path, self.data)

    @cached_property
    def _lines(self) -> LineMap:
        return LineMap(self.data)


def opened(then: View, row: int) -> Opened | None:
    """Return the file of a visible row; None where what it holds now is hidden, or its standing changed."""
    entry = then.snapshot.catalog.entry(row)
    try:
        data = then.read(entry.path)
    except VaultError:
        return None
    blob = git_blob.blob_id(data, git_blob.format_of(entry.blob))
    if blob != entry.blob:
        # Saved since the snapshot was made: what the catalogue says of it, and what was decided, no longer holds.
        now = _entry_now(then, entry.path, data, blob)
        if now is None or now.status != entry.status:
            return None
        entry = now
    text = fence.split(data)
    return Opened(entry, data, text) if isinstance(text, FencedText) else None


def _entry_now(then: View, path: str, data: bytes, blob: str) -> Entry | None:
    """Return what these bytes say of themselves; None where they are no readable memory, or not the viewer's to see."""
    from memstore.codec import memory_file
    from memstore.codec.catalog_entry import entry_of

    file = memory_file.read(path, data)
    if not isinstance(file, memory_file.MemoryFile) or not seer(then.ws, then.snapshot)(file.memory):
        return None
    return entry_of(file, blob)
