"""Analysis: from text to the terms that are indexed and asked for."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words(text: str) -> list[str]:
    """Return the words of a text, folded: lower case, without marks; in order, stop words included."""
    folded = text if text.isascii() else _without_marks(text)
    return _WORD.findall(folded.casefold())


def terms(text: str) -> list[str]:
    """Return the index terms of a text: its words, stemmed; in order, stop words included."""
    return [term_of(word) for word in words(text)]


@lru_cache(maxsize=100_000)
def term_of(word: str) -> str:
    """Return the index term of one folded word."""
    from whoosh.lang.porter import stem

    return str(stem(word))


def _without_marks(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
