"""Gists: enough of each statement of a memory to rule out a conflict with another.

Parsing sentences is slow, and hardly any two are in conflict. A conflict needs a common topic word, and something with
only one possible value: a number with a unit, one of two opposites, yes or no. These are computed once for each
revision of a file and cached; comparing two gists then only needs set operations. They rule out most pairs, and no
conflict that `contradiction` finds with the built-in lists, except between longer statements that share a single word.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.word_lists import listed
from memstore.search import DERIVED
from memstore.search.aliases import Aliases
from memstore.search.index import APART, APART_ALL, GISTS

if TYPE_CHECKING:
    from memstore.core.view import View

# Gists of another version are computed again. Increase this if their content or a word list changes.
VERSION = 22
# Verdicts by other rules are not kept. Increase this if a rule or a word list of this package changes.
RULES = 24
_STATE, _RULES = f"gists {VERSION}", f"rules {RULES}"


class Gist(NamedTuple):
    """One statement: its text, the meaning of a pronoun in it, its lines in the file, and data about conflicts.

    `written` is the text as it stands in the file, if aliases in it were replaced; else it is empty.
    `topic` has the keys of its topic words, and `subject` those of them that come before the verb; `roots` has more
    keys for comparing some. `slots` has the stated values of each thing that can have only one, and `against` the words
    that the statement excludes. A `loose` statement may be in conflict with any other on its topic, because it denies
    or reports a change.
    """

    text: str
    about: str
    line_start: int
    line_end: int
    topic: frozenset[str]
    roots: tuple[str, ...]
    slots: Mapping[str, frozenset[str]]
    against: frozenset[str]
    loose: bool
    subject: frozenset[str] = frozenset()
    written: str = ""


SHARED_ANYHOW = 0.14
# Something that only denies or reports a change must share more than a word with a statement of more than three.
FEWEST_SHARED, _SHORT = 2, 3


FEWEST_WORDS = 2  # one word alone states nothing
# Two statements are worth asking a model about, or comparing in a search, if they share at least this fraction of the
# shorter one's words, and this many (`FEWEST_SHARED`), or all but one.
SHARED_WORDS = 0.4


@cache
def is_enough(shared: int, shorter: int) -> bool:
    """Whether two statements have enough topic words in common, given how many the shorter one has."""
    return shared >= max(SHARED_WORDS * shorter, min(FEWEST_SHARED, shorter - 1))


def share_a_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two topics have enough words in common for a search or a model."""
    return is_enough(len(one & other), min(len(one), len(other)))


def may_conflict(one: Gist, other: Gist) -> bool:
    """Whether two statements may be in conflict and are worth comparing."""
    shared, shorter = len(one.topic & other.topic), min(len(one.topic), len(other.topic))
    if not shared or shared < SHARED_ANYHOW * shorter:
        return False
    if (one.loose or other.loose) and _is_enough_to_deny(shared, shorter):
        return True
    if _excludes(one, other) or _excludes(other, one):
        return True
    mine, theirs = one.slots, other.slots
    return any(len(mine[slot] | theirs[slot]) > 1 for slot in mine if slot in theirs)


def is_worth_comparing(one: Gist, other: Gist) -> bool:
    """Whether two statements may be in conflict, and name each other's subject, or what only one can be or do."""
    are_of_one = not (one.subject and one.subject.isdisjoint(other.topic)) and not (
        other.subject and other.subject.isdisjoint(one.topic)
    )
    return (are_of_one or _is_held(one, other) or _excludes(one, other) or _excludes(other, one)) and may_conflict(
        one, other
    )


def _is_held(one: Gist, other: Gist) -> bool:
    return any(slot.startswith("role_") for slot in one.slots if slot in other.slots)


