from __future__ import annotations

import pytest

from memstore.core.digests import blob_id
from memstore.core.errors import UsageError
from memstore.core.memory import is_external_mark
from memstore.memories.cite import cite_file
from memstore.search.citations import Place, parse_place
from tests.memory_workspace import memory_workspace

DATA = b"one\r\ntwo\nthree"


@pytest.mark.parametrize(("lines", "span"), [("L1-L3", "L1-L3"), ("2-3", "L2-L3"), ("L2", "L2")])
def test_lines_of_a_file_are_a_source(lines: str, span: str) -> None:
    mark = cite_file(memory_workspace().view(), "../src/a b.py", DATA, lines)
    assert mark == f"file:../src/a b.py#{span}@{blob_id(DATA)[:10]}"
    assert is_external_mark(mark)
    first, last = span.replace("L", "").partition("-")[::2]
    assert parse_place(mark) == Place("../src/a b.py", (int(first), int(last or first)), blob_id(DATA)[:10])


@pytest.mark.parametrize("lines", ["", "L0", "L1-L4", "L3-L2", "all"])
def test_what_are_no_lines(lines: str) -> None:
    with pytest.raises(UsageError):
        cite_file(memory_workspace().view(), "a.py", DATA, lines)
