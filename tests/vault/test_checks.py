"""Checks of one memory: each says what is probably not meant, and a good memory passes them all."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.finding import Position
from memstore.core.finding_codes import Checked
from memstore.core.keys import KEYS
from memstore.core.memory import LedgerLine, Memory
from memstore.vault import checks

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
GOOD: dict[str, Any] = {
    "type": "note", "id": "m_0000000001", "author": "si:ash", "source_type": "observation", "body": "Tea.\n",
}  # fmt: skip
STATED = LedgerLine(timestamp="2026-02-01T10:00:00Z", op="assert", new=0.8)
HEAVY = LedgerLine("2026-02-01T11:00:00Z", "support", evidence_source="raw:m_1", weight=64.0)
CONFLICT = "One.\n<<<<<<< HEAD\nTwo.\n=======\nThree.\n>>>>>>> other\n"


def place(*path: str | int) -> Position:
    """Give every key a line of its own, and every item a column."""
    names = [key.name for key in KEYS]
    line = names.index(str(path[0])) + 2 if path and path[0] in names else 1
    return Position(line, int(path[1]) + 2 if len(path) > 1 else 1)


def found(path: str = "notes/tea.md", **changes: Any) -> list[tuple[str, int, int]]:
    checked = Checked(path, Memory(**{**GOOD, **changes}), place, body_line=60)
    return [(f.code, f.at.line, f.at.column) for f in checks.of_memory(checked, now=NOW)]


def at(key: str, item: int | None = None) -> tuple[int, int]:
    where = place(key) if item is None else place(key, item)
    return where.line, where.column


@pytest.mark.parametrize(
    ("changes", "code", "line", "column"),
    [
        ({"id": None}, "id-missing", 1, 1),
        ({"body": ""}, "body-empty", 60, 1),
        ({"body": " \n\t\n"}, "body-empty", 60, 1),
        ({"title": " Tea"}, "title-blanks", *at("title")),
        ({"title": "Tea  time"}, "title-blanks", *at("title")),
        ({"tags": ("a", "b", "a")}, "item-repeated", *at("tags", 2)),
        ({"access_grants": ("*", "*")}, "item-repeated", *at("access_grants", 1)),
        ({"created_at": "2026-02-01T12:00:01Z"}, "created-in-future", *at("created_at")),
        (
            {"confidence": 0.8, "confidence_history": (STATED, STATED._replace(timestamp="2026-02-01T13:00:01Z"))},
            "history-in-future",
            *at("confidence_history", 1),
        ),
        (
            {"confidence": 0.9829, "confidence_history": (STATED, HEAVY)},
            "evidence-heavy",
            *at("confidence_history", 1),
        ),
        ({"extra": {"acess_grants": ["human:sean"]}}, "key-unknown", 1, 1),
        ({"extra": {"Access-Grants": ["human:sean"]}}, "key-unknown", 1, 1),
        ({"extra": {"tag": "x"}}, "key-unknown", 1, 1),
        ({"status": "superseded"}, "heir-missing", *at("status")),
        ({"status": "draft"}, "draft-place", *at("status")),
        ({"status": "forgotten", "body": "Gone.\n\nBut not quite.\n"}, "forgotten-body", 62, 1),
        ({"source_type": None}, "source-missing", *at("type")),
        ({"source_type": "unknown"}, "source-missing", *at("type")),
        ({"confidence": 0.9, "confidence_history": (STATED,)}, "confidence-drift", *at("confidence")),
        ({"confidence_history": (STATED,)}, "confidence-drift", *at("confidence_history")),
        ({"body": CONFLICT}, "conflict-marker", 61, 1),
        ({"body": CONFLICT.replace("\n", "\r\n")}, "conflict-marker", 61, 1),
        ({"body": CONFLICT.replace("=======", "||||||| base\nZero.\n=======")}, "conflict-marker", 61, 1),
    ],
)
def test_what_is_hardly_meant_is_found(changes: dict[str, Any], code: str, line: int, column: int) -> None:
    assert found(**changes) == [(code, line, column)]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"id": None}, ""),
        ({"body": ""}, ""),
        ({"title": " Tea"}, "title"),
        ({"tags": ("a", "b", "a")}, "tags"),
        ({"confidence_history": (STATED._replace(timestamp="2027-02-01T13:00:01Z"),)}, "confidence_history"),
        ({"extra": {"acess_grants": []}}, "acess_grants"),
    ],
)
def test_a_finding_names_its_key_and_none_for_the_text(changes: dict[str, Any], key: str) -> None:
    checked = Checked("a.md", Memory(**{**GOOD, **changes}), place, 60)
    assert {f.key for f in checks.of_memory(checked, now=NOW)} == {key}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": "Tea time", "tags": ("a", "b"), "created_at": "2026-02-01T12:00:00Z"},
        {"confidence": 0.8, "confidence_history": (STATED._replace(timestamp="2026-02-01T13:00:00Z"),)},
        {"extra": {"mood": "fine", "source_url": "x", "category": "y", "cssclasses": []}},
        {"extra": {"rating": 4}, "body": "\n"},
        {"status": "superseded", "superseded_by": ("note:m_0000000002",)},
        {"status": "forgotten", "body": "by si:ash, at their wish\n", "author": None},
        {"status": "forgotten", "body": ""},
        {"author": None, "source": "a walk"},
        {"author": None, "derived_from": ("raw:m_0000000002",)},
        {"author": None, "relates_to": ("raw:m_0000000002",)},
        {"body": "A heading\n=======\n\n<<<<<<< is how a conflict begins.\n"},
        {"body": "    <<<<<<< HEAD\n    =======\n    >>>>>>> other\n"},
    ],
)
def test_what_is_meant_passes(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_a_draft_belongs_among_the_suggestions() -> None:
    assert found("suggestions/prop_1.md", status="draft") == []


def test_a_slip_in_a_key_is_told_with_the_key_that_was_meant() -> None:
    checked = Checked("a.md", Memory(**GOOD, extra={"consent_grant": ["human:sean"]}), place, 60)
    finding = checks.of_memory(checked, now=NOW)[0]
    assert "did you mean consent_grants?" in (finding.hint or "")
    assert not finding.is_error


@given(st.sampled_from([key.name for key in KEYS if len(key.name) > 4]), st.data())
def test_a_letter_left_out_of_a_key_is_noticed(name: str, data: st.DataObject) -> None:
    gap = data.draw(st.integers(0, len(name) - 1))
    slip = name[:gap] + name[gap + 1 :]
    assert checks.nearly(slip, tuple(key.name for key in KEYS)) is not None


@given(st.text(max_size=30), st.lists(st.text(max_size=4), max_size=5), st.text(max_size=60))
def test_any_memory_is_checked(title: str, tags: list[str], body: str) -> None:
    checked = Checked("a.md", Memory(type="note", title=title, tags=tuple(tags), body=body), place, 5)
    for finding in checks.of_memory(checked, now=NOW):
        assert finding.hint
        assert finding.at.line <= 5 + body.count("\n") or finding.at.line <= len(KEYS) + 2


@pytest.mark.parametrize("line", ["<<<<<<< a\n", "<<<<<<< a\n=======\n"])
def test_many_markers_take_linear_time(line: str) -> None:
    begun = time.process_time()
    assert found(body=line * 200_000) == []
    assert time.process_time() - begun < 1
