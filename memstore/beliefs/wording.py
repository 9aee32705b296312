"""The words of a suggestion: a quotation, or a wording by somebody else that says no more than its sources.

What a text is about, and which of its sentences can be understood without the others, is decided first. Who may word it
better than a quotation does: a command that the user named, or a model of `llm`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memstore.conflicts.statements import statements
from memstore.conflicts.word_lists import (
    ADDRESS,
    AT_ONE_TIME,
    CALENDAR,
    OBLIGATIONS,
    OPENERS,
    POINTERS,
    RULES_BEGIN,
    SMALL_TALK,
    listed,
)
from memstore.core.errors import UsageError
from memstore.core.terms import STOP_WORDS, term_of, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


_DATE = re.compile(r"\d{1,4}(?:[.:]\d{1,4})*(?:st|nd|rd|th|am|pm|h)?")
_SAYING_NOTHING = STOP_WORDS | listed(CALENDAR) | listed(SMALL_TALK)
# By their stems, too: what `make` says no more than, `making` says no more than.
_EMPTY_TERMS = frozenset(map(term_of, listed(SMALL_TALK)))
_ADDRESS, _OBLIGATIONS, _AT_ONE_TIME = listed(ADDRESS), listed(OBLIGATIONS), listed(AT_ONE_TIME)
_OPENERS, _POINTERS, _RULES_BEGIN = listed(OPENERS), listed(POINTERS), listed(RULES_BEGIN)
# A question states nothing.
_QUESTION = re.compile(r"[^.!?\n]*\?")


def content_terms(text: str, names: Collection[str] = ()) -> list[str]:
    """Return what a text is about: the stems of what it states, without small talk, dates and names.

    Args:
        text: any text.
        names: words, folded as `analysis.words` folds them.
    """
    return [
        term
        for word in words(_QUESTION.sub(" ", text))
        if len(word) > 1 and word not in _SAYING_NOTHING and word not in names and not _DATE.fullmatch(word)
        if (term := term_of(word)) not in _EMPTY_TERMS
    ]


def stands_alone(sentence: str) -> bool:
    """Whether a sentence can be understood where nothing stands before it, and tells what is so.

    What begins with `it` or `that` points at something that was said before. What is said to somebody (`you`, `thanks`)
    tells nothing lasting of whom the memory is about, unless it is a rule (`you must`, `never ask`).
    """
    said = words(sentence)
    first = next((word for word in said if word not in _OPENERS), "")
    is_rule = first in _RULES_BEGIN or not _OBLIGATIONS.isdisjoint(said)
    return bool(first) and first not in _POINTERS and (is_rule or _ADDRESS.isdisjoint(said))


def denies(sentence: str) -> bool:
    """Whether a sentence denies something: `no test failed`, `nobody deletes backups`."""
    return any(statement.negations for statement in statements(sentence))


def is_lasting(sentence: str) -> bool:
    """Whether a sentence tells of no one time: what happened yesterday is an event, and no belief."""
    return _AT_ONE_TIME.isdisjoint(words(sentence))


# -- a wording, checked ----------------------------------------------------------------------------


MOST_WORDS = 30
FEWEST_TERMS = 2  # one word in common is no pattern: docs/consolidation.md, "Gates"

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
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


def best_worth(text: str, terms: Collection[str]) -> Worth | None:
    """Return how well the best sentence of a text may stand for what has these terms; None where no sentence may."""
    found = min((worth(one, terms) for one in sentences(text)), default=None)
    return None if found is None or found.needs_others or found.few_terms else found


def closest(text: str, terms: Collection[str]) -> str:
    """Return the sentence of a text that may best stand for what has these terms; empty where there is none."""
    return min(sentences(text), key=lambda one: worth(one, terms), default="")


def quotation(passages: Iterable[tuple[str, int, int]], terms: Collection[str]) -> Quotation | None:
    """Return the sentence that may best stand for these terms, of equals the shortest, then the first.

    None where there is no text.

    Args:
        passages: text, first and last line of each.
        terms: what is to be said.
    """
    found = [
        (worth(sentence, terms), len(sentence), at, Quotation(sentence, first, last))
        for at, (text, first, last) in enumerate(passages)
        for sentence in sentences(text)
    ]
    return min(found, key=lambda ranked: ranked[:3])[3] if found else None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line."""
    return [sentence for part in _SENTENCE.split(text) if (sentence := " ".join(part.split()))]


