"""What a memory's numbers would be: the same as after the commands that would make it so, and nothing is written."""

from __future__ import annotations

import pytest

from memstore.beliefs.propagation import propagate
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.config import Config
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.memories.create import belief, episode, note
from memstore.memories.edit import set_keys
from memstore.memories.show import glance
from memstore.memories.what_if import WhatIf, why_if
from tests.memory_workspace import OWNER, files_of, memory_workspace
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


def test_lines_of_a_memory_mean_the_memory_for_both() -> None:
    ws = memory_workspace({})
    held = belief(ws.view(), "Bella limps.", confidence=0.85).ref or ""
    seen = episode(ws.view(), "A walk", "she limped home").ref or ""
    entry = glance(ws.view(), seen).entry
    names = (seen, entry.path, f"{entry.path}:L8", f"{entry.path}:L7-L8", f"[[{seen}#L8]]", "A walk")
    for name in names:
        found = why_if(ws.view(), held, assuming=[f"+{name}"])
        assert (confidence(found)[1], found.assumed) == (0.8686, (f"with {seen} for it",)), name
        assert why_if(ws.view(), held, assuming=[f"-{name} 0.5"]).assumed == (f"with {seen} against it, weight 0.5",)
    reinforce(ws.view(), held, seen)
    line = str(glance(ws.view(), held).file.front.position("confidence_history", 1).line)
    for name in (*names, line):
        found = why_if(ws.view(), held, without=[name])
        assert (confidence(found), found.assumed) == ((0.8686, 0.85), (f"without {seen}",)), name
        again = why_if(ws.view(), held, assuming=[f"+{name}"])
        assert (confidence(again)[1], again.assumed[1:]) == (0.8686, (f"{seen} is counted already",)), name
    for text in (f"+{entry.path}:L99", f"-{entry.path}:L99"):
        with pytest.raises(UsageError, match="lines"):
            why_if(ws.view(), held, assuming=[text])


def test_lines_of_a_plain_note_are_evidence_of_unknown_origin() -> None:
    files = {
        "notes/x.md": b"# Walks\n\nShe limped home.\n",
        "b.md": memory_text("So.\n", type="belief", id="m_b", confidence="0.8"),
    }
    ws = memory_workspace(files)._replace(config=Config(owner=OWNER, notes="mixed"))
    found = why_if(ws.view(), "m_b", assuming=["+notes/x.md:L3"])
    (mark,) = found.assumed
    assert mark.startswith("with file:notes/x.md#L3@")
    assert confidence(found)[1] == confidence(why_if(ws.view(), "m_b", assuming=["+notes/x.md:L3 0.4"]))[1]
    assert (confidence(why_if(ws.view(), "m_b", assuming=["-notes/x.md:L1-L3"]))[1] or 1) < 0.8
    source = mark.split()[1]
    lines = (
        '[{timestamp: "2026-01-01T00:00:00Z", op: assert, new: 0.8}, {timestamp: "2026-01-02T00:00:00Z", '
        f'op: support, evidence_source: "{source}", weight: 0.5}}]'
    )
    held = memory_text("So.\n", type="belief", id="m_b", confidence_history=lines, confidence="0.8154")
    ws = memory_workspace({**files, "b.md": held})._replace(config=Config(owner=OWNER, notes="mixed"))
    for name in ("notes/x.md:L3", source, "4"):
        left_out = why_if(ws.view(), "m_b", without=[name])
        assert (left_out.assumed, confidence(left_out)) == ((f"without {source}",), (0.8154, 0.8)), name
    again = why_if(ws.view(), "m_b", assuming=["+notes/x.md:L3"])
    assert again.assumed[1:] == (f"{source} is counted already",)


def test_lines_that_may_not_be_seen_are_no_lines() -> None:
    files = {
        "b.md": memory_text("So.\n", type="belief", id="m_b", confidence="0.8", owner="si:ash"),
        "h.md": memory_text("Hidden.\n", id="m_h", owner="human:sean"),
        "n.md": b"plain\n",
    }
    ws = memory_workspace(files, actor="si:ash")._replace(config=Config(owner=OWNER, notes="mixed"))
    for path in ("h.md", "n.md", "no.md"):
        with pytest.raises(NotFoundError, match=f"no memory matches `{path}`"):
            why_if(ws.view(), "m_b", without=[f"{path}:L1"])
        with pytest.raises(NotFoundError, match=f"no memory matches `{path}`"):
            why_if(ws.view(), "m_b", assuming=[f"+{path}:L1"])


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
