"""Statements: a text cut into sentences, each with what it is about, what it denies, and when it holds.

Words that say nothing, or when, or no are sorted out of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts.tokens import Token, is_date, tokens
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FIRST_PERSON = listed("i me my mine we us our ours you your yours")


class Statement(NamedTuple):
    """A sentence that says something.

    `negations` are the places in `tokens` before which a negation stood, `topic` the keys of what it is about, `when`
    the words that say at which time. Lines are counted from 0, from the beginning of the text.
    """

    text: str
    tokens: tuple[Token, ...]
    negations: tuple[int, ...]
    topic: frozenset[str]
    when: tuple[Token, ...]
    line_start: int
    line_end: int

    @property
    def of_speaker(self) -> bool:
        """Whether it speaks of who says it, or of who hears it."""
        return any(token.word in FIRST_PERSON for token in self.tokens)


def statements(text: str) -> list[Statement]:
    """Return what a text states, sentence by sentence; questions state nothing."""
    found = []
    for start, end in sentences(text):
        said, negations, when = _sorted_out(tokens(text[start:end]))
        topic = frozenset(token.key for token in said if token.value is None and token.word not in GRAMMAR)
        if topic:
            lines = text.count("\n", 0, start), text.count("\n", 0, end)
            found.append(Statement(text[start:end], said, negations, topic, when, *lines))
    return found


def _sorted_out(found: Sequence[Token]) -> tuple[tuple[Token, ...], tuple[int, ...], tuple[Token, ...]]:
    """Return what a sentence says, where it is denied, and the words that say when."""
    said: list[Token] = []
    negations: list[int] = []
    when: list[Token] = []
    for token, is_when in zip(found, _whens(found), strict=True):
        if is_when:
            when.append(token)
        elif token.word in NEGATORS:
            negations.append(len(said))
        elif token.word not in EMPTY:
            said.append(token)
    return tuple(said), tuple(negations), tuple(token for token in when if token.word not in LEADS_TO_WHEN)


def _whens(found: Sequence[Token]) -> list[bool]:
    """Return for each token whether it says when: a date or its like, and what leads up to it (`since last week`)."""
    marks = [is_date(token) or token.word in WHEN for token in found]
    for at in range(len(found) - 2, -1, -1):
        marks[at] = marks[at] or (marks[at + 1] and found[at].word in LEADS_TO_WHEN)
    return marks


# -- where sentences end ---------------------------------------------------------------------------


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
