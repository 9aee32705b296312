"""What the transaction holds to, whatever asked it to write."""

from __future__ import annotations

import pytest

from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.transaction import save_all
from memstore.files import memory_file
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

FILES = {
    "shared.md": memory_text("Tea is green.\n", id="m_shared0001", access_grants="[human:bob]"),
    "bobs.md": memory_text("Tea is black.\n", id="m_bobs000001", owner="human:bob"),
    "hidden.md": memory_text("Tea is white.\n", id="m_hidden0001"),
}


def edit(path: str) -> Edit:
    before = memory_file.read(path, FILES[path])
    return Edit(path=path, before=before, after=FILES[path].replace(b"Tea", b"Water"))


@pytest.mark.parametrize("paths", [["shared.md"], ["hidden.md"], ["bobs.md", "shared.md"], ["shared.md", "bobs.md"]])
def test_what_is_somebody_elses_is_left_alone_with_all_that_goes_along(paths: list[str]) -> None:
    ws = memory_workspace(dict(FILES), actor="human:bob")
    with pytest.raises(RefusedError, match="human:sean"):
        save_all(ws.view(), [edit(path) for path in paths], verb="edit")
    assert files_of(ws) == FILES


def test_ones_own_is_written_and_a_witness_writes_into_what_is_shared() -> None:
    ws = memory_workspace(dict(FILES), actor="human:bob")
    save_all(ws.view(), [edit("bobs.md")], verb="edit")
    save_all(ws.view(), [edit("shared.md")], verb="witness")
    assert [path for path, data in FILES.items() if files_of(ws)[path] != data] == ["shared.md", "bobs.md"]


def test_a_dry_run_tells_what_would_be_written_and_writes_nothing() -> None:
    ws = memory_workspace(dict(FILES))
    (told,) = save_all(ws.view(), [edit("shared.md")], verb="edit", dry_run=True)
    assert (told.path, told.changed) == ("shared.md", True)
    assert files_of(ws) == FILES
    (done,) = save_all(ws.view(), [edit("shared.md")], verb="edit")
    assert (done.path, done.changed, done.diff) == (told.path, told.changed, told.diff)
    assert files_of(ws) != FILES
