from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.files.draft import Account
from memstore.lineage.orphans import find_orphans
from memstore.lineage.repair import fix_provenance
from memstore.memories.add import add_memory
from memstore.memories.promote import process_raw, promote
from memstore.memories.show import show_memory
from memstore.vault.status import undo
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.memory import Memory
    from memstore.vault.workspace import Workspace

RAW = memory_text(
    "\r\nFirst memory capture! I'm Ash.\r\n", type="raw", id="m_raw", tags="[first]", source="human:claire",
    source_type="told_by_human", source_entity="human:claire", origin='{session_id: "42"}',
    subject_ids="[si:ash]", access_grants="[human:claire]", consent_grants="[human:claire]",
)  # fmt: skip
DRAFT = memory_text(
    "Claire asks early.\n", type="belief", id="m_draft", status="draft", confidence="0.6", source="consolidation",
    source_type="consolidation", derived_from='[raw:m_raw, note:m_n, "consolidation:2026-02-01"]',
    relates_to="[note:m_n]",
)  # fmt: skip
FILES = {
    "raw.md": RAW,
    "n.md": memory_text(id="m_n"),
    "b.md": memory_text(type="belief", id="m_b", confidence="0.5"),
    "suggestions/d.md": DRAFT,
}


def memory(ws: Workspace, ref: str | None) -> Memory:
    return show_memory(ws.view(), ref or "").memory


def test_both_sides_are_written_and_what_is_known_is_taken_over() -> None:
    ws = memory_workspace(FILES)
    linked = promote(ws.view(), "m_raw", "belief")
    made = memory(ws, linked.saved.ref)
    assert (made.derived_from, made.source, made.tags) == (("raw:m_raw",), "cli-promote", ("first", "promoted"))
    assert (made.source_type, made.source_entity) == ("told_by_human", "human:claire")
    assert made.origin is not None
    assert made.origin.session_id == "42"
    assert (made.subject_ids, made.access_grants) == (("si:ash",), ("human:claire",))
    assert made.body == "\nFirst memory capture! I'm Ash.\n"
    assert made.confidence == 0.7
    (line,) = made.confidence_history
    assert (line.op, line.new, line.evidence_source, line.reason) == (
        "assert", 0.7, "raw:m_raw", "Promoted from raw:m_raw"
    )  # fmt: skip
    assert memory(ws, "m_raw").processed_into == (linked.saved.ref,)
    assert [saved.path for saved in linked.others] == ["raw.md"]
    assert files_of(ws)["raw.md"].count(b"\r\n") == RAW.count(b"\r\n")
    assert find_orphans(ws.view()).without_source == find_orphans(memory_workspace(FILES).view()).without_source
    assert not {file.path for file in fix_provenance(ws.view(), dry_run=True).files} & {"raw.md", linked.saved.path}


@pytest.mark.parametrize("kind", ["note", "episode", "belief", "value", "insight"])
def test_promoting_twice_is_refused_and_names_the_first_result(kind: str) -> None:
    ws = memory_workspace(FILES)
    first = promote(ws.view(), "m_raw", kind).saved.ref
    files = dict(files_of(ws))
    with pytest.raises(RefusedError, match=f"raw:m_raw was already promoted: {first}"):
        promote(ws.view(), "raw:m_raw", "belief")
    assert files_of(ws) == files


def test_a_crash_between_the_two_files_is_found_and_mended() -> None:
    ws = memory_workspace(FILES)
    made = promote(ws.view(), "m_raw", "note").saved
    half = {**files_of(ws), "raw.md": RAW}
    ws = memory_workspace(half)
    with pytest.raises(RefusedError, match=f"already promoted: {made.ref}") as refused:
        promote(ws.view(), "m_raw", "note")
    assert refused.value.hint == "memstore check fix-provenance links the two"
    fix_provenance(ws.view())
    assert memory(ws, "m_raw").processed_into == (made.ref,)


def test_a_result_that_is_gone_keeps_the_door_shut() -> None:
    ws = memory_workspace({"r.md": memory_text(type="raw", id="m_raw", processed_into="[note:m_gone]")})
    with pytest.raises(RefusedError, match="to a memory that no longer exists"):
        promote(ws.view(), "m_raw", "note")


def test_an_episode_tells_how_it_came_out() -> None:
    ws = memory_workspace(FILES)
    account = Account(objective="First  collab", outcome="merged", lessons=("ask early", "ask\ntwice", " "))
    made = memory(ws, promote(ws.view(), "m_raw", "episode", account=account).saved.ref)
    assert made.title == "First collab"
    assert made.body == (
        "\nFirst memory capture! I'm Ash.\n\n## Outcome\n\nmerged\n\n## Lessons\n\n- ask early\n- ask twice\n"
    )


def test_the_title_is_not_the_heading_of_the_outcome() -> None:
    ws = memory_workspace(FILES)
    made = promote(ws.view(), "m_raw", "episode", account=Account(outcome="merged"), dry_run=True).saved
    assert made.title == "First memory capture!"


def test_the_function_of_the_seed() -> None:
    ws = memory_workspace(FILES)
    made = memory(ws, process_raw(ws.view(), "m_raw", "belief", {"tags": ["x"]}))
    assert (made.source, made.tags, made.derived_from) == ("raw-processing", ("x", "promoted"), ("raw:m_raw",))


