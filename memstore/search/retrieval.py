"""Value types of searches: citations, hits, answers; what is asked is in `clauses`.

They are named tuples, like all types that every search loads: Python takes six times as long to create a frozen
dataclass (docs/adr/0005).
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.short_repr import short_repr
from memstore.search.clauses import Query

if TYPE_CHECKING:
    from memstore.core.conflict import Conflict
    from memstore.core.quotation import External
    from memstore.search.explanation import Explanation, WhyNot


class Sort(Enum):
    """The order of results; the best, newest or first comes first."""

    RELEVANCE = "relevance"
    QUALITY = "quality"
    CREATED = "created"
    CONFIDENCE = "confidence"
    TITLE = "title"
    PATH = "path"


class Unit(Enum):
    """The unit of results: a memory with its best passages, or one passage."""

    MEMORY = "memory"
    PASSAGE = "passage"


class Citation(NamedTuple):
    """Lines of a file: from 1, both inclusive; `excerpt` is their text, `version_hash` the file's git blob id."""

    path: str
    line_start: int
    line_end: int
    excerpt: str
    version_hash: str

    def __repr__(self) -> str:
        return short_repr(self)


class Hit(NamedTuple):
    """One result.

    `relevance` is how well it matches and `quality` how reliable it is, both in [0,1]; `held_confidence` is the stored
    confidence. `content` is the passage's text: the cited lines without their headings. `conflicts` has the open
    conflicts with other results. `trust_level` is None until it is computed; `is_stale` says whether the author signed
    something other than the current content. `also` lists further results that say the same in the same words, by
    ref, or by path if they have none. `explanation` is set if it was requested. `language` is the language whose
    stemmer was used. `external` is set if the text is a quotation, and has to be shown as one. `stack` is the name of
    the shared stack in which it was found, beside the vault; `path` is then absolute. `by_also` says that it has none
    of the query's own words, only other words that were given for them (`Query.also`).
    """

    ref: str | None
    path: str
    title: str
    type: str
    created_at: str | None
    content: str
    citation: Citation
    more: tuple[Citation, ...]
    relevance: float
    quality: float
    held_confidence: float | None
    source_type: str
    channel: str | None
    conflicts: tuple["Conflict", ...] = ()
    trust_level: str | None = None
    is_stale: bool = False
    also: tuple[str, ...] = ()
    explanation: "Explanation | None" = None
    language: str = "en"
    status: str = "active"
    external: "External | None" = None
    stack: str | None = None
    by_also: bool = False

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def combined(self) -> float:
        """Relevance times quality."""
        return self.relevance * self.quality


class Answer(NamedTuple):
    """The results of a query: `total` memories match; `left_out` files can't be read.

    If words must match letter by letter, memories that were not read count as matching by their stems.
    `weak` means that the best hit may well not answer; `suggestion` is then a query that finds more of the words.
    Without hits, `suggestion` is a query that has some. `past` is the number of further matches, by stems, that are
    superseded, expired or archived. `fallback` is the reason why results below the required quality, or none, are
    shown; None if there are results of that quality. `external` is the number of external matches that are not
    among the hits. `facets` counts the matching memories by value for each requested key. `why_not` says why a
    named memory is not among the hits, or at which place it is; None if no memory was named. `not_compared` is how
    many pairs of hits that are alike were not compared for conflicts, or only in part.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    total: int = 0
    left_out: int = 0
    past: int = 0
    weak: bool = False
    external: int = 0
    fallback: str | None = None
    facets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    suggestion: str | None = None
    why_not: "WhyNot | None" = None
    not_compared: int = 0

    def __repr__(self) -> str:
        return short_repr(self)


class Ranked(NamedTuple):
    """The memories that match some clauses, by row, with their scores.

    `weights` has the weight of each clause, 0 for excluded ones, and `terms` the index terms that count as its word,
    empty for prefixes and phrases. `best_possible` is the highest possible score by words; 0 without clauses that must
    or may match. `total` is the number of matching memories; `rows` may have only the best. Within one `generation`,
    the same row is the same memory; None if unknown. `in_others` has, by language, the terms that count instead in
    memories in other languages than English.
    """

    rows: Sequence[int]
    scores: Sequence[float]
    weights: tuple[float, ...]
    terms: tuple[tuple[str, ...], ...]
    best_possible: float
    total: int
    generation: str | None = None
    in_others: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType({})
