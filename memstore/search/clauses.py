"""What is asked of a search: a query's clauses, conditions on keys, filters.

They are named tuples, as those of `retrieval`.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from datetime import datetime
from enum import Enum
from typing import NamedTuple


class Need(Enum):
    """Whether a hit may, must or must not match a clause."""

    MAY = "may"
    MUST = "must"
    MUST_NOT = "must not"


class Word(NamedTuple):
    """A word in a query, as an index term; `spellings` are tried if the word itself does not occur anywhere.

    `typed` is the word as typed, folded; empty if only its term matters. `whole` has folded words of which one must
    occur letter by letter; empty if any word with the term will do. `spelt` has the words of the other spellings, for
    languages in which they have other stems. `names` has the words of other names of whom it names, which count as
    the word.
    """

    term: str
    spellings: tuple[str, ...] = ()
    typed: str = ""
    whole: tuple[str, ...] = ()
    spelt: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Prefix(NamedTuple):
    """The beginning of a word, folded and not stemmed."""

    start: str


class Phrase(NamedTuple):
    """Adjacent words, folded, to match letter by letter; `others` has other forms, as for a date."""

    words: tuple[str, ...]
    others: tuple[tuple[str, ...], ...] = ()


class Clause(NamedTuple):
    """One part of a query: a word, prefix or phrase, and whether it must match.

    `weight` is what it counts relative to other clauses; `is_also` says that only the other words have it, in which the
    memory may have said it.
    """

    asked: Word | Prefix | Phrase
    need: Need = Need.MAY
    weight: float = 1.0
    is_also: bool = False


class Operator(Enum):
    """The operators of `--where`."""

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
    """Conditions on memories: the values of one field are alternatives; all fields and conditions must hold.

    Without `status`, only active memories match. `since` and `until` are inclusive, in UTC. `level` is the minimum
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
    """A parsed query: `text` as typed, its clauses, and the filters in it (`tag:dog`).

    `notes` explains parts that may have been read differently than intended. `also` has the words and short phrases in
    which a memory may have said it, as they were given.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    filters: Filters = NO_FILTERS
    notes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
