"""Conflicts among the results of one search: what a reader would otherwise have to notice.

Only results are compared with each other, and only where two of their sentences share half of their words, or both
make claims: a search must stay quick. `show`, `why` and `conflicts` look at the whole vault.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from memstore.errors import VaultError
from memstore.flows.visible import sees
from memstore.rules import analysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.flows.audience import View
    from memstore.model.conflict import Conflict
    from memstore.model.retrieval import Hit
    from memstore.rules.conflicts import Side

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
# With longer results, what is compared would cost more than the search; their first sentences stand for them.
MOST_SENTENCES = 8
SHARED_WORDS = 0.5


def with_conflicts(then: View, hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with the open conflicts among them, which lower their quality."""
    words = [_sentences(hit) for hit in hits]
    claims = [_makes_claims(then, hit) for hit in hits]
    pairs = [
        (i, j)
        for i, j in combinations(range(len(hits)), 2)
        if hits[i].path != hits[j].path and ((claims[i] and claims[j]) or _alike(words[i], words[j]))
    ]
    return _compared(then, hits, pairs) if pairs else list(hits)


def _compared(then: View, hits: Sequence[Hit], pairs: Sequence[tuple[int, int]]) -> list[Hit]:
    from memstore.rules.conflicts import conflict, penalty_of

    sides: dict[int, Side | None] = {at: _side(then, hits[at]) for at in {at for pair in pairs for at in pair}}
    found: dict[int, list[Conflict]] = {}
    for pair in pairs:
        for at, other in (pair, pair[::-1]):
            mine, theirs = sides[at], sides[other]
            if mine and theirs and (one := conflict(mine, theirs, opposes=then.ws.lexicon.opposes)):
                found.setdefault(at, []).append(one)
    return [
        hit._replace(conflicts=tuple(found[at]), quality=max(0.0, hit.quality - penalty_of(found[at])))
        if at in found
        else hit
        for at, hit in enumerate(hits)
    ]


def _sentences(hit: Hit) -> list[set[str]]:
    texts = [hit.title, *_SENTENCE_END.split(hit.content)][:MOST_SENTENCES]
    words = ({*map(analysis.term_of, analysis.words(text))} - analysis.STOP_WORDS for text in texts)
    return [each for each in words if each]


def _alike(ones: Sequence[set[str]], others: Sequence[set[str]]) -> bool:
    return any(
        len(one & other) >= SHARED_WORDS * min(len(one), len(other)) and one & other for one in ones for other in others
    )


def _makes_claims(then: View, hit: Hit) -> bool:
    try:
        return b"\nclaims:" in then.read(hit.path)
    except VaultError:
        return False


def _side(then: View, hit: Hit) -> Side | None:
    """Return what of a result is compared: what its file says now, if it is still the viewer's to see."""
    from memstore.codec.memory_file import MemoryFile, read
    from memstore.flows.compare import side_of

    try:
        file = read(hit.path, then.read(hit.path))
    except VaultError:
        return None
    return side_of(file) if isinstance(file, MemoryFile) and sees(then.ws, file.memory) else None
