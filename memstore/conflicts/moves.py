"""Moves and corrections: what a statement says has taken the place of what another memory says.

`Kiran was reassigned from Heron to Egret`, `The town has 33,500 inhabitants, not 31,000` and `The release was postponed
to Monday` name what is so now, and mostly also what was so before, by which the other memory is found.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon
from memstore.conflicts.frames import HEDGES, PREPOSITIONS, frame, named, root_of, states
from memstore.conflicts.guards import TIMES, equal
from memstore.conflicts.quantities import comparable
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.statements import Statement, Token


class Replacement(NamedTuple):
    """What changed: the roots of what it is said of, and the words and numbers of the old and the new value.

    `old` is empty if a statement names only what is so now.
    """

    subject: frozenset[str]
    old: tuple[Token, ...]
    new: tuple[Token, ...]


def is_changed(one: Statement, other: Statement) -> bool:
    """Whether one statement says that what the other says is so has become something else, or was wrong."""
    return _replaces(one, other) or _replaces(other, one)


@lru_cache(maxsize=4096)
def change_in(statement: Statement) -> Replacement | None:
    """Return the change or correction that a statement tells of, if any.

    Its verb must be one of the list `moves`, as in `was moved from … to …`; or it ends with what is not so.
    """
    if not any(sign in statement.text for sign in (" to ", " not ")):
        return None
    said = frame(named(statement.text, statement.about))
    if said.verb is None or not said.words.isdisjoint(_UNSURE):
        return None
    return _correction_in(said) or _move_in(said)


_UNSURE = (HEDGES - listed("instead how next another other others scheduled")) | listed(
    "will would can should may must"
)


@cache
def _verbs() -> frozenset[str]:
    return frozenset(map(root_of, listed(word_lists("conflicts")["moves"])))


def _move_in(said: Frame) -> Replacement | None:
    """Return what is said to have gone from one value to another, or only to another."""
    words = [token.word for token in said.tokens]
    verb = next((at for at in (main_verb(said), said.verb) if at and root_of(words[at]) in _verbs()), None)
    if verb is None or said.denied or "to" not in words[verb:]:
        return None
    to = words.index("to", verb)
    start = words.index("from", verb) if "from" in words[verb:] else None
    old = _phrase(said, start + 1, to if start < to else len(words)) if start is not None else ()
    new = _phrase(said, to + 1, len(words))
    end = min(to, to if start is None else start)
    subject = frozenset(key for key, at in said.content.items() if at < end and at != verb)
    return Replacement(subject, old, new) if subject and new else None


def _correction_in(said: Frame) -> Replacement | None:
    """Return what is so instead of what a statement ends with: `33,500 inhabitants, not 31,000`."""
    at = max(said.denials, default=0)
    if len(said.denials) != 1 or at <= (said.verb or 0) + 1 or said.tokens[at].word != "not":
        return None
    old = _phrase(said, at + 1, len(said.tokens))
    if not old or at + len(old) + _MOST_BESIDE < len(said.tokens):
        return None
    subject = frozenset(key for key, place in said.content.items() if place < (said.verb or 0))
    new = tuple(token for token in said.tokens[(said.verb or 0) + 1 : at] if _of_one_kind(token, old[0]))
    if not new and old[0].value is None:
        new = _phrase(said, (said.verb or 0) + 1, at)
    return Replacement(subject, old, new) if subject and new else None


# Between `not` and the end there may be a preposition and an article.
_MOST_BESIDE = 3


def _phrase(said: Frame, start: int, end: int) -> tuple[Token, ...]:
    """Return the words and numbers from a position on, up to the next preposition that follows one of them."""
    found: list[Token] = []
    for at in range(start, end):
        token = said.tokens[at]
        if token.value is not None or token in said.when or at in said.content.values():
            found.append(token)
        elif found and (token.word in PREPOSITIONS or token.word in _ENDS):
            break
    return tuple(found)


_ENDS = listed("and or but because as so that which who after before when while")


def _replaces(then: Statement, was: Statement) -> bool:
    change = change_in(then)
    if change is None or change_in(was) is not None:
        return False
    said = frame(named(was.text, was.about))
    if said.denied or said.is_past or said.verb is None or not states(said):
        return False
    subject = frozenset(key for key, at in said.content.items() if at < said.verb)
    if not change.subject & subject or not subject <= change.subject | _keys(change.old):
        return False  # it is said of something else, or of a part of it
    if change.old:
        differing = [token for token in change.old if not _is_among(token, change.new)]
        return bool(differing) and all(_is_among(token, said.tokens) for token in differing)
    after = said.tokens[said.verb :]
    return any(_of_one_kind(token, that) and not _is_among(token, after) for token in change.new for that in after)


def _keys(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(root_of(token.word) for token in tokens if token.word)


def _is_among(token: Token, others: Sequence[Token]) -> bool:
    """Whether a word or number is one of others."""
    if token.value is not None:
        return any(that.value is not None and equal(token.value, that.value) for that in others)
    return root_of(token.word) in _keys(others)


def _of_one_kind(one: Token, other: Token) -> bool:
    """Whether two words or numbers are values of one kind: two weekdays, two prices, two colours."""
    if one.value is not None or other.value is not None:
        return one.value is not None and other.value is not None and comparable(one.value, other.value)
    if any({one.word.removesuffix("s"), other.word.removesuffix("s")} <= kind for kind in TIMES[:3]):
        return True
    return lexicon.other_value(one.word, other.word) is not None
