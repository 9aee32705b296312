"""Widening by hand: whether a change of a memory lets somebody see it without everybody's consent who has a say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.rules.consent import ConsentBook
from memstore.rules.hearing import Hearing
from memstore.rules.reasons import verdict
from memstore.rules.standing import Standings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memstore.model.world import Decision, Labels, World


class Widening(NamedTuple):
    """That `grantee` gained a grant, or sight, for which something is missing; `decision` says what."""

    grantee: str
    decision: Decision


def widenings(world: World, before: Labels, after: Labels, at: datetime) -> Iterator[Widening]:
    """Yield who gained a grant, or sight by a grant they had, without all that a new grant needs.

    Consents count by records alone, as for `privacy grant`; who had a say before still has it, and so has what the
    memory was made of.

    Args:
        world: the registries and consents as they are now, and the memories that this one was made of.
        before: the old labels.
        after: the new labels.
        at: the time, UTC.
    """
    standings, book = Standings(world, at, None), ConsentBook(world, at)
    judged = _with_all_says(before, after)
    if (owner := after.owner or world.owner) != (before.owner or world.owner):
        # Who owns a memory sees it: to give it away is to grant it.
        given = replace(judged, access_grants=(owner,))
        if denial := Hearing(world, book, standings.grantee(owner)).denial(given):
            yield Widening(owner, verdict(world, given, {owner: denial}))
    for name in after.access_grants:
        if name == (after.owner or world.owner):
            continue
        hearing = Hearing(world, book, standings.grantee(name))
        had = name in before.access_grants
        if had and (hearing.denial(before) is None or hearing.denial(after) is not None):
            continue
        if denial := hearing.denial(judged):
            yield Widening(name, verdict(world, judged, {name: denial}))


def dropped(world: World, before: Labels, after: Labels, at: datetime) -> tuple[str, ...]:
    """Return what a memory that others may be shown no longer says of those it binds, like `subject:dog:bella`.

    Who had a say and is named no more would be asked nothing by the next grant. A memory that is granted to nobody else
    may be put right freely.

    Args:
        world: the registries.
        before: the old labels.
        after: the new labels.
        at: the time, UTC.
    """
    if not drops_names(before, after) or not {*after.access_grants} - {after.owner or world.owner}:
        return ()
    book = ConsentBook(world, at)
    says = {str(say) for say in book.says(before)} - {str(say) for say in book.says(after)}
    labels = {" ".join(label) for label in before.upstream_grants} - {
        " ".join(label) for label in after.upstream_grants
    }
    return tuple(sorted({*says, *(f"upstream:[{label}]" for label in labels)}))


def drops_names(before: Labels, after: Labels) -> bool:
    """Whether a name or a label that may bind is gone; the cheap question first."""
    return any(
        {*old} - {*new}
        for old, new in (
            (before.subject_ids, after.subject_ids),
            (_told_by(before), _told_by(after)),
            (before.upstream_grants, after.upstream_grants),
        )
    )


def _told_by(labels: Labels) -> tuple[str, ...]:
    return (*labels.source_chain, labels.source_entity) if labels.source_entity else labels.source_chain


def may_widen(before: Labels, after: Labels) -> bool:
    """Whether the labels differ in anything that could let more people see a memory; the cheap question first."""
    if before.owner != after.owner:
        return True
    return bool(after.access_grants) and replace(before, status="") != replace(after, status="")


def _with_all_says(before: Labels, after: Labels) -> Labels:
    """Return the new labels with everybody's say and every source from before, and without consents told by hand."""
    chain = (*after.source_chain, *_told_by(before))
    return replace(
        after,
        subject_ids=_united(after.subject_ids, before.subject_ids),
        source_entity=after.source_entity or before.source_entity,
        source_chain=_united(chain, ()),
        derived_from=_united(after.derived_from, before.derived_from),
        upstream_grants=(*after.upstream_grants, *(one for one in before.upstream_grants if one)),
        consent_grants=(),
        access_denies=(),
    )


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
