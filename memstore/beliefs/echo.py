"""Echoes: text that was recalled and comes back as a new memory, by the runs of four words that both have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.rules.analysis import words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Grams = frozenset[tuple[str, ...]]

RUN = 4  # words
# Of a text's runs, for all of it to be an echo; of a memory's runs, for the text to hold that memory.
MOST_OF_IT = 0.5
ALL_OF_IT = 0.8
# Fewer words are said twice by chance: `the build broke again`.
FEWEST_WORDS = 8

_BITE = re.compile(
    r"\[(?:Memory flash|Belief \([^)]*\)): (?P<text>.*?)…?\] (?P<path>\S[^\n]*?\.md):\d+[ \t]*$", re.MULTILINE
)


class Echo(NamedTuple):
    """What a text repeats, best first: `of` is what all of it comes from, `beside` what it holds among other things."""

    of: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def bites(text: str) -> tuple[str, frozenset[str]]:
    """Return a text without the labels of the bites in it, and the paths that they name."""
    return _BITE.sub(lambda found: found["text"], text), frozenset(found["path"] for found in _BITE.finditer(text))


def grams(text: str) -> Grams:
    """Return the runs of four words of a text; all of it where it has fewer."""
    said = words(text)
    if len(said) < RUN:
        return frozenset({tuple(said)}) if said else frozenset()
    return frozenset(tuple(said[at : at + RUN]) for at in range(len(said) - RUN + 1))


def is_long_enough(text: str) -> bool:
    """Whether a text is so long that nobody says it twice by chance."""
    return len(words(text)) >= FEWEST_WORDS


def echo(text: str, known: Mapping[str, str], named: Collection[str] = ()) -> Echo:
    """Return what a text repeats.

    Args:
        text: without the labels of bites.
        known: the texts that it may come from, by name.
        named: those that a bite in it names.
    """
    said = grams(text)
    runs = {name: grams(other) for name, other in known.items()}
    shared = {name: said & run for name, run in runs.items()}
    held = [name for name, both in shared.items() if len(both) >= ALL_OF_IT * max(1, len(runs[name]))]
    near = [name for name, both in shared.items() if said and len(both) >= MOST_OF_IT * len(said)]
    cited = [name for name in named if shared.get(name)]
    found = sorted({*held, *near, *cited}, key=lambda name: (-len(shared[name]), name))
    covered = frozenset(gram for name in found for gram in shared[name])
    if not found or not said:
        return Echo()
    return Echo(of=tuple(found)) if len(covered) >= MOST_OF_IT * len(said) else Echo(beside=tuple(found))
