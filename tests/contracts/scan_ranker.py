"""A ranker without an index: it reads all that the view shows, and counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memstore.core import terms
from memstore.files.memory_file import PlainFile, own_lines
from memstore.search.clauses import Need, Phrase, Prefix, Word
from memstore.search.index import searchable
from memstore.search.matching import holds_alias
from memstore.search.ranker import SHORTEST_STEM
from memstore.search.ranking import HEAD_WEIGHT, K1, PASSAGE_SHARE, B, idf
from memstore.search.retrieval import Ranked, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.clauses import Clause
    from memstore.search.index import Searchable


class ScanRanker:
    """Ranks by reading."""

    def rank(
        self,
        clauses: Sequence[Clause],
        view: View,
        k: int | None,
        *,
        among: Sequence[int] | None = None,
        text: str = "",
        by: Unit = Unit.MEMORY,
    ) -> Ranked:
        """Return the memories that match; see `search.ranker.Ranker`."""
        files = {row: file for row in view.texts if (file := view.text(view.entry(row).path))}
        memories = {row: file.memory for row, file in files.items()}
        of_row = {row: _searchable(file) for row, file in files.items()}
        vocabulary = {term for each in of_row.values() for term in (*each.text, *each.head)}
        average = sum(len(each.text) for each in of_row.values()) / len(of_row) if of_row else 0.0
        asked = [clause for clause in clauses if clause.need is not Need.MUST_NOT]
        accepted = {clause: _accepted(clause, vocabulary) for clause in clauses}
        counted = {one: {row: _counts(one, accepted[one], each) for row, each in of_row.items()} for one in clauses}
        held = {clause: {row for row, counts in by_row.items() if any(counts)} for clause, by_row in counted.items()}
        weight = {clause: clause.weight * idf(len(of_row), len(held[clause])) for clause in asked}
        best_possible = sum(weight[clause] for clause in asked) * (K1 + 1)
        scores: dict[int, float] = {}
        for row, each in of_row.items():
            matching = [clause for clause in asked if row in held[clause]]
            score = 0.0
            for clause in matching:
                in_text, in_head = counted[clause][row]
                tf = in_text + HEAD_WEIGHT * in_head
                score += weight[clause] * (K1 + 1) * tf / (tf + K1 * (1 - B + B * len(each.text) / (average or 1.0)))
            words = terms.whole_words(text)
            named = bool(asked) and any(holds_alias(words, terms.whole_words(alias)) for alias in memories[row].aliases)
            if (
                (matching or named or not asked)
                and (among is None or row in among)
                and all(row in held[clause] for clause in clauses if clause.need is Need.MUST)
                and (by is Unit.PASSAGE or not any(row in held[one] for one in clauses if one.need is Need.MUST_NOT))
            ):
                scores[row] = score + (1 + PASSAGE_SHARE) * best_possible * named
        names = {row: (str(memories[row].ref or ""), view.entry(row).path) for row in scores}
        rows = sorted(scores, key=lambda row: (-round(scores[row], 9), names[row]))[:k]
        return Ranked(
            rows=rows,
            scores=[scores[row] for row in rows],
            weights=tuple(weight.get(clause, 0.0) for clause in clauses),
            terms=tuple(tuple(accepted[one]) if isinstance(one.asked, Word) else () for one in clauses),
            best_possible=best_possible,
            total=len(scores),
        )


def _searchable(file: MemoryFile | PlainFile) -> Searchable:
    """Return the terms of a memory with the lines that are the person's, or of a note, whose front matter is text."""
    if isinstance(file, PlainFile):
        return searchable(file.memory, file.path, head=file.text.head)
    return searchable(file.memory, file.path, head="\n".join(line for _, line in own_lines(file)))


def _accepted(clause: Clause, vocabulary: set[str]) -> list[str]:
    """Return the index terms that count as a clause's word."""
    match clause.asked:
        case Word(term, spellings):
            return [term] if term in vocabulary else [term, *spellings]
        case Prefix(start):
            stems = {start[:length] for length in range(SHORTEST_STEM, len(start))}
            stems |= {stem[:-1] + "i" for stem in stems | {start} if stem.endswith("y")}
            stems.add(terms.term_of(start))
            return [term for term in vocabulary if term.startswith(start) or term in stems]
        case Phrase():
            return []


def _counts(clause: Clause, accepted: Sequence[str], of: Searchable) -> tuple[int, int]:
    """Return how often a memory's text and its head hold a clause."""
    if isinstance(clause.asked, Phrase):
        runs = [[*map(terms.term_of, words)] for words in (clause.asked.words, *clause.asked.others)]
        return sum(_runs(run, of.text) for run in runs), sum(_runs(run, of.head) for run in runs)
    text, head = Counter(of.text), Counter(of.head)
    return sum(text[term] for term in accepted), sum(head[term] for term in accepted)


def _runs(run: list[str], within: list[str]) -> int:
    return sum(within[at : at + len(run)] == run for at in range(len(within)))
