"""Consolidation that is killed anywhere: all suggestions or none, and the next command works."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

from tests.support import memory_text

if TYPE_CHECKING:
    from tests.whole.program import Program

THEMES = (
    "slow walk heat", "stale cache build", "tabs spaces parser", "kettle limescale vinegar", "tram strike bicycle",
    "violin bow rosin",
)  # fmt: skip
DELAYS = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8)


def test_kill_9_at_any_step_leaves_before_or_after(program: Program) -> None:
    here = program.in_process()
    for i, theme in enumerate(THEMES * 4):
        text = memory_text(f"\n{theme}\n", type="episode", id=f"m_ep{i}", source="x", source_type="seed")
        (program.vault / f"e{i}.md").write_bytes(text)
    wanted = {one["path"] for one in here.json("beliefs", "consolidate")["suggestions"]}
    assert len(wanted) == len(THEMES)
    outcomes = set()
    for delay in DELAYS:
        child = program.start("beliefs", "consolidate", "--apply")
        try:
            child.wait(timeout=delay)
        except subprocess.TimeoutExpired:  # still running: that is what we are here for
            child.send_signal(signal.SIGKILL)
        child.communicate()
        assert here.run("check").returncode == 0
        found = {path.relative_to(program.vault).as_posix() for path in program.vault.glob("suggestions/*.md")}
        assert found in (set(), wanted)
        outcomes.add(len(found))
        for path in found:
            (program.vault / path).unlink()
    assert here.ok("beliefs", "consolidate", "--apply").count("suggestions/prop_") == len(wanted)
    assert here.ok("beliefs", "consolidate", "--apply") == ""


def test_two_at_once_write_the_same_once(program: Program) -> None:
    here = program.in_process()
    for i, theme in enumerate(THEMES * 4):
        text = memory_text(f"\n{theme}\n", type="episode", id=f"m_ep{i}", source="x", source_type="seed")
        (program.vault / f"e{i}.md").write_bytes(text)
    children = [program.start("beliefs", "consolidate", "--apply") for _ in range(2)]
    codes = sorted(child.wait(timeout=60) for child in children)
    for child in children:
        child.communicate()
    assert codes in ([0, 0], [0, 6])
    assert len(here.json("beliefs", "suggestions", "list")["suggestions"]) == len(THEMES)
