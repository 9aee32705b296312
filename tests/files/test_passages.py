from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.files.passages import PassageKind, passages
from tests.support import examples

LINES = st.sampled_from(
    [
        "", "  ", "text", "more text", "# One", "## Two", "###", "- item", "- Sean: says", "  - nested", "  goes on",
        "1. first", "> quoted", "| a | b |", "|---|---|", "| 1 | 2 |", "```py", "```", "~~~", "===", "---", "***",
        "\ttab", "    four", "#no heading", "-", "*bold*", "+ plus", "| lone", "ﬁn", "日本",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=30), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"]), st.integers(1, 40))
@settings(max_examples=examples(300))
def test_every_line_that_is_not_blank_is_in_one_passage(lines: list[str], newline: str, end: str, first: int) -> None:
    body = newline.join(lines) + end
    found = passages(body, first_line=first)
    covered = [number for one in found for number in range(one.line_start, one.line_end + 1)]
    assert covered == sorted(set(covered))
    assert {first + at for at, line in enumerate(lines) if line.strip()} <= set(covered)
    assert all(first <= number < first + len(lines) for number in covered)
    assert all(lines[one.line_end - first].strip() for one in found)


def cut(body: str) -> list[tuple[int, int, str]]:
    return [(one.line_start, one.line_end, one.kind.value) for one in passages(body, first_line=1)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", []),
        ("one\ntwo\n\nthree", [(1, 2, "paragraph"), (4, 4, "paragraph")]),
        ("- a\n  more\n  - b\n- c\nlazy", [(1, 2, "item"), (3, 3, "item"), (4, 5, "item")]),
        ("# T\n\ntext", [(1, 3, "paragraph")]),
        ("# T\n## U\ntext\n## Empty\n## Last", [(1, 3, "paragraph"), (4, 4, "heading"), (5, 5, "heading")]),
        ("Title\n=====\ntext", [(1, 3, "paragraph")]),
        ("> a\n> b\nlazy\n\n> c", [(1, 3, "quote"), (5, 5, "quote")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", [(1, 2, "row"), (3, 3, "row"), (4, 4, "row")]),
        ("```\nx\n\n# y\n```\nafter", [(1, 5, "code"), (6, 6, "paragraph")]),
        ("~~~\nnever closed\n\n", [(1, 2, "code")]),
        ("a\n\n---\n\nb", [(1, 1, "paragraph"), (3, 3, "rule"), (5, 5, "paragraph")]),
    ],
)
def test_a_body_is_cut_where_people_see_a_new_piece(body: str, expected: list[tuple[int, int, str]]) -> None:
    assert cut(body) == expected


def test_headings_stand_above_what_follows() -> None:
    found = passages("# A\n## B\none\n\ntwo\n# C\nthree", first_line=1)
    assert [(one.text, one.headings) for one in found] == [
        ("one", ("A", "B")),
        ("two", ("A", "B")),
        ("three", ("C",)),
    ]


def test_the_head_of_a_table_stands_above_its_rows() -> None:
    head, row = passages("| dose | day |\n|---|---|\n| 5 mg | Monday |", first_line=1)
    assert head.headings == ()
    assert row.headings == ("| dose | day |",)


def test_a_section_without_text_can_be_cited() -> None:
    (found,) = passages("# A\n## B\n", first_line=1)
    assert (found.kind, found.text, found.headings) == (PassageKind.HEADING, "B", ("A",))
    assert (found.line_start, found.line_end) == (1, 2)


@pytest.mark.parametrize(
    ("line", "speaker", "text"),
    [
        ("- Claire: hello", "Claire", "hello"),
        ("- **Dr Smith:** grade two", "Dr Smith", "grade two"),
        ("- Jürgen Ä.: ja", "Jürgen Ä.", "ja"),
        ("- see https://example.org/a", "", "see https://example.org/a"),
        ("- 3:30 at the vet", "", "3:30 at the vet"),
        ("- Note:", "", "Note:"),
    ],
)
def test_who_speaks(line: str, speaker: str, text: str) -> None:
    (found,) = passages(line, first_line=1)
    assert (found.speaker, found.text) == (speaker, text)
