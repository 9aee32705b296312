"""What is told of other memories to somebody who may not see all of them."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.memories.show import show_memory
from tests.memory_workspace import OWNER, memory_workspace
from tests.support import memory_text

FILES = {
    "hidden.md": memory_text(id="m_hidden"),
    "open.md": memory_text(id="m_open", access_grants='["*"]'),
    "told.md": memory_text(
        type="belief", id="m_told", access_grants='["*"]', confidence="0.8",
        relates_to="[note:m_hidden, note:m_open, note:m_nowhere]",
        supersedes="[note:m_hidden]",
        confidence_history='[{timestamp: "2026-01-01T00:00:00Z", op: support, old: 0.7, new: 0.8, '
        'evidence_source: "note:m_hidden", weight: 0.5, by: "human:sean"}]',
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("actor", "related", "superseded", "evidence"),
    [
        (OWNER, ["note:m_hidden", "note:m_open", "note:m_nowhere"], ["note:m_hidden"], "note:m_hidden"),
        ("human:bob", ["note:m_open"], [], None),
    ],
)
def test_refs_to_what_is_hidden_or_nowhere_are_left_out(
    actor: str, related: list[str], superseded: list[str], evidence: str | None
) -> None:
    values: dict[str, Any] = show_memory(memory_workspace(FILES, actor=actor).view(), "m_told").values
    assert (values["relates_to"], values["supersedes"]) == (related, superseded)
    line = values["confidence_history"][0]
    assert (line.get("evidence_source"), line["old"], line["new"]) == (evidence, 0.7, 0.8)
