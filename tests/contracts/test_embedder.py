"""What holds for every embedder: a model that is run here, and one without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.search.embedder import Recipe
from tests.embedders import HashedTrigrams
from tests.search.test_onnx_embedder import Session
from tests.search.test_onnx_embedder import embedder as onnx_embedder

if TYPE_CHECKING:
    from memstore.search.embedder import OnnxEmbedder
    from memstore.search.facets import Embedder

TEXTS = ["A dog barks.", "The cat sleeps all day.", "", "A dog barks."]


def of_tokens() -> OnnxEmbedder:
    return onnx_embedder(Session())


def of_last_tokens() -> OnnxEmbedder:
    return onnx_embedder(Session(), Recipe("last", "query: ", "a passage: "))


def of_texts() -> OnnxEmbedder:
    return onnx_embedder(Session(pools=True))


@pytest.fixture(params=[of_tokens, of_last_tokens, of_texts, HashedTrigrams])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


def test_every_text_has_a_vector_of_the_same_length(embedder: Embedder) -> None:
    texts = [text for text in TEXTS if text]
    vectors = embedder.embed(texts)
    assert len(vectors) == len(texts)
    assert len({len(vector) for vector in vectors}) == 1
    assert embedder.embed([]) == []


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed(["A dog barks.", "The cat sleeps all day.", "A dog barks."])
    assert [list(vector) for vector in together] == [
        list(embedder.embed([text])[0]) for text in ("A dog barks.", "The cat sleeps all day.", "A dog barks.")
    ]
    assert list(together[0]) != list(together[1])


def test_a_model_has_a_name_that_stays(embedder: Embedder) -> None:
    before = embedder.name
    embedder.embed(["A dog."])
    assert embedder.name == before != ""
