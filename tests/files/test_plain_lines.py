"""Plain lines: whatever is read without a parser is what the strict reader reads, and nothing that it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memstore.files import fence, plain_lines, strict_yaml
from memstore.files.fence import FencedText
from tests.strategies import hand_styled_files
from tests.support import examples

if TYPE_CHECKING:
    from typing import Any

    from tests.strategies import HandStyled

HEADS = [
    text.head
    for place in sorted((Path(__file__).parents[2] / "sample-vault").rglob("*.md"))
    if isinstance(text := fence.split(place.read_bytes()), FencedText)
]
# What readers stumble over, and what plain lines are made of.
PIECES = (
    *"abyn01_-.:,;#'\"[]{}()&*!|>%@`?=~<+/\\ \t\n\r",
    ": ", ", ", " #", " - ", "- ", "\n  - ", "\n- ", "\n    - ", '"no"', "''", "'a'", "a: ", "\nb: ", "\nc:",
    "[a, b]", "[]", "{a: b}", "{}", "{a: [x], b: 'y'}", "yes", "null", "true", "0.5", "017", "12:30", "1_0",
    "2026-02-01", "si:ash", "<<", "---", "...", "\x00", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u2028", "\ufeff",
    "\ufffe", "\ue000", "：", "（", "\ufffd", "\u3000",
    "é", "ﬁ", "\u017f", "\u212a", "²", "٣", "語", "🐕", "x" * 101, "0" * 101, "x" * 1100,
)  # fmt: skip


def assert_same(head: str) -> bool:
    """Check that a head is read as the strict reader reads it, or left to it; return whether it is read."""
    found = plain_lines.read(head, first_line=2)
    if found is None:
        return False
    strictly = strict_yaml.read(head, first_line=2)
    assert strictly.problems == []
    assert repr(found.values) == repr(strictly.values)  # 1 is not 1.0, and the order is the same
    for path, at in strictly.positions.items():
        if len(path) == 1 or (len(path) == 2 and isinstance(path[1], int)):
            assert found.line_of(*path) == strictly.line_of(*path) == at.line
    assert "positions" not in vars(found)
    assert found.positions == strictly.positions
    return True


def test_most_heads_of_the_sample_vault_are_plain() -> None:
    read = [assert_same(head) for head in HEADS]
    assert sum(read) > 0.9 * len(read)


@pytest.mark.parametrize(
    ("head", "values"),
    [
        ("", {}),
        ("a:", {"a": None}),
        ("a: ~", None),
        ("a: null\nb: true\nc: 12\nd: 0.50", {"a": None, "b": True, "c": 12, "d": 0.5}),
        ("a: It's 12:30, is it?\n", {"a": "It's 12:30, is it?"}),
        ("a: [x, 'y z', \"no\", 3]\nb: []", {"a": ["x", "y z", "no", 3], "b": []}),
        ("a:\n- b\n- c d, e\nf: g", {"a": ["b", "c d, e"], "f": "g"}),
        (
            "a:\n  - {b: null, c: [], d: [\"x, y\"], e: 'f: g'}",
            {"a": [{"b": None, "c": [], "d": ["x, y"], "e": "f: g"}]},
        ),
        ("a: yes", None),
        ("a: [12:30]", None),
        ("no: a", None),
        ("a: 1\na: 2", None),
        ("a: {b: 1, b: 2}", None),
        ("a: b\n  - c", None),
        ("a:\n  - b\n    - c", None),
        ("a: 'it''s'", None),
        ('a: "\\x41"', None),
        ("a: b: c", None),
        ("a: b:", None),
        ("a: b # c", None),
        ("a: &b c", None),
        ("a: [b,\n  c]", None),
        ("a: " + "b" * strict_yaml.MOST_NODES, None),
    ],
)
def test_what_is_read(head: str, values: dict[str, Any] | None) -> None:
    found = plain_lines.read(head, first_line=1)
    assert (found.values if found else None) == values
    assert_same(head)


@given(key=st.sampled_from(["title", "no", "a1_b", "A"]), text=st.text(), end=st.sampled_from(["", "\n", " # c"]))
@example("title", "Tea with Sean", "")
@example("title", "Tea \N{NO-BREAK SPACE}", "")
@example("title", "a\\x41", "")
@example("title", 'a" b: "c', "")
def test_a_quoted_line_is_read_as_all_lines_are(key: str, text: str, end: str) -> None:
    line = f'{key}: "{text}"{end}'
    quoted, whole = plain_lines.quoted(line), plain_lines.read(line, first_line=1)
    assert quoted is None or (whole is not None and whole.values == dict([quoted]))
    assert quoted or end or whole is None


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=examples(1000))
def test_any_text_is_read_as_the_strict_reader_reads_it(text: str) -> None:
    for head in (text, f"a: {text}", f"a:\n  - {text}", f"a: [{text}]", f"a: {{b: {text}}}", f"a: 'b{text}'"):
        assert_same(head)


@given(st.sampled_from(HEADS), st.data())
@settings(max_examples=examples(1000))
def test_a_mangled_head_is_read_as_the_strict_reader_reads_it(head: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(head)))
    end = data.draw(st.integers(start, min(start + 20, len(head))))
    assert_same(head[:start] + data.draw(st.sampled_from(("", *PIECES))) + head[end:])


@given(hand_styled_files())
def test_a_hand_written_head_is_read_as_the_strict_reader_reads_it(file: HandStyled) -> None:
    text = fence.split(file.data)
    assert isinstance(text, FencedText)
    assert_same(text.head)
