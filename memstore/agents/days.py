"""The days that relative words mean: `yesterday` in what was said on 2026-08-31 is 2026-08-30.

What is captured is read later, when `yesterday` would mean another day. So the day stands beside the word, in brackets.
The words are in `words.toml`.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from memstore.core.word_lists import word_lists
from memstore.files.links import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEK = len(_DAYS)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_AGO = rf"(?P<count>\d{{1,3}}|an?|{'|'.join(_NUMBERS)}) (?P<unit>day|week|month|year)s? ago"
_NEAR = rf"(?P<which>last|this|next) (?P<what>week|month|year|{'|'.join(_DAYS)})"
# Not within names, paths or numbers, nor before a date that is there already.
_BEFORE, _AFTER = r"(?<![\w/@#.-])", r"(?:['’]s)?(?![\w/@’'-]|\.\w| \[\d{4})"


@cache
def _words() -> tuple[re.Pattern[str], Mapping[str, int]]:
    """Return the pattern of all relative words, and by how many days those that name a day differ from today."""
    days = {word: int(by) for by, words in word_lists("agents")["days"].items() for word in words.split("\n") if word}
    named = "|".join(sorted(map(re.escape, days), key=len, reverse=True))
    return re.compile(f"{_BEFORE}(?:(?P<day>{named})|{_AGO}|{_NEAR}){_AFTER}", re.IGNORECASE), days


def dated(text: str, day: date) -> str:
    """Return a text in which relative words have their day beside them, but not in code.

    Args:
        text: what was said.
        day: when, where it was said.
    """
    pattern, days = _words()
    if not pattern.search(text):
        return text
    code = Code(text)

    def with_day(found: re.Match[str]) -> str:
        said = "" if found.start() in code else _absolute_day(found, days, day)
        return f"{found[0]} [{said}]" if said else found[0]

    return pattern.sub(with_day, text)


def _absolute_day(found: re.Match[str], days: Mapping[str, int], day: date) -> str:
    """Return the day, month or year that a relative word means; of a week, its Monday and Sunday."""
    try:
        if found["day"]:
            return (day + timedelta(days=days[found["day"].casefold()])).isoformat()
        if found["unit"]:
            said = found["count"].casefold()
            count = int(said) if said.isdigit() else _NUMBERS.index(said) + 1 if said in _NUMBERS else 1
            return _SPANS[found["unit"].casefold()](day, -count)
        way = {"last": -1, "this": 0, "next": 1}[found["which"].casefold()]
        what = found["what"].casefold()
        return _weekday(day, what, way) if what in _DAYS else _SPANS[what](day, way)
    except (OverflowError, ValueError):
        return ""


def _weekday(day: date, name: str, way: int) -> str:
    """Return the last such day before today, or the next one after it; `this` is the one of this week."""
    ahead = _DAYS.index(name) - day.weekday()
    if way:
        ahead = way * (way * ahead % _WEEK or _WEEK)
    return (day + timedelta(days=ahead)).isoformat()


def _week(day: date, weeks: int) -> str:
    monday = day + timedelta(days=weeks * _WEEK - day.weekday())
    return f"{monday.isoformat()} to {(monday + timedelta(days=_WEEK - 1)).isoformat()}"


def _month(day: date, months: int) -> str:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return f"{day.replace(year=year, month=month + 1, day=1):%Y-%m}"


_SPANS: Mapping[str, Callable[[date, int], str]] = {
    "day": lambda day, days: (day + timedelta(days=days)).isoformat(),
    "week": _week,
    "month": _month,
    "year": lambda day, years: f"{day.year + years:04}",
}
