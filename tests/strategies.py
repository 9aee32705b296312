"""Files as people write them, for property tests: each with what it says and on which lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from memstore.model.ids import MEMORY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DrawFn, SearchStrategy

BOM = "\ufeff"


@dataclass(frozen=True, kw_only=True)
class HandStyled:
    """A memory file in somebody's own style.

    `lines` gives for each key the first and last line (from 1, inclusive) that it and its value take; comments and
    blank lines around it belong to nobody.
    """

    data: bytes
    values: dict[str, Any]
    lines: dict[str, tuple[int, int]]
    body: bytes


# -- texts ---------------------------------------------------------------------------------------

_SIGNS = "aAzéß 0:#'\"\\[]{},&*!|>%@`-?._🐕語\u00a0\u200b/=~+$"
_WORDS = (
    "tea",
    "Bella",
    "heart rate",
    "no",
    "yes",
    "12:30",
    "0123",
    "1e3",
    "null",
    "true",
    "0.50",
    "2026-02-01",
    "- a",
    "a: b",
    "x #y",
    "~",
    "=",
    "<<",
    "*",
    "🐕",
    "it's",
    'say "so"',
    "C:\\dir",
    "a,b",
    "[x]",
    "{x",
    "tail:",
    " lead",
    "end ",
    "e\u0301",
    "human:sean",
)


def one_line_texts() -> SearchStrategy[str]:
    """Return texts of one line that a reader of YAML could stumble over; none is empty."""
    return st.one_of(
        st.sampled_from(_WORDS),
        st.text(alphabet=_SIGNS, min_size=1, max_size=30),
        st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=20),
    )


def entity_ids() -> SearchStrategy[str]:
    """Return entity ids."""
    return st.from_regex(r"(human|si|org|dog):[a-z0-9][a-z0-9._-]{0,8}", fullmatch=True)


def instants() -> SearchStrategy[str]:
    """Return times as memories have them."""
    return st.datetimes().map(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}".rjust(20, "0"))


def refs() -> SearchStrategy[str]:
    """Return refs."""
    return st.builds("{}:{}".format, st.sampled_from(MEMORY_TYPES), memory_ids())


def memory_ids() -> SearchStrategy[str]:
    """Return memories' ids, our own and foreign ones."""
    return st.from_regex(r"(m_[0-9a-hjkmnp-tv-z]{10}|[a-z][a-z0-9_-]{2,12})", fullmatch=True)


def fractions() -> SearchStrategy[float]:
    """Return numbers from 0 to 1."""
    return st.one_of(st.floats(0, 1), st.sampled_from((0.5, 0.85, 0.8686, 1e-07)))


# -- one value in somebody's style ---------------------------------------------------------------


@dataclass
class _Written:
    """A value as it is written: what follows the colon on the key's line, and the lines below it."""

    value: Any
    inline: str
    below: list[str] = field(default_factory=list)


# Plain text that nobody reads as anything else; told apart without the program's own rules.
_BARE = re.compile(r"[b-mp-xB-MP-X][A-Za-z]{2,}( [a-z]{2,})*")
_BARE_ID = re.compile(r"[a-z][a-z-]*:[a-z0-9][a-z0-9._-]*")
_NEVER_BARE = {"null", "true", "false", "yes", "off"}


def _bare(text: str) -> str:
    return text


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08x}" if ord(c) > 126 or c in '"\\' else c for c in text) + '"'


@st.composite
def _texts_written(draw: DrawFn, text: str) -> str:
    """Return a text as one item or value on one line."""
    styles: list[Callable[[str], str]] = [_single, _double, _escaped]
    if (_BARE.fullmatch(text) and text.casefold() not in _NEVER_BARE) or (_BARE_ID.fullmatch(text) and ":" in text):
        styles += [_bare] * 3
    return draw(st.sampled_from(styles))(text)


