"""What holds for every library: one that keeps an index, and one that reads every file for every snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from memstore.core.catalog import Field
from memstore.search.disk_library import DiskLibrary
from tests.memory_vault import MemoryVault
from tests.memory_workspace import ReadingLibrary
from tests.support import disk_vault, memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.files.vault import VaultFiles
    from memstore.search.library import Library, Snapshot

TEA, MILK = memory_text("Hot tea.\n", id="m_tea"), memory_text("Cold milk.\n", id="m_milk")


class Case(NamedTuple):
    """A library and its vault."""

    library: Library
    vault: VaultFiles


@pytest.fixture(params=["disk", "memory"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    if request.param == "disk":
        vault = disk_vault(tmp_path)
        return Case(DiskLibrary(vault, cache=tmp_path / "cache"), vault)
    files = MemoryVault()
    return Case(ReadingLibrary(files), files)


def holding(snapshot: Snapshot, term: str) -> list[str]:
    """Return the paths of the files whose text holds a term."""
    paths = snapshot.catalog.column("path")
    return sorted(paths[row] for row in snapshot.index.postings(Field.TEXT, term)[0])


def test_a_snapshot_is_of_the_files_as_they_are(case: Case) -> None:
    assert list(case.library.snapshot().catalog.memories) == []
    case.vault.create("tea.md", TEA)
    before = case.library.snapshot()
    assert holding(before, "tea") == ["tea.md"]
    case.vault.create("milk.md", MILK)
    case.vault.replace("tea.md", TEA.replace(b"Hot tea", b"Hot milk"), expected=TEA)
    assert holding(case.library.snapshot(), "milk") == ["milk.md", "tea.md"]
    assert holding(case.library.snapshot(), "tea") == []
    assert holding(before, "tea") == ["tea.md"]
    case.vault.delete("milk.md", expected=MILK)
    assert holding(case.library.snapshot(), "milk") == ["tea.md"]


def test_texts_that_are_laid_over_are_read_as_if_they_were_saved_and_nothing_is_kept(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    case.vault.create("milk.md", MILK)
    case.library.snapshot()
    case.vault.create("late.md", TEA)  # in no index yet
    below = case.library.snapshot()
    texts = {"late.md": MILK, "tea.md": TEA.replace(b"Hot tea", b"Cold coffee"), "new.md": TEA}
    over = case.library.laid_over(below, texts)
    assert holding(over, "tea") == ["new.md"]
    assert holding(over, "coffe") == ["tea.md"]
    assert holding(over, "milk") == ["late.md", "milk.md"]
    live = [over.catalog.column("path")[row] for row in over.catalog.memories]
    assert sorted(live) == ["late.md", "milk.md", "new.md", "tea.md"]
    again = case.library.laid_over(below, {"tea.md": MILK, "new.md": MILK})
    assert holding(again, "milk") == ["milk.md", "new.md", "tea.md"]
    assert holding(below, "tea") == holding(case.library.snapshot(), "tea") == ["late.md", "tea.md"]


def test_documents_are_of_files_as_they_are_without_those_that_are_gone(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    case.vault.create("milk.md", MILK)
    stats = sorted(case.vault.memory_files())
    case.vault.replace("tea.md", TEA.replace(b"Hot", b"Cold"), expected=TEA)
    case.vault.delete("milk.md", expected=MILK)
    ((stat, (entry, searchable)),) = case.library.documents(stats)
    assert (stat.path, entry.path, entry.id) == ("tea.md", "tea.md", "m_tea")
    assert searchable is not None
    assert searchable.text == ["cold", "tea"]


def test_a_glance_sees_new_files_and_missing_ones(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    case.library.snapshot()
    case.vault.create("milk.md", MILK)
    case.vault.delete("tea.md", expected=TEA)
    glance = case.library.glance()
    assert (holding(glance, "tea"), holding(glance, "milk")) == ([], ["milk.md"])


def test_the_latest_is_one_that_was_handed_out_or_a_new_one(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    assert holding(case.library.latest(), "tea") == ["tea.md"]


def test_other_files_have_a_snapshot_without_those_at_other_places(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    other = case.library.snapshot_of([("milk.md", MILK), ("contexts/park.yaml", b"id: ctx:park\n")])
    assert sorted(other.catalog.column("path")[row] for row in other.catalog.memories) == ["milk.md"]
    assert (holding(other, "milk"), holding(other, "tea")) == (["milk.md"], [])


def test_built_anew_or_brought_up_to_date_it_knows_the_same(case: Case) -> None:
    case.vault.create("tea.md", TEA)
    assert holding(case.library.rebuild(), "tea") == ["tea.md"]
    case.vault.create("milk.md", MILK)
    assert case.library.refresh().written
    assert case.library.refresh(purge=True).written
    assert holding(case.library.snapshot(), "milk") == ["milk.md"]
    assert case.library.status().changed == 0
