"""What a place in a text is about: a key, a value, a link, a tag, a ref."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.ids import MEMORY_ID_PATTERN, MEMORY_TYPES, MemoryRef
from memstore.files import fence
from memstore.files.links import LinkKind, TextLink, links_in, links_in_values
from memstore.files.passages import passages
from memstore.lsp.text import TextSpan
from memstore.search.citations import parse_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.lsp.open_files import OpenVault, TextDocument
    from memstore.lsp.text import Text

_FENCE = re.compile(r"\ufeff?---[ \t]*\Z")
REF = re.compile(rf"\b(?:{'|'.join(MEMORY_TYPES)}):{MEMORY_ID_PATTERN}")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\Z")


class Head(NamedTuple):
    """Where a frontmatter is: the lines below its opening fence up to the closing one, from 0; `end` is exclusive.

    `is_closed` is false while somebody still types it.
    """

    start: int
    end: int
    is_closed: bool


def head_of(text: Text) -> Head | None:
    """Return where the frontmatter of a text is, finished or not; None if it has none."""
    if not _FENCE.match(text.line(0)):
        return None
    most = min(text.line_count, fence.MOST_HEAD_LINES)
    closing = next((at for at in range(1, most) if _FENCE.match(text.line(at))), None)
    if closing is not None:
        return Head(1, closing, is_closed=True)
    open_until = next((at for at in range(1, most) if not text.line(at).strip()), most)
    return Head(1, open_until, is_closed=False)


class TypedKey(NamedTuple):
    """A key in a frontmatter, the line of it, and where what is typed for it is: the value, or an item of the list."""

    name: str
    line: int
    value: TextSpan


_KEY_LINE = re.compile(r"([\w-]+):[ \t]*")
_ITEM_LINE = re.compile(r"[ \t]*-[ \t]+")
_BETWEEN = re.compile(r"[\[,\]][ \t]*")


def key_at(text: Text, offset: int) -> TypedKey | None:
    """Return the key whose value has an offset; None elsewhere."""
    head, line = head_of(text), text.line_of(offset)
    if head is None or not head.start <= line < head.end:
        return None
    start, written = text.line_start(line), text.line(line)
    found = _KEY_LINE.match(written)
    if found and offset >= start + found.end(1) + 1:
        begin, end = found.end(), len(written)
        for sign in _BETWEEN.finditer(written, found.end()):
            if sign.end() <= offset - start:
                begin = sign.end()
            elif sign.start() >= offset - start:
                end = sign.start()
                break
        return TypedKey(found[1], line, TextSpan(min(start + begin, offset), start + end))
    item = _ITEM_LINE.match(written)
    if item is None or offset < start + item.end():
        return None
    above = (_KEY_LINE.match(text.line(at)) for at in range(line - 1, head.start - 1, -1))
    key = next((found for found in above if found), None)
    return TypedKey(key[1], line, TextSpan(start + item.end(), start + len(written))) if key else None


class Mention(NamedTuple):
    """What names another note in a text: where it is, and the link or the ref.

    `lines` are the cited lines of a citation, `blob` is the revision that it is from.
    """

    span: TextSpan
    link: TextLink | None = None
    ref: MemoryRef | None = None
    lines: tuple[int, int] | None = None
    blob: str | None = None


def mentions(vault: OpenVault, document: TextDocument) -> Sequence[Mention]:
    """Return all links, citations and refs of a text."""
    file, source = vault.file(document), document.text.source
    body, body_start = source, 0
    placed = []
    text = getattr(file, "text", None)
    if isinstance(text, fence.FencedText):
        shift = len(source) - len(text.body)
        head = len(text.before.decode("utf-8", "replace").removeprefix("" if source[:1] == "\ufeff" else "\ufeff"))
        placed += [one.shifted(head) for one in links_in_values(text)]
        body, body_start = source[shift:], shift
    placed += [one.shifted(body_start) for one in links_in(body)]
    found = [_mention(TextSpan(one.start, one.end), one.link) for one in placed]
    taken = sorted(one.span for one in found)
    for ref in REF.finditer(source):
        if not any(span.start <= ref.start() < span.end for span in taken):
            found += [Mention(TextSpan(*ref.span()), ref=MemoryRef.parse(ref[0]))]
    return found


def _mention(span: TextSpan, link: TextLink) -> Mention:
    ref = MemoryRef.parse(link.target) if link.kind is LinkKind.WIKI else None
    if ref is None:
        return Mention(span, link)
    place = parse_place(link.written.removeprefix("!").removeprefix("[[").removesuffix("]]"))
    return Mention(span, link, ref, place.lines, place.blob)


def mention_at(vault: OpenVault, document: TextDocument, offset: int) -> Mention | None:
    """Return the link, citation or ref at an offset; None if there is none."""
    at = (one for one in mentions(vault, document) if one.span.start <= offset <= one.span.end)
    return min(at, key=lambda one: one.span.end - one.span.start, default=None)


def row_of(vault: OpenVault, document: TextDocument, mention: Mention) -> int | None:
    """Return the row of the note that a mention leads to; None for nowhere, as far as the viewer may know."""
    if mention.ref is not None:
        return next(iter(vault.view.rows_of_id(mention.ref.id)), None)
    if mention.link is None:
        return None
    if not mention.link.place:
        return vault.links.row_of(document.path)
    return next(iter(vault.links.names.led_to(mention.link, of=document.path)), None)


def wiki(name: str) -> TextLink:
    """Return the link `[[name]]`."""
    return TextLink(LinkKind.WIKI, name)


class Heading(NamedTuple):
    """A heading of a text: its depth from 1, its words, its line from 0, and the line after what is below it."""

    depth: int
    words: str
    line: int
    end: int


def headings(text: Text) -> list[Heading]:
    """Return the headings of a text below its frontmatter, none of code."""
    head = head_of(text)
    first = head.end + 1 if head and head.is_closed else 0
    body = "\n".join(text.line(at) for at in range(first, text.line_count))
    code = _code_lines(body, first)
    open_ones: list[tuple[int, str, int]] = []
    for at in range(first, text.line_count):
        found = _HEADING.match(text.line(at))
        if found and at not in code:
            open_ones.append((len(found[1]), found[2], at))
    return [
        Heading(
            depth, words, at, next((line for deep, _, line in open_ones[i + 1 :] if deep <= depth), text.line_count)
        )
        for i, (depth, words, at) in enumerate(open_ones)
    ]


def _code_lines(body: str, first: int) -> frozenset[int]:
    from memstore.files.passages import PassageKind

    found = (one for one in passages(body, first_line=first) if one.kind is PassageKind.CODE)
    return frozenset(at for one in found for at in range(one.line_start, one.line_end + 1))


def block_line(text: Text, name: str) -> int | None:
    """Return the line, from 0, that is marked with `^name`; None if there is none."""
    ends = (at for at in range(text.line_count) if text.line(at).rstrip().endswith(f"^{name}"))
    return next(ends, None)


def blocks(text: Text) -> Iterator[str]:
    """Yield the names of the marked blocks of a text."""
    for at in range(text.line_count):
        if found := re.search(r"(?:^|\s)\^([\w-]+)\s*\Z", text.line(at)):
            yield found[1]
