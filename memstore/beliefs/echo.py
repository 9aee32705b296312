"""Echoes: what was recalled and comes back as a raw memory is linked with its source, and is no new evidence.

It is known by the runs of four words that both texts have.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.evidence import RECALLED
from memstore.core.finding_codes import finding_of
from memstore.core.terms import words
from memstore.search import query
from memstore.search.filters import narrowed
from memstore.search.retrieval import NO_FILTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Grams = frozenset[tuple[str, ...]]
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.files.render import Plain


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
    """Return a text without the labels of the bites in it, and the paths that they name, from wherever they were seen.

    A path from another folder, or from the root, stands for all its ends: `/home/sean/vault/notes/tea.md` may be
    `notes/tea.md` or `tea.md` of the vault.
    """
    parts = [found["path"].split("/") for found in _BITE.finditer(text)]
    ends = frozenset("/".join(path[at:]) for path in parts for at in range(len(path)))
    return _BITE.sub(lambda found: found["text"], text), ends


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


# -- the use case ----------------------------------------------------------------------------------


# So many of the best matches are compared with a text.
MOST_COMPARED = 20
_MOST_LINKS = 5
# Who says where a text comes from has vouched for it: then it is what they say.
_SAYS_ITS_SOURCE = ("source", "source_type", "source_entity", "derived_from", "relates_to")


class Recognised(NamedTuple):
    """The keys that a text gets which repeats memories, and a sentence that says so."""

    values: dict[str, Plain]
    told: str

    def noted(self, saved: Saved) -> Saved:
        """Return what was saved, with the sentence among its findings."""
        hint = "if somebody said it again, say who: --source-entity, --source"
        finding = finding_of("recalled-text", saved.path, self.told, hint)
        return replace(saved, findings=(*saved.findings, finding))


class _Known(NamedTuple):
    path: str
    text: str


def recognised(view: View, values: Mapping[str, Plain], body: str) -> Recognised | None:
    """Return what a new raw memory repeats of what the vault has; None where that is nothing.

    A text that is all an echo is made of what it repeats, and has its roots; one that says something of its own, too,
    is related to it. Texts of fewer than 8 words are echoes only with the label of a bite.
    """
    if any(values.get(key) for key in _SAYS_ITS_SOURCE):
        return None
    text, paths = bites(body)
    if not paths and not is_long_enough(text):
        return None
    known = _known(view, text, paths)
    named = [ref for ref, one in known.items() if one.path in paths]
    found = echo(text, {ref: one.text for ref, one in known.items()}, named)
    if found.of:
        sources: list[Plain] = [*found.of[:_MOST_LINKS], RECALLED]
        return Recognised({"derived_from": sources}, f"it repeats {found.of[0]}, so it is not new evidence")
    if found.beside:
        related: list[Plain] = [*found.beside[:_MOST_LINKS]]
        return Recognised({"relates_to": related}, f"it repeats {found.beside[0]} among other things")
    return None


def _known(view: View, text: str, paths: frozenset[str]) -> dict[str, _Known]:
    """Return the memories that may have been recalled, by ref: the best matches, and those that bites name."""
    asked = query.of_prompt(text)
    if not asked.clauses:
        return {}
    active = narrowed(view, view.rows, NO_FILTERS)
    rows = [*view.ranker.rank(asked.clauses, view, MOST_COMPARED, among=active, text=asked.text).rows]
    if paths:
        path_of = view.column("path")
        named = [row for row in active if path_of[row] in paths]
        rows += view.ranker.rank(asked.clauses, view, None, among=named, text=asked.text).rows
    files = [file for row in dict.fromkeys(rows) if (file := view.opened(row)) and file.entry.ref]
    return {str(file.entry.ref): _Known(file.entry.path, f"{file.own_title}\n{file.text.body}") for file in files}
