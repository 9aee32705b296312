"""Conflicts between notes that say the same of an attribute in other words, through the installed program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.whole.program import InProcess


@pytest.mark.parametrize(
    ("one", "other", "is_reported"),
    [
        ("Ida never cleans the kitchen.", "Ida paints the kitchen.", False),
        ("The barge has 80 seats.", "Since May the barge has 95 seats.", True),
    ],
)
def test_a_note_in_other_words_is_compared(program: InProcess, one: str, other: str, *, is_reported: bool) -> None:
    program.run("add", one)
    added = program.run("add", other)

    assert added.returncode == 0
    assert (" with note:" in added.stdout + added.stderr) == is_reported
    listed = program.run("conflicts")
    assert (" with note:" in listed.stdout) == is_reported
