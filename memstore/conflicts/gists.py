"""Gists: of each statement of a memory what is enough to tell that it can't be in conflict with another.

Taking sentences apart takes long, and hardly any two are in conflict. A conflict needs a word that both are about, and
something in which both have room for one: a number of one unit, one of two opposites, yes or no. Those are found out
once for each revision of a file, and kept; two gists then tell with sets alone. They never say no where `contradiction`
finds a conflict by the built-in lists, and mostly say no.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.word_lists import listed
from memstore.search.index import GISTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View

# Those that were kept in another version are made anew: whoever changes what they hold, or a list of words, counts up.
VERSION = 3
_STATE = f"gists {VERSION}"


class Gist(NamedTuple):
    """One statement: its text, whom a pronoun in it means, its lines in the file, and what tells of conflicts.

    `topic` has the keys of the words that it is about, `roots` those by which some of them are compared besides.
    `slots` has for each thing of which it may tell one value what it tells; `against` are words that it excludes. One
    that is `loose` may be in conflict with whatever shares its topic: it denies, says "only", or tells of a change.
    """

    text: str
    about: str
    line_start: int
    line_end: int
    topic: frozenset[str]
    roots: frozenset[str]
    slots: Mapping[str, frozenset[str]]
    against: frozenset[str]
    loose: bool


SHARED_ANYHOW = 0.2


def may_conflict(one: Gist, other: Gist) -> bool:
    """Whether two statements may be in conflict; False where `contradiction` would find none."""
    shared = one.topic & other.topic
    if not shared or len(shared) < SHARED_ANYHOW * min(len(one.topic), len(other.topic)):
        return False
    if one.loose or other.loose or _excludes(one, other) or _excludes(other, one):
        return True
    return any(len(one.slots[slot] | other.slots[slot]) > 1 for slot in one.slots.keys() & other.slots.keys())


def _excludes(one: Gist, other: Gist) -> bool:
    return not (one.against.isdisjoint(other.topic) and one.against.isdisjoint(other.roots))


# -- kept with the index, by the blob of the file --------------------------------------------------


# What parts the fields of a row; the text stands last, whatever it holds.
_PART, _FIELDS = "\x1f", 8
_SAID = "said"


def kept_gists(view: View, blob: str) -> Sequence[Gist] | None:
    """Return the gists that were kept of a revision of a file; None where there are none."""
    found = view.derived.last(f"{GISTS}{blob}", _STATE).get(_SAID)
    return None if found is None else _read(tuple(found))


def keep_gists(view: View, blob: str, gists: Sequence[Gist]) -> None:
    """Keep the gists of a revision of a file, until the index no longer has it."""
    view.derived.keep(f"{GISTS}{blob}", _STATE, {_SAID: list(map(_written, gists))})


def _written(gist: Gist) -> str:
    slots = (f"{slot}={' '.join(sorted(told))}" for slot, told in sorted(gist.slots.items()))
    words = (" ".join(sorted(each)) for each in (gist.topic, gist.roots, gist.against))
    lines, loose = f"{gist.line_start} {gist.line_end}", "loose" if gist.loose else ""
    return _PART.join((lines, loose, gist.about, *words, ";".join(slots), gist.text))


# Of so many memories they are kept in memory, too: a session comes back to the same ones.
@lru_cache(maxsize=256)
def _read(rows: tuple[str, ...]) -> Sequence[Gist]:
    return tuple(_gist(*row.split(_PART, _FIELDS - 1)) for row in rows)


def _gist(lines: str, loose: str, about: str, topic: str, roots: str, against: str, slots: str, text: str) -> Gist:
    start, end = map(int, lines.split())
    told = (slot.partition("=") for slot in slots.split(";") if slot)
    return Gist(
        text=text,
        about=about,
        line_start=start,
        line_end=end,
        topic=listed(topic),
        roots=listed(roots),
        slots={slot: listed(values) for slot, _, values in told},
        against=listed(against),
        loose=bool(loose),
    )
