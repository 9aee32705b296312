"""Two files with one id: what may be seen is what both would show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.model.world import Labels

# Nobody owns what two own: no entity has such an id.
_NOBODY = "?"


def both(one: Labels, other: Labels) -> Labels:
    """Return labels that show a memory only to those who may see both copies of it; their order makes no difference."""
    one, other = sorted((one, other), key=repr)
    # A grant must match in each: the other's count as a label that it was told under.
    upstream = (*one.upstream_grants, *other.upstream_grants, other.access_grants)
    told_by = (*one.source_chain, *other.source_chain, *(name for name in (other.source_entity,) if name))
    return replace(
        one,
        owner=one.owner if one.owner == other.owner else _NOBODY,
        status="forgotten" if "forgotten" in (one.status, other.status) else one.status,
        source_chain=told_by,
        subject_ids=(*one.subject_ids, *other.subject_ids),
        access_denies=(*one.access_denies, *other.access_denies),
        consent_grants=tuple(name for name in one.consent_grants if name in other.consent_grants),
        upstream_grants=upstream,
        derived_from=(*one.derived_from, *other.derived_from),
        generalized=one.generalized and other.generalized and one.generalization == other.generalization,
        malformed=one.malformed or other.malformed or (one.owner, one.context) != (other.owner, other.context),
    )
