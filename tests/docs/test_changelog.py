"""Every fragment of the changelog has a name that puts it into the next release, and names no issue."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.installed import ROOT

FRAGMENTS = sorted((ROOT / "docs" / "changelog.d").glob("[!.]*"))


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_next_release_has_every_fragment() -> None:
    pytest.importorskip("towncrier")
    draft = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft"],
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert draft.returncode == 0, f"{draft.stderr}\nfragments are called CAPABILITY.KIND.md: docs/contributing.md"
    texts = [words(path.read_text(encoding="utf-8")) for path in FRAGMENTS]
    assert [text for text in texts if f"- {text} " not in f"{words(draft.stdout)} "] == []


def test_fragments_are_called_by_what_they_are_about() -> None:
    assert [path.name for path in FRAGMENTS if re.search(r"^\W*\d", path.name)] == []
