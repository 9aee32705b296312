"""Bites: the whole sentences that are quoted of a memory that comes to mind, and their cost in tokens."""

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


LONGEST_BITE = 280  # characters
# A bite cut to fewer characters than this is useless.
SHORTEST_BITE = 40
FEWEST_WORDS = 6  # in a bite, if the memory has so many

# -- the cost of a text in tokens ------------------------------------------------------------------

_UNSPACED = "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"  # Chinese, Japanese, Korean
_KANA = "\u3040-\u30ff"
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_COUNTED = re.compile(
    rf"(?P<latin>[{_LATIN}]+)|(?P<unspaced>[{_UNSPACED}])|(?P<kana>[{_KANA}])|(?P<digits>\d+)|(?P<letter>[^\W_])"
    r"|(?P<underscores>_+)|(?P<ascii>(?:(?![\w\s])[!-~])+)|(?P<blank>\s+)|(?P<sign>.)",
    re.DOTALL,
)
# Long words, names, and words with features common in languages other than English take more tokens.
_LONG = 5
_FOREIGN = re.compile("ch|z|en$")
# An unprintable character is shown spelt out, like <U+202E>.
_UNPRINTABLE = 10


def tokens(text: str) -> int:
    """Return an estimate of a text's tokens, by the rule in `docs/recall.md`; `benchmarks/tokens.py` tests it.

    Concatenated texts take at most the sum of their single estimates, if each ends with a line end.
    """
    return ceil(round(sum(_COST[found.lastgroup or "sign"](found[0]) for found in _COUNTED.finditer(text)), 6))


def _of_word(word: str) -> float:
    cost = 1 + 0.002 * len(word) ** 2 + 1.6 * sum(not letter.isascii() for letter in word)
    if len(word) >= _LONG:
        cost += 0.2 * word[0].isupper() + 0.5 * (_FOREIGN.search(word) is not None)
    return cost


def _of_sign(sign: str) -> float:
    return max(1, len(sign.encode(errors="surrogatepass")) - 2) if sign.isprintable() else _UNPRINTABLE


# Fitted to cl100k, o200k, Llama 3, Qwen 3 and DeepSeek on texts in several languages, and on code. These differ from
# each other by a fifth in German, and by a factor of two in Chinese.
_COST: dict[str, Callable[[str], float]] = {
    "latin": _of_word,
    "unspaced": lambda _: 0.85,
    "kana": lambda _: 0.7,
    "digits": lambda digits: ceil(len(digits) / 3),
    "letter": lambda _: 0.45,
    "underscores": lambda _: 0.55,
    "ascii": lambda signs: ceil(len(signs) / 3),
    "blank": lambda blanks: 0 if blanks == " " else 1,
    "sign": _of_sign,
}

# -- a text on one line ----------------------------------------------------------------------------


def one_line(text: str) -> str:
    """Return a text on one line, without unprintable characters."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def shortened(text: str, longest: int) -> str:
    """Return a text cut to at most `longest` characters, between words if possible."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,;:") + "…"


def fitted(text: str, room: int, whole: Callable[[str], str]) -> str | None:
    """Return as much of a text as fits; None if too little of it would be left.

    Args:
        text: one line.
        room: the tokens available for the result of `whole`, including its line end.
        whole: formats a text as it is shown.
    """
    longest = min(len(text), LONGEST_BITE)
    for length in range(longest, min(SHORTEST_BITE, longest) - 1, -8):
        said = shortened(text, length)
        if tokens(whole(said)) + 1 <= room:
            return said
    return None


def interleaved(memories: int, beliefs: int) -> Iterator[tuple[bool, int]]:
    """Yield the order in which bites take from the budget: whether it is a belief's, and its index in its kind."""
    for at in range(max(memories, beliefs)):
        if at < memories:
            yield False, at
        if at < beliefs:
            yield True, at


