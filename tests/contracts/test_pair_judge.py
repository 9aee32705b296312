"""What holds for every model that judges pairs: of the llm package, and of natural language inference."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from memstore.conflicts.candidates import candidates
from memstore.conflicts.inference import Inference
from memstore.conflicts.language_model import LanguageModel
from memstore.conflicts.model_judges import SUPERSEDED, LlmJudge, NliJudge
from memstore.core.conflict import VERDICTS
from tests.memory_workspace import memory_workspace
from tests.nli_models import SURE, ListedContradictions
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.conflicts.candidates import Candidate
    from memstore.conflicts.model_judges import PairJudge

DIESEL, BATTERY, GREEN = (
    f"The boat in the harbour {said}." for said in ("runs on diesel", "has a battery", "is green")
)


@pytest.fixture(params=["llm", "nli"])
def judge(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PairJudge:
    if request.param == "nli":
        return NliJudge(Inference(ListedContradictions("nli:/home/sean/model:c0ffee"), least=SURE - 0.1))

    def prompt(text: str) -> SimpleNamespace:
        said = "contradicts" if DIESEL in text and BATTERY in text else "unsure"
        return SimpleNamespace(text=lambda: json.dumps({"verdict": said}))

    model = SimpleNamespace(model_id="small", prompt=prompt)
    monkeypatch.setitem(sys.modules, "llm", SimpleNamespace(get_model=lambda _: model, UnknownModelError=KeyError))
    return LlmJudge(LanguageModel("small"))


def pairs() -> list[Candidate]:
    files = {f"{at}.md": memory_text(f"{text}\n", id=f"m_{at}") for at, text in enumerate((DIESEL, BATTERY, GREEN))}
    return [one for at in range(3) for one in candidates(memory_workspace(files).view(), f"m_{at}")]


def test_it_says_one_of_the_verdicts_or_nothing_of_each_pair_alone(judge: PairJudge) -> None:
    said = [judge.verdict(one, None) for one in pairs()]
    assert {one.verdict for one in said if one} <= {*VERDICTS, SUPERSEDED}
    found = {frozenset((pair.text, pair.concerns.text)) for pair, one in zip(pairs(), said, strict=True)
             if one and one.verdict == "contradicts"}  # fmt: skip
    assert found == {frozenset((DIESEL, BATTERY))}
    assert [judge.verdict(one, None) for one in reversed(pairs())] == said[::-1]


def test_it_has_one_name_that_names_no_place_of_this_machine(judge: PairJudge) -> None:
    before = judge.name
    judge.verdict(pairs()[0], "2026-01-01T00:00:00Z")
    assert judge.name == before
    assert before in ("llm:small", "nli:c0ffee")
