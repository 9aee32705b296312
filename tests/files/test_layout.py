"""Where values stand: each key looked at by itself stands where it stands among all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from memstore.files import fence, layout, strict_yaml
from memstore.files.fence import FencedText
from tests.strategies import HandStyled, hand_styled_files
from tests.support import examples


def _places(root: layout.Mapping | None) -> list[tuple[str, layout.Scalar, object]]:
    return [(pair.name, pair.key, _node(pair.value)) for pair in (root.pairs if root else ())]


def _node(node: layout.Node) -> object:
    """Return a place with the places in it, which maps find when they are asked."""
    match node:
        case layout.Mapping():
            return node.start, node.end, node.flow, _places(node)
        case layout.Sequence():
            return node.start, node.end, node.flow, [_node(item) for item in node.items]
    return node


def _both(head: str) -> tuple[layout.Mapping | None, layout.Mapping | None]:
    front = strict_yaml.read(head, first_line=2)
    assert not front.problems
    return layout.located(front, head), layout.locate(head)


@given(hand_styled_files())
@settings(max_examples=examples(500))
def test_each_key_by_itself_stands_where_it_stands_among_all(styled: HandStyled) -> None:
    text = fence.split(styled.data)
    assert isinstance(text, FencedText)
    alone, among = _both(text.head)
    assert _places(alone) == _places(among)
    assert (alone and (alone.start, alone.flow)) == (among and (among.start, among.flow))


@pytest.mark.parametrize(
    "head",
    [
        "",
        "# only a comment\n",
        "{type: note, id: a}\n",
        "{type: note,\n id: a,\n  tags: [b]}\n",
        "# one {\ntype: note\n# two\nid:\n# three\n\ntags:\n# four\n- a\n-\n# five\n- b # six\n# seven\n",
        "  type: note\n  tags:\n  - a\n  - b\n",
        "? type\n: note\nid: a\n",
        "type: note\n\"a: b\": c\n'd': >+\n\n  e\n\n\nf: |-\n  g: h\n   # no comment\n# one\nk:\n",
        "type: note\r\ntags:\r\n- a\r\nlast:",
        "type: note\ntitle: a\n  b\n  # c\norigin:\n  session_id: s\n  # d\n  trigger: t\n\n# e\n",
        "\u65e5\u672c: \U0001f415\n\U0001f415: [\U0001f415, b]\nz: end",
    ],
)
def test_odd_layouts_have_the_same_places_either_way(head: str) -> None:
    alone, among = _both(head)
    assert _places(alone) == _places(among)


def test_a_place_is_looked_for_only_when_it_is_asked_for() -> None:
    head = "type: note\ntags: [a]\nid: b\n"
    found = layout.located(strict_yaml.read(head, first_line=2), head)
    assert found is not None
    tags = found.pair("tags")
    assert tags is not None
    assert head[tags.value.start : tags.value.end] == "[a]"
    assert [pair.name for pair in found.pairs if "_places" in vars(pair)] == ["tags"]
