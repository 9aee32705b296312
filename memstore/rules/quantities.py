"""Quantities: numbers, measures, dates and times of day in a text, in one form that can be compared."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.rules import number_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# As far apart two measures may lie and still be one, rounded: 5 km and 3.1 miles.
SAME_WITHIN = 0.02

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

# What a unit measures, and how many of its base unit it is.
_UNITS = {
    **dict.fromkeys(("mm", "millimeter", "millimetre"), ("length", 0.001)),
    **dict.fromkeys(("cm", "centimeter", "centimetre"), ("length", 0.01)),
    **dict.fromkeys(("m", "meter", "metre"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometer", "kilometre"), ("length", 1000.0)),
    **dict.fromkeys(("inch", "inches"), ("length", 0.0254)),
    **dict.fromkeys(("ft", "foot", "feet"), ("length", 0.3048)),
    **dict.fromkeys(("mile", "mi"), ("length", 1609.344)),
    **dict.fromkeys(("mg", "milligram"), ("mass", 0.001)),
    **dict.fromkeys(("g", "gram"), ("mass", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilogram"), ("mass", 1000.0)),
    **dict.fromkeys(("lb", "lbs", "pound"), ("mass", 453.592)),
    **dict.fromkeys(("oz", "ounce"), ("mass", 28.3495)),
    **dict.fromkeys(("ton", "tonne"), ("mass", 1e6)),
    **dict.fromkeys(("ml", "milliliter", "millilitre"), ("volume", 0.001)),
    **dict.fromkeys(("l", "liter", "litre"), ("volume", 1.0)),
    **dict.fromkeys(("gallon",), ("volume", 3.78541)),
    **dict.fromkeys(("ms", "millisecond"), ("time", 0.001)),
    **dict.fromkeys(("s", "sec", "second"), ("time", 1.0)),
    **dict.fromkeys(("min", "minute"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("time", 3600.0)),
    **dict.fromkeys(("day",), ("time", 86400.0)),
    **dict.fromkeys(("week",), ("time", 604800.0)),
    **dict.fromkeys(("month",), ("months", 1.0)),
    **dict.fromkeys(("year",), ("months", 12.0)),
    **dict.fromkeys(("kb", "kib"), ("data", 1e3)),
    **dict.fromkeys(("mb", "mib"), ("data", 1e6)),
    **dict.fromkeys(("gb", "gib"), ("data", 1e9)),
    **dict.fromkeys(("tb", "tib"), ("data", 1e12)),
    **dict.fromkeys(("%", "percent"), ("percent", 1.0)),
    **dict.fromkeys(("$", "dollar", "usd"), ("dollars", 1.0)),
    **dict.fromkeys(("€", "euro", "eur"), ("euros", 1.0)),
    **dict.fromkeys(("£", "gbp"), ("pounds sterling", 1.0)),
    **dict.fromkeys(("°c", "celsius"), ("degrees celsius", 1.0)),
    **dict.fromkeys(("°f", "fahrenheit"), ("degrees fahrenheit", 1.0)),
}
# All words that may be, or belong to, a number, a measure or a date.
WORDS = frozenset(
    {
        *number_words.CARDINALS,
        *number_words.ORDINALS,
        *_UNITS,
        *(f"{unit}s" for unit in _UNITS),
        *MONTHS,
        *(month[:3] for month in MONTHS),
    }
)

_MONTH = "|".join(month if month == "may" else f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_PATTERN = re.compile(
    rf"""
    (?P<iso>\b\d{{4}}-\d\d(?:-\d\d)?\b(?:t[\d:.]+z?)?)
    | \b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\ of)?\ (?P<month>{_MONTH})\b\.?(?:,?\ (?P<year>\d{{4}})\b)?
    | \b(?P<month2>{_MONTH})\.?\ (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\ (?P<year2>\d{{4}})\b)?
    | \b(?P<month3>{_MONTH})\.?,?\ (?P<year3>(?:19|20)\d\d)\b
    | \b(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))?\ ?(?P<half>[ap])\.?m\b\.?
    | \b(?P<hour2>\d{{1,2}}):(?P<minute2>\d\d)\b
    | (?P<minus>(?<![\w.])[-−])?(?P<money>[$€£])\ ?(?P<sum>{_NUMBER})(?P<times>[km]\b)?
    | \b(?P<ordinal>\d+)(?:st|nd|rd|th)\b
    | (?<![\w.])(?P<number>[-−]?{_NUMBER})(?:[ -]?(?P<unit>%|°[cf]|[a-z]+))?(?![\w.]*\d)
    """,
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")


class Scale(Enum):
    """On what two values may be compared."""

    CARDINAL = "numbers"
    ORDINAL = "ordinals"
    MEASURE = "units"
    DATE = "dates"
    CLOCK = "times of day"


class Quantity(NamedTuple):
    """A number on a scale: `parts` are (value,), or year, month, day of a date; None for those it does not say.

    `of` is what a measure measures (`length`), in whose base unit the value is.
    """

    scale: Scale
    parts: tuple[float | None, ...]
    of: str = ""


def has_digit(text: str) -> bool:
    """Whether a text has a number that is written with digits."""
    return _DIGIT.search(text) is not None


def found_in(text: str) -> Iterator[tuple[Quantity, int, int]]:
    """Yield the quantities that are written with digits in a folded text, and where each begins and ends there."""
    at = 0
    while _DIGIT.search(text, at) and (found := _PATTERN.search(text, at)):
        value, at = _of_match(found)
        yield value, found.start(), at


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are values of one thing, equal or not."""
    return (
        one.scale is other.scale
        and one.of == other.of
        and any(a is not None and b is not None for a, b in zip(one.parts, other.parts, strict=False))
    )


