from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.change import MemoryChange
from memstore.core.memory import LedgerLine, Memory
from memstore.history.commit_messages import MOST_NAMED, message, trailers, verb, with_trailers

NOTE = Memory(type="note", id="m_abc", title="Green tea", confidence=0.8, body="More secrets.")
SUPPORT = LedgerLine(timestamp="2026-02-01T00:00:00Z", op="support", new=0.86, evidence_source="episode:m_e")


def change(before: Memory | None, after: Memory | None, *, was: str = "a.md", now: str = "a.md") -> MemoryChange:
    return MemoryChange(
        before=before, after=after, path_before=was if before else None, path_after=now if after else None
    )


@pytest.mark.parametrize(
    ("given_change", "subject"),
    [
        (change(None, NOTE), "add Green tea"),
        (change(NOTE, None), "delete note:m_abc"),
        (change(NOTE, replace(NOTE, body="x")), "edit Green tea"),
        (change(NOTE, NOTE, now="b.md"), "move Green tea"),
        (change(NOTE, replace(NOTE, confidence=0.86)), "edit Green tea (confidence 0.80 → 0.86)"),
        (
            change(NOTE, replace(NOTE, confidence=0.86, confidence_history=(SUPPORT,))),
            "reinforce Green tea 0.80 → 0.86 (episode:m_e)",
        ),
        (change(NOTE, replace(NOTE, status="archived")), "archive Green tea"),
        (change(replace(NOTE, status="archived"), NOTE), "restore Green tea"),
        (change(NOTE, replace(NOTE, status="forgotten")), "forget note:m_abc"),
        (change(NOTE, replace(NOTE, status="draft")), "edit Green tea"),
        (change(None, replace(NOTE, id=None, title=None, body="")), "add a.md"),
        (change(None, replace(NOTE, title="Tea.\n\x1b[2J " * 20)), f"add {'Tea. [2J ' * 6}Tea.…"),
    ],
)
def test_the_subject_says_what_was_done(given_change: MemoryChange, subject: str) -> None:
    assert message([given_change]).splitlines()[0] == subject


def test_trailers_name_the_memory_and_the_evidence_that_came_in() -> None:
    reinforced = change(NOTE, replace(NOTE, confidence_history=(SUPPORT,)))
    subject = "reinforce Green tea 0.80 (episode:m_e)"
    assert message([reinforced]) == f"{subject}\n\nMemory-Id: m_abc\nEvidence: episode:m_e\n"
    assert message([reinforced], "After the vet") == "After the vet\n\nMemory-Id: m_abc\nEvidence: episode:m_e\n"


def test_several_have_a_summary_and_a_line_each() -> None:
    other = replace(NOTE, id="m_xyz")
    assert message([change(None, NOTE), change(None, other), change(NOTE, None)]) == (
        "3 memories: 2 added, 1 deleted\n\nadd Green tea\nadd Green tea\ndelete note:m_abc\n\n"
        "Memory-Id: m_abc\nMemory-Id: m_xyz\n"
    )


def test_very_many_are_not_all_named() -> None:
    changes = [change(None, replace(NOTE, id=f"m_{i:04}")) for i in range(MOST_NAMED + 5)]
    text = message(changes)
    assert text.splitlines()[0] == f"{MOST_NAMED + 5} memories: {MOST_NAMED + 5} added"
    assert text.rstrip().endswith("and 5 more")
    assert trailers(changes) == []


words = st.text(st.characters(categories=["Lu", "Ll"]), min_size=4, max_size=8)


PARTS: dict[str, Any] = {
    "owner": "human:bob", "context": "ctx:club", "subject_ids": ("human:bob",), "entities": ("human:bob",),
    "source_entity": "human:bob", "source_chain": ("human:bob",), "access_grants": ("*",), "access_denies": ("*",),
    "consent_grants": ("*",), "upstream_grants": (("human:bob",),), "type": "raw", "status": "forgotten",
}  # fmt: skip


@given(words, words, st.sampled_from(sorted(PARTS)), st.sampled_from(["new", "was", "is"]))
def test_no_text_is_in_a_message_of_what_others_have_a_part_in(title: str, body: str, part: str, when: str) -> None:
    mine = replace(NOTE, id="m_0", title=f"«{title}»", body=f"«{body}»", tags=(f"«{title}»",), confidence=None)
    theirs = replace(mine, **{part: PARTS[part]})
    before, after = {"new": (None, theirs), "was": (theirs, mine), "is": (mine, theirs)}[when]
    assert "«" not in message([change(before, after), change(mine, None)])
    assert f"«{title}»" in message([change(mine, replace(mine, body="x"))])


lines = st.lists(st.sampled_from(("Memory-Id: m_a", "Memory-Id: m_b", "Evidence: x")), unique=True)


@given(st.text(min_size=1).filter(str.strip), lines)
def test_trailers_are_added_once(text: str, added: list[str]) -> None:
    once = with_trailers(text, added)
    assert with_trailers(once, added) == once
    assert once.startswith(text.rstrip())
    assert all(line in once.split("\n") for line in added)


def test_trailers_join_those_that_are_there() -> None:
    assert with_trailers("Text\n\nSigned-off-by: a <b@c>\n", ["T: x"]) == "Text\n\nSigned-off-by: a <b@c>\nT: x\n"
    assert with_trailers("Text: more", ["T: x"]) == "Text: more\n\nT: x\n"


def test_every_verb_has_a_past() -> None:
    for status in ("active", "draft", "superseded", "archived", "forgotten"):
        for op in ("assert", "support", "partial", "contradict", "retract", "edit", "checkpoint", "propagate"):
            line = SUPPORT._replace(op=op)
            for before in (NOTE, replace(NOTE, status="draft")):
                done = change(before, replace(NOTE, status=status, confidence_history=(line,)))
                assert message([done, done]).startswith("2 memories: 2 ")
                assert verb(done)


@pytest.mark.parametrize(
    ("changed", "subject"),
    [
        ({"processed_into": ("belief:m_new",)}, "promote Green tea to belief:m_new"),
        ({"superseded_by": ("note:m_new",), "status": "superseded"}, "supersede Green tea by note:m_new"),
    ],
)
def test_both_sides_of_a_link_are_one_act(changed: dict[str, Any], subject: str) -> None:
    new = change(None, replace(NOTE, id="m_new"))
    both = [change(NOTE, replace(NOTE, **changed)), new]
    assert message(both).splitlines()[:4] == [subject, "", subject, "add Green tea"]
    assert message([*both, new]).startswith("3 memories: 2 added, 1 ")
