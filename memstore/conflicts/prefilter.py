"""Gists: what of a text is enough to tell that it can't be in conflict with another.

Laying sentences side by side takes long, and hardly any two are in conflict. Two sentences are only where all that
differs is accounted for (`contradiction`): so every word of one of the two, the one that does not go on where the
other ends, stands in the other as well or may be exchanged for one of its words; and something is denied, counted,
dated or exchanged. That is told by sets of words. It never says no where `contradiction` finds a conflict, and mostly
says no.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.statements import (
    ADDS,
    EMPTY,
    GRAMMAR,
    LEADS_TO_WHEN,
    MOST_OTHER_WORDS,
    NEGATORS,
    OFTEN,
    WHEN,
    sentences,
)
from memstore.core.terms import fold, term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A word with what hangs on it; and what of it may be a word of its own (`couldn't`, `v2`, `well-known`).
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*'?")
_PART = re.compile(r"[^\W\d_]+?(?=n't)|[^\W\d_]+|\d[^\W_]*")
_IN_PARTS = re.compile(r"['\d-]")
_DIGIT = re.compile(r"\d")
_NOISE = re.compile(r"\[\[[^\]]*\]\]|\[\^[^\]]*\]|https?://\S+")
# What `tokens` may leave out or put otherwise: `no longer`, `used to`, `no doubt`, `why not`, `3 p.m.`, `°C`, `won't`.
_PUT_OTHERWISE = listed("""
    cannot unable longer any more anymore used to only just mention sure doubt problem worries wonder matter way why if
    or of a m p k c f and half able can will am is are was were be been being have has had having
    """)
_NOT_DEMANDED = EMPTY | NEGATORS | WHEN | LEADS_TO_WHEN | OFTEN | quantities.WORDS | _PUT_OTHERWISE
_NO_TOPIC = EMPTY | GRAMMAR | NEGATORS | WHEN
_DENY = NEGATORS | {"cannot", "unable"}
_WHEN_OR_NUMBER = WHEN | quantities.WORDS


class SentenceGist:
    """Of one sentence what decides; it is found out when it is asked for, and mostly it is not.

    Args:
        words: its words, folded.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return _stems_of(self.words)

    @cached_property
    def first(self) -> Sequence[str]:
        """Its words before anything that may only add to what is said."""
        return self.words[: next((at for at, word in enumerate(self.words) if word in ADDS), None)]

    @cached_property
    def topic(self) -> frozenset[str]:
        """The stems of the words that it may be about; it may be about the phrases in it, too."""
        return frozenset([term_of(part) for word in self.words for part in _parts(word) if part not in _NO_TOPIC])

    @cached_property
    def known(self) -> frozenset[str]:
        """The words and phrases that the lexicon has."""
        return self.phrases.union([part for word in self.words for part in _parts(word) if lexicon.knows(part)])

    @cached_property
    def denies(self) -> bool:
        """Whether there may be a negation."""
        return any(word in _DENY or "n't" in word for word in self.words)

    @cached_property
    def counts(self) -> bool:
        """Whether there may be a number, a date, or another word that says when."""
        return any(word in _WHEN_OR_NUMBER or _DIGIT.search(word) for word in self.words)

    @cached_property
    def phrases(self) -> frozenset[str]:
        """The phrases of the lexicon in it, their words joined by `_`."""
        words = [word.removesuffix("'").replace("unable", "able") for word in self.words]
        return frozenset(
            "_".join(phrase)
            for at, word in enumerate(words)
            for phrase in lexicon.phrases(word)
            if tuple(words[at : at + len(phrase)]) == phrase
        )


class Gist:
    """Of a text: its sentences, and the stems of all words in them.

    Args:
        sentences: the gists of its sentences.
        stems: the stems of all their words.
    """

    def __init__(self, sentences: tuple[SentenceGist, ...], stems: frozenset[str]) -> None:
        self.sentences, self.stems = sentences, stems

    @cached_property
    def by_stem(self) -> Mapping[str, Sequence[SentenceGist]]:
        """The sentences in which a stem stands."""
        found: defaultdict[str, list[SentenceGist]] = defaultdict(list)
        for sentence in self.sentences:
            for stem in sentence.stems:
                found[stem].append(sentence)
        return dict(found)

    def frequency(self, stem: str) -> int:
        """Return in how many sentences a stem stands."""
        return len(self.by_stem.get(stem, ()))


