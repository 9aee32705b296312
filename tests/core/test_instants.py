from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from memstore.core.times import instant


def test_a_time_is_told_in_utc_to_the_second() -> None:
    assert instant(datetime(2026, 2, 1, 18, 4, 11, 900_000, tzinfo=UTC)) == "2026-02-01T18:04:11Z"
    assert instant(datetime(2026, 2, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))) == "2026-01-31T23:30:00Z"
    assert instant(datetime(7, 2, 1, tzinfo=UTC)) == "0007-02-01T00:00:00Z"
