from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.cli import output

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates, controls and all


@given(ANY_TEXT)
def test_what_is_made_safe_drives_no_terminal(text: str) -> None:
    shown = output.safe(text)
    assert not any(ord(c) < 32 and c not in "\t\n" for c in shown)
    assert not any(0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066\u2028\u200f" for c in shown)
    assert "\n" not in output.safe_line(text)
    assert "\t" not in output.safe_line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ümlaut, 語, 🐕", "plain, ümlaut, 語, 🐕"),
        ("\x1b[2Jgone", "<U+001B>[2Jgone"),
        ("\x9b31mred", "<U+009B>31mred"),
        ("abc\u202edcba", "abc<U+202E>dcba"),
        ("one\r\ntwo", "one\ntwo"),
        ("one\rtwo", "one<U+000D>two"),
        ("a\tb", "a\tb"),
    ],
)
def test_harmful_characters_are_spelt_out(text: str, shown: str) -> None:
    assert output.safe(text) == shown


@given(ANY_TEXT)
def test_any_text_survives_json(text: str) -> None:
    line = output.one_line({"text": text})
    # Two lone surrogates side by side are one character to a JSON reader, as everywhere.
    assert json.loads(line)["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert "\n" not in line
    line.encode()


@given(ANY_TEXT)
def test_any_text_can_be_written_in_any_encoding(text: str) -> None:
    output.prepare_streams()
    for encoding in ("ascii", "latin-1", "utf-8"):
        text.encode(encoding, errors="memstore.output")


def test_odd_bytes_of_a_path_are_written_as_they_are() -> None:
    output.prepare_streams()
    assert "caf\udce9.md".encode(errors="memstore.output") == b"caf\xe9.md"
    assert "a → b…".encode("ascii", errors="memstore.output") == b"a -> b..."


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "choice", "at_terminal", "colours"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({}, "always", False, True),
        ({}, "never", True, False),
        ({"NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": ""}, "auto", True, True),
        ({"NO_COLOR": "1"}, "always", False, True),
        ({"FORCE_COLOR": "1"}, "auto", False, True),
        ({"FORCE_COLOR": "0"}, "auto", False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "auto", True, False),
        ({"TERM": "dumb"}, "auto", True, False),
    ],
)
def test_who_decides_about_colours(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], choice: str, *, at_terminal: bool, colours: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = _Terminal() if at_terminal else io.StringIO()
    assert output.palette(stream, choice).colours is colours


def test_the_words_are_the_same_with_and_without_colours() -> None:
    with_colours = output.Palette(colours=True, signs=True)
    assert with_colours("path", "tea.md") == "\x1b[35mtea.md\x1b[0m"
    assert with_colours("path", "") == ""
    assert output.Palette(colours=False, signs=True)("path", "tea.md") == "tea.md"


def test_a_closed_standard_output_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="closed"):
        output.write_lines(["lost"])
