"""A model of natural language inference: how sure it is that one sentence contradicts another; always optional.

It is a local folder with an ONNX model, run with onnxruntime, `tokenizer.json`, and `config.json`, which says what its
numbers mean; nothing is downloaded.
"""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memstore.core.errors import UsageError
from memstore.search.embedder import MODEL, TOKENIZER, Needs, inputs_of, mark_of, run_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


CONFIG = "config.json"
# The model, by the names that exporters give to it and to its int8 form.
MODELS = (MODEL, "model_int8.onnx", "model_quantized.onnx")
LABELS = frozenset({"entailment", "neutral", "contradiction"})
_NEEDS = Needs("the NLI model", "docs/conflicts.md", "memstore index semantic off --nli")


class NliFolder:
    """The model in a folder, loaded when it is first asked.

    Args:
        folder: where it is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        """A name that changes with its files; `UsageError` if they can't be read."""
        try:
            mark = mark_of([self._folder / name for name in _files(self._folder)])
        except OSError:
            return self._loaded.name  # says what is missing
        return f"nli:{self._folder.resolve()}:{mark}"

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each pair how sure the model is that its first sentence excludes its second one, in [0,1].

        Raises:
            UsageError: a file or package is missing, or the model can't be run.
        """
        return self._loaded.contradictions(pairs)

    @cached_property
    def _loaded(self) -> OnnxNli:
        return load_nli(self._folder)


def load_nli(folder: Path) -> OnnxNli:
    """Return the model in a folder.

    Raises:
        UsageError: a file or package is missing, it has other labels, or it can't be loaded.
    """
    model = run_in(folder, _files(folder), _NEEDS)
    return OnnxNli(str(folder), model.tokenizer, model.session, place_of(folder / CONFIG), to_tensor=model.to_tensor)


def place_of(config: Path) -> int:
    """Return the place of `contradiction` among the labels that a `config.json` names, in any order and case.

    Raises:
        UsageError: it can't be read, or has other labels.
    """
    try:
        labels = json.loads(config.read_bytes())["id2label"]
        named: Mapping[str, int] = {str(label).casefold(): int(place) for place, label in labels.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{config} has no labels that can be read", hint=_HINT) from error
    if named.keys() != LABELS or {*named.values()} != {*range(len(LABELS))}:
        raise UsageError(f"{config} has the labels {', '.join(sorted(named))}", hint=_HINT)
    return named["contradiction"]


_HINT = "id2label in an NLI model's config.json names entailment, neutral and contradiction, each once"


class OnnxNli:
    """Asks a model about pairs of sentences, each by itself: what else is asked never changes an answer.

    Args:
        name: the name of the model.
        tokenizer: has `encode(first, second)`, which returns `ids`, `attention_mask` and `type_ids`.
        session: has `get_inputs()` and `run(None, inputs)`, which returns a number for each label.
        place: the place of `contradiction` among the labels.
        to_tensor: converts rows of integers to the runtime's tensor type.
    """

    def __init__(
        self, name: str, tokenizer: Any, session: Any, place: int, *, to_tensor: Callable[[list[list[int]]], Any]
    ) -> None:
        self.name = name
        self._tokenizer, self._session, self._place, self._to_tensor = tokenizer, session, place, to_tensor

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each pair how sure the model is that its first sentence excludes its second one, in [0,1].

        Raises:
            UsageError: the model can't be run, or gives another number of labels.
        """
        try:
            return [self._contradiction(*pair) for pair in pairs]
        except Exception as error:  # the runtime has no exception class of its own
            raise UsageError(
                f"the NLI model {self.name} can't be run: {error}",
                hint="its model must take input_ids and give three numbers; docs/conflicts.md says more",
            ) from error

    def _contradiction(self, first: str, second: str) -> float:
        tokens = self._tokenizer.encode(first, second)
        (found,) = self._session.run(None, inputs_of(tokens, self._session, self._to_tensor))[0]
        numbers = found.tolist()
        if len(numbers) != len(LABELS):
            raise ValueError(f"it gives {len(numbers)} numbers")
        powers = [math.exp(number - max(numbers)) for number in numbers]
        return powers[self._place] / sum(powers)


def _files(folder: Path) -> tuple[str, str, str]:
    """Return the names of a model's files in a folder; those of the model and the tokenizer come first."""
    model = next((name for name in MODELS if (folder / name).is_file()), MODEL)
    return model, TOKENIZER, CONFIG
