"""The words of a suggestion: a quotation, or a wording by a synthesizer that says no more than its sources.

The first part finds out what a text is about, and which of its sentences can be understood alone. A `Synthesizer` may
find better words than a quotation; its answers are checked here.
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
# A title, which ends without a full stop, is not joined to the sentence after it.
_ENDED = re.compile(r"[.!?…][\"'”’)\]]*$")
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
    """Return the stems of small talk, so `making` counts as small talk just as `make` does."""
    return frozenset(map(term_of, _words_of("small_talk")))


def told_words(text: str) -> list[str]:
    """Return the words of a text without its questions, which state nothing."""
    return words(_QUESTION.sub(" ", text))


def content_terms(text: str, names: Collection[str] = ()) -> list[str]:
    """Return the terms that a text is about: the stems of its statements, without small talk, dates and names.

    Args:
        text: any text.
        names: words to leave out, folded as by `analysis.words`.
    """
    nothing, empty_terms = _saying_nothing(), _empty_terms()
    return [
        term
        for word in told_words(text)
        if len(word) > 1 and word not in nothing and word not in names and not _DATE.fullmatch(word)
        if (term := term_of(word)) not in empty_terms
    ]


def stands_alone(text: str) -> bool:
    """Whether one or more sentences state something that can be understood without the text before them.

    A sentence that begins with `it` or `that` points at something said before, as do `those dreams`, and `him` before
    anybody is named; one that begins with `because` or `anyway` continues it, and `this afternoon` needs a date. Words
    addressed to somebody (`you`, `thanks`) say nothing lasting about the subject, unless they are a rule (`you must`,
    `never ask`).
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


# `You must be tired` is a guess; `you must run the tests` is a rule.
_GUESSED = frozenset(["be", "have", "feel"])


@cache
def _rule_beginnings() -> tuple[list[str], ...]:
    return tuple([word] for word in _words_of("rules_begin"))


def _points_back(said: Sequence[str]) -> Iterator[bool]:
    """Yield whether a word points back at something: `those dreams`, `of that place`, or `it` at the end."""
    yield said[-1:] == ["it"]
    for before, one, after in zip(["of", *said], said, said[1:], strict=False):
        is_one = one in _words_of("demonstratives") or (one == "that" and before in stop_words())
        yield is_one and after not in stop_words()


_FEWEST_WORDS = 3
_FEWEST_NAMED = 2


def _dangles(said: Sequence[str]) -> bool:
    """Whether a pronoun refers to somebody or something not named before it: `I was wrong about him`."""
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
    """Whether a text states something lasting: what happened yesterday is an event, not a belief."""
    said = words(text)
    if not _words_of("habits").isdisjoint(said):
        return _words_of("at_one_time").isdisjoint(said)
    tells = frame(text)
    return _words_of("at_one_time").isdisjoint(said) and tells.verb is not None and not tells.is_past


@cache
def outright_words() -> re.Pattern[str]:
    """Return a pattern, for folded words, that matches phrases which state outright that something has changed."""
    phrases = [re.escape(one.replace("_", " ")) for one in _words_of("outright")]
    no_more = r"(?:not|never|nor|no|\w+n't)\b.{1,40}\bany ?more"
    is_now = r"(?:is|are|am|\w+'(?:s|re|m)) .{1,40} now$"
    from_then = r"from (?:next |this )?\w+day on(?:wards)?"
    has_begun = r"(?:has|have|\w+'(?:s|ve)) (?:just |now )?(?:started|begun|taken to) \w+ing"
    after_years = r"first (?:\w+ ){0,2}in (?:\w+ ){0,2}years"
    patterns = (no_more, is_now, from_then, has_begun, after_years)
    return re.compile(rf"\b(?:{'|'.join((*sorted(phrases), *patterns))})\b")


def says_outright(text: str) -> bool:
    """Whether a text states outright that something has changed."""
    return outright_words().search(" ".join(words(text))) is not None


# -- a wording, checked ----------------------------------------------------------------------------


MOST_WORDS = 30
FEWEST_TERMS = 2  # one common word is not a pattern: docs/consolidation.md, "Gates"

_WORD = re.compile(r"[\w][\w'’.-]*")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A verbatim quotation from a memory; lines are those of its file, from 1, inclusive."""

    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Wording:
    """A synthesizer's wording: the words, and the refs of the memories that they rest on."""

    text: str
    cites: tuple[str, ...]


class Worth(NamedTuple):
    """How well a sentence represents shared terms; smaller is better.

    The best sentence can be understood alone, has two of the terms, is not about a single time, and has most of them.
    """

    needs_others: bool
    few_terms: bool
    of_one_time: bool
    terms: int


def worth(sentence: str, terms: Collection[str]) -> Worth:
    """Return how well a sentence represents these terms."""
    shared = len(set(content_terms(sentence)).intersection(terms))
    return Worth(not stands_alone(sentence), shared < FEWEST_TERMS, not is_lasting(sentence), -shared)


