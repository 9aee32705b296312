from __future__ import annotations

from typing import Any

import pytest

from memstore.beliefs.next_lines import held_now
from memstore.beliefs.recompute import Unequal, check_confidences, recompute
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.memories.show import show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

BELIEF = memory_text(
    type="belief", id="m_b", confidence="0.85 # stated", created_at='"2026-01-01T00:00:00Z"', author="si:ash"
)
FILES = {
    "b.md": BELIEF,
    "e.md": memory_text(type="episode", id="m_e", source_type="direct_experience"),
    "raw.md": memory_text(type="raw", id="m_raw", source_type="told_by_human"),
    "made.md": memory_text(type="episode", id="m_made", derived_from="[raw:m_raw]", source_type="told_by_human"),
    "from_b.md": memory_text(id="m_from", derived_from="[belief:m_b]"),
    "sure.md": memory_text(type="value", id="m_sure", confidence="1.0"),
    "other.md": memory_text(type="belief", id="m_other", source_type="inference", confidence="0.4"),
    "note.md": memory_text(id="m_note"),
    "draft.md": memory_text(type="belief", id="m_draft", status="draft"),
    "tombstone.md": memory_text(type="belief", id="m_t", status="forgotten"),
    "noid.md": memory_text(),
    "claire.md": memory_text(id="m_claire", owner="si:claire"),
}


def test_evidence_is_one_line_and_the_number_follows() -> None:
    ws = memory_workspace(FILES)
    done = reinforce(ws.view(), "m_b", "m_e", reason="It held")
    assert (done.old, done.new) == (0.85, 0.8686)
    head = files_of(ws)["b.md"].decode()
    assert "confidence: 0.8686 # stated\n" in head
    assert "relates_to: [episode:m_e]\n" in head
    assert (
        "confidence_history:\n"
        '  - {timestamp: "2026-01-01T00:00:00Z", op: assert, old: null, new: 0.85, by: "si:ash"}\n'
        '  - {timestamp: "2026-02-01T12:01:00Z", op: support, old: 0.85, new: 0.8686, evidence_source: "episode:m_e", '
        'weight: 0.85, roots: ["episode:m_e"], reason: "It held", by: "human:sean"}\n'
    ) in head


def test_evidence_is_dated_by_when_it_happened() -> None:
    dated = {
        f"{name}.md": memory_text(type="episode", id=f"m_{name}", source_type="direct_experience", created_at=f'"{at}"')
        for name, at in {"old": "2024-02-01T12:00:00Z", "new": "2026-02-01T09:00:00Z"}.items()
    }
    news = {}
    for name in ("old", "new"):
        ws = memory_workspace(FILES | dated)
        reinforce(ws.view(), "m_b", f"m_{name}")
        memory = show_memory(ws.view(), "m_b").memory
        line = memory.confidence_history[-1]
        # Hours make no difference, and need no key of their own.
        assert (line.timestamp, line.happened_at) == (
            "2026-02-01T12:01:00Z", "2024-02-01T12:00:00Z" if name == "old" else None,
        )  # fmt: skip
        news[name] = memory.confidence, held_now(memory, ws.clock.now())
    assert news["old"][0] == news["new"][0] == 0.8686
    assert (news["old"][1] or 1) < (news["new"][1] or 0)


def test_the_same_evidence_again_changes_no_byte() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", ["m_e", "episode:m_e"])
    files = dict(files_of(ws))
    again = reinforce(ws.view(), "belief:m_b", "e.md", reason="Another reason")
    assert (again.saved.changed, again.counted_before, again.new) == (False, ("episode:m_e",), 0.8686)
    assert files_of(ws) == files


def test_a_raw_memory_and_what_was_made_of_it_are_one_witness() -> None:
    ws = memory_workspace(FILES)
    once = reinforce(ws.view(), "m_b", "m_raw").new
    assert reinforce(ws.view(), "m_b", "m_made").new == once == round(6.1 / 7, 4)


