"""Search the memories that the viewer may see."""

from __future__ import annotations

import heapq
import sys
from collections import Counter
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import SHARED
from memstore.conflicts.among import Among
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import UsageError
from memstore.search import EMBEDDER, INDEX, filters, query
from memstore.search.aliases import other_names
from memstore.search.filters import narrowed
from memstore.search.own_keys import OwnKeys
from memstore.search.ranker import Audience, Candidates
from memstore.search.reranker import HitReader, Wish
from memstore.search.retrieval import Answer, Sort
from memstore.search.weakness import is_weak

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.access.stack import Mount
    from memstore.core.view import View
    from memstore.search.clauses import Filters, Query
    from memstore.search.explanation import WhyNot
    from memstore.search.meaning import Similar
    from memstore.search.opened import Opened
    from memstore.search.retrieval import Hit
    from memstore.trust.reader import TrustReader

__all__ = ["UNATTESTED", "Searcher", "Wish", "search"]

# The level of a memory that nobody signed, witnessed or anchored, as `trust.score` gives it.
UNATTESTED = "unverified"


def search(
    view: View,
    text: str,
    wish: Wish | None = None,
    *,
    also: Sequence[str] = (),
    at: str | None = None,
    min_confidence: float | None = None,
    max_results: int | None = None,
    about: str | None = None,
) -> Answer:
    """Return the results of a query; this changes nothing and is not a use of the memories found.

    Args:
        view: the vault; its actor is the viewer.
        text: the query, in the language of `search.query`.
        wish: the options of the search.
        also: words and short phrases in which a memory may have said it, 2 to 12; they count more than the query's.
        at: a commit or a date, to search the vault as it was then.
        min_confidence: the minimum quality, in [0,1], instead of the wish's; if no result reaches it, the answer's
            `fallback` is set, and the hits are the best results below it, or none if nothing matches.
        max_results: the maximum number of hits, 1 or more, instead of the wish's.
        about: a memory or plain note; the answer's `why_not` says why it is not among the hits.

    Raises:
        UsageError: the query or `also` is invalid, `at` is neither a date nor a commit, or a number is out of range.
        NotFoundError: `about` names nothing that the viewer may see.

    >>> ref = note(ws.view(), "User prefers tea in the morning.", source_type="told_by_human").ref
    >>> result = search(ws.view(), "user preferences", min_confidence=0.7, max_results=5)
    >>> if result.fallback:
    ...     print("Warning: low confidence results returned")
    >>> for item in result.hits:
    ...     print(f"[{item.quality:.2f}] {item.content}")
    [0.80] User prefers tea in the morning.
    """
    then = view.at(at, with_clock=True)
    asked = query.with_names(query.parse(text, OwnKeys(then), also=also), other_names(then, text))
    return Searcher(then).answer(asked, _complete_wish(wish or Wish(), min_confidence, max_results), about=about)


def _complete_wish(wish: Wish, min_confidence: float | None, max_results: int | None) -> Wish:
    if max_results is not None:
        if max_results < 1:
            raise UsageError(f"max_results is {max_results}", hint="ask for at least one result")
        wish = wish._replace(limit=max_results)
    if min_confidence is not None:
        least = filters.checked_fraction(min_confidence)
        wish = wish._replace(filters=wish.filters._replace(min_confidence=least))
    return wish


class _Rows(NamedTuple):
    """The rows that a search may find, and those that it leaves out because they are past, both ascending."""

    current: Sequence[int]
    past: Sequence[int]


