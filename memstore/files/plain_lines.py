"""Reads frontmatter of plain lines without a parser: most files have no others, and a first index reads them all.

The meaning of these lines is beyond doubt (docs/adr/0023):

    title: Tea with Sean
    created_at: "2026-02-01T18:04:11Z"
    tags: [tea, heart rate]
    derived_from:
      - episode:m_7jb35t6cw0
    witnesses:
      - {agent_id: "si:ash", attestation: confirm}

If a frontmatter has any other line, all of it is left to the strict reader, which says what is refused, where and why.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from memstore.files.strict_yaml import MOST_NODES, Frontmatter, is_ambiguous, is_plain, resolve_plain

# What the strict reader refuses in a value, and tabs and hard spaces: no line with one of them is plain.
_is_unusual = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]").search
_KEY = r"[a-z][a-z0-9_]{0,63}"
# In quotes: no escapes.
_QUOTED = r"""(?:"[^"\\\n]*+"|'[^'\n]*+'(?!'))"""
# Without quotes: a letter or digit, then nothing that any reader treats as syntax. A blank has one of these characters
# on either side, so it neither begins a comment nor ends the line; a colon is followed by a letter, so it doesn't end a
# key.
_TEXT, _ITEM = (
    rf"[^\W_]{of}*+(?>(?:(?:\ |:(?=[\w/])){of}++)*)" for of in (r"""[^\n\ "#:\[\\\]^`{}]""", r"[\w./()'+-]")
)
_LIST = rf"\[(?>(?:(?:{_QUOTED}|{_ITEM})(?:,\ (?!\])|(?=\])))*)\]"
_PART = rf"{_KEY}:\ (?:{_QUOTED}|{_LIST}|{_ITEM})"
_MAP = rf"\{{(?>(?:{_PART}(?:,\ (?!\}})|(?=\}})))+)\}}"

_pair = re.compile(
    rf"""
    ({_KEY}):
    (?: \ ({_QUOTED}|{_LIST}|{_MAP}|{_TEXT})                                   # a value on the key's line,
      | (?=\n(?P<indent>\ {{0,4}})-) ((?>(?:\n(?P=indent)-\ (?:{_QUOTED}|{_MAP}|{_TEXT}))+))  # a list below it,
      |                                                                       # or nothing
    )
    (?:\n|\Z)
    """,
    re.VERBOSE,
).match
# The parts of what was matched as a whole.
_values_of_list = re.compile(rf"{_QUOTED}|{_ITEM}").findall
_values_below = re.compile(rf"\n\ *-\ ({_QUOTED}|{_MAP}|{_TEXT})").findall
_parts_of_map = re.compile(rf"({_KEY}):\ ({_QUOTED}|{_LIST}|{_ITEM})").findall


def read(head: str, *, first_line: int) -> Frontmatter | None:
    """Read the YAML between two fences if it consists of plain lines only.

    Args:
        head: the text between the fences.
        first_line: the file line on which it begins, from 1.

    Returns:
        The values that the strict reader would give, or None to leave reading to it.
    """
    if len(head) > MOST_NODES or _is_unusual(head):  # each value takes at least one character
        return None
    values: dict[str, Any] = {}
    at, end = 0, len(head)
    try:
        while at < end:
            pair = _pair(head, at)
            if pair is None:
                return None
            key, value, _, below = pair.groups()
            if key in values:
                return None
            if value:
                values[_key(key)] = _value(value)
            else:
                values[_key(key)] = [_value(item) for item in _values_below(below)] if below else None
            at = pair.end()
    except _DoubtError:
        return None
    return Frontmatter(head, first_line, values, is_plain=True)


# The same characters as above.
_quoted_line = re.compile(
    rf'({_KEY}): "([^"\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]*+)"'
).fullmatch


def quoted(line: str) -> tuple[str, str] | None:
    """Return key and value of a line with a text in double quotes, as `read` reads it; None for any other line."""
    found = _quoted_line(line)
    if found is None or len(line) > MOST_NODES:
        return None
    try:
        return _key(found[1]), found[2]
    except _DoubtError:
        return None


class _DoubtError(Exception):
    """A text that the strict reader refuses."""


def _value(text: str) -> Any:
    """Return the value of a matched text: quoted, a list, a map or plain, by its first character."""
    sign = text[0]
    if sign in "\"'":
        return text[1:-1]
    if sign == "[":
        return [_value(item) for item in _values_of_list(text)]
    if sign == "{":
        parts = _parts_of_map(text)
        values = {_key(key): _value(value) for key, value in parts}
        if len(values) < len(parts):  # a key is repeated
            raise _DoubtError
        return values
    return text if " " in text else _word(text)  # a text with a blank is not a number or a flag


@lru_cache(maxsize=1000)
def _key(text: str) -> str:
    if not is_plain(text):
        raise _DoubtError
    return text


@lru_cache(maxsize=10_000)
def _word(text: str) -> Any:
    if is_ambiguous(text):
        raise _DoubtError
    return resolve_plain(text)
