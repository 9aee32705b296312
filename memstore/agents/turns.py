"""Who said what in a session: a person, the agent, or a tool; and what of a prompt a person said at all.

Programs keep transcripts as JSON, one document or one a line. None of their formats is promised to stay as it is, so a
turn is recognized by what all of them have: a role, and a content of texts or parts.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Of what one speaker said in a session, at most so many characters are kept, the last; and of one result of a tool, the
# first.
MOST_SAID = 20_000
MOST_OF_A_RESULT = 2_000


class Speaker(Enum):
    """Who said something."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"


class SpokenTurn(NamedTuple):
    """What somebody said at once."""

    speaker: Speaker
    text: str


# -- what a person said --------------------------------------------------------------------------------


# What programs put around texts that no person wrote, wherever it stands in a prompt.
_MACHINE = (
    "task-notification", "system-reminder", "system_reminder", "local-command-stdout", "local-command-stderr",
    "local-command-caveat", "command-name", "command-message", "command-args", "bash-input", "bash-stdout",
    "bash-stderr", "user-prompt-submit-hook", "session-start-hook", "hook_context", "ide_opened_file", "ide_selection",
    "environment_context", "environment_details", "user_instructions", "user_info", "subagent_notification",
    "turn_aborted", "attached_files", "system_notification", "teammate-message", "tool_result", "tool-result",
)  # fmt: skip
_ENVELOPE = re.compile(rf"<({'|'.join(_MACHINE)})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
# How prompts begin that a program writes for itself.
_BEGINNINGS = (
    "[Request interrupted by user", "Caveat: The messages below were generated", "Stop hook feedback:",
    "This session is being continued from a previous conversation", "[SYSTEM NOTIFICATION", "# AGENTS.md instructions",
    "Base directory for this skill:",
)  # fmt: skip
_HALF = re.compile("[\ud800-\udfff]")
_SLASH_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?=\s|$)")


def said_by_person(prompt: str) -> str:
    """Return what of a prompt a person said: empty for notifications, tools' results, hooks' texts, slash commands."""
    if query := _QUERY.search(prompt):
        return query[1]
    text = _ENVELOPE.sub("", prompt).strip()
    if text.startswith(_BEGINNINGS) or _SLASH_COMMAND.match(text):
        return ""
    return text


# -- transcripts -----------------------------------------------------------------------------------


_ROLES = {
    "user": Speaker.PERSON, "human": Speaker.PERSON, "assistant": Speaker.AGENT, "gemini": Speaker.AGENT,
    "model": Speaker.AGENT, "tool": Speaker.TOOL,
}  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text"})
_RESULTS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})
# Marks of entries that belong to a subagent, or that the program wrote for itself.
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")


def whole(text: str) -> str:
    """Return a text without half characters, which JSON can spell and programs leave where they cut a text."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def turns_of(transcript: str) -> list[SpokenTurn]:
    """Return the turns in a transcript, in order; lines that are not JSON are left out."""
    turns = [turn for entry in _entries(transcript) for turn in _turns(entry)]
    return [turn._replace(text=whole(turn.text)) for turn in turns if turn.text]


def _entries(transcript: str) -> Iterator[dict[str, Any]]:
    whole = _json(transcript)
    messages = whole.get("messages") if isinstance(whole, dict) else whole
    entries = messages if isinstance(messages, list) else map(_json, transcript.splitlines())
    for entry in entries:
        if isinstance(entry, dict):
            inner = entry.get("payload")
            yield inner if isinstance(inner, dict) else entry


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _turns(entry: dict[str, Any]) -> Iterator[SpokenTurn]:
    if any(entry.get(mark) for mark in _NOT_SAID):
        return
    if entry.get("type") in _RESULTS:
        yield _result(entry.get("output"))
        return
    message = entry.get("message")
    message = message if isinstance(message, dict) else entry
    role = next(
        (one for key in ("role", "type") for of in (message, entry) if (one := _ROLES.get(str(of.get(key))))), None
    )
    if role is None:
        return
    said = []
    for part in _parts(message.get("content")):
        if part.get("type") in _RESULTS:
            yield _result(part.get("content"))
        elif part.get("type", "text") in _TEXTS and isinstance(part.get("text"), str):
            said.append(part["text"])
    text = "\n\n".join(said).strip()
    match role:
        case Speaker.PERSON:
            yield SpokenTurn(role, said_by_person(text))
        case Speaker.AGENT:
            yield SpokenTurn(role, text)
        case Speaker.TOOL:
            yield _result(text)


def _parts(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    parts = content if isinstance(content, list) else [content]
    return [
        {"type": "text", "text": part} if isinstance(part, str) else part
        for part in parts
        if isinstance(part, str | dict)
    ]


def _result(content: object) -> SpokenTurn:
    said = [part["text"] for part in _parts(content) if isinstance(part.get("text"), str)]
    text = "\n\n".join(said).strip()
    return SpokenTurn(Speaker.TOOL, text if len(text) <= MOST_OF_A_RESULT else f"{text[:MOST_OF_A_RESULT]} …")


def last_of(turns: Sequence[SpokenTurn], speaker: Speaker, known: Sequence[str] = ()) -> str:
    """Return what a speaker said, one paragraph a turn, without what known texts hold; of a long session the last."""
    kept: list[str] = []
    room = MOST_SAID
    for turn in reversed(turns):
        if turn.speaker is not speaker or turn.text in kept or any(turn.text in text for text in known):
            continue
        room -= len(turn.text)
        if room < 0:
            kept += [] if kept else [turn.text[-MOST_SAID:]]
            break
        kept.append(turn.text)
    return "\n\n".join(reversed(kept))
