"""What a change of confidence does to all that rests on it: the published cases, and laws."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.next_lines import replayed
from memstore.beliefs.propagation import BeliefStore, Plan, plan_propagation, sources
from memstore.core.memory import LedgerLine, Memory
from tests.core.ledgers import START, instant, line_of, line_with

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TOLERANCE = CASES["constants"]["tolerance"]
LATER = START.replace(year=2027)


def ref(name: str) -> str:
    return f"belief:m_{name}"


def memory_of(name: str, case: dict[str, Any]) -> Memory:
    lines = [line_of(line) for line in case.get("history", ())]
    return Memory(
        type="belief",
        id=f"m_{name}",
        confidence=case["confidence"],
        confidence_history=tuple(
            line._replace(evidence_source=ref(line.evidence_source)) if line.evidence_source else line for line in lines
        ),
        derived_from=tuple(map(ref, case.get("premises", ()))),
    )


def vault_of(*memories: Memory, gone: tuple[str, ...] = ()) -> BeliefStore:
    return BeliefStore(memories={str(memory.ref): memory for memory in memories}, sure={}, gone=gone)


def planned(vault: BeliefStore, **settings: Any) -> Plan:
    return plan_propagation(vault, now=LATER, by="si:ash", **settings)


def applied(vault: BeliefStore, found: Plan) -> BeliefStore:
    memories = dict(vault.memories)
    for step in found.steps:
        memory = memories[step.ref]
        memories[step.ref] = replace(
            memory, confidence=step.new, confidence_history=(*memory.confidence_history, *step.lines)
        )
    return replace(vault, memories=memories)


def with_confidence(vault: BeliefStore, name: str, number: float) -> BeliefStore:
    memory = replace(vault.memories[ref(name)], confidence=number)
    return replace(vault, memories={**vault.memories, ref(name): memory})


@pytest.mark.parametrize("case", CASES["propagate"], ids=lambda case: case["name"])
def test_published_plans(case: dict[str, Any]) -> None:
    vault = vault_of(*(memory_of(name, one) for name, one in case["memories"].items()))
    found = planned(vault, changed=[ref(case["changed"])], **case["options"])
    steps = {step.ref: step for step in found.steps}
    assert steps.keys() == {ref(row["id"]) for row in case["plan"]}
    for row in case["plan"]:
        step = steps[ref(row["id"])]
        assert (step.old, step.new) == pytest.approx((row["old"], row["new"]), abs=TOLERANCE)
        assert step.because == tuple(map(ref, row["because"]))
        assert step.depth == row["depth"]
    assert found.cycles == tuple(tuple(map(ref, cycle)) for cycle in case["cycles"])
    assert planned(applied(vault, found), changed=[ref(case["changed"])], **case["options"]).steps == ()


TEN = CASES["propagate"][0]["memories"]


def test_a_source_that_recovers_restores_what_hung_on_it() -> None:
    vault = vault_of(*(memory_of(name, one) for name, one in TEN.items()))
    weakened = applied(vault, planned(vault))
    assert weakened.memories[ref("b")].confidence == 0.91
    restored = planned(with_confidence(weakened, "e0", 0.9)).steps
    assert [(step.ref, step.new, step.because) for step in restored] == [(ref("b"), 0.9167, (ref("e0"),))]


def test_what_is_gone_counts_for_nothing_and_what_is_hidden_as_before() -> None:
    memories = [memory_of(name, one) for name, one in TEN.items() if name != "e0"]
    (step,) = planned(vault_of(*memories, gone=(ref("e0"),))).steps
    assert (step.new, [line.factor for line in step.lines]) == (round(10 / 11, 4), [0.0])
    assert planned(vault_of(*memories)).steps == ()


STATED = LedgerLine(timestamp=instant(0), op="assert", new=0.9)
PREMISE = Memory(type="belief", id="m_e", confidence=0.4)
CAPPED = Memory(
    type="belief", id="m_b", confidence=0.9, derived_from=("belief:m_e", "context:a walk"), confidence_history=(STATED,)
)


def test_a_premise_caps_what_is_stated_on_one_line_and_lifts_the_cap() -> None:
    vault = vault_of(PREMISE, CAPPED)
    (step,) = planned(vault).steps
    (line,) = step.lines
    assert (line.op, line.cap, line.old, line.new, line.evidence_source) == ("propagate", 0.4, 0.9, 0.4, "belief:m_e")
    assert line.reason == "The confidence of what it was derived from changed"
    after = applied(vault, planned(vault))
    assert [step.new for step in planned(with_confidence(after, "e", 0.6)).steps] == [0.6]
    assert [step.new for step in planned(with_confidence(after, "e", 1.0)).steps] == [0.9]
    freed = replace(after.memories["belief:m_b"], derived_from=())
    (step,) = planned(vault_of(PREMISE, freed)).steps
    assert (step.new, step.because, [line.cap for line in step.lines]) == (0.9, (), [1.0])


def test_premises_that_are_held_alike_cap_together_on_one_line() -> None:
    other = replace(PREMISE, id="m_f")
    capped = replace(CAPPED, derived_from=("belief:m_e", "belief:m_f", "belief:m_g"))
    (step,) = planned(vault_of(PREMISE, other, replace(PREMISE, id="m_g", confidence=0.7), capped)).steps
    assert (step.because, [line.cap for line in step.lines]) == (("belief:m_e", "belief:m_f"), [0.4])


SAID = LedgerLine(
    timestamp=instant(1), op="support", evidence_source="belief:m_e", weight=1.0, source_confidence=0.8, new=0.9143
)


def test_what_stays_as_it_was_gets_no_line_beside_what_changes() -> None:
    """The evidence of `m_e` counts half; a premise that never bound, and evidence that is hidden, stay as they are."""
    sure = replace(PREMISE, id="m_f", confidence=0.95)
    hidden = SAID._replace(timestamp=instant(2), evidence_source="belief:m_hidden")
    supported = replace(CAPPED, derived_from=("belief:m_f",), confidence_history=(STATED, SAID, hidden))
    supported = replace(supported, confidence=replayed(supported.confidence_history))
    (step,) = planned(vault_of(PREMISE, sure, supported)).steps
    assert step.because == ("belief:m_e",)
    assert [(line.factor, line.cap, line.reason) for line in step.lines] == [
        (0.5, None, "The confidence of its source changed")
    ]


def test_what_a_memory_rests_on_is_memories_alone() -> None:
    marks = (SAID._replace(evidence_source="consolidation:2026-02-01"), SAID)
    made = replace(CAPPED, derived_from=("context:a walk", "belief:m_old", "belief:m_p"), supersedes=("belief:m_old",))
    assert sources(replace(made, confidence_history=marks)) == ("belief:m_e", "belief:m_p")


# Each but the first is made of the one before; the last is made of the second, too, and so two links from the first.
ROW = (
    Memory(type="belief", id="m_0", confidence=0.3),
    *(replace(CAPPED, id=f"m_{i}", derived_from=(f"belief:m_{i - 1}",)) for i in range(1, 5)),
    replace(CAPPED, id="m_5", derived_from=("belief:m_4", "belief:m_1")),
)


@pytest.mark.parametrize(
    ("changed", "max_depth", "expected"),
    [
        ("belief:m_0", 0, {}),
        ("belief:m_0", 1, {"m_1": 1}),
        ("belief:m_0", 2, {"m_1": 1, "m_2": 2, "m_5": 2}),
        ("belief:m_0", 3, {"m_1": 1, "m_2": 2, "m_3": 3, "m_5": 2}),
        ("belief:m_0", None, {"m_1": 1, "m_2": 2, "m_3": 3, "m_4": 4, "m_5": 2}),
        ("belief:m_4", None, {}),  # as sure as it was
        (None, None, {"m_1": 1, "m_2": 2, "m_3": 3, "m_4": 4, "m_5": 2}),
    ],
)
def test_a_change_goes_no_deeper_than_asked_and_each_step_says_how_deep_it_is(
    changed: str | None, max_depth: int | None, expected: dict[str, int]
) -> None:
    found = planned(vault_of(*ROW), changed=changed and [changed], max_depth=max_depth)
    assert {step.ref.removeprefix("belief:"): step.depth for step in found.steps} == expected


@pytest.mark.parametrize(
    "keys",
    [
        {"supersedes": ("belief:m_e",)},  # carries nothing
        {"confidence_history": (STATED, STATED._replace(timestamp=instant(1), op="edit"))},  # a decision of its own
        {"confidence_history": (STATED._replace(op="support", new=None, evidence_source="raw:m_r", weight=18.0),)},
        {"derived_from": ("belief:m_hidden",)},
        {"confidence": 0.3, "confidence_history": ()},
    ],
)
def test_what_is_not_capped(keys: dict[str, Any]) -> None:
    assert planned(vault_of(PREMISE, replace(CAPPED, **keys))).steps == ()


def test_a_number_without_a_ledger_gets_one_that_says_what_was_stated() -> None:
    bare = replace(CAPPED, confidence_history=(), created_at=instant(0), author="si:ash")
    (step,) = planned(vault_of(PREMISE, bare)).steps
    assert [(line.op, line.new) for line in step.lines] == [("assert", 0.9), ("propagate", 0.4)]


def test_a_memory_made_of_itself_is_not_capped_by_itself() -> None:
    circle = replace(CAPPED, derived_from=("belief:m_b",))
    assert planned(vault_of(circle)) == Plan(steps=(), cycles=((("belief:m_b",)),))


def test_a_chain_of_ten_thousand_ends() -> None:
    chain = [Memory(type="belief", id="m_0000", confidence=0.3)]
    for i in range(1, 10_000):
        chain.append(replace(CAPPED, id=f"m_{i:04}", derived_from=(str(chain[-1].ref),)))
    found = planned(vault_of(*chain), changed=["belief:m_0000"])
    assert (len(found.steps), found.steps[-1].new, found.steps[-1].depth) == (9_999, 0.3, 9_999)


names = st.integers(0, 7).map(str)
numbers = st.floats(0, 1).map(lambda x: round(x, 4))
supports = st.builds(
    line_with,
    timestamp=st.integers(0, 90).map(instant),
    op=st.sampled_from(["support", "partial", "contradict"]),
    evidence_source=names.map(ref),
    weight=st.sampled_from([0.4, 1.0]),
    source_confidence=numbers,
)


@st.composite
def vaults(draw: st.DrawFn) -> BeliefStore:
    """Draw beliefs that rest on each other in any way, circles and all; most of their numbers are not replayed."""
    memories = []
    for i in range(8):
        stated = LedgerLine(timestamp=instant(0), op="assert", new=draw(numbers))
        lines = (stated, *draw(st.lists(supports, max_size=3))) if draw(st.booleans()) else ()
        premises = tuple(map(ref, draw(st.lists(names, max_size=2, unique=True))))
        memories.append(
            Memory(
                type="belief", id=f"m_{i}", confidence=draw(numbers), confidence_history=lines, derived_from=premises
            )
        )
    return vault_of(*memories, gone=(ref("7"),) if draw(st.booleans()) else ())


@given(vaults())
def test_a_plan_that_was_applied_plans_nothing_more(vault: BeliefStore) -> None:
    found = planned(vault)
    assert all(0 <= step.new <= 1 and step.new != step.old and step.lines for step in found.steps)
    assert planned(applied(vault, found)).steps == ()


@given(vaults(), st.randoms())
def test_the_order_of_memories_does_not_matter(vault: BeliefStore, random: Any) -> None:
    shuffled = list(vault.memories.items())
    random.shuffle(shuffled)
    again = planned(replace(vault, memories=dict(shuffled)))
    assert {step.ref: step for step in again.steps} == {step.ref: step for step in planned(vault).steps}
    assert again.cycles == planned(vault).cycles
