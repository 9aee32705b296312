"""Conversations: which turns are taken over, as whose, and in how much memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pytest

from memstore.exchange import draft
from memstore.files.json_stream import items
from tests.exchange.sources import BEDS_TALK, FICUS_TALK, SOURCES, TEA_TALK, chatgpt, chatgpt_node
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    """Return an empty vault."""
    program = InProcess(tmp_path)
    program.init()
    return program


def imported(program: InProcess, name: str, *talks: object) -> dict[str, Any]:
    """Import conversations; return the memories by title."""
    place = program.home / "conversations.json"
    place.write_text(json.dumps(talks))
    done = program.json("import", name, str(place))
    shown = (program.json("show", memory["ref"]) for memory in done["memories"])
    return {memory["title"]: memory for memory in shown}


def test_a_persons_turns_are_told_by_a_human_and_answers_by_an_agent(vault: InProcess) -> None:
    found = imported(vault, "chatgpt", TEA_TALK)
    said, answers = found["Green tea"], found["Green tea (answers)"]
    assert (said["source_type"], said["author"]) == ("told_by_human", "human:tester")
    assert (answers["source_type"], answers["author"]) == ("told_by_agent", "si:chatgpt")
    assert answers["derived_from"][0] == said["ref"]
    assert said["origin"] == {"session_id": "c-tea"}
    assert said["created_at"] == "2026-02-01T18:00:00Z"


def test_only_the_current_branch_is_taken_over_and_no_prompt_or_tool(vault: InProcess) -> None:
    bodies = "\n".join(memory["body"] for memory in imported(vault, "chatgpt", TEA_TALK).values())
    assert "Two minutes\nat 75 °C ." in bodies
    for absent in ("Ten minutes", "You are helpful", "obey"):
        assert absent not in bodies
    original = next((vault.vault / "imports/chatgpt").iterdir()).read_text()
    assert all(kept in original for kept in ("Ten minutes", "You are helpful", "obey"))


def test_marks_of_citations_are_what_a_person_sees_in_their_place(vault: InProcess) -> None:
    cite, name = "\ue200cite\ue202turn0search1\ue201", "\ue200entity\ue202[1]\ue201"
    references = [
        {"matched_text": cite, "alt": "([tea](https://tea.example))"}, {"matched_text": name, "alt": None}, None,
        {"matched_text": " ", "alt": "!"},
    ]  # fmt: skip
    told = chatgpt_node(
        "a", "u", "assistant", f"Hot.{cite} It is{name} so.", metadata={"content_references": references}
    )
    talk = chatgpt("c-1", "Tea", "a", chatgpt_node("u", "root", "user", f"How hot?{cite}"), told)
    found = imported(vault, "chatgpt", talk)
    assert found["Tea (answers)"]["body"].rstrip().endswith("\n\nHot.([tea](https://tea.example)) It is so.")
    assert found["Tea"]["body"].rstrip().endswith("\n\nHow hot?")


def test_what_chatgpt_wrote_into_its_canvas_and_its_memory_is_what_it_said(vault: InProcess) -> None:
    body = imported(vault, "chatgpt", BEDS_TALK)["Beds (answers)"]["body"]
    said = ["Beds\n\nThree beds.", "Four beds.", "Ada has four beds.", "The plan is ready."]
    assert [turn.partition("\n\n")[2] for turn in body.strip().split("\n\n## ")] == said


def test_a_document_of_the_canvas_with_a_file_of_its_own_is_a_note(vault: InProcess) -> None:
    vault.ok("import", "chatgpt", str(SOURCES["chatgpt"].lay_out(vault.home / "source")))
    shown = vault.json("show", "Beds, as planned")
    assert (shown["type"], shown["body"].strip(), shown["author"]) == ("note", "Four beds, in a row.", "si:chatgpt")
    assert shown["created_at"] == "2026-02-01T18:10:00Z"
    kept = next((vault.vault / "imports/chatgpt").glob("textdoc-d1*")).read_text()
    assert "why four?" in kept


def test_a_turn_names_its_line_in_the_original(vault: InProcess) -> None:
    said = imported(vault, "chatgpt", TEA_TALK)["Green tea"]
    original = next((vault.vault / "imports/chatgpt").iterdir()).read_text().split("\n")
    assert said["body"].startswith("\n## 2026-02-01 18:00 (L5)\n\nHow long does green tea steep?")
    assert "How long does green tea steep?" in original[4]
    assert "#L5@" in said["derived_from"][0]


def test_claudes_last_branch_is_followed(vault: InProcess) -> None:
    found = imported(vault, "claude", FICUS_TALK)
    assert "Daily" not in found["The ficus (answers)"]["body"]
    assert "On Mondays." in found["The ficus (answers)"]["body"]
    assert "Thanks!" in found["The ficus"]["body"]


def test_where_the_owner_is_no_person_nobody_is_said_to_be_the_person(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init("si:ash")
    assert imported(program, "chatgpt", TEA_TALK)["Green tea"]["author"] is None


def test_a_long_conversation_becomes_several_memories(vault: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "MOST_CHARACTERS", 10)
    talk = chatgpt(
        "c", "Long", "u2", chatgpt_node("u1", "root", "user", "x" * 25), chatgpt_node("u2", "u1", "user", "y")
    )
    found = imported(vault, "chatgpt", talk)
    assert sorted(found) == ["Long", "Long (2)", "Long (3)"]
    assert sum(memory["body"].count("x") for memory in found.values()) == 25


class Endless(io.RawIOBase):
    """A list of conversations, made while it is read."""

    def __init__(self, talk: bytes, count: int) -> None:
        self._pieces: Iterator[bytes] = chain([b"["], repeat(talk + b",", count - 1), [talk, b"]"])

    def read(self, _size: int = -1, /) -> bytes:
        return next(self._pieces, b"")


def test_a_huge_file_is_read_in_little_memory() -> None:
    talk = json.dumps(chatgpt("c", "Long", "u", chatgpt_node("u", "root", "user", "x" * 100_000))).encode()
    tracemalloc.start()
    try:
        count = sum(1 for _ in items(cast("BinaryIO", Endless(talk, 2000))))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 2000  # 200 MB
    assert peak < 4_000_000
