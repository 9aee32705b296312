"""Porter's stemmer of English words, which gives the stems that Whoosh's gives, letter by letter.

Whoosh's is made of twenty patterns, and compiling them takes longer than stemming the words of a search. Here a word is
seen as its shape: `v` for a vowel, `c` for a consonant, `y` for itself.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14.3 (1980).
"""

from __future__ import annotations

from memstore.core.word_lists import listed

_SHAPES = str.maketrans(dict.fromkeys("aeiou", "v") | dict.fromkeys("bcdfghjklmnpqrstvwxzY", "c"))
# What an ending becomes if something is left before it that can stand alone.
_SECOND = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH = listed("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize")
_LONGEST_SECOND, _LONGEST_THIRD, _LONGEST_FOURTH = 7, 5, 5
_LAST_OF_SECOND, _LAST_OF_THIRD, _LAST_OF_FOURTH = "limnrs", "elis", "ceilmrstu"
_SHORTEST = 3


def stem(word: str) -> str:
    """Return the stem of a word of plain lower-case letters."""
    if len(word) < _SHORTEST:
        return word
    if word[0] == "y":  # a consonant at the beginning
        return "y" + _stem("Y" + word[1:])[1:]
    return _stem(word)


def _stem(word: str) -> str:
    word = _without_past(_without_plural(word))
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    if word[-1] in _LAST_OF_SECOND:
        end = _ending(word, _SECOND, _LONGEST_SECOND)
        if end and _is_syllable(word[: -len(end)]):
            word = word[: -len(end)] + _SECOND[end]
    if word[-1] in _LAST_OF_THIRD:
        end = _ending(word, _THIRD, _LONGEST_THIRD)
        if end and _is_syllable(word[: -len(end)]):
            word = word[: -len(end)] + _THIRD[end]
    word = _without_suffix(word)
    if word[-1] == "e" and _loses_e(word[:-1]):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and _are_syllables(word) else word


def _without_plural(word: str) -> str:
    if not word.endswith("s"):
        return word
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word if word[-2] == "s" else word[:-1]


def _without_past(word: str) -> str:
    """Return a word without `-ed` or `-ing`, with the `e` that it loses there: `hoping` as `hope`.

    As in Whoosh, `at` and `iz` get their `e` back only if they are all that is left; Porter means all that end so.
    """
    if word.endswith("eed"):
        return word[:-1] if _is_syllable(word[:-3]) else word
    end = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    if not end or not _has_vowel(rest := word[: -len(end)]):
        return word
    return rest + "e" if rest in {"at", "iz"} or _is_short(rest) else rest


def _without_suffix(word: str) -> str:
    """Return a word without its last suffix, if two syllables are left."""
    if word[-1] in _LAST_OF_FOURTH and (end := _ending(word, _FOURTH, _LONGEST_FOURTH)):
        rest = word[: -len(end)]
    elif word.endswith(("sion", "tion")) and len(word) > len("tion"):
        rest = word[: -len("ion")]
    else:
        return word
    return rest if _are_syllables(rest) else word


def _loses_e(rest: str) -> bool:
    if _are_syllables(rest):
        return True
    after = _after_vowels(rest)
    return after[:1] == "c" and not after.lstrip("c").strip("v") and not _is_short(rest)


def _ending(word: str, endings: dict[str, str] | frozenset[str], longest: int) -> str:
    """Return the longest of some endings that a word has, leaving at least a letter; empty if it has none."""
    for size in range(min(longest, len(word) - 1), 1, -1):
        if word[-size:] in endings:
            return word[-size:]
    return ""


def _has_vowel(text: str) -> bool:
    return not {*"aeiouy"}.isdisjoint(text)


def _after_vowels(text: str) -> str:
    """Return the shape of a text after its first vowels; empty if a `y` comes before them."""
    shape = text.translate(_SHAPES).lstrip("c")
    return shape.lstrip("v") if shape[:1] == "v" else ""


def _is_syllable(text: str) -> bool:
    """Whether a text has a vowel with a consonant after it."""
    return _after_vowels(text)[:1] == "c"


def _are_syllables(text: str) -> bool:
    """Whether a text has that twice."""
    after = _after_vowels(text)
    if after[:1] != "c":
        return False
    after = after.lstrip("c")
    return after[:1] == "v" and after.lstrip("v")[:1] == "c"


def _is_short(text: str) -> bool:
    """Whether a text is consonants, a vowel or `y`, and a last consonant other than `w` and `x`: `hop`."""
    shape = text.translate(_SHAPES)
    return shape[:1] == "c" and shape.lstrip("c") in {"vc", "yc"} and text[-1] not in "wxY"
