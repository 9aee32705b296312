"""Values: what a result's score is made of, and why a memory is no result. Made only for who asks (`explain`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memstore.search.quality import Terms
    from memstore.search.retrieval import Need

    Places = tuple[tuple[str, int], ...]

# Points are printed with so much of them; what is less is noise of the computation.
LEAST_TOLD = 5e-5


class Part(NamedTuple):
    """What of a relevance comes from where.

    `kind` is "memory" for a term in the memory as a whole and "line" for one in its best line; "pair" for words side by
    side, "typed" for a word letter by letter, "named" for a title or heading that stands in the query as a whole,
    "alias", "speaker", "answer", "asking", "whole" for the share of its memory in a passage, "meaning", "recent",
    "filter" where nothing but filters is asked for, and "order" for what is cut off above 1 or the result before.
    `places` say where the term stands, and how often.
    """

    kind: str
    points: float
    term: str | None = None
    places: Places = ()


class Explanation(NamedTuple):
    """Why a result stands where it stands.

    `parts` sum up to its relevance. `line` is the line that counts for the memory, 0 for its title or where none does;
    `chosen` says what makes the cited lines the best of it, where that is more than what counts for the memory.
    `quality` are the terms of the quality, in the order of `quality.Terms`, and `origin` the key that its first comes
    from; `status` is what the memory says of itself.
    """

    parts: tuple[Part, ...]
    line: int = 0
    chosen: tuple[Part, ...] = ()
    quality: Terms | None = None
    origin: str = ""
    status: str = "active"

    def settled(self, relevance: float) -> Explanation:
        """Return the explanation of a result that is shown with this relevance."""
        rest = relevance - sum(part.points for part in self.parts)
        return self if abs(rest) < LEAST_TOLD else self._replace(parts=(*self.parts, Part("order", rest)))


class Reason(NamedTuple):
    """One reason why a memory is no result: a stable code, what is the case, and what would show it, if anything."""

    code: str
    text: str
    hint: str | None = None


class Sought(NamedTuple):
    """One thing that a query asks for: whether the memory must hold it, may, or must not; and where it stands."""

    term: str
    need: Need
    places: tuple[tuple[str, int], ...]


class WhyNot(NamedTuple):
    """Why a memory is not among the results; without reasons it is the result at `place`, from 1.

    `place` is where it stands or would stand, None where it does not match.
    """

    ref: str | None
    path: str
    title: str
    place: int | None
    reasons: tuple[Reason, ...]
    sought: tuple[Sought, ...]
