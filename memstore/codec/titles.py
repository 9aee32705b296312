"""Titles: a memory's own, or what serves for one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.model.memory import Memory

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\r?$", re.MULTILINE)
# Signs of emphasis stand at the edge of a word: `load_file` has none, and `2*3` neither.
_MARKUP = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+|(?<!\w)[*_]+(?=\S)|(?<=\S)[*_]+(?!\w)|`|\[\[|\]\]")
LONGEST_DEFAULT_TITLE = 80
# The headings that every episode has say nothing of this one.
_OF_EPISODES = frozenset({"outcome", "lessons"})


def title_of(memory: Memory) -> str:
    """Return the memory's title, or what serves for one: its first heading or sentence, at most 80 characters."""
    return memory.title or default_title(memory.body)


def default_title(body: str) -> str:
    """Return the first heading, or else the first sentence, of a body; empty for a body without either."""
    headings = (found[1] for found in _HEADING.finditer(body))
    heading = next((text for text in headings if text.casefold() not in _OF_EPISODES), "")
    lines = (line for line in body.splitlines() if line.strip() and not _HEADING.match(line))
    text = " ".join(_MARKUP.sub("", heading or next(lines, "")).split())
    sentence = re.match(r"(.+?[.!?])(?:\s|$)", text)
    text = sentence[1] if sentence and not heading else text
    if len(text) <= LONGEST_DEFAULT_TITLE:
        return text
    return text[: LONGEST_DEFAULT_TITLE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
