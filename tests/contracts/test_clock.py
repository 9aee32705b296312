"""Time and chance: the machine's, and those of tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from memstore.core.clock import FixedClock, RandomIds, SystemClock
from memstore.core.ids import is_memory_id
from tests.support import CountingIds, TickClock

if TYPE_CHECKING:
    from memstore.core.clock import Clock, IdSource


@pytest.mark.parametrize("clock", [SystemClock(), TickClock()])
def test_a_clock_gives_utc_to_the_second_and_never_goes_back(clock: Clock) -> None:
    first, second = clock.now(), clock.now()
    assert first.tzinfo is UTC
    assert first.microsecond == 0
    assert first <= second
    here = clock.here()
    assert (here.tzinfo, here.microsecond) == (UTC, 0)
    assert second <= here


def test_a_clock_is_read_in_its_time_zone() -> None:
    zone = ZoneInfo("Pacific/Kiritimati")
    clock = SystemClock(lambda: zone)
    before, here, after = clock.now(), clock.here(), clock.now()
    assert here.tzinfo is zone
    assert before <= here <= after
    past = FixedClock(datetime(2026, 2, 1, 12, tzinfo=UTC), clock)
    assert past.here() == past.now()
    assert past.here().isoformat() == "2026-02-02T02:00:00+14:00"


@pytest.mark.parametrize("ids", [RandomIds(), CountingIds()])
def test_every_id_is_new_and_a_memorys(ids: IdSource) -> None:
    made = [ids.memory_id() for _ in range(100)]
    assert len(set(made)) == len(made)
    assert all(map(is_memory_id, made))
