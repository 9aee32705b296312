"""What a memory made of another takes over from it: how it is known, whom it is about, and who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.model.sharing import EVERYBODY
from memstore.rules.provenance import infer_source_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Whose it is, whom it is about, who may see it: what is made of a memory is shown to nobody else.
ABOUT = (
    "owner", "scope", "subject_ids", "context", "access_grants", "access_denies", "consent_grants", "upstream_grants",
)  # fmt: skip
_WORDS = ("tags", "context_tags")
_ORIGIN = ("source_entity", "source_chain", "channel", "origin")
_KIND = ("belief_type", "foundational", "importance", "entities")
_HOW_IT_IS_KNOWN = frozenset({"source", "source_type", "source_entity"})


def promoted(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a promoted memory takes over, without those that were given.

    It is known in the way its source is known: hearsay that is promoted is still hearsay.

    Args:
        values: the frontmatter of what is promoted.
        given: the keys that the promoter gives.
    """
    kept = _kept(values, (*ABOUT, *_WORDS, *_ORIGIN), given)
    if _HOW_IT_IS_KNOWN.isdisjoint(given):
        kept["source_type"] = values.get("source_type") or infer_source_type(
            values.get("source"), values.get("source_entity")
        )
    elif "source_type" not in given:
        # Who told it, and through whom, belongs to the source that is no longer meant.
        kept = {name: value for name, value in kept.items() if name not in ("source_entity", "source_chain")}
    return kept


def superseding(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that an heir takes over, without those that were given.

    Args:
        values: the frontmatter of what is superseded.
        given: the keys that are given for the heir.
    """
    return _kept(values, (*ABOUT, *_WORDS, *_KIND), given)


def _kept(values: Mapping[str, Any], names: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) and name not in given}


def in_common(grants: Sequence[Sequence[str]]) -> list[str]:
    """Return who may see a memory made of several: whom each of them grants it, everybody where all do."""
    named = [list(one) for one in grants if EVERYBODY not in one and "public" not in one]
    if not named:
        return list(grants[0])
    return [entity for entity in named[0] if all(entity in one for one in named)]
