"""The table of the keys that a memory's frontmatter may have, and the words allowed as values of some of them.

Separate from `memory.py`, because a search needs these words and never the value of a memory.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from memstore.core.ids import MEMORY_TYPES

SOURCE_TYPES = (
    "direct_experience", "inference", "consolidation", "seed",
    "told_by_agent", "told_by_human", "observation", "external", "unknown",
)  # fmt: skip
# What somebody outside wrote and was taken in as it stood: pages, mail, output of tools (docs/adr/0038).
EXTERNAL = "external"
# How much one observation weighs, by how it is known; also the base of quality if no confidence is stored. An external
# memory weighs nothing until somebody vouches for it.
RELIABILITY: Mapping[str, float] = MappingProxyType(
    {
        "told_by_human": 1.00,
        "consolidation": 0.95,
        "seed": 0.90,
        "direct_experience": 0.85,
        "observation": 0.70,
        "told_by_agent": 0.60,
        "inference": 0.50,
        "unknown": 0.40,
        EXTERNAL: 0.30,
    }
)
CHANNELS = ("USER.md", "MEMORY.md", "AGENTS.md", "session", "heartbeat", "inferred", "fallback")
LEDGER_OPS = ("assert", "support", "partial", "contradict", "retract", "edit", "checkpoint", "propagate")
ATTESTATIONS = ("confirm", "dispute", "partial")
OUTCOMES = ("upheld", "overturned")
# The levels of trust, the lowest first; `trust.score.Level` says what each takes.
TRUST_LEVELS = ("unverified", "attested", "anchored", "consensus")
ANCHOR_TYPES = ("git_commit", "url", "moltbook_post", "opentimestamps", "blockchain")
# Anchors that are pages; the vault keeps a copy of each.
PAGE_ANCHORS = ("url", "moltbook_post")
ANCHOR_ROLES = ("commitment", "source")
# Taken out of recall and confidence by the vault's owner, with all that was derived from it.
QUARANTINED = "quarantined"
STATUSES = ("active", "draft", "superseded", "archived", QUARANTINED, "forgotten")
BELIEF_TYPES = ("fact", "rule", "preference", "constraint", "learned", "value")
IMPORTANCES = ("low", "normal", "high", "pinned")
# What a suggestion would do; all except `create` apply to the belief in its `relates_to`.
PROPOSALS = ("create", "support", "contradict", "supersede", "archive", "revise")


class Shape(Enum):
    """The form of a key's value; each enum value is the description shown to people."""

    __hash__ = object.__hash__  # identity suffices; Enum's own is a Python call, about a hundred per file

    LINE = "one line of text"
    LINES = "a list of one-line texts"
    WORDS = "a word, or a list of one-line texts"
    CHOICE = "one of a few words"
    MEMORY_ID = "a memory's id"
    ENTITY = "an entity id"
    ENTITIES = "a list of entity ids"
    GRANTEE = 'an entity id, or "*"'
    GRANTS = 'a list of entity ids, or "*"'
    GRANT_LISTS = "a list of lists of entity ids"
    CONTEXT = "a context, ctx:name"
    SCOPE = "global or project:name"
    SAY_SCOPE = "a scope: mem:ID or any ref, ctx:NAME, subject:ENTITY or source:ENTITY"
    REF = "a ref, type:id"
    REFS = "a list of refs, type:id"
    SOURCES = "a list of refs or external marks"
    HEIRS = "a ref, or a list of refs"
    INSTANT = "a time in UTC, YYYY-MM-DDTHH:MM:SSZ"
    DAY = "a date or a time in UTC"
    FRACTION = "a number from 0 to 1"
    NUMBER = "a number from 0 to 1000000"
    COUNT = "a whole number, 0 or more"
    FLAG = "true or false"
    ROLES = "a map of entity ids to lists of roles"
    ENTRY = "a map"
    ENTRIES = "a list of maps, one a line"


class Key(NamedTuple):
    """One key of a frontmatter, or of an entry in it."""

    name: str
    shape: Shape
    choices: tuple[str, ...] = ()
    entry: "tuple[Key, ...]" = ()
    required: bool = False


def _required(name: str, shape: Shape, choices: tuple[str, ...] = ()) -> Key:
    return Key(name, shape, choices, required=True)


