"""Who words suggestions: a command that may do anything wrong."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from memstore.beliefs.synthesizers import synthesizer
from memstore.beliefs.wording import QuotedSource, SynthesisFailedError
from memstore.core.errors import UsageError

SOURCES = [QuotedSource("episode:m_a", "Heat.")]


def python(code: str) -> str:
    return f"{sys.executable} -c '{code}'"


def test_a_command_is_asked_in_json_and_answers_in_json() -> None:
    echo = python('import json,sys; d=json.load(sys.stdin); print(json.dumps([d["sources"][0]["ref"], d["terms"]]))')
    assert synthesizer(echo).answer(SOURCES, ["heat"]) == ["episode:m_a", ["heat"]]


@pytest.mark.parametrize("before", ["", "Here it is:\n"])
@pytest.mark.parametrize("after", ["", "\nAnything else?"])
def test_json_in_a_block_of_markdown_is_taken(before: str, after: str) -> None:
    told = f"{before}```json\n[1]\n```{after}"
    assert synthesizer(python(f"print({json.dumps(told)})")).answer(SOURCES, []) == [1]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (python('print("no {json")'), "not JSON"),
        (python("raise SystemExit(3)"), "ended with exit code 3"),
        (python("import os; os.abort()"), "ended with exit code -6"),
        ("/nowhere/to/be/found --fast", "can't be started"),
        (python('print("[" + "1," * 99999 + "1]")'), "bytes"),
    ],
)
def test_what_goes_wrong_is_told(command: str, why: str) -> None:
    with pytest.raises(SynthesisFailedError, match=why):
        synthesizer(command).answer(SOURCES, [])


def test_one_that_hangs_is_stopped_with_all_that_it_started() -> None:
    hanging = python('import subprocess,time; subprocess.Popen(["sleep", "60"]); time.sleep(60)')
    with pytest.raises(SynthesisFailedError, match=r"took longer than 0\.3 s"):
        synthesizer(hanging, time_limit_seconds=0.3).answer(SOURCES, [])


def test_no_shell_is_between() -> None:
    assert synthesizer("echo 1 > /dev/full").answer is not None
    with pytest.raises(SynthesisFailedError):
        synthesizer("echo 1 > /dev/full").answer(SOURCES, [])


@pytest.mark.parametrize("named", ["", "'open"])
def test_what_is_no_command_line_is_refused(named: str) -> None:
    with pytest.raises(UsageError):
        synthesizer(named)


@pytest.mark.skipif(importlib.util.find_spec("llm") is not None, reason="the package is there")
def test_a_model_needs_its_package() -> None:
    with pytest.raises(UsageError, match="llm package is not installed"):
        synthesizer("llm:any")
