from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search.meaning import fused, similarity, unit

ROWS = st.integers(0, 20)
SCORES = st.dictionaries(ROWS, st.floats(0, 1e6, allow_subnormal=False))
SIMILAR = st.dictionaries(ROWS, st.floats(0, 1))
NUMBERS = st.lists(st.floats(width=32), min_size=3, max_size=3)


@given(SCORES, SIMILAR, st.floats(0, 1))
def test_whatever_is_fused_is_within_0_and_1(lexical: dict[int, float], similar: dict[int, float], w: float) -> None:
    scores = fused(lexical, similar, vector_weight=w)
    assert scores.keys() == lexical.keys() | similar.keys()
    assert all(0 <= score <= 1 + 1e-12 for score in scores.values())


@given(st.dictionaries(ROWS, st.integers(1, 1000), min_size=1), SIMILAR)
def test_without_weight_for_vectors_the_lexical_order_stands(
    lexical: dict[int, int], similar: dict[int, float]
) -> None:
    scores = fused(lexical, similar, vector_weight=0)
    by_words = sorted(lexical, key=lambda row: (-lexical[row], row))
    assert sorted(lexical, key=lambda row: (-scores[row], row)) == by_words
    assert all(scores[row] == 0 for row in similar.keys() - lexical.keys())


@given(SCORES, SIMILAR)
def test_what_is_more_alike_is_never_worse(lexical: dict[int, float], similar: dict[int, float]) -> None:
    scores = fused(lexical, similar)
    for row, alike in similar.items():
        assert fused(lexical, similar | {row: min(1.0, alike + 0.1)})[row] >= scores[row]


def test_words_weigh_seven_parts_and_vectors_three() -> None:
    assert fused({1: 4.0, 2: 2.0}, {2: 1.0, 3: 0.5}) == pytest.approx({1: 0.7, 2: 0.35 + 0.3, 3: 0.15})


@given(NUMBERS, NUMBERS)
def test_vectors_are_alike_within_0_and_1(left: list[float], right: list[float]) -> None:
    assert 0 <= similarity(unit(left), unit(right)) <= 1


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], []])
def test_what_points_nowhere_is_like_nothing(vector: list[float]) -> None:
    assert similarity(unit(vector), unit(vector)) == 0


def test_opposites_are_as_unlike_as_can_be() -> None:
    assert similarity(unit([3, 4]), unit([6, 8])) == pytest.approx(1)
    assert similarity(unit([1, 0]), unit([-1, 0])) == 0
