"""Loop recognition: recalled text that comes back is linked, and is no new witness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.echo import bites, echo, grams, is_other_event
from memstore.beliefs.evidence import RECALLED, roots
from memstore.beliefs.recall import recall
from memstore.beliefs.reinforce import reinforce
from memstore.lineage.refs import loader
from memstore.memories.create import belief, episode, note, raw
from memstore.memories.show import glance
from tests.memory_workspace import memory_workspace
from tests.support import CountingIds

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

CALL = "Claire called at noon and said that the coast was wet and cold all day."


def derived(ws: Workspace, ref: str | None) -> tuple[str, ...]:
    return glance(ws.view(), ref or "").memory.derived_from


def roots_of(ws: Workspace, ref: str | None) -> tuple[str, ...]:
    return roots(glance(ws.view(), ref or "").memory, loader(ws.view()))


@pytest.fixture
def ws() -> Workspace:
    return memory_workspace()


def test_recalled_text_is_linked_and_has_the_roots_of_what_it_repeats(ws: Workspace) -> None:
    first = raw(ws.view(), CALL, session_id="s1", source="human:claire")
    again = raw(ws.view(), CALL, session_id="s2")
    assert derived(ws, again.ref) == (first.ref, RECALLED)
    assert roots_of(ws, again.ref) == roots_of(ws, first.ref) == ("session:s1",)
    assert [finding.code for finding in again.findings] == ["recalled-text"]


def test_a_pasted_bite_is_recognised_however_short(ws: Workspace) -> None:
    held = belief(ws.view(), "Claire tires early.", confidence=0.7)
    (bite,) = recall(ws.view(), "Is Claire tired early?").beliefs
    again = raw(ws.view(), f"{bite.line}\n", session_id="s2")
    assert derived(ws, again.ref) == (held.ref, RECALLED)


def test_it_does_not_make_a_belief_surer(ws: Workspace) -> None:
    seen = episode(ws.view(), CALL, "It was a long call about the coast.", session_id="s1")
    held = belief(ws.view(), "Claire calls when the coast is wet.", confidence=0.7)
    before = reinforce(ws.view(), held.ref or "", seen.ref or "").new
    again = raw(ws.view(), CALL, session_id="s2")
    assert reinforce(ws.view(), held.ref or "", again.ref or "").new == before


def test_a_text_with_news_of_its_own_is_only_related(ws: Workspace) -> None:
    first = note(ws.view(), CALL)
    news = " ".join(f"word{n}" for n in range(40))
    again = raw(ws.view(), f"{CALL} But then: {news}", session_id="s2")
    memory = glance(ws.view(), again.ref or "").memory
    assert (memory.derived_from, memory.relates_to) == ((), (first.ref,))
    assert roots_of(ws, again.ref) == ("session:s2",)


def test_what_is_vouched_for_said_by_chance_or_new_is_evidence(ws: Workspace) -> None:
    raw(ws.view(), CALL)
    raw(ws.view(), "The build broke again.")
    told = raw(ws.view(), CALL, source_entity="human:sean")
    short = raw(ws.view(), "The build broke again.")
    other = raw(ws.view(), "Something else entirely happened in the garden on that other evening.")
    assert [derived(ws, one.ref) for one in (told, short, other)] == [(), (), ()]
    assert derived(ws, note(ws.view(), CALL).ref) == ()


def test_what_the_writer_may_not_see_is_not_told(ws: Workspace) -> None:
    raw(ws.view(), CALL)
    ash = ws._replace(actor="si:ash", ids=CountingIds("ash"))
    assert derived(ash, raw(ash.view(), CALL).ref) == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_runs_of_words(one: str, other: str) -> None:
    assert grams(one) <= grams(one + " | ") | grams(one)
    found = echo(one, {"a": one, "b": other})
    assert not grams(one) or "a" in found.of


def test_labels_are_taken_off() -> None:
    text = "[Belief (0.80, 3 for / 0 against): Claire likes it hot.] a b.md:14\nand\n[Memory flash: Tea…] c.md:2"
    assert bites(text) == ("Claire likes it hot.\nand\nTea", frozenset({"a b.md", "c.md"}))


def test_a_bite_is_known_from_whatever_folder_it_was_seen() -> None:
    said = "[Memory flash: Tea at five.] {}:9"
    for path in ("notes/tea.md", "tea.md", "../notes/tea.md", "/home/sean/vault/notes/tea.md"):
        assert "tea.md" in bites(said.format(path))[1]
    assert "notes/tea.md" in bites(said.format("/home/sean/vault/notes/tea.md"))[1]


@pytest.mark.parametrize(
    ("line", "text", "path"),
    [
        ("[Memory flash: the coast was wet…] notes/tea.md:4", "the coast was wet", "notes/tea.md"),
        ("> [Belief (0.7): it rains [a lot]] my notes/b c.md:12 ", "> it rains [a lot]", "my notes/b c.md"),
        ("[Memory flash: at sea] (2026-08-30) notes/tea.md:4", "at sea", "notes/tea.md"),
        ("[Memory flash: at sea] (2026-08-30, about human:bob) tea.md:4", "at sea", "tea.md"),
        ("[Memory flash: at sea] (about human:bob) (x).md:4", "at sea", "(x).md"),
        ("[Memory flash: nowhere] .md:4", "[Memory flash: nowhere] .md:4", ""),
        ("[Memory flash: no line] notes/tea.md", "[Memory flash: no line] notes/tea.md", ""),
    ],
)
def test_a_bite_is_a_label_a_text_and_the_line_of_a_file(line: str, text: str, path: str) -> None:
    found, ends = bites(line)
    assert (found, max(ends, key=len, default="")) == (text, path)


@pytest.mark.parametrize("piece", ["[Memory flash: ] a.md:1x ", "[Memory flash: ] a.md:1 ", "[Belief (", "] a.md:1"])
def test_a_line_of_many_labels_does_not_take_for_ever(piece: str) -> None:
    bites(piece * 20_000)  # one pattern for all of it would take days


RUN = "Ran 5 km along the river before breakfast with Tom on Monday, in 31 minutes."


@pytest.mark.parametrize(
    ("other", "is_other"),
    [
        ("Ran 8 km along the river before breakfast with Tom on Monday, in 31 minutes.", True),
        ("Ran five km along the river before breakfast with Tom on Monday, in 31 minutes.", False),
        ("Ran 5 km along the river before breakfast with Tom on Monday, in 45 minutes.", True),
        ("Ran 5 km along the river before breakfast with Ann on Monday, in 31 minutes.", True),
        ("Ran 5 km along the river before breakfast with Tom on Friday, in 31 minutes.", True),
        ("As noted on 3 May: Ran 5 km along the river before breakfast with Tom on Monday, in 31 minutes.", False),
        (
            "2026-05-03 (12) RAN 5 km along the river before breakfast with Tom on Monday, in 31 minutes. So 3 of 4!",
            False,
        ),
        ("1. Ran 5 km along the river before breakfast with Tom on Monday, in 31 minutes.", False),
        ("Jogged 5 km along the river before breakfast with Tom on Monday, in 31 minutes.", False),
        ("Ran 5 km along a river before breakfast.", False),
    ],
)
def test_another_detail_in_its_place_is_another_event(ws: Workspace, other: str, is_other: bool) -> None:  # noqa: FBT001
    first = raw(ws.view(), RUN, session_id="s1")
    again = raw(ws.view(), other, session_id="s2")
    assert is_other_event(other, RUN) == is_other_event(RUN, other) == is_other
    repeats = (first.ref, RECALLED)
    assert derived(ws, again.ref) in (((),) if is_other else (repeats, ()))
    assert roots_of(ws, again.ref) == (("session:s2",) if is_other or not derived(ws, again.ref) else ("session:s1",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Claire called at noon and said that it was wet.", "Anna called at noon and said that it was wet."),
        ("Claire's train was late by ten minutes again.", "Tom's train was late by ten minutes again."),
        ("The walk took us to the lake in the morning.", "The walk took us to the lake in the evening."),
        ("Deployed build 862 to staging.", "Deployed build 863 to staging."),
        ("On 2026-05-03 the lamp in the hall broke.", "On 2026-05-04 the lamp in the hall broke."),
        ("The last bus left at 23:10.", "The last bus left at 23:25."),
    ],
)
def test_other_events_in_the_same_words(one: str, other: str) -> None:
    assert is_other_event(one, other)
    assert not is_other_event(f"{one} {other}", other)  # a text that tells of both repeats each of them
    assert echo(f"{one}\n{other}", {"a": one, "b": other}).of == ("a", "b")


def test_an_event_that_a_bite_cites_is_an_echo_whatever_its_details(ws: Workspace) -> None:
    first = raw(ws.view(), RUN, session_id="s1")
    bite = f"[Memory flash: {RUN.replace('5', '6')}] {first.path}:9"
    again = raw(ws.view(), bite, session_id="s2")
    assert derived(ws, again.ref) == (first.ref, RECALLED)


WORDS = st.lists(
    st.sampled_from(
        [
            "Ran",
            "ran",
            "5",
            "8",
            "31",
            "km",
            "along",
            "the",
            "river",
            "before",
            "Monday",
            "Friday",
            "May",
            "3",
            "Tom",
            "Ann",
            "at",
            "noon",
            ".",
            ",",
            ":",
            "-",
            "\n",
        ]
    ),
    max_size=30,
).map(" ".join)


@given(WORDS, WORDS, WORDS)
def test_what_a_text_adds_makes_no_other_event(text: str, before: str, after: str) -> None:
    assert not is_other_event(f"{before}\n{text}\n{after}", text)
    assert not is_other_event(text, f"{before}\n{text}\n{after}")


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_another_number_is_another_event(one: int, other: int) -> None:
    said = "The night train from Brno had {} passengers on board when it arrived at last."
    found = echo(said.format(one), {"a": said.format(other)})
    assert found.of == (("a",) if one == other else ())
