"""Headings of any length are read in linear time, wherever they are read."""

from __future__ import annotations

from time import process_time

import pytest

from memstore.core.titles import default_title
from memstore.files.passages import passages
from memstore.files.plain_note import note


@pytest.mark.parametrize("filler", [" ", "\t", "# ", "#", " #", "*"])
def test_a_heading_of_a_hundred_thousand_signs_is_read_at_once(filler: str) -> None:
    text = f"# a{filler * 100_000}b\n"
    began = process_time()
    default_title(text)
    note("a.md", text.encode())
    passages(text, first_line=1)
    assert process_time() - began < 5
