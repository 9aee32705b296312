"""Profile beta-1: each word weighs what its speaker's words were worth before; a number to rank by.

What an entity's words were worth is evidence r for and s against, fading by half every 365 days, of a Beta distribution
with a prior of 2: belief r / (r + s + 2), disbelief s / (r + s + 2), uncertainty 2 / (r + s + 2). A word weighs
max(0, belief - disbelief). Nobody's word weighs anything until something was decided about it, or somebody sponsors
them, which is worth 4:1. The weights for and against a memory are evidence in their turn, and the number is the belief.

Source: docs/references.md, "reputation"; docs/adr/0015.
"""

from __future__ import annotations

from math import exp2, fsum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from memstore.trust.reputation import Outcome

PRIOR = 2.0
SPONSORED_RIGHT, SPONSORED_WRONG = 4.0, 1.0
HALF_LIFE_DAYS = 365.0
# Both sides are heard where the smaller weighs at least one part in so many of the larger.
CONTESTED_PARTS = 3
_SECONDS_A_DAY = 86_400


class Opinion(NamedTuple):
    """Evidence for and against, each 0 or more."""

    right: float = 0.0
    wrong: float = 0.0

    @property
    def belief(self) -> float:
        """How much of it speaks for it, in [0, 1)."""
        return self.right / (self.right + self.wrong + PRIOR)

    @property
    def disbelief(self) -> float:
        """How much of it speaks against it, in [0, 1)."""
        return self.wrong / (self.right + self.wrong + PRIOR)

    @property
    def uncertainty(self) -> float:
        """How much is not known, in (0, 1]; the three make 1."""
        return PRIOR / (self.right + self.wrong + PRIOR)

    @property
    def weight(self) -> float:
        """What a word is worth, in [0, 1)."""
        return max(0.0, self.belief - self.disbelief)


class Voice(NamedTuple):
    """One word that counts: by whom, what (`author`, `confirm`, `dispute`, `partial`), and what their words are worth.

    `sponsor` is who introduced them; None where nobody did.
    """

    entity: str
    said: str
    worth: Opinion
    sponsor: str | None = None


class Beta(NamedTuple):
    """What the voices amount to: `of` is the evidence about the memory; `corroboration` the weight of confirmations."""

    voices: tuple[Voice, ...]
    of: Opinion
    corroboration: float

    @property
    def score(self) -> float:
        """The number, in [0, 1): the belief."""
        return self.of.belief

    @property
    def contested(self) -> bool:
        """Whether both sides are heard."""
        less, more = sorted((self.of.right, self.of.wrong))
        return less > 0 and less * CONTESTED_PARTS >= more


def worth(outcomes: Iterable[Outcome], now: datetime, *, is_sponsored: bool) -> Opinion:
    """Return what an entity's words are worth at `now`, UTC."""
    aged = [(one.was_right, _faded((now - one.at).total_seconds() / _SECONDS_A_DAY)) for one in outcomes]
    return Opinion(
        fsum([SPONSORED_RIGHT * is_sponsored, *(weight for right, weight in aged if right)]),
        fsum([SPONSORED_WRONG * is_sponsored, *(weight for right, weight in aged if not right)]),
    )


def beta(voices: Iterable[Voice]) -> Beta:
    """Return what voices amount to; their order doesn't matter, and a partial one takes no side."""
    heard = tuple(voices)
    weights = {said: [voice.worth.weight for voice in heard if voice.said == said] for said in _SIDES}
    corroboration = fsum(weights["confirm"])
    of = Opinion(fsum([*weights["author"], *weights["confirm"]]), fsum(weights["dispute"]))
    return Beta(heard, of, corroboration)


def sponsor_of(
    entity: str, sponsors: Mapping[str, str], *, controller_of: Callable[[str], str], owner: str
) -> str | None:
    """Return who sponsors an entity; None where nobody does whose own sponsors lead to the vault's owner.

    Those who sponsor each other, or themselves in another persona, lend each other nothing.

    Args:
        entity: whom.
        sponsors: the sponsor of each controller.
        controller_of: gives who controls an entity; "" where that is unknown.
        owner: who needs no sponsor.
    """
    first, root = controller_of(entity), controller_of(owner)
    if first and first == root:
        return owner
    met, who = set[str](), first
    while who and who != root and who not in met:
        met.add(who)
        who = controller_of(sponsors[who]) if who in sponsors else ""
    return sponsors[first] if who and who == root else None


_SIDES = ("author", "confirm", "dispute")


def _faded(age_days: float) -> float:
    """Return what is left of evidence after so many days, in (0, 1]; what lies ahead counts as now."""
    return exp2(-max(age_days, 0.0) / HALF_LIFE_DAYS)
