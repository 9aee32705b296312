from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search import manifest
from memstore.search.manifest import Contents, DamagedError

if TYPE_CHECKING:
    from pathlib import Path


@given(
    st.lists(
        st.tuples(st.integers(-(2**63), 2**63 - 1), st.text(st.characters(exclude_characters="\0", codec="utf-8")))
    )
)
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]]) -> None:
    path = tmp_path_factory.mktemp("manifest") / "manifest"
    numbers, texts = [number for number, _ in rows], [text for _, text in rows]
    manifest.write(path, Contents({"fact": [1]}, {"n": numbers}, {"t": texts}, texts))
    found = manifest.read(path)
    assert found.facts["fact"] == [1]
    assert list(found.numbers("n")) == numbers
    assert found.texts("t") == texts
    assert [found.record(row) for row in range(len(rows))] == texts


@pytest.mark.parametrize("different", [1, 2, 256, 257, 600])
@pytest.mark.parametrize("text", ["", "caf\udce9 {}", "{}"])
def test_a_column_with_few_different_texts(tmp_path: Path, different: int, text: str) -> None:
    texts = [text.format(row % different) for row in range(1200)]
    for column in (texts, sorted(texts), texts[::-1]):
        path = tmp_path / "manifest"
        manifest.write(path, Contents({}, {}, {"t": column, "u": ["a"]}, []))
        assert manifest.read(path).texts("t") == column
        assert manifest.read(path).texts("u") == ["a"]


def write(tmp_path: Path) -> Path:
    path = tmp_path / "manifest"
    texts = {"t": ["one", os.fsdecode(b"caf\xe9")], "few": ["a", "a", "b", "a"]}
    manifest.write(path, Contents({}, {"n": [1, 2]}, texts, ["first", "second"]))
    return path


def test_a_reader_goes_on_with_the_old_one(tmp_path: Path) -> None:
    path = write(tmp_path)
    old = manifest.read(path)
    manifest.write(path, Contents({}, {"n": [3]}, {"t": ["x"]}, ["r"]))
    assert old.texts("t") == ["one", os.fsdecode(b"caf\xe9")]
    assert manifest.read(path).texts("t") == ["x"]
    assert [place.name for place in tmp_path.iterdir()] == ["manifest"]


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path)
    data = path.read_bytes()
    for i in range(len(b"00000000 "), len(data)):
        damaged = bytearray(data)
        damaged[i] ^= 0x20
        path.write_bytes(damaged)
        with pytest.raises(DamagedError):
            manifest.read(path)


def test_a_copy_is_checked_whole_and_then_good(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_bytes(path.read_bytes())
    assert manifest.read(path).texts("t")[0] == "one"


@pytest.mark.parametrize("data", [b"", b"no line", b"00000000 {}\n", b"xxxxxxxx {}\n"])
def test_what_is_no_manifest(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "manifest"
    path.write_bytes(data)
    with pytest.raises(DamagedError):
        manifest.read(path)


def test_none_at_all(tmp_path: Path) -> None:
    assert manifest.identity(tmp_path / "manifest") is None
    with pytest.raises(DamagedError):
        manifest.read(tmp_path / "manifest")
