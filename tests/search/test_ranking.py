from __future__ import annotations

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.terms import is_question
from memstore.files.passages import Passage, PassageKind, passages
from memstore.search.clauses import Clause, Query, Word
from memstore.search.matching import matcher_of
from memstore.search.query import parse
from memstore.search.ranking import (
    Demands,
    Source,
    asking,
    idf,
    is_weak,
    linked,
    memory_score,
    more_than_chance,
    named_score,
    passage_relevance,
    passage_weights,
    recency_factor,
    relevance,
    score_memories,
    score_passages,
    title_score,
)

Columns = tuple[list[int], list[int], list[int], list[int]]


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    def column() -> tuple[list[int], list[int]]:
        rows = sorted(draw(st.sets(st.integers(0, 9))))
        return rows, [draw(st.integers(1, 5)) for _ in rows]

    return *column(), *column()


@given(st.integers(1, 1000), st.integers(0, 1000))
def test_a_rarer_word_tells_more_and_none_tells_less_than_nothing(count: int, holding: int) -> None:
    holding = min(holding, count)
    assert idf(count, holding) > 0
    assert holding == 0 or idf(count, holding) < idf(count, holding - 1)


@given(st.lists(columns(), max_size=4))
def test_scores_are_of_those_that_match_and_within_bounds(clauses: list[Columns]) -> None:
    found = score_memories(clauses, [20] * 10, count=10, average=20.0)
    assert set(found.by_row) == {row for one in clauses for row in (*one[0], *one[2])}
    assert all(0 < score < found.best_possible for score in found.by_row.values())


@given(columns())
def test_a_longer_memory_scores_less_for_the_same_words(clause: Columns) -> None:
    short = score_memories([clause], [10] * 10, count=10, average=20.0)
    long = score_memories([clause], [40] * 10, count=10, average=20.0)
    assert all(long.by_row[row] < short.by_row[row] for row in short.by_row)


def test_a_word_counts_less_in_the_head_than_in_the_text() -> None:
    found = score_memories([([0], [1], [1], [1])], [20, 20], count=9, average=20.0)
    assert found.by_row[0] > found.by_row[1] > 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_memory_that_is_named_stands_above_all(named: float, other: float) -> None:
    best = 10.0
    bottom = memory_score(named_score(named * best, best), 0.0)
    assert bottom >= best * 0.999
    assert relevance(bottom * 1.001, best) == 1.0
    assert memory_score(other * best, other * best) <= best * 1.001


@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=5), st.data())
def test_a_title_adds_more_the_more_of_it_is_asked_for(weights: list[float], data: st.DataObject) -> None:
    held = data.draw(st.sets(st.sampled_from(range(len(weights)))))
    fewer = {clause for clause in held if data.draw(st.booleans())}
    less, more = sorted((data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1))))
    assert 0 <= title_score(fewer, less, weights) <= title_score(held, more, weights)
    assert title_score(held, more, weights) <= title_score(range(len(weights)), 1.0, weights)


@given(st.floats(-10, 10_000), st.floats(0, 10_000))
def test_recency_orders_what_is_alike_and_no_more(days: float, later: float) -> None:
    assert 1 <= recency_factor(days + later) <= recency_factor(days) <= 1.02


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_what_has_more_of_the_query_is_never_weak_where_less_is_not(
    rel: float, more: float, names: float, up: float
) -> None:
    low, high = sorted((rel, more))
    assert is_weak(low, names, up) or not is_weak(high, names, up)
    assert is_weak(rel, 0.0, up) or not is_weak(rel, names, up)
    assert is_weak(rel, names, 0.0) or not is_weak(rel, names, up)
    assert is_weak(rel, names, up, similarity=low) or not is_weak(rel, names, up, similarity=high)
    assert is_weak(rel, names, up, similarity=0.0)
    assert not is_weak(rel, 1.0, 1.0, similarity=1.0)


def test_words_that_stand_together_tell_more_than_chance_the_rarer_they_are() -> None:
    count = 10_000
    of_one = idf(count, 1)
    assert more_than_chance([of_one], count) == pytest.approx(1)
    assert more_than_chance([of_one, of_one], count) == pytest.approx(2)
    assert more_than_chance([idf(count, count)], count) == pytest.approx(0, abs=0.01)
    assert more_than_chance([], 0) == 0
    # A hundred times as many memories, each word in as great a share of them, and the same words tell less.
    assert more_than_chance([idf(100, 5)], 100) > more_than_chance([idf(10_000, 500)], 10_000)


