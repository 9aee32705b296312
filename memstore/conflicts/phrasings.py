"""Phrasings: say a clause about one attribute of one thing in the usual words.

`They charge 4 euros for a locker` and `Lockers go for 4 euros` both say what a locker costs. The ways of saying it are
in `words.toml`, each with its usual form; how two clauses are compared is left to the other modules.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon, quantities
from memstore.core.terms import fold
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A word, some words one of which must stand there (or may: `?`), or a place to fill.
_PART = re.compile(r"(?:\(([^()]+)\)|([^\s?]+))(\??)")
# What fills a place: a thing, a person or firm by name, somebody, a number, a date or time, a profession, anything.
_PLACES = {
    "<x>": r"(?P<x>[^,;:]{1,80}?)",
    "<y>": r"(?P<y>[^,;:]{2,40}?)",
    "<w>": r"(?P<w>(?:the |our |my |a |an )?(?-i:[A-Z])[\w.'’&-]*(?: (?-i:[A-Z])[\w.'’&-]*){0,3})",
    "<n>": r"(?P<n>[^,;:]{1,40}?|[^;]{1,30}?\d[,:]\d[^,;:]{0,20}?)",
    "<j>": r"(?P<j>(?:an? )?[\w -]{3,40}?)",
    "<v>": r"(?P<v>[^,;:]{2,60}?)",
}
# After the last place, a clause ends, or goes on with when or why it is so.
_END = (
    r"(?P<tail>[.!]*$|[,;:] .*| (?:since|now|nowadays|from (?:now|this|next)|this|these|because|after|until|till|as of"
    r"|at the moment|at present|today|currently|again) ?.*)$"
)
# Words that too many clauses have to begin with.
_COMMON = listed("the a an of is are in at to for from on by with has have our their his her its it and be")
_NUMBERS = quantities.CARDINALS.keys() | quantities.ORDINALS.keys() | listed("half noon midnight once twice")
_DATES = frozenset(quantities.MONTHS) | listed("monday tuesday wednesday thursday friday saturday sunday")
# A number begins at most this many words into its place: `at least two`, `the end of May`.
_FARTHEST = 4
_LOWER = listed("the a an our my his her its their this that these those your in on at from for under behind")
_WORD = re.compile(r"[a-z]+(?:'t)?")
_DENIES = re.compile(
    r"\b(?:not|never|no|nobody|none|nothing|neither|without|if|unless|whether)\b|n['’]t\b", re.IGNORECASE
)


class _Phrasing(NamedTuple):
    """A way to say something, and the usual form of it.

    `needs` has for each word of the way, or choice of words, those of which a clause must have one.
    """

    source: str
    usual: str
    needs: Sequence[frozenset[str]]
    denies: bool
    counts: bool


def ways(clause: str) -> Sequence[str]:
    """Return a clause and its usual words; these alone for "only", since `the only person` is not somebody else."""
    said = usual(clause)
    return (said,) if said == clause or said.startswith("only ") else (clause, said)


@lru_cache(maxsize=4096)
def usual(clause: str) -> str:
    """Return a clause in the usual words, if it says what one attribute of something is; else the clause itself."""
    words = frozenset(_WORD.findall(fold(clause).replace("’", "'")))
    known = _by_word()
    numbers = sorted({number for word in words & known.keys() for number in known[word]})
    denies, counts = _DENIES.search(clause) is not None, _counts(clause, words)
    for phrasing in map(_phrasings().__getitem__, numbers):
        if phrasing.denies != denies or counts < phrasing.counts or any(map(words.isdisjoint, phrasing.needs)):
            continue
        found = _pattern(phrasing.source).match(clause)
        if found and _fits(found.groupdict()):
            return _filled(phrasing.usual, found.groupdict())
    return clause


def _counts(clause: str, words: frozenset[str]) -> bool:
    return quantities.has_digit(clause) or not words.isdisjoint(_NUMBERS | _DATES)


def _fits(said: Mapping[str, str]) -> bool:
    """Whether what fills the places is of the right sort; a number may be a date, a month or a weekday."""
    number, job = said.get("n"), said.get("j")
    if number is not None and not any(map(_is_number, fold(number).split()[:_FARTHEST])):
        return False
    return job is None or any("profession" in lexicon.kinds_of(word) for word in fold(job).split()[-1:])


def _is_number(word: str) -> bool:
    return quantities.has_digit(word) or word.partition("-")[0] in _NUMBERS or word in _DATES


def _filled(form: str, said: Mapping[str, str]) -> str:
    """Return a form with its places filled; an article that no longer begins the clause is written small."""
    words = [_inside(said[word[1:-1]], at) if word in _PLACES else word for at, word in enumerate(form.split(" "))]
    return " ".join(words) + said["tail"]


def _inside(text: str, at: int) -> str:
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if at and first.casefold() in _LOWER else text


@cache
def _phrasings() -> Sequence[_Phrasing]:
    lines = (line.split(" | ") for line in word_lists("conflicts")["phrasings"].strip().splitlines())
    return [_phrasing(source, form) for form, *sources in lines for source in sources]


def _phrasing(source: str, form: str) -> _Phrasing:
    parts = [(several or one, optional) for several, one, optional in _PART.findall(source)]
    needs = [
        frozenset(each.split()[0] for each in part.split("/"))
        for part, optional in parts
        if not optional and part not in _PLACES and part[:1].isalpha()
    ]
    return _Phrasing(source, form, needs, _DENIES.search(source) is not None, counts=("<n>", "") in parts)


@cache
def _by_word() -> Mapping[str, Sequence[int]]:
    """Return the numbers of the phrasings by each word of the choice that the fewest clauses have."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number, phrasing in enumerate(_phrasings()):
        for word in next(filter(_COMMON.isdisjoint, phrasing.needs), phrasing.needs[0]):
            found[word].append(number)
    return dict(found)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Return the pattern of a source; each is compiled when a clause has its words."""
    found = ""
    for several, one, optional in _PART.findall(source):
        part = _PLACES.get(one) or re.escape(one)
        if several:
            part = f"(?:{'|'.join(map(re.escape, several.split('/')))})"
        gap = r"[ ]+" if found and not found.endswith("?~") and one not in ("'s", ",") else ""
        found = found.removesuffix("~")
        if optional:
            found += f"(?:{gap}{part})?" if found else f"(?:{part}[ ]+)?~"
        else:
            found += f"{gap}{part}"
    return re.compile(
        found.replace("'s", "(?:['’]s|(?<=s)['’])").replace("n't", "n['’]t") + _END, re.IGNORECASE | re.DOTALL
    )
