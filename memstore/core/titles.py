"""The titles of memories: their own, or what they begin with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.core.full_stops import first_sentence
from memstore.core.ids import ID_ALPHABET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.memory import Memory

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]*)", re.MULTILINE)
# Emphasis marks are at the edge of a word: `load_file` has none, and neither has `2*3`.
_MARKUP = r"^\s*(?:[-*+>]|\d+[.)])\s+|(?<!\w)[*_]+(?=\S)|(?<=\S)[*_]+(?!\w)|`|\[\[|\]\]"
_MAY_BE_MARKUP = re.compile(r"[-*+>_`\[\]\d]")
_CONTROL = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
LONGEST_DEFAULT_TITLE = 80
_BEGINNING_OF_ID = rf"[{ID_ALPHABET}]{{4}}"  # at the end of the name of a file that memstore made
# A line of properties of Logseq; the title is one of those that a page begins with.
_PROPERTY = r"\s*(?:- )?[^\s:]+::[ \t]"
_TITLE_PROPERTY = r"\s*(?:- )?(?:[^\s:]+::[^\n]*\n[ ]{0,2})*?title::[ \t]+(\S[^\n]*)"
# Every episode has these headings, so they say nothing about this one.
_OF_EPISODES = frozenset({"outcome", "lessons"})


def title_of(memory: Memory) -> str:
    """Return the memory's title, or if it has none, its first heading or sentence, at most 80 characters."""
    return memory.title or default_title(memory.body)


def in_a_key(title: str) -> str:
    """Return a title as frontmatter can hold it: a text may have control characters, and a key may not."""
    return " ".join(re.sub(_CONTROL, " ", title).split())


def heading_text(rest: str) -> str:
    """Return the text of a heading, given its line behind the opening signs: without the blanks and signs at its end.

    A pattern with a part for the blanks, one for the signs and one for all before them takes cubic time.
    """
    text = rest.rstrip(" \t")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if bare.endswith((" ", "\t")) else text


def default_title(body: str) -> str:
    """Return the first heading of a body, or else its first sentence; empty if it has neither.

    Properties of Logseq, `key:: value`, are no sentences; `title::` counts as a heading.
    """
    headings = (heading_text(found[1].removesuffix("\r")) for found in _HEADING.finditer(body))
    titled = re.match(_TITLE_PROPERTY, body) if "title::" in body else None
    heading = titled[1] if titled else next((text for text in headings if text.casefold() not in _OF_EPISODES), "")
    said = heading or _first_line(body)
    text = " ".join((re.sub(_MARKUP, "", said) if _MAY_BE_MARKUP.search(said) else said).split())
    text = text if heading else first_sentence(text)
    if len(text) <= LONGEST_DEFAULT_TITLE:
        return text
    return text[: LONGEST_DEFAULT_TITLE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def title_by_heading(line: str) -> str | None:
    """Return the default title of every body that begins with this line; None if the rest of it has a say."""
    found = _HEADING.match(line)
    heading = heading_text(found[1].removesuffix("\r")) if found else ""
    return default_title(line) if heading and heading.casefold() not in _OF_EPISODES else None


def _first_line(body: str) -> str:
    """Return the first line that says something, or else the first that isn't blank."""
    lines = [line for line in body.splitlines() if line.strip()]
    said = (line for line in lines if not _HEADING.match(line) and not re.match(_PROPERTY, line))
    return next(said, "") or next(iter(lines), "")


def as_called(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what the words of a file's name may be called: all, those that are no numbers, without an id's beginning.

    Args:
        words: the words, folded, without the ending of the name.
    """
    named = tuple(word for word in words if not word.isdigit())
    yield tuple(words)
    yield named
    if named and re.fullmatch(_BEGINNING_OF_ID, named[-1]):
        yield named[:-1]
