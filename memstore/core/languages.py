"""Languages other than English: detect a text's language by its stop words, and stem its words (Snowball).

Words are folded, without diacritics, as everywhere else (`terms.fold`). If a stemmer recognizes an ending by its
diacritics, they are restored before stemming: `educacion` becomes `educación` and gets the stem of `educaciones`.
"""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from memstore.core import terms
from memstore.core.config import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ENGLISH = "en"
# The languages whose Snowball stemmer in Whoosh also works for words without diacritics, by their ISO 639 codes.
OTHERS = tuple(language for language in LANGUAGES if language != ENGLISH)

_CLASSES = {
    "da": "DanishStemmer",
    "de": "GermanStemmer",
    "es": "SpanishStemmer",
    "fi": "FinnishStemmer",
    "fr": "FrenchStemmer",
    "it": "ItalianStemmer",
    "nl": "DutchStemmer",
    "no": "NorwegianStemmer",
    "pt": "PortugueseStemmer",
    "ru": "RussianStemmer",
    "sv": "SwedishStemmer",
}
# Endings without and with diacritics, by language; in Portuguese, the plural is replaced by the singular.
_ENDINGS = {
    "es": (("cion", "ción"),),
    "fr": (("ees", "ées"), ("ee", "ée"), ("ieres", "ières"), ("iere", "ière"), ("erent", "èrent")),
    "pt": (("oes", "ao"),),
    "ru": (("ии", "ий"), ("ои", "ой"), ("еи", "ей"), ("ыи", "ый")),
}
_STEMMED = r"[^\W\d_]{3,32}"
# A word begins with its stem, except for at most this many letters at the end of the stem: `cheval`, `chevaux`.
CHANGED_LETTERS = 2

# The number of words that are examined: the first words of a longer text are enough to detect its language.
WORDS_LOOKED_AT = 200
# The minimum for a text to be in another language than the first: a single name or phrase is not enough.
FEWEST_STOP_WORDS = 3


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """Return the stem of a folded word in a language other than English; a stop word is its own stem and no other's."""
    if not re.fullmatch(_STEMMED, word) or word in _own_stems(language):
        return word
    marked = word
    for plain, ending in _ENDINGS.get(language, ()):
        if word.endswith(plain):
            marked = word.removesuffix(plain) + ending
            break
    try:
        found = terms.fold(str(_stemmer(language).stem(marked)))
    except IndexError:  # Whoosh's Spanish stemmer reads beyond the end of some words
        return word
    return found if word.startswith(beginning(found, language)) and found not in _own_stems(language) else word


def language_of(words: Sequence[str], among: Sequence[str], *, fewest: int = FEWEST_STOP_WORDS) -> str:
    """Return the language of a text, judged by its folded words; the first of `among` if that is not clear.

    Args:
        words: the words in order; only the first 200 are examined.
        among: the languages, the default first.
        fewest: the minimum number of different stop words of a language other than the first, 1 or more; a name may
            be a stop word, such as Sean in Spanish.
    """
    first, *others = among
    if not others:
        return first
    heard = words[:WORDS_LOOKED_AT]
    strange = _strange_words(tuple(among))
    if len(strange.intersection(heard)) < fewest:
        return first
    spoken = _languages_of(tuple(among))
    counts = {one: sum(one in spoken.get(word, ()) for word in heard) for one in others}
    best = max(others, key=lambda one: (counts[one], -among.index(one)))
    # Words of both languages are not evidence, such as `die`, `in` and `was` in English and German.
    its = [word for word in heard if word in strange and best in spoken[word]]
    theirs = sum(first in spoken.get(word, ()) and best not in spoken[word] for word in heard)
    return best if len(set(its)) >= fewest and len(its) > theirs else first


def stemmer(language: str) -> Callable[[str], str]:
    """Return the function that maps a folded word to its index term in texts of a language."""
    return terms.term_of if language == ENGLISH else partial(stem, language=language)


def beginning(term: str, language: str) -> str:
    """Return the beginning that all words with this index term share, in texts of a language."""
    return terms.beginning(term) if language == ENGLISH else term[: max(1, len(term) - CHANGED_LETTERS)]


def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, folded."""
    return terms.stop_words() if language == ENGLISH else _stop_words(language)


def language_term(language: str) -> str:
    """Return the term under which texts in a language other than English are indexed; no query can contain it."""
    return f"\x1e{language}"


# The term under which texts in any other language are indexed; usually there are none.
ANY_OTHER = "\x1e"


@cache
def _stop_words(language: str) -> frozenset[str]:
    from whoosh.lang.stopwords import stoplists

    return frozenset(part for word in stoplists[language] for part in terms.whole_words(word))


@cache
def _own_stems(language: str) -> frozenset[str]:
    """Return the words that are their own stems, and not the stem of any other word."""
    return terms.stop_words() | _stop_words(language)


@cache
def _languages_of(among: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Return the stop words of some languages, each with the languages that have it."""
    spoken: defaultdict[str, set[str]] = defaultdict(set)
    for language in among:
        for word in stop_words(language):
            spoken[word].add(language)
    return {word: frozenset(languages) for word, languages in spoken.items()}


@cache
def _strange_words(among: tuple[str, ...]) -> frozenset[str]:
    """Return the stop words that the first language lacks, without single letters, which may be symbols."""
    return frozenset(word for word, spoken in _languages_of(among).items() if among[0] not in spoken and len(word) > 1)


@cache
def _stemmer(language: str) -> Any:
    with warnings.catch_warnings():
        # Whoosh's source is from 2016: newer versions of Python warn about its escape sequences when they compile it.
        warnings.simplefilter("ignore")
        from whoosh.lang import snowball

    return getattr(snowball, _CLASSES[language])()
