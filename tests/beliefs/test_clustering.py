"""Clusters: the same for texts in any order, never of names, dates or small words."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs import clustering
from memstore.beliefs.clustering import (
    Weights,
    average_link,
    centre,
    cosine,
)
from memstore.search.meaning import Dense

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = ["heat walk", "walk heat", "heat walk slow", "tabs spaces", "tabs spaces parser", "kettle"]


def vectors(*texts: str) -> dict[str, dict[str, float]]:
    documents = [text.split() for text in texts]
    weights = Weights(documents)
    return {f"{i:03}": weights.vector(terms) for i, terms in enumerate(documents)}


def test_alike_texts_cluster_and_others_stay_alone() -> None:
    assert average_link(vectors(*ABOUT), 0.2) == [("000", "001", "002"), ("003", "004")]


def test_texts_that_are_all_alike_cluster_too() -> None:
    assert average_link(vectors(*["heat walk"] * 4), 0.2) == [("000", "001", "002", "003")]


def test_empty_texts_are_in_no_cluster() -> None:
    assert average_link(vectors("", "", "heat"), 0.2) == []


@given(st.permutations(list(enumerate(ABOUT * 2))))
def test_the_order_of_the_texts_says_nothing(order: list[tuple[int, str]]) -> None:
    documents = {f"{i:03}": text.split() for i, text in order}
    weights = Weights(list(documents.values()))
    found = average_link({name: weights.vector(terms) for name, terms in documents.items()}, 0.2)
    assert found == average_link(vectors(*(ABOUT * 2)), 0.2)


@given(st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=4), max_size=12), st.floats(0.05, 0.9))
def test_clusters_are_those_of_joining_the_best_pair_again_and_again(
    documents: list[list[str]], threshold: float
) -> None:
    made = vectors(*map(" ".join, documents))
    found = average_link(made, threshold)
    joined = {name for cluster in found for name in cluster}
    clusters = [*found, *((name,) for name in made if name not in joined)]
    for left, right in combinations(clusters, 2):
        assert mean(made, left, right) < threshold + 1e-6
    for cluster in found:
        assert all(mean(made, (name,), tuple(set(cluster) - {name})) > 0 for name in cluster)


@pytest.fixture(params=["numpy", "no numpy"], scope="module")
def arithmetic(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare dense vectors with numpy, where it is there, and without."""
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "numpy":
            pytest.importorskip("numpy")
        else:
            patched.setattr(clustering, "numpy_if_there", lambda: None)
        yield


@pytest.mark.usefixtures("arithmetic")
@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=4), max_size=12), st.floats(0.05, 0.9))
def test_an_embedders_vectors_cluster_as_those_of_words_do(documents: list[list[str]], threshold: float) -> None:
    made = vectors(*map(" ".join, documents))
    dense = {name: Dense([vector.get(letter, 0.0) for letter in "abcdefg"]) for name, vector in made.items()}
    assert average_link(dense, threshold) == average_link(made, threshold)
    assert all(cosine(dense[a], dense[b]) == pytest.approx(cosine(made[a], made[b])) for a in made for b in made)


def mean(made: dict[str, dict[str, float]], left: tuple[str, ...], right: tuple[str, ...]) -> float:
    return sum(cosine(made[a], made[b]) for a in left for b in right) / (len(left) * len(right))


def test_the_centre_points_where_the_vectors_point() -> None:
    made = vectors("heat walk", "heat slow")
    middle = centre(made.values())
    assert cosine(middle, made["000"]) == pytest.approx(cosine(middle, made["001"]))
    assert cosine({}, middle) == 0
