"""The protocol's own conformance tests, where they are installed: `MCP_CONFORMANCE` names the folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.mcp.conformance import run

FOLDER = os.environ.get("MCP_CONFORMANCE", "")
GREEN = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")


def node() -> int:
    """Return the major version of Node, 0 if there is none."""
    if shutil.which("node") is None:
        return 0
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)", said)
    return int(found[1]) if found else 0


@pytest.mark.skipif(not FOLDER, reason="MCP_CONFORMANCE names no folder with the conformance tests")
@pytest.mark.skipif(bool(FOLDER) and node() < 22, reason="the conformance tests need Node 22")
def test_the_scenarios_that_fit_are_green(tmp_path: Path) -> None:
    done = run(Path(FOLDER), tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    for scenario in GREEN:
        assert re.search(rf"✓ {scenario}: [1-9]\d* passed, 0 failed", done.stdout), scenario
