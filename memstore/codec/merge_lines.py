"""Two changes of one text put together, where they don't touch."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Comparing takes the product of the lines that are left at both sides of what is the same; with more it is not tried.
MOST_COMPARED = 4_000_000


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return what both sides make of a text; None where they change the same line, or lines next to each other."""
    old = base.splitlines(keepends=True)
    mine, other = (_changes(old, side.splitlines(keepends=True)) for side in (ours, theirs))
    if mine is None or other is None:
        return None
    out: list[bytes] = []
    at = 0
    changes = sorted([*mine, *other])
    for number, (start, end, lines) in enumerate(changes):
        if number and (start, end, lines) == changes[number - 1]:
            continue  # both sides made the same change
        if number and start <= changes[number - 1][1]:
            return None
        out += [*old[at:start], *lines]
        at = end
    return b"".join([*out, *old[at:]])


def _changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int, list[bytes]]] | None:
    """Return which lines of `old`, from and up to, became which; None where that would take too long to find out."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    left, right = old[first : len(old) - last], new[first : len(new) - last]
    if len(left) * len(right) > MOST_COMPARED:
        return None
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(first + i1, first + i2, [*right[j1:j2]]) for tag, i1, i2, j1, j2 in steps if tag != "equal"]