@st.composite
def _lines_of_text(draw: DrawFn, text: str) -> _Written:
    """Return a text as a key's value: on its line, below it, folded, literal, or plain over several lines."""
    style = draw(st.sampled_from(("inline", "inline", "inline", "below", "literal", "folded", "multi")))
    indent = draw(st.sampled_from(("  ", "    ")))
    blocks = text.strip() == text and "\u00a0" not in text[:1]
    words = text.split(" ")
    if style == "below":
        return _Written(text, "", [indent + draw(_texts_written(text))])
    if style == "literal" and blocks:
        return _Written(text, draw(st.sampled_from(("|-", "|-  # kept as it is"))), [indent + text])
    if style == "folded" and blocks:
        return _Written(text, ">-", [indent + text])
    if (
        style == "multi"
        and _BARE.fullmatch(text)
        and len(words) > 1
        and not _NEVER_BARE & set(text.casefold().split(" "))
    ):
        return _Written(text, words[0], [indent + word for word in words[1:]])
    return _Written(text, draw(_texts_written(text)))


@st.composite
def _numbers_written(draw: DrawFn) -> _Written:
    value, inline = draw(st.sampled_from(((0.5, "0.50"), (0.5, ".5"), (1.0, "1.0"), (0.8686, "0.8686"), (0, "0"))))
    return _Written(value, inline)


@st.composite
def _lists_written(draw: DrawFn, items: SearchStrategy[str]) -> _Written:
    """Return a list in brackets, in brackets over several lines, or with dashes."""
    value = draw(st.lists(items, max_size=4, unique=True))
    texts = [draw(_texts_written(item)) for item in value]
    style = draw(st.sampled_from(("flow", "wide", "lines", "dashes", "dashes", "dashes")))
    if style == "flow" or not value:
        return _Written(value, "[" + ", ".join(texts) + "]")
    if style == "wide":
        return _Written(value, "[ " + " ,  ".join(texts) + draw(st.sampled_from((" ]", ", ]"))))
    comment = st.sampled_from(("", "", "  # why", " # a, b"))
    if style == "lines":
        last = len(texts) - 1
        commas = ["," if i < last or draw(st.booleans()) else "" for i in range(len(texts))]
        return _Written(
            value, "[", [*(f"    {t}{c}{draw(comment)}" for t, c in zip(texts, commas, strict=True)), "  ]"]
        )
    indent = draw(st.sampled_from(("", "  ", "    ")))
    below: list[str] = []
    for text in texts:
        below += draw(st.sampled_from(([], [], [], [f"{indent}# between"], [""])))
        below.append(f"{indent}-{draw(st.sampled_from((' ', ' ', '   ')))}{text}{draw(comment)}")
    return _Written(value, "", below)


@st.composite
def _histories_written(draw: DrawFn) -> _Written:
    """Return a history of a few events, one a line or in blocks."""
    events = [
        {"timestamp": draw(instants()), "op": "edit", "old": None, "new": draw(st.sampled_from((0.5, 0.85)))}
        for _ in range(draw(st.integers(0, 3)))
    ]
    if not events:
        return _Written([], "[]")
    below: list[str] = []
    for event in events:
        parts = [f'timestamp: "{event["timestamp"]}"', "op: edit", "old: null", f"new: {event['new']}"]
        if draw(st.booleans()):
            below.append("  - {" + ", ".join(parts) + "}")
        else:
            below += [f"  - {parts[0]}", *(f"    {part}" for part in parts[1:])]
    return _Written(events, "", below)


_EMPTY = (_Written(None, ""), _Written("", '""'), _Written(None, "null"), _Written(None, "~"), _Written([], "[]"))


def _in_double_quotes(text: str) -> _Written:
    return _Written(text, _double(text))


