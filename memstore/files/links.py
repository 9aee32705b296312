"""Links between notes, as written in a text: `[[Note]]`, `![[Note#Heading|text]]`, `[text](../note.md#heading)`.

`<a href="../note.md">` and `<img src="tea.png">` are links of the last form: they name a path in the same way.

A link leads a reader from one note to another. It says nothing about what a memory was derived from, and is not
evidence. Code contains no links; values of frontmatter contain `[[…]]`. Finding them takes time linear in the text's
length, whatever it contains.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from memstore.core.keys import KEYS, Shape
from memstore.core.places import NOTE_SUFFIXES
from memstore.core.terms import SYMBOLS
from memstore.files.passages import PassageKind, passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.files.fence import FencedText


class LinkKind(Enum):
    """How a link is written."""

    WIKI = "wiki"
    MARKDOWN = "markdown"


class TextLink(NamedTuple):
    """What a link names: `place` is a name, or a path as it is written, with percent signs.

    It is empty for a link within the same note. `fragment` is the heading or the `^block`, as it is written.
    """

    kind: LinkKind
    place: str
    fragment: str = ""
    is_embedded: bool = False

    @classmethod
    def of(cls, written: str) -> TextLink:
        """Return the link that is written like this; the reverse of `written`."""
        bare = written.removeprefix("!")
        kind = LinkKind.WIKI if bare.startswith("[[") else LinkKind.MARKDOWN
        opening, closing = _AROUND[kind]
        place, _, fragment = bare[len(opening) : -len(closing)].partition("#")
        return cls(kind, place, fragment, bare != written)

    @property
    def written(self) -> str:
        """The link without its text: `[[Note#Heading]]`, `(../note.md#heading)`, preceded by `!` if embedded."""
        opening, closing = _AROUND[self.kind]
        fragment = f"#{self.fragment}" if self.fragment else ""
        return f"{'!' if self.is_embedded else ''}{opening}{self.place}{fragment}{closing}"

    @property
    def target(self) -> str:
        """What it names: a name or a path, with percent signs decoded."""
        return self.place if self.kind is LinkKind.WIKI else unquote(self.place)

    @property
    def may_name_note(self) -> bool:
        """Whether it can lead to a note, judged by its path alone; a picture, a folder or a web page can't."""
        if self.kind is LinkKind.WIKI:
            return self.place != "" and not self.place.startswith("file:") and "://" not in self.place
        name = self.target.rpartition("/")[2]
        return name.lower().endswith(NOTE_SUFFIXES) or (name not in ("", ".", "..") and "." not in name)

    @property
    def may_name_file(self) -> bool:
        """Whether it can lead to a picture or another file of the vault, judged by its path alone.

        A page of a web site, which is made from another file, and a path that a template completes are none.
        """
        if self.kind is LinkKind.WIKI:
            return self.may_name_note
        found = _ATTACHMENT.search(self.target)
        is_page = found is not None and found[0].lower().startswith((".htm", ".php"))
        return found is not None and not is_page and not self.target.startswith("/") and "{" not in self.target

    @property
    def must_name_note(self) -> bool:
        """Whether the link is dead if there is no such note; any other target may be a file that is not a note."""
        if self.kind is LinkKind.MARKDOWN:
            return self.target.lower().endswith(NOTE_SUFFIXES)
        return self.target.lower().endswith(NOTE_SUFFIXES) or not _ATTACHMENT.search(self.target)


class PlacedLink(NamedTuple):
    """A link and its position: offsets in characters from 0, `end` and `place_end` exclusive."""

    link: TextLink
    start: int
    end: int
    place_start: int
    place_end: int

    def shifted(self, by: int) -> PlacedLink:
        """Return the link in a text with `by` characters more in front."""
        ends = (self.start + by, self.end + by, self.place_start + by, self.place_end + by)
        return PlacedLink(self.link, *ends)


_AROUND = {LinkKind.WIKI: ("[[", "]]"), LinkKind.MARKDOWN: ("(", ")")}
_ATTACHMENT = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,5}\Z")

