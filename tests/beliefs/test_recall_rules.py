"""Recall: the order, the budget, and what a text takes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.recall import (
    LONGEST_BITE,
    WEIGHTS,
    Known,
    RecallProfile,
    fitted,
    interleaved,
    one_line,
    recall_scores,
    shortened,
    tokens,
)
from memstore.search import query
from memstore.search.quality import Strength

NOW = datetime(2026, 2, 1, tzinfo=UTC)


def known(relevance: float, *, retrieval: float = 0.0, uses: int = 0, days: float | None = None) -> Known:
    made_at = None if days is None else NOW - timedelta(days=days)
    return Known(relevance, Strength(retrieval=retrieval, uses=uses), made_at)


def order(matches: list[Known], profile: RecallProfile) -> list[int]:
    found = recall_scores(matches, profile, NOW)
    return sorted(range(len(found)), key=lambda at: -found[at])


def test_strength_decides_only_what_is_nearly_alike() -> None:
    close = [known(0.9), known(0.89, retrieval=0.9, uses=1)]
    assert recall_scores(close, RecallProfile.DEFAULT, NOW) == pytest.approx([1 / 61, 1 / 62 + 0.1 / 61])
    assert order(close, RecallProfile.DEFAULT) == [1, 0]
    far = [known(0.9), *(known(0.5) for _ in range(18)), known(0.1, retrieval=0.9, uses=9)]
    assert order(far, RecallProfile.DEFAULT)[0] == 0
    assert order([known(0.9), known(0.89, retrieval=0.9)], RecallProfile.DEFAULT) == [0, 1]  # never used: only young


def test_the_seeds_four_lists() -> None:
    assert WEIGHTS[RecallProfile.SEED_002] == {"relevance": 0.4, "similarity": 1.0, "recency": 0.6, "access": 0.4}
    assert order([known(0.9, days=900), known(0.3, days=1)], RecallProfile.SEED_002) == [1, 0]
    one = known(0.9, days=1, uses=2)._replace(similarity=0.5)
    assert recall_scores([one], RecallProfile.SEED_002, NOW) == pytest.approx([(0.4 + 1.0 + 0.6 + 0.4) / 61])


@pytest.mark.parametrize("profile", [RecallProfile.DEFAULT, RecallProfile.SEED_002])
def test_what_matches_by_meaning_alone_is_on_that_list_alone(profile: RecallProfile) -> None:
    found = recall_scores([known(0.9), known(0)._replace(similarity=0.5)], profile, NOW)
    assert found == pytest.approx([WEIGHTS[profile]["relevance"] / 61, 1.0 / 61])


def test_memory_recall_adds_three_numbers() -> None:
    found = recall_scores([known(0.8, days=0, uses=1_000), known(0.5)], RecallProfile.MEMORY_RECALL, NOW)
    assert found == pytest.approx([0.5 * 0.8 + 0.3 + 0.2, 0.25])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("the", 1), ("Bella", 2), ("Bella eats", 4), ("m_7f", 4), ("3.14", 4), ("é", 1), ("日本", 4),
        ("\u202e", 10), ("a\nb", 3), ("👍", 3),
    ],
)  # fmt: skip
def test_tokens_of(text: str, count: int) -> None:
    assert tokens(text) == count


@given(st.text(), st.text())
def test_a_longer_text_takes_no_less(one: str, other: str) -> None:
    assert tokens(one + other) >= max(tokens(one), tokens(other))


@given(st.text(max_size=600), st.integers(min_value=1, max_value=400))
def test_what_fits_never_exceeds_the_room(text: str, room: int) -> None:
    said = fitted(one_line(text), room, lambda part: f"[Memory flash: {part}] a.md:1")
    if said is not None:
        assert tokens(f"[Memory flash: {said}] a.md:1") + 1 <= room
        assert len(said) <= LONGEST_BITE


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three four", 12) == "one two…"
    assert shortened("one two", 12) == "one two"
    assert fitted("word " * 30, 10, str) is None
    assert fitted("short", 4, str) == "short"


def test_memories_and_beliefs_take_in_turn() -> None:
    assert list(interleaved(3, 1)) == [(False, 0), (True, 0), (False, 1), (False, 2)]


def test_a_prompt_is_words_alone() -> None:
    asked = query.of_prompt('What about "Bella" -park type:belief?')
    assert [clause.asked.term for clause in asked.clauses] == ["bella", "park", "type", "belief"]  # type: ignore[union-attr]
    assert query.of_prompt("what is it then?").clauses == ()
    assert len(query.of_prompt(" ".join(f"word{n}" for n in range(500))).clauses) == query.MOST_WORDS