def test_a_contradiction_lowers_and_supports_nothing() -> None:
    ws = memory_workspace(FILES)
    assert contradict(ws.view(), "m_b", "m_e").new == round(5.1 / 6.85, 4)
    memory = show_memory(ws.view(), "m_b").memory
    assert memory.relates_to == ()
    assert memory.confidence_history[-1].reason == "Contradicted by episode:m_e"


def test_half_of_it_counts_on_both_sides() -> None:
    ws = memory_workspace(FILES)
    assert reinforce(ws.view(), "m_b", "m_e", partial=True).new == round(5.525 / 6.85, 4)


def test_a_run_of_consolidation_counts_through_the_memories_named_with_it() -> None:
    ws = memory_workspace(FILES)
    assert reinforce(ws.view(), "m_b", "consolidation:2026-02-01").new == 0.85
    assert reinforce(ws.view(), "m_b", ["consolidation:2026-02-02", "m_e"]).new == 0.8686
    lines = show_memory(ws.view(), "m_b").memory.confidence_history
    assert [line.weight for line in lines] == [None, 0.0, 0.0, 0.85]


def test_what_the_evidence_was_held_with_is_recorded() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", "m_other")
    line = show_memory(ws.view(), "m_b").memory.confidence_history[-1]
    assert (line.weight, line.source_confidence, line.roots) == (0.5, 0.4, ("belief:m_other",))


def test_any_type_with_a_confidence_and_certainty_stays() -> None:
    ws = memory_workspace(FILES)
    assert reinforce(ws.view(), "m_sure", "m_e").new == 1.0


@pytest.mark.parametrize(
    ("ref", "evidence", "error"),
    [
        ("m_b", "m_gone", NotFoundError),
        ("m_b", "m_claire", NotFoundError),
        ("m_b", "url:https://example.org", NotFoundError),
        ("m_gone", "m_e", NotFoundError),
        ("m_b", "m_b", RefusedError),
        ("m_b", "m_from", RefusedError),
        ("m_b", "m_draft", RefusedError),
        ("m_b", "m_t", RefusedError),
        ("m_t", "m_e", RefusedError),
        ("m_b", "noid.md", UsageError),
        ("m_b", [], UsageError),
        ("m_note", "m_e", UsageError),
    ],
)
def test_what_is_no_evidence_stops_it_and_nothing_is_written(ref: str, evidence: Any, error: type[Exception]) -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(error):
        reinforce(ws.view(), ref, evidence)
    assert files_of(ws) == FILES


def test_two_beliefs_do_not_lift_each_other() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", "m_other")
    with pytest.raises(RefusedError, match="rests on belief:m_other itself"):
        reinforce(ws.view(), "m_other", "m_b")


# -- recompute -----------------------------------------------------------------------------------


def test_stored_is_replayed_and_what_is_not_is_found() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", "m_e")
    assert check_confidences(ws.view()).unequal == ()
    assert check_confidences(ws.view()).ledgers == 1
    files = dict(files_of(ws))
    files["b.md"] = files["b.md"].replace(b"confidence: 0.8686", b"confidence: 0.99")
    ws = memory_workspace(files)
    (unequal,) = check_confidences(ws.view(), ["m_b"]).unequal
    assert unequal == Unequal(ref="belief:m_b", path="b.md", line=4, stored=0.99, replayed=0.8686, by_hand=True)
    assert recompute(ws.view(), dry_run=True).unequal == (unequal,)
    assert files_of(ws) == files
    recompute(ws.view())
    # There is no commit to tell who changed what: the number stands, and the ledger learns of it.
    assert b"confidence: 0.99 # stated\n" in files_of(ws)["b.md"]
    assert b'op: edit, old: 0.8686, new: 0.99, by: "human:unknown"}' in files_of(ws)["b.md"]
    assert recompute(ws.view()).saved == ()
