"""Slots: where two statements, laid side by side, differ, and what each difference amounts to."""

from __future__ import annotations

from difflib import SequenceMatcher
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.statements import ADDS, OFTEN
from memstore.conflicts.tokens import is_past

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.conflicts.lexicon import Opposes
    from memstore.conflicts.quantities import Quantity
    from memstore.conflicts.tokens import Token


class Difference(Enum):
    """What two statements differ by at one place."""

    NOTHING = "nothing"  # they say the same in other words
    OPPOSITE = "antonyms"
    VALUE = "value"
    MORE_LEFT = "more on the left"  # one goes on where the other ends: at what time, where, with whom
    MORE_RIGHT = "more on the right"
    UNKNOWN = "unknown"


class Slot(NamedTuple):
    """One difference: the tokens of both sides, where the left side's begin, what it amounts to, by which rule."""

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    at: int
    difference: Difference
    rule: str = ""


def slots(left: Sequence[Token], right: Sequence[Token], opposes: Opposes | None) -> list[Slot]:
    """Return where two statements differ; a difference that stands twice counts once."""
    matcher = SequenceMatcher(None, [token.key for token in left], [token.key for token in right], autojunk=False)
    found: dict[tuple[str, str], Slot] = {}
    for tag, i, j, m, n in matcher.get_opcodes():
        if tag == "equal":
            continue
        for slot in _slots_at(left, right, (i, j, m, n), opposes):
            key = " ".join(token.key for token in slot.left), " ".join(token.key for token in slot.right)
            found.setdefault(key, slot)
    return list(found.values())


def _slots_at(
    left: Sequence[Token], right: Sequence[Token], span: tuple[int, int, int, int], opposes: Opposes | None
) -> Iterator[Slot]:
    i, j, m, n = span
    if j - i == n - m:
        for at, (one, other) in enumerate(zip(left[i:j], right[m:n], strict=True), i):
            yield Slot((one,), (other,), at, *difference(one, other, opposes))
    else:
        at_end = j == len(left) and n == len(right)
        ones, others = tuple(left[i:j]), tuple(right[m:n])
        yield Slot(ones, others, i, _addition(ones, others, at_end=at_end))


def _addition(ones: tuple[Token, ...], others: tuple[Token, ...], *, at_end: bool) -> Difference:
    """Return what it amounts to that one side says more."""
    if ones and others:
        return Difference.UNKNOWN
    more = ones or others
    if all(token.word in OFTEN for token in more):
        return Difference.NOTHING
    if at_end and more[0].word in ADDS:
        return Difference.MORE_LEFT if ones else Difference.MORE_RIGHT
    return Difference.UNKNOWN


def difference(one: Token, other: Token, opposes: Opposes | None = None) -> tuple[Difference, str]:
    """Return what it amounts to that one word stands for another, and the rule that says so."""
    if one.value and other.value:
        return _difference_of_values(one.value, other.value, vague=one.vague or other.vague)
    if one.value or other.value:
        return Difference.UNKNOWN, ""
    if lexicon.opposite(one.word, other.word) or (opposes and opposes(one.word, other.word)):
        past_acts = is_past(one.word) and is_past(other.word) and lexicon.is_act(one.word)
        return (Difference.UNKNOWN, "") if past_acts else (Difference.OPPOSITE, "antonyms")
    if lexicon.same(one.word, other.word):
        return Difference.NOTHING, ""
    kind = lexicon.other_value(one.word, other.word)
    return (Difference.VALUE, "values") if kind else (Difference.UNKNOWN, "")


def _difference_of_values(one: Quantity, other: Quantity, *, vague: bool) -> tuple[Difference, str]:
    if not quantities.comparable(one, other):
        return Difference.UNKNOWN, ""
    if quantities.equal(one, other):
        return Difference.NOTHING, ""
    return (Difference.UNKNOWN, "") if vague else (Difference.VALUE, one.scale.value)
