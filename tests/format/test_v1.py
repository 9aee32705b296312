"""Version 1 of the format is frozen: what these files say, every later version must read in them.

Never change the files in v1/; add more of them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from tests.format.frozen import as_json

FILES = sorted((Path(__file__).parent / "v1").glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_frozen_file_reads_as_ever(path: Path) -> None:
    data = path.read_bytes()
    file = memory_file.read(path.name, data)
    assert isinstance(file, MemoryFile)
    frozen = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(as_json(file))) == frozen
    assert file.text.joined(file.text.head) == data


def test_there_are_a_dozen() -> None:
    assert len(FILES) >= 12
