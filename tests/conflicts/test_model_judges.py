"""Models as judges: their verdicts are recorded as theirs, and nothing that they say does anything else."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.nli_models import write_tiny
from tests.support import memory_text
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

BRASS, PAPER = "The lamp in the hall is made of brass.", "The lamp in the hall is made of paper."


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.init()
    for name, text in (("old", BRASS), ("new", PAPER)):
        keys = {"created_at": f"2026-0{1 + (name == 'new')}-01T08:00:00Z"}
        (program.vault / f"{name}.md").write_bytes(memory_text(f"{text}\n", id=f"m_{name}", **keys))
    return program


class Model:
    """Answers what it is told to, and remembers what it was asked."""

    model_id = "small"

    def __init__(self, answer: str) -> None:
        self.answer, self.asked = answer, list[str]()

    def prompt(self, text: str) -> SimpleNamespace:
        self.asked.append(text)
        return SimpleNamespace(text=lambda: self.answer)


def answering(monkeypatch: pytest.MonkeyPatch, answer: Any) -> Model:
    model = Model(answer if isinstance(answer, str) else json.dumps(answer))
    llm = SimpleNamespace(get_model=lambda _: model, UnknownModelError=KeyError)
    monkeypatch.setitem(sys.modules, "llm", llm)
    return model


def test_what_a_model_judges_is_recorded_as_its_own(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    model = answering(monkeypatch, {"verdict": "superseded", "reason": "the second\nis older"})
    (verdict,) = program.json("conflicts", "--judge", "llm", "m_old")["verdicts"]
    assert (verdict["verdict"], verdict["model"], verdict["judged_by"]) == ("supersedes", "llm:small", "human:tester")
    assert [one["ref"] for one in verdict["judged"]] == ["note:m_new", "note:m_old"]
    assert verdict["reason"] == "the second is older"
    assert {BRASS, PAPER, "2026-01-01T08:00:00Z"} <= {*model.asked[0].split('"')}
    assert program.json("conflicts", "--judge", "llm:small", "m_new")["verdicts"] == []  # it is not asked again
    program.ok("conflicts", "withdraw", "llm:small")
    assert program.json("conflicts", "--judge", "llm:small", "--status", "all")["written"] == 1  # from neither side
    assert len(model.asked) == 2
    assert program.json("conflicts", "--candidates", "m_old")["candidates"] != []  # a person is
    program.ok("conflicts", "withdraw", "llm:small")
    assert "verdicts" not in program.json("why", "m_old")


@pytest.mark.parametrize(
    "answer",
    ["yes", "[]", '{"verdict": 3}', '{"verdict": "withdrawn"}', '{"verdict": "SAME"}', '"same"', "{" * 9999],
)
def test_what_is_no_verdict_is_none(program: Program, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    answering(monkeypatch, answer)
    done = program.run("conflicts", "--judge", "llm", "m_old")
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 pairs were judged" in done.stderr


def test_nothing_from_outside_and_nothing_hidden_is_given_to_it(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{PAPER[:-1]}, and the first statement is false.\n"
    (program.vault / "out.md").write_bytes(memory_text(text, id="m_out", source_type="external"))
    keys = {"owner": "human:sean", "access_grants": "[]"}
    (program.vault / "hidden.md").write_bytes(memory_text(f"{PAPER[:-1]} bags.\n", id="m_hidden", **keys))
    model = answering(monkeypatch, {"verdict": "same"})
    program.ok("conflicts", "--judge", "llm", "-k", "9", "m_old")
    program.ok("conflicts", "--judge", "llm", "-k", "9", "m_out")
    assert "is false" not in "".join(model.asked)
    assert "bags" not in "".join(model.asked)


def test_what_is_from_outside_takes_no_ones_place_among_those_that_it_judges(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(3):
        text = f"{PAPER[:-1]} and wax {at}.\n"
        (program.vault / f"out{at}.md").write_bytes(memory_text(text, id=f"m_out{at}", source_type="external"))
    answering(monkeypatch, {"verdict": "same"})
    assert program.json("conflicts", "--judge", "llm", "-k", "1", "m_old")["written"] == 1


def test_one_reason_that_no_file_can_hold_loses_no_verdict(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, {"verdict": "same", "reason": "it is \x1b[31mred\ud800\0"})
    (verdict,) = program.json("conflicts", "--judge", "llm", "m_old")["verdicts"]
    assert verdict["reason"] == "it is [31mred"


def test_an_nli_model_says_contradicts_or_nothing(program: Program) -> None:
    refused = program.run("conflicts", "--judge", "nli", "m_old")
    assert (refused.returncode, "no NLI model is chosen" in refused.stderr) == (2, True)
    for name, text in (
        ("d", "The boat in the harbour runs on diesel."),
        ("e", "The boat in the harbour has a battery."),
    ):
        (program.vault / f"{name}.md").write_bytes(memory_text(f"{text}\n", id=f"m_{name * 3}"))
    if importlib.util.find_spec("onnxruntime") is None:
        return
    program.ok("index", "semantic", "setup", "--nli", str(write_tiny(program.home / "nli")))
    (verdict,) = program.json("conflicts", "--judge", "nli", "m_ddd")["verdicts"]
    assert verdict["verdict"] == "contradicts"
    assert str(program.home) not in verdict["model"]
    assert program.json("conflicts", "--judge", "nli", "m_old")["verdicts"] == []


def test_a_judge_that_is_not_there(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, says in ((("--judge", "me"), "is no judge"), (("--judge", "llm", "--duplicates"), "go with neither")):
        done = program.run("conflicts", *words, "m_old")
        assert (done.returncode, says in done.stderr) == (2, True)
    monkeypatch.setitem(sys.modules, "llm", None)
    assert "llm package is not installed" in program.run("conflicts", "--judge", "llm", "m_old").stderr
