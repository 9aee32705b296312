"""Compare memories with those that are alike: candidates come from the index, so that a large vault costs no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec.line_map import LineMap
from memstore.codec.passages import SAYS_NOTHING, passages
from memstore.codec.titles import title_of
from memstore.flows.audience import Audience
from memstore.flows.candidates import FILES_AT_ONCE, Candidates
from memstore.model.conflict import Lines
from memstore.model.retrieval import Clause, Query, Sort, Unit, Word
from memstore.rules.analysis import STOP_WORDS, term_of
from memstore.rules.conflicts import Side, conflict
from memstore.rules.searchable import claim_term
from memstore.rules.statements import statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View
    from memstore.model.conflict import Conflict

# Of a long text no more is compared: conflicts are between statements, and a memory is about one thing.
MOST_STATEMENTS = 60
# The index is asked for so many words of a memory, the rarest of them.
MOST_WORDS = 12


def side_of(file: MemoryFile) -> Side:
    """Return what of a memory is compared: its claims, its title, and what its sentences state."""
    lines = LineMap(file.data)

    def at(start: int, end: int) -> Lines:
        return Lines(file.path, start, end, lines.excerpt(start, end))

    memory = file.memory
    said = []
    if memory.title:
        line = file.front.position("title").line
        said += [(statement, at(line, line)) for statement in statements(memory.title)]
    for passage in passages(memory.body, first_line=file.text.body_line):
        if passage.kind not in SAYS_NOTHING and len(said) < MOST_STATEMENTS:
            first = passage.line_end - passage.text.count("\n")
            said += [
                (statement, at(first + statement.line_start, first + statement.line_end))
                for statement in statements(passage.text)
                if not (passage.speaker and statement.of_speaker)
            ]
    claim_lines = [file.front.position("claims", number).line for number in range(len(memory.claims))]
    return Side(
        ref=str(memory.ref or file.path),
        path=file.path,
        title=title_of(memory),
        memory=memory,
        claims=[(claim, at(line, line)) for claim, line in zip(memory.claims, claim_lines, strict=True)],
        statements=said[:MOST_STATEMENTS],
    )


class Comparer:
    """Compares memories with what the viewer may see of the vault; made once for many.

    Args:
        then: the vault.
    """

    def __init__(self, then: View) -> None:
        self._view = then
        self.audience = Audience(then)
        status = self.audience.column("status")
        self._active = [row for row in self.audience.rows if status[row] == "active"]
        self._sides: dict[str, Side | None] = {}

    def conflicts(self, side: Side, *, but: Collection[str] = ()) -> list[Conflict]:
        """Return the open conflicts of a memory, the gravest first.

        Args:
            side: the memory; it need not be in the vault.
            but: paths of files that are not looked at.
        """
        if side.memory.status != "active":
            return []
        others = (other for other in self.alike(side, but=but) if other.ref != side.ref)
        opposes = self._view.lexicon.opposes
        found = [one for other in others if (one := conflict(side, other, opposes=opposes))]
        return sorted(found, key=lambda one: (-one.penalty, one.refs))

    def alike(self, side: Side, *, but: Collection[str] = ()) -> Iterator[Side]:
        """Yield the active memories that share most rare words with one, or a claim's subject and attribute."""
        words = self._telling(side)
        if not words:
            return
        asked = Query("", tuple(Clause(Word(word)) for word in words))
        candidates = Candidates(self.audience, self._active, asked, Unit.MEMORY)
        best = next(candidates.blocks(list(candidates.scores), Sort.RELEVANCE, lambda _row: 0.0), [])
        for row in best[:FILES_AT_ONCE]:
            path = self.audience.then.entry(row).path
            if path not in (side.path, *but) and (other := self.side_at(path)):
                yield other

    def side_at(self, path: str) -> Side | None:
        """Return what a file says that is compared; None where it is no memory that the viewer may see."""
        if path not in self._sides:
            file = self._view.read(path)
            self._sides[path] = side_of(file) if file else None
        return self._sides[path]

    def _telling(self, side: Side) -> list[str]:
        """Return the index terms of what a memory states, the rarest, and those of its claims."""
        topics = {word for statement, _ in side.statements for key in statement.topic for word in key.split("_")}
        terms = {term_of(word) for word in topics} - STOP_WORDS
        counts = {term: self.audience.frequency(term) for term in terms}
        known = sorted((term for term in terms if counts[term]), key=lambda term: (counts[term], term))
        return [claim_term(claim) for claim, _ in side.claims] + known[:MOST_WORDS]
