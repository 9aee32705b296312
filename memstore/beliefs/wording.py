"""The words of a suggestion: a quotation, or a wording by somebody else that says no more than its sources.

What a text is about, and which of its sentences can be understood without the others, is decided first. A
`Synthesizer` may word it better than a quotation does; what it says is checked here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memstore.conflicts.contradiction import TextVerdict, compare
from memstore.conflicts.frames import frame
from memstore.conflicts.statements import statements
from memstore.core.full_stops import split_sentences
from memstore.core.terms import stop_words, term_of, words
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


_DATE = re.compile(r"\d{1,4}(?:[.:]\d{1,4})*(?:st|nd|rd|th|am|pm|h)?")
# A question states nothing.
_QUESTION = re.compile(r"[^.!?\n]*\?")


@cache
def _words_of(name: str) -> frozenset[str]:
    """Return one of the lists in `words.toml`."""
    return listed(word_lists("beliefs")[name])


@cache
def _saying_nothing() -> frozenset[str]:
    return stop_words() | _words_of("calendar") | _words_of("small_talk")


@cache
def _empty_terms() -> frozenset[str]:
    """Return small talk by its stems, too: what `make` says no more than, `making` says no more than."""
    return frozenset(map(term_of, _words_of("small_talk")))


def told_words(text: str) -> list[str]:
    """Return the words of what a text states: a question states nothing."""
    return words(_QUESTION.sub(" ", text))


def content_terms(text: str, names: Collection[str] = ()) -> list[str]:
    """Return what a text is about: the stems of what it states, without small talk, dates and names.

    Args:
        text: any text.
        names: words, folded as `analysis.words` folds them.
    """
    nothing, empty_terms = _saying_nothing(), _empty_terms()
    return [
        term
        for word in told_words(text)
        if len(word) > 1 and word not in nothing and word not in names and not _DATE.fullmatch(word)
        if (term := term_of(word)) not in empty_terms
    ]


def stands_alone(text: str) -> bool:
    """Whether a sentence, or several, can be understood where nothing stands before them, and tell what is so.

    What begins with `it` or `that` points at something that was said before, as do `those dreams` and `him` before
    anybody is named; what begins with `because` or `anyway` goes on with it, and `this afternoon` needs its day. What
    is said to somebody (`you`, `thanks`) tells nothing lasting of whom the memory is about, unless it is a rule (`you
    must`, `never ask`).
    """
    first, *others = sentences(text) or [""]
    goes_on = not any(_is_address(words(one)) or one.endswith("?") for one in others)
    return _stands(first) and goes_on and not (others and first.endswith("!"))


@lru_cache(maxsize=20_000)
def _stands(sentence: str) -> bool:
    said = words(sentence)
    first = next(iter(said), "")
    goes_on = first in _words_of("pointers") or first in _words_of("openers") or first in _words_of("goes_on")
    needs_others = goes_on or _dangles(said) or _of_its_day(said) or any(_points_back(said))
    return len(said) >= _FEWEST_WORDS and not (needs_others or _is_address(said))


def _is_address(said: Sequence[str]) -> bool:
    must = any(one in _words_of("obligations") and other not in _GUESSED for one, other in pairwise([*said, ""]))
    is_rule = must or said[:1] in _rule_beginnings()
    return not is_rule and not _words_of("address").isdisjoint(said)


# `You must be tired` guesses, and `you must run the tests` rules.
_GUESSED = frozenset(["be", "have", "feel"])


@cache
def _rule_beginnings() -> tuple[list[str], ...]:
    return tuple([word] for word in _words_of("rules_begin"))


def _points_back(said: Sequence[str]) -> Iterator[bool]:
    """Yield whether a word points at something: `those dreams`, `of that place`, and `it` at the end."""
    yield said[-1:] == ["it"]
    for before, one, after in zip(["of", *said], said, said[1:], strict=False):
        is_one = one in _words_of("demonstratives") or (one == "that" and before in stop_words())
        yield is_one and after not in stop_words()


_FEWEST_WORDS = 3
_FEWEST_NAMED = 2


def _dangles(said: Sequence[str]) -> bool:
    """Whether somebody or something is meant before it could have been named: `I was wrong about him`."""
    person = next((at for at, word in enumerate(said) if word in _words_of("persons")), None)
    thing = next((at for at, word in enumerate(said) if word in _words_of("it")), None)
    unnamed = person is not None and len({*said[:person]} - _saying_nothing()) < _FEWEST_NAMED
    names = {one for one, other in pairwise(said[:thing]) if other not in _AMOUNTS}
    return unnamed or (thing is not None and _words_of("determiners").isdisjoint(names))


_AMOUNTS = frozenset(["lot", "bit", "few", "little"])


def _of_its_day(said: Sequence[str]) -> bool:
    return any(one in _words_of("this") and other in _words_of("spans") for one, other in pairwise(said))


def denies(sentence: str) -> bool:
    """Whether a sentence denies something: `no test failed`, `nobody deletes backups`."""
    return any(statement.negations for statement in statements(sentence))


@lru_cache(maxsize=20_000)
def is_lasting(text: str) -> bool:
    """Whether a text tells what is so, and of no one time: what happened yesterday is an event, and no belief."""
    said = words(text)
    if not _words_of("habits").isdisjoint(said):
        return _words_of("at_one_time").isdisjoint(said)
    tells = frame(text)
    return _words_of("at_one_time").isdisjoint(said) and tells.verb is not None and not tells.is_past


@cache
def outright_words() -> re.Pattern[str]:
    """Return what matches words that say outright that something is no longer as it was, in folded words."""
    phrases = [re.escape(one.replace("_", " ")) for one in _words_of("outright")]
    return re.compile(rf"\b(?:{'|'.join(sorted(phrases))}|(?:not|never|nor|no|\w+n't)\b.{{1,40}}\bany ?more)\b")


def says_outright(text: str) -> bool:
    """Whether a text says in so many words that something is no longer as it was."""
    return outright_words().search(" ".join(words(text))) is not None


# -- a wording, checked ----------------------------------------------------------------------------


MOST_WORDS = 30
FEWEST_TERMS = 2  # one word in common is no pattern: docs/consolidation.md, "Gates"

_WORD = re.compile(r"[\w][\w'’.-]*")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of a memory as they stand in it; lines are those of its file, from 1, inclusive."""

    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Wording:
    """What somebody else made of memories: the words, and the refs of those that they rest on."""

    text: str
    cites: tuple[str, ...]


