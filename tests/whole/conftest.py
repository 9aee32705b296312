"""A fresh vault made by the installed program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return the program with a vault that was just made."""
    made = Program(tmp_path)
    made.init()
    return made
