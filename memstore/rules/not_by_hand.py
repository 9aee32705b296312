"""Keys that `set` and `add` leave alone: they come in pairs, are computed, or have a command that checks more."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """Why a key is not set by hand, and what to do instead."""

    why: str
    instead: str


_PAIRED = "both memories name each other"
_REFUSED = {
    "id": Refusal("an id is for good, others refer to it", "add a new memory and supersede this one"),
    "author": Refusal("the author is who wrote it", "write it with --as ENTITY"),
    "proposes": Refusal("a suggestion has it, with its evidence", "memstore consolidate --apply"),
    "processed_into": Refusal(_PAIRED, "memstore promote RAW --to TYPE"),
    "supersedes": Refusal(_PAIRED, "memstore supersede REF TEXT"),
    "superseded_by": Refusal(_PAIRED, "memstore supersede REF TEXT"),
    "resolved_conflicts": Refusal(_PAIRED, "memstore resolve-conflict REF REF"),
    "confidence_history": Refusal(
        "its lines are events", "memstore reinforce REF --evidence REF, or memstore set REF confidence=0.8"
    ),
    "upstream_grants": Refusal("it is what the sources allowed", "memstore generalize SRC…"),
    "generalized": Refusal("it says that a check was passed", "memstore generalize SRC…"),
    "generalization": Refusal("it is the verdict of a check", "memstore generalize SRC…"),
    "compressed_from": Refusal("it says where the whole text is kept", "memstore compress REF"),
    "signature": Refusal("only a key makes one", "memstore sign REF"),
    "witnesses": Refusal("only witnesses write it", "memstore witness REF"),
    "resolutions": Refusal("only a key makes one", "memstore resolve REF --outcome upheld"),
    "anchors": Refusal("an anchor must be looked up", "memstore anchor REF"),
}
_REFUSED_STATUSES = {
    "superseded": Refusal("its heir has to name it, too", "memstore supersede REF TEXT"),
    "forgotten": Refusal("forgetting leaves a tombstone and a record", "memstore forget REF"),
}
KEPT_BY_THE_PROGRAM = frozenset(_REFUSED)


def why_not(key: str, text: str) -> Refusal | None:
    """Return why a key is not given this text by hand; None where it may be."""
    if key == "status" and text in _REFUSED_STATUSES:
        return _REFUSED_STATUSES[text]
    return _REFUSED.get(key)
