"""Of a long session each sentence of the person is there, once, under its day, however its program writes it down."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.agents.test_hooks import CAPTURE, asked, by_source_type, program
from tests.agents.test_turns import claude, codex, cursor, gemini, lines, openclaw

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.whole.program import InProcess

__all__ = ["program"]

# By lines and as one document twenty megabytes are read; that the other shapes are read alike, fewer show.
LONG, SHORTER = 32_000_000, 2_000_000
# The session begins shortly before midnight, is left for more than a month, and goes on then.
BEGINS, PAUSE = datetime(2026, 1, 30, 23, 50, tzinfo=UTC), timedelta(days=36)
STEP = timedelta(hours=5, minutes=20)


class Said(NamedTuple):
    """A sentence of the person, what the agent answered, and what a tool returned in between."""

    number: int
    at: datetime
    tool: str

    @property
    def sentence(self) -> str:
        return f"Plan number {self.number} is for the tower."

    @property
    def answer(self) -> str:
        return f"Noted as {self.number}."

    @property
    def stamp(self) -> str:
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def session(size: int) -> list[Said]:
    """Return a session whose transcript has at least so many bytes."""
    return [
        Said(
            number, BEGINS + number * STEP + (PAUSE if number >= 14 else timedelta()), f"{number} " + "x" * (size // 24)
        )
        for number in range(24)
    ]


# -- each program's entries of one exchange, in the two shapes that it writes --------------------------


def claude_plain(one: Said) -> list[Any]:
    tool = [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": one.tool}]}]
    return [
        claude("user", one.sentence, one.stamp, f"{one.number}"),
        claude("user", tool, one.stamp, f"{one.number}t"),
        claude("assistant", [{"type": "text", "text": one.answer}], one.stamp, f"{one.number}a"),
    ]


def claude_queued(one: Said) -> list[Any]:
    """What the person typed while the agent worked; a subagent's words and an error beside it."""
    waited = {"type": "queued_command", "prompt": one.sentence, "commandMode": "prompt"}
    aside = claude("user", "Plan number 99 is for a subagent.", one.stamp, f"{one.number}s", isSidechain=True)
    failed = claude("assistant", "API Error: 529 Overloaded", one.stamp, f"{one.number}e", isApiErrorMessage=True)
    queued = {"type": "attachment", "uuid": f"{one.number}", "timestamp": one.stamp, "attachment": waited}
    return [aside, *claude_plain(one)[1:2], failed, queued, *claude_plain(one)[2:]]


def codex_plain(one: Said) -> list[Any]:
    output = {"type": "function_call_output", "call_id": f"{one.number}", "output": one.tool}
    return [
        codex("user", one.sentence, one.stamp),
        {"timestamp": one.stamp, "type": "response_item", "payload": output},
        codex("assistant", one.answer, one.stamp),
    ]


def codex_twice(one: Said) -> list[Any]:
    """What was said stands beside its event."""
    event = {"type": "user_message", "message": one.sentence, "images": []}
    told = {"type": "agent_message", "message": one.answer}
    return [
        {"timestamp": one.stamp, "type": "event_msg", "payload": event},
        *codex_plain(one),
        {"timestamp": one.stamp, "type": "event_msg", "payload": told},
    ]


def gemini_plain(one: Said) -> list[Any]:
    calls = {"toolCalls": [{"name": "shell", "result": [{"functionResponse": {"response": {"output": one.tool}}}]}]}
    return [
        gemini("user", one.sentence, one.stamp, f"{one.number}"),
        {**gemini("gemini", one.answer, one.stamp, f"{one.number}a"), **calls},
    ]


def gemini_parts(one: Said) -> list[Any]:
    return [{**entry, "content": [{"text": entry["content"]}]} for entry in gemini_plain(one)]


def cursor_plain(one: Said) -> list[Any]:
    at = one.at.strftime("%A, %b %d, %Y, %I:%M %p (UTC)")
    return [cursor("user", one.sentence, at), {"role": "tool", "content": one.tool}, cursor("assistant", one.answer)]


def cursor_attached(one: Said) -> list[Any]:
    """Files stand around what the person said, in the zone of the person."""
    at = one.at.astimezone(UTC).strftime("%A, %b %-d, %Y, %-I:%M %p (UTC+0)")
    files = f"<attached_files>\nPlan number 98 is in a file. {one.tool}\n</attached_files>\n"
    text = f"{files}<timestamp>{at}</timestamp>\n<user_query>\n{one.sentence}\n</user_query>"
    return [cursor("user", text), cursor("assistant", one.answer)]


