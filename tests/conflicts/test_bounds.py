"""What one answer compares is bounded, and what it leaves out is said, however many lines are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.beliefs import recall
from memstore.conflicts import among, compare, contradiction
from memstore.conflicts.compare import survey
from memstore.memories.search import search
from memstore.memories.show import glance
from memstore.search.reranker import Wish
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.conflicts.contradiction import Comparison
    from memstore.conflicts.statements import Statement
    from memstore.vault.workspace import Workspace


def diaries(count: int, lines: int, *, gap: str = "\n\n", before: str = "") -> Workspace:
    """Return a vault of diaries whose lines say nearly the same."""
    said = "Claire drank green tea near the lake number {}, and the wind was calm."
    return memory_workspace(
        {
            f"d{number}.md": memory_text(
                gap.join(before + said.format(number * lines + line) for line in range(lines)) + "\n",
                id=f"m_{number:03}",
                title=f"Diary {number}",
            )
            for number in range(count)
        }
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """Return the pairs of statements that all rules are asked about."""
    pairs: set[tuple[str, str]] = set()
    real = contradiction.compare_pair

    def counted(one: Statement, other: Statement, **how: Any) -> Comparison:
        pairs.add((min(one.text, other.text), max(one.text, other.text)))
        return real(one, other, **how)

    monkeypatch.setattr(contradiction, "compare_pair", counted)
    among._are_in_conflict.cache_clear()
    return pairs


@pytest.mark.soak(2)
@pytest.mark.parametrize(("gap", "before"), [("\n\n", ""), ("\n", ""), ("\n", "- "), (" ", "")])
def test_a_search_among_lines_that_are_alike_compares_a_bounded_number(
    gap: str, before: str, asked: set[tuple[str, str]]
) -> None:
    ws = diaries(12, 30, gap=gap, before=before)
    found = search(ws.view(), "green tea lake", Wish(limit=10))
    assert len(found.hits) == 10
    assert 0 < len(asked) <= among.MOST_PAIRS
    assert found.not_compared > 0


def test_one_memory_is_compared_with_a_bounded_number_of_lines(asked: set[tuple[str, str]]) -> None:
    ws = diaries(8, 30)
    assert survey(ws.view(), "m_000").not_compared > 0
    assert 0 < len(asked) <= compare.MOST_PAIRS + compare.MOST_PAIRS_OF_TWO
    asked.clear()
    assert glance(ws.view(), "m_001").not_compared > 0
    assert 0 < len(asked) <= compare.MOST_PAIRS + compare.MOST_PAIRS_OF_TWO


def test_later_results_on_other_things_are_not_counted() -> None:
    things = "kettle boiler ladder violin saddle carpet anchor pillow basket turbine hammer candle".split()  # noqa: SIM905
    ws = memory_workspace(
        {
            f"{thing}.md": memory_text(
                "\n\n".join(f"Tea {thing} {thing}ish {thing}hood {thing}dom {line}." for line in range(12)) + "\n",
                id=f"m_{thing[:3]}",
            )
            for thing in things
        }
    )
    found = search(ws.view(), "tea", Wish(limit=12))
    assert (len(found.hits), found.not_compared) == (12, 0)
    assert len(found.hits) * among.MOST_NEAR > among.MOST_STATEMENTS


def test_nothing_is_left_out_where_few_lines_are_alike() -> None:
    ws = memory_workspace(
        {
            "a.md": memory_text("The report was approved by the board.\n", id="m_aaa"),
            "b.md": memory_text("The report was not approved by the board.\n", id="m_bbb"),
        }
    )
    found = search(ws.view(), "report board")
    assert ([len(hit.conflicts) for hit in found.hits], found.not_compared) == ([1, 1], 0)
    assert (len(survey(ws.view()).conflicts), survey(ws.view()).not_compared) == (1, 0)


def test_what_is_shown_is_compared_before_what_stands_around_it(asked: set[tuple[str, str]]) -> None:
    ws = diaries(2, 30)
    search(ws.view(), "number 44")
    assert any("number 44," in one + other for one, other in asked)


def test_recall_which_shows_no_conflicts_compares_nothing(asked: set[tuple[str, str]]) -> None:
    recall.recall(diaries(3, 5).view(), "green tea at the lake")
    assert not asked
