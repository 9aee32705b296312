"""Which files have changed since they were last read, from their stats alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file's times are those of the kernel's last tick: at most 10 ms ago with 100 ticks a second; twice that is safe.
TICK_NS = 20_000_000
# Where times have no sub-second part, as on FAT, they count in steps of up to two seconds.
COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000

GONE = -1  # as size


class StatColumns(NamedTuple):
    """Sizes in bytes, times in nanoseconds and inodes, one position a file; the size of a lost one is `GONE`."""

    size: Sequence[int]
    mtime_ns: Sequence[int]
    ctime_ns: Sequence[int]
    inode: Sequence[int]


class Refresh(NamedTuple):
    """What to do about the known files, by position: read `changed`, compare the bytes of `suspicious`, drop `gone`."""

    changed: list[int]
    suspicious: list[int]
    gone: list[int]


def plan_refresh(known: StatColumns, seen: StatColumns, *, known_at_ns: int) -> Refresh:
    """Return which known files have to be looked at.

    Args:
        known: the stats as they were when the files were last read.
        seen: the stats of the same files now.
        known_at_ns: when the walk began that found `known`, in nanoseconds of the clock that stamps files.

    Source: git's Documentation/technical/racy-git.txt: a file that changed in the tick in which it was read can keep
    all its stats, so an entry that is not older than the reading proves nothing.
    """
    plan = Refresh([], [], [])
    # Whole columns at once: nearly always all is as it was, and every read waits for this.
    if known != seen:
        for i, (before, now) in enumerate(zip(zip(*known, strict=True), zip(*seen, strict=True), strict=True)):
            if before != now or now[0] == GONE:
                (plan.gone if now[0] == GONE else plan.changed).append(i)
    settled = {*plan.changed, *plan.gone}
    limit = known_at_ns - COARSE_TICK_NS
    if not seen.size or (max(seen.mtime_ns) < limit and max(seen.ctime_ns) < limit):
        return plan
    times = zip(seen.mtime_ns, seen.ctime_ns, strict=True)
    young = [(i, mtime, ctime) for i, (mtime, ctime) in enumerate(times) if mtime >= limit or ctime >= limit]
    plan.suspicious.extend(i for i, mtime, ctime in young if i not in settled and is_racy(mtime, ctime, known_at_ns))
    return plan


def is_racy(mtime_ns: int, ctime_ns: int, known_at_ns: int) -> bool:
    """Whether something with these times may have changed after `known_at_ns` without its times showing it."""
    return _is_young(mtime_ns, known_at_ns) or _is_young(ctime_ns, known_at_ns)


def _is_young(time_ns: int, known_at_ns: int) -> bool:
    tick = TICK_NS if time_ns % _SECOND_NS else COARSE_TICK_NS
    return time_ns >= known_at_ns - tick
