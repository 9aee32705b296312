"""Who said what in a session: a person, the agent, or a tool; and what of a prompt a person said at all.

Programs keep transcripts as JSON, one document or one a line. None of their formats is promised to stay as it is, so a
turn is recognized by what all of them have: a role, and a content of texts or parts. A transcript is read to its end
in pieces, however long it is.
"""

from __future__ import annotations

import io
import json
import re
from collections import deque
from datetime import time
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.agents.days import dated
from memstore.core.times import stated
from memstore.exchange.draft import clean
from memstore.exchange.wishes import is_error, to_be_remembered
from memstore.files.json_stream import items

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO

# Of what the agent and the tools said in a session, at most so many characters each are kept, the last; and of one
# result of a tool, the first. What the person said is kept from the beginning on.
MOST_SAID = 20_000
MOST_OF_A_RESULT = 2_000
# A longer line is left out; a transcript that is one document is read so far.
MOST_AT_ONCE = 64 * 1024 * 1024


class Speaker(Enum):
    """Who said something."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"


class SpokenTurn(NamedTuple):
    """What somebody said at once.

    `id` is its name in the transcript, or else its place there; `at` is when it was said, in the zone that is stated.
    """

    speaker: Speaker
    text: str
    id: str | None = None
    at: datetime | None = None


class Transcript(NamedTuple):
    """The turns of a transcript, in order, and the numbers of the lines that can't be read."""

    turns: Sequence[SpokenTurn]
    unread: Sequence[int] = ()


# -- what a person said --------------------------------------------------------------------------------


# What programs put around texts that no person wrote, wherever it stands in a prompt.
_MACHINE = (
    "task-notification", "system-reminder", "system_reminder", "local-command-stdout", "local-command-stderr",
    "local-command-caveat", "command-name", "command-message", "command-args", "bash-input", "bash-stdout",
    "bash-stderr", "user-prompt-submit-hook", "session-start-hook", "hook_context", "ide_opened_file", "ide_selection",
    "environment_context", "environment_details", "user_instructions", "user_info", "subagent_notification",
    "turn_aborted", "attached_files", "system_notification", "teammate-message", "tool_result", "tool-result",
)  # fmt: skip
_NAMES = "|".join(_MACHINE)
# One that is not closed was cut; but only at the beginning of a line, since people write about them, too.
_ENVELOPE = re.compile(rf"<({_NAMES})\b[^>]*>.*?</\1\s*>|^[ \t]*<(?:{_NAMES})\b[^>]*>.*\Z", re.DOTALL | re.MULTILINE)
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
# How prompts begin that a program writes for itself.
_BEGINNINGS = (
    "[Request interrupted by user", "Caveat: The messages below were generated", "Stop hook feedback:",
    "This session is being continued from a previous conversation", "[SYSTEM NOTIFICATION", "# AGENTS.md instructions",
    "Base directory for this skill:",
)  # fmt: skip
# How Cursor says when a prompt was written.
_STAMP = re.compile(r"<timestamp>([^<]{1,80})</timestamp>")
_SLASH_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?=\s|$)")
# How Claude Code writes down a command; what is given to it may be a sentence, which has so many words.
_COMMAND = re.compile(r"<command-name>\s*(/?[^<\s]+)\s*</command-name>.*?<command-args>(.*?)</command-args>", re.DOTALL)
_FEWEST_WORDS = 3


def said_by_person(prompt: str) -> str:
    """Return what of a prompt a person said: empty for notifications, tools' results, hooks' texts, slash commands."""
    if query := _QUERY.search(prompt):
        return query[1]
    prompt = _COMMAND.sub(lambda found: f"{found[1]} {found[2].strip()}\n\n", prompt)
    text = _ENVELOPE.sub("", prompt).strip()
    is_command = (command := _SLASH_COMMAND.match(text)) and len(text[command.end() :].split()) < _FEWEST_WORDS
    return "" if is_command or text.startswith(_BEGINNINGS) else text


# -- transcripts -----------------------------------------------------------------------------------


