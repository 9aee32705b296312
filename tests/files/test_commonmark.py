"""Links, tags and code of a text are what a CommonMark parser reads, except for what is listed here with its reason."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memstore.files.links import _TAG, LinkKind, links_in, tags_in
from memstore.files.plain_note import parts

ROOT = Path(__file__).parents[2]
PARSER = MarkdownIt("commonmark").enable("table").disable("text_join")
PARSER.validateLink = bool  # type: ignore[method-assign,assignment]
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def read_by_parser(body: str) -> tuple[set[str], set[str]]:
    """Return the targets of links and the tags in what the parser takes for text."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    tokens = PARSER.parse(body, found)
    targets = [str(token.attrs["href"]) for token in flat(tokens) if token.type == "link_open"]
    targets += [str(token.attrs["src"]) for token in flat(tokens) if token.type == "image"]
    targets += [label["href"] for label in found.get("references", {}).values()]
    texts = ("".join(map(shown, token.children or ())) for token in tokens if token.type == "inline")
    tags = {named[1].strip("/-") for text in texts for named in _TAG.finditer(text) if named[1]}
    links = {unquote(target) for target in targets if target and not _ELSEWHERE.match(target)}
    return links, {tag for tag in tags if not tag.replace("/", "").isdecimal()}


def shown(token: Token) -> str:
    """Return the text of a part of a paragraph, in which a `#` that begins a tag is still there."""
    if token.type == "text":
        return token.content
    return {"softbreak": "\n", "hardbreak": "\n", "link_open": "[", "link_close": "]"}.get(token.type, "\x01")


def read_by_memstore(body: str) -> tuple[set[str], set[str]]:
    """Return the same; targets in tags of HTML are left out, since the parser leaves those to a browser."""
    found = [each for each in links_in(body) if each.link.kind is LinkKind.MARKDOWN and body[each.start] != "<"]
    links = {unquote("#".join(filter(None, (one.place, one.fragment)) if one.place else ("", one.fragment)))
             for one in (each.link for each in found)}  # fmt: skip
    return links, set(tags_in(body))


# What is read otherwise, and why; the first is a text, the others what memstore alone and what the parser alone reads.
MEANT = [
    # In an outline, an item is one at any depth, also where a heading comes before its list.
    ("# Day\n\t- tea #tea ![](tea.png)\n", {"tea.png", "#tea"}, set()),
    # What a site's generator reads in a block of HTML is text.
    ("<em>\nsee [posts](posts.md) #tea\n</em>\n", {"posts.md", "#tea"}, set()),
    # A row of a table is one without a line of dashes above it, too, and no code goes across it.
    ("a `tick\n| #cell |\na tick`\n", {"#cell"}, set()),
    # In Logseq, this is a reference to a block.
    ("[label](((63b70dc8-1d59)))\n", set(), {"((63b70dc8-1d59))"}),
]


def marked(read: tuple[set[str], set[str]]) -> set[str]:
    return read[0] | {f"#{tag}" for tag in read[1]}


@pytest.mark.parametrize(("body", "ours", "theirs"), MEANT)
def test_what_is_read_otherwise_on_purpose(body: str, ours: set[str], theirs: set[str]) -> None:
    one, other = marked(read_by_memstore(body)), marked(read_by_parser(body))
    assert (one - other, other - one) == (ours, theirs)


@pytest.mark.parametrize(
    "body",
    [
        "- [Setup](#setup) and ![i](#img) (see #real)\n",
        'a <a href="#top" title="#x">up</a> #real\n',
        "Watered. #🌱 #✅/done #a🌱b\n",
        "text\n\n    #code [x](y.md)\n\ntext #after\n",
        "- item\n\n      #code\n\n  text #inside\n",
        "- item\n\n  text #inside\n\n    still #text\n",
        "1. ```sh\n   # no #tag [x](y.md)\n   ```\n2. #tag\n",
        "- ```sh\n  #no\n- #tag after a fence that its item ends\n",
        "\t\t- ```calc\n\t\t  100 #no\n\t\t  ```\n- [[a]] #tag [b](b.md)\n",
        "``` a ``` #tag\n\nnext [b](b.md)\n",
        "~~~ a ` b\n#no\n~~~\n#tag\n",
        "`a\n#no` #tag\n",
        "\\#no \\[a](#b) #tag\n",
        "[a]: b.md 'c #no'\n\n[a] #tag\n",
        '[a](b.md "c #no") #tag\n',
        "[#x](b.md) [y #tag](c.md)\n",
        "[a](<b c.md> '#no') ![d](e(1).png)\n",
        "> ```\n> #no\n> ```\n\n#tag\n",
        "a\n    #tag in a paragraph\n",
        "***\n    #code\n",
        "<https://example.org/#no> https://example.org/#no #tag\n",
    ],
)
def test_what_is_text_is_told_as_the_parser_tells_it(body: str) -> None:
    assert marked(read_by_memstore(body)) == marked(read_by_parser(body))


LINES = st.sampled_from(
    ["", "word #tag", "- item #of", "  under it #under", "    deep #deep", "      deeper [a](a.md)", "```", "~~~",
     "- ```sh", "1. one [b](b.md)", "   [c](#c)", "`code #no`", "***", "| a #cell |", "a `tick [d](d.md)"]
)  # fmt: skip


@given(st.lists(LINES, max_size=9).map("\n".join))
def test_any_text_of_such_lines_is_told_as_the_parser_tells_it(body: str) -> None:
    """Rows beside lone backticks are not compared: `MEANT` says why."""
    assume("| a #cell |" not in body or "a `tick" not in body)
    ours, theirs = marked(read_by_memstore(body)), marked(read_by_parser(body))
    assert ours == theirs


# In the wild: the vault's own examples and docs, and any folder of notes that this names.
FOLDERS = [ROOT / "sample-vault", ROOT / "docs", *map(Path, filter(None, [os.environ.get("MEMSTORE_NOTES")]))]
_BLOCK_OF_LOGSEQ = re.compile(r"\(\([0-9a-f-]{36}\)\)")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_real_notes_are_told_as_the_parser_tells_them(folder: Path) -> None:
    unlike = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".md", ".markdown") and path.is_file():
            body = parts(path.read_bytes()).body
            ours, theirs = marked(read_by_memstore(body)), marked(read_by_parser(body))
            theirs = {each for each in theirs if not _BLOCK_OF_LOGSEQ.fullmatch(each)}
            if ours != theirs:
                unlike[str(path)] = (ours - theirs, theirs - ours)
    assert not unlike
