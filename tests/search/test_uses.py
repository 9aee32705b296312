"""What counts as a use, whose uses count, and that looking for memories is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import NotFoundError
from memstore.memories.cite import cite
from memstore.memories.listing import list_memories
from memstore.memories.search import search
from memstore.memories.show import path_of, show_memory
from memstore.search import USAGE
from memstore.search.usage_log import Use
from memstore.search.uses import uses_of
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

TEA = memory_text("Tea first.\n", id="m_tea", created_at='"2026-01-02T12:00:00Z"')
SECRET = memory_text("Tea, secretly.\n", id="m_secret", owner="human:sean")
ASHES = memory_text("Tea for Ash.\n", id="m_ashes", owner="si:ash")
FILES = {"tea.md": TEA, "secret.md": SECRET, "ashes.md": ASHES, "noid.md": memory_text("Tea without an id.\n")}
AT = datetime(2026, 1, 17, 12, tzinfo=UTC)


@pytest.fixture
def ws() -> Workspace:
    return memory_workspace(FILES)


def counted(ws: Workspace) -> dict[str, list[str]]:
    return {memory_id: [use.how for use in uses] for memory_id, uses in uses_of(ws.view()).items()}


def test_showing_and_citing_are_uses(ws: Workspace) -> None:
    show_memory(ws.view(), "m_tea")
    cite(ws.view(), "m_tea:L1-L2")
    show_memory(ws.view(), "noid.md")
    assert counted(ws) == {"m_tea": ["show", "cite"]}
    assert {use.by for use in uses_of(ws.view())["m_tea"]} == {OWNER}


def test_looking_for_memories_is_no_use(ws: Workspace) -> None:
    before = dict(files_of(ws))
    for _ in range(3):
        search(ws.view(), "tea")
        list_memories(ws.view())
        path_of(ws.view(), "m_tea")
    assert counted(ws) == {}
    assert files_of(ws) == before


def test_a_memory_that_may_not_be_seen_is_not_used(ws: Workspace) -> None:
    for hidden in ("m_ashes", "m_nothing"):
        with pytest.raises(NotFoundError):
            show_memory(ws.view(), hidden)
    assert counted(ws) == {}


def test_what_the_owner_reads_does_not_show_in_what_others_are_told(ws: Workspace) -> None:
    ash = ws._replace(actor="si:ash")
    alone = show_memory(ash.view(), "m_ashes").grounds.strength
    ws.of(USAGE).record(Use("m_ashes", AT, OWNER, "show"))
    assert [use.by for use in uses_of(ash.view())["m_ashes"]] == ["si:ash"]
    assert alone.uses == 0
    assert len(uses_of(ws.view())["m_ashes"]) == 2  # the log is its user's


def test_the_strength_shown_knows_nothing_of_this_look(ws: Workspace) -> None:
    first = show_memory(ws.view(), "m_tea").grounds.strength
    assert (round(first.retrieval, 4), first.uses) == (0.3679, 0)  # 30 days after it was made
    second = show_memory(ws.view(), "m_tea").grounds.strength
    assert second.uses == 1
    assert second.retrieval > 0.999
    assert second.stability_days > first.stability_days


def test_a_use_in_the_future_counts_as_one_now(ws: Workspace) -> None:
    ws.of(USAGE).record(Use("m_tea", AT + timedelta(days=4000), OWNER, "show"))
    assert show_memory(ws.view(), "m_tea").grounds.strength.retrieval == 1.0
