"""What we write, unmodified Whoosh reads as if its own writer had written it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memstore.core.catalog import Field
from memstore.files import memory_file
from memstore.search.index import Searchable
from memstore.search.memory_snapshot import document_of
from memstore.search.whoosh_index import Generation, WhooshIndex
from memstore.search.whoosh_writer import MOST_SEGMENTS, write_generation
from tests.installed import ROOT
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

from whoosh.analysis import RegexTokenizer
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, FieldType, Schema
from whoosh.formats import Positions
from whoosh.index import create_in, open_dir
from whoosh.query import And, Or, Phrase, Term
from whoosh.scoring import BM25F

Batch = list[Searchable]

_terms = st.lists(st.sampled_from(["tea", "milk", "a", "ä", "語", "🐕", "10.0.0.1", "don't", "zz"]), max_size=12)
documents = st.builds(Searchable, text=_terms, head=st.one_of(st.just([]), _terms))
batches = st.lists(documents, min_size=1, max_size=12)
many_batches = st.lists(st.lists(documents, max_size=3), min_size=MOST_SEGMENTS, max_size=MOST_SEGMENTS + 3).filter(any)
# What Whoosh reckons with lengths that it has rounded when it puts segments together; memstore keeps them itself.
OF_ROUNDED_LENGTHS = ("of fields", "scores")


def written_by_us(folder: Path, batches: Sequence[Batch]) -> Path:
    """Write an index, a state for each batch; small segments are put together on the way."""
    before: Generation | None = None
    row = 0
    for batch in batches:
        rows = [(row + i, searchable) for i, searchable in enumerate(batch)]
        before = write_generation(folder, before, folder="whoosh-ours", documents=rows, dropped_rows=frozenset())
        row += len(batch)
    return folder / "whoosh-ours"


def written_by_whoosh(folder: Path, batch: Batch) -> Path:
    """Write an index of one segment with Whoosh alone: its schema, its tokens, its codec, its writer."""
    of_terms = {field.value: FieldType(Positions(), RegexTokenizer("[^\n]+"), scorable=True) for field in Field}
    writer = create_in(folder, Schema(**of_terms, row=COLUMN(NumericColumn("I")))).writer()
    for row, searchable in enumerate(batch):
        writer.add_document(text="\n".join(searchable.text), head="\n".join(searchable.head), row=row)
    writer.commit()
    return folder


def told(folder: Path) -> dict[str, Any]:
    """Return all that Whoosh says of an index, by the rows of its documents."""
    with open_dir(folder).searcher(weighting=BM25F()) as searcher:
        reader = searcher.reader()
        column = reader.column_reader("row")
        rows = [column[number] for number in range(reader.doc_count_all())]
        terms = [(field, term) for field, term in reader.all_terms() if field != "row"]
        return {
            "counts": (reader.doc_count(), reader.doc_count_all()),
            "stored": {rows[number]: fields for number, fields in reader.iter_docs()},
            "lengths": {
                (field.value, rows[number]): reader.doc_field_length(number, field.value, 0) or 0
                for field in Field
                for number in range(len(rows))
            },
            "of fields": {field.value: reader.field_length(field.value) for field in Field},
            "terms": {(field, term): of_term(reader, field, term) for field, term in terms},
            "postings": {(field, term): postings(reader, rows, field, term) for field, term in terms},
            "scores": [
                {rows[hit.docnum]: hit.score for hit in searcher.search(query, limit=None)} for query in queries()
            ],
        }


def of_term(reader: Any, field: str, term: bytes) -> tuple[Any, ...]:
    info = reader.term_info(field, term)
    return (
        *(info.weight(), info.doc_frequency(), info.max_weight(), info.min_length(), info.max_length()),
        *(reader.frequency(field, term), reader.doc_frequency(field, term)),
    )


def postings(reader: Any, rows: list[int], field: str, term: bytes) -> dict[int, Any]:
    matcher = reader.postings(field, term)
    found = {}
    while matcher.is_active():
        found[rows[matcher.id()]] = (matcher.weight(), matcher.value_as("frequency"), matcher.value_as("positions"))
        matcher.next()
    return found


def queries() -> list[Any]:
    return [
        Term("text", "tea"),
        Term("head", "語"),
        Or([Term("text", "tea"), Term("text", "milk"), Term("head", "語")]),
        And([Term("text", "tea"), Term("text", "a")]),
        Phrase("text", ["tea", "milk"]),
    ]


def of_the_sample_vault() -> Batch:
    places = sorted((ROOT / "sample-vault").rglob("*.md"))
    found = (document_of(memory_file.read(place.name, place.read_bytes()), "").searchable for place in places)
    return [searchable for searchable in found if searchable]


def compare(batches: Sequence[Batch]) -> None:
    whole = [searchable for batch in batches for searchable in batch]
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "whoosh").mkdir()
        ours, theirs = told(written_by_us(place, batches)), told(written_by_whoosh(place / "whoosh", whole))
        for what in OF_ROUNDED_LENGTHS if len(batches) > 1 else ():
            del ours[what], theirs[what]
        assert ours == theirs


@settings(max_examples=examples(30))
@given(batches)
@example([Searchable([], [])])
@example([Searchable(["tea"] * 200_000, ["tea", "a"])])
def test_random_documents(batch: Batch) -> None:
    compare([batch])


@settings(max_examples=examples(15))
@given(many_batches)
def test_segments_that_are_put_together(batches: list[Batch]) -> None:
    compare(batches)


def test_the_sample_vault() -> None:
    batch = of_the_sample_vault()
    assert len(batch) > 100
    compare([batch])


@pytest.mark.parametrize("count", [127, 128, 129, 300])
def test_terms_of_more_than_a_block(count: int) -> None:
    batch = [Searchable(["tea"] * (1 + i % 3) + [f"n{i}", "milk", "milk"], ["tea"]) for i in range(count)]
    compare([batch])
    compare([batch[: count // 2], batch[count // 2 :]])


def test_what_is_dropped_leaves_the_files_when_segments_are_put_together(tmp_path: Path) -> None:
    secret = Searchable(["secretword", "tea"], ["hidden"])
    others = [Searchable([f"n{i}", "tea"], []) for i in range(5)]
    before = write_generation(
        tmp_path, None, folder="whoosh-ours", documents=list(enumerate([secret, *others])), dropped_rows=frozenset()
    )
    before = write_generation(tmp_path, before, folder="", documents=[], dropped_rows=frozenset([0]))
    assert WhooshIndex(tmp_path, before).postings(Field.TEXT, "tea") == ([1, 2, 3, 4, 5], [1] * 5)
    after = write_generation(tmp_path, before, folder="", documents=[], dropped_rows=frozenset([1, 2, 3]))
    assert WhooshIndex(tmp_path, after).postings(Field.TEXT, "tea") == ([4, 5], [1, 1])
    assert not holds_the_secret(tmp_path, after)


def holds_the_secret(folder: Path, generation: Generation) -> bool:
    kept = [(folder / generation.folder / name).read_bytes() for name in generation.files]
    return any(b"secretword" in data or b"hidden" in data for data in kept)


def test_purging_takes_what_is_dropped_out_of_the_files_at_once(tmp_path: Path) -> None:
    secret, other = Searchable(["secretword", "tea"], ["hidden"]), Searchable(["tea"], [])
    documents = [(row, other if row else secret) for row in range(10)]
    state = write_generation(tmp_path, None, folder="whoosh-ours", documents=documents, dropped_rows=frozenset())
    for start in (10, 20):
        documents = [(start + i, other) for i in range(10)]
        state = write_generation(tmp_path, state, folder="", documents=documents, dropped_rows=frozenset())
    assert holds_the_secret(tmp_path, state)
    untouched = set(state.files)
    state = write_generation(tmp_path, state, folder="", documents=[], dropped_rows=frozenset([0]))
    assert holds_the_secret(tmp_path, state)  # out of sight, and still there
    state = write_generation(tmp_path, state, folder="", documents=[], dropped_rows=frozenset(), purge=True)
    assert not holds_the_secret(tmp_path, state)
    assert len([name for name in untouched & set(state.files) if name.endswith(".pst")]) == 2
    assert list(WhooshIndex(tmp_path, state).postings(Field.TEXT, "tea")[0]) == list(range(1, 30))


def test_dropping_all_that_there_is(tmp_path: Path) -> None:
    documents = [(row, Searchable(["tea"], ["hot"])) for row in range(3)]
    state = write_generation(tmp_path, None, folder="whoosh-ours", documents=documents, dropped_rows=frozenset())
    for purge in (False, True):
        after = write_generation(
            tmp_path, state, folder="", documents=[], dropped_rows=frozenset([0, 1, 2]), purge=purge
        )
        assert WhooshIndex(tmp_path, after).postings(Field.TEXT, "tea") == ([], [])
        assert WhooshIndex(tmp_path, after).terms("") == []
        documents = [(1, Searchable(["milk"], []))]
        again = write_generation(tmp_path, after, folder="", documents=documents, dropped_rows=frozenset())
        assert list(WhooshIndex(tmp_path, again).postings(Field.TEXT, "milk")[0]) == [1]
