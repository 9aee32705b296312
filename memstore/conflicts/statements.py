"""Statements: a text cut into sentences, each with what it is about, what it denies, and when it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.rules.sentences import EMPTY, GRAMMAR, LEADS_TO_WHEN, NEGATORS, WHEN, sentences
from memstore.rules.tokens import Token, is_date, tokens
from memstore.rules.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

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
