"""Prose: only sentences with a subject and a verb are compared."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.prose import is_claim
from memstore.conflicts.sides import said_in
from memstore.files.memory_file import MemoryFile, read
from tests.support import memory_text

CLAIMS = [
    "User likes tea",
    "The roof of the workshop leaks.",
    "I share the flat with Tilda.",
    "Last night the agent deleted forty rows.",
    "There is no lift in the building.",
    "`paysvc` does not store card numbers.",
    "Favorite color is blue",
]
NO_CLAIMS = [
    "Likes tea",
    "Entry for adults: 7.",
    "Large rye 2.80",
    "Upload images for editing",
    "No file names, paths, or note titles.",
    "Keep the door shut.",
    "You can pay by card.",
    "Please close the gate.",
    "`tag`: notes that have this tag",
    "**Theme**: the page is dark",
    "[ ] The shed is painted.",
    "The list is [here](list.md).",
    "The host is {host}.",
    "`image: a` is `image: b`",
    "> The gate is open.",
    "Heating on",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_sentence_says_what_is_so(text: str) -> None:
    assert is_claim(text)


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_anything_else_says_nothing_to_compare(text: str) -> None:
    assert not is_claim(text)


@given(st.text(max_size=80))
def test_whatever_is_written(text: str) -> None:
    assert is_claim(text) in (True, False)


def test_headings_tables_code_and_quotations_are_not_compared() -> None:
    body = """\
# The stove is hot

The stove is cold. Its door is shut.

- The grate is new.

| The stove | is warm |
|---|---|

> The stove is lost.

    The stove is sold.

```
The stove is gone.
```
"""
    file = read("stove.md", memory_text(body, title="The stove is dead"))
    assert isinstance(file, MemoryFile)
    assert [one.text for one, *_ in said_in(file)] == ["The stove is cold.", "Its door is shut.", "The grate is new."]


@pytest.mark.parametrize("piece", ["`", "`a ", '"', "“", "** ", "**a", "[[", "-", "_", "a/", "> "])
def test_it_takes_linear_time(piece: str) -> None:
    def took(size: int) -> float:
        text = "`" + piece * (size // len(piece)) + "x"
        begun = process_time()
        is_claim(text)
        is_claim(text[1:])
        return process_time() - begun

    # A text is judged once, so each size has one of its own.
    assert min(took(80_000 + at) for at in range(3)) < 16 * min(took(20_000 + at) for at in range(3)) + 0.2