# Of so many memories the gists are kept: a session comes back to the same ones.
@lru_cache(maxsize=256)
def gist(texts: tuple[str, ...]) -> Gist:
    """Return the gist of texts that one memory states."""
    found = [_words(text[start:end]) for text in texts for start, end in sentences(text)]
    all_words = {word for words in found for word in words}
    return Gist(
        tuple(SentenceGist(words) for words in found),
        _stems_of(all_words),
    )


def may_conflict(one: Gist, other: Gist, *, any_opposites: bool = False) -> bool:
    """Whether a sentence of one may be in conflict with one of the other; False where `contradiction` would find none.

    Args:
        one: what a memory says.
        other: what another says.
        any_opposites: whether there is a larger lexicon, for which any two words may be opposites.
    """
    spare = 1 if any_opposites else 0
    return _covers(one, other, spare) or _covers(other, one, spare)


def _covers(covered: Gist, covering: Gist, spare: int) -> bool:
    """Whether a sentence is covered by one of the other text, but for so many words, and may be in conflict with it."""
    return any(
        _is_covered(this, that, spare)
        for this in covered.sentences
        if not _lack(this.words, covering.stems, spare)
        for that in _candidates(this, covering, spare)
    )


def _candidates(this: SentenceGist, covering: Gist, spare: int) -> Iterable[SentenceGist]:
    """Return the sentences that may cover one: they have one of any of its words of which but so many may lack."""
    demanded = sorted({term_of(word) for word in this.words if _is_demanded(word)}, key=covering.frequency)
    if len(demanded) > spare:
        wanted: Iterable[str] = demanded[: spare + 1]
    elif this.phrases:
        return covering.sentences
    else:
        wanted = this.topic
    return {id(that): that for stem in wanted for that in covering.by_stem.get(stem, ())}.values()


def _is_covered(this: SentenceGist, that: SentenceGist, spare: int) -> bool:
    # Who denies and adds something denies only that part, so a negation counts in what is covered.
    return (
        not _lack(this.words, that.stems, spare)
        and not _lack(that.first, this.stems, spare)
        and not (this.topic.isdisjoint(that.topic) and this.phrases.isdisjoint(that.phrases))
        # One by one: of a text without full stops, as of a table or a log, the first few words say it.
        and not _lack((word for word in that.words if word not in _NO_TOPIC), this.stems, MOST_OTHER_WORDS)
        and (spare > 0 or this.denies or (this.counts and that.counts) or _exchanges(this, that))
        and (spare > 0 or all(_has_like(word, that) for word in this.known - that.known))
    )


def _lack(words: Iterable[str], stems: frozenset[str], most: int) -> bool:
    """Whether of the words that the other must have more than so many are not among its stems."""
    lacking: set[str] = set()
    for word in words:
        stem = term_of(word)
        if stem not in stems and _is_demanded(word):
            lacking.add(stem)
            if len(lacking) > most:
                return True
    return False


def _exchanges(this: SentenceGist, that: SentenceGist) -> bool:
    """Whether a word of one may stand for another of the other."""
    return any(
        lexicon.opposite(one, other) or lexicon.other_value(one, other)
        for one in this.known
        for other in that.known
        if one != other
    )


def _has_like(word: str, that: SentenceGist) -> bool:
    """Whether what the lexicon knows of a word lets it stand for one in a sentence; its phrases may stand for any."""
    if word in _NOT_DEMANDED or word in lexicon.parts_of_phrases() or term_of(word) in that.stems:
        return True
    return any(
        lexicon.same(word, other) or lexicon.opposite(word, other) or lexicon.other_value(word, other)
        for other in that.known
    )


def _words(text: str) -> list[str]:
    folded = fold(text)
    if "[" in folded or "://" in folded:
        folded = _NOISE.sub(" ", folded)
    return _WORD.findall(folded)


@lru_cache(maxsize=100_000)
def _is_demanded(word: str) -> bool:
    """Whether the other must have a folded word."""
    return not (_IN_PARTS.search(word) or word in _NOT_DEMANDED or lexicon.knows(word))


def _stems_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset([term_of(part) for word in words for part in _parts(word)])


def _parts(word: str) -> Sequence[str]:
    """Return a folded word, and what of it may be a word of its own."""
    return (word, *_PART.findall(word)) if _IN_PARTS.search(word) else (word,)