class Worth(NamedTuple):
    """How well a sentence may stand for what is shared, the best smallest.

    Best is what can be understood by itself, has two of the terms, tells of no one time, and has most of the terms.
    """

    needs_others: bool
    few_terms: bool
    of_one_time: bool
    terms: int


def worth(sentence: str, terms: Collection[str]) -> Worth:
    """Return how well a sentence may stand for what has these terms."""
    shared = len(set(content_terms(sentence)).intersection(terms))
    return Worth(not stands_alone(sentence), shared < FEWEST_TERMS, not is_lasting(sentence), -shared)


class Likely(NamedTuple):
    """How well a sentence may stand for a topic, the best smallest: as `Worth`, and a habit before an event."""

    needs_others: bool
    few_terms: bool
    of_one_time: bool
    no_habit: bool
    shared: int
    length: int


def likely_belief(sentence: str, own: Collection[str], counts: Mapping[str, int]) -> Likely:
    """Return how well a sentence may stand for a topic.

    Args:
        sentence: any sentence.
        own: the terms of the topic, of which it must have one, beside something else.
        counts: how many of those who speak of it have each term.
    """
    said = set(content_terms(sentence))
    no_habit = _words_of("habits").isdisjoint(words(sentence))
    shared = sum(counts[term] - 1 for term in said if term in counts)
    few = said.isdisjoint(own) or len(said) < FEWEST_TERMS
    return Likely(not stands_alone(sentence), few, not is_lasting(sentence), no_habit, -shared, len(sentence))


def best_worth(text: str, terms: Collection[str]) -> Worth | None:
    """Return how well the best sentence of a text may stand for what has these terms; None where no sentence may."""
    found = min((worth(one, terms) for one in sayings(text)), default=None)
    return None if found is None or found.needs_others or found.few_terms else found


def closest(text: str, terms: Collection[str]) -> str:
    """Return the sentence of a text that may best stand for what has these terms; empty where there is none."""
    return min(sayings(text), key=lambda one: worth(one, terms), default="")


