"""Loop recognition: recalled text that comes back is linked, and is no new witness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.echo import bites, echo, grams
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