def test_what_is_given_wins_and_says_how_it_is_known() -> None:
    ws = memory_workspace(FILES)
    given: dict[str, Any] = {"source": "told by Sean", "tags": ["mine"], "derived_from": ["m_n"], "relates_to": ["m_b"]}
    made = memory(ws, promote(ws.view(), "m_raw", "note", given, text="My own words").saved.ref)
    assert (made.source_type, made.source_entity, made.tags) == ("told_by_agent", None, ("mine", "promoted"))
    assert (made.derived_from, made.relates_to) == (("raw:m_raw", "note:m_n"), ("belief:m_b",))
    assert made.body == "\nMy own words\n"


def test_a_suggestion_keeps_its_sources_and_they_name_the_result() -> None:
    ws = memory_workspace(FILES)
    linked = promote(ws.view(), "m_draft", None)
    made = memory(ws, linked.saved.ref)
    assert made.derived_from == ("raw:m_raw", "note:m_n", "consolidation:2026-02-01", "belief:m_draft")
    assert (made.relates_to, made.source_type, made.confidence) == (("note:m_n",), "consolidation", 0.6)
    assert made.status == "active"
    assert [saved.path for saved in linked.others] == ["suggestions/d.md", "raw.md"]
    draft = memory(ws, "m_draft")
    assert (draft.status, draft.processed_into) == ("archived", (linked.saved.ref,))
    assert memory(ws, "m_raw").processed_into == (linked.saved.ref,)
    with pytest.raises(RefusedError, match=f"already promoted: {linked.saved.ref}"):
        promote(ws.view(), "m_raw", "note")
    with pytest.raises(RefusedError, match="is not raw"):
        promote(ws.view(), "m_draft", None)


def test_confidence_is_never_above_the_sources() -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(RefusedError, match=r"0\.9 is above 0\.5"):
        promote(ws.view(), "m_raw", "belief", {"confidence": 0.9, "derived_from": ["m_b"]})
    made = promote(ws.view(), "m_raw", "belief", {"derived_from": ["m_b"]})
    assert memory(ws, made.saved.ref).confidence == 0.5
    added = add_memory(ws.view(), {"type": "belief", "derived_from": ["m_b"]}, "x")
    assert memory(ws, added.ref).confidence == 0.5


@pytest.mark.parametrize(
    ("ref", "kind", "settings", "error"),
    [
        ("m_gone", "note", {}, NotFoundError),
        ("m_n", "belief", {}, RefusedError),
        ("forgotten.md", "belief", {}, RefusedError),
        ("noid.md", "belief", {}, UsageError),
        ("m_raw", None, {}, UsageError),
        ("m_raw", "raw", {}, UsageError),
        ("m_raw", "dream", {}, UsageError),
        ("m_raw", "note", {"account": Account(outcome="x")}, UsageError),
        ("m_raw", "episode", {"account": Account(objective="x"), "values": {"title": "y"}}, UsageError),
        ("m_raw", "note", {"values": {"derived_from": ["m_gone"]}}, NotFoundError),
        ("m_raw", "note", {"values": {"relates_to": ["context:x"]}}, UsageError),
        ("m_raw", "note", {"values": {"processed_into": ["m_n"]}}, RefusedError),
        ("m_raw", "belief", {"values": {"confidence": "much"}}, UsageError),
        ("m_raw", "note", {"text": " "}, UsageError),
    ],
)
def test_what_is_wrong_stops_it_and_nothing_is_written(
    ref: str, kind: str | None, settings: dict[str, Any], error: type[Exception]
) -> None:
    more = {
        "forgotten.md": memory_text(type="raw", id="m_f", status="forgotten"),
        "noid.md": memory_text(type="raw"),
    }
    ws = memory_workspace({**FILES, **more})
    with pytest.raises(error):
        promote(ws.view(), ref, kind, **settings)
    assert files_of(ws) == {**FILES, **more}


def test_a_dry_run_writes_nothing_and_undo_takes_both_back() -> None:
    ws = memory_workspace(FILES)
    planned = promote(ws.view(), "m_raw", "note", dry_run=True)
    added = [line for line in planned.others[0].diff.splitlines() if line[:1] == "+"]
    assert added == ["+++ b/raw.md", "+processed_into: [note:m_0000000001]"]
    assert files_of(ws) == FILES
    promote(ws.view(), "m_raw", "note")
    undo(ws.view())
    assert files_of(ws) == FILES


def test_a_raw_memory_of_somebody_else_is_not_there() -> None:
    with pytest.raises(NotFoundError):
        promote(memory_workspace(FILES, actor="si:ash").view(), "m_raw", "note")


def test_a_source_type_that_is_given_stands_beside_who_told_it() -> None:
    ws = memory_workspace(FILES)
    made = memory(ws, promote(ws.view(), "m_raw", "note", {"source_type": "observation", "title": "Mine"}).saved.ref)
    assert (made.source_type, made.source_entity, made.title) == ("observation", "human:claire", "Mine")
    assert made.confidence_history == ()
