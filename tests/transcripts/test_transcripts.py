"""Every transcript in this folder is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.transcripts import runner

if TYPE_CHECKING:
    from pathlib import Path

# The one of which every command is a process of its own, with `--soak`; in the others those that need a shell.
IN_PROCESSES = "init-and-find"
TRANSCRIPTS = sorted(runner.FOLDER.glob("*.txt"))


@pytest.mark.soak(5)
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_is_true(transcript: Path, tmp_path: Path, *, soak: bool) -> None:
    told = runner.differences(transcript, tmp_path, processes=soak and transcript.stem == IN_PROCESSES)
    assert not told, told


def test_placeholders_stand_for_words_and_lines() -> None:
    words = runner.Words()
    assert words.matches(["added %ref%", "…", "at %ref% …"], ["added note:m_1", "x", "y", "at note:m_1 now"])
    assert words.filled("show %ref%") == "show note:m_1"
    assert not words.matches(["again %ref%"], ["again note:m_2"])


def test_a_difference_is_shown(tmp_path: Path) -> None:
    transcript = tmp_path / "wrong.txt"
    transcript.write_text("[empty folder]\nProse.\n\n    $ echo one; echo two >&2; exit 3\n    one\n    [3]\n")
    home = tmp_path / "home"
    home.mkdir()
    assert "+! two" in runner.differences(transcript, home)
