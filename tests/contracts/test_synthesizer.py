"""What holds for whoever words suggestions: a program, a model, and an object of whoever calls memstore."""

from __future__ import annotations

import json
import shlex
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from memstore.beliefs.synthesizers import ModelSynthesizer, SynthesizerCommand
from memstore.beliefs.wording import QuotedSource
from memstore.conflicts.language_model import LanguageModel
from tests.memory_state import FirstSource

if TYPE_CHECKING:
    from memstore.beliefs.wording import Synthesizer

SOURCES = [QuotedSource("episode:m_a", "Heat, und Wärme."), QuotedSource("episode:m_b", "Cold.")]
CODE = """
import json, sys
asked = json.load(sys.stdin)
first = asked["sources"][0]
print(json.dumps({"text": first["text"], "cites": [first["ref"]], "terms": asked["terms"]}))
"""


class Model:
    """A model of the `llm` package that answers as `FirstSource` does, from the prompt's own lines."""

    model_id = "any"

    def prompt(self, text: str) -> SimpleNamespace:
        _, lines = text.split("\n\n", 1)
        told, _, terms = lines.partition("\n\nThey share: ")
        ref, _, said = told.splitlines()[0].partition(": ")
        answer = json.dumps({"text": said, "cites": [ref], "terms": terms.split(", ")})
        return SimpleNamespace(text=lambda: answer)


@pytest.fixture(params=["command", "model", "object"])
def synthesizer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Synthesizer:
    match request.param:
        case "command":
            return SynthesizerCommand(shlex.split(f"{sys.executable} -c {shlex.quote(CODE)}"), time_limit_seconds=60)
        case "model":
            llm = SimpleNamespace(get_model=lambda _: Model(), UnknownModelError=KeyError)
            monkeypatch.setitem(sys.modules, "llm", llm)
            return ModelSynthesizer(LanguageModel("any"))
        case _:
            return FirstSource()


def test_it_answers_from_all_that_it_was_asked(synthesizer: Synthesizer) -> None:
    said = synthesizer.answer(SOURCES, ["heat", "cold"])
    assert said == {"text": "Heat, und Wärme.", "cites": ["episode:m_a"], "terms": ["heat", "cold"]}
