"""Registered aliases are one name in conflicts and candidates; words that only look like names are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.recall import recall
from memstore.conflicts.candidates import candidates
from memstore.conflicts.compare import conflicts
from memstore.conflicts.gisting import gists_of
from memstore.conflicts.gists import _read, rows_of
from memstore.files import memory_file
from memstore.memories.search import search
from memstore.search import DERIVED
from memstore.search.aliases import NO_ALIASES, Aliases
from memstore.search.local_state import DerivedCache
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PEOPLE = {
    "human:kiran": ("Kiran Rao", "KR"),
    "human:rosalind": ("Rosalind Teo", "Rose"),
    "human:william": ("William Aske", "Will"),
    "human:alex_a": ("Alex Aldous", "Al"),
    "human:alex_b": ("Alex Bright", "Al"),
    "org:it": ("Information Desk", "IT"),
    "project:heron": ("Project Heron", "Grey Bird"),
}
ALIASES = Aliases(PEOPLE)


def registry(people: Mapping[str, tuple[str, ...]]) -> dict[str, bytes]:
    return {
        f"entities/{name.replace(':', '/')}.md": (
            f"---\ntype: entity\nid: {name}\naliases: [{', '.join(aliases)}]\n---\n".encode()
        )
        for name, aliases in people.items()
    }


def files(*said: str) -> dict[str, bytes]:
    return {f"{at}.md": memory_text(f"{text}\n", id=f"m_{at}", owner="human:sean") for at, text in enumerate(said)}


def found(*said: str, people: Mapping[str, tuple[str, ...]] | None = None) -> list[tuple[str, ...]]:
    ws = memory_workspace({**files(*said), **registry(PEOPLE if people is None else people)})
    return [tuple(lines.said for lines in one.lines) for one in conflicts(ws.view())]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kiran Rao is allergic to walnuts.", "KR is not allergic to walnuts."),
        ("Kiran Rao lives in Leeds now.", "Since May, KR lives in York."),
        ("Project Heron is finished.", "Grey Bird is not finished."),
        ("Kiran Rao's bike is blue.", "KR's bike is green."),
        ("In winter the library is run by Rose.", "In winter the library is not run by Rosalind Teo."),
        ("KR joined the choir. She is deaf.", "Kiran Rao is not deaf."),
    ],
)
def test_what_is_said_under_two_names_of_one_entity_is_compared_as_written(one: str, other: str) -> None:
    assert found(one, other, people={}) == []
    told = found(one, other)
    assert len(told) == 1
    assert all(said in one + other for said in told[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rose is a colour that Rosalind Teo likes.", "Rose is not a colour."),
        ("Rosalind Teo is allergic to nuts.", "Rose hips are not nuts."),
        ("William Aske is in the garden.", "Will the gate is not in the garden."),
        ("William Aske has signed the lease.", "The will is not signed."),
        ("Al is allergic to walnuts.", "Alex Aldous is not allergic to walnuts."),
        ("Alex Aldous owns a boat.", "Alex Bright owns no boat."),
        ("KR is allergic to walnuts.", "Kiran Mehta is not allergic to walnuts."),
        ("KR Motors is closed on Mondays.", "Kiran Rao is not closed on Mondays."),
        ("The Information Desk is open.", "It is not open."),
        ("Kiran is tall.", "Kiran Rao Junior is not tall."),
    ],
)
def test_what_only_looks_like_another_name_is_nobody_elses(one: str, other: str) -> None:
    assert found(one, other) == found(one, other, people={})


def test_the_names_that_a_viewer_may_not_know_of_are_two_to_them() -> None:
    said = files("Kiran Rao is allergic to walnuts.", "KR is not allergic to walnuts.")
    shown = {path: data.replace(b"owner:", b'access_grants: ["*"]\nowner:') for path, data in said.items()}
    vault = {**shown, **registry(PEOPLE)}
    assert len(conflicts(memory_workspace(vault).view())) == 1
    others = memory_workspace(vault, actor="si:ash").view()
    assert len(others.rows) == 2
    assert conflicts(others) == ()
    kiran = memory_workspace(vault, actor="human:kiran").view()
    assert len(conflicts(kiran)) == 1


def test_candidates_are_found_under_another_name() -> None:
    said = ("KR moved to the office in York.", "Kiran Rao sits in the office in Leeds.", *["The sun is out."] * 5)
    ws = memory_workspace({**files(*said), **registry(PEOPLE)})
    (one,) = candidates(ws.view(), "0.md")
    assert (one.text, one.concerns.text) == (said[1], said[0])
    assert {"kiran", "rao"} <= {*one.why}


def test_what_was_compared_is_compared_again_when_an_alias_comes_or_goes(tmp_path: Path) -> None:
    said, kept = files("Kiran Rao is tall.", "KR is not tall."), DerivedCache(tmp_path / "cache")
    for people, found in (({}, 0), (PEOPLE, 1), ({"human:kiran": ("Kiran Rao", "K. Rao")}, 0), (PEOPLE, 1)):
        ws = memory_workspace({**said, **registry(people)}).having(DERIVED, kept)
        assert len(conflicts(ws.view())) == found


def test_an_alias_is_replaced_where_it_stands_alone() -> None:
    told = ALIASES.as_one("KR, kr and Kr met Kiran Rao's aunt (K.R. Ltd). grey bird, Grey Bird and IT; it is Rose.")
    assert told == (
        "Kiran Rao, kr and Kr met Kiran Rao's aunt (K.R. Ltd). grey bird, Project Heron and Information Desk; it is"
        " Rosalind Teo."
    )


words = st.lists(st.sampled_from(["KR", "Kiran", "Rao", "Rose", "Al", "will", "Will", "the", "\n", ". ", "é", "\x1f"]))


@given(words.map(" ".join))
def test_one_name_is_the_same_twice_and_none_changes_nothing(text: str) -> None:
    once = ALIASES.as_one(text)
    assert ALIASES.as_one(once) == once
    assert NO_ALIASES.as_one(text) == text
    assert not ALIASES.others_in("the end")
    assert ALIASES.state != Aliases({**PEOPLE, "dog:b": ("Bo", "Bobo")}).state


@given(words.map(" ".join))
def test_gists_are_kept_with_both_texts(text: str) -> None:
    file = memory_file.read("a.md", memory_text(f"{text} is not a tall man.\n", id="m_a"))
    assert isinstance(file, memory_file.MemoryFile)
    made = gists_of(file, ALIASES)
    assert [*_read(tuple(rows_of(made)))] == [*made]


WHO_IS_ILL = ("KR is ill with the flu.", "Kiran Mehta is well.", "The flu is about.", *["The sun is out."] * 5)


@pytest.mark.parametrize("asked", ["How is Kiran Rao?", "is KR ill", "Has Kiran Rao the flu?", "Kiran Rao"])
def test_a_search_and_recall_find_what_is_said_under_another_name(asked: str) -> None:
    ws = memory_workspace({**files(*WHO_IS_ILL), **registry(PEOPLE)})
    assert search(ws.view(), asked).hits[0].path == "0.md"
    assert not search(ws.view(), asked).hits[0].by_also
    assert search(ws.view(), asked).weak is False
    assert "KR is ill" in recall(ws.view(), asked).memories[0].text


def test_a_search_for_somebody_counts_their_other_names_for_whoever_may_know_them() -> None:
    said = {path: data.replace(b"owner:", b'access_grants: ["*"]\nowner:') for path, data in files(*WHO_IS_ILL).items()}
    ws = memory_workspace({**said, **registry(PEOPLE)}, actor="si:ash")
    assert "0.md" not in [hit.path for hit in search(ws.view(), "Kiran Rao").hits]
    assert "0.md" not in [hit.path for hit in search(ws.view(), "kiran rao").hits]
    owners = memory_workspace({**said, **registry(PEOPLE)})
    assert "0.md" in [hit.path for hit in search(owners.view(), "Kiran Rao").hits]
    assert "0.md" not in [hit.path for hit in search(owners.view(), '"Kiran Rao"').hits]  # to the letter


def test_other_names_are_found_in_memories_of_other_languages() -> None:
    said = files("Die Lampe gehört Hansens, wie ich weiß.", *["Die Sonne scheint, und es ist warm."] * 3)
    said = {path: data.replace(b"owner:", b"language: de\nowner:") for path, data in said.items()}
    ws = memory_workspace({**said, **registry({"human:jo": ("Hansens", "Jo Lund")})})
    assert [hit.path for hit in search(ws.view(), "Jo Lund").hits] == ["0.md"]
