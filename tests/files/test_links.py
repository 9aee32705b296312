from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.files import fence
from memstore.files.catalog_entry import link_items, links_of_items
from memstore.files.links import LinkKind, TextLink, links_in, links_in_values, tags_in

WIKI, MARKDOWN = LinkKind.WIKI, LinkKind.MARKDOWN


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see [[Note]]", [TextLink(WIKI, "Note")]),
        ("[[Note|its [text]]", []),
        ("[[Note|another text]]", [TextLink(WIKI, "Note")]),
        ("[[a/Note#Heading#Sub|x]]", [TextLink(WIKI, "a/Note", "Heading#Sub")]),
        ("[[Note#^b1]]", [TextLink(WIKI, "Note", "^b1")]),
        ("[[ Note ]]", [TextLink(WIKI, "Note")]),
        ("![[Note]]", [TextLink(WIKI, "Note", is_embedded=True)]),
        ("[[#Heading]]", [TextLink(WIKI, "", "Heading")]),
        ("[[]] [[\n]] [[a\nb]]", []),
        (r"| [[Note\|x]] | [[Note#H\|x]] |", [TextLink(WIKI, "Note"), TextLink(WIKI, "Note", "H")]),
        (r"\[[Note]] \\[[Note]]", [TextLink(WIKI, "Note")]),
        ("[t](../x.md#h)", [TextLink(MARKDOWN, "../x.md", "h")]),
        ('[t](x%20y.md "its title")', [TextLink(MARKDOWN, "x%20y.md")]),
        ("[t](<x y.md#h>)", [TextLink(MARKDOWN, "x y.md", "h")]),
        ("[t](x_(y).md)", [TextLink(MARKDOWN, "x_(y).md")]),
        ("[a [b] c](x.md)", [TextLink(MARKDOWN, "x.md")]),
        ("[a\nb](x.md)", [TextLink(MARKDOWN, "x.md")]),
        ("[a\n\nb](x.md)", []),
        ("[![i](i.png)](x.md)", [TextLink(MARKDOWN, "i.png", is_embedded=True), TextLink(MARKDOWN, "x.md")]),
        ("[t](#h)", [TextLink(MARKDOWN, "", "h")]),
        ("[t](https://x.y/z.md) [t](mailto:a@b) [t](//x/y.md) <https://x>", []),
        ("(x.md) ](x.md) [t] (x.md)", []),
        ("`[[a]]` ``[[b]]` [[c]]`` `[[d]]", [TextLink(WIKI, "d")]),
        (r"\`[[a]]`", [TextLink(WIKI, "a")]),
        ("- `\n- [[a]]`", [TextLink(WIKI, "a")]),
        ("```\n[[a]]\n```\n[[b]]", [TextLink(WIKI, "b")]),
        ("~~~ x\n[t](a.md)\n```\n[[a]]\n~~~\n[[b]]", [TextLink(WIKI, "b")]),
        ("    ```\n    [[a]]", []),
        ("[x `]` y](a.md)", [TextLink(MARKDOWN, "a.md")]),
        (
            "[t][r] [[N]]\n\n  [r]: <../x y.md#h> 'title'  \n[s]: a.md\r\n",
            [
                TextLink(WIKI, "N"),
                TextLink(MARKDOWN, "../x y.md", "h"),
                TextLink(MARKDOWN, "a.md"),
            ],
        ),
        (
            """<a href="../x y.md#h">t</a> <IMG alt="a > b" width=3 src='i.png'/> [[N]]
            <a\n class="c" href = "%C3%A9.md" >""",
            [
                TextLink(MARKDOWN, "../x y.md", "h"),
                TextLink(MARKDOWN, "i.png", is_embedded=True),
                TextLink(WIKI, "N"),
                TextLink(MARKDOWN, "%C3%A9.md"),
            ],
        ),
        ('<a href="https://x.y/z.md"> <a src="a.md"> <img href="a.png"> <area href="a.md"> <a href="">', []),
        ('<a href=a.md> <a title="href" x> <a href="a&amp;b.md"> <a data-href="a.md"> <ahref="a.md">', []),
        ('`<img src="a.png">`\n\n```\n<img src="a.png">\n```\n', []),
        ("[^1]: a.md\n[r]: https://x.y/z.md\n[r]: two words\n    [r]: a.md\nx [r]: a.md\n```\n[r]: a.md\n```", []),
    ],
)
def test_links(text: str, found: list[TextLink]) -> None:
    assert [placed.link for placed in links_in(text)] == found