def equal(one: Quantity, other: Quantity) -> bool:
    """Whether two comparable quantities are the same as far as both say; measures may be rounded."""
    within = SAME_WITHIN if one.scale is Scale.MEASURE else 0.0
    pairs = zip(one.parts, other.parts, strict=False)
    return all(a is None or b is None or abs(a - b) <= within * max(abs(a), abs(b)) for a, b in pairs)


def _of_match(found: re.Match[str]) -> tuple[Quantity, int]:
    """Return the quantity that the pattern found, and where it ends."""
    said = found.groupdict()
    if not said["number"]:
        return _date_of(said) or _clock(said) or _sum_or_ordinal(said), found.end()
    value = number(said["number"])
    unit = _unit(said["unit"])
    if unit is None:
        return Quantity(Scale.CARDINAL, (value,)), found.end("number")
    return Quantity(Scale.MEASURE, (value * unit[1],), unit[0]), found.end()


def measured(value: Quantity, unit_word: str) -> Quantity | None:
    """Return a number with the unit that follows it (`two miles`); None where the word is no unit."""
    unit = _unit(unit_word)
    if unit is None or value.scale is not Scale.CARDINAL or value.parts[0] is None:
        return None
    return Quantity(Scale.MEASURE, (value.parts[0] * unit[1],), unit[0])


def of_words(first: str | Quantity, following: Sequence[str | Quantity]) -> tuple[Quantity, int] | None:
    """Return the number that a piece of a text begins, in words (`two hundred`) or not (`5 million`, `third`).

    With it comes how many of the pieces after it belong to it. None where it begins no number.
    """
    if isinstance(first, Quantity):
        return _in_millions(first, following[0] if following else "")
    if first in number_words.ORDINALS:
        return Quantity(Scale.ORDINAL, (number_words.ORDINALS[first],)), 0
    if first not in number_words.CARDINALS:
        return None
    value, more = number_words.joined(first, following)
    return Quantity(Scale.CARDINAL, (value,)), more


# What may stand before `million`: a bare number, or a sum of money.
_MONEY = frozenset(_UNITS[sign][0] for sign in "$€£")


def _in_millions(value: Quantity, after: str | Quantity) -> tuple[Quantity, int]:
    times = number_words.SCALES.get(after) if isinstance(after, str) else None
    if times is None or value.parts[0] is None or not (value.scale is Scale.CARDINAL or value.of in _MONEY):
        return value, 0
    return value._replace(parts=(value.parts[0] * times,)), 1


def number(text: str) -> float:
    """Return the number that digits say, with its sign; commas part thousands."""
    return float(text.replace(",", "").replace("−", "-"))


def as_year(value: Quantity) -> Quantity | None:
    """Return the year that a bare number may be; None where it is none of our days."""
    year = value.parts[0]
    is_year = value.scale is Scale.CARDINAL and year is not None and year in range(1900, 2100)
    return Quantity(Scale.DATE, (year, None, None)) if is_year else None


def _date_of(said: dict[str, str | None]) -> Quantity | None:
    if said["iso"]:
        year, month, *day = (float(part) for part in said["iso"][:10].split("-"))
        return Quantity(Scale.DATE, (year, month, day[0] if day else None))
    for suffix in ("", "2", "3"):
        if month_name := said[f"month{suffix}"]:
            at = next(at for at, name in enumerate(MONTHS, 1) if name.startswith(month_name[:3]))
            parts = (said.get(f"year{suffix}"), str(at), said.get(f"day{suffix}"))
            return Quantity(Scale.DATE, tuple(float(part) if part else None for part in parts))
    return None


def _clock(said: dict[str, str | None]) -> Quantity | None:
    hour_said = said["hour"] or said["hour2"]
    if hour_said is None:
        return None
    hour, minute = float(hour_said), float(said["minute"] or said["minute2"] or 0)
    if said["half"]:
        hour = hour % 12 + (12 if said["half"] == "p" else 0)
    return Quantity(Scale.CLOCK, (hour * 60 + minute,))


def _sum_or_ordinal(said: dict[str, str | None]) -> Quantity:
    if said["ordinal"]:
        return Quantity(Scale.ORDINAL, (float(said["ordinal"]),))
    value = number(said["sum"] or "0") * {"k": 1e3, "m": 1e6}.get(said["times"] or "", 1.0)
    value = -value if said["minus"] else value
    return Quantity(Scale.MEASURE, (value,), _UNITS[said["money"] or "$"][0])


def _unit(word: str | None) -> tuple[str, float] | None:
    if not word:
        return None
    return _UNITS.get(word) or _UNITS.get(word.removesuffix("s"))
