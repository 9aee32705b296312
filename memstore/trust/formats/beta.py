"""Profile beta-1: weighs each attestation by how its maker's statements turned out; gives a number to rank by.

The worth of an entity's statements comes from the evidence r for and s against them, halved every 365 days, in a Beta
distribution with a prior of 2: belief r / (r + s + 2), disbelief s / (r + s + 2), uncertainty 2 / (r + s + 2). A
statement weighs max(0, belief - disbelief). Nobody's statement weighs anything until one of theirs has been decided, or
somebody sponsors them, which is worth 4:1. The weights for and against a memory are in turn evidence about it, and the
number is the belief.

Source: docs/references.md, "reputation"; docs/adr/0015.
"""

from __future__ import annotations

from math import exp2, fsum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from memstore.trust.vouching import Outcome

PRIOR = 2.0
SPONSORED_RIGHT, SPONSORED_WRONG = 4.0, 1.0
HALF_LIFE_DAYS = 365.0
# Both sides are heard if the smaller weighs at least one part in this many of the larger.
CONTESTED_PARTS = 3
_SECONDS_A_DAY = 86_400


class Opinion(NamedTuple):
    """Evidence for and against, each 0 or more."""

    right: float = 0.0
    wrong: float = 0.0

    @property
    def belief(self) -> float:
        """How much speaks for it, in [0, 1)."""
        return self.right / (self.right + self.wrong + PRIOR)

    @property
    def disbelief(self) -> float:
        """How much speaks against it, in [0, 1)."""
        return self.wrong / (self.right + self.wrong + PRIOR)

    @property
    def uncertainty(self) -> float:
        """How much is unknown, in (0, 1]; the three add up to 1."""
        return PRIOR / (self.right + self.wrong + PRIOR)

    @property
    def weight(self) -> float:
        """The weight of a statement, in [0, 1)."""
        return max(0.0, self.belief - self.disbelief)


class Voice(NamedTuple):
    """One attestation that counts: by whom, what (`author`, `confirm`, `dispute`, `partial`), and its maker's worth.

    `sponsor` is who introduced them; None if nobody did.
    """

    entity: str
    said: str
    worth: Opinion
    sponsor: str | None = None


class Beta(NamedTuple):
    """The result of the voices: `of` is the evidence about the memory, `corroboration` the weight of confirmations."""

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
    """Return the worth of an entity's statements at `now`, in UTC."""
    aged = [(one.was_right, _faded((now - one.at).total_seconds() / _SECONDS_A_DAY)) for one in outcomes]
    return Opinion(
        fsum([SPONSORED_RIGHT * is_sponsored, *(weight for right, weight in aged if right)]),
        fsum([SPONSORED_WRONG * is_sponsored, *(weight for right, weight in aged if not right)]),
    )


def beta(voices: Iterable[Voice]) -> Beta:
    """Return the result of voices; their order doesn't matter, and a partial one takes no side."""
    heard = tuple(voices)
    weights = {said: [voice.worth.weight for voice in heard if voice.said == said] for said in _SIDES}
    corroboration = fsum(weights["confirm"])
    of = Opinion(fsum([*weights["author"], *weights["confirm"]]), fsum(weights["dispute"]))
    return Beta(heard, of, corroboration)


def sponsor_of(
    entity: str, sponsors: Mapping[str, str], *, controller_of: Callable[[str], str], owner: str
) -> str | None:
    """Return who sponsors an entity; None unless that sponsor's own sponsors lead to the vault's owner.

    Entities that sponsor each other, or themselves as another persona, gain nothing from it.

    Args:
        entity: whose sponsor to return.
        sponsors: the sponsor of each controller.
        controller_of: returns who controls an entity; "" if that is unknown.
        owner: needs no sponsor.
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
    """Return the remaining weight of evidence after this many days, in (0, 1]; the future counts as now."""
    return exp2(-max(age_days, 0.0) / HALF_LIFE_DAYS)
