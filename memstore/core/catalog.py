"""Catalogue entries: what is known about every file of a vault without opening it."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum
from itertools import compress
from typing import NamedTuple

from memstore.core.short_repr import short_repr

# Separates the items of a list in one cell. It is a control character, so no value contains it.
ITEM_SEPARATOR = "\x1f"


class FileKind(Enum):
    """What a Markdown file in the vault is."""

    MEMORY = "memory"
    BROKEN = "broken"
    PLAIN = "plain"
    SEALED = "sealed"  # by somebody else's keys; nothing is known of it


class Entry(NamedTuple):
    """One file: its path, its revision (`blob`, a git blob id) and the header of the memory in it.

    All fields are text, as the catalogue stores them; absent fields are empty. A broken file has no header. A plain
    note has only keys that can't make it visible to anybody.
    """

    path: str
    blob: str
    kind: FileKind = FileKind.MEMORY
    type: str = ""
    id: str = ""
    title: str = ""
    status: str = ""
    created_at: str = ""
    scope: str = ""
    owner: str = ""
    author: str = ""
    source: str = ""
    source_type: str = ""
    source_entity: str = ""
    channel: str = ""
    confidence: str = ""
    importance: str = ""
    valid_from: str = ""
    valid_until: str = ""
    context: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    subject_ids: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    relates_to: tuple[str, ...] = ()
    processed_into: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    # The ledger's evidence, one `op ref` per line; `witness ref` for what a witness's notes cite.
    evidence: tuple[str, ...] = ()
    # The memories that the body cites, as refs.
    cites: tuple[str, ...] = ()
    # The links in the text, as `LINE LINK`: `12 [[Note#Heading]]`, `12 (../note.md)` (`files/links.py`).
    links: tuple[str, ...] = ()
    # Its attestations: `author si:ash`, `witness si:pith`, `resolution human:claire`, `anchor url`. Whether they are
    # valid is not known here.
    attested: tuple[str, ...] = ()
    # The other fields that decide who may see it (`access.world.Labels`). Each item of `upstream_grants` is one label,
    # `[a b]`.
    source_chain: tuple[str, ...] = ()
    access_grants: tuple[str, ...] = ()
    access_denies: tuple[str, ...] = ()
    consent_grants: tuple[str, ...] = ()
    upstream_grants: tuple[str, ...] = ()
    # The verdict of a generalization's check, and who acknowledged its warnings: `warn human:sean`.
    generalization: str = ""
    # A digest of the body's words, whatever white space is between them; memories that say the same share it.
    words: str = ""
    # Of a note that states no date: when a commit first had it, or in place of that `uncommitted` or `unknown`
    # (`search/first_commits.py`). A plain note's `created_at` is this time, the time when it was saved, or empty.
    first_commit: str = ""

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def ref(self) -> str | None:
        """`type:id`, or None for a memory without an id."""
        return f"{self.type}:{self.id}" if self.id else None


def filled(rows: Sequence[int], column: Sequence[str]) -> Iterator[int]:
    """Yield those of some rows, ascending, that have a value in a column; most cells of some columns are empty."""
    return compress(rows, column if len(rows) == len(column) else map(column.__getitem__, rows))


class Field(Enum):
    """The indexed fields of a memory: its body, and its head (title, aliases, the words of its date)."""

    TEXT = "text"
    HEAD = "head"


class EdgeKind(StrEnum):
    """Where an edge is recorded: in a key of the frontmatter, or in the body.

    Every edge points from the dependent memory to the one it depends on, whichever of the two names the other.
    """

    DERIVED_FROM = "derived_from"
    PROCESSED_INTO = "processed_into"
    EVIDENCE = "evidence"
    RELATES_TO = "relates_to"
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"
    CITES = "cites"