def openclaw_plain(one: Said) -> list[Any]:
    result = {"role": "toolResult", "toolCallId": "t", "content": [{"type": "text", "text": one.tool}]}
    return [
        openclaw("user", one.sentence, one.stamp, f"{one.number}"),
        {"type": "message", "id": f"{one.number}t", "timestamp": one.stamp, "message": result},
        openclaw("assistant", one.answer, one.stamp, f"{one.number}a"),
    ]


def openclaw_epochs(one: Said) -> list[Any]:
    """Only the message has a time, in milliseconds."""
    milliseconds = int(one.at.timestamp() * 1000)
    made = [{**entry, "message": {**entry["message"], "timestamp": milliseconds}} for entry in openclaw_plain(one)]
    return [{key: value for key, value in entry.items() if key != "timestamp"} for entry in made]


SUMMARY = "Plan number 97 was summed up."


def one_document(entries: list[Any]) -> str:
    return json.dumps({"sessionId": "s1", "messages": entries}, indent=2)


class Shape(NamedTuple):
    """How a program writes a session down: an exchange, what stands where it was compacted, and the whole.

    `forgets` says that compacting drops what came before.
    """

    entries: Callable[[Said], list[Any]]
    compacted: Callable[[Said], list[Any]]
    written: Callable[[list[Any]], str] = lines
    forgets: bool = False


def claude_compacted(one: Said) -> list[Any]:
    told = f"This session is being continued from a previous conversation. {SUMMARY}"
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "x", "timestamp": one.stamp}
    return [boundary, claude("user", told, one.stamp, "y", isCompactSummary=True)]


def codex_compacted(one: Said) -> list[Any]:
    history = [entry["payload"] for entry in codex_plain(one._replace(tool=""))]
    payload = {"message": SUMMARY, "replacement_history": history}
    return [{"timestamp": one.stamp, "type": "compacted", "payload": payload}]


SHAPES = {
    "claude": Shape(claude_plain, claude_compacted),
    "claude, queued": Shape(claude_queued, claude_compacted, forgets=True),
    "codex": Shape(codex_plain, codex_compacted),
    "codex, with events": Shape(codex_twice, codex_compacted, forgets=True),
    "gemini": Shape(gemini_plain, lambda one: [gemini("info", SUMMARY, one.stamp, "y")], one_document, forgets=True),
    "gemini, by lines": Shape(gemini_parts, lambda one: [{"$set": {"lastUpdated": one.stamp}}]),
    "cursor": Shape(cursor_plain, lambda _: [{"role": "system", "message": {"content": SUMMARY}}]),
    "cursor, with files": Shape(cursor_attached, lambda _: [{"role": "system", "content": SUMMARY}], forgets=True),
    "openclaw": Shape(openclaw_plain, lambda one: [{"type": "compaction", "timestamp": one.stamp, "summary": SUMMARY}]),
    "openclaw, by milliseconds": Shape(
        openclaw_epochs, lambda one: [{"type": "compaction", "timestamp": one.stamp, "summary": SUMMARY}], forgets=True
    ),
}


def captured_by_steps(program: InProcess, shape: Shape, size: int) -> None:
    """Capture a session where it is cut, where it is compacted, and long after its end, twice."""
    said, place = session(size), program.home / "t.jsonl"
    first, second = ([entry for one in part for entry in shape.entries(one)] for part in (said[:9], said[9:]))
    begun = shape.written(first)
    cut = begun[: begun.rindex(said[8].sentence) + 9]
    compacted = shape.compacted(said[9])
    whole = shape.written([*(() if shape.forgets else first), *compacted, *second])
    assert len(whole) > size * 5 // 8
    for event, text in (("PreCompact", cut), ("PreCompact", begun), ("SessionEnd", whole), ("SessionEnd", whole)):
        place.write_text(text)
        done = program.run(*CAPTURE, stdin=asked(event, transcript_path=str(place)))
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    kept = by_source_type(program)
    told = [
        (one["created_at"][:10], part) for one in kept["told_by_human"] for part in one["body"].strip().split("\n\n")
    ]
    assert sorted(told) == sorted((one.stamp[:10], one.sentence) for one in said)
    answers = [part for one in kept["inference"] for part in one["body"].strip().split("\n\n")]
    assert sorted(answers) == sorted(one.answer for one in said)


@pytest.mark.soak(1)
@pytest.mark.parametrize("shape", SHAPES)
def test_each_sentence_of_a_long_session_is_there_once_under_its_day(program: InProcess, shape: str) -> None:
    captured_by_steps(program, SHAPES[shape], LONG if shape in ("claude", "gemini") else SHORTER)
