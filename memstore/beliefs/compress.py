"""Compression: which memories give way to their summary, and what that says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.model.memory import Memory

FEWEST_DAYS = 30  # seed 002, "Existing Consolidator"
RECORDS = ("raw", "episode", "note", "encounter", "observation")
_ORDINARY = (None, "", "normal", "low")
# A capital with up to three letters and a dot, like `Dr.`, is taken for the beginning of a name.
_SENTENCE = re.compile(r".+?(?:(?<!\b[A-Z])(?<!\b[A-Z]\w)(?<!\b[A-Z]\w\w)(?<!\b[A-Z]\w\w\w)\.|[!?…])(?=\s|$)")


def why_not(memory: Memory, *, days_old: float, uses: int, is_cited: bool) -> str | None:
    """Return why a memory keeps its whole text; None where its summary may take the place.

    Args:
        memory: as it is.
        days_old: days since it was made.
        uses: how often it was used on purpose.
        is_cited: whether another memory cites it.
    """
    reasons = (
        (memory.status != "active" or memory.ref is None, "it is not active, or has no id"),
        (memory.type not in RECORDS, f"a {memory.type} is no record of what happened"),
        (memory.compressed_from is not None, "it is a summary already"),
        (memory.signature is not None or bool(memory.witnesses), "somebody has signed its text"),
        (memory.importance not in _ORDINARY or memory.foundational, "it is important"),
        (days_old <= FEWEST_DAYS, f"it is not older than {FEWEST_DAYS} days"),
        (uses > 0, "it was used"),
        (is_cited, "another memory cites it"),
    )
    return next((reason for holds, reason in reasons if holds), None)


def summary(title: str, text: str, *, has_title: bool) -> str:
    """Return what is left of a body: its first sentence, below its title where no key holds that.

    Args:
        title: what serves as the memory's title.
        text: its first passage.
        has_title: whether the frontmatter has the title.
    """
    words = " ".join(text.split())
    found = _SENTENCE.match(words)
    sentence = found[0] if found else words
    if has_title or sentence.startswith(title.rstrip("…")):
        return sentence
    return f"# {title}\n\n{sentence}"
