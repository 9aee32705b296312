from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import UsageError
from memstore.core.times import instant, period, zone_named

NOW = datetime(2026, 3, 31, 18, 4, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026", "2026-01-01T00:00:00", "2026-12-31T23:59:59"),
        ("9999", "9999-01-01T00:00:00", "9999-12-31T23:59:59"),
        ("9999-12-31", "9999-12-31T00:00:00", "9999-12-31T23:59:59"),
        ("0001", "0001-01-01T00:00:00", "0001-12-31T23:59:59"),
        ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59"),
        ("2026-02-01", "2026-02-01T00:00:00", "2026-02-01T23:59:59"),
        ("2026-02-01T18:04Z", "2026-02-01T18:04:00", "2026-02-01T18:04:59"),
        ("2026-02-01T18:04:11Z", "2026-02-01T18:04:11", "2026-02-01T18:04:11"),
        ("2026-02-01T00:30:00+01:00", "2026-01-31T23:30:00", "2026-01-31T23:30:00"),
        ("now", "2026-03-31T18:04:11", "2026-03-31T18:04:11"),
        ("today", "2026-03-31T00:00:00", "2026-03-31T23:59:59"),
        ("yesterday", "2026-03-30T00:00:00", "2026-03-30T23:59:59"),
        ("3d", "2026-03-28T18:04:11", "2026-03-28T18:04:11"),
        ("2w", "2026-03-17T18:04:11", "2026-03-17T18:04:11"),
        ("1mo", "2026-02-28T18:04:11", "2026-02-28T18:04:11"),
        ("15mo", "2024-12-31T18:04:11", "2024-12-31T18:04:11"),
        ("2y", "2024-03-31T18:04:11", "2024-03-31T18:04:11"),
    ],
)
def test_a_date_names_a_period(text: str, start: str, end: str) -> None:
    found = period(text, now=NOW)
    assert (found.start.isoformat(), found.end.isoformat()) == (f"{start}+00:00", f"{end}+00:00")


@pytest.mark.parametrize(
    "text",
    ["", " ", "2026-13", "2026-02-30", "2026-2-1", "26", "2026-02-01T18:04", "2026-02-01T25:00Z", "2026-02-01 18:04Z",
     "tomorrow", "3 d", "3h", "-3d", "99999y", "99999mo", "0000", "٢٠٢٦", "2026-02-01T18:04:11+99:00", "last week"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a date") as error:
        period(text, now=NOW)
    assert "2026-02" in (error.value.hint or "")


@given(st.dates(min_value=datetime(1000, 1, 1, tzinfo=UTC).date(), max_value=datetime(9998, 12, 31, tzinfo=UTC).date()))
def test_a_day_lies_in_its_month_and_its_year(day: object) -> None:
    text = str(day)
    of_day, of_month, of_year = (period(text[:width], now=NOW) for width in (10, 7, 4))
    assert of_year.start <= of_month.start <= of_day.start < of_day.end <= of_month.end <= of_year.end
    assert of_day.end - of_day.start == timedelta(hours=24) - timedelta(seconds=1)


@given(
    st.dates(date(1990, 1, 1), date(2035, 12, 30)),
    st.sampled_from(["Europe/Zurich", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns", "UTC"]),
)
def test_a_day_is_that_of_the_time_zone_with_its_summers(day: date, zone: str) -> None:
    here = ZoneInfo(zone)
    found = period(day.isoformat(), now=datetime(2026, 2, 1, tzinfo=here))
    first, after = (datetime(one.year, one.month, one.day, tzinfo=here) for one in (day, day + timedelta(days=1)))
    assert instant(found.start) == instant(first)
    assert instant(found.end + timedelta(seconds=1)) == instant(after)
    now = datetime(day.year, day.month, day.day, 23, 30, tzinfo=here)
    assert period("today", now=now) == found
    assert instant(period("1d", now=now).start) == instant(now.astimezone(UTC) - timedelta(days=1))


def test_a_time_zone_by_its_name() -> None:
    assert zone_named("Europe/Zurich") == ZoneInfo("Europe/Zurich")
    assert [zone_named(name) for name in ("", "Europe", "Mars/Olympus", "/etc/passwd", "../x", "a\0b")] == [None] * 6
