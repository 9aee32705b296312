"""Ledgers that are divided, or become one: laws over random ledgers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.ledger import replay, witnesses
from memstore.beliefs.next_lines import joined, part, replayed, standing, whole
from memstore.core.memory import LedgerLine, Memory
from tests.core.ledgers import START, instant, ledgers

NOW = START + timedelta(days=1000)
BY = "human:sean"


def belief(memory_id: str, lines: list[LedgerLine]) -> Memory:
    return Memory(
        type="belief", id=memory_id, confidence=replayed(lines) if lines else 0.7, confidence_history=tuple(lines)
    )


def merged(into: Memory, other: Memory) -> Memory:
    lines = (*into.confidence_history, *joined(into, other, now=NOW, by=BY))
    return replace(into, confidence=replayed(lines), confidence_history=lines)


@given(ledgers)
def test_a_whole_given_to_one_part_is_the_whole(lines: list[LedgerLine]) -> None:
    ledger = whole(belief("m_a", lines), NOW, BY)
    everything = part(ledger, dict.fromkeys(standing(ledger), 1.0), of="belief:m_a", by=BY)
    barrier_is_edit = any(line.op == "edit" for line in ledger)
    if not barrier_is_edit:  # the weight of an edit is that of what was before it, which stays behind
        assert replayed(everything) == replayed(ledger)


@given(ledgers, st.data())
def test_parts_share_the_evidence_and_neither_has_more_than_the_whole(
    lines: list[LedgerLine], data: st.DataObject
) -> None:
    ledger = whole(belief("m_a", lines), NOW, BY)
    shares = {source: data.draw(st.sampled_from([0.0, 0.5, 1.0])) for source in standing(ledger)}
    one = part(ledger, shares, of="belief:m_a", by=BY)
    two = part(ledger, {source: 1 - share for source, share in shares.items()}, of="belief:m_a", by=BY)
    before = {witness.source: witness.weight for witness in witnesses(ledger)}
    after = [witness for side in (one, two) for witness in witnesses(side)]
    for source, weight in before.items():
        given_away = sum(witness.weight for witness in after if witness.source == source)
        assert abs(given_away - weight) <= 1e-4 + 1e-9  # two weights, each rounded to four digits
    assert all(line.new == replayed(side[: i + 1]) for side in (one, two) for i, line in enumerate(side) if i)


@given(ledgers, ledgers)
def test_one_of_two_is_a_union_by_source_and_merging_again_adds_nothing(
    mine: list[LedgerLine], theirs: list[LedgerLine]
) -> None:
    into, other = belief("m_a", mine), belief("m_b", theirs)
    both = merged(into, other)
    assert both.confidence_history[: len(mine)] == into.confidence_history
    ledger = whole(into, NOW, BY)
    named = {line.evidence_source or f"at:{line.timestamp}" for line in ledger}
    assert standing(both.confidence_history).keys() == standing(ledger).keys() | (
        standing(whole(other, NOW, BY)).keys() - named
    )
    assert joined(both, other, now=NOW, by=BY) == ()
    assert merged(into, into).confidence_history == ledger


def test_the_same_evidence_on_both_sides_counts_once() -> None:
    seen = LedgerLine(timestamp=instant(2), op="support", evidence_source="episode:m_e", weight=1.0)
    stated = LedgerLine(timestamp=instant(0), op="assert", new=0.5)
    one, two = belief("m_a", [stated, seen]), belief("m_b", [stated._replace(new=0.9), seen])
    assert merged(one, two) == one
    other = seen._replace(evidence_source="episode:m_f", timestamp=instant(-5))
    both = merged(one, belief("m_b", [other]))
    assert both.confidence == round(5 / 8, 4)
    (added,) = both.confidence_history[2:]
    # It comes after the statement, and is no younger than it must be.
    assert (added.timestamp, added.reason) == ("2026-01-01T00:00:01Z", "Merged from belief:m_b")


def test_what_holds_nothing_takes_over_the_whole_ledger() -> None:
    lines = [
        LedgerLine(timestamp=instant(0), op="assert", new=0.6),
        LedgerLine(timestamp=instant(1), op="contradict", evidence_source="raw:m_r", weight=1.0),
    ]
    note = Memory(type="note", id="m_n")
    added = joined(note, belief("m_b", lines), now=NOW, by=BY)
    assert replay(added) == replay(lines)
    assert joined(note, Memory(type="note", id="m_o"), now=NOW, by=BY) == ()


def test_a_checkpoint_goes_to_both_parts_with_half_its_weight() -> None:
    fold = LedgerLine(timestamp=instant(0), op="checkpoint", new=0.8, precision=10.0, counted=("raw:m_r",))
    (line,) = part((fold,), {}, of="belief:m_a", by=BY)
    assert (line.op, line.new, line.precision, line.counted) == ("checkpoint", 0.8, 5.0, ("raw:m_r",))
    assert datetime.fromisoformat(line.timestamp) == START.astimezone(UTC)
    (weak,) = part((fold._replace(precision=2.6),), {}, of="belief:m_a", by=BY)
    assert weak.precision == 2.0  # less than nothing is not known
