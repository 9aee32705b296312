"""Analysis: from text to the terms that are indexed and asked for."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

# Chinese, Japanese and Korean are written without blanks (Korean glues its particles on), so each character is a word
# of its own there, and a query's neighbours are scored as neighbours.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
# A word; `3:30`, `v1.2` and `10.0.0.1` are one word each, and so is `don't`.
_WORD = re.compile(r"\w+(?:(?<=\d)[.:]\d+)*(?:'\w+)*")
_FIRST_UNSPACED = _UNSPACED[0]
# What hangs on a word and is none: the English possessive, the French and Italian article.
_HANGERS = re.compile(r"'s\b|(?<![\w'])(?:[cdjlmnst]|qu|dell|nell|un)'(?=\w\w)")
_MARKS = re.compile("[\u0300-\u036f]+")
_STEMMED = re.compile(r"[a-z]{3,32}")
_VOWELS = frozenset("aeiouy")
_LETTERS_OF_ADD = 3

# Words that carry a question and not its subject. They are indexed all the same, so phrases are exact.
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren't as at be been before being both but by can can't could
    couldn't did didn't do does doesn't doing don't down during each few for from further had hadn't has hasn't
    have haven't having he he'd he'll her here hers herself him himself his how i i'd i'll i'm i've if in into
    is isn't it its itself just let me mention mentioned more most my myself no nor not now of off on once only
    or other our ours ourselves out over own said same say says shan't she she'd she'll should shouldn't so some
    such tell tells than that the their theirs them themselves then there these they they'd they'll they're
    they've this those through to told too under until up upon very was wasn't we we'd we'll we're we've were
    weren't what when where which while who whom whose why will with won't would wouldn't you you'd you'll
    you're you've your yours yourself yourselves
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def words(text: str) -> list[str]:
    """Return the words of a text, folded: lower case, without marks; in order, stop words included."""
    folded = fold(text)
    if "'" in folded:
        folded = _HANGERS.sub("", folded)
    return word_pattern(folded).findall(folded)


def word_pattern(text: str) -> re.Pattern[str]:
    """Return what matches one word of this text."""
    return _WORD if text.isascii() or max(text) < _FIRST_UNSPACED else _pattern_of_unspaced()


@cache
def _pattern_of_unspaced() -> re.Pattern[str]:
    # Made when such a text comes along: its large character sets take longer to compile than most searches.
    return re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:(?<=\d)[.:]\d+)*(?:'[^\W{_UNSPACED}]+)*")


def terms(text: str) -> list[str]:
    """Return the index terms of a text: its words, stemmed; in order, stop words included."""
    return [term_of(word) for word in words(text)]


@lru_cache(maxsize=100_000)
def term_of(word: str) -> str:
    """Return the index term of one folded word: its stem, if it is a word of plain letters."""
    from whoosh.lang.porter import stem

    return str(stem(_whole(word))) if _STEMMED.fullmatch(word) else word


def _whole(word: str) -> str:
    """Return a word in `-ed` or `-ing` as it is without: `planned` as `plan`, `creating` as `create`.

    Whoosh's Porter takes the ending off and leaves `plann`: it looks for what is then to be mended at the word's
    beginning. A root of three letters that ends in two alike is a word itself: `adding`.
    """
    root = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if root == word or _VOWELS.isdisjoint(root):
        return word
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    is_doubled = len(root) > _LETTERS_OF_ADD and root[-1] == root[-2] and root[-1] not in "aeiouylsz"
    return root[:-1] if is_doubled else word


def beginning(term: str) -> str:
    """Return what every word with this index term begins with: Porter changes at most the last letter of what stays."""
    return term[:-1] if len(term) > 1 else term


def fold(text: str) -> str:
    """Return a text in lower case and without marks: `Jürgen` as `jurgen`, `ß` as `ss`, `Ｂ` as `b`."""
    if text.isascii():
        return text.lower()
    # The marks of Latin, Greek and Cyrillic go; those that make another letter, as in Japanese, are put back.
    # The typographic apostrophe is the plain one.
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text.replace("’", "'")))
    return unicodedata.normalize("NFC", bare.casefold())
