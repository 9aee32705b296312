"""Words that were taken out of a memory, or turned back to older ones: what its history has and it has no longer.

A file shows all that it says, and nothing of what somebody took out of it. Only words that would count today are
missed: a dispute of a memory that says something else by now is none of this one's.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.rules.vouching import State, voices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memstore.model.attestation import Resolution, Signature, Witness
    from memstore.rules.vouching import Attested, Verdict


class Tampering(Enum):
    """What was done: a dispute or a decision taken out, or an older version put after a newer one."""

    WITHHELD = "withheld"
    ROLLBACK = "rollback"


class Tampered(NamedTuple):
    """What was done to whose words, and why that is thought."""

    kind: Tampering
    agent: str
    reason: str


def of_witnesses(
    author: str | None,
    there: Sequence[Attested],
    before: Iterable[Attested],
    *,
    controller_of: Callable[[str], str],
) -> tuple[Tampered, ...]:
    """Return what was done to the words of witnesses.

    Args:
        author: who wrote the memory.
        there: the witnesses in the file, each with its verdict by itself.
        before: the witnesses in earlier revisions of the file, with their verdicts over the memory as it is now.
        controller_of: gives who controls an entity, itself where nobody else does.
    """
    known = {_words(one.witness) for one in there}
    missing = list({_words(one.witness): one for one in before if _words(one.witness) not in known}.values())
    together = voices(author, [*there, *missing], controller_of=controller_of)
    heard = {
        controller_of(one.witness.agent_id)
        for one in voices(author, there, controller_of=controller_of)
        if one.verdict.counts
    }
    found = _of_missing([one.witness for one in together[len(there) :] if one.verdict.counts], heard, controller_of)
    return tuple(sorted(found, key=lambda one: one.reason))


def _of_missing(missing: Iterable[Witness], heard: set[str], controller_of: Callable[[str], str]) -> Iterator[Tampered]:
    for witness in missing:
        agent, at = witness.agent_id, witness.witnessed_at
        if controller_of(agent) in heard:
            reason = f"{agent} said something later, {at}, and that was taken out"
            yield Tampered(Tampering.ROLLBACK, agent, reason)
        elif witness.attestation == "dispute":
            yield Tampered(Tampering.WITHHELD, agent, f"{agent} disputed it, {at}, and that was taken out")


def of_resolutions(
    there: Sequence[tuple[Resolution, Verdict]], before: Iterable[tuple[Resolution, Verdict]]
) -> tuple[Tampered, ...]:
    """Return which decisions on disputes were taken out, after which whoever decided has said nothing else.

    Args:
        there: the decisions in the file, and how each stands.
        before: those in earlier revisions of the file, and how they stand over the memory as it is now.
    """
    known = {replace(entry, sig="") for entry, _ in there}
    last: dict[str, Resolution] = {}
    for entry, verdict in (*before, *there):
        if verdict.counts and (entry.by not in last or _instant(entry.at) >= _instant(last[entry.by].at)):
            last[entry.by] = entry
    return tuple(
        Tampered(Tampering.WITHHELD, by, f"{by} decided it ({entry.outcome}), {entry.at}, and that was taken out")
        for by, entry in sorted(last.items())
        if replace(entry, sig="") not in known
    )


def of_author(
    there: tuple[Signature, Verdict] | None, before: Iterable[tuple[Signature, Verdict]]
) -> tuple[Tampered, ...]:
    """Return whether the author signed another version later than the one that the file has now.

    Args:
        there: the signature in the file, and how it stands.
        before: those in earlier revisions, and how they stand over the memory as it is now.
    """
    if there is None or not there[1].counts:
        return ()
    signed_at = _instant(there[0].at)
    later = [one for one, verdict in before if verdict.state is State.STALE and _instant(one.at) > signed_at]
    last = max(later, key=lambda one: _instant(one.at), default=None)
    if last is None:
        return ()
    return (Tampered(Tampering.ROLLBACK, last.by, f"{last.by} signed another version later, {last.at}"),)


def _words(witness: Witness) -> Witness:
    """Return what was said, whatever signature it has: some keys never make the same one twice."""
    return replace(witness, sig=None)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