# Every repetition is possessive, and none can restart inside what another one has consumed, so matching is linear for
# any text. Every alternative begins with a literal character, so the engine can skip from one of these to the next.
_TOKEN = re.compile(
    r"""
    \\[\\\[\]()!`#]                                          # a sign that is meant as itself
    | \[\[(?P<wiki>[^\[\]|\#\x00-\x1f]*+)
        (?:\#(?P<heading>[^\[\]|\x00-\x1f]*+))?
        (?:\|[^\[\]\x00-\x1f]*+)?\]\]
    | \[
    | \](?>(?:\([ \t]*+
        (?:<(?P<angle>[^<>\x00-\x1f]*+)>|(?P<plain>[^\s()<>\x00-\x1f]*+(?>(?:\([^\s()<>\x00-\x1f]*+\)[^\s()<>\x00-\x1f]*+)*)))
        (?>(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?)
        [ \t]*+(?P<close>\)))?)
    | \n(?=[ \t\r]*+\n)                                      # a blank line: no link goes beyond it
    """,
    re.VERBOSE,
)
# `https:`, `mailto:`, `//host`; a letter and a colon don't mean a drive here.
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")
_MAY_LINK = re.compile(r"<[aAiI]|\[\[|\][(:](?![ \t]*+<?(?:[A-Za-z][A-Za-z0-9+.-]*+:|//))")
# `[label]: ../note.md "title"`, the target of `[text][label]`; `[^1]:` begins a footnote.
_DEFINITION = re.compile(
    r"""
    ^[ ]{0,3}\[(?!\^)[^\[\]\n]++\]:[ \t]*+
    (?:<(?P<angle>[^<>\x00-\x1f]++)>|(?P<plain>[^\s<>\x00-\x1f]++))
    (?>(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?)
    [ \t\r]*+$
    """,
    re.VERBOSE | re.MULTILINE,
)
# A tag of HTML with its attributes up to the one that names a file. No part of it reaches beyond the next `<`.
_HTML = re.compile(
    r"""
    <(?:a(?=\s)(?P<a>)|img(?=\s))
    (?>(?:\s++(?!(?:href|src)\s*+=)[^\s"'<>=/]++(?>(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=]++))?))*)
    \s++(?(a)href|src)\s*+=\s*+
    (?:"(?P<double>[^"<>\x00-\x1f]*+)"|'(?P<single>[^'<>\x00-\x1f]*+)')
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENTITY = re.compile(r"&#?\w++;")
# Emoji are letters of a tag.
_OF_TAG = rf"\w{SYMBOLS}\u200d\ufe0f"
# A tag; before it, what has none: the target of a link or of a label, and a tag of HTML.
_TAG = re.compile(
    rf"""
    \]\(\s*+(?:<[^<>\n]*+>|[^\s()]*+(?>(?:\([^\s()]*+\)[^\s()]*+)*))(?>(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'))?)
    | ^[ ]{{0,3}}\[[^\[\]\n]++\]:[^\n]*+
    | <[A-Za-z][\w-]*+(?>(?:\s++[A-Za-z_:][\w.:-]*+(?>(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=]++))?))*)\s*+/?>
    | \#(?<![^\s(,;"']\#)([{_OF_TAG}][{_OF_TAG}/-]*+)
    """,
    re.VERBOSE | re.MULTILINE,
)


def links_in(text: str, code: Code | None = None) -> Iterator[PlacedLink]:
    """Yield the links of a text in the order of their ends, without web addresses and links in code.

    For a link by label, `[text][label]`, it yields the line that defines the label.

    Args:
        text: the text to search.
        code: the text's code, if the caller needs it for something else as well.
    """
    if _MAY_LINK.search(text):
        code = code or Code(text)
        defined = [*_definitions(text, code)] if "]:" in text else []
        defined += _in_html(text, code) if "<" in text else ()
        links = _links(text, code)
        yield from sorted([*links, *defined], key=lambda link: link.end) if defined else links


def _in_html(text: str, code: Code) -> Iterator[PlacedLink]:
    for found in _HTML.finditer(text):
        group = "single" if found["double"] is None else "double"
        place, _, heading = found[group].partition("#")
        if found.start() in code or not (place or heading) or _ELSEWHERE.match(place) or _ENTITY.search(place):
            continue
        link = TextLink(LinkKind.MARKDOWN, place, heading, is_embedded=found["a"] is None)
        start = found.start(group)
        yield PlacedLink(link, found.start(), found.end(), start, start + len(place))


def _definitions(text: str, code: Code) -> Iterator[PlacedLink]:
    for found in _DEFINITION.finditer(text):
        begin = found.start() + found[0].index("[")
        if begin not in code and (link := _markdown_link(begin, found)):
            yield link


def _links(text: str, code: Code) -> Iterator[PlacedLink]:
    opened: list[int] = []
    for found in _TOKEN.finditer(text):
        start = found.start()
        if start in code:
            continue
        match found.lastgroup, found[0]:
            case "close", _ if opened:
                if link := _markdown_link(opened.pop(), found):
                    yield link
            case None, "[":
                opened.append(_begin(text, start))
            case None, "]":
                del opened[-1:]
            case None, "\n":
                opened.clear()
            case "wiki" | "heading", _:
                if link := _wiki_link(_begin(text, start), found):
                    yield link


def _begin(text: str, start: int) -> int:
    """Return where the link with a bracket at `start` begins: an unescaped `!` before the bracket belongs to it."""
    return start - 1 if text[start - 1 : start] == "!" and not _is_escaped(text, start - 1) else start


def _wiki_link(begin: int, found: re.Match[str]) -> PlacedLink | None:
    start = found.start("wiki")
    place, heading = found["wiki"], found["heading"] or ""
    if found["heading"] is None:
        place = place.removesuffix("\\")  # `[[Note\|text]]`, as it must be written in a table
    start += len(place) - len(place.lstrip())
    link = TextLink(LinkKind.WIKI, place.strip(), heading.removesuffix("\\").strip(), begin < found.start())
    return PlacedLink(link, begin, found.end(), start, start + len(link.place)) if link.place or link.fragment else None


def _markdown_link(begin: int, found: re.Match[str]) -> PlacedLink | None:
    group = "plain" if found["angle"] is None else "angle"
    place, _, heading = found[group].partition("#")
    if not (place or heading) or _ELSEWHERE.match(place):
        return None
    start = found.start(group)
    link = TextLink(LinkKind.MARKDOWN, place, heading, found.string[begin] == "!")
    return PlacedLink(link, begin, found.end(), start, start + len(place))


# -- in frontmatter --------------------------------------------------------------------------------

_IN_VALUE = re.compile(r"\[\[([^\[\]\x00-\x1f]++)\]\]")
_OUTER_KEY = re.compile(r"[\"']?([^\s\"':#-][^\s\"':]*)[^:\n]*:")
# A text in quotes that begins and ends on a line.
_QUOTED = re.compile(
    r"""(?:[:,\[-]\s++|\[|\A\s*+)(?:(?P<single>')(?>(?:[^'\n]|'')*)'|(?P<double>")(?>(?:[^"\\\n]|\\.)*)")"""
)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SAME = frozenset('"\\/ ')
_OPENS_VALUE = re.compile(r"[:,\[-]\s*+\Z|\A\s*+\Z")
# A list in a list is their form, and no link.
_NEST_LISTS = frozenset(key.name for key in KEYS if key.shape in (Shape.GRANT_LISTS, Shape.ENTRY, Shape.ENTRIES))


def links_in_values(text: FencedText) -> Iterator[PlacedLink]:
    """Yield the links in the values of a YAML frontmatter, with their offsets in `text.head`.

    Without quotes around it, `[[Note]]` is a list in a list for YAML, but people mean the link.
    """
    if "[[" not in text.head or text.before.endswith((b"+++\n", b"+++\r\n")):  # in TOML, it begins a table
        return
    offset, key = 0, ""
    for line in text.head.splitlines(keepends=True):
        if outer := _OUTER_KEY.match(line):
            key = outer[1]
        if key not in _NEST_LISTS:
            quoted = [*_QUOTED.finditer(line)] if "\\" in line or "''" in line else ()
            for found in _IN_VALUE.finditer(line):
                if placed := _link_in_value(line, found, offset, quoted):
                    yield placed
        offset += len(line)


def _link_in_value(line: str, found: re.Match[str], offset: int, quoted: Sequence[re.Match[str]]) -> PlacedLink | None:
    inner, start = found[1], found.start(1)
    sign = inner.strip()[0:1]
    if sign and sign in "\"'" and inner.strip()[1:].endswith(sign):  # `[["Note"]]`
        start += inner.index(sign) + 1
        inner = inner.strip()[1:-1]
    elif "," in inner and _OPENS_VALUE.search(line, max(0, found.start() - 2), found.start()):
        return None  # a list of several items
    place, _, fragment = inner.partition("|")[0].partition("#")
    start += len(place) - len(place.lstrip())
    place, fragment = place.strip(), fragment.strip()
    names: list[str | None] = [place, fragment]
    if "\\" in inner or "''" in inner:  # spelled otherwise than it reads
        at = bisect_right(quoted, start, key=lambda each: each.start()) - 1
        sign = quoted[at][quoted[at].lastgroup or 0] if at >= 0 and start < quoted[at].end() else ""
        names = [_as_read(part, sign) for part in (place, fragment)]
    if not names[0] or names[1] is None:
        return None
    link = TextLink(LinkKind.WIKI, names[0], names[1])
    return PlacedLink(link, offset + found.start(), offset + found.end(), offset + start, offset + start + len(place))


def _as_read(text: str, quote: str) -> str | None:
    """Return a part of a name as YAML reads it between these quotes; None if that is not sure, or no name."""
    if quote == "'":
        return text.replace("''", "'")
    if quote != '"':
        return None
    read = _ESCAPE.sub(lambda found: _sign(found[1]), text)
    return None if "\0" in read else read


def _sign(escape: str) -> str:
    """Return the sign that an escape of a text in double quotes stands for; NUL if it is not one of a name."""
    if escape in _SAME:
        return escape
    number = int(escape[1:], 16) if len(escape) > 1 else 0
    sign = chr(number) if number <= sys.maxunicode and not 0xD800 <= number < 0xE000 else "\0"  # noqa: PLR2004 - surrogates
    return sign if sign.isprintable() and sign not in "[]|#" else "\0"


def fits_in_value(head: str, placed: PlacedLink, place: str) -> bool:
    """Whether a link in a value can have another target without a change to how YAML reads the value."""
    if re.search(r"[\"'\\]", place):
        return False
    quote = head[placed.start - 1 : placed.start]
    is_quoted = (quote in ("'", '"') and head[placed.end : placed.end + 1] == quote) or head[
        placed.place_start - 1
    ] in "\"'"
    return is_quoted or re.fullmatch(r"(?!-(?:\s|\Z))[\w./()-](?:[\w./() -]*[\w./()-])?", place) is not None


def tags_in(text: str, code: Code | None = None) -> tuple[str, ...]:
    """Return the tags in a text, written `#tag`, each once, without the `#`; a number alone is not a tag."""
    if "#" not in text:
        return ()
    code = code or Code(text)
    found = (found for found in _TAG.finditer(text) if found[1] and found.start() not in code)
    named = (each[1].strip("/-") for each in found)
    return tuple(dict.fromkeys(tag for tag in named if not tag.replace("/", "").isdecimal()))


# -- code in a text --------------------------------------------------------------------------------


class Code:
    """The code in a text: fenced and indented blocks, and spans between backticks within one passage.

    They are located on first use.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _spans(self) -> tuple[list[int], list[int]]:
        spans = [*_code_spans(self._text)] if _MAY_BE_CODE.search(self._text) else []
        return [start for start, _ in spans], [end for _, end in spans]

    def __contains__(self, offset: int) -> bool:
        starts, ends = self._spans
        before = bisect_right(starts, offset) - 1
        return before >= 0 and offset < ends[before]


_MAY_BE_CODE = re.compile(r"`|~~~|^(?: {4}| {0,3}\t)", re.MULTILINE)
_TICKS = re.compile("`++")


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    starts = [0, *(found.end() for found in re.finditer("\n", text)), len(text) + 1]
    lines = [*pairwise(starts)]
    for passage in passages(text, first_line=0):
        start, end = lines[passage.line_start][0], lines[passage.line_end][1] - 1
        if passage.kind is PassageKind.CODE:
            yield start, end
        else:
            yield from _inline_code(text, start, end)


def _inline_code(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between backticks: each ends with the next run of as many backticks as it began with."""
    runs = [found.span() for found in _TICKS.finditer(text, start, end)]
    following: dict[int, int] = {}
    closing = [0] * len(runs)
    for i in range(len(runs) - 1, -1, -1):
        length = runs[i][1] - runs[i][0]
        closing[i] = following.get(length, -1)
        following[length] = i
    i = 0
    while i < len(runs):
        if closing[i] > 0 and not _is_escaped(text, runs[i][0]):
            yield runs[i][0], runs[closing[i]][1]
            i = closing[i]
        i += 1


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while before and text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1