def located(passages: Iterable[tuple[str, int, int]], quote: str) -> Quotation | None:
    """Return a quotation with the lines of the passage that it stands in; None where none has it.

    Args:
        passages: text, first and last line of each.
        quote: what is quoted, on one line.
    """
    known = list(passages)
    every = [("\n".join(text for text, _, _ in known), known[0][1], known[-1][2])] if known else []
    found = ((first, last) for text, first, last in [*known, *every] if quote in " ".join(text.split()))
    lines = next(found, None)
    return Quotation(quote, *lines) if lines else None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line; none goes over a blank line, and a row of a table is none."""
    parts = (part for block in text.split("\n\n") for part in split_sentences(block))
    return [sentence for part in parts if (sentence := " ".join(part.split())) and " | " not in sentence]


def sayings(text: str) -> list[str]:
    """Return what of a text may be quoted: sentences, those that need it with the one before, and all that is short."""
    found = sentences(text)
    both = (f"{before} {one}" for before, one in pairwise(found) if not stands_alone(one) and stands_alone(before))
    said = [*found, *both, *([" ".join(found)] if len(found) > 1 else [])]
    return list(dict.fromkeys(one for one in said if one in found or len(one.split()) <= MOST_WORDS))


def said_by(answer: Any) -> Wording | str:
    """Return the wording that a JSON answer holds, or what is wrong with its form."""
    match answer:
        case {"text": str(text), "cites": [*cites]} if text.strip() and all(isinstance(ref, str) for ref in cites):
            return Wording(" ".join(text.split()), tuple(str(ref) for ref in cites))
        case _:
            return 'it is not {"text": "…", "cites": ["type:id", …]}'


def objection(wording: Wording, sources: Mapping[str, str], *, against: Collection[str] = ()) -> str | None:
    """Return why a wording can't stand for its sources; None where it can.

    Args:
        wording: the words and what they cite.
        sources: the texts that it was made of, by ref.
        against: the refs of those that say the opposite of the others: these it may contradict.
    """
    count = len(wording.text.split())
    if count > MOST_WORDS:
        return f"it has {count} words, and may have at most {MOST_WORDS}"
    outside = sorted(set(wording.cites) - set(sources))
    if outside or not wording.cites:
        return f"it cites {outside[0]}, which is not one of its sources" if outside else "it cites nothing"
    strange = strangers(wording.text, sources.values())
    if strange:
        return f"no source names {strange[0]}"
    own = set(content_terms(wording.text))
    shared = own.intersection(term for text in sources.values() for term in content_terms(text))
    if 2 * len(shared) < max(len(own), 1):
        return f"its sources share {len(shared)} of the {len(own)} words that say what it is about, and half are needed"
    denied = next((ref for ref in sources if ref not in against and _contradicts(wording.text, sources[ref])), None)
    return f"it contradicts {denied}" if denied else None


def _contradicts(one: str, other: str) -> bool:
    found = compare(one, other)
    return found.verdict in (TextVerdict.CONTRADICTS, TextVerdict.OTHER_VALUE) and not found.at_other_times


def strangers(text: str, sources: Iterable[str]) -> list[str]:
    """Return the names and numbers of a text that no source has: words with a capital letter or a digit.

    A sentence's first word has its capital from its place; it is a name all the same unless the sources have it, or a
    word of its stem.
    """
    known_words = {word for source in sources for word in words(source)}
    known = known_words | {term_of(word) for word in known_words}
    return [name for name in _names(text) if not _is_known(name, known)]


def _names(text: str) -> Sequence[str]:
    return [word for word in _WORD.findall(text) if any(letter.isupper() or letter.isdigit() for letter in word)]


def _is_known(name: str, known: Collection[str]) -> bool:
    return all(part in known or term_of(part) in known or part in stop_words() for part in words(name))


# -- who words it better ---------------------------------------------------------------------------


class QuotedSource(NamedTuple):
    """A memory that a suggestion rests on."""

    ref: str
    text: str


class SynthesisFailedError(Exception):
    """There is no answer, and why: "it took longer than 60 s"."""


class Synthesizer(Protocol):
    """Words what memories have in common. Nothing that it says is believed: use cases check every answer."""

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return a JSON value: `{"text": …, "cites": [ref, …]}`; `SynthesisFailedError` where none came.

        Args:
            sources: what it may use, and cite.
            terms: the words that they share.
        """
