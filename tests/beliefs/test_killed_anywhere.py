"""What changes several files at once, killed at each of its writes: all is as before, or all as after."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from memstore.beliefs.compress import compress
from memstore.beliefs.consolidate import consolidate
from memstore.beliefs.graduate import graduate
from memstore.memories.suggestions import accept_suggestion, list_suggestions, reject_suggestion
from memstore.vault.writing import recover
from tests.beliefs.test_compress import committed, old
from tests.beliefs.test_consolidate import alone, episode, vault, walks
from tests.beliefs.test_graduate import note
from tests.memory_workspace import ReadingLibrary, files_of, memory_workspace
from tests.vault.test_recover import DyingVault

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.vault.workspace import Workspace


def pooled() -> Workspace:
    tabs = dict(
        episode(f"tabs{i}", "Tabs and spaces in the parser.", created_at=f'"2026-01-0{i + 2}T10:00:00Z"')
        for i in range(3)
    )
    return vault(alone(17), walks(3), tabs)


def suggested() -> Workspace:
    ws = pooled()
    consolidate(ws.view(), apply=True)
    return ws


def edited() -> Workspace:
    ws = memory_workspace({f"{name}.md": note(f"Fact {name}.", f"m_{name * 3}") for name in "ab"})
    graduate(ws.view())
    page = files_of(ws)["MEMORY.md"].replace(b"- Fact a.", b"- my own\n- Fact A.")
    files_of(ws)["MEMORY.md"] = page.replace(b"- Fact b. [[note:m_bbb]]\n", b"")
    ws.vault.create("c.md", note("Fact c.", "m_ccc"))
    return ws


def texts() -> Workspace:
    return committed({f"{name}.md": old(f"m_{name * 3}") for name in "abc"})


def accept(ws: Workspace) -> None:
    accept_suggestion(ws.view(), list_suggestions(ws.view())[0].file.path)


def reject(ws: Workspace) -> None:
    reject_suggestion(ws.view(), list_suggestions(ws.view())[0].file.path)


ACTS: dict[str, tuple[Callable[[], Workspace], Callable[[Workspace], object], int]] = {
    "consolidate": (pooled, lambda ws: consolidate(ws.view(), apply=True), 2),
    "accept": (suggested, accept, 2),
    "reject": (suggested, reject, 1),
    "graduate": (edited, lambda ws: graduate(ws.view()), 4),
    "compress": (texts, lambda ws: compress(ws.view()), 3),
}


@pytest.mark.parametrize("act", ACTS)
def test_killed_at_any_write_all_is_as_before_or_as_after(act: str) -> None:
    prepared, run, writes = ACTS[act]
    before, after = dict(files_of(prepared())), _after(prepared, run)
    assert sum(before.get(path) != data for path, data in after.items()) == writes
    for survived in count():
        ws = prepared()
        dying = DyingVault(dict(files_of(ws)), survived)
        dying.left = survived
        ws = ws._replace(vault=dying, library=ReadingLibrary(dying))
        if survived == writes:
            run(ws)
            break
        with pytest.raises(SystemExit):
            run(ws)
        dying.left = None
        recover(dying, ws.journal)
        assert dying.files in (before, after)
        # Whoever comes next is not in the way of what was begun.
        run_again(act, run, ws)


def run_again(act: str, run: Callable[[Workspace], object], ws: Workspace) -> None:
    """Run a command that may be run twice again: it finishes, and a second time it changes nothing."""
    if act in ("accept", "reject"):
        return
    run(ws)
    whole = dict(files_of(ws))
    run(ws)
    assert files_of(ws) == whole


def _after(prepared: Callable[[], Workspace], run: Callable[[Workspace], object]) -> dict[str, bytes]:
    ws = prepared()
    run(ws)
    return dict(files_of(ws))
