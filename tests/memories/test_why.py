"""Why: the terms of a memory's numbers add up to what other commands print, and name the lines that say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.config import QualityProfile
from memstore.core.errors import NotFoundError
from memstore.core.memory import LedgerLine, Memory
from memstore.memories import why as explanation
from memstore.memories.search import search
from memstore.memories.show import show_memory
from memstore.memories.why import MOST_USES, why
from memstore.search import USAGE
from memstore.search.usage_log import Use
from memstore.search.uses import uses_of
from tests.core.ledgers import line_with
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.memories.why import Number, Why
    from memstore.vault.workspace import Workspace

MADE = datetime(2026, 1, 2, 12, tzinfo=UTC)
FILES = {
    "tea.md": memory_text(
        "Tea before mail.\n", type="belief", id="m_tea", confidence="0.8", created_at='"2026-01-02T12:00:00Z"'
    ),
    "cup.md": memory_text("A first cup.\n", type="episode", id="m_cup", source_type="told_by_human"),
    "mail.md": memory_text("Mail, then tea.\n", type="episode", id="m_mail", channel="heartbeat"),
    "bare.md": memory_text("Tea.\n"),
    "ash.md": memory_text("Tea for Ash.\n", id="m_ash", owner="si:ash"),
}


@pytest.fixture
def ws() -> Workspace:
    return memory_workspace(FILES)


def number(of: Why, name: str) -> Number:
    return next(one for one in of.numbers if one.name == name)


def total(of: Number) -> float:
    return sum(term.value for term in of.terms)


def told(of: Number) -> list[tuple[str, float, str]]:
    return [(term.name, round(term.value, 4), term.why) for term in of.terms]


def test_each_line_of_the_history_has_its_pull(ws: Workspace) -> None:
    reinforce(ws.view(), "m_tea", ["m_cup"])
    contradict(ws.view(), "m_tea", ["m_mail"])
    explained = why(ws.view(), "m_tea")
    found = number(explained, "confidence")
    names = [(term.name, round(term.value, 4), explained.line_of(term)) for term in found.terms]
    lines = ws.vault.read("tea.md").decode().split("\n")
    assert [name for name, _, _ in names] == ["assert", "support", "contradict"]
    assert names[0][1:2] == (0.8,)
    assert names[1][1] > 0 > names[2][1]
    assert [f"op: {name}" in lines[(line or 0) - 1] for name, _, line in names] == [True] * 3
    assert "episode:m_cup supports it, weight 1" in found.terms[1].why
    assert found.value == pytest.approx(total(found), abs=1e-4)
    assert found.value == show_memory(ws.view(), "m_tea").memory.confidence


def test_what_has_no_history_says_where_its_number_stands(ws: Workspace) -> None:
    explained = why(ws.view(), "m_tea")
    assert told(number(explained, "confidence")) == [("stated", 0.8, "without a history")]
    assert explained.line_of(number(explained, "confidence").terms[0]) == 4
    assert number(why(ws.view(), "m_cup"), "confidence") == explanation.of_confidence(Memory(type="episode", body=""))
    assert number(why(ws.view(), "m_cup"), "confidence_now").value is None


def test_a_number_that_a_hand_changed_is_told_apart(ws: Workspace) -> None:
    reinforce(ws.view(), "m_tea", ["m_cup"])
    before = ws.vault.read("tea.md")
    held = show_memory(ws.view(), "m_tea").memory.confidence or 0.0
    ws.vault.replace("tea.md", before.replace(f"confidence: {held}".encode(), b"confidence: 0.3"), expected=before)
    found = number(why(ws.view(), "m_tea"), "confidence")
    assert found.terms[-1].name == "by hand"
    assert found.value == 0.3
    assert total(found) == pytest.approx(0.3, abs=1e-4)


def test_quality_is_taken_apart_as_search_and_show_print_it(ws: Workspace) -> None:
    ws.of(USAGE).record(Use("m_tea", MADE, OWNER, "show"))
    explained = why(ws.view(), "m_tea")
    found = number(explained, "quality")
    assert [term.name for term in found.terms] == ["base", "recency", "uses", "citation", "conflicts"]
    assert found.terms[0][:3] == ("base", 0.4, "0.5 × the stored confidence 0.8")
    assert found.terms[2].value == pytest.approx(0.0347, abs=5e-5)
    assert found.value == pytest.approx(total(found), abs=1e-4)
    hit = next(hit for hit in search(ws.view(), "mail tea").hits if hit.ref == "belief:m_tea")
    assert found.value == pytest.approx(hit.quality, abs=1e-4)
    assert "channel heartbeat" in number(why(ws.view(), "m_mail"), "quality").terms[0].why
    assert "source_type unknown" in number(why(ws.view(), "bare.md"), "quality").terms[0].why


def test_the_seeds_formula_is_taken_apart_by_its_letter(ws: Workspace) -> None:
    found = number(why(ws.view(), "m_tea", profile=QualityProfile.SEED_003), "quality")
    assert found.terms[1].why.startswith("0.3 × exp(-30.0 days / 30)")
    by_setting = ws._replace(config=ws.config._replace(quality_profile="seed-003"))
    assert told(number(why(by_setting.view(), "m_tea"), "quality"))[0] == told(found)[0]
    assert show_memory(by_setting.view(), "m_tea").quality == pytest.approx(found.value, abs=1e-4)
    bare = number(why(ws.view(), "bare.md", profile=QualityProfile.SEED_003), "quality")
    assert bare.terms[1].why.startswith("0.3 × exp(-2")


def test_strength_names_its_latest_uses_and_sums_up_the_rest(ws: Workspace) -> None:
    for day in range(MOST_USES + 3):
        ws.of(USAGE).record(Use("m_tea", MADE + timedelta(days=day), OWNER, "show"))
    found = number(why(ws.view(), "m_tea"), "strength")
    assert found.unit == "days"
    assert [term.name for term in found.terms] == ["stability", "uses", *["use"] * MOST_USES, "days"]
    assert "3 earlier uses" in found.terms[1].why
    assert found.terms[-2].why == f"more for show by {OWNER}, 2026-01-14"
    stability = total(found) - found.terms[-1].value
    assert stability == pytest.approx(show_memory(ws.view(), "m_tea").grounds.strength.stability_days)


def test_what_has_no_date_is_as_old_as_its_file(ws: Workspace) -> None:
    stability, days = number(why(ws.view(), "bare.md"), "strength").terms
    saved = ws.vault.saved_at("bare.md")
    assert (stability.value, days.why) == (30.0, "since its file was saved (it has no date)")
    assert saved is not None
    assert days.value == pytest.approx((ws.clock.now() - saved).total_seconds() / 86_400, abs=0.1)
    show_memory(ws.view(), "bare.md")
    assert ws.vault.saved_at("bare.md") == saved  # a look changes nothing


def test_to_ask_why_is_no_use_and_nobody_learns_of_what_they_may_not_see(ws: Workspace) -> None:
    why(ws.view(), "m_tea")
    assert uses_of(ws.view()) == {}
    with pytest.raises(NotFoundError) as hidden:
        why(ws.view(), "m_ash")
    with pytest.raises(NotFoundError) as missing:
        why(ws.view(), "m_axx")
    assert str(hidden.value).replace("m_ash", "") == str(missing.value).replace("m_axx", "")


ops = st.sampled_from(["support", "partial", "contradict", "retract", "assert", "edit", "propagate", "checkpoint"])
ledgers = st.lists(
    st.builds(
        line_with,
        timestamp=st.integers(1, 28).map(lambda day: f"2026-01-{day:02}T00:00:00Z"),
        op=ops,
        new=st.none() | st.floats(0, 1),
        evidence_source=st.none() | st.sampled_from(["episode:a", "episode:b"]),
        weight=st.none() | st.floats(0, 1),
        factor=st.none() | st.floats(0, 1),
    ),
    max_size=6,
)


@given(ledgers, st.none() | st.floats(0, 1))
def test_the_terms_add_up_for_any_history(history: list[LedgerLine], stored: float | None) -> None:
    memory = Memory(type="belief", body="", confidence=stored, confidence_history=tuple(history))
    for found in (explanation.of_confidence(memory), explanation.of_confidence_now(memory, MADE)):
        assert found.value is not None
        assert total(found) == pytest.approx(found.value, abs=2e-4)


def test_each_open_conflict_is_a_term_with_its_line_and_its_rule() -> None:
    said = {"a": "User likes tea.", "b": "User dislikes tea.", "c": "User hates tea."}
    ws = memory_workspace(
        {f"{name}.md": memory_text(f"{text}\n", id=f"m_{name}", type="note") for name, text in said.items()}
    )
    explained = why(ws.view(), "m_a")
    found = number(explained, "quality")
    terms = [term for term in found.terms if term.name.startswith("conflict")]
    assert [(term.name, term.value) for term in terms] == [
        ("conflict", -0.3), ("conflict", -0.3), ("conflicts", pytest.approx(0.1)),
    ]  # fmt: skip
    assert terms[0].why == "contradiction with note:m_b [antonyms]"
    assert files_of(ws)["a.md"].decode().split("\n")[(explained.line_of(terms[0]) or 0) - 1] == "User likes tea."
    assert found.value == pytest.approx(max(0.0, total(found)), abs=1e-4)
    literal = number(why(ws.view(), "m_a", profile=QualityProfile.SEED_003), "quality")
    assert literal.terms[-1].value == 0