LEDGER_KEYS = (
    _required("timestamp", Shape.INSTANT),
    _required("op", Shape.CHOICE, LEDGER_OPS),
    Key("old", Shape.FRACTION),
    Key("new", Shape.FRACTION),
    Key("evidence_source", Shape.LINE),
    Key("weight", Shape.NUMBER),
    Key("roots", Shape.LINES),
    Key("reason", Shape.LINE),
    Key("by", Shape.ENTITY),
    Key("precision", Shape.NUMBER),
    Key("counted", Shape.LINES),
    Key("source_confidence", Shape.FRACTION),
    Key("factor", Shape.FRACTION),
    Key("cap", Shape.FRACTION),
    Key("happened_at", Shape.INSTANT),
)
CLAIM_KEYS = (
    _required("subject", Shape.LINE),
    _required("attribute", Shape.LINE),
    _required("value", Shape.LINE),
    Key("since", Shape.DAY),
)
RESOLVED_CONFLICT_KEYS = (
    _required("with", Shape.REF),
    _required("conflict_type", Shape.LINE),
    _required("decision", Shape.LINE),
    Key("at", Shape.INSTANT),
    Key("by", Shape.ENTITY),
    Key("reason", Shape.LINE),
)
WITNESS_KEYS = (
    _required("agent_id", Shape.ENTITY),
    _required("attestation", Shape.CHOICE, ATTESTATIONS),
    _required("witnessed_at", Shape.INSTANT),
    Key("content", Shape.LINE),
    Key("provenance", Shape.LINE),
    Key("aspects", Shape.LINES),
    Key("notes", Shape.LINE),
    Key("sig", Shape.LINE),
)
ANCHOR_KEYS = (
    _required("type", Shape.CHOICE, ANCHOR_TYPES),
    _required("reference", Shape.LINE),
    Key("role", Shape.CHOICE, ANCHOR_ROLES),
    Key("path", Shape.LINE),
    Key("blob", Shape.LINE),
    Key("hash", Shape.LINE),
    Key("created_at", Shape.INSTANT),
)
RESOLUTION_KEYS = (
    _required("by", Shape.ENTITY),
    _required("outcome", Shape.CHOICE, OUTCOMES),
    _required("at", Shape.INSTANT),
    _required("content", Shape.LINE),
    _required("provenance", Shape.LINE),
    Key("notes", Shape.LINE),
    _required("sig", Shape.LINE),
)
SIGNATURE_KEYS = (
    _required("by", Shape.ENTITY),
    _required("at", Shape.INSTANT),
    _required("content", Shape.LINE),
    _required("provenance", Shape.LINE),
    _required("sig", Shape.LINE),
)
ORIGIN_KEYS = (
    Key("session_id", Shape.LINE),
    Key("trigger", Shape.LINE),
    Key("repeated", Shape.FLAG),
    Key("likeness", Shape.FRACTION),
)
GENERALIZATION_KEYS = (
    _required("verdict", Shape.LINE),
    Key("checks", Shape.LINES),
    Key("k", Shape.COUNT),
    Key("note", Shape.LINE),
    Key("acknowledged_by", Shape.ENTITY),
)
QUARANTINE_KEYS = (
    _required("of", Shape.LINE),
    _required("at", Shape.INSTANT),
    Key("by", Shape.ENTITY),
    Key("was", Shape.CHOICE, STATUSES),
    Key("reason", Shape.LINE),
)
COMPRESSED_KEYS = (_required("commit", Shape.LINE), _required("blob", Shape.LINE))

# In the order in which they are written to a new file.
KEYS = (
    _required("type", Shape.CHOICE, MEMORY_TYPES),
    Key("id", Shape.MEMORY_ID),
    Key("title", Shape.LINE),
    Key("aliases", Shape.WORDS),
    Key("tags", Shape.WORDS),
    Key("status", Shape.CHOICE, STATUSES),
    Key("status_reason", Shape.LINE),
    Key("quarantine", Shape.ENTRY, entry=QUARANTINE_KEYS),
    Key("proposes", Shape.CHOICE, PROPOSALS),
    Key("created_at", Shape.INSTANT),
    Key("valid_from", Shape.DAY),
    Key("valid_until", Shape.DAY),
    Key("scope", Shape.SCOPE),
    Key("owner", Shape.ENTITY),
    Key("author", Shape.ENTITY),
    Key("platform", Shape.LINE),
    Key("source", Shape.LINE),
    Key("source_type", Shape.CHOICE, SOURCE_TYPES),
    Key("source_entity", Shape.ENTITY),
    Key("source_chain", Shape.ENTITIES),
    Key("channel", Shape.CHOICE, CHANNELS),
    Key("origin", Shape.ENTRY, entry=ORIGIN_KEYS),
    Key("derived_from", Shape.SOURCES),
    Key("relates_to", Shape.REFS),
    Key("processed_into", Shape.REFS),
    Key("supersedes", Shape.HEIRS),
    Key("superseded_by", Shape.HEIRS),
    Key("context_tags", Shape.WORDS),
    Key("entities", Shape.LINES),
    Key("subject_ids", Shape.ENTITIES),
    Key("context", Shape.CONTEXT),
    Key("access_grants", Shape.GRANTS),
    Key("access_denies", Shape.GRANTS),
    Key("consent_grants", Shape.ENTITIES),
    Key("upstream_grants", Shape.GRANT_LISTS),
    Key("generalized", Shape.FLAG),
    Key("generalization", Shape.ENTRY, entry=GENERALIZATION_KEYS),
    Key("keeps_secret", Shape.FLAG),
    Key("belief_type", Shape.CHOICE, BELIEF_TYPES),
    Key("foundational", Shape.FLAG),
    Key("importance", Shape.CHOICE, IMPORTANCES),
    Key("confidence", Shape.FRACTION),
    Key("confidence_history", Shape.ENTRIES, entry=LEDGER_KEYS),
    Key("claims", Shape.ENTRIES, entry=CLAIM_KEYS),
    Key("resolved_conflicts", Shape.ENTRIES, entry=RESOLVED_CONFLICT_KEYS),
    Key("compressed_from", Shape.ENTRY, entry=COMPRESSED_KEYS),
    Key("signature", Shape.ENTRY, entry=SIGNATURE_KEYS),
    Key("witnesses", Shape.ENTRIES, entry=WITNESS_KEYS),
    Key("anchors", Shape.ENTRIES, entry=ANCHOR_KEYS),
    Key("resolutions", Shape.ENTRIES, entry=RESOLUTION_KEYS),
)
# Keys that memories of a type usually have; a writer who leaves out all of them gets a hint.
USUAL_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "raw": ("source",),
        "belief": ("confidence", "derived_from"),
        "value": ("importance",),
        "goal": ("valid_until",),
        "reflection": ("derived_from",),
        "insight": ("derived_from",),
        "encounter": ("entities",),
        "decision": ("derived_from", "relates_to"),
        "correction": ("relates_to",),
    }
)
KEY_BY_NAME: Mapping[str, Key] = MappingProxyType({key.name: key for key in KEYS})
# The keys whose values are refs, in the order in which a card shows them.
REF_KEYS = tuple(key.name for key in KEYS if key.shape in (Shape.REFS, Shape.SOURCES, Shape.HEIRS))
