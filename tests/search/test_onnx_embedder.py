"""The embedder from a folder, with a session that needs no runtime."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.errors import UsageError
from memstore.search.embedder import USUAL, OnnxEmbedder, Recipe, _name, load_embedder

if TYPE_CHECKING:
    from pathlib import Path


class Rows:
    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def __iter__(self) -> Any:
        return (Rows(row) for row in self._rows)

    def tolist(self) -> list[Any]:
        return self._rows


class Session:
    """A model that turns a token n into the vector [n, 1], or all of them into their sum where it pools."""

    def __init__(self, *, pools: bool = False) -> None:
        self._pools = pools
        self.given: list[dict[str, Any]] = []

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in ("input_ids", "attention_mask")]

    def run(self, _: None, given: dict[str, Any]) -> list[Rows]:
        self.given.append(given)
        (ids,) = given["input_ids"]
        return [Rows([[float(sum(ids)), 1.0]] if self._pools else [[[float(one), 1.0] for one in ids]])]


class Tokenizer:
    def encode(self, text: str) -> Any:
        ids = [len(word) for word in text.split()]
        return SimpleNamespace(ids=ids, attention_mask=[1] * len(ids), type_ids=[0] * len(ids))


def embedder(session: Session, recipe: Recipe = USUAL) -> OnnxEmbedder:
    return OnnxEmbedder("m", Tokenizer(), session, recipe, to_tensor=lambda rows: rows)


def test_a_vector_is_the_mean_of_its_tokens() -> None:
    session = Session()
    assert embedder(session).embed(["a abc", "ab"]) == [[2.0, 1.0], [2.0, 1.0]]
    assert session.given[0] == {"input_ids": [[1, 3]], "attention_mask": [[1, 1]]}


def test_a_model_that_gives_one_vector_is_believed() -> None:
    assert embedder(Session(pools=True)).embed(["a abc"]) == [[4.0, 1.0]]


@pytest.mark.parametrize(("pooling", "expected"), [("mean", 2.0), ("cls", 1.0), ("last", 3.0)])
def test_a_model_is_pooled_as_it_was_trained(pooling: str, expected: float) -> None:
    assert embedder(Session(), Recipe(pooling)).embed(["a abc"]) == [[expected, 1.0]]
    assert embedder(Session(pools=True), Recipe(pooling)).embed(["a abc"]) == [[4.0, 1.0]]


def test_texts_and_queries_get_their_prefixes() -> None:
    session = Session()
    made = embedder(session, Recipe(query_prefix="ask: ", passage_prefix="of a memory: "))
    made.embed(["tea"])
    made.embed_queries(["tea"])
    assert [given["input_ids"] for given in session.given] == [[[2, 1, 7, 3]], [[4, 3]]]


def test_what_changes_the_vectors_of_texts_changes_the_name(tmp_path: Path) -> None:
    for file in ("model.onnx", "tokenizer.json"):
        (tmp_path / file).touch()
    usages = (
        Recipe(),
        Recipe("cls"),
        Recipe("last"),
        Recipe(passage_prefix="passage: "),
        Recipe("cls", "", "passage: "),
    )
    assert len({_name(tmp_path, recipe) for recipe in usages}) == len(usages)
    assert _name(tmp_path, Recipe(query_prefix="query: ")) == _name(tmp_path, Recipe())


class Demanding(Session):
    def run(self, *_: Any) -> list[Rows]:
        raise ValueError("Required inputs (['pixels']) are missing")


class Scalar(Session):
    def run(self, *_: Any) -> list[Rows]:
        return [Rows([1.0])]


@pytest.mark.parametrize("session", [Demanding(), Scalar()])
def test_a_model_of_another_kind_is_refused(session: Session) -> None:
    with pytest.raises(UsageError, match="the embedder m can't be run"):
        embedder(session).embed(["a"])


def test_files_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no model\.onnx and no tokenizer\.json"):
        load_embedder(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is not None, reason="the package is there")
def test_packages_that_are_missing_are_named(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match="needs a package that is not there") as caught:
        load_embedder(tmp_path)
    assert "memstore-vault[semantic]" in caught.value.hint  # type: ignore[operator]
