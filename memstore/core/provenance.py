"""A new memory's provenance, inferred from what its writer says (seed 000; docs/format.md, "Source and lineage")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.core.ids import MemoryRef, is_entity_id
from memstore.core.keys import EXTERNAL
from memstore.core.memory import is_external_mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.memory import Memory

# First match wins. Only whole words match: not the "seed" in "unseeded", but the one in "kernle:seed-beliefs".
_BY_WORD = (
    (re.compile(r"\b(told|said|heard)\b", re.IGNORECASE), "told_by_agent"),
    (re.compile(r"\b(infer\w*|deduce\w*|conclude\w*)", re.IGNORECASE), "inference"),
    (re.compile(r"\bconsolidat\w*", re.IGNORECASE), "consolidation"),
    (re.compile(r"\bseed\w*", re.IGNORECASE), "seed"),
)
_WEB = re.compile(r"\bhttps?:", re.IGNORECASE)
_BY_ENTITY = {"human": "told_by_human", "si": "told_by_agent"}
# Types of memory that were made from the source they name. External ones were not made, but taken in.
_MADE_OF_THEIR_SOURCE = frozenset({"episode", "note"})


def infer_source_type(source: str | None, source_entity: str | None) -> str:
    """Return how a memory is known if its writer does not say: by who told it, else by the words of its source."""
    kind = (source_entity or "").partition(":")[0]
    if kind in _BY_ENTITY:
        return _BY_ENTITY[kind]
    text = source or ""
    for words, source_type in _BY_WORD:
        if words.search(text):
            return source_type
    return "observation" if _WEB.match(text.strip()) else "direct_experience"


def provenance_of_new(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance keys to add to those that the writer of a new memory gave.

    An entity id in `source` only says how it is known; only `source_entity` gives whoever told it a say.

    Args:
        values: the frontmatter as given, including `type`.
    """
    source, entity = _text(values.get("source")), _text(values.get("source_entity"))
    added: dict[str, Any] = {}
    if not values.get("source_type"):
        told_by = source if source and is_entity_id(source) else None
        added["source_type"] = infer_source_type(source, entity or told_by)
    is_made_of_it = values["type"] in _MADE_OF_THEIR_SOURCE and values.get("source_type") != EXTERNAL
    if source and not values.get("derived_from") and is_made_of_it:
        added["derived_from"] = [f"context:{source}"]
    return added


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None  # anything else is rejected when its shape is checked


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
