"""What an agent's hook hands over when a session ends, and what of it is worth writing down."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

# Keys of a hook's document that hold a text, the first that is there counts.
_TEXTS = ("text", "summary", "last_assistant_message", "prompt")
# Of a transcript only the end is read: what was said last stands there.
_MOST_BYTES = 1_000_000


class Capture(NamedTuple):
    """A text to write down, empty where there is none, and the session that it is from."""

    text: str
    session_id: str | None = None
    trigger: str | None = None


def captured(given: str, read: Callable[[str], bytes]) -> Capture:
    """Return what a hook hands over: plain text, or a JSON document with a text or the path of a transcript.

    Args:
        given: what stood on standard input.
        read: gives the bytes of a file by its path, as far as whoever acts may have them.
    """
    document = _document(given)
    if document is None:
        return Capture(given.strip())
    texts = (document.get(key) for key in _TEXTS)
    text = next((one for one in texts if isinstance(one, str) and one.strip()), "")
    path = document.get("transcript_path")
    if not text and isinstance(path, str):
        text = _said_last(read(path)[-_MOST_BYTES:])
    return Capture(text.strip(), _word(document, "session_id"), _word(document, "hook_event_name"))


def _word(document: dict[str, Any], key: str) -> str | None:
    value = document.get(key)
    return value if isinstance(value, str) and value.strip() and value.isprintable() else None


def _document(given: str) -> dict[str, Any] | None:
    try:
        document = json.loads(given)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _said_last(transcript: bytes) -> str:
    """Return the last text of the assistant in a transcript, one JSON document a line; empty where there is none."""
    for line in reversed(transcript.decode("utf-8", "replace").splitlines()):
        entry = _document(line) or {}
        message = entry.get("message")
        if entry.get("type") == "assistant" and isinstance(message, dict) and (text := _text_of(message)):
            return text
    return ""


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n\n".join(text for text in texts if isinstance(text, str)).strip()
