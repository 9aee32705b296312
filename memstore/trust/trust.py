"""How far others vouch for a memory, and why: computed now, never read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.core.short_repr import short_repr
from memstore.core.times import time_in
from memstore.trust import score, statement
from memstore.trust.anchors import AnchorStatus
from memstore.trust.formats import beta
from memstore.trust.formats.beta import Voice
from memstore.trust.reputation import AUTHOR, Reputations
from memstore.trust.score import Trust, TrustProfile, TrustTerm
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memstore.core.ids import MemoryRef
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.trust.formats.beta import Beta
    from memstore.trust.reputation import Reputation
    from memstore.trust.score import TrustGrounds
    from memstore.trust.verification import Vouched

_ATTESTATIONS = frozenset({"signature", "witnesses", "anchors", "resolutions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """A memory's trust, what it rests on, and the keys of its frontmatter that no signature covers.

    `reputation` is its author's. `beta` has the weight of each voice, if the profile uses it.
    """

    file: MemoryFile
    profile: TrustProfile
    trust: Trust
    grounds: TrustGrounds
    vouched: Vouched
    reputation: Reputation
    beta: Beta | None
    unsigned: tuple[str, ...]
    computed_at: datetime

    __repr__ = short_repr

    @property
    def ref(self) -> MemoryRef | None:
        """The memory's ref; None if it has no id."""
        return self.file.memory.ref

    @property
    def integrity(self) -> str:
        """Whether it is what was signed: the state of the author's signature, or what is wrong with file or anchors."""
        if self.vouched.tampered:
            return self.vouched.tampered[0].kind.value
        altered = any(anchor.status is AnchorStatus.ALTERED for anchor in self.vouched.anchors)
        return AnchorStatus.ALTERED.value if altered else self.vouched.signature.state.value

    @property
    def proven_at(self) -> datetime | None:
        """The earliest time at which an anchor shows that it existed, in UTC; None if none does."""
        return min((one.at for one in self.vouched.anchors if one.counts and one.at), default=None)

    @property
    def age_days(self) -> int | None:
        """How many whole days ago it was made; None if nobody says when, 0 if that is yet to come."""
        made_at = time_in(self.file.memory.created_at)
        return max(0, (self.computed_at - made_at).days) if made_at else None

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
                "age_days": self.age_days,
                "dispute_count": self.grounds.disputes,
            },
        }


def trust_of(view: View, memory: Named, *, profile: TrustProfile = TrustProfile.ISNAD) -> Trusted:
    """Return how far others vouch for a memory.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.")
    >>> found = trust_of(ws.view(), str(memory.ref))
    >>> found.vouched.signature.state.value, found.trust.score, found.trust.level.word
    ('valid', 0.3, 'unverified')

    Args:
        view: the vault.
        memory: the memory.
        profile: how it is computed.

    Raises:
        NotFoundError: there is none that the viewer may see.
    """
    voucher = Voucher(view)
    return trusted(view, view.original(view.named(memory).path), voucher, Reputations(view, voucher), profile=profile)


def trusted(
    view: View,
    file: MemoryFile,
    voucher: Voucher,
    reputations: Reputations,
    *,
    profile: TrustProfile = TrustProfile.ISNAD,
) -> Trusted:
    """Return how far others vouch for the memory in a file that was read; see `trust_of`."""
    vouched, known, now = voucher.of(file.memory), reputations.of(file.memory.author), view.clock.now()
    grounds = claimed(file) if profile is TrustProfile.LITERAL else vouched.grounds(reputation=known.value)
    counted = None
    if profile is TrustProfile.BETA:
        counted = beta.beta(_voices(file.memory, vouched, voucher, reputations, now))
    return Trusted(
        file=file,
        profile=profile,
        trust=score.trust(grounds) if counted is None else _weighed(counted, grounds),
        grounds=grounds,
        vouched=vouched,
        reputation=known,
        beta=counted,
        unsigned=tuple(name for name in file.front.values if name not in _signed_keys(file.memory) | _ATTESTATIONS),
        computed_at=now,
    )


def _voices(
    memory: Memory, vouched: Vouched, voucher: Voucher, reputations: Reputations, now: datetime
) -> Iterator[Voice]:
    """Yield the attestations of a memory that count."""
    said = [(one.witness.agent_id, one.witness.attestation) for one in vouched.witnesses if one.verdict.counts]
    if vouched.signature.counts and memory.author:
        said.insert(0, (memory.author, AUTHOR))
    for entity, word in said:
        sponsor = voucher.controllers.sponsor_of(entity)
        worth = beta.worth(reputations.of(entity).outcomes, now, is_sponsored=sponsor is not None)
        yield Voice(entity, word, worth, sponsor)


def _weighed(of: Beta, grounds: TrustGrounds) -> Trust:
    """Return the number that voices add up to, with the level that the evidence allows; its terms are their weights."""
    terms = tuple(TrustTerm(voice.said, _points(voice), _weight_because(voice)) for voice in of.voices)
    return Trust(of.score, score.gate(grounds), of.contested, terms, grounds.stale)


def _points(voice: Voice) -> int:
    weight = round(voice.worth.weight * score.MOST)
    return {"dispute": -weight, "partial": 0}.get(voice.said, weight)


def _weight_because(voice: Voice) -> str:
    sponsored = f"sponsored by {voice.sponsor}" if voice.sponsor else "nobody sponsors them"
    return f"{voice.entity}: {sponsored}, {voice.worth.right:.1f} right, {voice.worth.wrong:.1f} wrong"


def _signed_keys(memory: Memory) -> frozenset[str]:
    """Return the keys that a signature covers; anybody who has the file can change all others unnoticed."""
    return frozenset({*statement.content_of(memory), *statement.provenance_of(memory)} - {"body"})


def claimed(file: MemoryFile) -> TrustGrounds:
    """Return what a file claims about itself, without verifying anything."""
    memory = file.memory
    said = [witness.attestation for witness in memory.witnesses]
    return score.TrustGrounds(
        signed=memory.signature is not None,
        confirms=said.count("confirm"),
        disputes=said.count("dispute"),
        anchors=len(memory.anchors),
        timed=bool(memory.anchors),
    )
