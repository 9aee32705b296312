"""What we read of a segment, unmodified Whoosh reads of it too; damaged bytes are told, and call nothing."""

from __future__ import annotations

import os
import pickle
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memstore.core.catalog import Field
from memstore.search.index import Searchable
from memstore.search.manifest import DamagedError
from memstore.search.whoosh_index import Generation, WhooshIndex, file_marks, positions_of
from memstore.search.whoosh_writer import write_generation
from tests.search.test_whoosh_writer import documents, of_the_sample_vault
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

from whoosh.index import open_dir

# What is written in one state of the index: documents, and rows of those before that are dropped.
State = tuple[list[Searchable], set[int]]
Postings = dict[int, tuple[int, list[int]]]

states = st.lists(st.tuples(st.lists(documents, max_size=6), st.sets(st.integers(0, 12))), min_size=1, max_size=3)


def written(folder: Path, states: Sequence[State]) -> Generation:
    """Write the states one after the other; rows are the numbers of the documents, but for the first ten thousand."""
    generation: Generation | None = None
    row = 0
    for batch, dropped in states:
        rows = [(row + i, searchable) for i, searchable in enumerate(batch)]
        generation = write_generation(
            folder, generation, folder="whoosh-x", documents=rows, dropped_rows=frozenset(dropped)
        )
        row += len(batch)
    assert generation
    return generation


def by_us(index: WhooshIndex, field: Field, term: str) -> Postings:
    rows, counts = index.postings(field, term)
    return dict(zip(rows, zip(counts, map(list, index.positions(field, term, rows)), strict=True), strict=True))


def compare(states: Sequence[State], *, every: int = 1) -> None:
    with TemporaryDirectory() as folder:
        generation = written(Path(folder), states)
        index = WhooshIndex(Path(folder), generation)
        with open_dir(Path(folder) / "whoosh-x").reader() as reader:
            column = reader.column_reader("row") if reader.doc_count_all() else []
            terms = {(Field(field), term.decode()) for field, term in reader.all_terms() if field != "row"}
            for field, term in sorted(terms, key=str)[::every]:
                expected: Postings = {}
                matcher = reader.postings(field.value, term)
                while matcher.is_active():
                    places = matcher.value_as("positions")
                    expected[column[matcher.id()]] = (matcher.value_as("frequency"), list(places))
                    matcher.next()
                assert by_us(index, field, term) == expected
                if field == Field.TEXT:
                    assert index.frequency(term) == reader.doc_frequency("text", term)
            for prefix in ("", "t", "te", "zzz", "\N{GREEK SMALL LETTER ALPHA}"):
                assert index.terms(prefix) == sorted({term for _, term in terms if term.startswith(prefix)})


@settings(max_examples=examples(40))
@given(states)
@example([([Searchable([], [])], set())])
@example([([Searchable(["tea"], [])], {0})])
@example([([Searchable([f"n{i}", "tea"], ["a"]) for i in range(300)], set()), ([Searchable(["tea"], [])], {0, 299})])
def test_unmodified_whoosh_reads_the_same(states: Sequence[State]) -> None:
    compare(states)


def test_of_the_sample_vault_too() -> None:
    compare([(of_the_sample_vault(), set())])


def test_more_terms_than_short_numbers_can_place() -> None:
    many = [f"{i:05}" for i in range(70_000)]
    compare([([Searchable(many[:40_000], []), Searchable(many[30_000:], many[:10])], set())], every=37)


@pytest.mark.parametrize("term", ["", "te", "teal", "\N{LATIN SMALL LETTER E WITH ACUTE}", "zzz"])
def test_a_term_that_is_not_there_stands_nowhere(tmp_path: Path, term: str) -> None:
    index = WhooshIndex(tmp_path, written(tmp_path, [([Searchable(["tea", "tee"], [])], set())]))
    assert index.postings(Field.TEXT, term) == ([], [])
    assert index.postings(Field.HEAD, "tea") == ([], [])
    assert index.frequency(term) == 0
    assert index.positions(Field.TEXT, term, [0]) == [()]


def test_an_index_stays_readable_when_its_files_are_removed(tmp_path: Path) -> None:
    index = WhooshIndex(tmp_path, written(tmp_path, [([Searchable(["tea"], [])], set())]))
    shutil.rmtree(tmp_path / "whoosh-x")
    assert index.postings(Field.TEXT, "tea") == ([0], [1])


@settings(max_examples=examples(150))
@given(st.data())
def test_damaged_bytes_are_told_or_change_what_is_found(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        generation = written(Path(folder), [([Searchable(["tea", "tea", "milk"], ["a"]) for _ in range(5)], {2})])
        suffix = data.draw(st.sampled_from([".trm", ".pst", ".row.col"]))
        [name] = [name for name in generation.files if name.endswith(suffix)]
        place = Path(folder) / generation.folder / name
        content = bytearray(place.read_bytes())
        if data.draw(st.booleans()):
            del content[data.draw(st.integers(0, len(content))) :]
        else:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        place.write_bytes(content)
        touched = generation._replace(files=file_marks(place.parent, generation.files))
        with suppress(DamagedError):
            index = WhooshIndex(Path(folder), touched)
            index.terms("")
            index.frequency("tea")
            rows, _ = index.postings(Field.TEXT, "tea")
            index.positions(Field.TEXT, "tea", rows)


def test_a_pickle_calls_nothing(tmp_path: Path) -> None:
    class Call:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "called"),)

    with pytest.raises(ValueError, match="mkdir in a search index"):
        positions_of(b"\0\0\0\1" + pickle.dumps(Call()))
    assert not (tmp_path / "called").exists()
