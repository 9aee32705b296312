from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memstore.core.times import EARLIEST, LATEST, day_of, instant, moment, time_in


def test_a_time_is_told_in_utc_to_the_second() -> None:
    assert instant(datetime(2026, 2, 1, 18, 4, 11, 900_000, tzinfo=UTC)) == "2026-02-01T18:04:11Z"
    assert instant(datetime(2026, 2, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))) == "2026-01-31T23:30:00Z"
    assert instant(datetime(7, 2, 1, tzinfo=UTC)) == "0007-02-01T00:00:00Z"


def test_a_time_beyond_the_calendar_becomes_its_end() -> None:
    assert [instant(moment(seconds)) for seconds in (-1, 0, 10**30, float("inf"), -(10**30))] == [
        "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", *["9999-12-31T23:59:59Z"] * 2, "0001-01-01T00:00:00Z",
    ]  # fmt: skip
    assert time_in("0001-01-01T00:00:00+14:00") == EARLIEST
    assert time_in("9999-12-31T23:59:59-14:00") == LATEST
    assert time_in(datetime(2026, 2, 1, 1, tzinfo=timezone(timedelta(hours=1)))) == datetime(2026, 2, 1, tzinfo=UTC)
    nothing: tuple[object, ...] = ("10000-01-01", "", "24:00", None, 7, [])
    assert [time_in(value) for value in nothing] == [None] * 6


@given(st.datetimes(), st.integers(-1439, 1439))
def test_a_stored_time_has_the_day_of_its_zone_and_midnight_is_a_day(at: datetime, minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes))
    stored = instant(at.replace(tzinfo=UTC))
    day = day_of(stored, zone)
    assert abs((date.fromisoformat(day) - date.fromisoformat(stored[:10])).days) <= 1
    assert day_of(f"{stored[:10]}T00:00:00Z", zone) == day_of(stored, UTC) == stored[:10]
    assert day_of("", zone) == ""
