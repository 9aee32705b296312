"""Quantities: numbers, measures, dates and times of day in a text, in a form that can be compared.

Numbers may be words: `ninety`, `twenty-one`, `two hundred and five`, `three thousand`, `two dozen`.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905 - a list of words reads best as words
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905
_ROUND_ORDINALS = "thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split()  # noqa: SIM905

_HUNDRED, _DOZEN = 100.0, 12.0
SCALES = {"hundred": _HUNDRED, "dozen": _DOZEN, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_TENS_OF = {word: 10.0 * at for at, word in enumerate(_TENS, 2)}
CARDINALS = (
    {word: float(at) for at, word in enumerate(_ONES)}
    | _TENS_OF
    | {f"{ten}-{_ONES[one]}": tens + one for ten, tens in _TENS_OF.items() for one in range(1, 10)}
    | SCALES
)
ORDINALS = (
    {word: float(at) for at, word in enumerate(_ORDINALS, 1)}
    | {word: 10.0 * at for at, word in enumerate(_ROUND_ORDINALS, 3)}
    | {f"{ten}-{_ORDINALS[one - 1]}": tens + one for ten, tens in _TENS_OF.items() for one in range(1, 10)}
)


def joined(first: str, following: Sequence[object]) -> tuple[float, int]:
    """Return the number that begins with a number word, and how many of the words after it belong to it.

    Adjacent numbers that don't form one number stay separate: `one two three`, `nine thirty`.
    """
    said = _Spelled(first)
    taken = 0
    while taken < len(following):
        # `and` is allowed only after a hundred or a thousand.
        after_and = following[taken] == "and" and said.room >= _HUNDRED
        at = taken + after_and
        if at >= len(following) or not said.take(str(following[at]), after_and=after_and):
            break
        taken = at + 1
    if tuple(following[taken : taken + 3]) == ("and", "a", "half"):
        return said.value + 0.5, taken + 3
    return said.value, taken


class _Spelled:
    """A number being assembled: the thousands and above, the rest, and the limit of what may still be added."""

    def __init__(self, first: str) -> None:
        self._thousands, self._rest, self._least_scale = 0.0, 0.0, float("inf")
        self.room = float("inf")
        if first in SCALES:  # `a hundred`
            self._rest, self.room = 1.0, 0.0
        self.take(first, after_and=False)

    @property
    def value(self) -> float:
        return self._thousands + self._rest

    def take(self, word: str, *, after_and: bool) -> bool:
        """Add the next word; return False if it does not belong to the number."""
        if word in SCALES:
            return not after_and and self._scale(SCALES[word])
        small = CARDINALS.get(word)
        if small is None or small >= self.room or (small == 0 and self.value):
            return False
        self._rest += small
        self.room = 10.0 if word in _TENS_OF else 0.0
        return True

    def _scale(self, scale: float) -> bool:
        if scale <= _HUNDRED:
            fits = 0 < self._rest < _HUNDRED and (scale == _HUNDRED or not self._thousands)
            self._rest *= scale if fits else 1.0
            self.room = _HUNDRED if scale == _HUNDRED else 0.0
            return fits
        if self._rest <= 0 or scale >= self._least_scale:
            return False
        self._thousands += self._rest * scale
        self._rest, self._least_scale, self.room = 0.0, scale, _HUNDRED
        return True


# -- quantities ------------------------------------------------------------------------------------


# The relative difference up to which two measures count as equal, because of rounding: 5 km and 3.1 miles.
SAME_WITHIN = 0.02

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

# Measures with several units, which are rounded when one is converted to another.
_ROUNDED = frozenset({"length", "mass", "volume", "time", "months", "data"})
# For each unit, what it measures, and its value in the base unit.
_UNITS = {
    **dict.fromkeys(("mm", "millimeter", "millimetre"), ("length", 0.001)),
    **dict.fromkeys(("cm", "centimeter", "centimetre"), ("length", 0.01)),
    **dict.fromkeys(("m", "meter", "metre"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometer", "kilometre"), ("length", 1000.0)),
    **dict.fromkeys(("inch", "inches"), ("length", 0.0254)),
    **dict.fromkeys(("ft", "foot", "feet"), ("length", 0.3048)),
    **dict.fromkeys(("mile", "mi"), ("length", 1609.344)),
    **dict.fromkeys(("mcg", "µg", "μg", "microgram"), ("mass", 1e-6)),
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
    **dict.fromkeys(("kbit", "kbps"), ("bandwidth", 1e3)),
    **dict.fromkeys(("mbit", "mbps"), ("bandwidth", 1e6)),
    **dict.fromkeys(("gbit", "gbps"), ("bandwidth", 1e9)),
    **dict.fromkeys(("w", "watt"), ("power", 1.0)),
    **dict.fromkeys(("kw", "kilowatt"), ("power", 1000.0)),
    **dict.fromkeys(("hectare",), ("area", 1.0)),
    **dict.fromkeys(("acre",), ("area", 0.404686)),
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
# All words that may be part of a number, a measure or a date.
WORDS = frozenset(
    {
        *CARDINALS,
        *ORDINALS,
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
    (?P<phone>(?<![\w.,-])(?:\+\d|0)\d{{1,4}}(?:[ -]\d{{2,4}}){{2,4}}(?![\w.,-]*\d))
    | (?P<iso>\b\d{{4}}-\d\d(?:-\d\d)?\b(?:t[\d:.]+z?)?)
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
    """The scale on which two values can be compared."""

    CARDINAL = "numbers"
    ORDINAL = "ordinals"
    MEASURE = "units"
    DATE = "dates"
    CLOCK = "times of day"


class Quantity(NamedTuple):
    """A number on a scale: `parts` is (value,), or (year, month, day) of a date, with None for missing parts.

    `of` is what a measure measures (`length`); the value is in its base unit.
    """

    scale: Scale
    parts: tuple[float | None, ...]
    of: str = ""


def has_digit(text: str) -> bool:
    """Whether a text contains a digit."""
    return _DIGIT.search(text) is not None


def found_in(text: str) -> Iterator[tuple[Quantity, int, int]]:
    """Yield the quantities written with digits in a folded text, with the start and end of each."""
    at = 0
    while _DIGIT.search(text, at) and (found := _PATTERN.search(text, at)):
        value, end = _of_match(found)
        if value.scale is Scale.CARDINAL and text[end : end + 1].isalpha():
            at = end + 1  # 6a is a name
            continue
        at = end
        yield value, found.start(), at


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities can be compared: the same scale and kind of measure, with a common part."""
    return (
        one.scale is other.scale
        and one.of == other.of
        and any(a is not None and b is not None for a, b in zip(one.parts, other.parts, strict=False))
    )


