"""Time and randomness, which are passed in from outside: the protocols, and the machine's own clock and ids."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple, Protocol

from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS


class Clock(Protocol):
    """Gives the current time."""

    def now(self) -> datetime:
        """Return the time, in UTC, to the second."""

    def here(self) -> datetime:
        """Return the same in the time zone whose days are meant by `today` and `--since 2026-02-01`."""


class IdSource(Protocol):
    """Makes ids for new memories."""

    def memory_id(self) -> str:
        """Return an id that is almost certainly new."""


# -- system clock ----------------------------------------------------------------------------------


def _utc() -> tzinfo:
    return UTC


class SystemClock(NamedTuple):
    """Gives the machine's time; `zone` returns its time zone, once one is needed."""

    zone: Callable[[], tzinfo] = _utc

    def now(self) -> datetime:
        """Return the time, in UTC, to the second."""
        return datetime.now(UTC).replace(microsecond=0)

    def here(self) -> datetime:
        """Return the time in the clock's zone."""
        return self.now().astimezone(self.zone())


class FixedClock(NamedTuple):
    """Gives one time, of a vault as it was, in the time zone of another clock."""

    at: datetime
    clock: Clock

    def now(self) -> datetime:
        """Return that time."""
        return self.at

    def here(self) -> datetime:
        """Return that time in the other clock's zone."""
        return self.at.astimezone(self.clock.here().tzinfo)


# -- random ids ------------------------------------------------------------------------------------


_LAST = len(ID_ALPHABET) - 1
_BITS = _LAST.bit_length()


class RandomIds:
    """Makes ids that nobody can guess and almost certainly nobody else makes."""

    def memory_id(self) -> str:
        """Return an id: `m_` and ten characters of Crockford's base 32, 50 random bits."""
        import secrets

        chance = secrets.randbits(_BITS * ID_RANDOM_CHARACTERS)
        shifts = range(0, _BITS * ID_RANDOM_CHARACTERS, _BITS)
        return "m_" + "".join([ID_ALPHABET[chance >> shift & _LAST] for shift in shifts])


class PlannedIds:
    """Makes ids twice: what is done has the ids with which it was planned last.

    Args:
        source: makes them.
    """

    def __init__(self, source: IdSource) -> None:
        self._source = source
        self._planned: list[str] = []
        self._planning = False

    def plan(self) -> None:
        """Begin a plan: from here on, ids are kept."""
        self._planned, self._planning = [], True

    def carry_out(self) -> None:
        """Begin to do what was planned: each id of the plan is given once more, and then new ones."""
        self._planning = False

    def memory_id(self) -> str:
        """Return an id that is new but for the plan."""
        if not self._planning and self._planned:
            return self._planned.pop(0)
        made = self._source.memory_id()
        if self._planning:
            self._planned.append(made)
        return made
