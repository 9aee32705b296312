"""Graduation: which memories have earned a line in the MEMORY.md of their scope, and which have lost it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.rules.recall import one_line, shortened

if TYPE_CHECKING:
    from memstore.model.memory import Memory

MOST_A_RUN = 10  # seed 002, "Existing Consolidator"; so are the uses and days
MOST_LINES = 200  # of a whole MEMORY.md
FEWEST_USES = 3
FEWEST_DAYS = 14
BELIEF_ENTERS = 0.7  # the confidence today
BELIEF_LEAVES = 0.6
FEWEST_ROOTS = 3
LONGEST_LINE = 200  # characters of a memory's words

_IMPORTANT = ("high", "pinned")


class Record(NamedTuple):
    """What a memory has to show: days since it was made, uses; for a belief its confidence today and its roots."""

    days_old: float = 0.0
    uses: int = 0
    confidence: float = 0.0
    roots: int = 0


def page_of(scope: str) -> str:
    """Return the path of a scope's MEMORY.md: at the vault's top, or in projects/NAME."""
    kind, _, name = scope.partition(":")
    return f"projects/{name}/MEMORY.md" if kind == "project" and name else "MEMORY.md"


def may_stand(memory: Memory, owner: str) -> bool:
    """Whether a memory may stand on a page that the vault's owner reads to whoever is there.

    Only the owner's own may, and none that is kept to a context, kept from somebody, or told under somebody's grants,
    unless it was generalized.
    """
    if memory.status != "active" or memory.superseded_by or memory.owner not in (None, "", owner):
        return False
    return memory.generalized or not (memory.context or memory.access_denies or memory.upstream_grants)


def has_earned(memory: Memory, record: Record) -> bool:
    """Whether a memory has earned a line."""
    if memory.type == "belief":
        return record.confidence >= BELIEF_ENTERS and record.roots >= FEWEST_ROOTS
    return is_important(memory) and (record.uses >= FEWEST_USES or record.days_old > FEWEST_DAYS)


def has_lost(memory: Memory, record: Record) -> bool:
    """Whether a memory that has a line has lost it."""
    return record.confidence < BELIEF_LEAVES if memory.type == "belief" else not is_important(memory)


def is_important(memory: Memory) -> bool:
    """Whether somebody called a memory important; what is raw has to become something first."""
    return memory.importance in _IMPORTANT and memory.type != "raw"


def says_something(text: str) -> bool:
    """Whether a line by a hand states something: a heading, a comment or a rule is only there for the eye."""
    return not text.startswith(("#", "<!--")) and any(letter.isalnum() for letter in text)


def line_of(ref: str, title: str) -> str:
    """Return the line of a memory; its words can't end the block that it stands in."""
    words = one_line(title).replace("<!--", "< !--").replace("-->", "-- >")
    return f"- {shortened(words, LONGEST_LINE)} [[{ref}]]"
