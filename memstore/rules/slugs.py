"""Where a new memory's file goes."""

from __future__ import annotations

import re
import unicodedata

LONGEST_SLUG = 50

_NO_WORD = re.compile(r"[^a-z0-9]+")
# Letters that do not fall apart into a base letter and a mark.
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i"})


def slug(title: str) -> str:
    """Return the words of a title as a part of a file name: ASCII, at most 50 characters; empty where it has none."""
    plain = unicodedata.normalize("NFKD", title.casefold().translate(_FOLDED)).encode("ascii", "ignore").decode()
    words = _NO_WORD.sub("-", plain).strip("-")
    if len(words) <= LONGEST_SLUG:
        return words
    # Whole words, unless the first one alone is too long.
    cut = words[: LONGEST_SLUG + 1].rpartition("-")[0]
    return cut or words[:LONGEST_SLUG]


def path_of_new(kind: str, memory_id: str, created_at: str, title: str) -> str:
    """Return the path of a new memory's file, `memories/<type>/<YYYY>/<MM>/<slug>-<id>.md`.

    Args:
        kind: the memory's type.
        memory_id: its id.
        created_at: RFC 3339; year and month are its own.
        title: empty where file names are to tell nothing.
    """
    words = slug(title)
    name = f"{words}-{memory_id}" if words else memory_id
    return f"memories/{kind}/{created_at[:4]}/{created_at[5:7]}/{name}.md"
