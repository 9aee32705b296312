"""Which of some files that came are which of some that went, by how alike they are, as git finds renames."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# As git's `--find-renames=50%`; of more pairs than that only unchanged files are recognised, as with its `-l`.
LEAST_ALIKE = 0.5
MOST_COMPARED = 40_000


def renamed(gone: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, str]:
    """Return the old path of each new file that is a renamed one; files are given by path."""
    found: dict[str, str] = {}
    by_data: dict[bytes, list[str]] = defaultdict(list)
    for path in sorted(gone, reverse=True):
        by_data[gone[path]].append(path)
    for path in sorted(new):
        if new[path] and (same := by_data.get(new[path])):
            found[path] = same.pop()
    taken = {*found.values()}
    lost = {path: data for path, data in gone.items() if path not in taken}
    came = {path: data for path, data in new.items() if path not in found}
    if len(lost) * len(came) > MOST_COMPARED:
        return found
    for _, path, was in sorted(_alike(lost, came), key=lambda one: (-one[0], *one[1:])):
        if path not in found and was not in taken:
            found[path] = was
            taken.add(was)
    return found


def _alike(lost: Mapping[str, bytes], came: Mapping[str, bytes]) -> list[tuple[float, str, str]]:
    """Return the pairs that are alike enough: which share of the larger one both have, the new path and the old one."""
    lines = {path: Counter(data.splitlines(keepends=True)) for path, data in lost.items()}
    found = []
    for path, data in came.items():
        own = Counter(data.splitlines(keepends=True))
        for was, before in lost.items():
            small, large = sorted((len(data), len(before)))
            if small < LEAST_ALIKE * large or not large:
                continue
            share = sum(len(line) * count for line, count in (own & lines[was]).items()) / large
            if share >= LEAST_ALIKE:
                found.append((share, path, was))
    return found
