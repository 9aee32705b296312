"""The names of new memories' files: words of the title, and an end of the id."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from memstore.core.keys import EXTERNAL
from memstore.core.places import FOLDER_OF_TYPE, MEMORY_SUFFIX, id_endings
from memstore.core.titles import title_of

if TYPE_CHECKING:
    from memstore.core.memory import Memory

LONGEST_SLUG = 40
_LONGEST_BEFORE_ID = 50  # with filenames = "slug-id"

_NO_WORD = re.compile(r"[^a-z0-9]+")
# Letters that do not decompose into a base letter and a mark.
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i"})


def slug(title: str, longest: int = LONGEST_SLUG) -> str:
    """Return the words of a title as a part of a file name: ASCII, at most `longest` letters; empty if it has none."""
    plain = unicodedata.normalize("NFKD", title.casefold().translate(_FOLDED)).encode("ascii", "ignore").decode()
    words = _NO_WORD.sub("-", plain).strip("-")
    if len(words) <= longest:
        return words
    # Whole words, unless the first one alone is too long.
    cut = words[: longest + 1].rpartition("-")[0]
    return cut or words[:longest]


def path_of_new(memory: Memory, filenames: str, *, at: str = "", whole_id: bool = False) -> str:
    """Return the path of a new memory's file; if it is taken, the transaction uses more of the id.

    Args:
        memory: the memory; it has an id.
        filenames: "short" is `notes/2026/green-tea-7f3k.md`; "slug-id" is
            `memories/note/2026/02/green-tea-m_7f3k9q2x1c.md`, and "id" the same without words. For a title without
            ASCII letters, only the id is used.
        at: when it was made if it does not say so itself, RFC 3339; its year and month go into the path.
        whole_id: whether even a short name has all of the id.
    """
    memory_id = memory.id or ""
    made = memory.created_at or at
    is_short = filenames == "short"
    # An agent reads names of files as well, and they can't be framed.
    title = EXTERNAL if memory.source_type == EXTERNAL else title_of(memory)
    words = "" if filenames == "id" else slug(title, LONGEST_SLUG if is_short else _LONGEST_BEFORE_ID)
    folder = (
        f"{FOLDER_OF_TYPE[memory.type]}/{made[:4]}" if is_short else f"memories/{memory.type}/{made[:4]}/{made[5:7]}"
    )
    ending = id_endings(memory_id)[0] if words and is_short and not whole_id else memory_id
    return f"{folder}/{words}-{ending}{MEMORY_SUFFIX}" if words else f"{folder}/{ending}{MEMORY_SUFFIX}"
