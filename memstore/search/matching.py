"""Find the places in a text where the clauses of a query match."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.core import terms as analysis
from memstore.core.languages import ENGLISH, beginning, stemmer
from memstore.search.clauses import Need, Phrase, Prefix, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.search.clauses import Clause, Query

    Places = list[tuple[int, int]]


class Matcher:
    """Finds a query's clauses, which are identified by their number in the query.

    Args:
        clauses: the clauses to find.
        terms: for each clause, the index terms that count as its word; empty for prefixes and phrases.
        language: the language of the texts, which decides how words are stemmed.
    """

    def __init__(self, clauses: Sequence[Clause], terms: Sequence[Sequence[str]], language: str = ENGLISH) -> None:
        self._stem = stemmer(language)
        self._word_clause: dict[str, int] = {}
        self._whole_clause: dict[str, int] = {}
        self._typed: dict[str, int] = {}
        self._prefixes: list[tuple[str, int]] = []
        self._phrases: list[tuple[tuple[str, ...], int]] = []
        for number, clause in enumerate(clauses):
            match clause.asked:
                case Word(typed=typed, whole=whole):
                    if typed:
                        self._typed.setdefault(typed, number)
                    if whole:
                        self._whole_clause |= {word: number for word in whole if word not in self._whole_clause}
                    else:
                        self._word_clause |= {term: number for term in terms[number] if term not in self._word_clause}
                case Prefix(start):
                    self._prefixes.append((start, number))
                case Phrase(run, others):
                    self._phrases += [(one, number) for one in (run, *others)]
        self._words = {*self._whole_clause}.union(*(run for run, _ in self._phrases))
        # A word begins with its stem, except for the stem's end, so all other words need no stemming.
        starts = {beginning(term, language) for term in self._word_clause}
        self._starts = tuple(sorted({*starts, *self._words, *(start for start, _ in self._prefixes)}))
        asked = ((number, clause.asked) for number, clause in enumerate(clauses) if not clause.is_also)
        numbers = [number for number, one in asked if isinstance(one, Word)]
        self._whole = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self._typed))})(?!\w)") if self._typed else None
        self._pairs = {(a, b) for a, b in pairwise(numbers) if b == a + 1}

    def places(self, text: str) -> Places:
        """Return the matches in a text as pairs of word position and clause, ordered by position."""
        if not self._may_match(text):
            return []
        starts = self._starts
        near = [(at, word) for at, word in enumerate(analysis.words(text)) if word.startswith(starts)]
        clause_of = self._word_clause
        stem = self._stem
        places = [(at, clause_of[term]) for at, word in near if (term := stem(word)) in clause_of]
        if not self._words and not self._prefixes:
            return places
        whole = self._whole_clause
        places += [(at, whole[word]) for at, word in near if word in whole]
        places += [(at, number) for start, number in self._prefixes for at, word in near if word.startswith(start)]
        places += self._phrase_places(dict(near)) if self._phrases else []
        return sorted(places)

    def _may_match(self, text: str) -> bool:
        """Whether a text has the beginning of a word that matches; most have none, and this is found out quickly."""
        folded = text.lower() if text.isascii() else analysis.fold(text)
        if any(map(folded.__contains__, self._starts)):
            return True
        return "-" in folded and any(map(folded.replace("-", "").__contains__, self._starts))  # `Wi-Fi` is also `wifi`

    def as_typed(self, text: str) -> set[int]:
        """Return the clauses with a word that occurs letter by letter, not only as another word with the same stem."""
        if self._whole is None:
            return set()
        folded = text.lower() if text.isascii() else analysis.fold(text)
        return {self._typed[word] for word in self._whole.findall(folded)}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of words in a text that match a clause: first character, and the one after the last."""
        if not self._may_match(text):
            return []
        return [
            found.span()
            for found in analysis.word_pattern(text).finditer(text)
            if self._may_match(found[0]) and any(map(self._asks_for, analysis.words(found[0])))
        ]

    def _asks_for(self, word: str) -> bool:
        if word in self._words or self._stem(word) in self._word_clause:
            return True
        return any(word.startswith(start) for start, _ in self._prefixes)

    def pairs(self, places: Places) -> int:
        """Return how often two words that are adjacent in the query are adjacent in the text."""
        pairs = self._pairs
        if not pairs:
            return 0
        return sum(
            1
            for (at, clause), (after, following) in pairwise(places)
            if after == at + 1 and (clause, following) in pairs
        )

    def _phrase_places(self, word_at: dict[int, str]) -> Places:
        return [
            (at, number)
            for run, number in self._phrases
            for at, word in word_at.items()
            if word == run[0] and all(word_at.get(at + i) == wanted for i, wanted in enumerate(run))
        ]


def matcher_of(query: Query, language: str = ENGLISH) -> Matcher:
    """Return a matcher for a query's clauses in texts of a language, without those that must not match."""
    clauses = [clause for clause in query.clauses if clause.need is not Need.MUST_NOT]
    asked = [clause.asked for clause in clauses]
    stem = stemmer(language)
    words = [(*all_terms(one, language), *map(stem, one.names)) if isinstance(one, Word) else () for one in asked]
    return Matcher(clauses, words, language)


def all_terms(word: Word, language: str) -> tuple[str, ...]:
    """Return the index terms of a word in a language: its own first, then those of its other spellings."""
    if language == ENGLISH:
        return word.term, *word.spellings
    stem = stemmer(language)
    return tuple(dict.fromkeys(map(stem, (word.typed or word.term, *word.spelt))))


def phrase_counts(positions: Sequence[Sequence[int]]) -> int:
    """Return how often terms are adjacent in one text, given the positions of each, in the order of the phrase."""
    first, *others = positions
    following = [set(places) for places in others]
    return sum(all(at + i in places for i, places in enumerate(following, 1)) for at in first)


def holds_alias(query_words: Sequence[str], alias_words: Sequence[str]) -> bool:
    """Whether the words of an alias are adjacent in a query; a long word may have one typo."""
    width = len(alias_words)
    return width > 0 and any(
        all(_same_word(asked, wanted) for asked, wanted in zip(query_words[i : i + width], alias_words, strict=True))
        for i in range(len(query_words) - width + 1)
    )


LETTERS_FOR_ONE_SLIP = 6
LETTERS_FOR_ONE_LETTER_MORE = 4


def _same_word(asked: str, wanted: str) -> bool:
    if asked == wanted:
        return True
    shortest = min(len(asked), len(wanted))
    # A missing or extra letter rarely makes another word; a changed letter does: mango and Mongo.
    if shortest < (LETTERS_FOR_ONE_SLIP if len(asked) == len(wanted) else LETTERS_FOR_ONE_LETTER_MORE):
        return False
    return within_edits(asked, wanted, 1)


def within_edits(one: str, other: str, most: int) -> bool:
    """Whether the edit distance of two words is at most `most`; swapping two adjacent letters is one edit."""
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if before and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
        before, above = above, row
    return above[-1] <= most
