"""Text analysis: turns text into the terms that are indexed and queried."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

# Chinese, Japanese and Korean are written without spaces (Korean attaches its particles), so each character is a word
# of its own; adjacent characters of a query are scored as neighbours.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
# So are Thai, Lao, Burmese and Khmer, whose vowels and tones are marks on the preceding character.
_CLUSTERED = "\u0e01-\u0e3a\u0e40-\u0edf\u1000-\u109f\u1780-\u17d3"
_ON_CLUSTERS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3"
)
# The scripts of India, whose vowels are also marks that `\w` does not match; their full stops are excluded.
_MARKED = "\u0900-\u0963\u0966-\u096f\u0971-\u0dff"
# Emoji and dingbats. Each is a word, together with what is joined to it; two letters of a flag are one.
SYMBOLS = "\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_FIRST_SYMBOL = SYMBOLS[0]
_SYMBOL = rf"[\U0001f1e6-\U0001f1ff]{{2}}|[{SYMBOLS}](?:\u200d[{SYMBOLS}\u2640\u2642])*"
# A word; `3:30`, `v1.2` and `10.0.0.1` are one word each, and so is `don't`. The quantifiers are possessive (`++`,
# `*+`): the pattern never backtracks, so the engine stores no state for it.
_WORD = re.compile(r"\w++(?:(?<=\d)[.:]\d++)*(?:'\w++)*")
_LETTER = rf"(?:[^\W{_UNSPACED}{_CLUSTERED}]|[{_MARKED}])"
_FIRST_MARKED, _LAST_CLUSTERED = _MARKED[0], _CLUSTERED[-1]
# Attached to a word without being one: the English possessive, the French and Italian article.
_HANGERS = r"'s\b|(?<![\w'])(?:[cdjlmnst]|qu|dell|nell|un)'(?=\w\w)"
_MARKS = (
    "[\u0300-\u036f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # the points of Hebrew
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # and of Arabic, its elongation
    "\u00ad"  # the soft hyphen
    "\ufe0f\u20e3\U0001f3fb-\U0001f3ff]+"  # what says how an emoji looks
)
# Letters without a removable mark, as people write them whose keyboard lacks them.
_LETTERS = (
    ("ı", "i"), ("ł", "l"), ("ø", "o"), ("đ", "d"), ("ð", "d"), ("ħ", "h"), ("ŧ", "t"), ("þ", "th"), ("æ", "ae"),
    ("œ", "oe"),
)  # fmt: skip
# Where an identifier has another part: `parse_level`, `parseLevel`, `HTTPError`, `utf8`; or a word, as `Wi-Fi`. Found
# by characters that are rare in prose.
_JOINT = re.compile(
    r"[_A-Z0-9-](?:(?<=_)|(?<=[a-z][A-Z0-9])|(?<=V[0-9])|(?<=[A-Z]{2})(?=[a-z])|(?<=[0-9])(?=[A-Za-z])"
    r"|(?<=[^\W\d_]-)(?=[^\W\d_]))"
)
_PART = r"(?<=^[vV])\d+(?:\.\d+)+|[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[A-Z][^\W\d_A-Z]+|\d+"
# Two parts with a hyphen between them, of a length that somebody might write as one.
_LONGEST_PART = 16
_JOINED = re.compile(rf"([^\W\d_]{{1,{_LONGEST_PART}}}+)-([^\W\d_]{{1,{_LONGEST_PART}}}+)(?![\w-])")
_RUN_OF_LETTERS = r"[^\W\d_]+"
_SHORTEST_PART = 3
_STEMMED = re.compile(r"[a-z]{3,32}")
_VOWELS = frozenset("aeiouy")
_LETTERS_OF_ADD = 3

_ASKING = tuple([word] for word in ("how", "what", "when", "where", "which", "who", "whom", "whose", "why"))


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded (lower case, without marks), including stop words.

    An identifier is followed by its parts: `parse_level` by `parse` and `level`, `x86MacOS` by `mac` and `macos`,
    `v2.10.3` by `2.10.3`. Two words with a hyphen are preceded by what they are as one: `Wi-Fi` by `wifi`.
    """
    joint = _JOINT.search(text)
    return whole_words(_with_parts(text, joint) if joint else text)


def whole_words(text: str) -> list[str]:
    """Return the words of a text like `words`, but identifiers without their parts, for comparing names."""
    folded = fold(text)
    if "'" in folded:
        folded = re.sub(_HANGERS, "", folded)
    return word_pattern(folded).findall(folded)


