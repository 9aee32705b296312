"""What is asked of a vault, and what is answered: queries, filters, citations, hits.

Named tuples, as is all that every search loads: Python makes a frozen dataclass six times slower (docs/adr/0005).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.core.change import Conflict
    from memstore.search.explanation import Explanation, WhyNot


class Need(Enum):
    """What a clause means for a hit: it may hold it, must hold it, must not hold it."""

    MAY = "may"
    MUST = "must"
    MUST_NOT = "must not"


class Word(NamedTuple):
    """One word asked for, as an index term; `spellings` are tried where the word itself stands nowhere.

    `typed` is the word as it was asked for, folded; empty where only its term is meant. `whole` are the words, folded,
    of which one must stand there letter by letter; empty where any with the term will do. `spelt` are the words of the
    other spellings, for languages in which they have other stems.
    """

    term: str
    spellings: tuple[str, ...] = ()
    typed: str = ""
    whole: tuple[str, ...] = ()
    spelt: tuple[str, ...] = ()


class Prefix(NamedTuple):
    """The beginning of a word, folded and not stemmed."""

    start: str


class Phrase(NamedTuple):
    """Words, folded, that stand side by side, letter by letter; `others` are other ways to write it, as a date has."""

    words: tuple[str, ...]
    others: tuple[tuple[str, ...], ...] = ()


class Clause(NamedTuple):
    """One thing asked for."""

    asked: Word | Prefix | Phrase
    need: Need = Need.MAY


class Operator(Enum):
    """How `--where` compares."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    CONTAINS = "~"
    LACKS = "!~"
    EXISTS = "exists"
    MISSING = "missing"


class Where(NamedTuple):
    """A condition on one key of the frontmatter; EXISTS and MISSING have no value."""

    key: str
    operator: Operator
    value: str = ""


class Filters(NamedTuple):
    """What a memory must be like: values of one field are alternatives, fields and conditions hold together.

    Without `status`, only active memories are meant. `since` and `until` are inclusive, in UTC. `level` is the least
    level of trust.
    """

    type: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    source_type: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    title: tuple[tuple[str, ...], ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_confidence: float | None = None
    min_trust: float | None = None
    level: str | None = None
    where: tuple[Where, ...] = ()


NO_FILTERS = Filters()


class Query(NamedTuple):
    """A query taken apart: `text` as it was typed, what it asks for, and the filters in it (`tag:dog`).

    `notes` say what was read otherwise than it may have been meant.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    filters: Filters = NO_FILTERS
    notes: tuple[str, ...] = ()


class Sort(Enum):
    """What results are ordered by; the best, newest or first stands first."""

    RELEVANCE = "relevance"
    QUALITY = "quality"
    CREATED = "created"
    CONFIDENCE = "confidence"
    TITLE = "title"
    PATH = "path"


class Unit(Enum):
    """What a result is: a memory with its best passages, or one passage."""

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

    `relevance` says how well it matches, `quality` how far it may be relied on, both in [0,1]; `held_confidence` is
    what the memory's author holds. `content` is the passage's text, the citation's lines without their headings;
    `conflicts` are the open ones with other results; `trust_level` says who vouches for it, None before that was asked;
    `is_stale` whether its author signed something else than what stands there. `also` are further results that say the
    same in the same words, by ref, or by path where they have none; `explanation` is there where it was asked for.
    `language` is the one in whose stems it was compared.
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
    conflicts: tuple[Conflict, ...] = ()
    trust_level: str | None = None
    is_stale: bool = False
    also: tuple[str, ...] = ()
    explanation: Explanation | None = None
    language: str = "en"

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def combined(self) -> float:
        """Relevance times quality."""
        return self.relevance * self.quality


class Answer(NamedTuple):
    """The results of a query: `total` memories match, of `left_out` files it is not known.

    Where words must be there letter by letter, those that were not read count as matching by their stems.
    The best of the hits may well not answer where `weak`; `suggestion` then is a query that finds more of its words.
    `past` more match by their stems that are superseded, expired or archived, and were not asked for.
    `fallback` says why results below the asked-for quality are shown, or is None; `facets` counts the matching
    memories by each value of the keys that were asked for; where there are no hits, `suggestion` is a query with some.
    `why_not` says of one memory why it is not among the hits, or where it is; None where no memory was named.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    total: int = 0
    left_out: int = 0
    past: int = 0
    weak: bool = False
    fallback: str | None = None
    facets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    suggestion: str | None = None
    why_not: WhyNot | None = None

    def __repr__(self) -> str:
        return short_repr(self)
