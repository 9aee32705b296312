"""A memory's file opened for citing, so that lines are cited from the same bytes that access was decided on."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from memstore.core import digests
from memstore.core.catalog import FileKind
from memstore.core.titles import default_title
from memstore.files import fence, passages
from memstore.files.fence import FencedText
from memstore.files.passages import LineMap
from memstore.search.retrieval import Citation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.catalog import Entry
    from memstore.files.memory_file import MemoryFile, PlainFile, ReadFile
    from memstore.files.passages import Passage


# A list in brackets that begins and ends on the line of its key, as memstore writes them.
_ONE_LINE_LIST = r"\s*\[[^\[\]#]*\]\s*"
# Any file whose frontmatter has somebody's signature, or anchors, contains such bytes; in other files nothing counts.
_ATTESTED = re.compile(rb"""(?:\bsig|anchors)["']?[ \t]*:""")


class Opened:
    """One file that was read; `entry` describes exactly these bytes.

    `mixed` says whether the vault holds notes of other programs, whose keys may have values of their own. `shown`
    returns a memory's file as its view shows it, None if that is as it is.
    """

    def __init__(
        self,
        entry: Entry,
        data: bytes,
        text: FencedText,
        *,
        mixed: bool,
        shown: Callable[[MemoryFile], MemoryFile] | None = None,
    ) -> None:
        self.entry, self.data, self.text, self._mixed, self._shown = entry, data, text, mixed, shown

    @cached_property
    def passages(self) -> Sequence[Passage]:
        """The passages of its body, with file lines."""
        return _passages(self.text.body, self.text.body_line)

    @property
    def may_be_attested(self) -> bool:
        """Whether somebody may vouch for it; the frontmatter of most memories has nothing that could."""
        return self.entry.kind is FileKind.MEMORY and _ATTESTED.search(self.data) is not None

    @cached_property
    def own_title(self) -> str:
        """The title in the frontmatter; empty if the title is taken from the text."""
        title = self.entry.title
        if self.entry.kind is FileKind.PLAIN:
            return "" if any(title in (*one.headings, one.text) for one in self.passages) else title
        return "" if not title or title == default_title(self.text.body) else title

    @property
    def given_title(self) -> str:
        """The title if it is in the frontmatter or a heading; empty if it is only how the text begins."""
        title = self.entry.title
        is_heading = any(title in (*one.headings, *one.opening) for one in self.passages)
        return title if is_heading else self.own_title

    def states(self) -> Iterator[str]:
        """Yield the texts that may contain statements: the title and the passages."""
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

    def line_of_key(self, key: str, item: int | None = None) -> int:
        """Return the line of a key in the frontmatter, or of an item in its list."""
        found = re.search(rf"^{key}[ \t]*:(.*)", self.text.head, re.MULTILINE)
        if found and (item is None or re.fullmatch(_ONE_LINE_LIST, found[1])):
            return self.text.head_line + self.text.head.count("\n", 0, found.start())
        from memstore.files.memory_file import MemoryFile

        return self.file.front.line_of(key, item) if isinstance(self.file, MemoryFile) else 1

    @cached_property
    def own_lines(self) -> Sequence[tuple[int, str]]:
        """The lines of its frontmatter that say what people put there, with their file lines; all of a plain note's."""
        if self.entry.kind is FileKind.PLAIN:
            return [*enumerate(self.text.head.split("\n"), self.text.head_line)]
        from memstore.files.memory_file import MemoryFile, own_lines

        return own_lines(self.file) if isinstance(self.file, MemoryFile) else []

    @cached_property
    def file(self) -> ReadFile:
        """The parsed file: the memory or the plain note."""
        from memstore.files import memory_file

        file = memory_file.read(self.entry.path, self.data, mixed=self._mixed)
        return self._shown(file) if self._shown and isinstance(file, memory_file.MemoryFile) else file

    @cached_property
    def _lines(self) -> LineMap:
        return LineMap(self.data)


# Passages of recent files are cached, because a session returns to the same ones: for as many searches as
# `conflicts.gists` caches gists, since a search reads two files for each that it compares.
@lru_cache(maxsize=512)
def _passages(body: str, first_line: int) -> Sequence[Passage]:
    return passages.passages(body, first_line=first_line)


def is_revision(entry: Entry, data: bytes) -> bool:
    """Whether these bytes are the revision that an entry describes."""
    return digests.blob_id(data, digests.format_of(entry.blob)) == entry.blob


def opened(
    entry: Entry, data: bytes, *, mixed: bool, shown: Callable[[MemoryFile], MemoryFile] | None = None
) -> Opened | None:
    """Return the opened file of an entry, given its bytes; None if they can't be split into frontmatter and text."""
    text = _parts(entry.kind, data)
    return Opened(entry, data, text, mixed=mixed, shown=shown) if isinstance(text, FencedText) else None


def _parts(kind: FileKind, data: bytes) -> FencedText | object:
    if kind is not FileKind.PLAIN:
        return fence.split(data)
    from memstore.files import plain_note  # few vaults have such notes

    return plain_note.parts(data)


def of_file(file: MemoryFile | PlainFile, entry: Entry, *, mixed: bool) -> Opened:
    """Return the opened form of a file that was saved after `entry` was made."""
    from memstore.files.catalog_entry import entry_of

    now = entry_of(file, digests.blob_id(file.data, digests.format_of(entry.blob)))
    return Opened(now, file.data, file.text, mixed=mixed)
