from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.memory import Claim, LedgerLine, Memory
from memstore.history.changes import changed_lines, differences, new_lines, number

SUPPORT = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", new=0.86, evidence_source="episode:m_e")
EDIT = LedgerLine(timestamp="2026-02-02T00:00:00Z", op="edit", new=0.5)
MEMORY = Memory(type="belief", id="m_abc", tags=("one", "two"), confidence=0.8, extra={"mine": 1}, body="a\nb\n")


@pytest.mark.parametrize(
    ("after", "statements"),
    [
        (MEMORY, ()),
        (
            replace(MEMORY, confidence=0.8625, confidence_history=(SUPPORT,)),
            ("confidence 0.80 → 0.8625 because episode:m_e",),
        ),
        (
            replace(MEMORY, confidence=0.5, confidence_history=(EDIT,)),
            ("confidence 0.80 → 0.50", "confidence_history +1 line"),
        ),
        (replace(MEMORY, confidence=None), ("confidence 0.80 → unstated",)),
        (replace(MEMORY, confidence_history=(SUPPORT, EDIT)), ("confidence_history +2 lines",)),
        (replace(MEMORY, tags=("two", "three")), ("tags +three −one",)),
        (replace(MEMORY, tags=("two", "one")), ("tags in a different order",)),
        (replace(MEMORY, title="A title"), ('title (none) → "A title"',)),
        (replace(MEMORY, status="archived"), ("status active → archived",)),
        (replace(MEMORY, foundational=True), ("foundational false → true",)),
        (replace(MEMORY, claims=(Claim(subject="a", attribute="b", value="c"),)), ("claims changed (0 → 1 entries)",)),
        (replace(MEMORY, extra={"mine": 2, "new": 1}), ("mine changed", "new added")),
        (replace(MEMORY, extra={}), ("mine removed",)),
        (replace(MEMORY, body="a\nc\nd\n"), ("body: 2 lines changed",)),
        (replace(MEMORY, body="a\r\nb\r\n"), ("body: line ends changed",)),
    ],
)
def test_what_changed_is_said(after: Memory, statements: tuple[str, ...]) -> None:
    assert differences(MEMORY, after) == statements


def test_a_history_line_that_is_gone_is_said() -> None:
    assert differences(replace(MEMORY, confidence_history=(EDIT,)), MEMORY) == ("confidence_history −1 line",)


@pytest.mark.parametrize(
    ("value", "text"), [(0.8, "0.80"), (1.0, "1.00"), (0.8686, "0.8686"), (0.125, "0.125"), (None, "unstated")]
)
def test_a_confidence_has_two_decimals_or_more(value: float | None, text: str) -> None:
    assert number(value) == text


lines = st.lists(st.sampled_from((SUPPORT, EDIT)), max_size=5).map(tuple)


@given(lines, lines)
def test_new_lines_are_those_that_the_old_state_lacks(
    before: tuple[LedgerLine, ...], after: tuple[LedgerLine, ...]
) -> None:
    old, new = replace(MEMORY, confidence_history=before), replace(MEMORY, confidence_history=after)
    added = new_lines(old, new)
    for line in (SUPPORT, EDIT):
        assert added.count(line) == max(0, after.count(line) - before.count(line))
    assert new_lines(None, new) == list(after)
    assert new_lines(old, None) == []


texts = st.lists(st.sampled_from("abc"), max_size=6).map(lambda parts: "".join(f"{part}\n" for part in parts))


@given(texts, texts)
def test_changed_lines_count_from_none_to_all(before: str, after: str) -> None:
    count = changed_lines(before, after)
    assert (count == 0) == (before == after)
    assert count <= before.count("\n") + after.count("\n")
    assert changed_lines("", after) == after.count("\n")
