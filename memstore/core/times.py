"""Times as memories store them, as other programs state them, and as people type them: a day, a minute, `yesterday`."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from memstore.core.errors import UsageError

_LENGTH = len("0001-01-01T00:00:00Z")


def instant(at: datetime) -> str:
    """Return a timezone-aware time in the form memories use: RFC 3339 in UTC, to the second."""
    return f"{_in_utc(at):%Y-%m-%dT%H:%M:%SZ}".rjust(_LENGTH, "0")  # %Y leaves out leading zeros on Linux


# -- as the world states them ----------------------------------------------------------------------


EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(microsecond=0, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND, _LAST_SECOND = int((EARLIEST - _EPOCH).total_seconds()), int((LATEST - _EPOCH).total_seconds())


def moment(seconds: float) -> datetime:
    """Return seconds since 1970, as git, a disk or a key states them, as a time in UTC.

    What lies outside the calendar becomes its first or its last second, so that it can still be compared and shown.
    """
    return _EPOCH + timedelta(seconds=max(_FIRST_SECOND, min(seconds, _LAST_SECOND)))


def time_in(value: object) -> datetime | None:
    """Return the time in UTC that a value of another program's file states; None if it states none.

    Args:
        value: an ISO 8601 text, a time, or a day, which begins at midnight; without a zone, UTC is meant.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return _in_utc(value if value.tzinfo else value.replace(tzinfo=UTC))
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None


def stated(value: object) -> datetime | None:
    """Return the time that a record of another program states, in the zone that it names, else in UTC.

    None for a value that states no time, or that could mean several: `05/06/2024`, a month alone, a small number.

    Args:
        value: a number or its digits, which count seconds, milliseconds, microseconds or nanoseconds since 1970; a
            time or a day; or a text: ISO 8601 and its usual variants, RFC 2822, `May 1, 2024, 10:00 AM (UTC-8)`.
    """
    if isinstance(value, str):
        text = " ".join(value.split())
        if not _COUNT.fullmatch(text):
            return _iso(text) or _named_month(text) or _rfc_2822(text)
        value = float(text) if "." in text else int(text)
    if isinstance(value, int | float) and not isinstance(value, bool):
        unit = next((unit for unit in _UNITS if _FIRST_COUNT <= value // unit < _BEYOND_COUNTS), None)
        if unit is None:
            return None
        whole, part = divmod(value, unit)
        return moment(whole) + timedelta(microseconds=int(part * 1_000_000 // unit))
    return value if isinstance(value, datetime) and value.tzinfo else time_in(value)


_COUNT = re.compile(r"\d{9,20}(?:\.\d{1,9})?", re.ASCII)  # eight digits are a day: 20240501
# How many of them are a second; a count of seconds lies between 1973 and 5138, so no number has two units.
_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
_FIRST_COUNT, _BEYOND_COUNTS = 10**8, 10**11
_ISO_LIKE = re.compile(
    r"(?P<year>\d{4})([-/.])(?P<month>\d\d?)\2(?P<day>\d\d?)"
    r"(?:(?:[T ]|, )(?P<clock>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAMED_MONTH = re.compile(
    r"(?:[a-z]{3,9}, )?(?P<month>[a-z]{3})[a-z]*\.? (?P<day>\d\d?), (?P<year>\d{4})"
    r"(?:,? (?:at )?(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))? ?(?P<half>[ap])?(?(half)m)"
    r"(?: \(?(?:UTC|GMT)(?P<zone>[+-]\d\d?)?(?::?(?P<part>\d\d))?\)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_RFC_2822 = re.compile(
    r"(?:[a-z]{3}, )?\d\d? [a-z]{3} \d{4} \d\d:\d\d.*|[a-z]{3} [a-z]{3} \d\d? \d\d:\d\d:\d\d \d{4}", re.IGNORECASE
)


def _iso(text: str) -> datetime | None:
    """Return the time in an ISO 8601 text, also with slashes, single digits, or a blank before the zone."""
    if found := _ISO_LIKE.fullmatch(text):
        zone = (found["zone"] or "Z").upper()
        zone = "+00:00" if zone in ("Z", "UTC", "GMT") else zone
        hour, _, rest = (found["clock"] or "0:00").partition(":")
        clock = f"{hour:0>2}:{rest.replace(',', '.')}"
        text = f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}T{clock}{zone}"
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _named_month(text: str) -> datetime | None:
    found = _NAMED_MONTH.fullmatch(text)
    if found is None or found["month"].casefold() not in _MONTHS:
        return None
    hour = int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"] in "pP")
    zone = timedelta(hours=int(found["zone"] or 0))
    zone += timedelta(minutes=int(found["part"] or 0)) * (-1 if zone < timedelta() else 1)
    day = (int(found["year"]), _MONTHS.index(found["month"].casefold()) + 1, int(found["day"]))
    try:
        return datetime(*day, hour, int(found["minute"] or 0), int(found["second"] or 0), tzinfo=timezone(zone))
    except ValueError:
        return None


def _rfc_2822(text: str) -> datetime | None:
    if not _RFC_2822.fullmatch(text):
        return None
    from email.utils import parsedate_to_datetime

    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _in_utc(at: datetime) -> datetime:
    """Return a timezone-aware time in UTC; a zone that leads out of the calendar leads to its end."""
    try:
        return at.astimezone(UTC)
    except (OverflowError, ValueError):
        return EARLIEST if at.year == EARLIEST.year else LATEST


# -- as people type them ---------------------------------------------------------------------------


_DATE = (
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?P<zone>Z|[+-]\d\d:\d\d))?)?)?"
)
_AGO = r"(\d{1,5})(d|w|mo|y)"
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)

