"""Answers: what kind of answer a question asks for, and whether a text holds one; of English questions only."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import dropwhile, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from memstore.core import terms as analysis
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from memstore.search.matching import Matcher

_Holds = Callable[[str, str], bool]  # of a question and a sentence

_TYPED_WORD = re.compile(r"\w[\w'’]*")
# `And when did she` asks for a time; `what she did when` probably does not.
_FIRST_WORDS = 3


def names_in(query: str) -> set[str]:
    """Return the terms of a query's names: capitalized words other than the first one, no months and no weekdays."""
    named = [found[0] for found in _TYPED_WORD.finditer(query)][1:]
    times = listed(word_lists("core")["times"])
    capital = (word for word in named if word[0].isupper() and word.lower() not in times)
    return {*analysis.terms(" ".join(capital))} - analysis.stop_words()


def names_held(query: str, text: str) -> float:
    """Return the share of a query's names (`names_in`) that occur in a text; 1.0 if the query has none."""
    names = names_in(query)
    return len(names.intersection(analysis.terms(text))) / len(names) if names else 1.0


def answer_to(words: Sequence[str]) -> re.Pattern[str] | None:
    """Return a pattern for the kind of answer that a question asks for: a time for `when`, a number for `how many`.

    None if the (folded) words don't say; only English questions are recognized.
    """
    if "when" in words[:_FIRST_WORDS]:
        return _answers()["times"]
    lists = word_lists("core")
    measured = listed(lists["measured"]) | listed(lists["measured_in_time"])
    return _answers()["numbers"] if any(a == "how" and b in measured for a, b in pairwise(words)) else None


def kind_of_time(words: Sequence[str]) -> str | None:
    """Return the word with which a question asks for a time, `day` in `on which day did`; None if it does not."""
    kinds = listed(word_lists("core")["kinds_of_time"])
    return next((b for a, b in pairwise(words[: _FIRST_WORDS + 1]) if a in ("what", "which") and b in kinds), None)


def holds_time(text: str) -> bool:
    """Whether a text contains a time, in digits or in English words."""
    return _answers()["times"].search(text) is not None


@cache
def _answers() -> dict[str, re.Pattern[str]]:
    lists = word_lists("core")
    signs = {"times": r"\b(?:19|20)\d\d\b|\d(?:st|nd|rd|th)\b|\d ?[ap]m\b|\d:\d\d", "numbers": r"\d"}
    return {
        name: re.compile(rf"{sign}|\b(?:{'|'.join(sorted(listed(lists[name])))})s?\b", re.IGNORECASE)
        for name, sign in signs.items()
    }


# -- what is not there ---------------------------------------------------------------------------


class ShownLines(NamedTuple):
    """What is shown of a memory: its title, date, tags, aliases and headings, and some of its lines."""

    about: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((*self.about, *self.lines))


def lacks_answer(question: str, shown: ShownLines, matcher: "Matcher") -> bool:
    """Whether a question asks for an age, an amount, a time, a number, a name or a colour that is not shown.

    It must be told where the text is about the question's words: the price of something else is no answer. False if
    the question asks for something else.
    """
    holds = _asked_for(question[:_LONGEST_QUESTION])
    return holds is not None and not any(holds(question, one) for one in _to_the_point(shown, matcher))


# What is longer is a text, which asks for nothing by its form.
_LONGEST_QUESTION = 400
_SENTENCE_END = r"(?<=[.!?;])\s+"
# How a line begins that goes on about what the one before it names.
_GOES_ON = r"(?i)\W*(?:he|she|it|they|his|her|its|their|this|that|i|we)\b"
_HEADING = r"#+\s|title:"


def _to_the_point(shown: ShownLines, matcher: "Matcher") -> list[str]:
    """Return the headings with words of the question, the sentences with others of its words, and what goes on.

    If no sentence has any other word, all of them are about what the headings say.
    """
    lines = [line for text in shown.lines for line in text.splitlines() if not line.isspace()]
    headings = [*shown.about, *(line for line in lines if re.match(_HEADING, line))]
    # Each sentence, and whether it goes on from the one before: in the same line, or with a pronoun.
    said = [
        (sentence, at > 0 or re.match(_GOES_ON, sentence) is not None)
        for line in lines
        if not re.match(_HEADING, line)
        for at, sentence in enumerate(re.split(_SENTENCE_END, line))
    ]
    by_heading = _clauses(headings, matcher)
    has_others = [not _clauses([sentence], matcher) <= by_heading for sentence, _ in said]
    if not any(has_others):
        has_others = [True] * len(said)
    to_the_point = [
        sentence
        for (sentence, goes_on), has, had in zip(said, has_others, [False, *has_others], strict=False)
        if has or (goes_on and had)
    ]
    return [*(one for one in headings if matcher.places(one)), *to_the_point]


def _clauses(texts: Iterable[str], matcher: "Matcher") -> set[int]:
    return {clause for text in texts for _, clause in matcher.places(text)}


def _asked_for(question: str) -> _Holds | None:
    """Return whether a sentence holds what a question asks for; None if it asks for nothing that has a form."""
    possible = (kind for kind in kinds() if kind.may_be_asked_for(question))
    return next((kind.holds for kind in possible if re.search(kind.asks, question, re.IGNORECASE)), None)


class AnswerKind(NamedTuple):
    """A kind of answer: texts of which each question for it has one, the pattern of these, and what holds an answer."""

    needs: tuple[str, ...]
    asks: str
    holds: _Holds

    def may_be_asked_for(self, question: str) -> bool:
        """Whether the pattern is worth trying; compiling all of them would take more than a twentieth of a search."""
        folded = question.lower()
        # A letter that is not ASCII may be another case of one that is, like the long s.
        return not folded.isascii() or any(map(folded.__contains__, self.needs))


