"""Values in memories that may change: numbers, times of day, weekdays, names."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.wording import MOST_WORDS, content_terms, sentences
from memstore.conflicts.frames import frames
from memstore.conflicts.quantities import CARDINALS, Scale
from memstore.core.terms import words
from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.beliefs.pooled import Pooled
    from memstore.beliefs.topics import Signs

DURATION = "time"  # the name of the unit kind for seconds in `conflicts.quantities`
NAME = "name"
_NUMBER, _WEEKDAY = "number", "weekday"
# Small numbers count all sorts of things; a number from here on is taken to be an exact value.
SMALLEST_VALUE = 10
FARTHEST = 4  # a value is replaced by one that is at most so many times as high
_HOURS_OF_A_DAY = 24
_QUARTERS = 4


class Value(NamedTuple):
    """A number, a time of day in hours, a weekday or a name; a value may be replaced by another of the same kind."""

    kind: str
    of: float | str

    @property
    def says_of_what(self) -> bool:
        """Whether it tells by itself what it is a value of, as a name or 442 does; seven and Monday do not."""
        if self.kind in (DURATION, _WEEKDAY):
            return False
        return isinstance(self.of, str) or self.of >= _HOURS_OF_A_DAY or self.of * _QUARTERS % 1 > 0


def are_far_apart(old: Value, new: Value) -> bool:
    """Whether one number is so much higher than the other that they are numbers of different things."""
    if isinstance(old.of, str) or isinstance(new.of, str):
        return False
    low, high = sorted((abs(old.of), abs(new.of)))
    return high > FARTHEST * low


def values_in(one: Pooled, signs: Signs) -> Iterator[tuple[Value, str]]:
    """Yield the values in a memory, each with the sentence that contains it."""
    for sentence in sentences(one.text):
        if len(sentence.split()) > MOST_WORDS:
            continue
        for term in content_terms(sentence):
            if term in signs.names and term in signs.of[one.ref]:
                yield Value(NAME, term), sentence
        yield from ((Value(_WEEKDAY, day), sentence) for day in _weekdays(sentence))
        if _may_count(sentence):
            yield from ((value, sentence) for value in _numbers(sentence))
        yield from ((Value(_NUMBER, hours), sentence) for hours in times_of_day(sentence))


_COUNTS = re.compile(r"\d")
# People write `the rent is 890` as well as `£890`.
_MONEY = dict.fromkeys(("dollars", "euros", "pounds sterling"), _NUMBER)


@cache
def _numerals() -> frozenset[str]:
    return frozenset(word_lists("beliefs")["measures"].split())


def _may_count(sentence: str) -> bool:
    return _COUNTS.search(sentence) is not None or not _numerals().isdisjoint(words(sentence))


def _numbers(sentence: str) -> Iterator[Value]:
    for frame in frames(sentence):
        for token in frame.tokens:
            if token.value is None or (number := token.value.parts[0]) is None:
                continue
            match token.value.scale:
                case Scale.CLOCK:
                    yield Value(_NUMBER, number / 60)
                case Scale.CARDINAL | Scale.MEASURE if number >= SMALLEST_VALUE or number % 1:
                    yield Value(_MONEY.get(token.value.of, token.value.of) or _NUMBER, number)


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _weekdays(sentence: str) -> list[str]:
    said = words(sentence)
    return [day for day in _WEEKDAYS if day in said or f"{day}s" in said]


# -- times of day as people say them -----------------------------------------------------------------


_NOON = 12
_HOURS = {word: hour for word, hour in CARDINALS.items() if 1 <= hour <= _NOON and "-" not in word and word != "dozen"}
_PARTS = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25, "twenty five": 25}
_SPOKEN = re.compile(
    rf"\b(?:(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})(?: (?P<side>past|after|to|before))? )?"
    rf"(?P<hour>[1-9]|1\d|2[0-3]|{'|'.join(_HOURS)})\b(?P<sharp> o'clock| sharp)?"
)
_DOTTED = re.compile(r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?![\d.]*\d)")


def times_of_day(sentence: str) -> Iterator[float]:
    """Yield the times of day in a sentence, in hours, that look like other numbers: `twenty past seven`, `7.20`."""
    for found in _SPOKEN.finditer(sentence.lower().replace("’", "'")):
        part, side = found["part"], found["side"]
        hour = float(_HOURS.get(found["hour"]) or found["hour"])
        if part is None:
            if found["sharp"]:
                yield hour
        elif side in ("to", "before"):
            yield hour - _PARTS[part] / 60
        elif side or part == "half":
            yield hour + _PARTS[part] / 60
    for found in _DOTTED.finditer(sentence):
        yield int(found["hour"]) + int(found["minute"]) / 60
