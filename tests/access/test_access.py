"""Whose a memory is."""

from __future__ import annotations

import pytest

from memstore.core.config import Config
from memstore.core.memory import Memory
from tests.memory_workspace import memory_workspace


@pytest.mark.parametrize(
    ("vault_owner", "owner", "viewer", "owns"),
    [
        ("human:sean", None, "human:sean", True),
        ("human:sean", None, "human:claire", False),
        ("human:sean", "human:claire", "human:claire", True),
        ("human:sean", "human:claire", "human:sean", False),
        ("human:sean", None, "", False),
        ("", None, "", False),  # nobody is not the owner of an unowned vault
    ],
)
def test_only_the_owner_owns(vault_owner: str, owner: str | None, viewer: str, *, owns: bool) -> None:
    view = memory_workspace(actor=viewer, config=Config(owner=vault_owner)).view()
    assert view.owns(Memory(type="note", owner=owner)) is owns
