"""What evidence does to a ledger: tables beside laws that hold for any evidence in any order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.evidence import Evidence, against, as_evidence, mark_as_evidence, rests_on, roots
from memstore.beliefs.next_lines import Stance, folded, held, held_now, next_time, replayed, retractions, weigh
from memstore.core.errors import VaultError
from memstore.core.memory import LedgerLine, Memory, Origin
from memstore.core.times import instant

NOW = datetime(2026, 2, 1, 21, 10, 2, tzinfo=UTC)
BELIEF = Memory(type="belief", id="m_belief", confidence=0.85, created_at="2026-02-01T18:04:11Z", author="si:ash")
STATED = LedgerLine(timestamp="2026-01-01T00:00:00Z", op="assert")
EPISODE = Evidence(source="episode:m_e", weight=0.85, roots=("session:42",))
MORE = Evidence(source="raw:m_m", weight=0.5)


def after(memory: Memory, *evidence: Evidence, stance: Stance = Stance.SUPPORT, now: datetime = NOW) -> Memory:
    weighed = weigh(memory, evidence, stance, now=now, by="si:ash", reason=None)
    return replace(memory, confidence=weighed.new, confidence_history=(*memory.confidence_history, *weighed.lines))


# -- the ledger's lines --------------------------------------------------------------------------


def test_the_seeds_number_comes_out_and_says_why() -> None:
    stated, line = after(BELIEF, EPISODE).confidence_history
    assert stated == LedgerLine(timestamp="2026-02-01T18:04:11Z", op="assert", new=0.85, by="si:ash")
    assert line == LedgerLine(
        timestamp="2026-02-01T21:10:02Z", op="support", old=0.85, new=0.8686, evidence_source="episode:m_e",
        weight=0.85, roots=("session:42",), reason="Reinforced by episode:m_e", by="si:ash",
    )  # fmt: skip


def test_the_same_evidence_again_adds_nothing_even_after_an_edit() -> None:
    once = after(BELIEF, EPISODE)
    assert weigh(once, [EPISODE], Stance.SUPPORT, now=NOW, by="x:y", reason="again").lines == ()
    edit = LedgerLine(timestamp="2026-02-02T00:00:00Z", op="edit", old=0.8686, new=0.5)
    edited = replace(once, confidence=0.5, confidence_history=(*once.confidence_history, edit))
    weighed = weigh(edited, [EPISODE], Stance.SUPPORT, now=NOW, by="x:y", reason=None)
    assert (weighed.lines, weighed.new, weighed.counted_before) == ((), 0.5, ("episode:m_e",))


def test_what_a_checkpoint_has_counted_is_not_counted_again() -> None:
    folded = LedgerLine(timestamp="2026-02-01T20:00:00Z", op="checkpoint", new=0.9, counted=("episode:m_e",))
    memory = replace(BELIEF, confidence=0.9, confidence_history=(folded,))
    assert weigh(memory, [EPISODE], Stance.SUPPORT, now=NOW, by="x:y", reason=None).lines == ()


def test_evidence_whose_type_was_changed_is_still_the_same() -> None:
    raw = Evidence(source="raw:m_r", weight=0.85, roots=("raw:m_r",))
    note = Evidence(source="note:m_r", weight=0.85, roots=("note:m_r",))
    once = after(BELIEF, raw)
    weighed = weigh(once, [note], Stance.SUPPORT, now=NOW, by="x:y", reason=None)
    assert (weighed.lines, weighed.counted_before) == ((), ("note:m_r",))
    renamed = [line._replace(evidence_source="note:m_r") for line in once.confidence_history if line.op == "support"]
    named = replace(once, confidence_history=(once.confidence_history[0], *renamed))
    assert retractions(once, named, NOW, "x:y") == []
    checkpoint = replace(once, confidence_history=(folded(once, "x:y"),))
    assert weigh(checkpoint, [note], Stance.SUPPORT, now=NOW, by="x:y", reason=None).lines == ()


def test_what_a_source_said_last_is_what_the_replay_takes_for_it() -> None:
    at = instant(NOW - timedelta(days=1))
    against = LedgerLine(timestamp=at, op="contradict", evidence_source="episode:m_e", weight=0.85)
    for lines in permutations([STATED, against._replace(op="support"), against]):
        memory = replace(BELIEF, confidence=replayed(lines), confidence_history=tuple(lines))
        again = weigh(memory, [EPISODE], Stance.SUPPORT, now=NOW, by="x:y", reason=None)
        assert again.counted_before == ("episode:m_e",)


def test_evidence_may_change_its_mind_and_come_back_after_a_retraction() -> None:
    against = after(after(BELIEF, EPISODE), EPISODE, stance=Stance.CONTRADICT)
    assert [line.op for line in against.confidence_history] == ["assert", "support", "contradict"]
    assert against.confidence == round(5.1 / 6.85, 4)
    retracted = LedgerLine(timestamp="2026-02-03T00:00:00Z", op="retract", evidence_source="episode:m_e")
    back = replace(against, confidence=0.85, confidence_history=(*against.confidence_history, retracted))
    assert after(back, EPISODE).confidence == 0.8686


def test_a_number_changed_by_hand_stands() -> None:
    byhand = replace(after(BELIEF, EPISODE), confidence=0.4)
    weighed = weigh(byhand, [Evidence(source="raw:m_r", weight=0.5)], Stance.SUPPORT, now=NOW, by="x:y", reason=None)
    edit, support = weighed.lines
    assert (edit.op, edit.old, edit.new) == ("edit", 0.8686, 0.4)
    assert (weighed.old, support.old) == (0.4, 0.4)
    assert NOW < datetime.fromisoformat(edit.timestamp) == datetime.fromisoformat(support.timestamp)


@pytest.mark.parametrize(("number", "stored"), [(0.123456789, 0.1235), (-0.0, 0.0)])
def test_a_ledger_has_four_decimals_and_no_zero_with_a_sign(number: float, stored: float) -> None:
    stated, line = after(replace(BELIEF, confidence=number), EPISODE).confidence_history
    assert [str(stated.new), str(line.old)] == [str(stored)] * 2
    edit, _ = after(replace(after(BELIEF, EPISODE), confidence=number), MORE).confidence_history[-2:]
    assert str(edit.new) == str(stored)


def test_a_root_that_spoke_before_moves_nothing() -> None:
    raw = Evidence(source="raw:m_r", weight=0.85, roots=("session:42",))
    both = after(after(BELIEF, EPISODE), raw)
    assert (both.confidence, len(both.confidence_history)) == (0.8686, 3)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (BELIEF, 0.85),
        (replace(BELIEF, confidence=None), 0.8),
        (replace(BELIEF, confidence=None, confidence_history=(STATED._replace(new=0.3),)), 0.3),
        (Memory(type="note"), None),
        (Memory(type="note", confidence_history=(STATED,)), None),
    ],
)
def test_what_is_held(memory: Memory, expected: float | None) -> None:
    assert held(memory) == expected


def test_without_a_confidence_there_is_nothing_to_weigh() -> None:
    with pytest.raises(ValueError, match="note:m_n has no confidence"):
        weigh(Memory(type="note", id="m_n"), [EPISODE], Stance.SUPPORT, now=NOW, by="x:y", reason=None)


def test_times_go_strictly_forward() -> None:
    line = LedgerLine(timestamp="2026-02-01T21:10:02.5Z", op="support")
    assert next_time([], NOW + timedelta(milliseconds=7)) == NOW
    assert next_time([line], NOW) == NOW + timedelta(seconds=1)
    assert next_time([line], NOW + timedelta(hours=1)) == NOW + timedelta(hours=1)


def test_what_is_recorded_at_once_happens_now_and_what_takes_it_back_later() -> None:
    ten = [Evidence(source=f"episode:m_{n}", weight=0.85, roots=(f"session:{n}",)) for n in range(10)]
    memory = after(BELIEF, *ten)
    assert {line.timestamp for line in memory.confidence_history[1:]} == {instant(NOW)}
    assert [line.evidence_source for line in memory.confidence_history[1:]] == [one.source for one in ten]
    more = after(memory, MORE)
    assert more.confidence_history[-1].timestamp == instant(NOW)
    turned = after(more, ten[3], stance=Stance.CONTRADICT)
    assert turned.confidence_history[-1].timestamp == instant(NOW + timedelta(seconds=1))
    for lines in (turned.confidence_history, turned.confidence_history[::-1]):
        assert replayed(lines) == turned.confidence


def test_after_the_last_second_there_is_none() -> None:
    with pytest.raises(VaultError, match="9999-12-31T23:59:59Z, the last time there is"):
        next_time([LedgerLine(timestamp="9999-12-31T23:59:59.5Z", op="support")], NOW)


def test_marks_weigh_nothing_by_themselves() -> None:
    mark = mark_as_evidence("consolidation:2026-02-01")
    assert mark is not None
    assert after(BELIEF, mark).confidence == 0.85
    assert [mark_as_evidence(text) for text in ("consolidation:2026-02-31", "url:https://x", "raw:m_r")] == [None] * 3


sources = st.integers(0, 6).map(str)
pieces = st.builds(
    Evidence,
    source=sources.map(lambda n: f"raw:m_r{n}"),
    weight=st.sampled_from([0.0, 0.4, 0.85, 1.0]),
    roots=st.lists(sources.map(lambda n: f"session:{n}"), max_size=3, unique=True).map(tuple),
)
stances = st.sampled_from(list(Stance))
numbers = st.floats(0, 1).map(lambda x: round(x, 4))


@given(numbers, st.lists(st.tuples(pieces, stances), max_size=6))
def test_what_is_stored_is_always_what_replays(stated: float, said: list[tuple[Evidence, Stance]]) -> None:
    memory = replace(BELIEF, confidence=stated)
    for one, stance in said:
        before = memory
        memory = after(memory, one, stance=stance)
        assert memory.confidence is not None
        assert 0 <= memory.confidence <= 1
        assert memory.confidence_history[: len(before.confidence_history)] == before.confidence_history
        assert after(memory, one, stance=stance) == memory
        times = [datetime.fromisoformat(line.timestamp) for line in memory.confidence_history]
        assert sorted(times) == times
        assert replayed(memory.confidence_history) == memory.confidence


@given(st.lists(pieces, min_size=1, max_size=4, unique_by=lambda one: one.source))
def test_certainty_stays_and_support_never_lowers(evidence: list[Evidence]) -> None:
    assert after(replace(BELIEF, confidence=1.0), *evidence).confidence == 1.0
    raised, lowered = after(BELIEF, *evidence), after(BELIEF, *evidence, stance=Stance.CONTRADICT)
    assert (lowered.confidence or 0) <= 0.85 <= (raised.confidence or 0)


# -- roots ---------------------------------------------------------------------------------------

RAW = Memory(type="raw", id="m_raw", source_type="told_by_human")
MADE = Memory(type="episode", id="m_made", derived_from=("raw:m_raw",))
SESSION = Memory(type="episode", id="m_sess", origin=Origin(session_id="42"), derived_from=("raw:m_raw",))
LEDGER = (
    LedgerLine(timestamp="2026-01-01T00:00:00Z", op="assert", new=0.7),
    LedgerLine(timestamp="2026-01-02T00:00:00Z", op="support", evidence_source="episode:m_sess", roots=("session:42",)),
    LedgerLine(timestamp="2026-01-03T00:00:00Z", op="partial", evidence_source="raw:m_gone", roots=("session:7",)),
    LedgerLine(timestamp="2026-01-04T00:00:00Z", op="contradict", evidence_source="raw:m_raw", roots=("raw:m_raw",)),
)
HELD = Memory(type="belief", id="m_held", confidence_history=LEDGER, source_type="inference", confidence=0.6)
RELATED = Memory(type="belief", id="m_rel", relates_to=("episode:m_made", "belief:m_held"))
ONE = Memory(type="note", id="m_one", derived_from=("note:m_two",))
TWO = Memory(type="note", id="m_two", derived_from=("note:m_one", "context:a walk"))
KNOWN = {str(memory.ref): memory for memory in (RAW, MADE, SESSION, HELD, RELATED, ONE, TWO)}


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (RAW, ("raw:m_raw",)),
        (MADE, ("raw:m_raw",)),
        (SESSION, ("session:42",)),
        (HELD, ("session:42", "session:7")),
        (RELATED, ("raw:m_raw", "session:42", "session:7")),
        (Memory(type="belief", id="m_bare"), ("belief:m_bare",)),
        (Memory(type="belief", id="m_bare", origin=Origin(session_id="9")), ("session:9",)),
        (ONE, ("note:m_one",)),
    ],
)
def test_independent_roots(memory: Memory, expected: tuple[str, ...]) -> None:
    assert roots(memory, KNOWN.get) == expected


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        # What is there is asked itself, whatever a line or a checkpoint noted of it.
        (replace(HELD, confidence_history=(LEDGER[1]._replace(roots=("session:old",)),)), ("session:42",)),
        (
            replace(
                HELD, confidence_history=(LEDGER[0]._replace(op="checkpoint", counted=("episode:m_sess", "session:9")),)
            ),
            ("session:42",),
        ),
        (replace(HELD, confidence_history=(LEDGER[1]._replace(evidence_source=None),)), ("session:42",)),
        # What speaks for a note does not make it.
        (replace(HELD, type="note", confidence_history=(LEDGER[2],)), ("note:m_held",)),
    ],
)
def test_roots_are_asked_where_they_are_and_taken_from_the_ledger_where_not(
    memory: Memory, expected: tuple[str, ...]
) -> None:
    assert roots(memory, KNOWN.get) == expected


def test_a_folded_belief_has_the_roots_that_it_had() -> None:
    whole = replace(HELD, confidence=replayed(LEDGER))
    bare = replace(whole, confidence_history=(folded(whole, "si:ash"),))
    assert roots(bare, KNOWN.get) == ("raw:m_raw", "session:42", "session:7")
    supported = replace(whole, confidence_history=(LEDGER[0], LEDGER[3]._replace(op="support")))
    assert roots(supported, KNOWN.get) == ("raw:m_raw",)
    again = replace(supported, confidence_history=(folded(supported, "si:ash"),))
    assert roots(again, KNOWN.get) == ("raw:m_raw",)
    assert rests_on(again, "raw:m_raw", KNOWN.get)


@given(st.lists(st.integers(0, 360), min_size=1, max_size=6), st.integers(0, 3000))
def test_a_folded_belief_fades_as_its_evidence_did(ages: list[int], later: int) -> None:
    dated = [
        replace(MORE, source=f"raw:m_{i}", at=instant(NOW - timedelta(days=720 + age))) for i, age in enumerate(ages)
    ]
    made = instant(NOW - timedelta(days=1080))
    whole = after(Memory(type="belief", id="m_belief", created_at=made, author="si:ash"), *dated)
    line = folded(whole, "si:ash")
    bare = replace(whole, confidence_history=(line,))
    then = NOW + timedelta(days=later)
    before, now = held_now(whole, then), held_now(bare, then)
    assert before is not None
    assert now == pytest.approx(before, abs=0.01)
    assert line.happened_at is not None
    assert made <= line.happened_at <= max(one.at or "" for one in dated)


def test_what_speaks_against_a_memory_weighs_what_propagation_left_of_it() -> None:
    said = LedgerLine(
        timestamp=instant(NOW), op="contradict", evidence_source="belief:m_held", weight=0.8, source_confidence=0.9
    )
    weaker = LedgerLine(
        timestamp=instant(NOW + timedelta(days=1)), op="propagate", evidence_source="belief:m_held", factor=0.5
    )
    (one,) = against(replace(BELIEF, confidence_history=(said, weaker)))
    assert (one.weight, one.confidence) == (0.4, 0.45)
    assert against(replace(BELIEF, confidence_history=(said, weaker._replace(factor=0.0)))) == []
    (unsure,) = against(replace(BELIEF, confidence_history=(said._replace(source_confidence=None), weaker)))
    assert (unsure.weight, unsure.confidence) == (0.4, None)
    assert against(replace(BELIEF, confidence_history=(said._replace(evidence_source=None),))) == []
    assert against(replace(BELIEF, confidence_history=(said._replace(op="support"),))) == []


def test_a_memory_as_evidence() -> None:
    assert as_evidence(HELD, KNOWN.get) == Evidence(
        source="belief:m_held", weight=0.5, roots=("session:42", "session:7"), confidence=0.6
    )
    assert as_evidence(MADE, KNOWN.get).weight == 0.4


def test_what_rests_on_what() -> None:
    assert rests_on(RELATED, "raw:m_raw", KNOWN.get)
    assert rests_on(SESSION, "raw:m_raw", KNOWN.get)
    assert rests_on(ONE, "note:m_one", KNOWN.get)
    assert not rests_on(RAW, "belief:m_rel", KNOWN.get)


def test_a_chain_of_ten_thousand_has_one_root() -> None:
    chain = {
        f"note:m_{i}": Memory(type="note", id=f"m_{i}", derived_from=(f"note:m_{i + 1}",) if i < 9_999 else ())
        for i in range(10_000)
    }
    assert roots(chain["note:m_0"], chain.get) == ("note:m_9999",)


@pytest.mark.parametrize(
    ("keys", "today"),
    [
        ({}, 0.8),
        ({"importance": "low"}, 0.7),
        ({"importance": "pinned"}, 0.9),
        ({"foundational": True}, 0.9),
        ({"created_at": None}, 0.9),
        ({"confidence": None}, None),
        ({"confidence_history": (STATED._replace(new=0.2),)}, 0.8),  # a hand changed the number, and it stands
        ({"confidence_history": (LedgerLine(timestamp="2027-01-01T00:00:00Z", op="assert", new=0.6),)}, 0.9),
    ],
)
def test_a_stated_confidence_fades_by_half_of_its_weight_a_year_and_as_it_is_important(
    keys: dict[str, Any], today: float | None
) -> None:
    memory = replace(Memory(type="note", confidence=0.9, created_at="2026-01-01T00:00:00Z"), **keys)
    assert held_now(memory, datetime(2027, 1, 1, tzinfo=UTC)) == today
