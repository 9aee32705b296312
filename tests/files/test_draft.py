from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.ids import MEMORY_TYPES
from memstore.files import draft, memory_file
from memstore.files.memory_file import MemoryFile
from tests.strategies import (
    HandStyled,
    entity_ids,
    fractions,
    hand_styled_files,
    instants,
    memory_ids,
    one_line_texts,
    refs,
)
from tests.support import examples

EVENTS = st.fixed_dictionaries(
    {"timestamp": instants(), "op": st.just("assert"), "old": st.none(), "new": fractions(), "reason": one_line_texts()}
)
VALUES = st.fixed_dictionaries(
    {"type": st.sampled_from(MEMORY_TYPES)},
    optional={
        "id": memory_ids(),
        "title": one_line_texts(),
        "tags": st.lists(one_line_texts(), min_size=1),
        "created_at": instants(),
        "valid_from": st.dates().map(str),
        "author": entity_ids(),
        "source": one_line_texts(),
        "relates_to": st.lists(refs(), min_size=1),
        "access_grants": st.just(["*"]) | st.lists(entity_ids(), min_size=1),
        "foundational": st.booleans(),
        "confidence": fractions(),
        "confidence_history": st.lists(EVENTS, min_size=1, max_size=3),
        "upstream_grants": st.lists(st.lists(entity_ids(), min_size=1), min_size=1),
        "my own": one_line_texts(),
        "🐕": st.lists(one_line_texts(), min_size=1),
    },
)


@given(VALUES, st.text(st.characters(codec="utf-8"), max_size=40))
@settings(max_examples=examples(100))
def test_a_new_file_says_what_it_was_made_of(values: dict[str, Any], body: str) -> None:
    file = memory_file.read("a.md", draft.new_file(values, body))
    assert isinstance(file, MemoryFile), file
    assert file.front.values == values
    assert body.strip() in file.text.body or not body.strip()


def test_a_new_file_reads_well() -> None:
    values: dict[str, Any] = {
        "mine": "x",
        "created_at": "2026-02-01T18:04:11Z",
        "tags": ["a", "b"],
        "type": "belief",
        "relates_to": [],
        "source": None,
        "derived_from": [f"raw:m_000000000{i}" for i in range(6)],
        "confidence_history": [{"timestamp": "2026-02-01T18:04:11Z", "op": "assert", "old": None, "new": 0.8}],
    }
    expected = """\
---
type: belief
tags: [a, b]
created_at: "2026-02-01T18:04:11Z"
derived_from:
  - raw:m_0000000000
  - raw:m_0000000001
  - raw:m_0000000002
  - raw:m_0000000003
  - raw:m_0000000004
  - raw:m_0000000005
confidence_history:
  - {timestamp: "2026-02-01T18:04:11Z", op: assert, old: null, new: 0.8}
mine: x
---

Text.
"""
    assert draft.new_file(values, "Text.").decode() == expected
    assert draft.new_file({"type": "note"}, " \n") == b"---\ntype: note\n---\n"


@given(hand_styled_files(), st.lists(st.text("abc: é\n", max_size=9), max_size=3))
@settings(max_examples=examples(50))
def test_notes_on_top_come_off_again(styled: HandStyled, notes: list[str]) -> None:
    assert draft.without_notes(draft.with_notes(styled.data, notes)) == styled.data


def test_a_note_whose_blanks_an_editor_took_off_comes_off() -> None:
    assert draft.without_notes(b"# memstore:\n# memstore: x\n---\n") == b"---\n"
