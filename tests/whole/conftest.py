"""A fresh vault made by the installed program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def installed(tmp_path: Path) -> Program:
    """Return the installed program with a vault that was just made, a process each time it is called."""
    made = Program(tmp_path)
    made.init()
    return made


@pytest.fixture
def program(installed: Program) -> Program:
    """Return the program with a vault that was just made, called in this process, which takes a tenth of the time.

    What depends on a process of its own asks for `installed`; transcripts, hooks and kills are always real ones.
    """
    return installed.in_process()
