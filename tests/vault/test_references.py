"""Memories together: ids are unique, refs lead to memories of their type, and never round in circles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.finding import Finding, Position
from memstore.core.finding_codes import Checked
from memstore.core.memory import LedgerLine, Memory, ResolvedConflict
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.vault import checks, references
from memstore.vault.references import Directory, RefNode, directory_of, wrong_links
from tests.memory_workspace import memory_workspace

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


# -- one memory among all others, by the catalogue ---------------------------------------------------

IDS = ("aaa", "bbb", "ccc", "ddd")


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, bytes]:
    """Return files whose refs lead to each other, to nothing, to themselves and round; some share an id."""
    refs = st.builds("{}:{}".format, st.sampled_from(["note", "raw"]), st.sampled_from((*IDS, "eee")))
    files = {}
    for number in range(draw(st.integers(1, 6))):
        lines = [f"type: {draw(st.sampled_from(['note', 'raw']))}", f"id: {draw(st.sampled_from(IDS))}"]
        lines += [f"status: {draw(st.sampled_from(['active', 'forgotten']))}"]
        for key in REF_KEYS:
            named = draw(st.lists(refs, max_size=2, unique=True))
            lines += [f"{key}: [{', '.join(named)}]"] if named else []
        files[f"{number}.md"] = "\n".join(["---", *lines, "---", "Tea", ""]).encode()
    return files


def read(path: str, data: bytes) -> MemoryFile:
    file = memory_file.read(path, data)
    assert isinstance(file, MemoryFile)
    return file


def among(file: MemoryFile, files: dict[str, bytes]) -> list[Finding]:
    """Return what is found in a memory, if a directory is made of all files before anything is asked."""
    directory = Directory.of(node(path, read(path, data).memory) for path, data in sorted(files.items()))
    return references.of_memory(checks.as_checked(file), directory)


@given(vaults(), st.data())
def test_a_memory_has_the_same_problems_if_it_alone_is_asked_for(files: dict[str, bytes], data: st.DataObject) -> None:
    view = memory_workspace(files).view()
    file = read(path := data.draw(st.sampled_from(sorted(files))), files[path])
    directory = directory_of(view, view.rows, ())
    assert references.of_memory(checks.as_checked(file), directory) == among(file, files)


@given(vaults(), vaults(), st.data())
def test_an_edit_brings_the_problems_of_refs_that_were_not_there(
    files: dict[str, bytes], others: dict[str, bytes], data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(sorted({*files} & {*others})))
    before, after = read(path, files[path]), read(path, others[path])
    links = {"lineage-cycle", "ref-dangling", "ref-type"}
    known = {(one.code, one.text) for one in among(before, files)}
    now = [one for one in among(after, {**files, path: others[path]}) if one.code in links]
    expected = [one for one in now if (one.code, one.text) not in known]
    same_refs = all(getattr(before.memory, key) == getattr(after.memory, key) for key in REF_KEYS)
    assert wrong_links(memory_workspace(files).view(), before, after) == ([] if same_refs else expected)


@given(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8), st.data())
def test_rows_of_an_id_are_the_same_scanned_and_from_a_table(ids: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.sets(st.integers(0, max(len(ids) - 1, 0)))) if ids else set()
    found = references.RowsById(ids, sorted(rows))
    for _ in range(30):
        for name in ("a", "b", "z"):
            assert [*found(name)] == [row for row in sorted(rows) if ids[row] == name]
