"""How far others vouch for a memory, and why: computed now, never read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.codec import canonical
from memstore.flows.amend import opened_for_change
from memstore.flows.reputation import Reputations
from memstore.flows.vouch import Voucher
from memstore.rules import trust

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.codec.memory_file import MemoryFile
    from memstore.flows.vouch import Vouched
    from memstore.model.memory import Memory
    from memstore.ports.workspace import Workspace
    from memstore.rules.reputation import Reputation
    from memstore.rules.trust import Grounds, Trust

_ATTESTATIONS = frozenset({"signature", "witnesses", "anchors", "resolutions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """A memory's trust, what it rests on, and the keys of its frontmatter that nobody signed.

    `reputation` is its author's.
    """

    file: MemoryFile
    trust: Trust
    grounds: Grounds
    vouched: Vouched
    reputation: Reputation
    unsigned: tuple[str, ...]
    computed_at: datetime

    def seed_factors(self) -> dict[str, Any]:
        """Return the number and its level with seed 004's factors."""
        return {
            "score": self.trust.score,
            "level": self.trust.level.word,
            "contested": self.trust.contested,
            "factors": {
                "author_reputation": self.grounds.reputation,
                "witness_count": self.grounds.confirms,
                "anchor_count": self.grounds.anchors,
                "dispute_count": self.grounds.disputes,
            },
        }


def trust_of(ws: Workspace, ref: str, *, literal: bool = False) -> Trusted:
    """Return how far others vouch for a memory.

    >>> memory = memstore.create_memory(ws, summary="Synthesis is hard", body="It is.")
    >>> found = memstore.trust_of(ws, str(memory.ref))
    >>> found.vouched.signature.state.value, found.trust.score, found.trust.level.word
    ('valid', 0.3, 'unverified')

    Args:
        ws: the vault.
        ref: the memory.
        literal: count what the file claims, unverified, as seed 004's algorithm read; for comparison only.

    Raises:
        NotFoundError: there is none that the viewer may see.
    """
    voucher = Voucher(ws)
    return trusted(ws, opened_for_change(ws, ref), voucher, Reputations(ws, voucher), literal=literal)


def trusted(
    ws: Workspace, file: MemoryFile, voucher: Voucher, reputations: Reputations, *, literal: bool = False
) -> Trusted:
    """Return how far others vouch for the memory in a file that was read; see `trust_of`."""
    vouched, known = voucher.of(file.memory), reputations.of(file.memory.author)
    grounds = claimed(file) if literal else vouched.grounds(reputation=known.value)
    return Trusted(
        file=file,
        trust=trust.trust(grounds),
        grounds=grounds,
        vouched=vouched,
        reputation=known,
        unsigned=tuple(name for name in file.front.values if name not in _signed_keys(file.memory) | _ATTESTATIONS),
        computed_at=ws.clock.now(),
    )


def _signed_keys(memory: Memory) -> frozenset[str]:
    """Return the keys that a signature is over; whoever has the file may change all others, and none notices."""
    return frozenset({*canonical.content_of(memory), *canonical.provenance_of(memory)} - {"body"})


def claimed(file: MemoryFile) -> Grounds:
    """Return what a file says of itself, nothing of it verified."""
    memory = file.memory
    said = [witness.attestation for witness in memory.witnesses]
    return trust.Grounds(
        signed=memory.signature is not None,
        confirms=said.count("confirm"),
        disputes=said.count("dispute"),
        anchors=len(memory.anchors),
    )
