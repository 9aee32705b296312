"""The examples in docs/agents.md run as they stand, each with a fresh vault `notes`."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.installed import MEMSTORE, ROOT, at_home

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^### ([^\n]*)\n(?:(?!^#).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
SAID = {
    "Anthropic's memory tool": ["memory_20250818", "File created successfully", "     1\tClaire eats no fish. False"],
    "LangGraph's store": ["{'likes': 'noodles', 'never': 'fish'}\n['food']\n[('users', 'claire')]\n"],
    "OpenClaw's tools": [".md#L", "Claire eats no fish since the summer.\n"],
}


def test_each_adapter_has_an_example() -> None:
    assert EXAMPLES.keys() == SAID.keys()


@pytest.mark.soak
@pytest.mark.parametrize("title", SAID)
def test_an_example_runs(title: str, tmp_path: Path) -> None:
    if "langgraph" in EXAMPLES[title] and find_spec("langgraph") is None:
        pytest.skip("the package langgraph is not installed")
    env = at_home(tmp_path)
    subprocess.run([MEMSTORE, "init", "notes", "--owner", "si:ash"], check=True, env=env, cwd=tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[title]], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for words in SAID[title]:
        assert words in done.stdout
