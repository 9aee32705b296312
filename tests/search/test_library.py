from __future__ import annotations

import pytest

from memstore.core.errors import RefusedError
from memstore.search import index_upkeep as library
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

FILES = {"a.md": memory_text(), "b.md": memory_text(), "broken.md": b"---\n"}


def test_the_owner_rebuilds_and_is_told_of_what() -> None:
    done = library.rebuild(memory_workspace(FILES).view())
    assert (done.memories, done.left_out) == (2, 1)
    assert library.status(memory_workspace(FILES).view()).built


def test_nobody_else_may_look() -> None:
    ws = memory_workspace(FILES, actor="si:ash")
    for look in (library.status, library.rebuild, library.refresh):
        with pytest.raises(RefusedError):
            look(ws.view())
