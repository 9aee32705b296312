"""Keys that name memories: whoever may not see a memory finds no ref to it in any of them."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.core.keys import KEYS, Key, Shape
from memstore.vault.redaction import NAMES_MEMORIES, shown_refs, shown_values

HIDDEN, SEEN = "belief:m_hidden", "note:m_seen"
_REFS = {Shape.REF, Shape.REFS, Shape.SOURCES, Shape.HEIRS}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_whose_form_has_refs_is_known_to_name_memories(key: Key) -> None:
    if key.shape in _REFS or any(part.shape in _REFS for part in key.entry):
        assert key.name in NAMES_MEMORIES


@pytest.mark.parametrize("name", sorted(NAMES_MEMORIES))
def test_none_of_them_shows_a_ref_to_a_hidden_memory(name: str) -> None:
    key = next(key for key in KEYS if key.name == name)
    value: Any = [HIDDEN, SEEN]
    if key.shape is Shape.ENTRIES:
        value = [{part.name: ref for part in key.entry} for ref in (HIDDEN, SEEN)]
    shown = shown_values({name: value}, shown_refs({"m_seen"}))
    assert "m_hidden" not in str(shown)
    assert "m_seen" in str(shown)
