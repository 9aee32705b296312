from __future__ import annotations

import re

import pytest

from memstore.patterns import compiled_when_used, pattern


def test_it_does_what_a_compiled_one_does() -> None:
    text, raw = pattern(r"(?P<word>[a-z]+)", re.IGNORECASE), pattern(rb"\d")
    for _ in range(2):
        found = text.fullmatch("Tea")
        assert found is not None
        assert found["word"] == "Tea"
        assert raw.findall(b"a1b2") == [b"1", b"2"]
    assert text.sub("x", "a 1") == "x 1"
    assert (text.pattern, text.groups) == (r"(?P<word>[a-z]+)", 1)


def test_a_wrong_one_is_told_when_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("")


def test_those_of_an_imported_module_wait_as_well() -> None:
    compile_ = re.compile
    with compiled_when_used():
        made = re.compile(r"\d+")
    assert re.compile is compile_
    assert not isinstance(made, re.Pattern)
    assert made.findall("12 a 3") == ["12", "3"]