FORMS = "2026, 2026-02, 2026-02-01, 2026-02-01T18:04Z, now, today, yesterday, 3d, 2w, 6mo or 1y"


def as_day(at: datetime) -> datetime:
    """Return the day of a time, which is the same day everywhere: memories have it as midnight in UTC."""
    return datetime(at.year, at.month, at.day, tzinfo=UTC)


def day_of(stored: str, zone: tzinfo | None) -> str:
    """Return the day of a stored time, in that time zone; midnight in UTC is a day, which is the same everywhere."""
    if not stored or stored.endswith("T00:00:00Z") or zone in (None, UTC):
        return stored[:10]
    try:
        return datetime.fromisoformat(stored).astimezone(zone).date().isoformat()
    except (ValueError, OverflowError):
        return stored[:10]


def zone_named(name: str) -> tzinfo | None:
    """Return the time zone of a name like `Europe/Zurich`; None if the machine knows none."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # `ZoneInfoNotFoundError` is a KeyError; a folder of zones is an OSError
        return None


class Period(NamedTuple):
    """The period that a date names: its first and last second, in the time zone whose day it is."""

    start: datetime
    end: datetime


def period(text: str, *, now: datetime) -> Period:
    """Return the period that `text` names: a year is a whole year, `3d` the instant three days before `now`.

    Args:
        text: one of `FORMS`.
        now: to the second; days are those of its time zone.

    Raises:
        UsageError: it has none of these forms, or there is no such day.
    """
    try:
        found = _named(text, now) or _ago(text, now) or _written_period(text, now.tzinfo)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise UsageError(f"`{text}` is not a date", hint=f"write it like {FORMS}")
    return found


def _named(text: str, now: datetime) -> Period | None:
    today = datetime(now.year, now.month, now.day, tzinfo=now.tzinfo)
    match text:
        case "now":
            return Period(now, now)
        case "today":
            return Period(today, today + _DAY - _SECOND)
        case "yesterday":
            return Period(today - _DAY, today - _SECOND)
        case _:
            return None


def _ago(text: str, now: datetime) -> Period | None:
    found = re.fullmatch(_AGO, text, re.ASCII)
    if found is None:
        return None
    count, unit = int(found[1]), found[2]
    now = _in_utc(now)
    if unit in {"d", "w"}:
        then = now - count * (_DAY if unit == "d" else 7 * _DAY)
    else:
        then = _months_before(now, count * (1 if unit == "mo" else 12))
    return Period(then, then)


def _months_before(at: datetime, months: int) -> datetime:
    """Return the same day of an earlier month, or the last day of that month if it is shorter."""
    year, month = divmod(at.year * 12 + at.month - 1 - months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, _days_in(year, month + 1)))


def _days_in(year: int, month: int) -> int:
    """Return the number of days in a month; no month is longer than December."""
    december = 12
    return 31 if month == december else (date(year, month + 1, 1) - date(year, month, 1)).days


def _written_period(text: str, zone: tzinfo | None) -> Period | None:
    found = re.fullmatch(_DATE, text, re.ASCII)
    if found is None:
        return None
    year, month, day = int(found["year"]), found["month"], found["day"]
    if found["hour"]:
        start = _in_utc(datetime.fromisoformat(text))
        return Period(start, start + (timedelta() if found["second"] else timedelta(seconds=59)))
    start = datetime(year, int(month or 1), int(day or 1), tzinfo=zone)
    if day:
        days = 1
    elif month:
        days = _days_in(year, int(month))
    else:
        days = 337 + _days_in(year, 2)
    return Period(start, start + (days * _DAY - _SECOND))
