"""The forms of search results, and of the status of citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from memstore.core.keys import QUARANTINED
from memstore.documents.form import Form
from memstore.documents.parts import NOT_COMPARED, by_also

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.errors import MemstoreError
    from memstore.search.explanation import Explanation
    from memstore.search.quality import Terms
    from memstore.search.retrieval import Answer, Hit

Form("""Citation
    path
    line_start[1..]: File line, from 1.
    line_end[1..]: Inclusive.
    excerpt: The bytes of these lines, without the line feed that ends the last one.
    version_hash[blob]: The file's git blob id.
""")

# -- results -------------------------------------------------------------------------------------


def _quarantined(hit: Hit) -> Literal["quarantined"] | None:
    return "quarantined" if hit.status == QUARANTINED else None


hit_document: Form[Hit] = Form(
    """Hit
    external?
    ref: type:id; null for a memory without an id.
    path title type created_at
    content: The best passage's text.
    confidence=quality[.4 0..1]: Quality: how reliable the memory is today (seed 003's confidence).
    relevance_score=relevance[.4 0..1]: How well it matches the query.
    combined_score=combined[.4 0..1]: confidence times relevance_score.
    citation
    more[..2]: Further passages that match.
    source_type channel
    held_confidence[0..1]: The confidence that its author states.
    trust_level[unverified|attested|anchored|consensus]
    stale=is_stale: Whether its author signed something other than what it says now.
    also: Further results with the same text, by ref or path.
    conflicts
    status?: only for a quarantined memory, which only a filter on the status finds
    stack?: The shared stack in which it was found, beside the vault, or own for the viewer's own vault.
    by_also?: Whether it has none of the words of the query, only others that `also` has; only if so.
    explanation?
""",
    definition="result",
    status=_quarantined,
    by_also=by_also,
)


def _quality(explanation: Explanation) -> Terms:
    return cast("Terms", explanation.quality)  # a hit's explanation has it


Form(
    """ScorePart
    kind[memory|line|pair|typed|named|alias|speaker|answer|asking|whole|meaning|recent|filter|order]: memory: a term in
        the memory as a whole; line: in its best line; pair: words side by side; typed: letter by letter; named: a title
        or heading in the query; alias: an alias in the query; speaker, answer, asking: of a question; whole: its
        memory's share in a passage; meaning: by vectors; recent: for being new; filter: no words were asked for; order:
        cut off.
    term
    places{}[1..]: Where the term occurs, and how often.
    points[.4]: The amount that it adds to the relevance; may be negative.
    by_also?: Whether the term comes from `also`, and not from the query; only if so.
""",
    definition="part",
    by_also=by_also,
)
Form("Terms", "base[.4] recency[.4] uses[.4] citation[.4] conflicts[.4]")
Form(
    """Explanation
    parts: Their sum is relevance_score.
    line~[1..]: The line that counts for the memory; null for its title, or if no line counts.
    chosen: What makes the cited lines better than others of the memory, besides their words.
    quality: The terms of `confidence`, before it is limited to [0,1].
    origin[confidence|channel|source_type]: The key that determines quality.base.
    status
""",
    meaning="How the scores are computed; present with --explain.",
    quality=_quality,
)
Form("Reason", "code[filtered|past|must|must_not|no_words|letters|folded|limit|changed] text hint")
Form("""Sought
    term need
    places{}[1..]: Where the term occurs, and how often.
""")
Form(
    """WhyNot
    ref path title
    place[1..]: Its actual or hypothetical position among the results; null if it does not match.
    reasons sought
""",
    meaning="Why the memory that --explain names is not among the results; if there are no reasons, it is the result "
    "at `place`.",
)


class Fallback(NamedTuple):
    """Whether the answer was found by other means, and why."""

    used: bool
    reason: str | None


def _fallback(answer: Answer) -> Fallback:
    return Fallback(answer.fallback is not None, answer.fallback)


def _auto(_: Answer) -> Literal["auto"]:
    return "auto"


def _facets(answer: Answer) -> Mapping[str, Mapping[str, int]]:
    return {key: dict(counts) for key, counts in answer.facets}


def _also(answer: Answer) -> Sequence[str] | None:
    return answer.query.also or None


Form("Fallback", "used reason")
answer_document: Form[Answer] = Form(
    f"""Answer
    @search: memstore search --json
    query=query.text
    also?: The other words for it, as they were given; only if there are any.
    results=hits fallback citations
    total: How many memories match.
    left_out: How many files can't be read.
    past: How many matching memories are left out because they are superseded, expired or archived; --status all
        includes them.
    weak: Whether the best result matches so little of the query that it may not answer it.
    facets
    suggestion: A query that finds something, if this one does not.
    notes=query.notes: Parts of the query that may have been meant differently.
    {NOT_COMPARED}
    why_not?
""",
    also=_also,
    fallback=_fallback,
    citations=_auto,
    facets=_facets,
)


def _usage(_: MemstoreError) -> Literal["usage"]:
    return "usage"


def _message(error: MemstoreError) -> str:
    return str(error)


def _hint(error: MemstoreError) -> str | None:
    return error.hint


Form("MemstoreError", "code message hint", code=_usage, message=_message, hint=_hint)
refused_document: Form[Answer] = Form(
    """Answer
    @search
    *answer=. error
""",
    answer=answer_document,
    error="MemstoreError",
)
Form("""Cited
    @cite: memstore show --cite --json
    external? ref
    status=standing: The state of the cited lines; same for a new citation.
    text: The citation as it is written in a body, [[ref#L3-L5@blob]].
    citation=now: Where the lines are now.
    cited_excerpt=before: The lines as they were cited.
""")
