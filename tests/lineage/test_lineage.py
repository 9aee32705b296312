"""The use cases of lineage: trace, orphans, impact, fix_provenance."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstore.core.config import Config
from memstore.core.errors import NotFoundError
from memstore.lineage.orphans import find_orphans
from memstore.lineage.repair import fix_provenance
from memstore.lineage.trace import impact_of, trace_memory
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text

SAMPLE = Path(__file__).parents[2] / "sample-vault"

FILES = {
    "raw.md": memory_text("The tea was cold.\n", type="raw", id="m_raw", source="a walk"),
    "note.md": memory_text("See [[raw:m_raw#L5@abc]].\n", id="m_note", derived_from="[raw:m_raw, note:m_gone]"),
    "belief.md": memory_text(type="belief", id="m_belief", relates_to="[note:m_note, note:m_hidden]"),
    "claire.md": memory_text(id="m_hidden", owner="si:claire", derived_from="[raw:m_raw, note:m_lost]"),
}


def keys(ref: str, *, actor: str = OWNER, down: bool = False) -> list[str]:
    ws = memory_workspace(FILES, actor=actor)
    return [node.key for node in trace_memory(ws.view(), ref, reverse=down).nodes]


def test_hidden_memories_are_neither_shown_nor_missing() -> None:
    assert keys("m_belief") == ["belief:m_belief", "note:m_note", "note:m_gone", "raw:m_raw"]
    assert keys("m_raw", down=True) == ["raw:m_raw", "note:m_note", "belief:m_belief"]


def test_others_see_no_dangling_refs() -> None:
    assert keys("m_hidden", actor="si:claire") == ["note:m_hidden"]
    assert find_orphans(memory_workspace(FILES, actor="si:claire").view()).dangling == ()


def test_a_hidden_memory_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="no memory matches `m_hidden`"):
        keys("m_hidden")


def test_lineage_holds_when_a_source_is_moved_and_edited() -> None:
    moved = {**FILES, "elsewhere/a name.md": FILES["raw.md"] + b"\nMore.\n"}
    del moved["raw.md"]
    traced = trace_memory(memory_workspace(moved).view(), "m_note")
    assert [(node.key, node.path) for node in traced.nodes][2] == ("raw:m_raw", "elsewhere/a name.md")


def test_dangling_refs_name_their_field_and_line() -> None:
    ledger = '[{timestamp: "2026-02-01T12:00:00Z", op: support, evidence_source: "raw:m_x"}]'
    two = {"derived_from": "[raw:m_raw, raw:m_x]", "relates_to": "[raw:m_x]"}
    ws = memory_workspace({
        "a.md": memory_text("\nSee [[raw:m_x]].\n", id="m_a", **two),
        "b.md": memory_text(type="belief", id="m_b", supersedes="belief:m_x", confidence_history=ledger),
        "raw.md": FILES["raw.md"],
        "tombstone.md": memory_text(id="m_t", status="forgotten", derived_from="[raw:m_x]"),
    })  # fmt: skip
    found = find_orphans(ws.view())
    assert [(one.node.path, one.at.line, one.field, one.target) for one in found.dangling] == [
        ("a.md", 4, "derived_from", "raw:m_x"),
        ("a.md", 5, "relates_to", "raw:m_x"),
        ("a.md", 8, "body", "raw:m_x"),
        ("b.md", 5, "confidence_history", "raw:m_x"),
        ("b.md", 4, "supersedes", "belief:m_x"),
    ]
    assert [one.is_ungrounded for one in found.dangling] == [False, False, False, True, True]
    assert found.without_source == ()


def test_the_orphans_of_the_sample_vault_are_the_planted_ones() -> None:
    files = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in SAMPLE.rglob("*.md")}
    found = find_orphans(memory_workspace(files, actor="si:ash", config=Config(owner="si:ash")).view())
    assert [node.key for node in found.without_source] == [
        "belief:m_kwydexdack",
        "lists/tram idea.md",
        "note:m_d9jrgkbky8",
    ]
    assert found.dangling == ()


def test_orphans_tell_whether_their_source_can_be_filled_in() -> None:
    rain = {name: BARE[name] for name in ("3.md", "4.md")}
    assert find_orphans(memory_workspace(rain).view()).is_fixable
    assert not find_orphans(memory_workspace({"3.md": rain["3.md"]}).view()).is_fixable
    tea = {"1.md": BARE["1.md"], "2.md": BARE["2.md"], "other.md": memory_text(id="m_other")}
    assert [node.key for node in find_orphans(memory_workspace(tea).view()).without_source] == [
        "belief:m_b1", "note:m_other", "raw:m_r1"
    ]  # fmt: skip
    assert find_orphans(memory_workspace(tea).view()).is_fixable


def test_impact_names_the_edges_that_would_be_lost() -> None:
    found = impact_of(memory_workspace(FILES).view(), ["m_note"])
    assert [one.node.key for one in found.lost] == ["belief:m_belief"]
    assert [edge.source for one in found.lost for edge in one.edges] == ["note:m_note"]
    assert found.weakened == ()


# -- fix-provenance ------------------------------------------------------------------------------

BARE = {
    "1.md": memory_text("The tea was cold.\n", type="raw", id="m_r1", processed_into="[belief:m_b1]"),
    "2.md": memory_text("Tea gets cold.\n", type="belief", id="m_b1"),
    "3.md": memory_text("Rain.\n", type="raw", id="m_r2", created_at='"2026-02-01T12:00:00Z"'),
    "4.md": memory_text("Rain.\n", id="m_n2", created_at='"2026-02-01T12:10:00Z"'),
    "5.md": memory_text("Authentic relationships require honesty about my nature.\n", type="belief", id="m_b3"),
}


def test_provenance_is_filled_in_on_both_sides_and_only_once() -> None:
    ws = memory_workspace(BARE)
    fixed = fix_provenance(ws.view())
    assert [file.path for file in fixed.files] == ["2.md", "3.md", "4.md", "5.md"]
    files = files_of(ws)
    assert b"derived_from: [raw:m_r1]\n" in files["2.md"]
    assert b"processed_into: [note:m_n2]\n" in files["3.md"]
    assert b"derived_from: [raw:m_r2]\n" in files["4.md"]
    assert b"source_type: seed\nderived_from: [kernle:seed-beliefs]\n" in files["5.md"]
    assert fix_provenance(ws.view()).files == ()
    assert files_of(ws) == files


def test_a_dry_run_changes_no_byte_and_says_the_same() -> None:
    ws = memory_workspace(BARE)
    planned = fix_provenance(ws.view(), dry_run=True)
    assert files_of(ws) == BARE
    assert fix_provenance(ws.view(), dry_run=True) == planned
    assert fix_provenance(ws.view()).files == planned.files


def test_signed_memories_are_left_alone() -> None:
    signature = '{by: si:ash, at: "2026-02-01T12:00:00Z", content: c, provenance: p, sig: s}'
    signed = memory_text("Tea gets cold.\n", type="belief", id="m_b1", signature=signature)
    ws = memory_workspace({"1.md": BARE["1.md"], "2.md": signed})
    assert [file.skipped for file in fix_provenance(ws.view()).files] == [
        "it is signed, and the signature covers its provenance"
    ]
    assert files_of(ws)["2.md"] == signed
