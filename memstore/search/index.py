"""The terms under which a memory is indexed: the words of its text, and of its head."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.config import LANGUAGES
from memstore.core.languages import ANY_OTHER, ENGLISH, language_of, language_term, stemmer
from memstore.core.places import stem_of, without_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.memory import Claim, Memory


# Increase this when a memory's terms change: indexes of another version are rebuilt.
VERSION = 16
# What terms of keys begin with.
KEY_MARK = "\x1d"
# The names of cached gists (`conflicts.gists`) begin with this; a gist is kept as long as the index has its blob.
GISTS = "gists-"
# The name of the cached verdicts on statements of any of them.
APART = "apart"
# The same of the whole vault, for whoever lists all conflicts.
APART_ALL = "apart-all"


class Searchable(NamedTuple):
    """The terms of one file in order: of its body, and of its head (title, aliases, tags, date, file name)."""

    text: list[str]
    head: list[str]


def searchable(
    memory: Memory, path: str, *, head: str = "", keys: Iterable[str] = (), languages: Sequence[str] = LANGUAGES
) -> Searchable:
    """Return the terms under which a memory or note is found: the stems of its words, in its language.

    Args:
        memory: the memory, or the memory made of the note.
        path: the path of its file; words of the name are added unless the head already has them.
        head: the front matter of a note, or the lines of a memory's that are the person's, which count as text.
        keys: the keys of its frontmatter that are the person's.
        languages: the languages that it may be written in.
    """
    from memstore.core import terms

    named = [memory.title or "", *memory.aliases, date_words(memory.created_at), head]
    words = terms.words(memory.body)
    language = language_of([*terms.words(memory.title or ""), *words] if len(words) < FEW_WORDS else words, languages)
    stem = stemmer(language)
    found = [*map(stem, terms.words(" . ".join(named))), *map(claim_term, memory.claims)]
    if language != ENGLISH:
        found += [ANY_OTHER, language_term(language)]
    found += map(key_term, keys)
    known = set(found)
    more = dict.fromkeys(map(stem, terms.words(" . ".join((*memory.tags, name_words(path, memory.id))))))
    return Searchable(text=[*map(stem, words)], head=found + [term for term in more if term not in known])


# For a text of fewer words, the title also counts when its language is detected.
FEW_WORDS = 40


# `v2_plan` is also found by its short parts.
_PARTS_OF_NAME = r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+"


def name_words(path: str, memory_id: str | None) -> str:
    """Return the words of a file's name, without its extension and without the id in the names of new files."""
    stem = stem_of(path)
    if memory_id:
        stem = without_id(stem, memory_id)
    return " ".join((stem, *re.findall(_PARTS_OF_NAME, stem))) if not stem.islower() or "_" in stem else stem


def claim_term(claim: Claim) -> str:
    """Return the term under which memories with a claim of this subject and attribute are found.

    It begins with a character that no query can contain, so nothing else finds it.
    """
    return "\x1f".join(("", *claim_key(claim)))


def key_term(key: str) -> str:
    """Return the term under which files that have a key of the person's own are found, as `claim_term`."""
    from memstore.files.strict_yaml import folded_key

    return KEY_MARK + folded_key(key)


def claim_key(claim: Claim) -> tuple[str, str]:
    """Return the normalized subject and attribute; claims with the same key answer the same question."""
    from memstore.core.terms import fold

    return " ".join(fold(claim.subject).split()), " ".join(fold(claim.attribute).replace("_", " ").split())


def date_words(instant: str | None) -> str:
    """Return the date of a time in words, such as "8 May 2023"; empty for None."""
    return _day_words(instant[:10]) if instant else ""


@lru_cache(maxsize=1000)
def _day_words(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B} {day.year}"
