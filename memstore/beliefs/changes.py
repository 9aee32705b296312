"""Changes: what memories said once, and what later ones say instead.

There are two indications: a value (a number, a time of day, a name) that memories about one subject share until another
takes its place; and words that state a change outright (`no longer`, `from now on`, `I was wrong about`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.topics import FAMILY, overlap, shared_signs
from memstore.beliefs.wording import (
    MOST_WORDS,
    content_terms,
    outright_words,
    sayings,
    says_outright,
    sentences,
    stands_alone,
)
from memstore.conflicts.frames import frames
from memstore.conflicts.quantities import Scale
from memstore.core.terms import words
from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.beliefs.consolidation import Pooled
    from memstore.beliefs.topics import Signs

FEWEST_SIDE = 2  # independent roots needed for each side, before and after
MOST_SIDE = 12
DURATION = "time"  # the name of the unit kind for seconds in `conflicts.quantities`
# A sign that so few memories have says what they are about.
RARE = 4
LEAST_IN_COMMON = 2  # signs that both sides of a value must have, counted with each memory
# Small numbers count all sorts of things; a number from here on is taken to be an exact value.
SMALLEST_VALUE = 10


class Quote(NamedTuple):
    """What a memory says about a change: the quotation and the memory."""

    memory: Pooled
    text: str


class Change(NamedTuple):
    """Memories that said something until others said something else, each side by time; `sign` is the subject."""

    before: tuple[Pooled, ...]
    after: tuple[Pooled, ...]
    once: Quote
    since: Quote
    sign: str


def changes(part: Sequence[Pooled], signs: Signs) -> list[Change]:
    """Return the changes among memories of one partition; no memory is on both sides of a change.

    Args:
        part: the memories.
        signs: the signs of these memories.
    """
    ordered = sorted(part, key=lambda one: (one.memory.created_at or "", one.ref))
    found = [*_successions(ordered, signs), *_outright(ordered, signs)]
    chosen: list[Change] = []
    for one in found:
        if not any(_is_same(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _is_same(one: Change, other: Change) -> bool:
    """Whether two changes rest on the same memories or share a side: a value is replaced by one other value only."""
    mine, theirs = ([[each.ref for each in side] for side in (change.before, change.after)] for change in (one, other))
    in_common = (2 * len({*ours} & {*its}) > max(len(ours), len(its)) for ours, its in zip(mine, theirs, strict=True))
    return overlap(mine[0] + mine[1], theirs[0] + theirs[1]) or any(in_common)


def _is_founded(side: Iterable[Pooled], least: int = FEWEST_SIDE) -> bool:
    return len({root for one in side for root in one.roots}) >= least


def _day(one: Pooled) -> str:
    return (one.memory.created_at or "")[:10]


# -- a value takes another's place -----------------------------------------------------------------


class Value(NamedTuple):
    """A number, a time of day in hours, or a name; a value may be replaced by another of the same kind."""

    kind: str
    of: float | str


def _successions(ordered: Sequence[Pooled], signs: Signs) -> list[Change]:
    """Return changes of a value: one value up to some day, another since, each at least twice, about one subject."""
    told = {one.ref: dict(_values(one, signs)) for one in ordered}
    having: dict[Value, list[Pooled]] = defaultdict(list)
    for one in ordered:
        for value in told[one.ref]:
            having[value].append(one)
    sides = {value: side for value, side in having.items() if len(side) <= MOST_SIDE and _is_founded(side)}
    common = _in_common(sides, told, signs)
    ranked = sorted(common.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return [
        Change(
            before=tuple(having[old]),
            after=tuple(having[new]),
            once=_best((one, told[one.ref][old]) for one in having[old]),
            since=_best((one, told[one.ref][new]) for one in having[new]),
            sign=max(sorted(shared), key=lambda sign: (shared[sign], signs.weight(sign))),
        )
        for (old, new), shared in ranked
        if _are_of_one_subject(old, shared)
    ]


def _are_of_one_subject(value: Value, shared: Counter[str]) -> bool:
    """Return whether the signs that both sides share show that they are about one subject.

    A duration such as `half an hour` can be said about anything, so in that case two memories of each side must share
    one sign.

    Args:
        value: one of the two values.
        shared: for each sign, how many memories of each side have it.
    """
    in_common = max(shared.values()) if value.kind == DURATION else sum(shared.values())
    return in_common >= LEAST_IN_COMMON


def _in_common(
    sides: Mapping[Value, Sequence[Pooled]], told: Mapping[str, Mapping[Value, str]], signs: Signs
) -> dict[tuple[Value, Value], Counter[str]]:
    """Return the shared signs of two values of one kind, if all memories with one are older than all with the other."""
    by_sign: dict[str, Counter[Value]] = defaultdict(Counter)
    for value, side in sides.items():
        for one in side:
            said = one.text if len(one.text.split()) <= MOST_WORDS else told[one.ref][value]
            for term in set(content_terms(said)) & set(one.terms):
                if term != value.of and signs.is_telling(term):
                    by_sign[term][value] += 1
    found: dict[tuple[Value, Value], Counter[str]] = defaultdict(Counter)
    for term, counts in by_sign.items():
        for pair in combinations(sorted(counts, key=lambda value: (_day(sides[value][0]), value)), 2):
            old, new = pair
            if old.kind == new.kind and _day(sides[old][-1]) < _day(sides[new][0]):
                found[pair][term] = min(counts[old], counts[new])
    return found


def _values(one: Pooled, signs: Signs) -> Iterator[tuple[Value, str]]:
    """Yield the values in a memory, each with the sentence that contains it."""
    for sentence in sentences(one.text):
        if len(sentence.split()) > MOST_WORDS:
            continue
        for term in content_terms(sentence):
            if term in signs.names and term in signs.of[one.ref]:
                yield Value("name", term), sentence
        if _may_count(sentence):
            yield from ((value, sentence) for value in _numbers(sentence))


_COUNTS = re.compile(r"\d")
# People write `the rent is 890` as well as `£890`.
_MONEY = dict.fromkeys(("dollars", "euros", "pounds sterling"), "number")


@cache
def _numerals() -> frozenset[str]:
    return frozenset(word_lists("beliefs")["measures"].split())


def _may_count(sentence: str) -> bool:
    return _COUNTS.search(sentence) is not None or not _numerals().isdisjoint(words(sentence))


def _numbers(sentence: str) -> Iterator[Value]:
    for frame in frames(sentence):
        for token in frame.tokens:
            if token.value is None or (number := token.value.parts[0]) is None:
                continue
            match token.value.scale:
                case Scale.CLOCK:
                    yield Value("number", number / 60)
                case Scale.CARDINAL | Scale.MEASURE if number >= SMALLEST_VALUE or number % 1:
                    yield Value(_MONEY.get(token.value.of, token.value.of) or "number", number)


def _best(said: Iterable[tuple[Pooled, str]]) -> Quote:
    """Return the clearest saying: one that states the change outright, then one that stands alone, then the first."""
    found = [(_standing(one.text, sentence), one) for one, sentence in said]
    ranks = [(not says_outright(text), not stands_alone(text), at) for at, (text, _) in enumerate(found)]
    text, one = found[min(ranks)[-1]]
    return Quote(one, text)


def _standing(text: str, sentence: str) -> str:
    """Return the quotation for a sentence: itself if it is complete, or the longest saying that contains it."""
    if stands_alone(sentence) and says_outright(sentence):
        return sentence
    around = [said for said in sayings(text) if sentence in said and stands_alone(said)]
    return max(around, key=len, default=sentence)


# -- said outright ---------------------------------------------------------------------------------


def _outright(ordered: Sequence[Pooled], signs: Signs) -> Iterator[Change]:
    """Yield the changes that a memory states outright, if earlier memories are about the same subject.

    There must be two earlier ones that share a sign; if the memory says only `now`, one that shares two signs.
    """
    place = {one.ref: at for at, one in enumerate(ordered)}
    for at, one in enumerate(ordered):
        for sentence in sentences(one.text):
            is_outright = says_outright(sentence)
            if not is_outright and "now" not in words(sentence):
                continue
            said = _standing(one.text, sentence)
            if not [*_signs_beside(said, one, signs)] and len(one.text.split()) <= MOST_WORDS:
                said = " ".join(one.text.split())  # `We've moved.` says what in another sentence
            own = [sign for sign in _signs_beside(said, one, signs) if len(signs.having[sign]) <= MOST_SIDE]
            near = [ordered[i] for i in sorted({place[ref] for sign in own for ref in signs.having[sign]} - {at})]
            sides = max(_sides(one, near, own, signs, is_outright=is_outright), key=itemgetter(0), default=None)
            if sides:
                once = _best((other, _speaking(other, own, signs)) for other in sides.before)
                yield Change(tuple(sides.before), (one, *sides.after), once, Quote(one, said), sides.sign)


class _Sides(NamedTuple):
    """What was said before and after a memory about one sign of its statement."""

    rank: tuple[int, bool, float]
    sign: str
    before: list[Pooled]
    after: list[Pooled]


def _sides(
    one: Pooled, near: Sequence[Pooled], own: Sequence[str], signs: Signs, *, is_outright: bool
) -> Iterator[_Sides]:
    """Yield the sides of a change for each sign that is founded.

    Args:
        one: the memory that states the change.
        near: the others that have any sign of the statement, by time.
        own: the signs of the statement.
        signs: the signs of all memories.
        is_outright: whether it states a change, and not only `now`.
    """
    in_both = {other.ref: _in_both(own, other, signs) for other in near}
    for sign in own:
        tells = sign in signs.names or len(signs.having[sign]) <= RARE
        about = [o for o in near if in_both[o.ref] >= LEAST_IN_COMMON or (tells and sign in signs.of[o.ref])]
        before = [o for o in about if _day(o) < _day(one)]
        after = [o for o in about if _day(o) >= _day(one)]
        if not is_outright:
            before = [o for o in before if sign in signs.of[o.ref] and _share(own, o) >= LEAST_IN_COMMON]
        # One earlier memory is enough if it has two signs of the statement, or its only one.
        is_close = any(in_both[o.ref] >= min(LEAST_IN_COMMON, len(own)) for o in before)
        if _is_founded(before, 1 if is_close else FEWEST_SIDE):
            in_common = sum(in_both[o.ref] for o in (*before, *after))
            # Of two signs of the same memories, rather a word of theirs than its family.
            yield _Sides((in_common, not sign.startswith(FAMILY), _worth(sign, signs)), sign, before, after)


def _in_both(own: Collection[str], other: Pooled, signs: Signs) -> int:
    """Return how many of the signs a memory has; a family and a word of it count as one."""
    ones = {sign: signs.of[other.ref][sign] for sign in own if sign in signs.of[other.ref]}
    return shared_signs(ones, ones)


def _share(own: Iterable[str], other: Pooled) -> int:
    """Return how many of the terms the best sentence of a memory contains."""
    terms = {sign for sign in own if not sign.startswith(FAMILY)}
    return max((len(terms.intersection(content_terms(said))) for said in sentences(other.text)), default=0)


def _signs_beside(said: str, one: Pooled, signs: Signs) -> Iterator[str]:
    """Yield the signs of a memory that occur in a statement apart from the words that mark the change."""
    rest = set(content_terms(outright_words().sub(" ", " ".join(words(said)))))
    for sign, of in signs.of[one.ref].items():
        if signs.is_telling(sign) and not of.isdisjoint(rest):
            yield sign


def _worth(sign: str, signs: Signs) -> float:
    factor = 1.5 if sign in signs.names else 1.2 if sign.startswith(FAMILY) else 1.0
    return round(factor * signs.weight(sign), 10)


def _speaking(one: Pooled, own: Collection[str], signs: Signs) -> str:
    """Return the first sentence of a memory that has most of these signs, preferably not a title."""
    terms = {term for sign in own for term in signs.of[one.ref].get(sign, ())}
    said = sentences(one.text) or [one.text]
    ranks = [
        (-len(terms.intersection(content_terms(text))), not text.endswith((".", "!")), at)
        for at, text in enumerate(said)
    ]
    return said[min(ranks)[-1]]