class Likely(NamedTuple):
    """How well a sentence represents a topic; smaller is better: like `Worth`, but habits come before events."""

    needs_others: bool
    few_terms: bool
    of_one_time: bool
    no_habit: bool
    shared: int
    length: int


def likely_belief(sentence: str, own: Collection[str], counts: Mapping[str, int]) -> Likely:
    """Return how well a sentence represents a topic.

    Args:
        sentence: any sentence.
        own: the terms of the topic; the sentence must have one of them, and another term.
        counts: for each term, how many memories of the topic have it.
    """
    said = set(content_terms(sentence))
    no_habit = _words_of("habits").isdisjoint(words(sentence))
    shared = sum(counts[term] - 1 for term in said if term in counts)
    few = said.isdisjoint(own) or len(said) < FEWEST_TERMS
    return Likely(not stands_alone(sentence), few, not is_lasting(sentence), no_habit, -shared, len(sentence))


def best_worth(text: str, terms: Collection[str]) -> Worth | None:
    """Return how well the best sentence of a text represents these terms; None if no sentence does."""
    found = min((worth(one, terms) for one in sayings(text)), default=None)
    return None if found is None or found.needs_others or found.few_terms else found


def closest(text: str, terms: Collection[str]) -> str:
    """Return the sentence of a text that best represents these terms; empty if there is none."""
    return min(sayings(text), key=lambda one: worth(one, terms), default="")


def located(passages: Iterable[tuple[str, int, int]], quote: str) -> Quotation | None:
    """Return a quotation with the lines of the passage that contains it; None if no passage does.

    Args:
        passages: text, first and last line of each.
        quote: the quoted words, on one line.
    """
    known = list(passages)
    every = [("\n".join(text for text, _, _ in known), known[0][1], known[-1][2])] if known else []
    found = ((first, last) for text, first, last in [*known, *every] if quote in " ".join(text.split()))
    lines = next(found, None)
    return Quotation(quote, *lines) if lines else None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line; blank lines separate them, and table rows are left out."""
    parts = (part for block in text.split("\n\n") for part in split_sentences(block))
    return [sentence for part in parts if (sentence := " ".join(part.split())) and " | " not in sentence]


def sayings(text: str) -> list[str]:
    """Return possible quotations: sentences, those that need the one before with it, and the whole text if short."""
    found = sentences(text)
    ended = [one for one in found if _ENDED.search(one)]
    both = (
        f"{before} {one}"
        for before, one in pairwise(found)
        if before in ended and not stands_alone(one) and stands_alone(before)
    )
    said = [*found, *both, *([" ".join(ended)] if len(ended) > 1 else [])]
    return list(dict.fromkeys(one for one in said if one in found or len(one.split()) <= MOST_WORDS))


def quotable(text: str) -> list[str]:
    """Return the whole text if it is short and stands alone, as its sentences belong together; else all sayings."""
    whole = " ".join([one for one in sentences(text) if _ENDED.search(one)])
    return [whole] if len(whole.split()) <= MOST_WORDS and stands_alone(whole) else sayings(text)


def said_by(answer: Any) -> Wording | str:
    """Return the wording in a JSON answer, or a text that says what is wrong with its form."""
    match answer:
        case {"text": str(text), "cites": [*cites]} if text.strip() and all(isinstance(ref, str) for ref in cites):
            return Wording(" ".join(text.split()), tuple(str(ref) for ref in cites))
        case _:
            return 'it is not {"text": "…", "cites": ["type:id", …]}'


def objection(wording: Wording, sources: Mapping[str, str], *, against: Collection[str] = ()) -> str | None:
    """Return why a wording does not represent its sources; None if it does.

    Args:
        wording: the words and what they cite.
        sources: the texts that it was made from, by ref.
        against: the refs of sources that say the opposite of the others; the wording may contradict these.
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
    """Return the names and numbers in a text that no source has: words with a capital letter or a digit.

    A sentence's first word is always capitalized; it still counts as a name unless the sources have it, or a word with
    its stem.
    """
    known_words = {word for source in sources for word in words(source)}
    known = known_words | {term_of(word) for word in known_words}
    return [name for name in _names(text) if not _is_known(name, known)]


def _names(text: str) -> Sequence[str]:
    return [word for word in _WORD.findall(text) if any(letter.isupper() or letter.isdigit() for letter in word)]


def _is_known(name: str, known: Collection[str]) -> bool:
    return all(part in known or term_of(part) in known or part in stop_words() for part in words(name))


# -- synthesizers ----------------------------------------------------------------------------------


class QuotedSource(NamedTuple):
    """A memory that a suggestion rests on."""

    ref: str
    text: str


class SynthesisFailedError(Exception):
    """A synthesizer gave no answer; the message says why, like "it took longer than 60 s"."""


class Synthesizer(Protocol):
    """Puts into words what memories have in common. Its answers are never trusted: use cases check each one."""

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return a JSON value: `{"text": …, "cites": [ref, …]}`; raise `SynthesisFailedError` if there is no answer.

        Args:
            sources: the memories that it may use and cite.
            terms: the words that they share.
        """
