"""A new memory's provenance, inferred from what its writer says (seed 000; docs/format.md, "Source and lineage")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.core.ids import MemoryRef, is_entity_id
from memstore.core.keys import EXTERNAL
from memstore.core.memory import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.memory import Memory

# First match wins. Only whole words match: not the "seed" in "unseeded", but the one in "kernle:seed-beliefs".
_BY_WORD = (
    (re.compile(r"\b(told|said|heard)\b", re.IGNORECASE), "told_by_agent"),
    (re.compile(r"\b(infer\w*|deduce\w*|conclude\w*)", re.IGNORECASE), "inference"),
    (re.compile(r"\bconsolidat\w*", re.IGNORECASE), "consolidation"),
    (re.compile(r"\bseed\w*", re.IGNORECASE), "seed"),
)
_WEB = re.compile(r"\bhttps?:", re.IGNORECASE)
# Types of memory that were made from the source they name. External ones were not made, but taken in.
_MADE_OF_THEIR_SOURCE = frozenset({"episode", "note"})


def teller_of(values: Mapping[str, Any]) -> str | None:
    """Return who told what a memory says: its `source_entity`, else its `source` if that is an entity's id.

    Refs, marks like `url:…`, and a kind that is a word for how something is known (`seed:…`) name nobody.
    """
    entity, source = _text(values.get("source_entity")), _text(values.get("source"))
    if entity or source is None or not is_entity_id(source):
        return entity
    kind = source.partition(":")[0]
    is_word = any(words.search(kind) for words, _ in _BY_WORD)
    return None if is_word or MemoryRef.parse(source) or is_external_mark(source) else source


def infer_source_type(values: Mapping[str, Any], told_by: Callable[[str], str]) -> str:
    """Return how a memory is known if its writer does not say: by who told it, else by the words of its source.

    Args:
        values: the frontmatter.
        told_by: how something is known that an entity told (`access.grants.told_by`).
    """
    teller = teller_of(values)
    if teller:
        return told_by(teller)
    text = _text(values.get("source")) or ""
    for words, source_type in _BY_WORD:
        if words.search(text):
            return source_type
    return "observation" if _WEB.match(text.strip()) else "direct_experience"


def provenance_of_new(values: Mapping[str, Any], told_by: Callable[[str], str]) -> dict[str, Any]:
    """Return the provenance keys to add to those that the writer of a new memory gave.

    An entity id in `source` only says how it is known; only `source_entity` gives whoever told it a say.

    Args:
        values: the frontmatter as given, including `type`.
        told_by: as for `infer_source_type`.
    """
    source = _text(values.get("source"))
    added: dict[str, Any] = {}
    if not values.get("source_type"):
        added["source_type"] = infer_source_type(values, told_by)
    is_made_of_it = values["type"] in _MADE_OF_THEIR_SOURCE and values.get("source_type") != EXTERNAL
    if source and not values.get("derived_from") and is_made_of_it:
        added["derived_from"] = [f"context:{source}"]
    return added


# What a memory says that was given no other: it may have a teller all the same.
LIVED = frozenset({None, "", "unknown", "direct_experience"})


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None  # else it is rejected when its shape is checked


def says_its_source(memory: Memory) -> bool:
    """Return whether a memory says where it comes from; who wrote it, where and when doesn't count."""
    said = (memory.source, memory.source_entity, memory.channel, memory.derived_from, memory.relates_to)
    named = (line.evidence_source or "" for line in memory.confidence_history)
    return (
        memory.source_type not in (None, "unknown")
        or any((*said, memory.supersedes))
        or any(MemoryRef.parse(text) or is_external_mark(text) for text in named)
        or any("[[" in (witness.notes or "") for witness in memory.witnesses)
    )
