"""Echoes: recalled text that comes back as a raw memory is linked with its source, and is not new evidence.

An echo is recognized by runs of four words that both texts have. A text that has another number, time or name in its
place tells of another event, and is no echo.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.evidence import RECALLED
from memstore.conflicts.guards import TIMES
from memstore.conflicts.quantities import CARDINALS
from memstore.conflicts.statements import is_past
from memstore.core.finding_codes import finding_of
from memstore.core.terms import stop_words, words
from memstore.search import INDEX, query
from memstore.search.clauses import NO_FILTERS
from memstore.search.filters import narrowed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    Grams = frozenset[tuple[str, ...]]
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.files.render import Plain


RUN = 4  # words
# The fraction of a text's runs that makes all of it an echo, and of a memory's runs that makes the text contain it.
MOST_OF_IT = 0.5
ALL_OF_IT = 0.8
# Shorter texts are repeated by chance: `the build broke again`.
FEWEST_WORDS = 8

# A line with a bite: `[Memory flash: its text] (2026-08-30) notes/tea.md:4`. One pattern for all of it
# takes cubic time.
_LABEL = re.compile(r"\[(?:Memory flash|Belief \([^)\n]{0,200}\)): ")
_CLOSED = re.compile(r"\] (?:\((?:\d{4}-\d\d-\d\d|about )[^()\n]{0,200}\) )?(?=\S)")
_CITED = re.compile(r"(?<=\.md):\d+[ \t]*\Z")


class Echo(NamedTuple):
    """The memories that a text repeats, best first: `of` if all of it is an echo, `beside` if it also says more."""

    of: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def bites(text: str) -> tuple[str, frozenset[str]]:
    """Return a text without the labels of the bites in it, and the paths that the labels name.

    A path may start anywhere, so all its endings are returned: `/home/sean/vault/notes/tea.md` may be `notes/tea.md` or
    `tea.md` in the vault.
    """
    lines = [_bite(line) for line in text.split("\n")]
    parts = [path.split("/") for _, path in lines if path]
    ends = frozenset("/".join(path[at:]) for path in parts for at in range(len(path)))
    return "\n".join(line for line, _ in lines), ends


def _bite(line: str) -> tuple[str, str]:
    """Return a line without the label of the bite in it, and the path that this names; empty if there is none."""
    cited = _CITED.search(line)
    label = _LABEL.search(line) if cited else None
    closed = _CLOSED.search(line, label.end()) if label else None
    if not (cited and label and closed) or closed.end() + len(".md") >= cited.start():
        return line, ""
    return line[: label.start()] + line[label.end() : closed.start()].removesuffix("…"), line[
        closed.end() : cited.start()
    ]


def grams(text: str) -> Grams:
    """Return the runs of four words in a text; the whole text if it has fewer words."""
    said = words(text)
    if len(said) < RUN:
        return frozenset({tuple(said)}) if said else frozenset()
    return frozenset(tuple(said[at : at + RUN]) for at in range(len(said) - RUN + 1))


def is_long_enough(text: str) -> bool:
    """Whether a text is too long to be repeated by chance."""
    return len(words(text)) >= FEWEST_WORDS


def echo(text: str, known: Mapping[str, str], named: Collection[str] = ()) -> Echo:
    """Return what a text repeats.

    Args:
        text: the text, without the labels of bites.
        known: the texts that it may come from, by name.
        named: the names of those that a bite in the text cites.
    """
    said = grams(text)
    runs = {name: grams(other) for name, other in known.items()}
    shared = {name: said & run for name, run in runs.items()}
    held = [name for name, both in shared.items() if len(both) >= ALL_OF_IT * max(1, len(runs[name]))]
    near = [name for name, both in shared.items() if said and len(both) >= MOST_OF_IT * len(said)]
    cited = [name for name in named if shared.get(name)]
    alike = {name for name in (*held, *near) if name not in named and not is_other_event(text, known[name])}
    found = sorted({*alike, *cited}, key=lambda name: (-len(shared[name]), name))
    covered = frozenset(gram for name in found for gram in shared[name])
    if not found or not said:
        return Echo()
    return Echo(of=tuple(found)) if len(covered) >= MOST_OF_IT * len(said) else Echo(beside=tuple(found))


# -- another event ---------------------------------------------------------------------------------

_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]|\n")
_STARTS = frozenset(".!?…:;\"'“‘(\n")
_SIDE = 3  # words that are alike around a detail: on one side, or two and one
_NUMBER, _TIME, _NAME = "0", "1", "2"  # the kinds of details; no word is written like this


def is_other_event(text: str, other: str) -> bool:
    """Whether a text has another number, time or name than another text, in a place that is alike in both.

    What it has besides makes no difference: all places of the other text are still in it.

    >>> is_other_event("Ran 8 km along the river before breakfast.", "Ran 5 km along the river before breakfast.")
    True
    >>> is_other_event("As noted on 3 May: Ran 5 km along the river.", "Ran 5 km along the river.")
    False
    """
    here, there = _details(text), _details(other)
    return any(values.isdisjoint(there[around]) for around, values in here.items() if around in there)


def _details(text: str) -> dict[tuple[int, tuple[str, ...]], set[str]]:
    """Return the numbers, times and names in a text by the words around them, in which other details are left open."""
    told = [*_told(text)]
    open_words = [kind or key for kind, key in told]
    found: dict[tuple[int, tuple[str, ...]], set[str]] = {}
    for at, (kind, key) in enumerate(told):
        if not kind:
            continue
        for before in range(_SIDE + 1):
            around = (*open_words[max(0, at - before) : at], kind, *open_words[at + 1 : at + 1 + _SIDE - before])
            if len(around) == _SIDE + 1 and any(word[0].isalpha() and word not in stop_words() for word in around):
                found.setdefault((before, around), set()).add(key)
    return found


def _told(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words and numbers of a text, each with the kind of detail that it is; empty if it is none."""
    tokens = [found.group() for found in _TOKEN.finditer(text)]
    before = "\n"
    for at, token in enumerate(tokens):
        key = token.casefold().replace("’", "'").removesuffix("'s")
        after = tokens[at + 1] if at + 1 < len(tokens) else "\n"
        starts, before = before, token
        if token[0].isdigit() or key in CARDINALS:
            # The number of an item in a list counts nothing.
            is_item = starts == "\n" and after in (".", ")")
            yield (("" if is_item or key == "one" else _NUMBER), f"{CARDINALS[key]:g}" if key in CARDINALS else key)
        elif any(key in times for times in TIMES[:4]):
            yield _TIME, key
        elif token[0].isalpha():
            is_name = token[0].isupper() and key not in stop_words()
            # Any word is capitalized where a sentence begins; there, a name is whoever did something: `Tom called`.
            does = is_past(after) or token.endswith(("'s", "’s"))
            yield (_NAME if is_name and (starts not in _STARTS or does) else ""), key


