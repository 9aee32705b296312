"""What holds for every NLI model: one that is run here, and one that knows a list."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from memstore.conflicts.nli_model import NliFolder
from tests.conflicts.test_nli_model import of_tokens
from tests.nli_models import ListedContradictions, write_tiny

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.conflicts.inference import NliModel

EXCLUDING = ("The boat runs on diesel.", "The boat runs on a battery.")
PAIRS = [EXCLUDING, ("The boat runs on diesel.", "The boat is green."), EXCLUDING[::-1], EXCLUDING]


@pytest.fixture(params=["listed", "fake session", "tiny model"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> NliModel:
    if request.param == "listed":
        return ListedContradictions()
    if request.param == "fake session":
        return of_tokens()
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnxruntime", "tokenizers")):
        pytest.skip("the extra `semantic` is not installed")
    return NliFolder(write_tiny(tmp_path))


def test_each_pair_has_one_number_from_0_to_1(model: NliModel) -> None:
    first, second, turned, _ = model.contradictions(PAIRS)
    assert first == turned
    assert 0.9 <= first <= 1
    assert 0 <= second < 0.9
    assert model.contradictions([]) == []


def test_an_answer_depends_on_its_pair_alone(model: NliModel) -> None:
    assert list(model.contradictions(PAIRS)) == [model.contradictions([pair])[0] for pair in PAIRS]


def test_a_model_has_one_name(model: NliModel) -> None:
    before = model.name
    model.contradictions(PAIRS)
    assert model.name == before != ""
