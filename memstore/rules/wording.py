"""The words of a suggestion: a quotation, or a wording by somebody else that says no more than its sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.rules.analysis import STOP_WORDS, term_of, words
from memstore.rules.clustering import content_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MOST_WORDS = 30

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
_WORD = re.compile(r"[\w][\w'’.-]*")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of a memory as they stand in it; lines are those of its file, from 1, inclusive."""

    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Wording:
    """What somebody else made of memories: the words, and the refs of those that they rest on."""

    text: str
    cites: tuple[str, ...]


def quotation(passages: Iterable[tuple[str, int, int]], terms: Collection[str]) -> Quotation | None:
    """Return the sentence with the most of these terms, of equals the shortest, then the first; None without any text.

    Args:
        passages: text, first and last line of each.
        terms: what is to be said.
    """
    found = [
        (-len(set(content_terms(sentence)) & set(terms)), len(sentence), at, Quotation(sentence, first, last))
        for at, (text, first, last) in enumerate(passages)
        for sentence in sentences(text)
    ]
    return min(found, key=lambda ranked: ranked[:3])[3] if found else None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line."""
    return [sentence for part in _SENTENCE.split(text) if (sentence := " ".join(part.split()))]


def says(text: str, terms: Collection[str], fewest: int) -> bool:
    """Whether one sentence of a text has so many of these terms."""
    return any(len(set(content_terms(sentence)).intersection(terms)) >= fewest for sentence in sentences(text))


def said_by(answer: Any) -> Wording | str:
    """Return the wording that a JSON answer holds, or what is wrong with its form."""
    match answer:
        case {"text": str(text), "cites": [*cites]} if text.strip() and all(isinstance(ref, str) for ref in cites):
            return Wording(" ".join(text.split()), tuple(str(ref) for ref in cites))
        case _:
            return 'it is not {"text": "…", "cites": ["type:id", …]}'


def objection(wording: Wording, sources: Mapping[str, str]) -> str | None:
    """Return why a wording can't stand for its sources; None where it can.

    Args:
        wording: the words and what they cite.
        sources: the texts that it was made of, by ref.
    """
    count = len(wording.text.split())
    if count > MOST_WORDS:
        return f"it has {count} words, and may have {MOST_WORDS}"
    outside = sorted(set(wording.cites) - set(sources))
    if outside or not wording.cites:
        return f"it cites {outside[0]}, which is no source of it" if outside else "it cites nothing"
    strange = strangers(wording.text, sources.values())
    return f"no source names {strange[0]}" if strange else None


def strangers(text: str, sources: Iterable[str]) -> list[str]:
    """Return the names and numbers of a text that no source has: words with a capital letter or a digit.

    A sentence's first word has its capital from its place; it is a name all the same unless the sources have it, or a
    word of its stem.
    """
    known_words = {word for source in sources for word in words(source)}
    known = known_words | {term_of(word) for word in known_words}
    return [name for name in _names(text) if not _is_known(name, known)]


def _names(text: str) -> Sequence[str]:
    return [word for word in _WORD.findall(text) if any(letter.isupper() or letter.isdigit() for letter in word)]


def _is_known(name: str, known: Collection[str]) -> bool:
    return all(part in known or term_of(part) in known or part in STOP_WORDS for part in words(name))
