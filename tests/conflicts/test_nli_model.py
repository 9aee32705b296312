"""The NLI model from a folder, with a session that needs no runtime."""

from __future__ import annotations

import importlib.util
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memstore.conflicts.nli_model import NliFolder, OnnxNli, load_nli, place_of
from memstore.core.errors import UsageError
from tests.nli_models import EXCLUDE, LABELS, write_tiny
from tests.search.test_onnx_embedder import Rows

if TYPE_CHECKING:
    from pathlib import Path

HAS_RUNTIME = all(importlib.util.find_spec(name) for name in ("numpy", "onnxruntime", "tokenizers"))


class SessionOfThree:
    """Gives three numbers, of which the second one is high for words that exclude each other; or others."""

    def __init__(self, numbers: int = 3) -> None:
        self._numbers = numbers
        self.given: list[dict[str, Any]] = []

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in ("input_ids", "attention_mask")]

    def run(self, _: None, given: dict[str, Any]) -> list[Rows]:
        self.given.append(given)
        (ids,) = given["input_ids"]
        return [Rows([[0.0, 9.0 if sum(ids) > 1 else -9.0, 1.0, *range(self._numbers - 3)][: self._numbers]])]


class PairTokenizer:
    def encode(self, first: str, second: str) -> Any:
        ids = [int(word in f"{first} {second}".casefold()) for word in EXCLUDE[0]]
        return SimpleNamespace(ids=ids, attention_mask=[1] * len(ids), type_ids=[0] * len(ids))


def of_tokens(session: SessionOfThree | None = None) -> OnnxNli:
    return OnnxNli("m", PairTokenizer(), session or SessionOfThree(), 1, to_tensor=lambda rows: rows)


def test_both_sentences_are_given_together_with_what_the_model_wants() -> None:
    session = SessionOfThree()
    of_tokens(session).contradictions([("diesel", "a battery")])
    assert session.given == [{"input_ids": [[1, 1]], "attention_mask": [[1, 1]]}]


def test_large_numbers_overflow_nowhere() -> None:
    class Large(SessionOfThree):
        def run(self, _: None, given: dict[str, Any]) -> list[Rows]:  # noqa: ARG002 - the runtime's
            return [Rows([[9000.0, 9001.0, -9000.0]])]

    assert of_tokens(Large()).contradictions([("a", "b")]) == [pytest.approx(0.7310585)]


@pytest.mark.parametrize("numbers", [2, 4])
def test_a_model_of_another_kind_is_refused(numbers: int) -> None:
    with pytest.raises(UsageError, match=f"the NLI model m can't be run: it gives {numbers} numbers"):
        of_tokens(SessionOfThree(numbers)).contradictions([("a", "b")])


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({"0": "entailment", "1": "neutral", "2": "contradiction"}, 2),
        ({"0": "CONTRADICTION", "1": "ENTAILMENT", "2": "NEUTRAL"}, 0),
        (LABELS, 1),
    ],
)
def test_labels_come_in_any_order_and_case(tmp_path: Path, labels: dict[str, str], place: int) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}))
    assert place_of(tmp_path / "config.json") == place


@pytest.mark.parametrize(
    "config",
    [
        "",
        "[]",
        "{}",
        '{"id2label": []}',
        '{"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}',
        '{"id2label": {"0": "entailment", "1": "contradiction"}}',
        '{"id2label": {"0": "entailment", "1": "neutral", "7": "contradiction"}}',
        '{"id2label": {"a": "entailment", "b": "neutral", "c": "contradiction"}}',
    ],
)
def test_other_labels_are_refused_in_a_sentence(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(UsageError, match=r"config\.json has (no labels that can be read|the labels )") as caught:
        place_of(tmp_path / "config.json")
    assert "entailment, neutral and contradiction" in str(caught.value.hint)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    for ask in (lambda: load_nli(tmp_path), lambda: NliFolder(tmp_path).name):
        with pytest.raises(UsageError, match=r"has no model\.onnx and no tokenizer\.json and no config\.json"):
            ask()


def test_the_name_changes_with_the_files(tmp_path: Path) -> None:
    before = NliFolder(write_tiny(tmp_path)).name
    assert NliFolder(tmp_path).name == before
    (tmp_path / "config.json").write_text(json.dumps({"id2label": LABELS, "other": 1}))
    assert NliFolder(tmp_path).name != before


@pytest.mark.skipif(HAS_RUNTIME, reason="the packages are there")
def test_packages_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a package that is not there") as caught:
        load_nli(write_tiny(tmp_path))
    assert "memstore-vault[semantic]" in str(caught.value.hint)


@pytest.mark.skipif(not HAS_RUNTIME, reason="the extra `semantic` is not installed")
@pytest.mark.parametrize("name", ["model.onnx", "model_int8.onnx", "model_quantized.onnx"])
def test_a_real_model_is_run(tmp_path: Path, name: str) -> None:
    found = load_nli(write_tiny(tmp_path, model=name)).contradictions([("It has diesel", "a battery"), ("a", "b")])
    assert found == [pytest.approx(0.99326, abs=1e-4), pytest.approx(0.00664, abs=1e-4)]


@pytest.mark.skipif(not HAS_RUNTIME, reason="the extra `semantic` is not installed")
def test_a_broken_model_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (write_tiny(tmp_path) / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(UsageError, match=r"the NLI model .* can't be loaded"):
        load_nli(tmp_path)
