"""What holds for every snapshot: in memory, from disk, from both laid over each other, and from a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.core.catalog import ITEM_SEPARATOR, Field, FileKind
from memstore.search.disk_library import DiskLibrary
from memstore.search.memory_snapshot import snapshot_of_files
from tests.memory_workspace import memory_workspace
from tests.support import disk_vault, memory_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memstore.search.library import Snapshot

FILES = {
    "a/tea.md": memory_text(
        "The tea is hot and the pot is hot.\n",
        id="m_7f3k9q2x1c", title="Tea", tags="[green, hot]", created_at='"2026-05-08T10:00:00Z"', confidence="0.50",
    ),
    "b.md": memory_text("Hot naïve 日\n", id="m_bbb", owner="human:claire"),
    "c/empty.md": memory_text("", type="belief", title="hot tea, hot", derived_from='["note:m_bbb"]'),
    "c/copy.md": memory_text("A copy.\n", id="m_bbb"),
    "broken.md": b"---\ntype: note\n",
    "plain.md": b"No fence.\n",
    "sealed.md.age": b"age-encryption.org/v1\n--- MAC\n" + b"\0" * 48,
}  # fmt: skip


@pytest.fixture(params=["memory", "disk", "layered", "overlaid", "database"])
def snapshot(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Snapshot]:
    if request.param != "database":
        yield taken(request.param, tmp_path)
        return
    engine, ws = request.getfixturevalue("engine"), memory_workspace(FILES)
    name = engine.name()
    before = {"gone.md": memory_text("Hot tea, gone.\n"), "b.md": b"plain once"}
    engine.index(name, ws, files=FILES | before)
    engine.index(name, ws)
    with engine.whole(name) as found:
        yield found


def taken(kind: str, tmp_path: Path) -> Snapshot:
    if kind == "memory":
        return snapshot_of_files(FILES.items(), blob_id=lambda _: "0")
    vault = disk_vault(tmp_path)
    library = DiskLibrary(vault, cache=tmp_path / "cache")
    if kind == "layered":
        before = {"gone.md": memory_text("Hot tea, gone.\n"), "b.md": b"plain once", "was.md": FILES["a/tea.md"]}
        for path, data in (FILES | before).items():
            if path != "a/tea.md":
                vault.create(path, data)
        library.snapshot()
        vault.delete("gone.md", expected=before["gone.md"])
        vault.replace("b.md", FILES["b.md"], expected=before["b.md"])
        (vault.root / "a").mkdir()
        (vault.root / "was.md").rename(vault.root / "a/tea.md")
        (vault.root / "c/copy.md").rename(vault.root / "c/other.md")
        (vault.root / "c/other.md").rename(vault.root / "c/copy.md")
    elif kind == "overlaid":
        vault.create("b.md", b"plain once")
        vault.create("c/copy.md", memory_text("Hot tea, once.\n", id="m_other"))
        vault.create("sealed.md.age", FILES["sealed.md.age"])
        return library.laid_over(library.snapshot(), {path: FILES[path] for path in FILES if path != "sealed.md.age"})
    else:
        for path, data in FILES.items():
            vault.create(path, data)
        library.snapshot()
    return DiskLibrary(vault, cache=tmp_path / "cache").snapshot()


def paths(snapshot: Snapshot, rows: Iterable[int]) -> list[str]:
    column = snapshot.catalog.column("path")
    return sorted(column[row] for row in rows)


def counts(snapshot: Snapshot, field: Field, term: str) -> dict[str, int]:
    rows, counts = snapshot.index.postings(field, term)
    assert list(rows) == sorted(rows)
    column = snapshot.catalog.column("path")
    return {column[row]: count for row, count in zip(rows, counts, strict=True)}


def row_of(snapshot: Snapshot, path: str) -> int:
    return next(row for row in snapshot.catalog.memories if snapshot.catalog.column("path")[row] == path)


def test_kinds(snapshot: Snapshot) -> None:
    assert paths(snapshot, snapshot.catalog.memories) == ["a/tea.md", "b.md", "c/copy.md", "c/empty.md"]
    assert paths(snapshot, snapshot.catalog.broken) == ["broken.md"]
    assert paths(snapshot, snapshot.catalog.plain) == ["plain.md"]
    assert paths(snapshot, snapshot.catalog.sealed) == ["sealed.md.age"]
    assert [*snapshot.catalog.texts] == sorted([*snapshot.catalog.memories, *snapshot.catalog.plain])
    assert list(snapshot.catalog.memories) == sorted(snapshot.catalog.memories)


def test_an_entry_and_its_columns_say_the_same(snapshot: Snapshot) -> None:
    row = row_of(snapshot, "a/tea.md")
    entry = snapshot.catalog.entry(row)
    assert (entry.ref, entry.title, entry.status, entry.confidence) == ("note:m_7f3k9q2x1c", "Tea", "active", "0.5")
    assert (entry.path, entry.tags, entry.kind) == ("a/tea.md", ("green", "hot"), FileKind.MEMORY)
    assert snapshot.catalog.column("tags")[row] == ITEM_SEPARATOR.join(entry.tags)
    assert snapshot.catalog.column("type")[row] == "note"
    assert snapshot.catalog.entry(row_of(snapshot, "c/empty.md")).derived_from == ("note:m_bbb",)


def test_rows_of_an_id(snapshot: Snapshot) -> None:
    assert paths(snapshot, snapshot.catalog.rows_of_id("m_bbb")) == ["b.md", "c/copy.md"]
    assert paths(snapshot, snapshot.catalog.rows_of_id("m_7f3k9q2x1c")) == ["a/tea.md"]
    assert list(snapshot.catalog.rows_of_id("m_none")) == []
    assert list(snapshot.catalog.rows_of_id("")) == []


def test_postings_are_rows_with_counts(snapshot: Snapshot) -> None:
    assert counts(snapshot, Field.TEXT, "hot") == {"a/tea.md": 2, "b.md": 1}
    assert counts(snapshot, Field.HEAD, "hot") == {"c/empty.md": 2, "a/tea.md": 1}  # a tag of that one
    assert counts(snapshot, Field.HEAD, "2026") == {"a/tea.md": 1}
    assert counts(snapshot, Field.TEXT, "日") == {"b.md": 1}
    assert counts(snapshot, Field.TEXT, "cold") == {}
    assert counts(snapshot, Field.TEXT, "gone") == {}


def positions(snapshot: Snapshot, field: Field, term: str, path: str) -> Sequence[int]:
    return list(snapshot.index.positions(field, term, [row_of(snapshot, path)])[0])


def test_positions_count_terms_from_0(snapshot: Snapshot) -> None:
    assert positions(snapshot, Field.TEXT, "hot", "a/tea.md") == [3, 8]
    assert positions(snapshot, Field.TEXT, "hot", "b.md") == [0]
    assert positions(snapshot, Field.HEAD, "hot", "c/empty.md") == [0, 2]
    assert positions(snapshot, Field.TEXT, "hot", "c/empty.md") == []
    assert positions(snapshot, Field.TEXT, "cold", "a/tea.md") == []
    assert snapshot.index.positions(Field.TEXT, "hot", []) == []
    rows = [row_of(snapshot, path) for path in ("c/copy.md", "b.md", "a/tea.md", "b.md")]
    assert [list(places) for places in snapshot.index.positions(Field.TEXT, "hot", rows)] == [[], [0], [3, 8], [0]]


def test_lengths_are_exact_and_cover_every_row(snapshot: Snapshot) -> None:
    lengths = snapshot.index.lengths(Field.TEXT)
    assert len(lengths) == len(snapshot.catalog.column("path")) == len(snapshot.index.lengths(Field.HEAD))
    assert [lengths[row_of(snapshot, path)] for path in ("a/tea.md", "b.md", "c/empty.md")] == [9, 3, 0]
    assert all(lengths[row] == 0 for row in snapshot.catalog.broken)
    assert [lengths[row] for row in snapshot.catalog.plain] == [2]
    assert snapshot.catalog.texts == sorted((*snapshot.catalog.memories, *snapshot.catalog.plain))


def test_terms_by_prefix(snapshot: Snapshot) -> None:
    assert [term for term in snapshot.index.terms("t") if term in ("tea", "the")] == ["tea", "the"]
    assert list(snapshot.index.terms("日")) == ["日"]
    assert list(snapshot.index.terms("x")) == []
    assert list(snapshot.index.terms("")) == sorted(set(snapshot.index.terms("")))


def test_how_many_rows_hold_a_term_is_known_without_its_postings(snapshot: Snapshot) -> None:
    live = len(snapshot.index.postings(Field.TEXT, "hot")[0])

    assert live <= snapshot.index.frequency("hot") <= live + 2  # dead rows may be counted
    assert snapshot.index.frequency("nowhere") == 0


def test_every_file_was_looked_at_and_the_state_has_a_name_or_none(snapshot: Snapshot) -> None:
    assert snapshot.is_certain
    assert snapshot.state is None or snapshot.state


def test_edges_are_those_of_the_refs_where_they_are_kept(snapshot: Snapshot) -> None:
    edges = snapshot.catalog.edges()
    if edges is None:
        return  # whoever asks reads them from the columns
    assert edges.rows == len(snapshot.catalog.column("path"))
    assert edges.size >= edges.rows