_ROLES = {
    "user": Speaker.PERSON, "human": Speaker.PERSON, "assistant": Speaker.AGENT, "gemini": Speaker.AGENT,
    "model": Speaker.AGENT, "tool": Speaker.TOOL, "toolResult": Speaker.TOOL,
}  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text"})
_RESULTS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})
# Marks of entries that belong to a subagent, or that the program wrote for itself.
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def transcript(stream: BinaryIO) -> Transcript:
    """Return the turns in a transcript: all of the person's, and the last of the agent and the tools.

    Relative words of the person and the agent have their day beside them. What the person asked not to be remembered is
    left out, and so are lines that are not JSON.
    """
    said = {speaker: deque[tuple[int, SpokenTurn]]() for speaker in Speaker}
    room = {Speaker.AGENT: MOST_SAID, Speaker.TOOL: MOST_SAID}
    unread: list[int] = []
    number, last_at = 0, None
    for line, entry in _entries(stream):
        if entry is None:
            unread.append(line)
            continue
        (at, is_timed), name = _time(entry), _name(entry, line)
        inner = entry.get("payload")
        for part, turn in enumerate(_turns(inner if isinstance(inner, dict) else entry)):
            at = turn.at or at
            # An answer without a time was given then; what a person said may be of any later day.
            last_at = at if at or is_timed or turn.speaker is Speaker.PERSON else last_at
            text, number = clean(turn.text), number + 1
            if not text:
                continue
            if last_at and turn.speaker is not Speaker.TOOL:
                text = dated(text, last_at.date())
            of_speaker = said[turn.speaker]
            of_speaker.append((number, SpokenTurn(turn.speaker, text, f"{name}.{part}" if part else name, last_at)))
            if turn.speaker in room:
                room[turn.speaker] -= len(text)
                while room[turn.speaker] < 0 and len(of_speaker) > 1:
                    room[turn.speaker] += len(of_speaker.popleft()[1].text)
    turns = [turn for _, turn in sorted(chain(*said.values()), key=lambda one: one[0])]
    return Transcript(to_be_remembered(turns, lambda one: one.text if one.speaker is Speaker.PERSON else None), unread)


def _time(entry: dict[str, Any]) -> tuple[datetime | None, bool]:
    """Return the time of an entry, where it was said, and whether it states one, be it one that can't be read.

    Programs write UTC wherever they run: that is where this one runs.
    """
    inner = (entry, *(one for key in ("message", "payload") if isinstance(one := entry.get(key), dict)))
    times = [of[key] for key in ("timestamp", "created_at", "createdAt", "time") for of in inner if of.get(key)]
    at = next(filter(None, map(stated, times)), None)
    return (here(at) if at else None), bool(times)


def here(at: datetime) -> datetime:
    """Return a time in this machine's zone, unless it states another one than UTC, or is a day."""
    try:
        return at if at.utcoffset() or at.time() == time() else at.astimezone()
    except (OverflowError, ValueError, OSError):
        return at


def _name(entry: dict[str, Any], line: int) -> str:
    """Return the id of an entry, which stays the same when the transcript goes on; else its place."""
    inner = (entry, *(one for key in ("payload", "message") if isinstance(one := entry.get(key), dict)))
    names = (of.get(key) for key in ("uuid", "id") for of in inner)
    return next((name for name in names if isinstance(name, str) and name), f"L{line}")


def _entries(stream: BinaryIO) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the entries of a transcript with their lines, or places in a document; None for what can't be read."""
    first = stream.readline(MOST_AT_ONCE)
    known, rest = _json(first), b""
    if not isinstance(known, dict) or isinstance(known.get("messages"), list):
        rest = stream.read(MOST_AT_ONCE)
        listed = _messages(first + rest)
        if listed is not None:
            yield from enumerate((one if isinstance(one, dict) else None for one in listed), 1)
            return
    lines = chain(io.BytesIO(first + rest), iter(lambda: stream.readline(MOST_AT_ONCE), b""))
    for number, line in enumerate(lines, 1):
        entry = _json(line)
        if isinstance(entry, dict):
            yield number, entry
        elif line.strip():
            yield number, None


def _messages(data: bytes) -> list[Any] | None:
    """Return the messages of a transcript that is one document, also of one that was cut; None for any other."""
    known = _json(data)
    found = known.get("messages") if isinstance(known, dict) else known
    if known is not None:
        return found if isinstance(found, list) else None
    start = _LIST.match(data)
    return [item.value for item in items(io.BytesIO(data[start.end() - 1 :]))] if start else None


# The beginning of a document, up to its messages; before them, there are plain values only.
_LIST = re.compile(rb'\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"\\]*"|[\w.-]+)\s*,)*\s*"messages"\s*:\s*\[')


def _json(text: bytes) -> Any:
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
    message = _message(entry)
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
            stamp = _STAMP.search(text)
            yield SpokenTurn(role, said_by_person(text), at=stated(stamp[1]) if stamp else None)
        case Speaker.AGENT if not (_is_programs(message) or is_error(text)):
            yield SpokenTurn(role, text)
        case Speaker.TOOL:
            yield _result(text)


def _message(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what an entry says; what a person said while the agent worked, Claude Code attaches later."""
    waited, message = entry.get("attachment"), entry.get("message")
    if isinstance(waited, dict) and waited.get("type") == "queued_command":
        return {"role": "user", "content": waited.get("prompt")}
    return message if isinstance(message, dict) else entry


def _is_programs(message: Mapping[str, Any]) -> bool:
    """Whether a program says that it wrote an agent's turn itself."""
    return message.get("model") == "<synthetic>" or message.get("stopReason") == "error"


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