def said_by(answer: Any) -> Wording | str:
    """Return the wording that a JSON answer holds, or what is wrong with its form."""
    match answer:
        case {"text": str(text), "cites": [*cites]} if text.strip() and all(isinstance(ref, str) for ref in cites):
            return Wording(" ".join(text.split()), tuple(str(ref) for ref in cites))
        case _:
            return 'it is not {"text": "…", "cites": ["type:id", …]}'


def objection(wording: Wording, sources: Mapping[str, str]) -> str | None:
    """Return why a wording can't stand for its sources; None where it can.

    Args:
        wording: the words and what they cite.
        sources: the texts that it was made of, by ref.
    """
    count = len(wording.text.split())
    if count > MOST_WORDS:
        return f"it has {count} words, and may have {MOST_WORDS}"
    outside = sorted(set(wording.cites) - set(sources))
    if outside or not wording.cites:
        return f"it cites {outside[0]}, which is no source of it" if outside else "it cites nothing"
    strange = strangers(wording.text, sources.values())
    return f"no source names {strange[0]}" if strange else None


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
    return all(part in known or term_of(part) in known or part in STOP_WORDS for part in words(name))


# -- synthesizers ----------------------------------------------------------------------------------


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


# -- a command, or a model -------------------------------------------------------------------------


TIME_LIMIT_SECONDS = 60.0
MOST_BYTES = 64 * 1024
MODEL = "llm:"
_PROMPT = (
    "Say in one sentence of at most 30 words what these memories have in common. Name nothing that they don't name. "
    'Answer with JSON alone: {"text": "…", "cites": ["ref", …]}, citing the refs that say so.\n\n'
)


def synthesizer(named: str, *, time_limit_seconds: float = TIME_LIMIT_SECONDS) -> Synthesizer:
    """Return who is named: `llm:` and a model of the `llm` package, or a command line.

    Raises:
        UsageError: it is no command line, or the package is missing.
    """
    if named.startswith(MODEL):
        return LanguageModel(named.removeprefix(MODEL))
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise UsageError(f"{named!r} is no command line: {error}", hint="quote it as in a shell") from error
    if not words:
        raise UsageError("no command is named", hint='--with "my-program --fast"')
    return SynthesizerCommand(words, time_limit_seconds=time_limit_seconds)


class SynthesizerCommand:
    """A program that reads `{"sources": [{"ref", "text"}], "terms": […]}` and writes `{"text", "cites"}`, all JSON.

    No shell is between.

    Args:
        words: the program and its arguments.
        time_limit_seconds: after so long it is stopped, with all that it started; > 0.
    """

    def __init__(self, words: Sequence[str], *, time_limit_seconds: float) -> None:
        self._words = words
        self._limit = time_limit_seconds

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return what it wrote; `SynthesisFailedError` where that is no JSON, or nothing came."""
        asked = json.dumps({"sources": [source._asdict() for source in sources], "terms": list(terms)})
        return _parsed(self._said(asked.encode()))

    def _said(self, asked: bytes) -> bytes:
        try:
            child = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SynthesisFailedError(f"{self._words[0]} can't be started: {error.strerror}") from error
        with child:
            try:
                said, _ = child.communicate(asked, timeout=self._limit)
            except subprocess.TimeoutExpired as error:
                raise SynthesisFailedError(f"{self._words[0]} took longer than {self._limit:g} s") from error
            finally:
                # What it started holds its pipes open, and would keep us waiting.
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
        if child.returncode:
            raise SynthesisFailedError(f"{self._words[0]} ended with {child.returncode}")
        return said


class LanguageModel:
    """A model of the `llm` package, which the user has set up.

    Args:
        name: the model; empty for the user's default.
    """

    def __init__(self, name: str) -> None:
        try:
            import llm
        except ImportError as error:
            raise UsageError("the llm package is not installed", hint='pip install "memstore[llm]"') from error
        try:
            self._model: Any = llm.get_model(name or None)
        except llm.UnknownModelError as error:
            raise UsageError(f"llm knows no model {name!r}", hint="llm models lists them") from error

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return what it wrote; `SynthesisFailedError` where that is no JSON, or nothing came."""
        told = "\n".join(f"{source.ref}: {source.text}" for source in sources)
        try:
            said = str(self._model.prompt(f"{_PROMPT}{told}\n\nThey share: {', '.join(terms)}").text())
        except Exception as error:  # whatever a plugin raises, there is no answer
            raise SynthesisFailedError(f"the model failed: {error}") from error
        return _parsed(said.encode())


def _parsed(said: bytes) -> Any:
    if len(said) > MOST_BYTES:
        raise SynthesisFailedError(f"the answer has {len(said):,} bytes")
    try:
        return json.loads(said)
    except ValueError as error:
        raise SynthesisFailedError("the answer is no JSON") from error
