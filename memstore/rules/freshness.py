"""Which files have changed since they were last read, from their stats alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file's times are those of the kernel's last tick: at most 10 ms ago with 100 ticks a second; twice that is safe.
TICK_NS = 20_000_000
# Where times have no sub-second part, as on FAT, they count in steps of up to two seconds.
COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000

GONE = -1  # as size


@dataclass(frozen=True, slots=True)
class StatColumns:
    """Sizes in bytes, times in nanoseconds and inodes, one position a file; the size of a lost one is `GONE`."""

    size: Sequence[int]
    mtime_ns: Sequence[int]
    ctime_ns: Sequence[int]
    inode: Sequence[int]


@dataclass(frozen=True, slots=True)
class Refresh:
    """What to do about the known files, by position: read `changed`, compare the bytes of `suspicious`, drop `gone`."""

    changed: list[int] = field(default_factory=list)
    suspicious: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


def plan_refresh(known: StatColumns, seen: StatColumns, *, known_at_ns: int) -> Refresh:
    """Return which known files have to be looked at.

    Args:
        known: the stats as they were when the files were last read.
        seen: the stats of the same files now.
        known_at_ns: when the walk began that found `known`, in nanoseconds of the clock that stamps files.

    Source: git's Documentation/technical/racy-git.txt: a file that changed in the tick in which it was read can keep
    all its stats, so an entry that is not older than the reading proves nothing.
    """
    plan = Refresh()
    same = known == seen
    if same and _youngest(known) < known_at_ns - COARSE_TICK_NS:
        return plan
    for i, size in enumerate(seen.size):
        if size == GONE:
            plan.gone.append(i)
        elif not same and _differs(known, seen, i):
            plan.changed.append(i)
        elif is_racy(seen.mtime_ns[i], seen.ctime_ns[i], known_at_ns):
            plan.suspicious.append(i)
    return plan


def is_racy(mtime_ns: int, ctime_ns: int, known_at_ns: int) -> bool:
    """Whether something with these times may have changed after `known_at_ns` without its times showing it."""
    return _is_young(mtime_ns, known_at_ns) or _is_young(ctime_ns, known_at_ns)


def _is_young(time_ns: int, known_at_ns: int) -> bool:
    tick = TICK_NS if time_ns % _SECOND_NS else COARSE_TICK_NS
    return time_ns >= known_at_ns - tick


def _youngest(stats: StatColumns) -> int:
    return max(max(stats.mtime_ns, default=0), max(stats.ctime_ns, default=0))


def _differs(known: StatColumns, seen: StatColumns, i: int) -> bool:
    return (
        known.mtime_ns[i] != seen.mtime_ns[i]
        or known.size[i] != seen.size[i]
        or known.ctime_ns[i] != seen.ctime_ns[i]
        or known.inode[i] != seen.inode[i]
    )