# -- passages ------------------------------------------------------------------------------------


def passage(text: str, line: int = 1, *, headings: tuple[str, ...] = (), speaker: str = "") -> Passage:
    return Passage(PassageKind.PARAGRAPH, line, line, text, headings, speaker)


def ranked(query: str, *passages: Passage, title: str = "", demands: Demands | None = None) -> list[str]:
    asked = parse(query)
    to_answer = is_question(query)
    weights = [1.0] * len(asked.clauses)
    source = Source(title, "8 May 2026", passages, 1.0)
    (found,) = score_passages([source], matcher_of(asked), weights, demands or Demands(), to_answer=to_answer)
    return [one.passage.text for one in found]


def test_the_passage_with_more_of_the_words_stands_first() -> None:
    passages = (passage("a heart", 1), passage("the murmur of her heart", 2))
    assert ranked("heart murmur", *passages) == ["the murmur of her heart", "a heart"]


def test_words_side_by_side_count_more() -> None:
    far = (passage("heart of my murmur", 1), passage("nothing", 2), passage("x", 3), passage("my heart murmur is", 4))
    assert ranked("heart murmur", *far)[0] == "my heart murmur is"


def test_a_passage_may_be_found_by_its_neighbour_and_not_from_farther_off() -> None:
    passages = tuple(passage(text, at) for at, text in enumerate(["heart", "next", "two on", "three on"], 1))
    assert ranked("heart", *passages) == ["heart", "next"]


ASKED, SAID = "Does her heart have a murmur, do you know?", "Her heart has a murmur, and it is not the first one."
CONVERSATION = (
    passage(ASKED, 1, speaker="Ann"),
    passage("A slight one.", 2, speaker="Bo"),
    passage("x", 3),
    passage("y", 4),
    passage(SAID, 5, speaker="Ann"),
)


def test_a_question_is_answered_by_what_tells_and_not_by_what_asks() -> None:
    found = ranked("has she a heart murmur?", *CONVERSATION)
    assert found.index(SAID) < found.index("A slight one.") < found.index(ASKED)


def test_a_memory_in_which_it_is_asked_is_about_it_all_the_same() -> None:
    asked = Query("heart murmur", (Clause(Word("heart")), Clause(Word("murmur"))))  # by stems, as a question is asked
    source = Source("", "", CONVERSATION, 1.0)
    (told,) = score_passages([source], matcher_of(asked), [1.0, 1.0], Demands())
    (answered,) = score_passages([source], matcher_of(asked), [1.0, 1.0], Demands(), to_answer=True)
    assert max(one.own for one in answered) == max(one.own for one in told)
    assert answered[0].passage.text == SAID


def test_other_queries_find_what_asks_as_well() -> None:
    assert ranked("heart murmur", *CONVERSATION)[:2] == [ASKED, SAID]


def test_only_in_a_conversation_the_next_passage_answers() -> None:
    passages = (passage("Has her heart a murmur?", 1), passage("Buy milk.", 2))
    assert ranked("has she a heart murmur?", *passages) == ["Has her heart a murmur?", "Buy milk."]
    passages = (passage("Has her heart a murmur?", 1, speaker="Ann"), passage("Hello.", 2, speaker="Ann"))
    assert ranked("has she a heart murmur?", *passages) == ["Has her heart a murmur?", "Hello."]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("It is so.", 0, 0),
        ("https://example.org/?q=heart tells more.", 0, 0),
        ("Is it so?", 1, 1),
        ("Is it, over\ntwo lines, so?", 1, 1),
        ("It is so. Is it so?", 0.4, 0.6),
        ("Is it so? It is!", 0.4, 0.6),
    ],
)
def test_how_much_of_a_text_asks(text: str, least: float, most: float) -> None:
    assert least <= asking(text) <= most


@given(st.text(st.sampled_from("ab?.! \n")))
def test_a_share_is_a_fraction(text: str) -> None:
    assert 0 <= asking(text) <= 1


