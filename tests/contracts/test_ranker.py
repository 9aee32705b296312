"""What holds for every ranker: by an index in memory, on disk or in a database, and by reading every memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.config import Config
from memstore.memories.search import search
from memstore.search import INDEX, ranking
from memstore.search.disk_library import DiskLibrary
from memstore.search.query import parse
from memstore.search.ranker import FILES_AT_ONCE, Audience, Candidates
from memstore.search.reranker import Wish
from memstore.search.retrieval import Sort, Unit
from memstore.vault.look import LOOK, Look
from tests.contracts.scan_ranker import ScanRanker
from tests.memory_workspace import OWNER, memory_workspace
from tests.support import disk_vault, memory_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memstore.core.view import View
    from memstore.search.clauses import Clause
    from memstore.search.facets import Ranker
    from memstore.search.retrieval import Ranked


def clauses_of(query: str) -> tuple[Clause, ...]:
    """Return what a query asks for; it may be nothing, or only what must not be there."""
    return parse(f"word {query}").clauses[1:]


FILES = {
    "tea.md": memory_text("Hot tea in a hot pot.\n", id="m_0000000001", title="Tea", tags="[green]"),
    "pot.md": memory_text("A pot.\n\nThe pot is for tea, hot or cold, green or black.\n", id="m_0000000002"),
    "white.md": memory_text("Cold milk.\n", id="m_0000000003", aliases='["the white stuff"]'),
    "same.md": memory_text("Cold milk.\n", id="m_0000000004"),
    "head.md": memory_text("Nothing else.\n", id="m_0000000005", title="Teapots and policies"),
    "hers.md": memory_text("Claire has a samovar for her tea.\n", id="m_0000000006", owner="human:claire"),
}  # fmt: skip


class Case(NamedTuple):
    """A ranker, and the view of which it ranks the memories."""

    ranker: Ranker
    view: View

    def rank(self, asked: str, k: int | None = None, *, by: Unit = Unit.MEMORY, among: Sequence[int] = ()) -> Ranked:
        return self.ranker.rank(clauses_of(asked), self.view, k, among=among or None, text=asked, by=by)

    def names(self, ranked: Ranked) -> list[str]:
        return [self.view.entry(row).path.removesuffix(".md") for row in ranked.rows]


@pytest.fixture(params=["index", "index on disk", "index in a database", "scan"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    ws = memory_workspace(FILES)
    if request.param == "index in a database":
        engine = request.getfixturevalue("engine")
        name = engine.name()
        engine.index(name, ws)
        with engine.view(name, ws) as view:
            yield Case(view.of(INDEX).ranker, view)
        return
    if request.param == "index on disk":
        vault = disk_vault(tmp_path)
        for path, data in FILES.items():
            vault.create(path, data)
        DiskLibrary(vault, cache=tmp_path / "cache").snapshot()
        ws = ws._replace(vault=vault, library=DiskLibrary(vault, cache=tmp_path / "cache"))
    view = ws.view()
    yield Case(ScanRanker() if request.param == "scan" else view.of(INDEX).ranker, view)


def test_the_best_stands_first_and_all_are_counted(case: Case) -> None:
    found = case.rank("hot tea", 2)
    assert case.names(found) == ["tea", "pot"]
    assert found.total == 2
    assert [*found.scores] == sorted(found.scores, reverse=True)
    assert case.names(case.rank("hot tea", 1)) == ["tea"]
    assert case.rank("hot tea", 1).total == 2
    assert sorted(case.names(case.rank("hot tea"))) == ["pot", "tea"]
    assert case.rank("hot tea", 0).total == 2


def test_what_is_alike_is_ordered_by_ref(case: Case) -> None:
    found = case.rank("cold milk", 10)
    assert case.names(found) == ["white", "same", "pot"]
    assert found.scores[0] == found.scores[1] > found.scores[2]


def test_what_must_be_there_and_must_not(case: Case) -> None:
    assert case.names(case.rank("pot +tea", 10)) == ["tea", "pot"]
    assert case.names(case.rank("tea -black", 10)) == ["tea"]
    assert case.names(case.rank("tea -black", 10, by=Unit.PASSAGE)) == ["tea", "pot"]
    assert case.rank("tea -black").weights[1] == 0


def test_where_nothing_is_asked_for_all_match_alike(case: Case) -> None:
    found = case.rank("-black")
    assert sorted(case.names(found)) == ["head", "same", "tea", "white"]
    assert {*found.scores} == {0.0}
    assert found.best_possible == 0
    assert case.rank("").total == 5


def test_phrases_and_prefixes(case: Case) -> None:
    assert case.names(case.rank('"hot tea"', 10)) == ["tea"]
    assert case.names(case.rank('"tea hot"', 10)) == ["pot"]
    assert case.names(case.rank("polici*", 10)) == ["head"]
    assert case.names(case.rank("policy*", 10)) == ["head"]
    assert case.rank("samo*").total == 0


def test_an_alias_in_the_query_ranks_above_all(case: Case) -> None:
    found = case.rank("is the white stuff for hot tea", 10)
    assert case.names(found)[0] == "white"
    assert found.scores[0] > found.best_possible


def test_only_some_rows_may_match_and_the_statistics_stay(case: Case) -> None:
    whole = case.rank("hot tea", 10)
    second = case.rank("hot tea", 10, among=sorted(whole.rows[1:]))
    assert case.names(second) == ["pot"]
    assert (second.weights, [*second.scores]) == (whole.weights, [*whole.scores[1:]])


def test_a_search_ranks_by_its_words_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    view, asked = memory_workspace(FILES).view(), list[object]()
    scored = ranking.score_memories

    def counted(*columns: Any, **how: Any) -> ranking.MemoryScores:
        asked.append(columns)
        return scored(*columns, **how)

    monkeypatch.setattr(ranking, "score_memories", counted)
    assert [hit.path for hit in search(view, '"hot tea"').hits] == ["tea.md"]
    assert len(asked) == 1


def test_what_is_hidden_weighs_nothing(case: Case) -> None:
    without = {path: data for path, data in FILES.items() if path != "hers.md"}
    alone = memory_workspace(without).view()
    expected = ScanRanker().rank(parse("tea samovar").clauses, alone, 10)
    found = case.rank("tea samovar", 10)
    assert found.weights == pytest.approx(expected.weights, rel=1e-12)
    assert found.scores == pytest.approx(expected.scores, rel=1e-12)
    assert found.total == 2


def test_a_word_that_stands_nowhere_has_its_other_spellings(case: Case) -> None:
    (terms,) = case.rank("teas").terms
    assert "tea" in terms
    assert case.rank("colour").terms[0][0] == parse("colour").clauses[0].asked[0]
    assert case.rank('"hot tea" po*').terms == ((), ())


NOTES = {"bag.md": b"# Tea in a bag\n\nHot water, then the bag.\n", "ice.md": b"Tea with ice.\n"}


def test_plain_notes_are_ranked_among_memories_and_hidden_from_others() -> None:
    owner, claire = (memory_workspace(FILES | NOTES, actor=actor).view() for actor in (OWNER, "human:claire"))
    clauses = clauses_of("hot tea")
    for ranker in (owner.of(INDEX).ranker, ScanRanker()):
        found = ranker.rank(clauses, owner, 10)
        assert [owner.entry(row).path for row in found.rows] == ["tea.md", "bag.md", "pot.md", "ice.md"]
        memories = ranker.rank(clauses, owner, 10, among=owner.rows)
        assert [owner.entry(row).path for row in memories.rows] == ["tea.md", "pot.md"]
        assert memories.weights == found.weights
    alone = memory_workspace({"hers.md": FILES["hers.md"]}, actor="human:claire").view()
    for ranker in (claire.of(INDEX).ranker, ScanRanker()):
        found = ranker.rank(clauses, claire, 10)
        assert [claire.entry(row).path for row in found.rows] == ["hers.md"]
        assert found.weights == ScanRanker().rank(clauses, alone, 10).weights


WORDS = st.sampled_from(["tea", "hot", "cold", "milk", "pot", "green", "te*", "pot*", '"hot tea"'])
QUERIES = st.lists(st.tuples(st.sampled_from(["", "", "+", "-"]), WORDS), max_size=4)
BODIES = st.lists(st.lists(st.sampled_from(["tea", "hot", "pot", "cold", "milk"])), max_size=6)


@given(BODIES, QUERIES, st.integers(0, 7))
def test_rankers_agree(bodies: list[list[str]], asked: list[tuple[str, str]], k: int) -> None:
    files = {
        f"{number}.md": memory_text(" ".join(words) + ".\n", id=f"m_{number:010d}", title=" ".join(words[:2]) or "One")
        for number, words in enumerate(bodies)
    }
    view = memory_workspace(files).view()
    query = " ".join(need + word for need, word in asked)
    for by in Unit:
        one = view.of(INDEX).ranker.rank(clauses_of(query), view, k, text=query, by=by)
        other = ScanRanker().rank(clauses_of(query), view, k, text=query, by=by)
        if one.best_possible:
            assert [*one.rows] == [*other.rows]
        assert one.scores == pytest.approx(other.scores, rel=1e-9)
        assert one.weights == pytest.approx(other.weights, rel=1e-9)
        assert one.best_possible == pytest.approx(other.best_possible, rel=1e-9)
        assert one.total == other.total


# -- a search by any ranker --------------------------------------------------------------------------


MANY = {
    f"{number:03}.md": memory_text("tea " * (1 + number % 5) + "milk\n", id=f"m_{number:010d}")
    for number in range(3 * FILES_AT_ONCE)
}


def test_a_search_finds_the_same_by_any_ranker(monkeypatch: pytest.MonkeyPatch) -> None:
    view = memory_workspace(FILES | MANY).view()
    by, sort = Wish(by=Unit.PASSAGE), Wish(sort=Sort.TITLE)
    wishes = [Wish(limit=50), by, sort, Wish(sort=Sort.QUALITY), Wish(facets=("type",))]
    queries = ["hot tea", "milk -hot", "+cold pot", "type:note", "the white stuff"]
    asked = [(query, wish) for query in queries for wish in wishes]
    expected = [search(view, *one) for one in asked]
    assert all(answer.hits for answer in expected)
    monkeypatch.setattr(Look, "ranker", ScanRanker())
    for one, before in zip(asked, expected, strict=True):
        found = search(view, *one)
        assert [hit.path for hit in found.hits] == [hit.path for hit in before.hits]
        assert (found.total, found.facets) == (before.total, before.facets)


def ranked(best: int | None) -> Candidates:
    view = memory_workspace(MANY, config=Config(owner=OWNER)).view()
    return Candidates(Audience(view), view.rows, parse("tea"), Unit.MEMORY, best=best)


def test_what_follows_the_best_is_ranked_when_it_is_asked_for() -> None:
    best = ranked(5)
    assert (len(best.scores), best.total) == (FILES_AT_ONCE, len(MANY))
    blocks = [*best.blocks(Sort.RELEVANCE, lambda _: 1.0)]
    assert [len(block) for block in blocks] == [FILES_AT_ONCE] * 3
    assert blocks == [*ranked(None).blocks(Sort.RELEVANCE, lambda _: 1.0)]
    assert blocks == [*ranked(45).blocks(Sort.RELEVANCE, lambda _: 1.0)]
    assert len(best.scores) == len(MANY)


def test_nothing_follows_where_rows_are_other_memories_by_now() -> None:
    view = memory_workspace(MANY).view()

    class Moving:
        """As an index elsewhere that is written in the meantime."""

        generation = 0

        def rank(self, *args: object, **kwargs: object) -> Ranked:
            self.generation += 1
            found: Ranked = ScanRanker().rank(*args, **kwargs)  # type: ignore[arg-type]
            return found._replace(generation=str(self.generation))

    view.of(LOOK).ranker = Moving()
    candidates = Candidates(Audience(view), view.rows, parse("tea"), Unit.MEMORY, best=1)
    assert [len(block) for block in candidates.blocks(Sort.RELEVANCE, lambda _: 1.0)] == [FILES_AT_ONCE]


def test_the_generation_names_the_state_of_the_files(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("tea.md", FILES["tea.md"])
    ws = memory_workspace()._replace(vault=vault, library=DiskLibrary(vault, cache=tmp_path / "cache"))
    clauses = parse("tea").clauses

    def generation() -> str | None:
        view = ws.view()
        return view.of(INDEX).ranker.rank(clauses, view, 1).generation

    first = generation()
    assert first is not None
    assert generation() == first
    vault.create("pot.md", FILES["pot.md"])
    assert generation() != first
