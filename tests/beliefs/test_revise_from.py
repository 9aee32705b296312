"""What an episode says of beliefs, and what numbers would be if all evidence were weighed again."""

from __future__ import annotations

import pytest

from memstore.beliefs.recompute import rebuild_from_episodes
from memstore.beliefs.reinforce import reinforce
from memstore.beliefs.revise import record, revise_from
from memstore.core.errors import NotFoundError, UsageError
from memstore.memories.show import show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

FILES = {
    "likes.md": memory_text("Sean likes tea.\n", type="belief", id="m_likes", confidence="0.8"),
    "not.md": memory_text("Sean dislikes tea.\n", type="belief", id="m_not", confidence="0.4"),
    "cats.md": memory_text("Cats sleep all day.\n", type="belief", id="m_cats", confidence="0.4"),
    "old.md": memory_text("Sean likes tea.\n", type="belief", id="m_old", status="archived"),
    "note.md": memory_text("Sean likes tea.\n", id="m_note"),
    "e.md": memory_text("Breakfast. Sean likes tea.\n", type="episode", id="m_e", source_type="direct_experience"),
    "noid.md": memory_text("Sean likes tea.\n"),
}


def test_beliefs_are_proposed_with_the_command_that_records_it() -> None:
    ws = memory_workspace(FILES)
    found = revise_from(ws.view(), "m_e")
    assert [(one.command, one.path) for one in found] == [
        ("memstore contradict belief:m_not --evidence episode:m_e", "not.md"),
        ("memstore reinforce belief:m_likes --evidence episode:m_e", "likes.md"),
    ]
    assert files_of(ws) == FILES
    for one in found:
        assert record(ws.view(), one) == one.new == show_memory(ws.view(), one.ref).memory.confidence
    assert revise_from(ws.view(), "m_e") == ()


def test_what_rests_on_the_belief_itself_says_nothing_new_of_it() -> None:
    made = memory_text("Sean likes tea.\n", type="episode", id="m_e", derived_from="[belief:m_likes]")
    assert [one.ref for one in revise_from(memory_workspace({**FILES, "e.md": made}).view(), "m_e")] == ["belief:m_not"]


def test_what_can_not_speak() -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(NotFoundError):
        revise_from(ws.view(), "m_nobody")
    with pytest.raises(UsageError):
        revise_from(ws.view(), "noid.md")


def test_numbers_made_anew_follow_the_evidence_as_it_is_now() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_likes", "m_e")
    assert rebuild_from_episodes(ws.view()).differing == ()
    files = {**files_of(ws)}
    lesser = memory_workspace({**files, "e.md": files["e.md"].replace(b"direct_experience", b"inference")})
    (one,) = rebuild_from_episodes(lesser.view()).differing
    assert (one.ref, one.rebuilt, one.because) == ("belief:m_likes", round(5.3 / 6.5, 4), ("episode:m_e",))
    gone = memory_workspace({path: data for path, data in files.items() if path != "e.md"})
    assert [one.rebuilt for one in rebuild_from_episodes(gone.view()).differing] == [0.8]
    assert files_of(lesser)["likes.md"] == files["likes.md"]


EXPECTED = [
    ("Claire will like the tea.", "Breakfast.\n\n## Outcome\n\nClaire did not like the tea.", "contradict"),
    ("Claire will like the tea.", "Claire liked the tea.", "support"),
    ("Claire won't like the tea.", "Claire liked the tea.", "contradict"),
    ("I expect that Claire likes the tea.", "Claire did not like the tea.", "contradict"),
    ("The vet expects that Bella will recover quickly.", "Bella recovered quickly.", "support"),
    ("The boiler is going to last the winter.", "The boiler did not last the winter.", "contradict"),
    ("The tests will pass without the cache.", "The tests failed without the cache.", "contradict"),
    ("The soup will be good.", "The soup was not good.", "contradict"),
    ("Claire will like the tea.", "Sean did not like the tea.", None),
    ("Claire will like the tea.", "Will Claire like the tea?", None),
]


@pytest.mark.parametrize(("expected", "happened", "stance"), EXPECTED)
def test_an_outcome_speaks_for_or_against_what_was_expected(expected: str, happened: str, stance: str | None) -> None:
    def stances(then: str, later: str) -> list[str]:
        files = {
            "b.md": memory_text(f"{expected}\n", type="belief", id="m_bel", confidence="0.7", created_at=f'"{then}"'),
            "e.md": memory_text(f"{happened}\n", type="episode", id="m_epi", created_at=f'"{later}"'),
        }
        return [one.stance.value for one in revise_from(memory_workspace(files).view(), "m_epi")]

    days = "2026-01-01T00:00:00Z", "2026-01-20T00:00:00Z"
    assert stances(*days) == ([stance] if stance else [])
    assert stances(*reversed(days)) == []  # what came before can't be the outcome


CASES = [
    ("The printer on floor two jammed again today.", "support", "it happened once more"),
    ("The printer on floor two printed all day without jamming.", "partial", "it did not happen this time"),
]


@pytest.mark.parametrize(("case", "stance", "why"), CASES)
def test_one_case_speaks_for_a_habit_or_weakens_it(case: str, stance: str, why: str) -> None:
    files = {
        "b.md": memory_text("The printer on floor two jams often.\n", type="belief", id="m_bel", confidence="0.8"),
        "e.md": memory_text(f"Minutes for the board.\n\n{case}\n", type="episode", id="m_epi"),
    }
    ws = memory_workspace(files)

    (one,) = revise_from(ws.view(), "m_epi")

    assert (one.stance.value, one.why, one.line) == (stance, why, 6)
    assert (one.new > one.old) == (stance == "support")
    assert one.command.startswith("memstore reinforce belief:m_bel --evidence episode:m_epi")
    assert (" --partial " in one.command) == (stance == "partial")
    assert record(ws.view(), one) == one.new
    last = show_memory(ws.view(), one.ref).memory.confidence_history[-1]
    assert (last.op, last.reason) == (stance, f"One case: {one.why}")
    assert rebuild_from_episodes(ws.view()).differing == ()
    assert revise_from(ws.view(), "m_epi") == ()


def test_a_case_against_a_habit_that_is_hardly_believed_says_nothing_for_it() -> None:
    files = {
        "b.md": memory_text("The printer on floor two jams often.\n", type="belief", id="m_bel", confidence="0.3"),
        "e.md": memory_text(f"{CASES[1][0]}\n", type="episode", id="m_epi"),
    }
    assert revise_from(memory_workspace(files).view(), "m_epi") == ()
