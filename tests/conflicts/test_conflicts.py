"""Conflicts listed and decided; duplicates proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli import conflicts as commands
from memstore.conflicts.among import MOST_NEAR
from memstore.conflicts.compare import Comparer, conflicts
from memstore.conflicts.duplicates import dedupe
from memstore.conflicts.resolve import DECISIONS, resolve_conflict
from memstore.core.errors import NotFoundError, UsageError
from memstore.memories.search import search
from memstore.memories.show import show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.conflict import Conflict
    from memstore.core.memory import Memory
    from memstore.vault.workspace import Workspace

LIKES = memory_text("Sean likes tea\n", id="m_likes", confidence="0.9", tags="[drink]")
DISLIKES = memory_text("Sean dislikes tea\n", id="m_dislikes", confidence="0.5")
FILES = {"a.md": LIKES, "b.md": DISLIKES, "c.md": memory_text("Bella eats at eight\n", id="m_ccc")}


def _open(ws: Workspace, path: str) -> list[Conflict]:
    comparer = Comparer(ws.view())
    side = comparer.side_at(path)
    assert side is not None
    return comparer.conflicts(side)


def memory(ws: Workspace, ref: str) -> Memory:
    return show_memory(ws.view(), ref).memory


def test_each_pair_is_listed_once_and_a_ref_stands_first() -> None:
    ws = memory_workspace(FILES)

    assert [found.refs for found in conflicts(ws.view())] == [("note:m_likes", "note:m_dislikes")]
    assert [found.refs for found in conflicts(ws.view(), "m_dislikes")] == [("note:m_dislikes", "note:m_likes")]
    assert conflicts(ws.view(), "m_ccc") == ()
    assert conflicts(ws.view(), tag="drink")
    assert not conflicts(ws.view(), tag="walk")


def test_the_surer_memory_loses_half_as_much() -> None:
    ws = memory_workspace(FILES)

    assert [found.penalty for found in _open(ws, "a.md")] == [0.15]
    assert [found.penalty for found in _open(ws, "b.md")] == [0.30]
    assert not _open(ws, "c.md")


def test_others_see_no_conflict_with_what_they_may_not_see() -> None:
    shared = {**FILES, "b.md": DISLIKES.replace(b"id: m_dislikes\n", b"id: m_dislikes\nowner: si:ash\n")}
    alone = {"b.md": shared["b.md"]}

    assert conflicts(memory_workspace(shared, actor="si:ash").view()) == conflicts(
        memory_workspace(alone, actor="si:ash").view()
    )
    with pytest.raises(NotFoundError):
        conflicts(memory_workspace(shared, actor="si:ash").view(), "m_likes")


def test_the_one_that_is_kept_takes_the_place_of_the_other() -> None:
    ws = memory_workspace(FILES)
    done = resolve_conflict(ws.view(), "m_likes", "m_dislikes", keep="m_dislikes", reason="asked him")
    lost, kept = memory(ws, "m_likes"), memory(ws, "m_dislikes")

    assert (done.conflict_type, done.decision, done.kept) == ("contradiction", "keep", "note:m_dislikes")
    assert (lost.status, lost.superseded_by, lost.confidence) == ("superseded", ("note:m_dislikes",), 0.9)
    assert (kept.status, kept.supersedes) == ("active", ("note:m_likes",))
    for one, other in ((lost, "note:m_dislikes"), (kept, "note:m_likes")):
        (line,) = one.resolved_conflicts
        assert (line.with_, line.conflict_type, line.decision) == (other, "contradiction", "keep")
        assert (line.by, line.reason) == ("human:sean", "asked him")
    assert conflicts(ws.view()) == ()


def test_both_may_be_true_and_it_is_not_raised_again() -> None:
    ws = memory_workspace(FILES)
    resolve_conflict(ws.view(), "m_likes", "m_dislikes", keep="both")

    assert memory(ws, "m_likes").status == memory(ws, "m_dislikes").status == "active"
    assert memory(ws, "m_likes").resolved_conflicts[0].decision == "both-true"
    assert conflicts(ws.view()) == ()


def test_deciding_twice_changes_nothing() -> None:
    ws = memory_workspace(FILES)
    resolve_conflict(ws.view(), "m_likes", "m_dislikes", keep="m_likes")
    before = dict(files_of(ws))
    again = resolve_conflict(ws.view(), "m_dislikes", "m_likes", keep="m_likes")

    assert not any(saved.changed for saved in again.saved)
    assert files_of(ws) == before


def test_a_dry_run_shows_both_diffs() -> None:
    ws = memory_workspace(FILES)
    done = resolve_conflict(ws.view(), "m_likes", "m_dislikes", keep="m_likes", dry_run=True)

    assert all("+resolved_conflicts:" in saved.diff for saved in done.saved)
    assert files_of(ws) == FILES


@pytest.mark.parametrize(
    ("other", "keep", "decision", "why"),
    [
        ("m_likes", "both", None, "named twice"),
        ("m_dislikes", "m_ccc", None, "neither of the two"),
        ("m_dislikes", "both", "keep", "does not go with"),
        ("m_dislikes", "m_likes", "both-true", "does not go with"),
        ("m_dislikes", "m_likes", "kept", "is no decision"),
    ],
)
def test_what_makes_no_sense_is_refused(other: str, keep: str, decision: str | None, why: str) -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(UsageError, match=why):
        resolve_conflict(ws.view(), "m_likes", other, keep=keep, decision=decision)
    assert files_of(ws) == FILES


def test_duplicates_are_proposed_and_nothing_is_changed() -> None:
    text = "Bella eats half a bowl of dry food at eight in the morning"
    files = {
        "a.md": memory_text(f"{text}.\n", id="m_aaa", created_at='"2026-02-01T10:00:00Z"'),
        "b.md": memory_text(f"{text}\n", id="m_bbb", created_at='"2026-01-01T10:00:00Z"'),
        "c.md": memory_text(f"{text} every day\n", id="m_ccc", confidence="0.9"),
        "other-value.md": memory_text(f"{text.replace('eight', 'nine')}\n", id="m_ddd"),
        "other-subject.md": memory_text(f"{text}\n", id="m_eee", subject_ids="[dog:rex]"),
        "archived.md": memory_text(f"{text}\n", id="m_fff", status="archived"),
        "short.md": memory_text("Likes tea\n", id="m_ggg"),
        "short too.md": memory_text("Likes coffee\n", id="m_hhh"),
    }
    ws = memory_workspace(files)
    (found,) = dedupe(ws.view())

    assert found.command == "memstore conflicts merge note:m_ccc note:m_bbb note:m_aaa"
    assert 0.8 <= found.similarity < 1
    assert files_of(ws) == files


def test_results_of_a_search_tell_of_each_other_and_lose_quality() -> None:
    ws = memory_workspace(FILES)
    likes, dislikes = sorted(search(ws.view(), "tea").hits, key=lambda hit: hit.ref or "", reverse=True)
    (alone,) = search(memory_workspace({"a.md": LIKES}).view(), "tea").hits

    assert [found.refs for found in likes.conflicts] == [("note:m_likes", "note:m_dislikes")]
    assert [found.penalty for found in dislikes.conflicts] == [0.3]
    assert round(alone.quality - likes.quality, 4) == 0.15
    assert not alone.conflicts


def test_results_that_claim_otherwise_tell_of_each_other() -> None:
    claim = '[{subject: "place:park", attribute: "gate", value: "%s"}]'
    files = {
        "a.md": memory_text("The warden wrote a sign, which we read\n", id="m_aaa", claims=claim % "21:00"),
        "b.md": memory_text("Locked out again by that warden today\n", id="m_bbb", claims=claim % "20:00"),
    }

    hits = search(memory_workspace(files).view(), "warden").hits
    told = {hit.ref: [conflict.refs for conflict in hit.conflicts] for hit in hits}
    assert told == {
        "note:m_aaa": [("note:m_aaa", "note:m_bbb")],
        "note:m_bbb": [("note:m_bbb", "note:m_aaa")],
    }


def test_showing_a_memory_tells_of_its_conflicts_and_counts_them() -> None:
    shown = show_memory(memory_workspace(FILES).view(), "m_dislikes")
    alone = show_memory(memory_workspace({"b.md": DISLIKES}).view(), "m_dislikes")

    assert [found.refs[1] for found in shown.conflicts] == ["note:m_likes"]
    assert shown.grounds.penalty == 0.3
    assert (alone.quality, shown.quality) == (0.25, 0.0)


NO_MATTER = "".join(f"Line {at} tells of nothing else.\n\n" for at in range(MOST_NEAR))
APPROVED, NOT_APPROVED = "The board approved the report.", "The report was not approved by the board."


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        (f"{APPROVED}\n", f"{NOT_APPROVED}\n", 1),
        (f"{NO_MATTER}{APPROVED}\n\n{NO_MATTER}", f"{NOT_APPROVED}\n\n{NO_MATTER}", 1),  # however long it is
        (f"The board met.\n\n{APPROVED}\n", f"The board met.\n\n{NOT_APPROVED}\n", 1),  # what stands near it
        (f"The board met.\n\n{NO_MATTER}{APPROVED}\n", f"The board met.\n\n{NOT_APPROVED}\n", 0),
    ],
)
def test_a_search_compares_what_it_shows_and_what_stands_nearest(one: str, other: str, count: int) -> None:
    ws = memory_workspace(
        {"a.md": memory_text(one, id="m_aaa", title="One"), "b.md": memory_text(other, id="m_bbb", title="Other")}
    )
    asked = "report approved" if "met" not in one else "met"

    assert [len(hit.conflicts) for hit in search(ws.view(), asked).hits] == [count] * 2
    assert conflicts(ws.view())  # which looks at all that they say


def test_a_title_names_what_a_memory_is_about_and_states_nothing() -> None:
    said = "The library is open on Sundays", "The library is closed on Sundays"
    titled = {f"{at}.md": memory_text("We met.\n", id=f"m_{at}", title=text) for at, text in enumerate(said)}
    stated = {f"{at}.md": memory_text(f"{text}.\n", id=f"m_{at}", title="Library") for at, text in enumerate(said)}

    assert conflicts(memory_workspace(titled).view()) == ()
    assert len(conflicts(memory_workspace(stated).view())) == 1


def test_a_sentence_that_would_contradict_many_contradicts_none() -> None:
    doses = {f"{at}.md": memory_text(f"The dose is {at} mg.\n", id=f"m_{at}") for at in range(1, 6)}
    view = memory_workspace(doses).view()
    few = memory_workspace({path: doses[path] for path in ("1.md", "2.md", "3.md")}).view()

    assert conflicts(view) == conflicts(view, "note:m_1") == ()
    assert len(conflicts(few)) == 3
    assert {one.refs[1] for one in conflicts(few, "note:m_1")} == {"note:m_2", "note:m_3"}


def test_claims_of_one_attribute_are_all_reported() -> None:
    claim = '[{subject: "place:park", attribute: "gate closes", value: "%s:00"}]'
    gates = {f"{at}.md": memory_text("See the claim.\n", id=f"m_{at}", claims=claim % at) for at in range(17, 22)}

    assert len(conflicts(memory_workspace(gates).view())) == 10


def test_the_command_offers_the_decisions_that_there_are() -> None:
    (offered,) = (param.type for param in commands.resolve.params if param.name == "decision")
    assert isinstance(offered, click.Choice)
    assert tuple(offered.choices) == DECISIONS