def share_enough(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two topics have enough in common for a denial, a change, or what is always or only so."""
    return _is_enough_to_deny(len(one & other), min(len(one), len(other)))


def _is_enough_to_deny(shared: int, shorter: int) -> bool:
    return shared >= FEWEST_SHARED or shorter <= _SHORT


def without_numbers(topic: frozenset[str]) -> frozenset[str]:
    """Return a topic without the words that only number a thing: `no. 12`."""
    return frozenset(word for word in topic if word != "nr" and not word.isdigit())


def _excludes(one: Gist, other: Gist) -> bool:
    return bool(one.against) and not (one.against.isdisjoint(other.topic) and one.against.isdisjoint(other.roots))


# -- cached with the index, by the blob of the file ------------------------------------------------


# The separator of the fields of a row; the text is the last field, so it may contain anything.
_PART, _FIELDS = "\x1f", 9
_SAID, _CLAIMS = "said", "claims"
# As many pairs as some hundred searches compare: reading them takes half a millisecond.
_MOST_APART = 2000


def _state(aliases: Aliases) -> str:
    return f"{_STATE} {aliases.state}".strip()


def kept_gists(view: "View", blob: str, aliases: Aliases) -> tuple[Sequence[Gist], Sequence[str]] | None:
    """Return the cached gists of a revision of a file with these aliases, and its claims; None if there are none."""
    found = view.of(DERIVED).last(f"{GISTS}{blob}", _state(aliases))
    return None if _SAID not in found else (_read(tuple(found[_SAID])), found[_CLAIMS])


def kept_near(view: "View", blob: str, aliases: Aliases) -> dict[str, Sequence[str]]:
    """Return the rows of gists that are cached of places in a revision of a file."""
    return {**view.of(DERIVED).last(f"{GISTS}{blob}", _state(aliases))}


def gists_in(rows: Sequence[str]) -> Sequence[Gist]:
    """Return the gists in rows that `rows_of` made."""
    return _read(tuple(rows))


def rows_of(gists: Iterable[Gist]) -> list[str]:
    """Return gists as rows to cache."""
    return [*map(_written, gists)]


def keep_near(view: "View", blob: str, rows: Mapping[str, Sequence[str]], aliases: Aliases) -> None:
    """Cache the rows of gists of places in a revision of a file, until the index no longer has it."""
    view.of(DERIVED).keep(f"{GISTS}{blob}", _state(aliases), rows)


def keep_gists(view: "View", blob: str, gists: Sequence[Gist], claims: Sequence[str], aliases: Aliases) -> None:
    """Cache the gists of a revision of a file, and its claims, until the index no longer has it."""
    view.of(DERIVED).keep(f"{GISTS}{blob}", _state(aliases), {_SAID: rows_of(gists), _CLAIMS: claims})


def pair_of(one: Gist, other: Gist) -> str:
    """Return a digest of what two statements say, by which the verdict on them is kept."""
    return _digest(one.text, one.about, other.text, other.about)


def pair_of_files(one: str, other: str, close: Iterable[tuple[Gist, Gist]]) -> str:
    """Return the same of two files, given by their blobs, and those of their statements that are compared."""
    return _digest(one, other, *(pair_of(*pair) for pair in close))


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(errors="surrogateescape"), digest_size=8).hexdigest()


def kept_apart(view: "View") -> list[str]:
    """Return the pairs of statements and files that were compared and are not in conflict, the last ones last."""
    return [*view.of(DERIVED).last(APART, _RULES).get(APART, ())]


def keep_apart(view: "View", pairs: Sequence[str]) -> None:
    """Keep the last of these pairs."""
    view.of(DERIVED).keep(APART, _RULES, {APART: pairs[-_MOST_APART:]})


def compared_before(view: "View") -> frozenset[str]:
    """Return the pairs of statements that were not in conflict when the whole vault was last compared."""
    return frozenset(view.of(DERIVED).last(APART_ALL, _RULES).get(APART, ()))


def keep_compared(view: "View", pairs: Collection[str]) -> None:
    """Keep these pairs in place of the previous ones."""
    if not view.is_past:
        view.of(DERIVED).keep(APART_ALL, _RULES, {APART: sorted(pairs)})


def _written(gist: Gist) -> str:
    slots = (f"{slot}={' '.join(sorted(told))}" for slot, told in sorted(gist.slots.items()))
    words = (" ".join(sorted(each)) for each in (gist.topic, gist.roots, gist.against, gist.subject))
    lines, loose = f"{gist.line_start} {gist.line_end} {len(gist.text)}", "loose" if gist.loose else ""
    return _PART.join((lines, loose, gist.about, *words, ";".join(slots), gist.text + gist.written))


# Gists of recent files are also cached in memory, because a session returns to the same ones.
@lru_cache(maxsize=1024)
def _read(rows: tuple[str, ...]) -> Sequence[Gist]:
    return tuple(map(_gist, rows))


def _gist(row: str) -> Gist:
    lines, loose, about, topic, roots, against, subject, slots, text = row.split(_PART, _FIELDS - 1)
    start, end, length = map(int, lines.split())
    told = (slot.partition("=") for slot in slots.split(";") if slot)
    return Gist(
        text=text[:length],
        about=about,
        line_start=start,
        line_end=end,
        topic=listed(topic),
        roots=tuple(map(intern, roots.split())),
        slots={intern(slot): listed(values) for slot, _, values in told},
        against=listed(against),
        loose=bool(loose),
        subject=listed(subject),
        written=text[length:],
    )
