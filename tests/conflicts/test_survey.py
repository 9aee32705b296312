"""All conflicts of a vault: what is on one topic is compared, a bounded number of pairs each, and once."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts import survey as whole
from memstore.conflicts.compare import conflicts, survey
from memstore.conflicts.gisting import gist
from memstore.conflicts.statements import statement_of
from memstore.conflicts.survey import MOST_COMPARED, MOST_ON_A_TOPIC, Topics
from memstore.search import DERIVED
from memstore.search.local_state import DerivedCache
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.conflicts.gists import Gist
    from memstore.vault.workspace import Workspace

WHO, SAYS = ("Tom", "Ida", "The mill"), ("is open.", "is closed.", "lives in Oslo.", "costs 4 euros.", "costs 5 euros.")
SENTENCES = [f"{who} {says}" for who, says in product(WHO, SAYS)]


def vault(sentences: list[str]) -> Workspace:
    return memory_workspace({f"{at}.md": memory_text(f"{said}\n", id=f"m_{at}") for at, said in enumerate(sentences)})


@given(st.lists(st.sampled_from(SENTENCES), max_size=6))
def test_the_whole_finds_what_each_memory_finds(sentences: list[str]) -> None:
    view = vault(sentences).view()
    of_each = {frozenset(one.refs) for at in range(len(sentences)) for one in conflicts(view, f"m_{at}")}

    assert {frozenset(one.refs) for one in conflicts(view)} == of_each


def test_what_a_state_excludes_is_found_among_many_that_share_a_word() -> None:
    noise = [f"User owns a bike from {name}." for name in ("Oslo", "Rome", "Bari", "Turin", "Graz")] * MOST_ON_A_TOPIC
    found = conflicts(vault(["User is vegan.", *noise, "User eats a steak every day."]).view())

    assert [one.rule for one in found] == ["states"]


@pytest.mark.parametrize("count", [200, 400])
def test_the_pairs_grow_with_the_statements(count: int) -> None:
    said = [gist(statement_of(f"The kettle of house {at} costs {at} euros.")) for at in range(count)]
    topics = Topics(said)
    pairs = [*topics.pairs(range(count))]

    assert 0 < len(pairs) <= MOST_COMPARED * count
    assert len({*pairs}) == len(pairs)
    assert topics.left_out > 0


@pytest.mark.soak(1)
@pytest.mark.parametrize("values", [1, 2, 400])
def test_a_claim_is_compared_with_a_bounded_number_of_others_and_with_none_that_says_the_same(values: int) -> None:
    def claiming(value: int) -> bytes:
        lines = ("claims:", "- subject: lamp", "  attribute: colour", f"  value: shade {value}")
        return "\n".join(("---", "type: note", *lines, "---", "", "x", "")).encode()

    count = 400
    files = {f"{at:03}.md": claiming(at % values) for at in range(count)}
    found = survey(memory_workspace(files).view())

    assert len(found.conflicts) <= MOST_ON_A_TOPIC * count
    assert (len(found.conflicts) > 0) == (found.not_compared > 0) == (values > 1)


def test_what_was_compared_is_not_compared_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    real = whole.are_in_conflict

    def asking(one: Gist, other: Gist) -> bool:
        asked.append((one.text, other.text))
        return real(one, other)

    monkeypatch.setattr(whole, "are_in_conflict", asking)
    sentences = ["The tea for Tom costs 5 euros.", "The tea for Tom weighs 3 grams.", "The tea for Ida costs 6 euros."]
    for said, anew in ((sentences, True), (sentences, False), ([*sentences, "The tea for Tom costs 9 euros."], True)):
        asked.clear()
        survey(vault(said).having(DERIVED, DerivedCache(tmp_path)).view())
        assert bool(asked) == anew
    assert all("9 euros" in " ".join(pair) for pair in asked)


def test_only_conflicts_of_what_passes_a_filter_are_reported_and_it_comes_first() -> None:
    ws = memory_workspace(
        {
            "a.md": memory_text("Tom is at home.\n\nThe mill is open.\n", id="m_a"),
            "b.md": memory_text("The mill is closed.\n", id="m_b", tags="[mill]"),
        }
    )

    assert [one.refs for one in conflicts(ws.view(), tag=["mill"])] == [("note:m_b", "note:m_a")]
    assert [one.refs for one in conflicts(ws.view())] == [("note:m_a", "note:m_b")]
    assert conflicts(ws.view(), tag=["bread"]) == ()