def equal(one: Quantity, other: Quantity) -> bool:
    """Whether two comparable quantities are equal in the parts that both have; measures may be rounded."""
    within = SAME_WITHIN if one.of in _ROUNDED else 0.0
    pairs = zip(one.parts, other.parts, strict=False)
    return all(a is None or b is None or abs(a - b) <= within * max(abs(a), abs(b)) for a, b in pairs)


def _of_match(found: re.Match[str]) -> tuple[Quantity, int]:
    """Return the quantity that the pattern matched, and its end."""
    said = found.groupdict()
    if said["phone"]:
        return Quantity(Scale.CARDINAL, (number(re.sub(r"\D", "", said["phone"])),), "telephone"), found.end()
    if not said["number"]:
        return _date_of(said) or _clock(said) or _sum_or_ordinal(said), found.end()
    value = number(said["number"])
    unit = _unit(said["unit"])
    if unit is None:
        return Quantity(Scale.CARDINAL, (value,)), found.end("number")
    return Quantity(Scale.MEASURE, (value * unit[1],), unit[0]), found.end()


def one_of(unit_word: object) -> Quantity | None:
    """Return one of a unit (`an hour`); None if the word is not a unit."""
    return measured(Quantity(Scale.CARDINAL, (1.0,)), unit_word) if isinstance(unit_word, str) else None


def measured(value: Quantity, unit_word: str) -> Quantity | None:
    """Return a number with the unit that follows it (`two miles`); None if the word is not a unit."""
    unit = _unit(unit_word)
    if unit is None or value.scale is not Scale.CARDINAL or value.parts[0] is None:
        return None
    return Quantity(Scale.MEASURE, (value.parts[0] * unit[1],), unit[0])


def of_words(first: str | Quantity, following: Sequence[str | Quantity]) -> tuple[Quantity, int] | None:
    """Return the number that begins with a piece of text, in words (`two hundred`) or not (`5 million`, `third`).

    The second item is how many of the following pieces belong to it. None if no number begins here.
    """
    if isinstance(first, Quantity):
        return _in_millions(first, following[0] if following else "")
    if first in ORDINALS:
        return Quantity(Scale.ORDINAL, (ORDINALS[first],)), 0
    if first not in CARDINALS:
        return None
    value, more = joined(first, following)
    return Quantity(Scale.CARDINAL, (value,)), more


# Sums of money may come before `million`, as may bare numbers.
MONEY = frozenset(_UNITS[sign][0] for sign in "$€£")


def _in_millions(value: Quantity, after: str | Quantity) -> tuple[Quantity, int]:
    times = SCALES.get(after) if isinstance(after, str) else None
    if times is None or value.parts[0] is None or not (value.scale is Scale.CARDINAL or value.of in MONEY):
        return value, 0
    return value._replace(parts=(value.parts[0] * times,)), 1


def number(text: str) -> float:
    """Return the number written in digits, with its sign; commas separate thousands."""
    return float(text.replace(",", "").replace("−", "-"))


def as_year(value: Quantity, first: int = 1900) -> Quantity | None:
    """Return a bare number as a year; None if it is not from the first year to 2099."""
    year = value.parts[0]
    is_year = value.scale is Scale.CARDINAL and year is not None and year in range(first, 2100)
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
