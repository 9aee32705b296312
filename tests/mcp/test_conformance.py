"""The protocol's own conformance tests, where they are installed: `MCP_CONFORMANCE` names the folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.mcp import conformance

FOLDER = Path(os.environ.get("MCP_CONFORMANCE") or os.devnull)
GREEN = {
    "2025-11-25": (
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        *("tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching"),
        *("server-sse-multiple-streams", "http-header-validation", "dns-rebinding-protection"),
        *("input-required-result-unsupported-methods", "input-required-result-validate-input"),
    ),
}
installed = pytest.mark.skipif(
    not FOLDER.is_dir() or conformance.node(FOLDER) is None,
    reason="MCP_CONFORMANCE names no folder with the conformance tests and Node 22",
)


@installed
@pytest.mark.parametrize("revision", conformance.REVISIONS)
def test_the_scenarios_that_fit_are_green_over_http(tmp_path: Path, revision: str) -> None:
    done = conformance.over_http(FOLDER, tmp_path, revision)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    for scenario in GREEN[revision]:
        assert re.search(rf"✓ {scenario}: [1-9]\d* passed, 0 failed", done.stdout), scenario


@installed
def test_the_scenarios_that_need_no_http_are_green_over_the_pipe(tmp_path: Path) -> None:
    for scenario, done in conformance.over_the_pipe(FOLDER, tmp_path):
        assert done.returncode == 0, (scenario, done.stdout[-3000:])
        assert re.search(r"Passed: [2-9]\d*/\d+, 0 failed", done.stdout), scenario


def test_the_docs_list_what_is_green() -> None:
    said = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([\w-]+)`", said[said.index("conformance tests") :]))
    assert {*conformance.PIPED, *(one for green in GREEN.values() for one in green)} <= listed