class Searcher:
    """Answers queries on one state of the vault, and on what is searched along with it; one can answer many queries.

    Each memory is scored among those of its own vault or stack.

    Args:
        then: the vault in this state.
    """

    def __init__(self, then: View) -> None:
        self._then = then
        self._audience = Audience(then)
        self._now = then.clock.now()
        self._past = filters.PastRows(then, self._now)
        self._allowed: dict[tuple[Filters, Filters], _Rows] = {}

    def answer(self, asked: Query, wish: Wish, *, about: str | None = None) -> Answer:
        """Return the results of a query; see `search` for `about`."""
        # A memory may be in several stacks, and is counted once.
        counted = set[str]() if self._beside else None
        own = self.own_answer(asked, wish, about=about, counted=counted)
        beside = [(mount, searcher.own_answer(asked, wish, counted=counted)) for mount, searcher in self._beside]
        lost = [mount.problem for mount in self._then.of(SHARED).beside if mount.problem]
        return together(own, beside, wish, notes=lost) if beside or lost else own

    @cached_property
    def _beside(self) -> list[tuple[Mount, Searcher]]:
        return [(mount, Searcher(mount.view)) for mount in self._then.of(SHARED).beside if mount.view]

    def own_answer(
        self, asked: Query, wish: Wish, *, about: str | None = None, counted: set[str] | None = None
    ) -> Answer:
        """Return the results in this vault alone; see `search` for `about`.

        If `counted` is given, memories with these ids are left out of all counts, and those that are counted are added.
        """
        if self._audience.languages:
            asked = query.in_languages(asked, self._audience.languages)
        why_not = self._why_not(asked, wish, about) if about is not None else None
        rows, past = self._rows(asked, wish)
        best_do = wish.sort is Sort.RELEVANCE and not wish.facets and wish.filters.min_confidence is None
        best = wish.limit if best_do and counted is None else None
        candidates = Candidates(self._audience, rows, asked, wish.by, self._similar(rows, asked), best=best)
        among = Among(self._then)
        reader = HitReader(candidates, asked, wish, among=among, now=self._now)
        hits, fallback = reader.hits()
        best_hit = max(hits, key=lambda hit: hit.relevance, default=None)
        weak = best_hit is not None and is_weak(best_hit, asked, query.plain_text(asked.text), candidates, reader)
        found = candidates.scores.keys() - reader.lacking
        anew = found if counted is None else self._uncounted(found, counted)
        _, *outside = self._audience.own_first(found)
        self._then.note_shown("search", ((hit.ref or "").partition(":")[2] for hit in hits))
        return Answer(
            query=asked,
            hits=tuple(self._vouched(reader.explained(hit), reader.file_of(hit)) for hit in hits),
            total=candidates.total - len(reader.lacking) - len(found) + len(anew),
            left_out=self._audience.left_out,
            weak=weak,
            external=max(0, len(outside[-1]) - sum(hit.external is not None for hit in hits)) if outside else 0,
            past=len(past if counted is None else self._uncounted(past, counted)),
            fallback=fallback,
            facets=tuple((key, self._facet(key, anew)) for key in wish.facets),
            suggestion=None if hits and not weak else query.suggestion(self._audience, asked),
            why_not=why_not,
            not_compared=among.left_out,
        )

    def _vouched(self, hit: Hit, file: Opened) -> Hit:
        """Return a hit with how far others vouch for its memory."""
        if not file.may_be_attested:
            return hit._replace(trust_level=UNATTESTED)
        trust = self._trust.of_file(file)
        return hit._replace(trust_level=trust.level.word, is_stale=trust.stale)

    @cached_property
    def _trust(self) -> TrustReader:
        from memstore.trust.reader import TrustReader

        return TrustReader(self._then)

    def _why_not(self, asked: Query, wish: Wish, about: str) -> WhyNot:
        """Return why the memory that `about` names is not among the hits, or which of them it is."""
        from memstore.search.absence import Inquiry  # rarely needed

        inquiry = Inquiry(self._then, asked, wish, self._now)
        row, rows = inquiry.row_of(about), self._passing_of_all(asked.filters, wish.filters).current
        candidates = Candidates(self._audience, rows, asked, wish.by, self._similar(rows, asked))
        all_of_them = wish._replace(limit=sys.maxsize, explain=False)
        reader = HitReader(candidates, asked, all_of_them, among=Among(self._then), now=self._now)
        return inquiry.why_not(row, rows, candidates, reader)

    def _rows(self, asked: Query, wish: Wish) -> _Rows:
        """Return the rows that a query may find, and the matching ones that it leaves out because they are past."""
        then = self._then
        matching = sorted(then.of(INDEX).ranker.rank(asked.clauses, then, None, text=asked.text, by=wish.by).rows)
        if then.of(EMBEDDER) is None and not filters.need_files(asked.filters, wish.filters):
            return self._passing(matching, asked.filters, wish.filters)  # all others need not be tested
        current, past = self._passing_of_all(asked.filters, wish.filters)
        return _Rows(current, sorted({*past}.intersection(matching)))

    def _passing_of_all(self, asked: Filters, wished: Filters) -> _Rows:
        if (asked, wished) not in self._allowed:
            self._allowed[asked, wished] = self._passing(self._audience.rows, asked, wished)
        return self._allowed[asked, wished]

    def _passing(self, rows: Sequence[int], asked: Filters, wished: Filters) -> _Rows:
        """Return those of the rows that pass both filters, and those that would pass if they were not past."""
        then = self._then
        current = narrowed(then, rows, asked, wished)
        if any(filters.asks_status(one) for one in (asked, wished)):
            return _Rows(current, ())
        old = self._past.among(current)
        over = narrowed(then, rows, asked, wished._replace(status=filters.PAST_STATUS))
        past = sorted({*over, *old})
        return _Rows([row for row in current if row not in old] if old else current, past)

    def _uncounted(self, rows: Iterable[int], counted: set[str]) -> AbstractSet[int]:
        """Return the rows whose ids are not among these, and add those; a plain note has none, and always counts."""
        ids = self._then.column("id")
        anew = {row for row in rows if not ids[row] or ids[row] not in counted}
        counted |= {ids[row] for row in anew} - {""}
        return anew

    def _similar(self, rows: Sequence[int], asked: Query) -> Similar | None:
        """Return how similar rows are to the query in meaning; None without an embedder or without clauses."""
        if self._then.of(EMBEDDER) is None or not asked.clauses:
            return None
        from memstore.search.meaning import similar_rows

        return similar_rows(self._then, rows, " ".join((query.plain_text(asked.text), *asked.also)))

    def _facet(self, key: str, rows: Iterable[int]) -> tuple[tuple[str, int], ...]:
        """Return how many of the rows have each value of a key, the most frequent value first."""
        name = query.KEYS.get(key, key)
        if name in filters.KNOWN_KEYS:
            column = self._then.column(name)
            values = (set(column[row].split(ITEM_SEPARATOR)) - {""} for row in rows)
        else:
            own = OwnKeys(self._then)
            values = (set(own.texts(row, key)) for row in rows)
        counts = Counter(value for found in values for value in found)
        return _most_first(counts)


