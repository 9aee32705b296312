"""Identifiers: of memories, of entities, and references to memories."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from typing import NamedTuple

MEMORY_TYPES = (
    "raw", "episode", "belief", "note", "value", "goal", "drive", "reflection",
    "insight", "encounter", "decision", "correction", "observation",
)  # fmt: skip

# Crockford's base 32 in lower case: without i, l, o and u, so an id can be read aloud without errors.
ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_RANDOM_CHARACTERS = 10
SHORTEST_PREFIX = 3
# The ids of suggestions begin with it.
ID_OF_PROPOSAL = "prop_"
# The ids of requests, for a consent or for witnesses, begin with it.
ID_OF_REQUEST = "req_"
# The ids of verdicts on two memories begin with it.
ID_OF_VERDICT = "ver_"

MEMORY_ID_PATTERN = r"[a-z0-9][a-z0-9_-]{2,63}"
ENTITY_ID_PATTERN = r"[a-z][a-z0-9-]*:[a-z0-9][a-z0-9._-]*"
_MEMORY_ID = re.compile(MEMORY_ID_PATTERN)
_ENTITY_ID = re.compile(ENTITY_ID_PATTERN)


def is_memory_id(text: str) -> bool:
    """Return whether `text` has the form of a memory's id, one of ours or a foreign one."""
    return _MEMORY_ID.fullmatch(text) is not None


def is_entity_id(text: str) -> bool:
    """Return whether `text` has the form of an entity's id, like `human:sean`."""
    return _ENTITY_ID.fullmatch(text) is not None


def is_group(entity: str) -> bool:
    """Return whether an entity's id is a group's, which is several people and acts through them."""
    return entity.startswith("group:")


class MemoryRef(NamedTuple):
    """A reference to a memory: its type and its id, written `type:id`."""

    type: str
    id: str

    def __str__(self) -> str:
        return f"{self.type}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> "MemoryRef | None":
        """Return the ref that `text` spells, or None if it is not a ref."""
        kind, colon, memory_id = text.partition(":")
        if not colon or kind not in MEMORY_TYPES or not is_memory_id(memory_id):
            return None
        return cls(kind, memory_id)
