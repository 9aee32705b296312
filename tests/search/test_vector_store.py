from __future__ import annotations

import os
from array import array
from typing import TYPE_CHECKING

import pytest

from memstore.search.embedder import DiskVectors, drop_vectors

if TYPE_CHECKING:
    from pathlib import Path

VECTORS = {"a" * 40: array("f", [0.5, -1.25]), "b" * 40: array("f", [0.0, 1.0])}


@pytest.fixture
def store(tmp_path: Path) -> DiskVectors:
    return DiskVectors(tmp_path / "cache")


def the_file(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "cache/vectors").iterdir()
    return file


@pytest.mark.parametrize("vectors", [VECTORS, {}])
def test_what_is_kept_comes_back(store: DiskVectors, vectors: dict[str, array[float]]) -> None:
    assert store.last("one") == {}
    store.keep("one", vectors)
    assert store.last("one") == vectors


def test_another_name_has_other_vectors(store: DiskVectors) -> None:
    store.keep("one", VECTORS)
    assert store.last("two") == {}
    store.keep("two", {})
    assert store.last("one") == VECTORS


def test_nobody_else_may_look(store: DiskVectors, tmp_path: Path) -> None:
    store.keep("one", VECTORS)
    file = the_file(tmp_path)
    assert [place.stat().st_mode & 0o777 for place in (file, file.parent)] == [0o600, 0o700]


def test_what_others_could_have_written_is_not_read(store: DiskVectors, tmp_path: Path) -> None:
    store.keep("one", VECTORS)
    (tmp_path / "cache/vectors").chmod(0o777)
    assert store.last("one") == {}


@pytest.mark.parametrize("cut", [0, 5, 12, 60, -1])
def test_a_torn_file_is_none(store: DiskVectors, tmp_path: Path, cut: int) -> None:
    store.keep("one", VECTORS)
    file = the_file(tmp_path)
    file.write_bytes(file.read_bytes()[:cut])
    assert store.last("one") == {}
    store.keep("one", VECTORS)
    assert store.last("one") == VECTORS


def test_one_that_is_stopped_while_it_writes_leaves_the_last(
    store: DiskVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.keep("one", VECTORS)

    def killed(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        store.keep("one", {})
    assert store.last("one") == VECTORS
    assert the_file(tmp_path)


def test_dropped_is_gone_from_the_disk(store: DiskVectors, tmp_path: Path) -> None:
    store.keep("one", VECTORS)
    drop_vectors(tmp_path / "cache")
    assert not (tmp_path / "cache/vectors").exists()
    drop_vectors(tmp_path / "cache")