@given(st.lists(st.floats(0, 10), max_size=6))
def test_rare_words_count_more_in_passages_yet_less_than_in_memories(idfs: list[float]) -> None:
    weights = passage_weights(idfs)
    assert sum(weights) == pytest.approx(sum(idfs), abs=1e-9)
    for (one, idf_of_one), (other, idf_of_other) in pairwise(zip(weights, idfs, strict=True)):
        if idf_of_one > idf_of_other > 0:
            assert 1 <= one / other <= idf_of_one / idf_of_other * (1 + 1e-9)


def test_a_heading_elsewhere_and_title_and_date_help_but_find_nothing_alone() -> None:
    passages = (passage("heart", 1), passage("x", 2), passage("heart", 3, headings=("The vet",)))
    assert ranked("vet", *passages, title="The vet") == []
    asked = parse("vet heart")
    source = Source("", "", passages, 1.0)
    (found,) = score_passages([source], matcher_of(asked), [1.0, 1.0], Demands())
    assert found[0].passage.line_start == 3


def test_a_heading_is_found_with_the_passage_below_it() -> None:
    (first, second) = passages("# Sourdough\n\nFeed it.\n\nTwice a day.\n", first_line=1)
    assert ranked("sourdough", first, second) == ["Feed it."]
    assert ranked("sourdough feed", first, second, demands=Demands(must=frozenset({0, 1}))) == ["Feed it."]
    (alone,) = passages("# Sourdough\n", first_line=1)
    assert ranked("sourdough", alone) == ["Sourdough"]


def test_who_speaks_is_found() -> None:
    assert ranked("claire", passage("hello", 1, speaker="Claire"), passage("x", 2), passage("y", 3)) == ["hello"]


@pytest.mark.parametrize(
    ("demands", "expected"),
    [
        (Demands(must=frozenset({0})), ["heart vet", "heart"]),
        (Demands(must=frozenset({0, 1})), ["heart vet"]),
        (Demands(must=frozenset({0}), must_not=frozenset({1})), ["heart"]),
    ],
)
def test_demands_look_at_the_passage_itself(demands: Demands, expected: list[str]) -> None:
    passages = (passage("heart vet", 1), passage("vet", 2), passage("heart", 3))
    assert ranked("heart vet", *passages, demands=demands) == expected


def test_the_title_meets_a_demand() -> None:
    demands = Demands(must=frozenset({0, 1}))
    assert ranked("heart vet", passage("heart"), title="At the vet", demands=demands) == ["heart"]


@given(st.lists(st.sampled_from(["heart", "vet heart", "x y", "murmur heart vet"]), min_size=1, max_size=8))
def test_the_order_of_files_changes_no_score(texts: list[str]) -> None:
    asked = parse("heart murmur vet")
    sources = [Source("", "", (passage(text),), 1.0) for text in texts]
    scored = score_passages(sources, matcher_of(asked), [1.0] * 3, Demands())
    turned = score_passages(sources[::-1], matcher_of(asked), [1.0] * 3, Demands())[::-1]
    assert scored == turned


@given(st.floats(0, 100), st.floats(0.1, 100))
def test_relevance_is_a_fraction(score: float, best: float) -> None:
    assert 0 <= relevance(score, best) <= 1
    assert 0 <= passage_relevance(score, best) <= relevance(score, best)
    assert relevance(score, 0.0) == 1.0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("no link, [not one] and (neither)", 0, 0),
        ("[[Kettle]]", 1, 1),
        ("- [Kettle](notes/kettle.md)", 0.9, 0.95),
        ("https://example.org/green-tea?" + "x" * 300, 1, 1),
        ("Water at eighty degrees, says [the packet](packet.md).", 0.4, 0.5),
    ],
)
def test_how_much_of_a_text_is_links(text: str, least: float, most: float) -> None:
    assert least <= linked(text) <= most


@pytest.mark.parametrize("piece", ["[", "[[a", "[](", "](", "[a](b", "https://", "[[ ", "("])
def test_the_share_of_links_takes_linear_time(piece: str) -> None:
    def took(size: int) -> float:
        text = piece * (size // len(piece)) + " [[a]] ]("
        begun = process_time()
        linked(text)
        return process_time() - begun

    assert min(took(80_000) for _ in range(3)) < 16 * min(took(20_000) for _ in range(3)) + 0.1
