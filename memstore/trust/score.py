"""Trust: who vouches for a memory, as one number and a level. Computed from what was verified, never read from a file.

Source: seed 004's `compute_trust_score`, with only verified inputs from distinct parties other than the author; counted
in thousandths, so that no sum depends on the order of its terms.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from enum import IntEnum, StrEnum
from typing import NamedTuple

from memstore.core.short_repr import short_repr

FOR_SIGNATURE = 200
FOR_ONE_CONFIRM = 200
FOR_THREE_CONFIRMS = 100
FOR_ONE_ANCHOR = 200
FOR_TWO_ANCHORS = 100
OF_REPUTATION = 200
AGAINST_DISPUTE = 150
MOST = 1000
# The reputation of an author about whom nothing is known.
NEW_AUTHOR = 0.5
_CONFIRMS_FOR_MORE, _ANCHORS_FOR_MORE, _CONFIRMS_FOR_CONSENSUS = 3, 2, 2


class TrustProfile(StrEnum):
    """How trust is computed: from what was verified; from the file's claims, to compare; or from each voice's worth."""

    ISNAD = "isnad-0.1"
    LITERAL = "isnad-0.1-literal"
    BETA = "beta-1"


class Level(IntEnum):
    """Seed 004's levels, lowest first; the value is the number of thousandths at which the level begins."""

    UNVERIFIED = 0
    ATTESTED = 300
    ANCHORED = 600
    CONSENSUS = 800

    @property
    def word(self) -> str:
        """The level as people write it."""
        return self.name.lower()


class TrustGrounds(NamedTuple):
    """What trust rests on: only what was verified. Witnesses are distinct and not the author.

    `anchors` are valid ones that commit to the memory's digest, counted once per place. `reputation` is the author's,
    in [0, 1]. `tampered` is true if statements were removed from the file, or replaced by older ones. `timed` is true
    if a third party proves when it existed; `stale` is true if the author signed something else.
    """

    signed: bool = False
    confirms: int = 0
    disputes: int = 0
    anchors: int = 0
    reputation: float = NEW_AUTHOR
    tampered: bool = False
    timed: bool = False
    stale: bool = False


class TrustTerm(NamedTuple):
    """One term of the sum, in thousandths."""

    name: str
    points: int
    because: str


class Trust(NamedTuple):
    """The number in [0, 1], the level, whether anybody disputes it, and the terms that add up to the number.

    `stale` is true if the author signed something other than the current content.
    """

    score: float
    level: Level
    contested: bool
    terms: tuple[TrustTerm, ...]
    stale: bool = False

    @property
    def word(self) -> str:
        """The level as people write it, with any qualifications."""
        notes = ", contested" * self.contested + ", stale" * self.stale
        return self.level.word + notes

    @property
    def is_held_back(self) -> bool:
        """Whether the level is lower than the number alone would give."""
        return self.level < band(round(self.score * MOST))

    def __repr__(self) -> str:
        return short_repr(self)


def trust(grounds: TrustGrounds) -> Trust:
    """Return how far others vouch for a memory.

    Raises:
        ValueError: the reputation is not a number in [0, 1].
    """
    terms = terms_of(grounds)
    points = max(0, min(MOST, sum(term.points for term in terms)))
    level = min(band(points), gate(grounds))
    return Trust(points / MOST, level, grounds.disputes > 0, terms, grounds.stale)


def terms_of(grounds: TrustGrounds) -> tuple[TrustTerm, ...]:
    """Return the terms of the sum that are not zero, in the seed's order."""
    if not 0.0 <= grounds.reputation <= 1.0:
        raise ValueError(f"a reputation is a number from 0 to 1, not {grounds.reputation}")
    standing = round(OF_REPUTATION * grounds.reputation) if grounds.signed else 0
    terms = (
        TrustTerm("signature", FOR_SIGNATURE * grounds.signed, "the author's signature is valid"),
        TrustTerm(
            "witness",
            FOR_ONE_CONFIRM * (grounds.confirms >= 1),
            _count(grounds.confirms, "witness confirms", "witnesses confirm"),
        ),
        TrustTerm("witnesses", FOR_THREE_CONFIRMS * (grounds.confirms >= _CONFIRMS_FOR_MORE), "three or more confirm"),
        TrustTerm(
            "anchor", FOR_ONE_ANCHOR * (grounds.anchors >= 1), _count(grounds.anchors, "anchor holds", "anchors hold")
        ),
        TrustTerm("anchors", FOR_TWO_ANCHORS * (grounds.anchors >= _ANCHORS_FOR_MORE), "two or more hold"),
        TrustTerm("reputation", standing, f"the author's reputation is {grounds.reputation:.2f}"),
        TrustTerm(
            "disputes",
            -AGAINST_DISPUTE * grounds.disputes,
            _count(grounds.disputes, "witness disputes it", "witnesses dispute it"),
        ),
    )
    return tuple(term for term in terms if term.points)


def band(points: int) -> Level:
    """Return the level whose half-open band contains this number of thousandths."""
    return max(level for level in Level if level <= points)


def gate(grounds: TrustGrounds) -> Level:
    """Return the highest level that the evidence allows, whatever the score; each requires what the lower ones do.

    A memory whose current content its author did not sign is unverified, whoever else vouches for it.
    """
    if grounds.tampered or not grounds.signed or not (grounds.confirms or grounds.timed):
        return Level.UNVERIFIED
    if not grounds.timed:
        return Level.ATTESTED
    if grounds.confirms < _CONFIRMS_FOR_CONSENSUS or grounds.disputes:
        return Level.ANCHORED
    return Level.CONSENSUS


def held_back(grounds: TrustGrounds) -> str:
    """Return why the level is below its score's band; empty if it is not."""
    points = sum(term.points for term in terms_of(grounds))
    if gate(grounds) >= band(max(0, min(MOST, points))):
        return ""
    if grounds.tampered:
        return "statements were removed from the file, or replaced by older ones"
    if not grounds.signed:
        return "its author signed something else" if grounds.stale else "its author's signature does not count"
    if not grounds.timed:
        and_kept = ", and kept" if grounds.anchors else ""
        by_whom = "" if grounds.confirms else ", and nobody else confirms it"
        return f"signed{and_kept}: no third party proves when it existed{by_whom}"
    return "it is disputed" if grounds.disputes else "fewer than two confirm it"


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


# -- levels ----------------------------------------------------------------------------------------


UNATTESTED = trust(TrustGrounds())