def _with_parts(text: str, joint: re.Match[str] | None) -> str:
    """Return a text with each identifier followed by its parts; `joint` is the first boundary between two parts."""
    pieces, done = [], 0
    while joint:
        start = joint.start()
        while start > done and (text[start - 1] == "_" or text[start - 1].isalnum()):
            start -= 1
        if text[joint.start()] == "-":
            pair = _JOINED.match(text, start) if text[start - 1 : start] != "-" else None
            pieces += [text[done:start], f"{pair[1]}{pair[2]} " if pair else "", text[start : joint.end()]]
            done, joint = joint.end(), _JOINT.search(text, joint.end())
            continue
        word = _WORD.match(text, start)
        end = word.end() if word else joint.end()
        pieces.append(text[done:end])
        parts = re.findall(_PART, text[start:end])
        known = set(parts)
        parts += [run for run in dict.fromkeys(re.findall(_RUN_OF_LETTERS, text[start:end])) if run not in known]
        pieces += [f" {part}" for part in parts if _SHORTEST_PART <= len(part) < end - start]
        done, joint = end, _JOINT.search(text, end)
    return "".join((*pieces, text[done:]))


@cache
def stop_words() -> frozenset[str]:
    """Return words that phrase a question but are not its subject; they are indexed too, so phrases match exactly."""
    return listed(word_lists("core")["stop_words"])


def is_question(text: str) -> bool:
    """Return whether a text is a question: it ends with `?` or begins with a question word: `when did they meet`."""
    return text.rstrip().endswith("?") or words(text)[:1] in _ASKING


def word_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern that matches one word of this text."""
    if text.isascii() or max(text) < _FIRST_MARKED:
        return _WORD
    # Quotation marks, arrows and the like are between the two ranges.
    far = any(_FIRST_MARKED <= sign <= _LAST_CLUSTERED or sign >= _FIRST_SYMBOL for sign in set(text))
    return _word_of_other_scripts() if far else _WORD


@cache
def _word_of_other_scripts() -> re.Pattern[str]:
    return re.compile(
        rf"{_SYMBOL}|[{_UNSPACED}{_CLUSTERED}][{_ON_CLUSTERS}]*|{_LETTER}+(?:(?<=\d)[.:]\d+)*(?:'{_LETTER}+)*"
    )


def terms(text: str) -> list[str]:
    """Return the index terms of a text: its words, stemmed, in order, including stop words."""
    return list(map(term_of, words(text)))


# Words that don't change what a sentence says, unlike `not`, `before` and the like.
_EMPTY = frozenset(["a", "an", "the", "that", "this", "is", "are", "was", "were", "has", "have", "had", "of", "and"])


def content(text: str) -> list[str]:
    """Return all meaningful words of a text in order."""
    return [word for word in words(text) if word not in _EMPTY]


def say_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two texts, given by their meaningful words (`content`), say the same in the same words."""
    return len(one) == len(other) and all(a == b or term_of(a) == term_of(b) for a, b in zip(one, other, strict=True))


def _term_of(word: str) -> str:
    from whoosh.lang.porter import stem

    if not _STEMMED.fullmatch(word) or word in stop_words():
        return word
    found = str(stem(_whole(word)))
    return word if found in stop_words() else found


class _Terms(dict[str, str]):
    """The terms of words, each computed once until there are too many to keep; then all are dropped."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KEPT:
            self.clear()
        term = self[word] = _term_of(word)
        return term


_MOST_KEPT = 100_000
# Returns the index term of one folded word: its stem, if it has only plain letters. A stop word is its own term and no
# other word's: `does` doesn't match `doe`, and `Ines` doesn't match every `in`. It is a plain look-up, since a first
# index makes one for each word: `lru_cache`, which notes the order of its calls, takes almost three times as long.
term_of = _Terms().__getitem__


def _whole(word: str) -> str:
    """Return a word without its `-ed` or `-ing`: `planned` as `plan`, `creating` as `create`.

    Whoosh's Porter removes the ending and leaves `plann`: it looks at the word's beginning for what to repair
    afterwards. A three-letter root that ends in a double letter is a word itself: `adding`.
    """
    root = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if root == word or _VOWELS.isdisjoint(root):
        return word
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    is_doubled = len(root) > _LETTERS_OF_ADD and root[-1] == root[-2] and root[-1] not in "aeiouylsz"
    return root[:-1] if is_doubled else word


def beginning(term: str) -> str:
    """Return the beginning that all words with this term share: Porter changes at most the last remaining letter."""
    return term[:-1] if len(term) > 1 else term


def fold(text: str) -> str:
    """Return a text in lower case without marks: `Jürgen` as `jurgen`, `ß` as `ss`, `Ｂ` as `b`, `Ł` as `l`."""
    if text.isascii():
        return text.lower()
    # The marks of Latin, Greek and Cyrillic are removed; those that make a different letter, as in Japanese, are put
    # back. The typographic apostrophe becomes the plain one.
    bare = re.sub(_MARKS, "", unicodedata.normalize("NFKD", text.replace("’", "'"))).casefold()
    for letter, plain in _LETTERS:
        if letter in bare:
            bare = bare.replace(letter, plain)
    return unicodedata.normalize("NFC", bare)