# -- the use case ----------------------------------------------------------------------------------


# The number of best matches that are compared with a text.
MOST_COMPARED = 20
_MOST_LINKS = 5
# An author who states where a text comes from vouches for it; then that statement is used.
_SAYS_ITS_SOURCE = ("source", "source_type", "source_entity", "derived_from", "relates_to")


class Recognised(NamedTuple):
    """The keys for a text that repeats memories, and a sentence that says so."""

    values: dict[str, Plain]
    told: str

    def noted(self, saved: Saved) -> Saved:
        """Return the saved memory with the sentence added to its findings."""
        hint = "if somebody said it again, say who: --source-entity, --source"
        finding = finding_of("recalled-text", saved.path, self.told, hint)
        return replace(saved, findings=(*saved.findings, finding))


class _Known(NamedTuple):
    path: str
    text: str


def recognised(view: View, values: Mapping[str, Plain], body: str) -> Recognised | None:
    """Return what a new raw memory repeats from the vault; None if it repeats nothing.

    A text that is entirely an echo is derived from what it repeats, and has its roots; one that also says something new
    is related to it. Texts of fewer than 8 words are echoes only if they contain the label of a bite.
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
    rows = [*view.of(INDEX).ranker.rank(asked.clauses, view, MOST_COMPARED, among=active, text=asked.text).rows]
    if paths:
        path_of = view.column("path")
        named = [row for row in active if path_of[row] in paths]
        rows += view.of(INDEX).ranker.rank(asked.clauses, view, None, among=named, text=asked.text).rows
    files = [file for row in dict.fromkeys(rows) if (file := view.of(INDEX).opened(row)) and file.entry.ref]
    return {str(file.entry.ref): _Known(file.entry.path, f"{file.own_title}\n{file.text.body}") for file in files}
