"""Conflicts as memories are written, with candidates from the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from memstore.conflicts.compare import Comparer, conflicts
from memstore.conflicts.gisting import gists_of
from memstore.conflicts.gists import kept_gists
from memstore.conflicts.sides import MOST_STATEMENTS, side_of
from memstore.conflicts.statements import each_statement, statement_of
from memstore.core.digests import blob_id
from memstore.memories.add import add_memory
from memstore.memories.edit import set_keys, tag
from memstore.memories.promote import supersede
from memstore.search import DERIVED
from memstore.search.aliases import NO_ALIASES
from memstore.search.index import APART_ALL, GISTS
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.search.local_state import DerivedCache
    from memstore.vault.workspace import Workspace


def refs(ws: Workspace, path: str) -> list[str]:
    file = ws.view().read(path)
    assert file
    return [found.refs[1] for found in Comparer(ws.view()).conflicts(side_of(file))]


def test_adding_tells_of_what_says_otherwise() -> None:
    ws = memory_workspace()
    first = add_memory(ws.view(), {}, "User likes tea")
    second = add_memory(ws.view(), {}, "User dislikes tea")

    assert first.conflicts == ()
    assert [found.refs for found in second.conflicts] == [(second.ref, first.ref)]


def test_a_state_finds_its_evidence_among_many_memories_of_one_person() -> None:
    many = {
        f"{number}.md": memory_text(f"User likes lamp {chr(97 + number % 26)}x{number} at work\n", id=f"m_{number}")
        for number in range(60)
    }
    steak = memory_text("User orders a big steak at the Anchor every Friday with a few friends\n", id="m_steak")
    ws = memory_workspace(many | {"steak.md": steak})

    vegan = add_memory(ws.view(), {}, "User is vegan and has been for years, as the family knows")
    assert [found.refs[1] for found in vegan.conflicts] == ["note:m_steak"]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("state", "evidence"),
    [
        ("User is vegan and has been for years, as the family knows", "User orders a big steak every Friday"),
        ("I am vegan", "I grill a steak for my dinner on Sundays"),
        ("User can't swim", "User swims across the whole lake every morning with a few friends"),
    ],
)
def test_evidence_finds_the_state_that_excludes_it(state: str, evidence: str) -> None:
    who = state.split(" ", 1)[0]
    many = {
        f"{number}.md": memory_text(f"{who} likes lamp {chr(97 + number % 26)}x{number} at work\n", id=f"m_{number}")
        for number in range(60)
    }
    ws = memory_workspace(many | {"state.md": memory_text(f"{state}\n", id="m_state")})

    added = add_memory(ws.view(), {}, evidence)
    assert [found.refs[1] for found in added.conflicts] == ["note:m_state"]
    assert {str(added.ref), "note:m_state"} in [{*found.refs} for found in conflicts(ws.view())]


def test_a_dry_run_tells_it_too() -> None:
    ws = memory_workspace({"a.md": memory_text("User likes tea\n", id="m_aaa")})

    assert add_memory(ws.view(), {}, "User dislikes tea", dry_run=True).conflicts
    assert list(files_of(ws)) == ["a.md"]


def test_only_what_is_said_anew_is_compared() -> None:
    ws = memory_workspace(
        {"a.md": memory_text("User likes tea\n", id="m_aaa"), "b.md": memory_text("User dislikes tea\n", id="m_bbb")}
    )

    assert not tag(ws.view(), "m_aaa", add=["drink"]).conflicts
    assert set_keys(ws.view(), "m_aaa", {"title": ["User likes coffee"]}).conflicts


def test_what_is_superseded_in_the_same_operation_is_no_conflict() -> None:
    ws = memory_workspace({"a.md": memory_text("User likes tea\n", id="m_aaa")})

    assert not supersede(ws.view(), "m_aaa", "User dislikes tea").saved.conflicts


def test_nobody_hears_of_what_they_may_not_see() -> None:
    files = {"a.md": memory_text("User likes tea\n", id="m_aaa")}
    others = memory_workspace(files, actor="si:ash")

    assert add_memory(memory_workspace(files).view(), {}, "User dislikes tea").conflicts
    assert not add_memory(others.view(), {}, "User dislikes tea").conflicts


def test_claims_are_found_by_subject_and_attribute_alone() -> None:
    claim = '[{subject: "place:park", attribute: "gate", value: "%s"}]'
    noise = {f"n{at}.md": memory_text(f"Sign number {at} said so\n", id=f"m_n{at}") for at in range(50)}
    ws = memory_workspace(
        {
            **noise,
            "a.md": memory_text("The sign said so\n", id="m_aaa", claims=claim % "21:00"),
            "b.md": memory_text("Nothing alike\n", id="m_bbb", claims=claim % "20:00"),
        }
    )

    assert refs(ws, "a.md") == ["note:m_bbb"]
    assert refs(ws, "b.md") == ["note:m_aaa"]


def test_among_many_alike_the_one_that_says_otherwise_is_found() -> None:
    noise = {f"n{at}.md": memory_text(f"Guest {at} likes the green tea a lot\n", id=f"m_n{at}") for at in range(200)}
    ws = memory_workspace({**noise, "a.md": memory_text("Claire likes tea\n", id="m_aaa")})

    assert [found.refs[1] for found in add_memory(ws.view(), {}, "Claire dislikes tea").conflicts] == ["note:m_aaa"]


def test_code_is_not_compared_and_long_texts_in_part() -> None:
    ws = memory_workspace(
        {
            "code.md": memory_text("```\nUser likes tea\n```\n", id="m_ccc"),
            "long.md": memory_text("".join(f"Word{at} is here. " for at in range(500)), id="m_lll"),
        }
    )
    code, long = (ws.view().read(path) for path in ("code.md", "long.md"))
    assert code
    assert long

    assert not side_of(code).statements
    assert len(side_of(long).statements) == MOST_STATEMENTS


def test_of_a_long_text_only_what_is_compared_is_taken_apart() -> None:
    text = " ".join(f"Bella{at} is there." for at in range(10 * MOST_STATEMENTS))
    long = memory_workspace({"long.md": memory_text(text, id="m_lll")}).view().read("long.md")
    assert long
    before = statement_of.cache_info().misses
    assert len(side_of(long).statements) == MOST_STATEMENTS
    assert statement_of.cache_info().misses - before <= MOST_STATEMENTS + 1


def test_the_lines_of_a_text_are_counted() -> None:
    found = [*each_statement("Bella eats.\nMax\nsleeps. Rex barks.\n\nTom\nruns\nfar.\n")]
    assert [(one.line_start, one.line_end) for one in found] == [(0, 0), (1, 2), (2, 2), (4, 6)]


class Kept:
    """Keeps what is computed, in memory."""

    def __init__(self) -> None:
        self.found: dict[str, Mapping[str, Sequence[str]]] = {}
        self.reads = 0

    def last(self, name: str, _state: str) -> Mapping[str, Sequence[str]]:
        self.reads += name in self.found
        return self.found.get(name, {})

    def keep(self, name: str, _state: str, found: Mapping[str, Sequence[str]]) -> None:
        self.found[name] = found


TOLD = {
    "a.md": memory_text("The gate code is 4471\n\nUser likes tea\n", id="m_a", title="Codes"),
    "b.md": memory_text("User dislikes tea\n", id="m_b"),
    "c.md": memory_text("The gate code is 8820\n", id="m_c"),
}


def test_what_rules_pairs_out_is_kept_of_all_that_were_compared_as_searches_keep_it() -> None:
    kept = Kept()
    ws = memory_workspace(TOLD).having(DERIVED, cast("DerivedCache", kept))
    found = conflicts(ws.view())
    assert len(found) == 2
    view = ws.view()
    for path, data in TOLD.items():
        file = view.read(path)
        assert file
        assert kept_gists(view, blob_id(data), NO_ALIASES) == (gists_of(file), [])
    reads, names = kept.reads, {*kept.found}
    assert names == {*(f"{GISTS}{blob_id(data)}" for data in TOLD.values()), APART_ALL}
    assert conflicts(ws.view()) == found
    assert (kept.reads, {*kept.found}) == (reads + len(TOLD) + 1, names)


def test_what_one_memory_is_compared_with_is_not_written_down() -> None:
    kept = Kept()
    ws = memory_workspace(TOLD).having(DERIVED, cast("DerivedCache", kept))
    assert len(conflicts(ws.view(), "m_a")) == 2
    assert kept.found == {}
