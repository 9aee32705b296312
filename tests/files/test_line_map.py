from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.files.passages import LineMap

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.text(st.sampled_from("ab é\t\r日\ufeff\u2028\x0c"), max_size=6), min_size=1, max_size=12)


@given(LINES, st.sampled_from(["", "\n"]), st.data())
def test_an_excerpt_is_the_text_between_line_feeds(lines: list[str], end: str, data: st.DataObject) -> None:
    text = "\n".join(lines) + end
    there = LineMap(text.encode())
    assert there.line_count == max(text.count("\n") + (not text.endswith("\n")), 1)
    if text:
        last = data.draw(st.integers(1, there.line_count))
        first = data.draw(st.integers(1, last))
        assert there.excerpt(first, last) == "\n".join(text.split("\n")[first - 1 : last])


@pytest.mark.parametrize("text", ["\ufeffa\r\nb\r\nc", "a\nb\n", "a\n\n\nb", "één\n日本\n"])
def test_an_excerpt_is_what_sed_prints(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(text.encode())
    there = LineMap(text.encode())
    for first in range(1, there.line_count + 1):
        for last in range(first, there.line_count + 1):
            printed = subprocess.run(["sed", "-n", f"{first},{last}p", file], capture_output=True, check=True).stdout
            assert printed.removesuffix(b"\n") == there.excerpt(first, last).encode()


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (1, 4), (-1, 1)])
def test_lines_that_are_not_there_are_refused(first: int, last: int) -> None:
    with pytest.raises(ValueError, match="of 3"):
        LineMap(b"a\nb\nc\n").excerpt(first, last)
