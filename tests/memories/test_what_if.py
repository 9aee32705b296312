"""What a memory's numbers would be: the same as after the commands that would make it so, and nothing is written."""

from __future__ import annotations

import pytest

from memstore.beliefs.propagation import propagate
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.memories.create import belief, episode, note
from memstore.memories.edit import set_keys
from memstore.memories.show import glance
from memstore.memories.what_if import WhatIf, why_if
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text


def confidence(found: WhatIf) -> tuple[float | None, float | None]:
    return found.why.numbers[0].value, found.numbers[0].value


def test_added_evidence_does_what_recording_it_does() -> None:
    ws = memory_workspace({})
    held = belief(ws.view(), "Bella limps.", confidence=0.85).ref or ""
    seen = episode(ws.view(), "A walk", "she limped home").ref or ""
    ran = episode(ws.view(), "A run", "she ran").ref or ""
    before = files_of(ws)
    for sign, record in (("+", reinforce), ("-", contradict)):
        would_be = why_if(ws.view(), held, assuming=[f"{sign}{seen}"])
        assert confidence(would_be) == (0.85, record(ws.view(), held, seen, dry_run=True).new)
    assert confidence(why_if(ws.view(), held, assuming=[f"-{ran} 0"]))[1] == 0.85
    weighty = why_if(ws.view(), held, assuming=[f"-{ran} 1.0"])
    assert (confidence(weighty)[1] or 1) < contradict(ws.view(), held, ran, dry_run=True).new
    assert files_of(ws) == before


def test_without_evidence_it_is_what_it_was_before() -> None:
    ws = memory_workspace({})
    held = belief(ws.view(), "Bella limps.", confidence=0.85).ref or ""
    seen = episode(ws.view(), "A walk", "she limped home").ref or ""
    ran = episode(ws.view(), "A run", "she ran").ref or ""
    only = reinforce(ws.view(), held, seen).new
    contradict(ws.view(), held, ran)
    assert confidence(why_if(ws.view(), held, without=[ran]))[1] == only
    assert confidence(why_if(ws.view(), held, without=[ran.partition(":")[2]]))[1] == only
    assert confidence(why_if(ws.view(), held, without=[ran, seen]))[1] == 0.85
    file = glance(ws.view(), held).file
    line = str(file.front.position("confidence_history", 2).line)
    found = why_if(ws.view(), held, without=[line])
    assert (confidence(found)[1], found.assumed) == (only, (f"without {ran}",))
    retracted = found.numbers[0].terms[-1]
    assert (retracted.name, found.would_be.line_of(retracted)) == ("retract", None)
    with pytest.raises(NotFoundError, match="no evidence stands on line 1 "):
        why_if(ws.view(), held, without=["1"])


def test_another_confidence_does_what_propagation_does() -> None:
    ws = memory_workspace({})
    first = belief(ws.view(), "The vet is always right.", confidence=0.9).ref or ""
    held = belief(ws.view(), "Bella is healthy.", confidence=0.8).ref or ""
    last = belief(ws.view(), "Bella may run.", confidence=0.8, derived_from=[held]).ref or ""
    reinforce(ws.view(), held, first)
    # Two links away as well as next to it.
    would_be = {ref: confidence(why_if(ws.view(), ref, assuming=[f"{first}=0.3"]))[1] for ref in (held, last)}
    own = confidence(why_if(ws.view(), held, assuming=[f"{held}=0.3"]))[1]
    assert confidence(why_if(ws.view(), last, assuming=[f"{held}=0.3"]))[1] == own == 0.3
    set_keys(ws.view(), first, {"confidence": ["0.3"]})
    propagate(ws.view(), apply=True)
    assert would_be == {ref: glance(ws.view(), ref).memory.confidence for ref in (held, last)}


def test_without_the_other_side_a_conflict_costs_nothing() -> None:
    ws = memory_workspace({})
    one = belief(ws.view(), "Bella likes the sea.", confidence=0.6).ref or ""
    other = belief(ws.view(), "Bella does not like the sea.", confidence=0.7).ref or ""
    quality = {number.name: number.value for number in why_if(ws.view(), one, without=[other]).numbers}["quality"]
    now = glance(ws.view(), one).quality
    assert quality == pytest.approx(now + 0.3, abs=2e-4)
    # Held with more confidence than the other side, it loses half as much.
    surer = why_if(ws.view(), one, assuming=[f"{other}=0.5"]).numbers[2].value
    assert surer == pytest.approx(now + 0.15, abs=2e-4)


def test_a_number_that_a_hand_set_stands() -> None:
    ledger = (
        '[{timestamp: "2026-01-01T00:00:00Z", op: assert, new: 0.8}, {timestamp: "2026-01-02T00:00:00Z", '
        'op: support, evidence_source: "note:m_gone", weight: 0.5}]'
    )
    text = memory_text("So.\n", type="belief", id="m_held", confidence="0.4", confidence_history=ledger)
    found = why_if(memory_workspace({"a.md": text}).view(), "m_held", without=["note:m_gone"])
    assert confidence(found) == (0.4, 0.4)
    assert found.why.numbers[1] == found.numbers[1]


def test_what_is_no_assumption_is_refused() -> None:
    ws = memory_workspace({})
    held = belief(ws.view(), "Bella limps.", confidence=0.85).ref or ""
    plain = note(ws.view(), "Rain.").ref or ""
    for text in ("zzz", f"{held}=1.5", f"+{plain} 2", f"{held}=0.2.3"):
        with pytest.raises(UsageError):
            why_if(ws.view(), held, assuming=[text])
    with pytest.raises(RefusedError):
        why_if(ws.view(), held, assuming=[f"+{held}"])
    with pytest.raises(NotFoundError):
        why_if(ws.view(), held, without=["m_nothing"])
    with pytest.raises(UsageError, match="has no confidence"):
        why_if(ws.view(), plain, assuming=[f"+{held}"])
