"""A use case that comes too late does its work again, on what somebody else has left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.beliefs.reinforce import reinforce
from memstore.core.errors import ChangedMeanwhileError, RefusedError
from memstore.core.transaction import MOST_TRIES, again_where_changed
from memstore.memories.edit import accept, set_keys, tag
from tests.memory_vault import MemoryVault
from tests.memory_workspace import ReadingLibrary, files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.core.view import View
    from memstore.vault.workspace import Workspace

TEA = memory_text("Tea.\n\nMilk.\n\nSugar.\n", id="m_tea", type="belief", confidence="0.5")
FILES = {"tea.md": TEA, "seen.md": memory_text("Seen.\n", id="m_seen", type="episode")}


class Busy(MemoryVault):
    """A vault in which somebody else writes just before the lock is taken, so often."""

    def __init__(self, files: dict[str, bytes], meanwhile: Callable[[dict[str, bytes]], None], times: int = 1) -> None:
        super().__init__(files)
        self.meanwhile, self.times = meanwhile, times

    def read(self, path: str) -> bytes:
        data = super().read(path)
        if self.times and path == "tea.md":
            self.times -= 1
            self.meanwhile(self.files)
        return data


def busy(meanwhile: Callable[[dict[str, bytes]], None], times: int = 1) -> Workspace:
    vault = Busy({}, meanwhile, times=0)
    for path, data in FILES.items():
        vault.create(path, data)
    ws = memory_workspace()._replace(vault=vault, library=ReadingLibrary(vault))
    vault.times = times + 1  # the snapshot reads it first
    return ws


def by_hand(files: dict[str, bytes]) -> None:
    files["tea.md"] = files["tea.md"].replace(b"Sugar", b"Honey")


@pytest.mark.parametrize(
    "change",
    [
        lambda view: set_keys(view, "m_tea", {"title": ["Green tea"]}),
        lambda view: tag(view, "m_tea", add=["green"]),
        lambda view: reinforce(view, "m_tea", "m_seen"),
    ],
)
def test_what_somebody_saved_meanwhile_stays_and_the_change_is_made(change: Callable[[View], object]) -> None:
    ws = busy(by_hand)
    change(ws.view())
    assert b"Honey" in files_of(ws)["tea.md"]
    assert files_of(ws)["tea.md"] != TEA.replace(b"Sugar", b"Honey")


def test_a_draft_is_put_together_with_what_was_saved_where_they_do_not_touch() -> None:
    ws = memory_workspace(FILES)
    before = ws.view().original("m_tea")
    by_hand(files_of(ws))
    accept(ws.view(), before, TEA.replace(b"Tea.", b"Green tea."))
    assert files_of(ws)["tea.md"] == TEA.replace(b"Tea.", b"Green tea.").replace(b"Sugar", b"Honey")


def test_a_draft_of_the_same_lines_is_refused() -> None:
    ws = memory_workspace(FILES)
    before = ws.view().original("m_tea")
    by_hand(files_of(ws))
    with pytest.raises(ChangedMeanwhileError, match="same lines"):
        accept(ws.view(), before, TEA.replace(b"Sugar", b"Syrup"))
    assert files_of(ws)["tea.md"] == TEA.replace(b"Sugar", b"Honey")


def test_it_is_not_tried_for_ever_and_nothing_else_is_tried_again() -> None:
    tries = []

    @again_where_changed
    def late(view: View, error: Exception) -> None:
        tries.append(view)
        raise error

    view = memory_workspace(FILES).view()
    with pytest.raises(ChangedMeanwhileError):
        late(view, ChangedMeanwhileError("late"))
    assert len(tries) == MOST_TRIES
    assert len({*map(id, tries)}) == MOST_TRIES
    with pytest.raises(RefusedError):
        late(view, RefusedError("no"))
    assert len(tries) == MOST_TRIES + 1
