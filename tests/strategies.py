"""Files as people write them, for property tests: each with what it says and on which lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from memstore.core.ids import MEMORY_TYPES

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

_LETTERS, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
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


# A strategy is built once: building them anew with every draw takes longer than drawing from them.


@cache
def one_line_texts() -> SearchStrategy[str]:
    """Return texts of one line that a reader of YAML could stumble over; none is empty."""
    return st.one_of(
        st.sampled_from(_WORDS),
        st.text(alphabet=_SIGNS, min_size=1, max_size=30),
        st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=20),
    )


@cache
def entity_ids() -> SearchStrategy[str]:
    """Return entity ids."""
    kinds, first = st.sampled_from(("human", "si", "org", "dog")), st.sampled_from(_LETTERS + _DIGITS)
    return st.builds("{}:{}{}".format, kinds, first, st.text(_LETTERS + _DIGITS + "._-", max_size=8))


@cache
def instants() -> SearchStrategy[str]:
    """Return times as memories have them."""
    return st.datetimes().map(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}".rjust(20, "0"))


@cache
def refs() -> SearchStrategy[str]:
    """Return refs."""
    return st.builds("{}:{}".format, st.sampled_from(MEMORY_TYPES), memory_ids())


@cache
def memory_ids() -> SearchStrategy[str]:
    """Return memories' ids, our own and foreign ones."""
    own = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=10, max_size=10).map("m_{}".format)
    foreign = st.text(_LETTERS + _DIGITS + "_-", min_size=2, max_size=12)
    return st.one_of(own, st.builds("{}{}".format, st.sampled_from(_LETTERS), foreign))


@cache
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


_QUOTED: tuple[Callable[[str], str], ...] = (_single, _double, _escaped)
_QUOTED_STYLES = st.sampled_from(_QUOTED)
_ALL_STYLES = st.sampled_from((*_QUOTED, _bare, _bare, _bare))


def _text_written(draw: DrawFn, text: str) -> str:
    """Return a text as one item or value on one line."""
    bare = (_BARE.fullmatch(text) and text.casefold() not in _NEVER_BARE) or (_BARE_ID.fullmatch(text) and ":" in text)
    return draw(_ALL_STYLES if bare else _QUOTED_STYLES)(text)


_PLACES = st.sampled_from(("inline", "inline", "inline", "below", "literal", "folded", "multi"))
_INDENTS = st.sampled_from(("  ", "    "))
_LITERAL_MARKS = st.sampled_from(("|-", "|-  # kept as it is"))


@st.composite
def _texts_as_values(draw: DrawFn, texts: SearchStrategy[str]) -> _Written:
    """Return a text as a key's value: on its line, below it, folded, literal, or plain over several lines."""
    text, style, indent = draw(texts), draw(_PLACES), draw(_INDENTS)
    blocks = text.strip() == text and "\u00a0" not in text[:1]
    words = text.split(" ")
    if style == "below":
        return _Written(text, "", [indent + _text_written(draw, text)])
    if style == "literal" and blocks:
        return _Written(text, draw(_LITERAL_MARKS), [indent + text])
    if style == "folded" and blocks:
        return _Written(text, ">-", [indent + text])
    if (
        style == "multi"
        and _BARE.fullmatch(text)
        and len(words) > 1
        and not _NEVER_BARE & set(text.casefold().split(" "))
    ):
        return _Written(text, words[0], [indent + word for word in words[1:]])
    return _Written(text, _text_written(draw, text))


_BOOLEANS = st.booleans()
_MARGINS = st.sampled_from(("", "  ", "    "))
_NUMBERS = st.sampled_from(
    tuple(_Written(*number) for number in ((0.5, "0.50"), (0.5, ".5"), (1.0, "1.0"), (0.8686, "0.8686"), (0, "0")))
)
_LAYOUTS = st.sampled_from(("flow", "wide", "lines", "dashes", "dashes", "dashes"))
_WIDE_ENDS = st.sampled_from((" ]", ", ]"))
_COMMENTS = st.sampled_from(("", "", "  # why", " # a, b"))
_BETWEEN = st.sampled_from((None, None, None, "# between", ""))
_AFTER_A_DASH = st.sampled_from((" ", " ", "   "))


def _lists_written(items: SearchStrategy[str]) -> SearchStrategy[_Written]:
    """Return lists in brackets, in brackets over several lines, or with dashes."""
    return _lists_of(st.lists(items, max_size=4, unique=True))


@st.composite
def _lists_of(draw: DrawFn, lists: SearchStrategy[list[str]]) -> _Written:
    value, style = draw(lists), draw(_LAYOUTS)
    texts = [_text_written(draw, item) for item in value]
    if style == "flow" or not value:
        return _Written(value, "[" + ", ".join(texts) + "]")
    if style == "wide":
        return _Written(value, "[ " + " ,  ".join(texts) + draw(_WIDE_ENDS))
    if style == "lines":
        last = len(texts) - 1
        commas = ["," if i < last or draw(_BOOLEANS) else "" for i in range(len(texts))]
        return _Written(
            value, "[", [*(f"    {t}{c}{draw(_COMMENTS)}" for t, c in zip(texts, commas, strict=True)), "  ]"]
        )
    indent = draw(_MARGINS)
    below: list[str] = []
    for text in texts:
        between = draw(_BETWEEN)
        below += [] if between is None else [(indent + between) if between else ""]
        below.append(f"{indent}-{draw(_AFTER_A_DASH)}{text}{draw(_COMMENTS)}")
    return _Written(value, "", below)


