"""Value types for explanations: the parts of a result's score, and why a memory is not a result.

They are created only on request (`explain`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memstore.search.clauses import Need
    from memstore.search.quality import Terms

    Places = tuple[tuple[str, int], ...]

# The smallest number of points that is printed; anything below it is rounding noise.
LEAST_TOLD = 5e-5


class ScorePart(NamedTuple):
    """One part of a relevance, and its origin.

    `kind` is "memory" for a term in the memory as a whole and "line" for one in its best line; "pair" for adjacent
    words, "typed" for a word matched letter by letter, "named" for a title or heading that occurs as a whole in the
    query, or for a title or file name that is looked for, "alias", "speaker", "answer", "asking", "whole" for the
    memory's share in the score of a passage, "meaning", "recent", "filter" if the query consists of filters only, and
    "order" for the amount cut off above 1 or above the previous result. `places` says where the term occurs, and how
    often. `by_also` says that the query lacks the term, and other words that were given for it have it.
    """

    kind: str
    points: float
    term: str | None = None
    places: Places = ()
    by_also: bool = False


class Explanation(NamedTuple):
    """Why a result has its place.

    `parts` add up to its relevance. `line` is the line that counts for the memory, 0 for its title or for none.
    `chosen` has the parts that made the cited lines the memory's best but do not count for the memory. `quality` has
    the terms of the quality, in the order of `quality.Terms`, and `origin` is the key that the first of them comes
    from. `status` is the memory's status.
    """

    parts: tuple[ScorePart, ...]
    line: int = 0
    chosen: tuple[ScorePart, ...] = ()
    quality: Terms | None = None
    origin: str = ""
    status: str = "active"

    def settled(self, relevance: float) -> Explanation:
        """Return the explanation with parts that add up to the relevance that is shown."""
        rest = relevance - sum(part.points for part in self.parts)
        return self if abs(rest) < LEAST_TOLD else self._replace(parts=(*self.parts, ScorePart("order", rest)))


class Reason(NamedTuple):
    """One reason why a memory is not a result: a stable code, a message, and what would show it, if anything."""

    code: str
    text: str
    hint: str | None = None


class Sought(NamedTuple):
    """One term of a query: whether the memory must, may or must not contain it, and where it does."""

    term: str
    need: Need
    places: tuple[tuple[str, int], ...]


class WhyNot(NamedTuple):
    """Why a memory is not among the results; without reasons, it is the result at `place`, from 1.

    `place` is its actual or would-be place, or None if it does not match.
    """

    ref: str | None
    path: str
    title: str
    place: int | None
    reasons: tuple[Reason, ...]
    sought: tuple[Sought, ...]
