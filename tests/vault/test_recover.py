"""An operation on several files that dies anywhere is finished by whoever comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from memstore.core.change import Edit, Operation, Written
from memstore.core.transaction import save_all
from memstore.files.disk_vault import DiskVault
from memstore.files.vault import read_file
from memstore.vault.status import undo
from memstore.vault.writing import recover
from tests.memory_vault import MemoryVault
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = memory_text("Old.\n", id="m_b"), memory_text("New.\n", id="m_b")
AFTER = {"b.md": NEW, "c.md": memory_text(id="m_c"), "d.md": memory_text(id="m_d")}


class DyingVault(MemoryVault):
    """A vault whose program is killed at the n-th write."""

    def __init__(self, files: dict[str, bytes], writes: int) -> None:
        super().__init__(files)
        self.left: int | None = writes

    def _write(self, path: str, data: bytes) -> None:
        left = getattr(self, "left", None)
        if left == 0:
            raise SystemExit
        self.left = None if left is None else left - 1
        super()._write(path, data)


@pytest.mark.parametrize("writes", range(4))
def test_a_kill_at_any_write_leaves_before_or_after(writes: int) -> None:
    vault = DyingVault({"b.md": OLD}, writes)
    ws = memory_workspace()._replace(vault=vault)
    edits = [Edit(path=path, before=None, after=data) for path, data in AFTER.items() if path != "b.md"]
    edits.insert(1, Edit(path="b.md", before=read_file(vault, "b.md"), after=NEW))
    if writes < len(AFTER):
        with pytest.raises(SystemExit):
            save_all(ws.view(), edits, verb="consolidate")
    else:
        save_all(ws.view(), edits, verb="consolidate")
    vault.left = None
    recover(vault, ws.journal)
    assert vault.files == (AFTER if writes == len(AFTER) else {"b.md": OLD})
    assert not recover(vault, ws.journal)
    if writes == len(AFTER):
        undo(ws.view())
        assert vault.files == {"b.md": OLD}


def test_what_somebody_changed_since_is_left_alone() -> None:
    ws = memory_workspace({"b.md": b"by hand"})
    files = (Written("c.md", None, AFTER["c.md"]), Written("b.md", OLD, NEW))
    ws.journal.begin(Operation(verb="consolidate", at="2026-02-01T00:00:00Z", files=files))
    assert recover(ws.vault, ws.journal)
    assert files_of(ws) == {"b.md": b"by hand"}


def test_while_its_writer_lives_nobody_finishes_it() -> None:
    ws = memory_workspace({"b.md": OLD})
    cast("MemoryVault", ws.vault).locked_by_another = True
    assert not recover(ws.vault, ws.journal)
    assert files_of(ws) == {"b.md": OLD}


def test_copies_of_a_killed_writer_are_deleted_and_what_somebody_saved_is_not(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(OLD)
    vault = DiskVault(tmp_path, state=tmp_path / "state")
    ws = memory_workspace()._replace(vault=vault)
    for name, data in {"1": OLD, "2": NEW[:20], "3": b"", "4": b"Saved by hand.\n"}.items():
        (tmp_path / f".memstore-tmp-{name}").write_bytes(data)
    files = (Written("b.md.age", None, NEW), Written("b.md", OLD, None))
    ws.journal.begin(Operation(verb="seal", at="2026-02-01T00:00:00Z", files=files))
    assert recover(vault, ws.journal)
    assert [one.name for one in tmp_path.glob(".memstore-tmp-*")] == [".memstore-tmp-4"]
