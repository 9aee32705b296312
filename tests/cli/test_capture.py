"""What a hook hands over at the end of a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memstore.cli.add import Capture, captured
from memstore.cli.recall import prompt_of_hook

if TYPE_CHECKING:
    from pathlib import Path

LINES = (
    {"type": "user", "message": {"role": "user", "content": "Hi"}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "We fixed the reader."}]}},
    {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "x"}]}},
    {"type": "user", "message": {"content": "Bye"}},
)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("", ""), (" plain text\n", "plain text"), ("{no json", "{no json"), ("[1]", "[1]"), ("{}", ""),
        ('{"text": "a", "prompt": "b"}', "a"), ('{"last_assistant_message": "c"}', "c"), ('{"summary": 3}', ""),
    ],
)  # fmt: skip
def test_texts(given: str, text: str, tmp_path: Path) -> None:
    assert captured(given, lambda path: (tmp_path / path).read_bytes()).text == text


def test_the_last_words_of_a_transcript(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in LINES) + '{"broken')

    def read(path: str) -> bytes:
        return (tmp_path / path).read_bytes()

    document = {"transcript_path": "t.jsonl", "session_id": "s1", "hook_event_name": "SessionEnd"}
    assert captured(json.dumps(document), read) == Capture("We fixed the reader.", "s1", "SessionEnd")
    assert captured(json.dumps(document | {"session_id": "a\nb"}), read).session_id is None


@pytest.mark.parametrize(
    ("given", "prompt"),
    [("hi", "hi"), ('{"prompt": "hi"}', "hi"), ('{"prompt": 3}', ""), ("{broken", "{broken"), ("{}", "")],
)
def test_prompts(given: str, prompt: str) -> None:
    assert prompt_of_hook(given) == prompt