_EVENTS = st.lists(st.tuples(instants(), st.sampled_from((0.5, 0.85)), st.booleans()), max_size=3)


def _history_written(drawn: list[tuple[str, float, bool]]) -> _Written:
    """Return a history of a few events, one a line or in blocks."""
    if not drawn:
        return _Written([], "[]")
    events, below = [], []
    for at, new, on_one_line in drawn:
        events.append({"timestamp": at, "op": "edit", "old": None, "new": new})
        parts = [f'timestamp: "{at}"', "op: edit", "old: null", f"new: {new}"]
        below += (
            ["  - {" + ", ".join(parts) + "}"]
            if on_one_line
            else [f"  - {parts[0]}", *(f"    {part}" for part in parts[1:])]
        )
    return _Written(events, "", below)


_EMPTY = st.sampled_from(
    (_Written(None, ""), _Written("", '""'), _Written(None, "null"), _Written(None, "~"), _Written([], "[]"))
)


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
    "type": _texts_as_values(st.sampled_from(MEMORY_TYPES)),
    "id": memory_ids().map(_in_double_quotes),
    "created_at": instants().map(_in_double_quotes),
    "confidence": _NUMBERS,
    "foundational": _FLAGS,
    "aliases": _lists_written(one_line_texts()),
    "tags": _lists_written(one_line_texts()),
    "context_tags": _lists_written(one_line_texts()),
    "access_grants": _lists_written(entity_ids()),
    "subject_ids": _lists_written(entity_ids()),
    "relates_to": _lists_written(refs()),
    "confidence_history": _EVENTS.map(_history_written),
    "x-notes": _NOTES,
}
_ANY_TEXT = _texts_as_values(one_line_texts())


_KEYS = (
    "id", "title", "aliases", "tags", "created_at", "source", "platform", "relates_to", "context_tags", "subject_ids",
    "access_grants", "foundational", "confidence", "confidence_history", "x-notes", "x rating", "🐕",
)  # fmt: skip
_REQUIRED_HERE = frozenset({"type", "id", "x-notes", "confidence_history", "foundational"})


# -- whole files ---------------------------------------------------------------------------------


_NAMES = st.lists(st.sampled_from(_KEYS), unique=True, max_size=8).flatmap(
    lambda names: st.permutations(["type", *names])
)
_FILE_MARGINS = st.sampled_from(("", "", "", "  "))
_NOISE = st.sampled_from(([], [], [], [""], ["# a note: it's [mine]"], ["", "# - no item", ""]))
_ONE_IN_TEN = st.integers(0, 9).map(lambda n: n == 0)
_BESIDE = st.sampled_from(("", "", "", "  # beside", " # it's: {odd"))
_FENCE_BLANKS = st.sampled_from(("", "", " ", "\t"))
_BODIES = st.sampled_from(("", "\n\tTabs\tand 🐕.\n\n---\n\n## End\n", "No final newline", "\nText.\n\n\n"))
_LINE_ENDS = st.sampled_from(("\n", "\n", "\r\n"))
_STARTS = st.sampled_from(("", "", BOM))


@st.composite
def _files(draw: DrawFn) -> HandStyled:
    margin = draw(_FILE_MARGINS)
    values: dict[str, Any] = {}
    places: dict[str, tuple[int, int]] = {}
    lines = ["---" + draw(_FENCE_BLANKS)]

    def add_noise() -> None:
        noise = draw(_NOISE) if lines[-1] else []
        lines.extend(margin + line if line else line for line in noise)

    for name in draw(_NAMES):
        add_noise()
        empty = name not in _REQUIRED_HERE and draw(_ONE_IN_TEN)
        written = draw(_EMPTY if empty else _VALUES.get(name, _ANY_TEXT))
        values[name] = written.value
        own = _own_lines(name, written, draw(_BESIDE))
        places[name] = (len(lines) + 1, len(lines) + len(own))
        lines += [margin + line if line else line for line in own]
    add_noise()
    body = draw(_BODIES)
    text = "\n".join([*lines, "---" + draw(_FENCE_BLANKS)]) + "\n" + body
    if not body and draw(_BOOLEANS):
        text = text.removesuffix("\n")
    newline = draw(_LINE_ENDS)
    text = draw(_STARTS) + text.replace("\n", newline)
    return HandStyled(data=text.encode(), values=values, lines=places, body=body.replace("\n", newline).encode())


@cache
def hand_styled_files() -> SearchStrategy[HandStyled]:
    """Return readable memory files in a style that a person, an editor or another program may have left."""
    return _files()


def _own_lines(name: str, written: _Written, comment: str) -> list[str]:
    """Return the lines of a key; a comment stands beside it only where it can't be taken for the value's."""
    many_plain = bool(written.below) and written.inline not in ("", "[")
    comment = "" if many_plain or "#" in written.inline or written.inline.startswith("|") else comment
    value = f" {written.inline}" if written.inline else ""
    return [f"{name}:{value}{comment}", *written.below]