def together(own: Answer, beside: Sequence[tuple[Mount, Answer]], wish: Wish, *, notes: Sequence[str] = ()) -> Answer:
    """Return the answers of a vault and of what is beside it as one, in the order of the wish.

    Args:
        own: the vault's answer.
        beside: each stack with its answer; first the actor's own vault, whose hits are ranked with the vault's.
        wish: the options of the search.
        notes: what else is to be told, like that a stack can't be read.
    """
    answers = [own, *(answer for _, answer in beside)]
    if any(answer.hits and not answer.fallback for answer in answers):  # some are good enough
        own, beside = _good_enough(own), [(mount, _good_enough(answer)) for mount, answer in beside]
    lists = [[_of_stack(hit, mount) for hit in answer.hits] for mount, answer in beside]
    merged = partial(heapq.merge, key=partial(_place_of, wish.sort, bool(own.query.clauses)),
                     reverse=wish.sort not in (Sort.TITLE, Sort.PATH))  # fmt: skip
    # Each list keeps its order; one's own vault is ranked with the shared one. However well somebody else's match, what
    # is of these two comes first (docs/adr/0038).
    is_ranked = wish.sort in (Sort.RELEVANCE, Sort.QUALITY)
    mine = sum(mount.is_own for mount, _ in beside) if is_ranked else len(lists)
    hits = [*merged(own.hits, *lists[:mine]), *merged(*lists[mine:])]
    # A memory that is in several stacks is shown once, and one's own instead of a copy.
    first = {_statement_key(hit): hit for hit in (*(hit for one in reversed(lists) for hit in one), *own.hits)}
    hits = [hit for hit in hits if first[_statement_key(hit)] is hit]
    facets = {key: Counter[str]() for key, _ in own.facets}
    for key, counts in (facet for answer in answers for facet in answer.facets):
        facets[key].update(dict(counts))
    found = [answer for answer in answers if answer.hits]
    return own._replace(
        query=own.query._replace(notes=(*own.query.notes, *notes)),
        hits=tuple(hits[: wish.limit]),
        total=sum(answer.total for answer in answers),
        past=sum(answer.past for answer in answers),
        not_compared=sum(answer.not_compared for answer in found),
        fallback=next((answer.fallback for answer in found), own.fallback),
        weak=bool(found) and all(answer.weak for answer in found),
        facets=tuple((key, _most_first(counts)) for key, counts in facets.items()),
        suggestion=own.suggestion if not found or own.weak else None,
    )


def _good_enough(answer: Answer) -> Answer:
    """Return an answer without hits below the required quality."""
    return answer._replace(hits=(), fallback=None) if answer.fallback else answer


def _most_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _of_stack(hit: Hit, mount: Mount) -> Hit:
    """Return a hit with the name of its stack, and with paths by which `show` and `cite` open it."""
    citation, *more = (one._replace(path=mount.path(one.path)) for one in (hit.citation, *hit.more))
    return hit._replace(stack=mount.name, path=mount.path(hit.path), citation=citation, more=tuple(more))


def _statement_key(hit: Hit) -> tuple[object, ...]:
    """Return what two hits share that say the same at the same lines of the same memory."""
    return hit.ref or hit.path, *hit.citation[1:4]


def _place_of(sort: Sort, has_words: bool, hit: Hit) -> float | str:  # noqa: FBT001 -- for `partial`
    """Return by what hits are ordered."""
    match sort:
        case Sort.TITLE:
            return hit.title.casefold()
        case Sort.PATH:
            return hit.path.casefold()
        case Sort.QUALITY:
            return hit.combined
        case Sort.CONFIDENCE:
            return -1.0 if hit.held_confidence is None else hit.held_confidence
        case Sort.RELEVANCE if has_words:
            return hit.relevance
        case _:
            return hit.created_at or ""
