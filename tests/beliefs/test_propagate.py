from __future__ import annotations

import pytest

from memstore.beliefs.propagation import propagate
from memstore.beliefs.recompute import check_confidences
from memstore.beliefs.reinforce import reinforce
from memstore.core.errors import NotFoundError, UsageError
from memstore.memories.show import show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

FILES = {
    "source.md": memory_text(type="belief", id="m_src", confidence="0.9", source_type="told_by_human"),
    "made.md": memory_text(type="belief", id="m_made", confidence="0.8 # mine", derived_from="[belief:m_src]"),
    "held.md": memory_text(type="belief", id="m_held", confidence="0.6"),
    "heir.md": memory_text(
        type="belief", id="m_heir", confidence="0.8", derived_from="[belief:m_src]", supersedes="belief:m_src"
    ),
    "tombstone.md": memory_text(type="raw", id="m_t"),
}


def weakened(files: dict[str, bytes], number: str = "0.3") -> dict[str, bytes]:
    return {**files, "source.md": files["source.md"].replace(b"confidence: 0.9", f"confidence: {number}".encode())}


def with_evidence() -> dict[str, bytes]:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_held", ["m_src", "m_t"])
    return dict(files_of(ws))


def test_a_plan_writes_nothing_and_applied_says_why() -> None:
    ws = memory_workspace(weakened(with_evidence()))
    before = dict(files_of(ws))
    planned = propagate(ws.view())
    assert [(step.ref, step.new, step.because) for step in planned.plan.steps] == [
        ("belief:m_held", round((0.6 * 6 + 0.3333 + 0.4) / 6.7333, 4), ("belief:m_src",)),
        ("belief:m_made", 0.3, ("belief:m_src",)),
    ]
    assert files_of(ws) == before
    assert propagate(ws.view(), apply=True, dry_run=True).saved[1].diff.count("\n+") == 5
    assert files_of(ws) == before
    propagate(ws.view(), apply=True)
    assert b"confidence: 0.3 # mine\n" in files_of(ws)["made.md"]
    assert (
        b'evidence_source: "belief:m_src", reason: "The confidence of its source changed", by: "human:sean", '
        b"factor: 0.3333}" in files_of(ws)["held.md"]
    )
    assert propagate(ws.view()).plan.steps == ()
    assert check_confidences(ws.view()).unequal == ()


def test_a_source_that_recovers_restores() -> None:
    files = with_evidence()
    ws = memory_workspace(weakened(files))
    propagate(ws.view(), "m_src", apply=True)
    again = memory_workspace({**files_of(ws), "source.md": files["source.md"]})
    propagate(again.view(), "m_src", apply=True)
    for ref in ("m_held", "m_made"):
        assert (
            show_memory(again.view(), ref).memory.confidence
            == show_memory(memory_workspace(files).view(), ref).memory.confidence
        )


def test_a_source_that_was_forgotten_or_deleted_counts_for_nothing() -> None:
    files = with_evidence()
    forgotten = {**files, "tombstone.md": memory_text(type="raw", id="m_t", status="forgotten")}
    deleted = {path: data for path, data in files.items() if path != "tombstone.md"}
    for state in (forgotten, deleted):
        (step,) = propagate(memory_workspace(state).view()).plan.steps
        assert (step.ref, step.because, step.lines[0].factor) == ("belief:m_held", ("raw:m_t",), 0.0)
    # The file that can't be read may be the one that is missing.
    assert propagate(memory_workspace({**deleted, "broken.md": b"---\ntype: [\n---\n"}).view()).plan.steps == ()


def test_others_learn_nothing_of_what_they_may_not_see() -> None:
    files = weakened(with_evidence())
    files = {
        path: data.replace(b"type:", b"owner: si:claire\ntype:", 1) if path != "source.md" else data
        for path, data in files.items()
    }
    assert propagate(memory_workspace(files, actor="si:claire").view()).plan.steps == ()


def test_what_does_not_go_on() -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(NotFoundError):
        propagate(ws.view(), "m_nobody")
    with pytest.raises(UsageError):
        propagate(ws.view(), depth=2)