@cache
def kinds() -> tuple[AnswerKind, ...]:
    """Return the kinds of answers; the first one that a question asks for counts."""
    which, its = r"\b(?:what|which)(?:['’]s)?\b", ("what", "which")
    # `gatehouse port number` asks for it with nouns alone; `who changed the port number` asks for something else.
    nouns = rf"^(?!{_any_of('question_begins')}\b)"
    pay, due, numbered = _any_of("paying"), _any_of("payments"), _any_of("numbered")
    called = r"\bwhat(?:['’]s| (?:is|are|was|were))\b.*\bcalled\b"
    name = "(?:(?:first |last |sur|maiden )?names?)"
    money, year = _sentence_test(_money()), r"\b(?:1[5-9]|20)\d\d\b|\byears? ago\b|\blast year\b"
    often = _sentence_test(rf"\b{_any_of('frequencies')}\b|{_any_of('weekdays')}s\b")
    return (
        AnswerKind(("how old", "what age"), r"\bhow old\b|\bwhat age\b", _sentence_test(_age())),
        AnswerKind(("how much", *its), rf"\bhow much\b.*\b{pay}\b|{which} (?:do|does|did)\b.*\b{pay}\b", money),
        AnswerKind(_each_of("payments"), rf"{nouns}.*\b{due}\b(?:\W*$| (?:of|for|per)\b)", money),
        AnswerKind(("how long",), r"\bhow long\b", _sentence_test(rf"\b{_any_of('durations')}\b|\d ?[a-z]+\b")),
        AnswerKind(("how often",), r"\bhow often\b", often),
        AnswerKind(
            ("how", *its), rf"\bhow {_any_of('measured')}\b|{which} {_any_of('sizes')}\b", _sentence_test(_amount())
        ),
        AnswerKind(_each_of("numbered"), rf"(?:{which}|{nouns}).*\b{numbered}\b", _sentence_test(r"\d(?![.)] )")),
        AnswerKind(("mail",), r"\be-?mail address\b|\be-?mail\W*$", _sentence_test("@")),
        AnswerKind(("year",), rf"{which} year\b", _sentence_test(year)),
        AnswerKind(("called", "name"), rf"{called}|{which}.*\b{name}\b|^(?:the )?names? of\b", _holds_name),
        AnswerKind(its, rf"{which} {_any_of('named')}\b", _holds_name),
        AnswerKind(
            ("colo",), rf"{which} colou?rs?\b|^(?:the )?colou?rs? of\b", _sentence_test(rf"\b{_any_of('colours')}")
        ),
    )


def _each_of(name: str) -> tuple[str, ...]:
    """Return the words of a list, each as it stands in a text."""
    return tuple(word.replace("_", " ") for word in sorted(listed(word_lists("core")[name])))


def _any_of(name: str) -> str:
    """Return a pattern for any word of a list."""
    return f"(?:{'|'.join(_each_of(name))})"


def _sentence_test(pattern: str) -> _Holds:
    """Return whether a sentence holds a pattern, whatever the question; what `no` names in it does not count."""

    def holds(_: str, sentence: str) -> bool:
        # Compiled when a question first asks for it: all of them together take more than a twentieth of a search.
        return any(not found.groupdict().get("no") for found in re.finditer(pattern, sentence, re.IGNORECASE))

    return holds


def _age() -> str:
    number = rf"(?:\d+|{_any_of('numbers')})"
    return (
        rf"(?P<no>\b(?:for|in|after|over|within|last|past|next|than) {number} (?:years?|yrs?))"
        rf"|\b(?:years?|yrs?|months?|weeks?)[- ]old\b|\b(?:aged?|born|birthday|older|younger)\b|\bturn(?:s|ed|ing)?\b"
        rf"|\b{number} ?(?:years?|yrs?|y/o)\b|\b\w+(?:teens|ties)\b|\b(?:is|was) {number}\b|, \d\d?,"
    )


def _amount() -> str:
    return rf"(?P<no>{_name_or_time()})|\d|\b(?:{_any_of('numbers')}|free|no|none|nothing)\b"


def _money() -> str:
    """Return a pattern for sums of money: with a currency, or figures that don't count something else."""
    counted = rf"\b\d[\d.,]* ?(?:%|{_any_of('units')}\b)"
    return rf"(?P<no>{counted}|{_name_or_time()})|[$£€¥]|\d\d|\d\.\d|\b{_any_of('money')}\b"


def _name_or_time() -> str:
    """Return a pattern for the numbers in dates, times, versions and names, which say how much of nothing."""
    month = _any_of("months")
    return (
        r"\d{1,2}:\d\d|\d{4}-\d\d-\d\d|\b\d+(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|\b\d+(?:\.\d+){2,}"
        rf"|\b\d\d? {month}\b|\b{month} \d\d?\b|\b[a-z]+[-_/.:#]\d[\w.-]*|#\d+"
    )


def _holds_name(question: str, sentence: str) -> bool:
    """Whether a sentence holds a capitalized word that the question lacks, other than its first word and `I`."""
    asked = {_bare(found[0]) for found in _TYPED_WORD.finditer(question)} | {"i"}
    words = dropwhile(str.isdigit, (found[0] for found in _TYPED_WORD.finditer(sentence)))
    return any(word[0].isupper() and _bare(word) not in asked for word in islice(words, 1, None))


def _bare(word: str) -> str:
    """Return a word in small letters, without what follows an apostrophe."""
    return re.split("['’]", word.lower(), maxsplit=1)[0]
