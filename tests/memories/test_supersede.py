from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.lineage.repair import fix_provenance
from memstore.lineage.trace import trace_memory
from memstore.memories.listing import list_memories
from memstore.memories.promote import supersede
from memstore.memories.show import show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.memory import Memory
    from memstore.files.render import Plain
    from memstore.vault.workspace import Workspace

OLD = memory_text(
    "Tea is best hot.\n", type="belief", id="m_old", confidence="0.65", relates_to="[episode:m_e]", tags="[tea]",
    belief_type="preference", subject_ids="[human:sean]", access_grants="[si:ash]", source_type="seed",
)  # fmt: skip
FILES = {
    "old.md": OLD,
    "e.md": memory_text(type="episode", id="m_e"),
    "note.md": memory_text(id="m_note"),
    "gone.md": memory_text(id="m_gone", status="superseded", superseded_by="note:m_lost"),
    "tombstone.md": memory_text(id="m_t", status="forgotten"),
    "noid.md": memory_text(),
}


def memory(ws: Workspace, ref: str | None) -> Memory:
    return show_memory(ws.view(), ref or "").memory


def test_the_gold_standard_of_seed_000() -> None:
    ws = memory_workspace(FILES)
    linked = supersede(ws.view(), "m_old", "Tea is best warm.", {"derived_from": ["m_note"]})
    heir, old = memory(ws, linked.saved.ref), memory(ws, "m_old")
    assert (heir.type, heir.source_type, heir.supersedes) == ("belief", "inference", ("belief:m_old",))
    assert heir.derived_from == ("belief:m_old", "note:m_note")
    assert heir.relates_to == ("episode:m_e",)
    assert (heir.tags, heir.belief_type, heir.access_grants) == (("tea",), "preference", ("si:ash",))
    (line,) = heir.confidence_history
    assert (line.op, line.new, line.evidence_source) == ("assert", 0.8, "belief:m_old")
    assert line.reason == "Superseded belief m_old"
    assert (old.status, old.superseded_by, old.confidence) == ("superseded", (linked.saved.ref,), 0.65)
    before, after = OLD.splitlines(), files_of(ws)["old.md"].splitlines()
    assert {*after} - {*before} == {b"status: superseded", f"superseded_by: {linked.saved.ref}".encode()}
    assert {*before} <= {*after}


@pytest.mark.parametrize("keys", [{"source_entity": "vet:dr_smith"}, {"source": "vet:dr_smith"}])
def test_an_heir_that_somebody_told_was_told(keys: dict[str, Plain]) -> None:
    ws = memory_workspace(FILES)
    assert memory(ws, supersede(ws.view(), "m_old", "Warm.", keys).saved.ref).source_type == "told_by_human"


def test_superseding_twice_is_refused_and_names_the_heir() -> None:
    ws = memory_workspace(FILES)
    heir = supersede(ws.view(), "m_old", "Warm.").saved.ref
    files = dict(files_of(ws))
    with pytest.raises(RefusedError, match=f"belief:m_old is already superseded, by {heir}"):
        supersede(ws.view(), "m_old", "Cold.")
    assert files_of(ws) == files


def test_the_chain_reads_the_same_from_any_member_and_the_old_is_found_by_status() -> None:
    ws = memory_workspace(FILES)
    first = supersede(ws.view(), "m_old", "Warm.").saved.ref
    second = supersede(ws.view(), str(first), "Cool.").saved.ref
    chains = {tuple(node.key for node in trace_memory(ws.view(), ref or "").chain) for ref in ("m_old", first, second)}
    assert chains == {("belief:m_old", first, second)}
    assert "belief:m_old" not in [entry.ref for entry in list_memories(ws.view()).entries]


def test_a_crash_between_the_two_files_is_found_and_mended() -> None:
    ws = memory_workspace(FILES)
    heir = supersede(ws.view(), "m_old", "Warm.").saved.ref
    whole = dict(files_of(ws))
    ws = memory_workspace({**whole, "old.md": OLD})
    with pytest.raises(RefusedError, match=f"by {heir}"):
        supersede(ws.view(), "m_old", "Cold.")
    fix_provenance(ws.view())
    old = memory(ws, "m_old")
    assert (old.status, old.superseded_by) == ("superseded", (heir,))
    assert [file for file in fix_provenance(ws.view()).files if file.path == "old.md"] == []


def test_where_the_world_changed_both_say_when() -> None:
    ws = memory_workspace(FILES)
    heir = supersede(
        ws.view(), "m_old", "Warm.", {"confidence": 0.9}, reason="A new kettle", since="2026-02-01"
    ).saved.ref
    made = memory(ws, heir)
    assert (made.valid_from, memory(ws, "m_old").valid_until) == ("2026-02-01", "2026-02-01")
    assert [(line.new, line.reason) for line in made.confidence_history] == [(0.9, "A new kettle")]
    assert show_memory(ws.view(), "m_old").memory.status_reason == "A new kettle"


def test_a_note_says_why_without_a_confidence() -> None:
    ws = memory_workspace(FILES)
    made = memory(ws, supersede(ws.view(), "m_note", "Better.").saved.ref)
    assert made.confidence is None
    assert [line.reason for line in made.confidence_history] == ["Superseded note m_note"]


@pytest.mark.parametrize(
    ("ref", "text", "values", "error"),
    [
        ("m_lost", "x", {}, NotFoundError),
        ("m_gone", "x", {}, RefusedError),
        ("m_t", "x", {}, RefusedError),
        ("noid.md", "x", {}, UsageError),
        ("m_old", " ", {}, UsageError),
        ("m_old", "x", {"relates_to": ["m_lost"]}, NotFoundError),
        ("m_old", "x", {"supersedes": ["m_note"]}, RefusedError),
        ("m_old", "x", {"confidence": 2.0}, UsageError),
    ],
)
def test_what_is_wrong_stops_it_and_nothing_is_written(
    ref: str, text: str, values: dict[str, Any], error: type[Exception]
) -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(error):
        supersede(ws.view(), ref, text, values)
    assert files_of(ws) == FILES
