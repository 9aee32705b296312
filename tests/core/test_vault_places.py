from __future__ import annotations

import pytest

from memstore.core.places import is_memory_path


@pytest.mark.parametrize("path", ["a.md", "notes/a.md", "Readme.md", "notes/entities/a.md", "a b/ü.md"])
def test_places_of_memories(path: str) -> None:
    assert is_memory_path(path, mixed=False)


@pytest.mark.parametrize(
    "path",
    ["a.txt", "README.md", "x/index.md", "x/log.md", "MEMORY.md", ".a.md", ".git/a.md", "x/.y/a.md", "audit/a.md"],
)
def test_places_of_other_things(path: str) -> None:
    assert not is_memory_path(path, mixed=False)
