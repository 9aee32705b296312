"""What is written is written once, whatever becomes of its commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.access.entities import add_entity
from memstore.core.errors import ChangedMeanwhileError, GitError
from memstore.memories.add import add_memory
from tests.git_repositories import vault_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.core.view import View


@pytest.mark.parametrize(
    "act",
    [
        lambda view: add_memory(view, {}, "Tea.", commit=True),
        lambda view: add_entity(view, "human:claire", commit=True),
    ],
)
def test_a_commit_that_comes_too_late_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[View], object]
) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.commit("first")

    def too_late(*_: object, **__: object) -> str:
        raise ChangedMeanwhileError("somebody else committed at the same time")

    monkeypatch.setattr("memstore.history.git_history.GitHistory.commit", too_late)
    with pytest.raises(GitError, match="written, but not committed"):
        act(vault.open().view())
    written = [path for path in vault.root.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert len([path for path in written if path.suffix == ".md"]) == 1
    assert len([path for path in written if path.suffix == ".json"]) <= 1