# -- whole sentences -------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence of a memory on one line, with its lines in the file, from 1, and the index of its passage.

    `day` is that of the heading above it that begins with a date, as in conversations and diaries.
    """

    text: str
    line_start: int
    line_end: int
    passage: int
    day: str | None = None


class Saying(NamedTuple):
    """A quotation from a memory, on one line, its lines in the file, from 1, and the day that a heading gives it."""

    text: str
    line_start: int
    line_end: int
    day: str | None = None


_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?![\w-])")


def _day(passage: Passage) -> str | None:
    days = filter(None, map(_DAY.match, reversed(passage.headings)))
    return next((found[1] for found in days), None)


def sentences(passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences of a text in order; each row of a table and each line of code counts as one."""
    return [one for at, passage in enumerate(passages) for one in _sentences(passage, at)]


def _sentences(passage: Passage, at: int) -> Iterator[Sentence]:
    if passage.kind in {PassageKind.RULE, PassageKind.HEADING}:
        return
    day = _day(passage)
    text = f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text
    if passage.kind is PassageKind.QUOTE:
        text = _QUOTED.sub("", text)
    line = passage.line_end - text.count("\n")
    for part in text.splitlines(keepends=True) if passage.kind in _BY_LINE else _parts(text):
        is_fence = passage.kind is PassageKind.CODE and part.lstrip().startswith(_FENCES)
        if not is_fence and terms.whole_words(said := one_line(part)):
            yield Sentence(said, line, line + part.rstrip().count("\n"), at, day)
        line += part.count("\n")


_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_FENCES = ("```", "~~~")
_BY_LINE = frozenset({PassageKind.CODE, PassageKind.ROW})
_AFTER = re.compile(r"\s*")


def _parts(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each with the blanks after it; joined, they are the text."""
    start = 0
    for sentence in split_sentences(text):
        found = _AFTER.match(text, start + len(sentence))
        end = found.end() if found else len(text)
        yield text[start:end]
        start = end


def sayings(said: Sequence[Sentence], first: int, last: int, asked: Collection[str]) -> list[Saying]:
    """Return possible quotations from a memory, longest first: whole sentences around the one that matches best.

    Each has at least 6 words if the memory has so many; if one has more than 280 characters, there is no shorter one.

    Args:
        said: the sentences of the memory.
        first: the first file line of the match; if no sentence is there, the next one below is taken.
        last: the last file line of the match.
        asked: the terms of the prompt.
    """
    if not said:
        return []
    near = [at for at, one in enumerate(said) if one.line_end >= first and one.line_start <= last]
    below = next((at for at, one in enumerate(said) if one.line_start > last), len(said) - 1)
    wanted = frozenset(asked)
    best = max(near or [below], key=lambda at: (len(wanted.intersection(terms.terms(said[at].text))), -at))
    start = stop = best
    while _count(said, start, stop) < FEWEST_WORDS and (wider := _wider(said, start, stop)) != (start, stop):
        start, stop = wider
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
    """Return the range with one more sentence of the same day, if there is any.

    It is from the same passages first, and the next before the previous one.
    """
    of = {one.passage for one in said[start : stop + 1]}
    if stop + 1 < len(said) and said[stop + 1].passage in of:
        return start, stop + 1
    if start > 0 and said[start - 1].passage in of:
        return start - 1, stop
    if within:
        return start, stop
    if stop + 1 < len(said) and said[stop + 1].day == said[stop].day:
        return start, stop + 1
    return (start - 1, stop) if start > 0 and said[start - 1].day == said[start].day else (start, stop)


_ENDED = re.compile(r"[.!?…:;,。！？|][\"')\]*_]*$")


def _saying(said: Sequence[Sentence], start: int, stop: int) -> Saying:
    parts = said[start : stop + 1]
    ended = [one.text if _ENDED.search(one.text) else f"{one.text};" for one in parts[:-1]]
    text = " ".join([*ended, parts[-1].text])
    return Saying(text, parts[0].line_start, max(one.line_end for one in parts), parts[0].day)