_FLAGS = st.sampled_from((_Written(True, "true"), _Written(False, "False")))  # noqa: FBT003 - a value
_NOTES = st.sampled_from(
    (
        _Written("one\n two\n", "|", ["  one", "   two"]),
        _Written("kept\n\n", "|+  # to the end", ["  kept", ""]),
        _Written({"deep": ["a", {"b": 1}]}, "", ["  deep:", "    - a", "    - b: 1"]),
        _Written([["a"], ["b"]], "", ["  - - a", "  - [b]"]),
    )
)
_VALUES: dict[str, SearchStrategy[_Written]] = {
    "type": st.sampled_from(MEMORY_TYPES).flatmap(_lines_of_text),
    "id": memory_ids().map(_in_double_quotes),
    "created_at": instants().map(_in_double_quotes),
    "confidence": _numbers_written(),
    "foundational": _FLAGS,
    "aliases": _lists_written(one_line_texts()),
    "tags": _lists_written(one_line_texts()),
    "context_tags": _lists_written(one_line_texts()),
    "access_grants": _lists_written(entity_ids()),
    "subject_ids": _lists_written(entity_ids()),
    "relates_to": _lists_written(refs()),
    "confidence_history": _histories_written(),
    "x-notes": _NOTES,
}
_ANY_TEXT = one_line_texts().flatmap(_lines_of_text)


_KEYS = (
    "id", "title", "aliases", "tags", "created_at", "source", "platform", "relates_to", "context_tags", "subject_ids",
    "access_grants", "foundational", "confidence", "confidence_history", "x-notes", "x rating", "🐕",
)  # fmt: skip
_REQUIRED_HERE = frozenset({"type", "id", "x-notes", "confidence_history", "foundational"})


# -- whole files ---------------------------------------------------------------------------------


@st.composite
def hand_styled_files(draw: DrawFn) -> HandStyled:
    """Return a readable memory file in a style that a person, an editor or another program may have left."""
    names = draw(st.permutations(["type", *draw(st.lists(st.sampled_from(_KEYS), unique=True, max_size=8))]))
    margin = draw(st.sampled_from(("", "", "", "  ")))
    values: dict[str, Any] = {}
    places: dict[str, tuple[int, int]] = {}
    lines = ["---" + draw(st.sampled_from(("", "", " ")))]
    noise = st.sampled_from(([], [], [], [""], [f"{margin}# a note: it's [mine]"], ["", f"{margin}# - no item", ""]))
    for name in names:
        lines += draw(noise) if lines[-1] else []
        may_be_empty = name not in _REQUIRED_HERE
        written = (
            draw(st.sampled_from(_EMPTY))
            if may_be_empty and draw(st.integers(0, 9)) == 0
            else draw(_VALUES.get(name, _ANY_TEXT))
        )
        values[name] = written.value
        own = _own_lines(name, written, draw(st.sampled_from(("", "", "", "  # beside", " # it's: {odd"))))
        places[name] = (len(lines) + 1, len(lines) + len(own))
        lines += [margin + line if line else line for line in own]
    lines += [*(draw(noise) if lines[-1] else []), "---" + draw(st.sampled_from(("", "", "\t")))]
    body = draw(st.sampled_from(("", "\n\tTabs\tand 🐕.\n\n---\n\n## End\n", "No final newline", "\nText.\n\n\n")))
    text = "\n".join(lines) + "\n" + body
    if not body and draw(st.booleans()):
        text = text.removesuffix("\n")
    newline = draw(st.sampled_from(("\n", "\n", "\r\n")))
    text = draw(st.sampled_from(("", "", BOM))) + text.replace("\n", newline)
    return HandStyled(data=text.encode(), values=values, lines=places, body=body.replace("\n", newline).encode())


def _own_lines(name: str, written: _Written, comment: str) -> list[str]:
    """Return the lines of a key; a comment stands beside it only where it can't be taken for the value's."""
    many_plain = bool(written.below) and written.inline not in ("", "[")
    comment = "" if many_plain or "#" in written.inline or written.inline.startswith("|") else comment
    value = f" {written.inline}" if written.inline else ""
    return [f"{name}:{value}{comment}", *written.below]