BRACKETS = ["[[", "]]", "![[", "[", "]", "](", "(", ")", "<", ">", "#", "|", "!", "\\"]
SIGNS = ["`", "``", "```", "~~~", "Note", "a/b.md", "../", "x%20y", ".png", "https:", "é", "日", "'", '"', "-", "1."]
BLANKS = [" ", "\n", "\n\n", "\r\n"]
PIECES = st.sampled_from(
    [
        *BRACKETS,
        *SIGNS,
        *BLANKS,
        "\n[r]: x.md",
        "\n [r]: <x y.md> 't'\n",
        "[[Note#h|t]]",
        "[t](../x.md)",
        "[t](<x y.md>)",
        "#tag",
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@given(TEXTS)
def test_a_link_is_what_stands_at_its_place(text: str) -> None:
    for link, start, end, place_start, place_end in links_in(text):
        written = text[start:end]
        assert text[place_start:place_end] == link.place
        assert start < place_start <= place_end <= end
        assert written.startswith("!") is link.is_embedded
        assert written.endswith("]]" if link.kind is WIKI else ")") or "]:" in written
        assert [placed.link for placed in links_in(written)][-1:] == [link]


@given(TEXTS, st.integers(1, 9))
def test_the_catalogue_keeps_a_link_and_its_line(text: str, first_line: int) -> None:
    lines = text.split("\n")
    kept = list(links_of_items(link_items(text, first_line)))
    found = {placed.link for placed in links_in(text)}
    assert {link for _, link in kept} == {link for link in found if link.may_name_note or link.may_name_file}
    assert [line for line, _ in kept] == sorted(line for line, _ in kept)
    for line, link in kept:
        assert link.place in "\n".join(lines[line - first_line :])
        assert TextLink.of(link.written) == link


UNENDED = ["[[", "](", "[a](", "`", "[", "![[a|", "[](<", "](a(b", "\\", "[[a#", "`\\", "#a/", "[[a\\|", "\n>-"]


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "piece",
    [
        *UNENDED,
        '](a "',
        "](  ",
        " #",
        "[a](b 'c",
        "` ",
        "[a\n\n",
        "[a](b (c",
        "``` ",
        "[a]: b ",
        "\n[a]: b (",
        "\n[a]:",
        "\n[a",
        "<a ",
        "<a href='",
        "<a b='c' ",
        " b='c'",
    ],
)
def test_the_time_grows_with_the_length_of_a_text_alone(piece: str) -> None:
    def took(size: int) -> float:
        text = piece * (size // len(piece)) + "[[ ]( "
        begun = time.process_time()
        list(links_in(text))
        tags_in(text)
        return time.process_time() - begun

    assert min(took(80_000) for _ in range(3)) < 16 * min(took(20_000) for _ in range(3)) + 0.1


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#tea and #dogs/bella, (#x-y) #tea", ("tea", "dogs/bella", "x-y")),
        ("# Heading\n#12 a#b [[N#h]] [t](x.md#h) https://x/#y `#z` &#39; #", ()),
        ("## A #heading\n- #über #日本", ("heading", "über", "日本")),
        ("```\n#include\n```", ()),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    assert tags_in(text) == tags


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ('related: "[[Note]]"', ["[[Note]]"]),
        ("up: [[Note]]", ["[[Note]]"]),
        ('up: [["Note, the first"]]', ["[[Note, the first]]"]),
        ("up: ['[[a/b#Head|here]]', \"[[c]]\"]", ["[[a/b#Head]]", "[[c]]"]),
        ('up:\n  - "[[Note, the first]]"\n  - [[b]]', ["[[Note, the first]]", "[[b]]"]),
        ("source: see [[a]], [[b]]\r\n", ["[[a]]", "[[b]]"]),
        ("summary: |\n  of [[a]]", ["[[a]]"]),
        ("places: [[1, 2], [3, 4]]\nplace: [[1, 2]]", []),
        ('upstream_grants: [["human:sean"]]', []),
        ('claims:\n- {subject: a, value: "[[b]]"}', []),
        ('up: "[[a \\"b\\"]]"', ['[[a "b"]]']),
        ("up: [\"[[Caf\\xE9|x]]\", '[[Bella''s#It''s|t]]']", ["[[Café]]", "[[Bella's#It's]]"]),
        ("- - '[[a''b]] [[c''d]]'\n- x", ["[[a'b]]", "[[c'd]]"]),
        ("up: ['a', [['b''c']]]", ["[[b'c]]"]),
        ('up: "[[a\\nb]] [[\\uD800]] [[a\\x23b]] [[a\\qb]] [[\\U00110000]]"', []),
        ("up: [[a''b]]\nover: it's [[c''d]]\nmore: 'one\n  [[e''f]]'", []),
        ("up: [[]]", []),
        ('"up": "[[a]]"', ["[[a]]"]),
    ],
)
def test_links_in_the_values_of_frontmatter(head: str, names: list[str]) -> None:
    text = fence.split(f"---\n{head}\n---\n".encode())
    assert isinstance(text, fence.FencedText)
    found = [*links_in_values(text)]
    assert [placed.link.written for placed in found] == names
    for placed in found:
        written = text.head[placed.place_start : placed.place_end]
        assert written == placed.link.place or "\\" in written or "''" in written


def test_a_table_of_toml_is_no_link() -> None:
    assert not [*links_in_values(fence.FencedText(b"+++\n", "[[params]]\nx = 1\n", b"+++\n", "", 4))]
