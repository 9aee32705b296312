from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search.meaning import fused, similarities, similarity, unit

SHARES = st.floats(0, 1)
NUMBERS = st.lists(st.floats(width=32), min_size=3, max_size=3)


@given(SHARES, SHARES, SHARES)
def test_what_is_fused_lies_between_words_and_meaning(words: float, alike: float, weight: float) -> None:
    least, most = sorted((words, alike))
    assert least - 1e-12 <= fused(words, alike, vector_weight=weight) <= most + 1e-12


@given(SHARES, SHARES)
def test_without_weight_for_vectors_the_words_alone_count(words: float, alike: float) -> None:
    assert fused(words, alike, vector_weight=0) == words


@given(SHARES, SHARES, SHARES)
def test_what_is_more_alike_is_never_worse(words: float, alike: float, other: float) -> None:
    assert fused(words, max(alike, other)) >= fused(words, min(alike, other))


def test_words_and_meaning_count_as_they_are_and_not_as_shares_of_the_best() -> None:
    assert fused(0.3, 0.2) == pytest.approx(0.55 * 0.3 + 0.45 * 0.2)


@given(st.lists(NUMBERS, max_size=4), NUMBERS)
def test_similarities_are_the_same_with_numpy_and_without(vectors: list[list[float]], asked: list[float]) -> None:
    units = [unit(vector) for vector in vectors]
    one_by_one = [similarity(unit(asked), vector) for vector in units]
    assert similarities(unit(asked), units) == pytest.approx(one_by_one, abs=1e-6)


@given(NUMBERS, NUMBERS)
def test_vectors_are_alike_within_0_and_1(left: list[float], right: list[float]) -> None:
    assert 0 <= similarity(unit(left), unit(right)) <= 1


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], []])
def test_what_points_nowhere_is_like_nothing(vector: list[float]) -> None:
    assert similarity(unit(vector), unit(vector)) == 0


def test_opposites_are_as_unlike_as_can_be() -> None:
    assert similarity(unit([3, 4]), unit([6, 8])) == pytest.approx(1)
    assert similarity(unit([1, 0]), unit([-1, 0])) == 0
