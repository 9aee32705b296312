"""Files of seed beliefs: YAML, JSON, or a list in Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from memstore.errors import FormatError

_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.+(?:\n[ \t]+(?![-*+] )\S.*)*)", re.MULTILINE)
_TAG = re.compile(r"(?:^|\s)#([\w-]+)")
_NUMBER = re.compile(r"\s*\((?:confidence:?\s*)?([01]?\.\d+|[01])\)", re.IGNORECASE)
_LISTS = ("beliefs", "seeds", "seed_beliefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One belief that is there from the start."""

    statement: str
    confidence: float | None = None
    tags: tuple[str, ...] = ()


def read(path: str, data: bytes) -> tuple[Seed, ...]:
    """Return the seed beliefs in a file, in its order.

    YAML and JSON hold a list, or a map with the list under `beliefs`; an item is a statement, or a map with
    `statement` and perhaps `confidence` and `tags`. In Markdown each item of a list is a belief, like
    `- Truth is rarely binary. (0.65) #truth`.

    Args:
        path: the file's name; its ending tells the format.
        data: its bytes.

    Raises:
        FormatError: it can't be read, or an item is no belief.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: byte {error.start + 1}", hint="save it as UTF-8") from error
    if path.casefold().endswith((".md", ".markdown", ".txt")):
        found = _ITEM.finditer(text)
        seeds = tuple(_of_markdown(_line(path, text, item.start()), item[1]) for item in found)
    else:
        seeds = tuple(_of_item(f"{path}: item {number}", item) for number, item in enumerate(_items(path, text), 1))
    if not seeds:
        raise FormatError(f"{path} holds no beliefs", hint="write a list, one statement an item")
    return seeds


def _line(path: str, text: str, at: int) -> str:
    newline = "\n"
    return f"{path}:{text.count(newline, 0, at) + 1}"


def _of_markdown(where: str, item: str) -> Seed:
    tags = tuple(_TAG.findall(item))
    number = _NUMBER.search(item)
    words = _NUMBER.sub("", _TAG.sub("", item))
    statement = " ".join(words.split())
    return _of_item(
        where, {"statement": statement, "confidence": float(number[1]) if number else None, "tags": [*tags]}
    )


def _items(path: str, text: str) -> list[Any]:
    value = _parsed(path, text)
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if name in value), None)
    if not isinstance(value, list):
        raise FormatError(f"{path} holds no list of beliefs", hint="write a list, one statement an item")
    return value


def _parsed(path: str, text: str) -> Any:
    if path.casefold().endswith(".json"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{path} is no JSON: {error}") from error
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no YAML: {' '.join(str(error).split())}") from error


def _of_item(where: str, item: object) -> Seed:
    if isinstance(item, str):
        item = {"statement": item}
    statement = item.get("statement") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(statement, str) or not statement.strip():
        raise FormatError(f"{where}: there is no statement", hint="write {statement: …, confidence: 0.8}")
    confidence, tags = item.get("confidence"), item.get("tags") or []
    if confidence is not None and not _is_fraction(confidence):
        raise FormatError(
            f"{where}: `confidence` must be a number from 0 to 1, and is {confidence!r}", hint="mend the number"
        )
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise FormatError(f"{where}: `tags` must be a list of words", hint="write tags: [one, two]")
    return Seed(statement=statement.strip(), confidence=confidence, tags=tuple(tags))


def _is_fraction(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
