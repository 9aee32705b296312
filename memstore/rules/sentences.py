"""Sentences: where they stand in a text, and the words that say nothing, or when, or no."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.rules.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words that say nothing by themselves; a difference in them is none.
EMPTY = listed("""
    a an the very really so quite truly just also too actually definitely indeed still even simply that there do does
    did rather absolutely extremely then well oh wow yeah yes
    """)
# Words of grammar: they count where sentences are laid side by side, and make no topic.
GRAMMAR = listed("""
    am is are was were be been being have has had having will would can could should may might must shall to of in on
    at by for from with into onto about as and or but if than it its this these those he she they him her his their
    them who which what some any every each all i me my mine we us our you your when while where because during since
    until one thing things more most much many lot lots get got go going make made way time
    """)
NEGATORS = frozenset({"not", "never", "no", "neither", "nor"})

# What says when by itself; and what may lead up to a date.
WHEN = listed("""
    now currently nowadays today formerly previously recently yesterday tomorrow tonight week weekend month year january
    february march april june july august september october november december monday tuesday wednesday thursday friday
    saturday sunday
    """)
LEADS_TO_WHEN = listed("in on since from until till by as of during before after last next this")
# What a phrase begins with that only adds to what was said.
ADDS = listed("""
    in on at with for from by during because since while when as near under over inside outside without
    every each always again
    """)
# How often: no difference, and a denial denies it.
OFTEN = frozenset({"always", "constantly", "usually", "often", "ever", "regularly", "all"})

# Of what either of two sentences is about, so much may be missing in the other where they are laid side by side.
MOST_OTHER_WORDS = 6

# A sentence ends here, not after `Dr.` or `e.g.`; so do an item of a list, a row, a paragraph.
_END = re.compile(
    r"(?<=[.!?…;])(?<!\bdr\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bmrs\.)(?<!\bst\.)(?<!\bvs\.)(?<!\.[a-z]\.)[\"')*_]*\s+"
    r"|,? (?=but |however )|\n(?=\s*[-*+|>])|\n\s*\n",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text stand that are no questions, blanks around them left out."""
    start = 0
    for end, after in [*(found.span() for found in _END.finditer(text)), (len(text), len(text))]:
        part = text[start:end]
        if part.strip() and not part.rstrip("\"')*_ \n").endswith("?"):
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = after
