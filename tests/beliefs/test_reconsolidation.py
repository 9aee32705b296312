"""When a belief is open to revision: the published cases, and the windows that ledgers open and shut."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from memstore.beliefs.ledger import replay
from memstore.beliefs.reconsolidation import Surprise, destab_threshold, prediction_error, standing
from memstore.core.memory import LedgerLine, Memory
from memstore.files import memory_file
from tests.core.ledgers import START, instant, ledgers
from tests.installed import ROOT

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TOLERANCE = CASES["constants"]["tolerance"]


@pytest.mark.parametrize("case", CASES["destab_threshold"])
def test_the_more_evidence_and_the_older_the_harder_to_unsettle(case: dict[str, Any]) -> None:
    threshold = destab_threshold(case["evidence_count"], case["age_days"])
    assert threshold == pytest.approx(case["threshold"], abs=TOLERANCE)


@pytest.mark.parametrize("case", CASES["prediction_error"])
def test_surprises_add_up_and_never_pass_one(case: dict[str, Any]) -> None:
    surprises = [Surprise(weight, outcome, before, START) for weight, outcome, before in case["surprises"]]
    assert prediction_error(surprises) == pytest.approx(case["pe"], abs=TOLERANCE)


def line(day: float, op: str, source: str = "", **more: Any) -> LedgerLine:
    return LedgerLine(timestamp=instant(day), op=op, evidence_source=source or None, weight=1.0, **more)


def held(*lines: LedgerLine, **keys: Any) -> Memory:
    number = round(replay(lines).confidence, 4)
    return Memory(type="belief", confidence=number, confidence_history=lines, created_at=instant(0), **keys)


STATED = line(0, "assert", new=0.9)
BAD_NEWS = line(10, "contradict", "e1")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@pytest.mark.parametrize(
    ("lines", "at", "labile"),
    [
        ((STATED, BAD_NEWS), 10, 10),
        ((STATED, BAD_NEWS), 24, 10),
        ((STATED, BAD_NEWS), 24.01, None),  # the window shuts after 14 days
        ((STATED, BAD_NEWS, line(11, "support", "e2")), 12, None),  # or with the next support
        ((STATED, BAD_NEWS, line(11, "retract", "e1")), 12, None),
        ((STATED, BAD_NEWS, line(11, "edit", new=0.9)), 12, None),  # it has been looked at
        ((STATED, BAD_NEWS, line(20, "contradict", "e3")), 30, 20),
        ((STATED, BAD_NEWS._replace(weight=0.4)), 10, None),
        ((STATED, line(10, "partial", "e1")), 10, None),
        ((STATED,), 10, None),
    ],
)
def test_a_window_opens_with_a_surprise_and_shuts(lines: tuple[LedgerLine, ...], at: float, labile: int | None) -> None:
    assert standing(held(*lines), day(at)).labile == (None if labile is None else day(labile))


def test_old_and_well_supported_beliefs_need_more() -> None:
    supports = [line(i, "support", f"s{i}") for i in range(10)]
    one, two, three = (line(400 + i, "contradict", f"c{i}") for i in range(3))
    assert standing(held(*supports, one, two), day(410)).labile is None
    assert standing(held(*supports, one, two, three), day(410)).labile == day(402)


def test_one_session_that_contradicts_thrice_surprises_once() -> None:
    old = [line(i, "support", f"s{i}") for i in range(5)]
    apart = [line(100 + i, "contradict", f"c{i}", roots=(f"r{i}",)) for i in range(4)]
    together = [one._replace(roots=("r",)) for one in apart]
    assert standing(held(*old, *apart), day(104)).labile == day(103)
    assert standing(held(*old, *together), day(104)).labile is None


def test_each_support_cancels_the_oldest_surprise_and_a_year_forgets_it() -> None:
    weak = [line(i, "contradict", f"c{i}")._replace(weight=0.5) for i in (1, 2)]
    assert standing(held(STATED, *weak), day(2)).labile == day(2)
    between = [weak[0], line(1.5, "support", "s"), weak[1]]
    assert standing(held(STATED, *between), day(2)).labile is None
    late = weak[1]._replace(timestamp=instant(367))
    assert standing(held(STATED, weak[0], late), day(367)).labile is None


@pytest.mark.parametrize(
    ("supports", "contradictions", "votes", "contested"),
    [
        (("a", "b"), ("c", "d"), (2, 2), True),
        (("a", "b"), ("c",), (2, 1), False),
        (("a", "b", "e", "f", "g", "h"), ("c", "d"), (6, 2), False),  # 0.7: decided
        ((), (), (0, 0), False),
    ],
)
def test_contested_is_what_both_sides_speak_on(
    supports: tuple[str, ...], contradictions: tuple[str, ...], votes: tuple[int, int], *, contested: bool
) -> None:
    lines = [line(1, "support", one) for one in supports] + [line(2, "contradict", one) for one in contradictions]
    found = standing(held(*lines), day(3))
    assert (found.votes_for, found.votes_against, found.contested) == (*votes, contested)


def test_uncertainty_is_one_of_nothing_and_falls() -> None:
    assert standing(Memory(type="belief", confidence=0.8), START).uncertainty == pytest.approx(1 / 3)
    assert standing(held(*(line(0, "support", f"e{i}") for i in range(8))), START).uncertainty == pytest.approx(0.2)


@given(ledgers)
def test_whatever_the_ledger_figures_stay_within_bounds_and_the_number_is_left_alone(lines: list[LedgerLine]) -> None:
    memory = held(*lines)
    found = standing(memory, datetime(2028, 1, 1, tzinfo=UTC))
    assert 0 < found.uncertainty <= 1 + 1e-9
    assert found.votes_for >= 0 <= found.votes_against
    assert replay(memory.confidence_history) == replay(lines)


def test_the_sample_vault_has_a_belief_that_is_contested_and_one_that_was_surprised() -> None:
    contested, labile, later = [], [], []
    for path in (ROOT / "sample-vault").glob("memories/belief/**/*.md"):
        file = memory_file.read(path.name, path.read_bytes())
        assert isinstance(file, memory_file.MemoryFile)
        then, after = (standing(file.memory, datetime(2026, *day, tzinfo=UTC)) for day in ((11, 20), (12, 2)))
        contested += [file.memory.id] if then.contested else []
        labile += [file.memory.id] if then.labile else []
        later += [file.memory.id] if after.labile else []
    assert (contested, labile) == (["m_c0fr3w7qkt"], ["m_r1n8dv5pyb"])
    assert later == []  # a window does not stay open; tests/transcripts/sample-vault.txt opens it again
