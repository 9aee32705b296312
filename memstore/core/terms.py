"""Analysis: from text to the terms that are indexed and asked for."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from memstore.core.word_lists import listed, word_lists

# Chinese, Japanese and Korean are written without blanks (Korean glues its particles on), so each character is a word
# of its own there, and a query's neighbours are scored as neighbours.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
# So are Thai, Lao, Burmese and Khmer, whose vowels and tones are marks on the character before them.
_CLUSTERED = "\u0e01-\u0e3a\u0e40-\u0edf\u1000-\u109f\u1780-\u17d3"
_ON_CLUSTERS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3"
)
# The scripts of India, whose vowels are marks too, and no letters to `\w`; their full stops are none of it.
_MARKED = "\u0900-\u0963\u0966-\u096f\u0971-\u0dff"
# A word; `3:30`, `v1.2` and `10.0.0.1` are one word each, and so is `don't`. Nothing is ever given back (`++`, `*+`),
# so nothing is kept for that.
_WORD = re.compile(r"\w++(?:(?<=\d)[.:]\d++)*+(?:'\w++)*+")
_LETTER = rf"(?:[^\W{_UNSPACED}{_CLUSTERED}]|[{_MARKED}])"
_WORD_OF_OTHER_SCRIPTS = re.compile(
    rf"[{_UNSPACED}{_CLUSTERED}][{_ON_CLUSTERS}]*|{_LETTER}+(?:(?<=\d)[.:]\d+)*(?:'{_LETTER}+)*"
)
_FIRST_MARKED, _LAST_CLUSTERED, _FIRST_UNSPACED = _MARKED[0], _CLUSTERED[-1], _UNSPACED[0]
# What hangs on a word and is none: the English possessive, the French and Italian article.
_HANGERS = re.compile(r"'s\b|(?<![\w'])(?:[cdjlmnst]|qu|dell|nell|un)'(?=\w\w)")
_MARKS = re.compile(
    "[\u0300-\u036f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # the points of Hebrew
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # and of Arabic, its stretching
    "\u00ad]+"  # where a word may be parted
)
# What has no mark to take away, as people write it whose keyboard lacks it.
_LETTERS = (
    ("ı", "i"), ("ł", "l"), ("ø", "o"), ("đ", "d"), ("ð", "d"), ("ħ", "h"), ("ŧ", "t"), ("þ", "th"), ("æ", "ae"),
    ("œ", "oe"),
)  # fmt: skip
# Names of programs: where one of them has another part, `parse_level`, `parseLevel`, `HTTPError`, `utf8`; looked for
# by the signs that prose hardly has.
_JOINT = re.compile(r"[_A-Z0-9](?:(?<=_)|(?<=[a-z][A-Z0-9])|(?<=[A-Z]{2})(?=[a-z])|(?<=[0-9])(?=[A-Za-z]))")
_PART = re.compile(r"[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[A-Z][^\W\d_A-Z]+|\d+")
_SHORTEST_PART = 3
_STEMMED = re.compile(r"[a-z]{3,32}")
_VOWELS = frozenset("aeiouy")
_LETTERS_OF_ADD = 3

_ASKING = tuple([word] for word in ("how", "what", "when", "where", "which", "who", "whom", "whose", "why"))


def words(text: str) -> list[str]:
    """Return the words of a text, folded: lower case, without marks; in order, stop words included.

    After a name of several parts its parts stand, too: `parse_level` is followed by `parse` and `level`.
    """
    joint = _JOINT.search(text)
    return whole_words(_with_parts(text, joint) if joint else text)


def whole_words(text: str) -> list[str]:
    """Return the words of a text as `words` does, but names without their parts: to compare one name with another."""
    folded = fold(text)
    if "'" in folded:
        folded = _HANGERS.sub("", folded)
    return word_pattern(folded).findall(folded)


def _with_parts(text: str, joint: re.Match[str] | None) -> str:
    """Return a text with the parts of each name after it; `joint` is the first place where one has parts."""
    pieces, done = [], 0
    while joint:
        start = joint.start()
        while start > done and (text[start - 1] == "_" or text[start - 1].isalnum()):
            start -= 1
        word = _WORD.match(text, start)
        end = word.end() if word else joint.end()
        pieces.append(text[done:end])
        pieces += [f" {part}" for part in _PART.findall(text, start, end) if _SHORTEST_PART <= len(part) < end - start]
        done, joint = end, _JOINT.search(text, end)
    return "".join((*pieces, text[done:]))


@cache
def stop_words() -> frozenset[str]:
    """Return words that carry a question and not its subject; they are indexed all the same, so phrases are exact."""
    return listed(word_lists("core")["stop_words"])


def is_question(text: str) -> bool:
    """Whether a text asks: it ends with a question mark, or begins with a question word, as `when did they meet`."""
    return text.rstrip().endswith("?") or words(text)[:1] in _ASKING


def word_pattern(text: str) -> re.Pattern[str]:
    """Return what matches one word of this text."""
    if text.isascii() or max(text) < _FIRST_MARKED:
        return _WORD
    # Quotation marks, arrows and the like stand between the two.
    far = any(_FIRST_MARKED <= sign <= _LAST_CLUSTERED or sign >= _FIRST_UNSPACED for sign in set(text))
    return _WORD_OF_OTHER_SCRIPTS if far else _WORD


def terms(text: str) -> list[str]:
    """Return the index terms of a text: its words, stemmed; in order, stop words included."""
    return list(map(term_of, words(text)))


# What a sentence may have or lack and say the same; `not`, `before` and the like are not among them.
_EMPTY = frozenset(["a", "an", "the", "that", "this", "is", "are", "was", "were", "has", "have", "had", "of", "and"])


def content(text: str) -> tuple[str, ...]:
    """Return what texts have in common that say the same in the same words: the terms of all that tell, in order."""
    return tuple(term_of(word) for word in words(text) if word not in _EMPTY)


@lru_cache(maxsize=100_000)
def term_of(word: str) -> str:
    """Return the index term of one folded word: its stem, if it is a word of plain letters.

    A stop word is its own, and no other word's: `does` is no `doe`, and `Ines` not every `in`.
    """
    from whoosh.lang.porter import stem

    if not _STEMMED.fullmatch(word) or word in stop_words():
        return word
    found = str(stem(_whole(word)))
    return word if found in stop_words() else found


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
    """Return a text in lower case and without marks: `Jürgen` as `jurgen`, `ß` as `ss`, `Ｂ` as `b`, `Ł` as `l`."""
    if text.isascii():
        return text.lower()
    # The marks of Latin, Greek and Cyrillic go; those that make another letter, as in Japanese, are put back.
    # The typographic apostrophe is the plain one.
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text.replace("’", "'"))).casefold()
    for letter, plain in _LETTERS:
        if letter in bare:
            bare = bare.replace(letter, plain)
    return unicodedata.normalize("NFC", bare)
