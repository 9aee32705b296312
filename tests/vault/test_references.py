"""Memories together: ids are unique, refs lead to memories of their type, and never round in circles."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.core.finding import Finding, Position
from memstore.core.finding_codes import Checked
from memstore.core.memory import LedgerLine, Memory, ResolvedConflict
from memstore.vault import references
from memstore.vault.references import Directory, RefNode

REF_KEYS = ("derived_from", "relates_to", "processed_into", "supersedes", "superseded_by")


def node(path: str, memory: Memory) -> RefNode:
    refs = {key: getattr(memory, key) for key in REF_KEYS}
    return RefNode(path, memory.type, memory.id or "", refs, memory.status == "forgotten")


def place(*path: str | int) -> Position:
    return Position(2, 1 + sum(part for part in path if isinstance(part, int)))


def findings(**memories: Memory) -> list[Finding]:
    """Return what is found in all of these memories, by file name."""
    directory = Directory.of(node(f"{name}.md", memory) for name, memory in memories.items() if memory.id)
    return [
        finding
        for name, memory in memories.items()
        for finding in references.of_memory(Checked(f"{name}.md", memory, place, 9), directory)
    ]


def codes(**memories: Memory) -> list[tuple[str, str]]:
    return [(finding.path, finding.code) for finding in findings(**memories)]


def note(memory_id: str, **keys: Any) -> Memory:
    return Memory(type="note", id=memory_id, **keys)


def test_memories_that_fit_together_pass() -> None:
    ledger = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", evidence_source="note:aaa")
    decided = ResolvedConflict(with_="note:aaa", conflict_type="temporal", decision="keep")
    assert codes(
        a=note("aaa", derived_from=("raw:ccc", "context:a walk", "url:https://example.org"), relates_to=("note:bbb",)),
        b=note("bbb", supersedes=("note:ddd",), confidence_history=(ledger,), resolved_conflicts=(decided,)),
        c=Memory(type="raw", id="ccc", processed_into=("note:aaa",)),
        d=note("ddd", status="superseded", superseded_by=("note:bbb",)),
    ) == []  # fmt: skip


def test_an_id_that_two_files_have_is_an_error_on_both() -> None:
    found = findings(a=note("aaa"), b=note("aaa"))
    assert [(f.path, f.code, f.is_error) for f in found] == [
        ("a.md", "id-duplicate", True),
        ("b.md", "id-duplicate", True),
    ]
    assert "b.md" in found[0].text
    assert "a.md" in found[1].text


@pytest.mark.parametrize("key", ["derived_from", "relates_to", "processed_into", "supersedes", "superseded_by"])
def test_a_ref_to_nothing_is_a_warning_with_the_keys_name(key: str) -> None:
    found = findings(a=note("aaa", **{key: ("note:bbb",)}))
    assert [(f.code, f.is_error, f.key) for f in found] == [("ref-dangling", False, key)]


def test_evidence_and_decisions_are_refs_too() -> None:
    ledger = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", evidence_source="episode:eee")
    seed = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="assert", evidence_source="kernle:seed-beliefs")
    decided = ResolvedConflict(with_="note:fff", conflict_type="temporal", decision="keep")
    memory = note("aaa", confidence_history=(seed, ledger), resolved_conflicts=(decided,))
    assert codes(a=memory) == [("a.md", "ref-dangling"), ("a.md", "ref-dangling")]


def test_a_ref_of_another_type_is_an_error() -> None:
    found = findings(a=note("aaa", relates_to=("belief:bbb",)), b=note("bbb"))
    assert [(f.code, f.is_error, f.hint) for f in found] == [("ref-type", True, "write note:bbb")]


def test_a_memory_that_names_itself_is_a_cycle() -> None:
    found = findings(a=note("aaa", derived_from=("note:aaa",)))
    assert [(f.code, f.is_error) for f in found] == [("lineage-cycle", True)]
    assert "itself" in found[0].text


@pytest.mark.parametrize("key", ["derived_from", "supersedes"])
def test_a_cycle_is_reported_at_the_link_of_each_memory_in_it(key: str) -> None:
    found = findings(
        a=note("aaa", **{key: ("note:zzz", "note:bbb")}),
        b=note("bbb", **{key: ("note:ccc",)}),
        c=note("ccc", **{key: ("note:aaa",)}),
        z=note("zzz"),
    )
    cycle = [f for f in found if f.code == "lineage-cycle"]
    assert [(f.path, f.at.column) for f in cycle] == [("a.md", 2), ("b.md", 1), ("c.md", 1)]
    assert "aaa -> bbb -> ccc -> aaa" in cycle[0].text
    assert "ccc -> aaa -> bbb -> ccc" in cycle[2].text


def test_what_only_relates_may_do_so_in_circles() -> None:
    assert codes(a=note("aaa", relates_to=("note:bbb",)), b=note("bbb", relates_to=("note:aaa",))) == []


@pytest.mark.parametrize(
    ("key", "back"),
    [("supersedes", "superseded_by"), ("superseded_by", "supersedes"), ("processed_into", "derived_from")],
)
def test_a_link_that_is_not_returned_is_a_warning(key: str, back: str) -> None:
    found = findings(a=note("aaa", **{key: ("note:bbb",)}), b=note("bbb"))
    assert [(f.path, f.code, f.is_error) for f in found] == [("a.md", "link-one-sided", False)]
    assert f"`{back}`" in found[0].text
    assert codes(a=note("aaa", **{key: ("note:bbb",)}), b=note("bbb", **{back: ("note:aaa",)})) == []


def test_a_memory_without_an_id_is_checked_as_well() -> None:
    assert codes(a=Memory(type="note", relates_to=("note:zzz",), supersedes=("note:bbb",)), b=note("bbb")) == [
        ("a.md", "ref-dangling")
    ]


@pytest.mark.parametrize("key", ["relates_to", "processed_into", "superseded_by"])
def test_a_memory_that_names_itself_is_an_error_in_every_list(key: str) -> None:
    (finding,) = findings(a=note("aaa", **{key: ("note:aaa",)}))
    assert (finding.code, finding.text, finding.is_error) == (
        "lineage-cycle", f"`{key}` names the memory itself", True,
    )  # fmt: skip


def test_evidence_of_itself_is_an_error() -> None:
    line = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", evidence_source="note:aaa")
    assert codes(a=note("aaa", confidence_history=(line,))) == [("a.md", "lineage-cycle")]


def test_a_tombstone_links_back_to_nothing_and_its_id_is_not_free() -> None:
    tomb = {"a": note("aaa", status="forgotten")}
    assert codes(**tomb, b=note("bbb", supersedes=("note:aaa",), derived_from=("note:aaa",))) == []
    found = findings(**tomb, b=note("aaa"))
    assert [(f.path, "was forgotten" in f.text) for f in found] == [("a.md", False), ("b.md", True)]
