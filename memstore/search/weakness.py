"""Whether a result may well not answer what is asked (docs/search.md, "Weak answers")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core import terms
from memstore.search import ranking
from memstore.search.answers import holds_time, kind_of_time, lacks_answer, names_held, names_in
from memstore.search.clauses import Word

if TYPE_CHECKING:
    from memstore.search.clauses import Query
    from memstore.search.ranker import Candidates
    from memstore.search.reranker import HitReader
    from memstore.search.retrieval import Hit


def is_weak(hit: Hit, asked: Query, said: str, candidates: Candidates, reader: HitReader) -> bool:
    """Whether a result may not answer a query; never for a query that has only filters.

    Args:
        hit: the result.
        asked: the query.
        said: its plain text.
        candidates: the memories that match.
        reader: what has read the result.
    """
    if not candidates.best_possible:
        return False
    shown, matcher = reader.shown_of(hit), candidates.matchers[hit.language]
    if lacks_answer(said, shown, matcher):
        return True
    held = {clause for _, clause in matcher.places(shown.text)}
    named = _named_otherwise(asked, shown.text)
    held |= named.keys()
    kind = kind_of_time(terms.whole_words(said))
    if kind and any(holds_time(one.excerpt) for one in (hit.citation, *hit.more)):
        # A query for the day matches a text with a date, even if it does not contain the word `day`.
        asks = (isinstance(one.asked, Word) and one.asked.typed == kind for one in asked.clauses)
        held |= {number for number, is_it in enumerate(asks) if is_it}
    weights = candidates.weights
    own = {number for number, weight in enumerate(weights) if weight and not asked.clauses[number].is_also}
    if own and own <= held:
        return False
    similarity = reader.similarity_of(hit)
    if similarity is None and held and held <= _of_names(asked, said):
        return True  # it is about somebody who is named, and says nothing of what is asked about them
    evidence = ranking.more_than_chance((weights[number] for number in held), len(candidates.audience.rows))
    names = names_held(said, " ".join((shown.text, *named.values())))
    return ranking.is_weak(hit.relevance, names, evidence, similarity=similarity)


def _named_otherwise(asked: Query, text: str) -> dict[int, str]:
    """Return the words of names for which a text has all other names of whom they name, by clause."""
    words = {at: one.asked for at, one in enumerate(asked.clauses) if isinstance(one.asked, Word) and one.asked.names}
    said = frozenset(terms.words(text)) if words else frozenset()
    return {at: word.typed for at, word in words.items() if said.issuperset(word.names)}


def _of_names(asked: Query, said: str) -> set[int]:
    """Return the clauses that ask for names."""
    names = names_in(said)
    found = enumerate(asked.clauses)
    return {number for number, one in found if isinstance(one.asked, Word) and one.asked.term in names}
