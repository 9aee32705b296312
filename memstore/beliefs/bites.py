"""Bites: what a memory that comes to mind says in whole sentences, and what that takes of a budget of tokens."""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from memstore.core import terms
from memstore.core.full_stops import split_sentences
from memstore.files.passages import PassageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from memstore.files.passages import Passage


LONGEST_BITE = 280  # characters of a text
# A bite that is cut to less than so many characters tells nothing.
SHORTEST_BITE = 40
FEWEST_WORDS = 6  # that a bite has, where the memory has them

# -- what a text takes of a budget -----------------------------------------------------------------

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"  # Chinese, Japanese, Korean
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_COUNTED = re.compile(
    rf"(?P<latin>[{_LATIN}]+)|(?P<unspaced>[{_UNSPACED}])|(?P<digits>\d+)|(?P<letter>[^\W_])"
    r"|(?P<underscores>_+)|(?P<ascii>(?:(?![\w\s])[!-~])+)|(?P<blank>\s+)|(?P<sign>.)",
    re.DOTALL,
)
# Long words, names, and words in which other languages than English abound are cut into more tokens.
_LONG = 5
_FOREIGN = re.compile("ch|z|en$")
# An unprintable character is spelt out when it is shown, like <U+202E>.
_UNPRINTABLE = 10


def tokens(text: str) -> int:
    """Return about how many tokens a text takes: `docs/recall.md` has the rule, `benchmarks/tokens.py` how near it is.

    Texts that are put together take at most what each takes by itself, if each ends with its line.
    """
    return ceil(round(sum(_COST[found.lastgroup or "sign"](found[0]) for found in _COUNTED.finditer(text)), 6))


def _of_word(word: str) -> float:
    cost = 1 + 0.004 * len(word) ** 2 + 0.85 * sum(not letter.isascii() for letter in word)
    if len(word) >= _LONG:
        cost += 0.4 * word[0].isupper() + 0.5 * (_FOREIGN.search(word) is not None)
    return cost


def _of_sign(sign: str) -> float:
    return max(1, len(sign.encode(errors="surrogatepass")) - 2) if sign.isprintable() else _UNPRINTABLE


# Fitted to cl100k, o200k and BERT's word pieces on texts in English, German and Chinese, and on code.
_COST: dict[str, Callable[[str], float]] = {
    "latin": _of_word,
    "unspaced": lambda _: 0.95,
    "digits": lambda digits: ceil(len(digits) / 3),
    "letter": lambda _: 0.45,
    "underscores": lambda _: 0.55,
    "ascii": lambda signs: ceil(len(signs) / 3),
    "blank": lambda blanks: 0 if blanks == " " else 1,
    "sign": _of_sign,
}

# -- a text on one line ----------------------------------------------------------------------------


def one_line(text: str) -> str:
    """Return a text on one line, without what can't be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, cut between words where that is possible."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,;:") + "…"


def fitted(text: str, room: int, whole: Callable[[str], str]) -> str | None:
    """Return as much of a text as there is room for; None where too little of it would be left.

    Args:
        text: on one line.
        room: tokens, for all that `whole` makes of the text and the end of its line.
        whole: gives what is shown for a text.
    """
    longest = min(len(text), LONGEST_BITE)
    for length in range(longest, min(SHORTEST_BITE, longest) - 1, -8):
        said = shortened(text, length)
        if tokens(whole(said)) + 1 <= room:
            return said
    return None


def interleaved(memories: int, beliefs: int) -> Iterator[tuple[bool, int]]:
    """Yield in which order bites take from the budget: whether it is a belief's, and its place among its kind."""
    for at in range(max(memories, beliefs)):
        if at < memories:
            yield False, at
        if at < beliefs:
            yield True, at


# -- whole sentences -------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence of a memory on one line, with its file lines from 1, and the place of its passage among them."""

    text: str
    line_start: int
    line_end: int
    passage: int


class Saying(NamedTuple):
    """What of a memory is said, on one line, and the file lines that say so; lines count from 1."""

    text: str
    line_start: int
    line_end: int


def sentences(passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences of a text in order; a row of a table is one, and a line of code."""
    return [one for at, passage in enumerate(passages) for one in _sentences(passage, at)]


def _sentences(passage: Passage, at: int) -> Iterator[Sentence]:
    if passage.kind in {PassageKind.RULE, PassageKind.HEADING}:
        return
    text = f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text
    line = passage.line_end - text.count("\n")
    for part in text.splitlines(keepends=True) if passage.kind in _BY_LINE else _parts(text):
        if terms.whole_words(said := one_line(part)):
            yield Sentence(said, line, line + part.rstrip().count("\n"), at)
        line += part.count("\n")


_BY_LINE = frozenset({PassageKind.CODE, PassageKind.ROW})
_AFTER = re.compile(r"\s*")


def _parts(text: str) -> Iterator[str]:
    """Yield the sentences of a text with all blanks after each, so that they are the text together."""
    start = 0
    for sentence in split_sentences(text):
        found = _AFTER.match(text, start + len(sentence))
        end = found.end() if found else len(text)
        yield text[start:end]
        start = end


def sayings(said: Sequence[Sentence], first: int, last: int, asked: Collection[str]) -> list[Saying]:
    """Return what of a memory may be said: the longest first, each of whole sentences around the one that matches best.

    Each has 6 words or more where the memory has them, and what is longer than 280 characters is the shortest there is.

    Args:
        said: the sentences of the memory.
        first: the first file line of what matches; the sentence below is taken where none stands there.
        last: its last file line.
        asked: the terms of the prompt.
    """
    if not said:
        return []
    near = [at for at, one in enumerate(said) if one.line_end >= first and one.line_start <= last]
    below = next((at for at, one in enumerate(said) if one.line_start > last), len(said) - 1)
    wanted = frozenset(asked)
    best = max(near or [below], key=lambda at: (len(wanted.intersection(terms.terms(said[at].text))), -at))
    start = stop = best
    while _count(said, start, stop) < FEWEST_WORDS and (start > 0 or stop < len(said) - 1):
        start, stop = _wider(said, start, stop)
    found = [_saying(said, start, stop)]
    while (wider := _wider(said, start, stop, within=True)) != (start, stop):
        start, stop = wider
        more = _saying(said, start, stop)
        if len(more.text) > LONGEST_BITE:
            break
        found.insert(0, more)
    return found


def _count(said: Sequence[Sentence], start: int, stop: int) -> int:
    return sum(len(terms.whole_words(one.text)) for one in said[start : stop + 1])


def _wider(said: Sequence[Sentence], start: int, stop: int, *, within: bool = False) -> tuple[int, int]:
    """Return a range with one sentence more: of the same passages first, and what follows before what precedes."""
    of = {one.passage for one in said[start : stop + 1]}
    if stop + 1 < len(said) and said[stop + 1].passage in of:
        return start, stop + 1
    if start > 0 and said[start - 1].passage in of:
        return start - 1, stop
    if within:
        return start, stop
    return (start, stop + 1) if stop + 1 < len(said) else (start - 1, stop)


_ENDED = re.compile(r"[.!?…:;,。！？|][\"')\]*_]*$")


def _saying(said: Sequence[Sentence], start: int, stop: int) -> Saying:
    parts = said[start : stop + 1]
    ended = [one.text if _ENDED.search(one.text) else f"{one.text};" for one in parts[:-1]]
    return Saying(" ".join([*ended, parts[-1].text]), parts[0].line_start, max(one.line_end for one in parts))
