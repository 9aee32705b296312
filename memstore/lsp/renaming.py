"""New names: of a note, as `memstore mv` gives it, or of a heading; every link goes on leading where it led."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import ChangedMeanwhileError, NotFoundError, UsageError
from memstore.core.places import MEMORY_SUFFIX
from memstore.files.memory_file import MemoryFile
from memstore.lsp import cursor
from memstore.lsp.navigation import slug
from memstore.lsp.open_files import TextDocument
from memstore.lsp.text import Text, TextSpan
from memstore.memories.edit import path_after_move
from memstore.memories.links import relinked
from memstore.vault.note_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.lsp.open_files import OpenVault


class NewText(NamedTuple):
    """A text to put in place of a part of a file."""

    path: str
    span: TextSpan
    text: str


class Renaming(NamedTuple):
    """What a new name changes: the texts of files, and the path of one; `left` says which links stay as they are."""

    texts: tuple[NewText, ...]
    moved: tuple[str, str] | None = None
    left: tuple[str, ...] = ()


class Renamable(NamedTuple):
    """What would be renamed: where it is written, and its name now."""

    span: TextSpan
    name: str
    heading: cursor.Heading | None = None
    path: str = ""


def renamable(vault: OpenVault, document: TextDocument, offset: int) -> Renamable | None:
    """Return what is renamed at an offset: a heading, the note that a link leads to, or the open note itself."""
    text = document.text
    line = text.line_of(offset)
    heading = next((one for one in cursor.headings(text) if one.line == line), None)
    mention = cursor.mention_at(vault, document, offset)
    if heading and mention is None:
        start = text.line_start(line) + text.line(line).index(heading.words, heading.depth)
        return Renamable(TextSpan(start, start + len(heading.words)), heading.words, heading, document.path)
    row = vault.links.row_of(document.path) if mention is None else cursor.row_of(vault, document, mention)
    if row is None:
        return None
    path = vault.links.names[row].path
    here = text.line_start(line)
    span = mention.span if mention else TextSpan(here, here + len(text.line(line)))
    return Renamable(span, path.rpartition("/")[2].removesuffix(MEMORY_SUFFIX), path=path)


def renamed(vault: OpenVault, document: TextDocument, offset: int, name: str) -> Renaming:
    """Return what changes if what is at an offset gets another name.

    Raises:
        NotFoundError: there is nothing to rename.
        UsageError: the name can't be one.
        RefusedError: the note is not theirs to rename.
        ChangedMeanwhileError: there is a file already.
    """
    what = renamable(vault, document, offset)
    if what is None:
        raise NotFoundError("there is nothing here to rename", hint="point at a heading, a link or a note's own text")
    if what.heading is not None:
        return _of_heading(vault, document, what.heading, name)
    return moved(vault, what.path, _new_path(what.path, name))


def _new_path(path: str, name: str) -> str:
    folder = posixpath.dirname(path)
    to = name if "/" in name or not folder else f"{folder}/{name}"
    return posixpath.normpath(to if to.endswith(MEMORY_SUFFIX) else f"{to}{MEMORY_SUFFIX}").lstrip("/")


def moved(vault: OpenVault, path: str, to: str) -> Renaming:
    """Return what changes in texts if a note's file gets another path; raises as `renamed`."""
    view = vault.view
    file = view.text(path)
    if file is None:
        raise NotFoundError(f"{path} can't be read as a note, so it keeps its name", hint="mend it first")
    to = path_after_move(view, view.original(path) if isinstance(file, MemoryFile) else file, to)
    if to == path:
        return Renaming(())
    if to in vault.documents or vault.bytes_on_disk(to) is not None:
        raise ChangedMeanwhileError(f"there is a file already: {to}", hint="choose another name")
    links = relinked(view, file, to)
    after = {each.path: each.after for each in links.edits} | {each.path: each.after for each in links.plain}
    texts = [NewText(path, *change) for change in _changes(vault, path, links.moved)]
    for other, data in after.items():
        texts += [NewText(other, *change) for change in _changes(vault, other, data or b"")]
    left = tuple(f"{one.path}:{one.line}: {one.written} stays as it is: {one.why}" for one in links.left)
    return Renaming(tuple(texts), (path, to), left)


def _changes(vault: OpenVault, path: str, after: bytes) -> Iterator[tuple[TextSpan, str]]:
    """Yield the parts of a text that become others; both have the same lines, since only targets of links change."""
    text = vault.text_of(path)
    if text is None:
        return
    new = Text(after.decode("utf-8", "replace").removeprefix("\ufeff"))
    for number in range(text.line_count):
        old_line, new_line = text.line(number), new.line(number)
        if old_line != new_line:
            start = len(posixpath.commonprefix([old_line, new_line]))
            rest = min(len(old_line), len(new_line)) - start
            same = len(posixpath.commonprefix([old_line[::-1][:rest], new_line[::-1][:rest]]))
            at = text.line_start(number)
            yield TextSpan(at + start, at + len(old_line) - same), new_line[start : len(new_line) - same]


def _of_heading(vault: OpenVault, document: TextDocument, heading: cursor.Heading, name: str) -> Renaming:
    words = " ".join(name.split()).lstrip("#").strip()
    if not words:
        raise UsageError("a heading needs words", hint="write what the section is about")
    at = document.text.line_start(heading.line) + document.text.line(heading.line).index(heading.words, heading.depth)
    texts = [NewText(document.path, TextSpan(at, at + len(heading.words)), words)]
    same = [one for one in cursor.headings(document.text) if folded(one.words) == folded(heading.words)]
    row = vault.links.row_of(document.path)
    if row is None or same[0] != heading:
        return Renaming(tuple(texts))  # links by these words lead to the first heading that has them
    files = {document.path, *(note.path for note, _, link in vault.links.leading_to(row) if link.fragment)}
    for path in sorted(files):
        text = document.text if path == document.path else vault.text_of(path)
        if text is None or not _may_change(vault, path):
            continue
        other = TextDocument(path, text)
        for mention in cursor.mentions(vault, other):
            link = mention.link
            if link is None or not link.fragment or cursor.row_of(vault, other, mention) != row:
                continue
            fragment = link.fragment.rpartition("#")[2]
            is_slug = link.fragment == slug(heading.words)
            if not is_slug and folded(fragment) != folded(heading.words):
                continue
            start = text.source.index(f"#{link.fragment}", mention.span.start) + 1 + len(link.fragment) - len(fragment)
            new = slug(words) if is_slug and link.fragment != heading.words else re.sub(r"[\[\]|#]", " ", words)
            texts.append(NewText(path, TextSpan(start, start + len(fragment)), new))
    return Renaming(tuple(texts))


def _may_change(vault: OpenVault, path: str) -> bool:
    """Whether a file is the viewer's own to change, and unsigned; a plain note is whoever sees it."""
    file = vault.view.read(path)
    if file is None:
        return vault.view.is_owners
    return vault.view.owns(file.memory) and not (file.memory.signature or file.memory.witnesses)
