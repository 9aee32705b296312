from __future__ import annotations

from memstore.vault.stats import stats
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

FILES = {
    "a.md": memory_text("Three words here.\n", created_at='"2026-01-20T10:00:00Z"', author="si:ash"),
    "b.md": memory_text("One.\n", type="belief", status="archived", created_at='"2026-01-02T10:00:00Z"'),
    "c.md": memory_text("Hidden words.\n", owner="si:ash"),
    "d.md": b"---\nbroken\n",
}


def test_what_is_counted() -> None:
    counted = stats(memory_workspace(FILES).view())
    assert (counted.total, counted.words, counted.left_out) == (2, 4, 1)
    assert counted.types == (("belief", 1), ("note", 1))
    assert counted.statuses == (("active", 1), ("archived", 1))
    assert counted.months == (("2026-01", 2),)
    assert counted.authors == (("", 1), ("si:ash", 1))


def test_filters_count_active_memories_alone() -> None:
    assert stats(memory_workspace(FILES).view(), status="active").total == 1
    assert stats(memory_workspace(FILES).view(), type="belief", status="all").words == 1


def test_nothing_to_count() -> None:
    counted = stats(memory_workspace({}).view())
    assert (counted.total, counted.words, counted.months) == (0, 0, ())
