"""Quarantine: all that was derived goes along, each number says how it moves, and undo and --lift bring it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.beliefs.propagation import propagate
from memstore.beliefs.quarantine import lift, quarantine
from memstore.beliefs.recall import recall
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.config import Config
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.memories.add import refuse_by_hand
from memstore.memories.listing import list_memories
from memstore.memories.search import search
from memstore.memories.show import show_memory
from memstore.search.clauses import Filters
from memstore.vault.check import check
from memstore.vault.status import status, undo
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import examples, memory_text

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

EVIL = {"source_type": "observation", "source": "https://evil.example/a"}
BELIEF = {"type": "belief", "confidence": "0.8", "created_at": '"2026-01-01T00:00:00Z"'}
FILES = {
    "page.md": memory_text("Tea is poison.\r\nReally.\n", id="m_page", **EVIL).replace(
        b"type: note", b"type:  note # x"
    ),
    "raw.md": memory_text("Tea kills.\n", type="raw", id="m_raw", processed_into='["note:m_made"]'),
    "made.md": memory_text("It kills.\n", id="m_made", derived_from='["note:m_page"]', status="archived"),
    "far.md": memory_text(
        "Beware of tea.\n", type="belief", id="m_far", confidence="0.9", derived_from="[note:m_made]"
    ),
    "own.md": memory_text(
        "Tea is good.\n", type="belief", id="m_own", confidence="0.8", created_at='"2026-01-01T00:00:00Z"'
    ),
    "seen.md": memory_text("Claire drank tea and smiled.\n", type="episode", id="m_seen", source_type="observation"),
    "other.md": memory_text("Evil two.\n", id="m_other", source="https://evi1.example/a", owner=OWNER),
    "claire.md": memory_text("Claire's.\n", id="m_claire", owner="human:claire", source="https://evil.example/b"),
}


def weighed() -> Workspace:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_own", "m_seen")
    contradict(ws.view(), "m_own", "m_page")
    return ws


def test_what_was_derived_goes_along_and_the_numbers_move() -> None:
    ws = weighed()
    before = dict(files_of(ws))
    without = reinforce(memory_workspace(FILES).view(), "m_own", "m_seen", dry_run=True).new
    stood = show_memory(ws.view(), "m_own").memory.confidence
    plan = quarantine(ws.view(), "m_page", dry_run=True)
    assert files_of(ws) == before
    done = quarantine(ws.view(), "m_page", reason="it  lies")
    assert (plan.taken, plan.moved) == (done.taken, done.moved)
    assert [(one.ref, one.source) for one in done.taken] == [
        ("note:m_page", None), ("note:m_made", "note:m_page"), ("belief:m_far", "note:m_made"),
    ]  # fmt: skip
    assert [(step.ref, step.old, step.new) for step in done.moved] == [("belief:m_own", stood, without)]
    entry = '{of: "note:m_page", at: "2026-02-01T12:'
    assert f"status: quarantined\nquarantine: {entry}" in files_of(ws)["far.md"].decode()
    assert 'reason: "it lies"}' in files_of(ws)["page.md"].decode()
    assert "was: archived" in files_of(ws)["made.md"].decode()
    assert files_of(ws)["page.md"].endswith(b"Tea is poison.\r\nReally.\n")
    assert not [finding for finding in check(ws.view()).findings if finding.is_error]


def test_it_is_out_of_recall_search_and_evidence_and_is_listed_on_request() -> None:
    ws = weighed()
    quarantine(ws.view(), "m_page")
    found = {hit.ref for hit in search(ws.view(), "tea poison kills beware").hits}
    assert found == {"episode:m_seen", "raw:m_raw", "belief:m_own"}
    recalled = recall(ws.view(), "beware of tea: poison")
    assert {bite.ref for bite in (*recalled.memories, *recalled.beliefs)} <= {
        "belief:m_own", "raw:m_raw", "episode:m_seen"
    }  # fmt: skip
    listed = list_memories(ws.view(), Filters(status=("quarantined",)))
    assert {entry.id for entry in listed} == {"m_page", "m_made", "m_far"}
    assert search(ws.view(), "beware").hits == ()
    assert status(ws.view()).quarantined == 3
    with pytest.raises(RefusedError, match="is quarantined, so it is not evidence"):
        reinforce(ws.view(), "m_own", "m_made")
    assert propagate(ws.view()).plan.steps == ()


def test_undo_takes_it_back_byte_for_byte_and_so_does_lifting_it_but_for_the_ledger() -> None:
    ws = weighed()
    before = dict(files_of(ws))
    quarantine(ws.view(), "m_page", reason="a lie")
    undo(ws.view())
    assert files_of(ws) == before
    quarantine(ws.view(), "m_page", reason="a lie")
    done = lift(ws.view(), "m_page")
    assert {one.ref for one in done.taken} == {"note:m_page", "note:m_made", "belief:m_far"}
    ledger = {"own.md"}
    after = files_of(ws)
    assert {path: data for path, data in after.items() if path not in ledger} == {
        path: data for path, data in before.items() if path not in ledger
    }
    stood = weighed()
    assert show_memory(ws.view(), "m_own").memory.confidence == show_memory(stood.view(), "m_own").memory.confidence


def test_the_same_again_changes_nothing() -> None:
    ws = weighed()
    quarantine(ws.view(), "m_page")
    before = dict(files_of(ws))
    assert quarantine(ws.view(), "m_page").taken == ()
    assert files_of(ws) == before


def test_a_source_an_entity_and_an_import_can_be_named() -> None:
    mark = "file:imports/chatgpt/chats-0123456789.original#L3@0123456789"
    files = {
        "told.md": memory_text("a\n", id="m_told", source_entity="web:evil"),
        "chain.md": memory_text("b\n", id="m_chain", source_chain='["si:ash", "web:evil"]'),
        "near.md": memory_text("c\n", id="m_near", source_entity="web:evi1"),
        "chat.md": memory_text("d\n", id="m_chat", derived_from=f'["{mark}"]'),
        "page.md": memory_text("e\n", id="m_page", source="https://evil.example/x/y"),
        "else.md": memory_text("f\n", id="m_else", source="https://evil.example.org/x"),
    }

    def taken(name: str) -> set[str]:
        return {one.ref.partition(":")[2] for one in quarantine(memory_workspace(files).view(), name).taken}

    assert taken("web:evil") == {"m_told", "m_chain"}
    assert taken("imports/chatgpt") == taken("imports/chatgpt/chats-0123456789.original") == {"m_chat"}
    assert taken("https://evil.example") == taken("https://evil.example/x/y") == {"m_page"}
    for name in ("imports/chat", "https://nowhere.example", "web:nobody"):
        with pytest.raises(NotFoundError, match=f"no memory comes from {name}"):
            quarantine(memory_workspace(files).view(), name)
    near = quarantine(memory_workspace(files).view(), "web:evil").near
    assert [(one.name, one.memories) for one in near] == [("web:evi1", 1)]
    with pytest.raises(NotFoundError) as found:
        quarantine(memory_workspace(files).view(), "web:evill")
    assert (found.value.hint or "").startswith("did you mean web:evi")


def test_nobody_is_told_that_a_source_is_spelt_nearly_like_themselves() -> None:
    said = memory_text("a\n", id="m_said", source_entity="human:seam", author="human:seam")
    own = memory_text("b\n", id="m_mine", author="human:sean", source_entity="human:sean")
    other = memory_text("c\n", id="m_other", author="human:sean", source_entity="human:seab")
    view = memory_workspace({"a.md": said, "b.md": own, "c.md": other}).view()
    assert [one.name for one in quarantine(view, "human:seam", dry_run=True).near] == ["human:seab"]


def test_near_spelt_sources_of_a_memory_are_listed() -> None:
    done = quarantine(weighed().view(), "m_page", dry_run=True)
    assert "https://evi1.example/a" in {one.name for one in done.near}


def test_only_its_owner_quarantines_a_memory() -> None:
    ws = memory_workspace(FILES)
    claires = ws._replace(actor="human:claire")
    with pytest.raises(NotFoundError):
        quarantine(claires.view(), "m_page")
    shared = {**FILES, "page.md": memory_text("Tea.\n", id="m_page", access_grants='["*"]', **EVIL)}
    claires = memory_workspace(shared)._replace(actor="human:claire")
    with pytest.raises(RefusedError, match=f"is {OWNER}'s, and only its owner"):
        quarantine(claires.view(), "m_page")
    done = quarantine(claires.view(), "https://evil.example")
    assert ([one.ref for one in done.taken], done.not_owned) == (["note:m_claire"], ("note:m_page",))
    with pytest.raises(RefusedError, match="is not human:claire's"):
        quarantine(claires.view(), "https://evil.example/a")


def test_who_may_see_it_is_not_told_with_what_it_was_quarantined() -> None:
    shared = {**FILES, "far.md": memory_text("Beware.\n", id="m_far", derived_from="[note:m_made]", generalized="true",
                                             generalization="{verdict: safe}", access_grants='["*"]')}  # fmt: skip
    ws = memory_workspace(shared)
    quarantine(ws.view(), "m_page", reason="about m_page")
    told = show_memory(ws._replace(actor="human:claire").view(), "m_far")
    assert "quarantine" not in told.values
    assert told.memory.quarantine is None
    assert "m_page" not in repr(told.values)
    assert told.hearsay == ("note:m_far",)


def test_what_is_derived_from_something_else_in_quarantine_stays() -> None:
    ws = weighed()
    quarantine(ws.view(), "m_made")
    quarantine(ws.view(), "m_page")
    done = lift(ws.view(), "m_made")
    assert (done.taken, set(done.stays)) == ((), {"note:m_made", "belief:m_far"})
    back = lift(ws.view(), "m_page")
    assert {one.ref for one in back.taken} == {"note:m_page", "note:m_made", "belief:m_far"}
    assert status(ws.view()).quarantined == 0


def test_lifting_says_what_it_was_quarantined_with() -> None:
    ws = weighed()
    with pytest.raises(NotFoundError, match="nothing is quarantined as note:m_page"):
        lift(ws.view(), "m_page")
    quarantine(ws.view(), "m_page")
    with pytest.raises(UsageError, match="quarantined with note:m_page") as refused:
        lift(ws.view(), "m_far")
    assert refused.value.hint == "memstore trust quarantine note:m_page --lift"


@pytest.mark.parametrize(("key", "value"), [("status", "quarantined"), ("quarantine", "{}")])
def test_nobody_sets_it_by_hand(key: str, value: str) -> None:
    with pytest.raises(RefusedError):
        refuse_by_hand(key, value)


# -- laws ------------------------------------------------------------------------------------------

IDS = [f"m_{at}" for at in range(7)]


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, bytes]:
    """Beliefs that were derived from each other, and rest on each other, in any way."""
    files = {}
    for at, name in enumerate(IDS):
        sources = draw(st.lists(st.sampled_from(IDS[:at] or ["m_none"]), max_size=2, unique=True))
        refs = ", ".join(f'"belief:{one}"' for one in sources)
        files[f"{name}.md"] = memory_text(
            f"Word{at}.\n", type="belief", id=name, confidence="0.7", created_at='"2026-01-01T00:00:00Z"',
            **({"derived_from": f"[{refs}]"} if sources else {}),
            status=draw(st.sampled_from(["active", "archived", "draft"])),
        )  # fmt: skip
    return files


def derived(files: dict[str, bytes], start: str) -> set[str]:
    """All that was derived from a memory, and itself."""
    found = {start}
    while (
        more := {
            path.removesuffix(".md")
            for path, data in files.items()
            if any(f'"belief:{one}"'.encode() in data for one in found)
        }
        - found
    ):
        found |= more
    return found


@settings(max_examples=examples(40), deadline=None)
@given(vaults(), st.sampled_from(IDS), st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=4))
def test_it_takes_all_that_descends_and_nothing_else_and_comes_back(
    files: dict[str, bytes], named: str, evidence: list[tuple[str, str]]
) -> None:
    ws = memory_workspace(files, config=Config(owner=OWNER))
    for of, source in evidence:
        try:
            reinforce(ws.view(), of, source)
        except RefusedError:
            continue
    before = dict(files_of(ws))
    numbers = {name: show_memory(ws.view(), name).memory.confidence for name in IDS}
    done = quarantine(ws.view(), named)
    assert {one.ref.partition(":")[2] for one in done.taken} == derived(files, named)
    after = {name: show_memory(ws.view(), name).memory for name in IDS}
    moved = {step.ref.partition(":")[2]: step.new for step in done.moved}
    for name in IDS:
        assert after[name].confidence == moved.get(name, numbers[name])
        assert (after[name].status == "quarantined") == (name in derived(files, named))
    assert propagate(ws.view()).plan.steps == ()
    undo(ws.view())
    assert files_of(ws) == before
    quarantine(ws.view(), named)
    lift(ws.view(), named)
    again = {name: show_memory(ws.view(), name).memory for name in IDS}
    assert {name: memory.confidence for name, memory in again.items()} == numbers
    for path, data in before.items():
        if f"{path.removesuffix('.md')}" not in moved:
            assert files_of(ws)[path] == data
