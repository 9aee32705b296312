"""The ledger's arithmetic: the published cases, and laws that hold for any ledger."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.ledger import (
    BASE_CONFIDENCE,
    HALF_LIFE_DAYS,
    HALF_LIFE_FACTOR,
    PRIOR,
    PRIOR_WEIGHT,
    STATED_WEIGHT,
    Belief,
    Stated,
    course,
    each_line,
    mean_time,
    replay,
    replay_now,
    stated,
    votes,
    witnesses,
)
from memstore.beliefs.reconsolidation import (
    HALFWAY,
    LEAST_THRESHOLD,
    SURPRISE_GAIN,
    SURPRISES_COUNT_FOR,
    THRESHOLD_RANGE,
)
from memstore.core.keys import RELIABILITY
from memstore.core.memory import LedgerLine
from memstore.search.quality import MOST_STABILITY_DAYS, SPACING_GAIN, STABILITY_DAYS
from tests.core.ledgers import START, evidence_lines, fractions, instant, ledgers, line_of

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TOLERANCE = CASES["constants"]["tolerance"]


@pytest.mark.parametrize("case", CASES["posterior"], ids=lambda case: case["name"])
def test_published_ledgers_replay_to_their_numbers(case: dict[str, Any]) -> None:
    lines = [line_of(line) for line in case["history"]]
    belief = replay(lines)
    now = replay_now(lines, START + timedelta(days=case["as_of"]), importance=case.get("importance", "normal"))
    assert belief.confidence == pytest.approx(case["stored_confidence"], abs=TOLERANCE)
    assert belief.precision == pytest.approx(case["stored_precision"], abs=TOLERANCE)
    assert now.confidence == pytest.approx(case["confidence_now"], abs=TOLERANCE)
    assert now.precision == pytest.approx(case["precision_now"], abs=TOLERANCE)


OPS = {1: "support", 0.5: "partial", 0: "contradict"}


@pytest.mark.parametrize("case", CASES["update"])
def test_published_updates(case: dict[str, Any]) -> None:
    stated = LedgerLine(
        timestamp=instant(0), op="checkpoint", new=case["confidence"], precision=case["belief_precision"]
    )
    weight, outcome = case["evidence_precision"], case["outcome"]
    seen = LedgerLine(timestamp=instant(1), op=OPS[outcome], evidence_source="e", weight=weight)
    before, after = replay([stated]), replay([stated, seen])
    assert after.confidence == pytest.approx(case["new_confidence"], abs=TOLERANCE)
    assert after.precision == pytest.approx(case["new_precision"], abs=TOLERANCE)
    assert outcome - before.confidence == pytest.approx(case["prediction_error"], abs=TOLERANCE)
    assert weight / (before.precision + weight) == pytest.approx(case["learning_rate"], abs=TOLERANCE)
    moved = case["learning_rate"] * case["prediction_error"]
    assert after.confidence - before.confidence == pytest.approx(moved, abs=TOLERANCE)


def test_published_constants() -> None:
    said = CASES["constants"]
    assert (
        said["base_rate"], said["prior_weight"], said["assert_precision"], said["evidence_half_life_days"],
    ) == (BASE_CONFIDENCE, PRIOR_WEIGHT, STATED_WEIGHT, HALF_LIFE_DAYS)  # fmt: skip
    assert said["reliability"] == RELIABILITY
    stability = (STABILITY_DAYS, SPACING_GAIN, MOST_STABILITY_DAYS)
    assert stability == (said["stability_initial_days"], said["spacing_gain"], said["stability_cap_days"])
    destab = (LEAST_THRESHOLD, LEAST_THRESHOLD + THRESHOLD_RANGE, HALFWAY, SURPRISE_GAIN, SURPRISES_COUNT_FOR.days)
    wanted = (*said["destab"].values(), said["pe_gain"], said["pe_window_days"])
    assert destab == pytest.approx(wanted)


@pytest.mark.parametrize("case", CASES["laplace"])
def test_from_nothing_it_is_the_rule_of_succession(case: dict[str, Any]) -> None:
    ops = ["support"] * case["supports"] + ["contradict"] * case["contradicts"]
    lines = [LedgerLine(timestamp=instant(0), op=op, evidence_source=f"e{i}", weight=1.0) for i, op in enumerate(ops)]
    assert replay(lines).confidence == pytest.approx(case["confidence"], abs=TOLERANCE)


@pytest.mark.parametrize("case", CASES["fade"])
def test_what_is_not_seen_again_fades_towards_even(case: dict[str, Any]) -> None:
    half_life = HALF_LIFE_DAYS * HALF_LIFE_FACTOR[case["importance"]]
    faded = Belief.of(case["confidence"], case["precision"]).faded(0.5 ** (case["age_days"] / half_life))
    assert faded.confidence == pytest.approx(case["faded_confidence"], abs=TOLERANCE)
    assert faded.precision == pytest.approx(case["faded_precision"], abs=TOLERANCE)


AFTER_ALL = instant(1000)


@given(ledgers)
def test_confidence_stays_within_its_bounds(lines: list[LedgerLine]) -> None:
    for belief in (replay(lines), replay_now(lines, START + timedelta(days=1200))):
        assert -1e-12 <= belief.confidence <= 1 + 1e-12
        assert belief.precision >= 2 - 1e-9


@given(ledgers.flatmap(lambda lines: st.tuples(st.just(lines), st.permutations(lines))))
def test_the_order_of_lines_in_the_file_does_not_matter(pair: tuple[list[LedgerLine], list[LedgerLine]]) -> None:
    assert replay(pair[0]) == replay(pair[1])


@given(ledgers, st.integers(0, 199))
def test_a_duplicated_line_changes_nothing(lines: list[LedgerLine], at: int) -> None:
    assert replay([*lines, *lines[at : at + 1]]) == replay(lines)


@given(ledgers, fractions, st.sampled_from(["s1", "s9"]))
def test_new_support_never_lowers_and_new_contradiction_never_raises(
    lines: list[LedgerLine], weight: float, root: str
) -> None:
    before = replay(lines).confidence

    def after(op: str) -> float:
        new = LedgerLine(timestamp=AFTER_ALL, op=op, evidence_source="episode:m_new", weight=weight, roots=(root,))
        return replay([*lines, new]).confidence

    assert after("support") >= before - 1e-12
    assert after("contradict") <= before + 1e-12


@given(ledgers, fractions)
def test_retract_undoes(lines: list[LedgerLine], weight: float) -> None:
    support = LedgerLine(timestamp=AFTER_ALL, op="support", evidence_source="episode:m_new", weight=weight)
    retract = LedgerLine(timestamp=instant(1001), op="retract", evidence_source="episode:m_new")
    assert replay([*lines, support, retract]) == replay(lines)


@given(ledgers, fractions)
def test_an_edit_is_exact(lines: list[LedgerLine], confidence: float) -> None:
    edited = replay([*lines, LedgerLine(timestamp=AFTER_ALL, op="edit", new=confidence)])
    assert edited.confidence == pytest.approx(confidence)
    assert edited.precision == pytest.approx(max(replay(lines).precision, 6.0))


@given(st.lists(evidence_lines.filter(lambda line: line.op == "support"), max_size=20))
def test_certainty_stays_certain_on_support(lines: list[LedgerLine]) -> None:
    certain = LedgerLine(timestamp="2025-12-31T00:00:00Z", op="assert", new=1.0)
    assert replay([certain, *lines]).confidence == pytest.approx(1.0)


def test_the_same_evidence_fifty_times_counts_once() -> None:
    once = [LedgerLine(timestamp=instant(0), op="support", evidence_source="episode:m_abc", weight=0.85)]
    again = [
        LedgerLine(timestamp=instant(i), op="support", evidence_source="episode:m_abc", weight=0.85) for i in range(50)
    ]
    assert replay(again) == replay(once)


def test_what_a_checkpoint_counted_never_counts_again() -> None:
    checkpoint = LedgerLine(
        timestamp=instant(1), op="checkpoint", new=0.8, precision=5.0, counted=("episode:m_abc", "s1")
    )
    again = LedgerLine(timestamp=instant(2), op="support", evidence_source="episode:m_abc", weight=1.0)
    same_root = LedgerLine(
        timestamp=instant(3), op="support", evidence_source="episode:m_def", weight=1.0, roots=("s1",)
    )
    other_root = again._replace(timestamp=instant(4), roots=("s9",))
    assert replay([checkpoint, again, same_root, other_root]) == replay([checkpoint])


def test_a_memory_is_one_witness_whatever_its_type_was_when_it_spoke() -> None:
    raw = LedgerLine(timestamp=instant(0), op="support", evidence_source="raw:m_abc", weight=1.0, roots=("raw:m_abc",))
    note = raw._replace(timestamp=instant(1), evidence_source="note:m_abc", roots=("note:m_abc",))
    other = note._replace(evidence_source="note:m_def")
    assert replay([raw, note]) == replay([raw, other]) == replay([raw])
    assert votes(witnesses([raw, other])) == (1, 0)
    assert replay([raw, note._replace(op="retract")]) == PRIOR
    counted = LedgerLine(timestamp=instant(0), op="checkpoint", new=0.8, precision=5.0, counted=("raw:m_abc",))
    assert replay([counted, note]) == replay([counted, other]) == replay([counted])


def test_a_root_that_is_named_twice_is_one() -> None:
    once = LedgerLine(timestamp=instant(0), op="support", evidence_source="episode:m_abc", weight=1.0, roots=("s1",))
    assert replay([once._replace(roots=("s1", "s1"))]) == replay([once])


@pytest.mark.parametrize("precision", [None, 0.0, 1e-5, 1e-320])
def test_a_checkpoint_of_nothing_counts_as_a_statement(precision: float | None) -> None:
    line = LedgerLine(timestamp=instant(0), op="checkpoint", new=0.85, precision=precision)
    assert replay([line]) == Belief.of(0.85, STATED_WEIGHT)


def test_votes_are_of_roots_that_say_anything_of_weight_part_of_it_on_either_side() -> None:
    lines = [
        LedgerLine(timestamp=instant(0), op="support", evidence_source="e1", weight=1.0, roots=("s1", "s2")),
        LedgerLine(timestamp=instant(1), op="partial", evidence_source="e2", weight=1.0),
        LedgerLine(timestamp=instant(2), op="contradict", evidence_source="e3", weight=1.0, roots=("s1",)),
        LedgerLine(timestamp=instant(3), op="support", evidence_source="consolidation:2026-02-01", weight=0.0),
        LedgerLine(timestamp=instant(4), op="support", evidence_source="e4", weight=1.0),
        LedgerLine(timestamp=instant(5), op="propagate", evidence_source="e4", factor=0.0),
    ]
    assert votes(witnesses(lines)) == (3, 2)


def test_a_cap_stays_while_evidence_is_weighed_anew() -> None:
    lines = [
        LedgerLine(timestamp=instant(0), op="assert", new=0.9),
        LedgerLine(timestamp=instant(1), op="support", evidence_source="e1", weight=1.0),
        LedgerLine(timestamp=instant(2), op="propagate", evidence_source="belief:m_e", cap=0.4),
        LedgerLine(timestamp=instant(3), op="propagate", evidence_source="e1", factor=0.0),
    ]
    assert stated(lines) == Stated("assert", 0.9, 0.4)
    assert stated(lines[1:]) is None
    assert replay(lines) == Belief.of(0.4, STATED_WEIGHT)


def test_the_lines_of_a_ledger_are_told_from_the_latest_statement_on() -> None:
    before, said, after = (
        LedgerLine(timestamp=instant(0), op="support", evidence_source="e1", weight=1.0),
        LedgerLine(timestamp=instant(1), op="assert", new=0.9),
        LedgerLine(timestamp=instant(2), op="support", evidence_source="e2", weight=1.0),
    )
    assert [line for line, _ in each_line([after, said, before])] == [said, after]
    assert each_line([before]) == [(before, replay([before]))]
    assert each_line([after, said])[-1] == (after, replay([said, after]))


def test_what_propagation_left_of_evidence_that_was_taken_back_is_nothing() -> None:
    weaker = LedgerLine(timestamp=instant(2), op="propagate", evidence_source="e1", factor=0.5)
    said = LedgerLine(timestamp=instant(0), op="support", evidence_source="e1", weight=1.0)
    assert replay([said, said._replace(timestamp=instant(1), op="retract"), weaker]) == PRIOR
    assert replay([weaker]) == PRIOR


def test_evidence_has_half_its_weight_after_a_half_life_to_the_second() -> None:
    line = LedgerLine(timestamp=START.isoformat(), op="support", evidence_source="e1", weight=1.0)
    aged = replay_now([line], START + timedelta(days=HALF_LIFE_DAYS))
    assert aged.weight_for == pytest.approx(PRIOR.weight_for + 0.5, abs=1e-12)


@given(ledgers)
def test_the_course_of_a_belief_ends_in_what_the_ledger_amounts_to(lines: list[LedgerLine]) -> None:
    steps = course(lines)
    for step, following in pairwise(steps):
        assert step.after == following.before
    for step in steps[-1:]:
        assert step.after == replay(lines)


@pytest.mark.parametrize(("op", "weight"), [("support", 0.8), ("partial", 0.8), ("contradict", 0.4)])
def test_a_new_witness_moves_a_belief_by_its_weight_whatever_it_says(op: str, weight: float) -> None:
    said = LedgerLine(timestamp=instant(1), op=op, evidence_source="e1", weight=weight)
    (step,) = course([LedgerLine(timestamp=instant(0), op="assert", new=0.7), said])
    assert step.moved == pytest.approx(weight)


@given(ledgers, st.lists(evidence_lines, max_size=5), st.lists(evidence_lines, max_size=5))
def test_two_branches_replay_to_one_number_in_either_order_of_merging(
    common: list[LedgerLine], ours: list[LedgerLine], theirs: list[LedgerLine]
) -> None:
    one, other = [*common, *ours], [*common, *theirs]
    assert replay([*one, *other]) == replay([*other, *one])


def test_late_evidence_fades_as_old_evidence() -> None:
    recorded = datetime(2026, 2, 1, tzinfo=UTC)
    said = LedgerLine(timestamp="2026-01-01T00:00:00Z", op="assert", new=0.6)
    fresh = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", evidence_source="episode:m_old", weight=1.0)
    late = fresh._replace(happened_at="2024-02-02T00:00:00Z")  # two half-lives, a leap day among them
    assert replay([said, late]) == replay([said, fresh])
    alone = replay_now([said], recorded).weight_for
    gained = [replay_now([said, line], recorded).weight_for - alone for line in (fresh, late)]
    assert gained == pytest.approx([1.0, 0.25])
    # What happened before a statement that was made without it still counts: it was recorded after that.
    assert [one.source for one in witnesses([said, late])] == ["episode:m_old"]


@pytest.mark.parametrize(("weights", "days"), [((0.2, 0.2), 5), ((0.3, 0.1), 2.5), ((0.0, 0.0), 10), ((0.9, 0.9), 5)])
def test_evidence_arose_on_average_by_weight(weights: tuple[float, float], days: float) -> None:
    lines = [
        LedgerLine(
            timestamp=instant(at), op="support", evidence_source=f"episode:m_{at}", weight=weight, roots=(f"s{at}",)
        )
        for at, weight in zip((0, 10), weights, strict=True)
    ]
    assert mean_time(lines) == START + timedelta(days=days)
