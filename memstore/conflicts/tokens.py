"""Tokens: the words and numbers of one sentence, in a form in which two sentences can be laid side by side."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.quantities import SCALES, Quantity, Scale
from memstore.core.terms import fold, term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERED = (
    "pr|issue|ticket|chapter|page|section|line|step|room|phase|part|test|case|figure|table|item|appendix|episode|season"
    "|session|route|gate|platform|sprint|lesson|exercise|question|level|seed|build|attempt|round|option|slide|volume"
)
# By a sign that a text has which they may be in; compiling them all would take longer than most searches.
_CONTRACTIONS = (
    ("can", r"\bcannot\b|\bcan't\b", "can not"),
    ("'", r"\bwon't\b", "will not"),
    ("'", r"\bain't\b", "is not"),
    ("'", r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|might|need)n't\b", r"\1 not"),
    ("'", r"\b(i|you|we|they)'ve\b", r"\1 have"),
    ("'", r"\b(i|you|he|she|it|we|they)'ll\b", r"\1 will"),
    ("'", r"\bi'm\b", "i am"),
    ("'", r"\b(you|we|they)'re\b", r"\1 are"),
    ("'", r"\b(he|she|it|that|there)'s\b", r"\1 is"),
    ("longer", r"\bno longer\b", "now not"),
    ("more", r"\bnot\b(.*)\bany ?more\b", r"now not\1"),
    ("unable", r"\bunable to\b", "not able to"),
    ("used", r"\b(?<!is )(?<!are )(?<!was )(?<!were )used to\b", "formerly"),
    ("'", r"'s\b|s'(?=\s)", ""),
    # A number that names one of many counts nothing: PR #38 and PR #52 are two.
    ("#", r"#(?=\d)", "nr"),
)
_NUMBERED_ONE = rf"\b({_NUMBERED}) (?=\d)"
# Looks like a negation and denies nothing, or not what follows.
_NO_NEGATION = (
    r"\bnot (?:only|just|to mention|sure)\b|\bno (?:doubt|problem|worries|wonder|matter|way)\b"
    r"|\b(?:why|if|or) not\b|\bno\.? (?=\d)|^no,"
)
_NOISE = re.compile(r"\[\[[^\]]*\]\]|\[\^[^\]]*\]|https?://\S+|[`*_\"“”]")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W_]+)*(?:\+\+|#)?|[^\W_]+(?:\.\d+)*")

# Of a number no more words are read.
_MOST_NUMBER_WORDS = 12
# After one of these a number is a bound or a guess, which another number may well agree with.
_VAGUE = listed("about around approximately roughly nearly almost over under than least most to some circa")
# Beside these `one` is no number.
_ONE_AFTER = listed("the this that any every each another which")
_ONE_BEFORE = listed("of another day in who that thing")
_BEFORE_A_YEAR = listed("in since until till by of from during before after year and to")

PAST_BE = frozenset({"was", "were"})
_BE = listed("am is are was were be been being")
_HAVE = frozenset({"have", "has", "had", "having"})
# Forms of the past that don't end in -ed, and what ends so and is none.
_PAST = listed("""
    was were had did went came got gave took made saw met told said wrote read bought sold began left lost won sat
    stood ran rose fell taught threw caught spent woke slept built ate drank found felt heard kept knew thought flew
    drove grew sang swam wore chose brought sent paid held spoke
    """)
_NOT_PAST = listed("need red bed feed seed speed weed breed indeed hundred sacred")


class Token(NamedTuple):
    """A word or number: `key` is what is compared, `word` as it was written, folded, a phrase's words joined by `_`.

    `value` is set for numbers; `vague` says that it is a bound or a guess.
    """

    key: str
    word: str
    value: Quantity | None = None
    vague: bool = False


def tokens(sentence: str) -> list[Token]:
    """Return a sentence's words and numbers in order; phrases of the lexicon and numbers with units are one each."""
    return [_token(piece, before) for piece, before in _with_before(_merged(_pieces(_plain(sentence))))]


def _plain(sentence: str) -> str:
    """Return a sentence folded, without markup, its contractions spelled out."""
    text = " ".join(_NOISE.sub(" ", fold(sentence)).split())
    for sign, pattern, whole in _CONTRACTIONS:
        if sign in text:
            text = re.sub(pattern, whole, text)
    if quantities.has_digit(text):
        text = re.sub(_NUMBERED_ONE, r"\1 nr", text)
    return re.sub(_NO_NEGATION, " ", text) if "no" in text else text


def _pieces(text: str) -> list[str | Quantity]:
    """Return the words of a text, and the quantities that are written with digits."""
    pieces: list[str | Quantity] = []
    at = 0
    for value, start, end in quantities.found_in(text):
        pieces += _WORD.findall(text[at:start])
        pieces.append(value)
        at = end
    return pieces + _WORD.findall(text[at:])


def _merged(pieces: list[str | Quantity]) -> Iterator[str | Quantity]:
    """Yield pieces, those that belong together joined: `living room`, `two miles`, `in 2023`."""
    at = 0
    before: str | Quantity = ""
    while at < len(pieces):
        joined, width = _joined(pieces, at, before)
        yield joined
        before = joined
        at += width


def _joined(pieces: list[str | Quantity], at: int, before: str | Quantity) -> tuple[str | Quantity, int]:
    """Return what begins at a piece, and of how many pieces it is made."""
    piece, after = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else ""
    for phrase in lexicon.phrases(piece) if isinstance(piece, str) else ():
        if tuple(pieces[at : at + len(phrase)]) == phrase:
            return "_".join(phrase), len(phrase)
    is_pronoun = piece == "one" and (before in _ONE_AFTER or after in _ONE_BEFORE) and after not in SCALES
    found = None if is_pronoun else quantities.of_words(piece, pieces[at + 1 : at + 1 + _MOST_NUMBER_WORDS])
    if found is None:
        return piece, 1
    value, more = found
    after = pieces[at + more + 1] if at + more + 1 < len(pieces) else ""
    if isinstance(after, str) and after and (measure := quantities.measured(value, after)):
        return measure, more + 2
    year = quantities.as_year(value) if before in _BEFORE_A_YEAR else None
    return year or value, more + 1


def _with_before(pieces: Iterator[str | Quantity]) -> Iterator[tuple[str | Quantity, str | Quantity]]:
    before: str | Quantity = ""
    for piece in pieces:
        yield piece, before
        before = piece


def _token(piece: str | Quantity, before: str | Quantity) -> Token:
    if isinstance(piece, Quantity):
        return Token(f"{piece.scale.value} {piece.of} {piece.parts}", "", piece, vague=before in _VAGUE)
    return Token(key_of(piece), piece)


@cache
def key_of(word: str) -> str:
    """Return by what a word is compared: its stem; forms of `be` and of `have` are one each."""
    if word in _BE:
        return "be"
    return "have" if word in _HAVE else term_of(word)


def is_date(token: Token) -> bool:
    """Whether a token is a date, or part of one."""
    return token.value is not None and token.value.scale is Scale.DATE


def is_past(word: str) -> bool:
    """Whether a word tells something that is over: `moved`, `went`."""
    return word in _PAST or (word.endswith("ed") and word not in _NOT_PAST)
