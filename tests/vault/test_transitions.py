from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.finding import Finding, Position, Severity
from memstore.core.finding_codes import Checked
from memstore.core.memory import LedgerLine, Memory
from memstore.vault import transitions

LINES = [
    LedgerLine(timestamp=f"2026-02-0{day}T00:00:00Z", op=op, new=0.1 * day)
    for day in (1, 2, 3)
    for op in ("assert", "edit")
]
MEMORY = Memory(
    type="belief", id="m_abc", created_at="2026-02-01T00:00:00Z", confidence=0.5, confidence_history=tuple(LINES[:2])
)


def check(before: Memory, after: Memory) -> list[Finding]:
    return transitions.check(before, Checked("a.md", after, lambda *_: Position(7), 1))


memories = st.builds(
    Memory,
    type=st.sampled_from(("note", "belief")),
    id=st.sampled_from((None, "m_abc", "m_xyz")),
    status=st.sampled_from(("active", "archived", "forgotten")),
    created_at=st.sampled_from((None, "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z")),
    confidence=st.sampled_from((None, 0.5, 0.6)),
    confidence_history=st.lists(st.sampled_from(LINES), max_size=4).map(tuple),
    body=st.sampled_from(("", "text")),
)


@pytest.mark.parametrize(
    ("after", "code", "severity", "key"),
    [
        (replace(MEMORY, id="m_xyz"), "id-changed", Severity.ERROR, "id"),
        (replace(MEMORY, id=None), "id-changed", Severity.ERROR, "id"),
        (replace(MEMORY, type="note"), "type-changed", Severity.WARNING, "type"),
        (replace(MEMORY, created_at=None), "created-at-changed", Severity.WARNING, "created_at"),
        (replace(MEMORY, confidence_history=()), "history-lost", Severity.WARNING, "confidence_history"),
        (
            replace(MEMORY, confidence_history=(LINES[0], LINES[2])),
            "history-lost",
            Severity.WARNING,
            "confidence_history",
        ),
        (replace(MEMORY, confidence=0.6), "confidence-unrecorded", Severity.WARNING, "confidence"),
    ],
)
def test_each_step_has_its_code_and_its_key(after: Memory, code: str, severity: Severity, key: str) -> None:
    findings = check(MEMORY, after)
    assert {(f.code, f.severity, f.path, f.at, f.key) for f in findings} == {(code, severity, "a.md", Position(7), key)}
    assert all(finding.hint for finding in findings)


def test_a_forgotten_memory_stays_forgotten() -> None:
    assert [f.code for f in check(replace(MEMORY, status="forgotten"), MEMORY)] == ["forgotten-revived"]
    assert check(MEMORY, replace(MEMORY, status="forgotten")) == []


def test_a_tombstone_says_nothing_of_what_the_memory_said() -> None:
    outside = replace(MEMORY, source_type="external")
    assert check(outside, Memory(type="belief", id="m_abc", status="forgotten")) == []


@pytest.mark.parametrize(
    ("source_type", "told"),
    [(None, "is now without source_type"), ("told_by_human", "is now told_by_human")],
)
def test_what_was_taken_in_from_outside_stays_so(source_type: str | None, told: str) -> None:
    (found,) = check(replace(MEMORY, source_type="external"), replace(MEMORY, source_type=source_type))
    assert (found.code, found.key) == ("external-relabelled", "source_type")
    assert told in found.text
    assert check(replace(MEMORY, source_type=source_type), replace(MEMORY, source_type="external")) == []


def test_an_adopted_memory_may_get_its_id_and_time() -> None:
    assert check(replace(MEMORY, id=None, created_at=None), MEMORY) == []


def test_a_recorded_confidence_is_fine() -> None:
    after = replace(MEMORY, confidence=0.6, confidence_history=(*MEMORY.confidence_history, LINES[5]))
    assert check(MEMORY, after) == []


@given(memories)
def test_standing_still_is_never_wrong(memory: Memory) -> None:
    assert check(memory, memory) == []


@given(memories, st.permutations(LINES))
def test_the_order_of_history_lines_means_nothing(memory: Memory, lines: list[LedgerLine]) -> None:
    before, after = (replace(memory, confidence_history=tuple(order)) for order in (LINES, lines))
    assert check(before, after) == []


@given(memories, st.lists(st.sampled_from(LINES), max_size=3))
def test_adding_history_loses_none(memory: Memory, more: list[LedgerLine]) -> None:
    after = replace(memory, confidence_history=(*more, *memory.confidence_history))
    assert "history-lost" not in {finding.code for finding in check(memory, after)}


def test_a_line_that_names_its_memory_by_its_new_type_is_not_lost() -> None:
    line = LedgerLine(timestamp="2026-02-01T18:04:11Z", op="support", evidence_source="raw:m_r1n", roots=("raw:m_r1n",))
    before = Memory(type="belief", id="m_b1n", confidence=0.7, confidence_history=(line,))
    for named in (line._replace(evidence_source="note:m_r1n"), line._replace(roots=("note:m_r1n",))):
        assert check(before, replace(before, confidence_history=(named,))) == []
    other = replace(before, confidence_history=(line._replace(evidence_source="raw:m_r2n"),))
    assert [finding.code for finding in check(before, other)] == ["history-lost"]


@given(memories, memories)
def test_each_line_that_is_gone_is_reported_once(before: Memory, after: Memory) -> None:
    lost = [finding.text for finding in check(before, after) if finding.code == "history-lost"]
    gone = {*before.confidence_history} - {*after.confidence_history}
    # What was forgotten keeps nothing; of what it had, nothing has to be there.
    assert len(lost) == (0 if after.status == "forgotten" else len(gone))


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(("m_1", "m_2", "m_3"))),
    st.sets(st.sampled_from("abcdef")),
)
def test_a_duplicate_is_reported_where_it_was_introduced(ids: dict[str, str], introduced: set[str]) -> None:
    paths: dict[str, list[str]] = {}
    for path, memory_id in ids.items():
        paths.setdefault(memory_id, []).append(path)
    found = {f.path for f in transitions.duplicates(paths, {path: Position(1) for path in introduced})}
    assert found == {path for path in introduced & ids.keys() if len(paths[ids[path]]) > 1}
