"""Changes: what memories said once, and what later ones say instead.

There are two indications: a value (a number, a time of day, a name) that memories about one subject share until another
takes its place; and words that state a change outright (`no longer`, `from now on`, `I was wrong about`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice, permutations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.common import repeats
from memstore.beliefs.topics import FAMILY, overlap
from memstore.beliefs.values import DURATION, NAME, Value, are_far_apart, values_in
from memstore.beliefs.wording import (
    MOST_WORDS,
    content_terms,
    sayings,
    says_outright,
    sentences,
    stands_alone,
)
from memstore.conflicts.frames import frame
from memstore.core.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.beliefs.likeness import Likeness
    from memstore.beliefs.pooled import Pooled
    from memstore.beliefs.topics import Signs

FEWEST_SIDE = 2  # independent roots needed for each side, before and after
MOST_SIDE = 12
LEAST_IN_COMMON = 2  # signs that both sides of a value must have, counted with each memory
# Two names are used alike if their memories share one sign twice, or so many.
MANY_IN_COMMON = 4
# How alike the one that states a change and the closest before it must be, in standard deviations above what two
# memories usually are; if it says only `now`; or, without an embedder, how much they share, and how much if they have
# two subjects or a name in common. docs/consolidation.md, "How good it is".
LEAST_ALIKE, LEAST_ALIKE_NOW = 2.8, 4.0
LEAST_SHARED, LEAST_SHARED_IF_TELLING = 0.9, 0.7
OF_THE_CLOSEST = 0.5  # the others are nearly as close
MOST_ALIKE = 3


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


def changes(part: Sequence[Pooled], signs: Signs, alike: Likeness) -> list[Change]:
    """Return the changes among memories of one partition; no memory is on both sides of a change.

    Args:
        part: the memories.
        signs: the signs of these memories.
        alike: how alike these memories are.
    """
    ordered = sorted(part, key=_by_time)
    found = [*_successions(ordered, signs), *_outright(ordered, signs, alike)]
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


def _is_founded(side: Iterable[Pooled]) -> bool:
    return len({root for one in side for root in one.roots}) >= FEWEST_SIDE


def _day(one: Pooled) -> str:
    return (one.memory.created_at or "")[:10]


# -- a value takes another's place -----------------------------------------------------------------


def _successions(ordered: Sequence[Pooled], signs: Signs) -> list[Change]:
    """Return changes of a value: one value up to some day, another since, each at least twice, about one subject."""
    told = {one.ref: dict(values_in(one, signs)) for one in ordered}
    having: dict[Value, list[Pooled]] = defaultdict(list)
    for one in ordered:
        for value in told[one.ref]:
            having[value].append(one)
    founded = {value: side for value, side in having.items() if _is_founded(side)}
    found = [_succession(*pair, common, founded) for pair, common in _in_common(founded, told, signs).items()]
    ranked = sorted((one for one in found if one), key=lambda one: (-sum(one.shared.values()), one.old, one.new))
    return [
        Change(
            before=one.before,
            after=one.after,
            once=_best((each, told[each.ref][one.old]) for each in one.before),
            since=_best((each, told[each.ref][one.new]) for each in one.after),
            sign=max(sorted(one.shared), key=lambda sign: (one.shared[sign], signs.weight(sign))),
        )
        for one in ranked
    ]


class _Succession(NamedTuple):
    """A value that took another's place; `shared` counts for each sign how many memories of each side have it."""

    old: Value
    new: Value
    before: tuple[Pooled, ...]
    after: tuple[Pooled, ...]
    shared: Counter[str]


class _Common(NamedTuple):
    """The memories with one value, and those with another, that share a sign."""

    before: Sequence[Pooled]
    after: Sequence[Pooled]


def _succession(
    old: Value, new: Value, common: Mapping[str, _Common], having: Mapping[Value, Sequence[Pooled]]
) -> _Succession | None:
    """Return the change from one value to another; None if it isn't founded, or not about one subject.

    A duration such as `half an hour` can be said about anything, so in that case two memories of each side must share
    one sign; and so must two that share a name, unless they share many.

    Args:
        old: the value that was said first.
        new: the other.
        common: the memories of either side by the signs that both have.
        having: all memories that have a value.
    """
    after = _side(new, (each for one in common.values() for each in one.after), having)
    before = _side(old, (each for one in common.values() for each in one.before), having)
    before = tuple(one for one in before if one not in after)
    if not (_is_founded(before) and _is_founded(after)) or max(len(before), len(after)) > MOST_SIDE:
        return None
    shared = Counter({sign: min(len(one.before), len(one.after)) for sign, one in common.items()})
    most, every = max(shared.values()), sum(shared.values())
    in_common = most if old.kind == DURATION or (old.kind == NAME and every < MANY_IN_COMMON) else every
    if in_common < LEAST_IN_COMMON or _day(before[-1]) >= _day(after[0]) or are_far_apart(old, new):
        return None
    return _Succession(old, new, before, after, shared)


def _side(value: Value, sharing: Iterable[Pooled], having: Mapping[Value, Sequence[Pooled]]) -> tuple[Pooled, ...]:
    """Return the memories of one side, by time: all that have the value, if it says itself what it is a value of."""
    some = having[value] if value.says_of_what else sharing
    return tuple(sorted({one.ref: one for one in some}.values(), key=_by_time))


def _by_time(one: Pooled) -> tuple[str, str]:
    return one.memory.created_at or "", one.ref


def _in_common(
    having: Mapping[Value, Sequence[Pooled]], told: Mapping[str, Mapping[Value, str]], signs: Signs
) -> dict[tuple[Value, Value], dict[str, _Common]]:
    """Return the signs that memories with two values of one kind share, if those with one are older."""
    by_sign: dict[str, dict[Value, list[Pooled]]] = defaultdict(lambda: defaultdict(list))
    for value, side in having.items():
        for one in side:
            said = one.text if len(one.text.split()) <= MOST_WORDS else told[one.ref][value]
            for sign in _subjects(said, one, signs):
                if sign != value.of and signs.is_telling(sign):
                    by_sign[sign][value].append(one)
    found: dict[tuple[Value, Value], dict[str, _Common]] = defaultdict(dict)
    for sign, of in by_sign.items():
        for old, new in permutations(sorted(of), 2):
            ones, others = (having[value] if value.says_of_what else of[value] for value in (old, new))
            # A memory that names both, as `no Sundays any more, only Wednesdays` does, tells of the new one.
            ones = [one for one in ones if one not in others]
            if ones and old.kind == new.kind and _day(ones[-1]) < _day(others[0]):
                found[old, new][sign] = _Common([one for one in of[old] if one not in others], of[new])
    return found


def _subjects(said: str, one: Pooled, signs: Signs) -> Iterator[str]:
    """Yield what a memory speaks of in a saying: its families, and the terms that are in none of them."""
    terms = set(content_terms(said)).intersection(one.terms)
    families = {sign: of for sign, of in signs.of[one.ref].items() if sign.startswith(FAMILY) and of & terms}
    yield from families
    yield from terms.difference(*families.values())


def _best(said: Iterable[tuple[Pooled, str]]) -> Quote:
    """Return the clearest saying: one that states the change outright, then one that stands alone, then the first."""
    found = [(_quotation_of(one.text, sentence), one) for one, sentence in said]
    ranks = [(not says_outright(text), not stands_alone(text), at) for at, (text, _) in enumerate(found)]
    text, one = found[min(ranks)[-1]]
    return Quote(one, text)


def _quotation_of(text: str, sentence: str) -> str:
    """Return the quotation for a sentence: itself if it is complete, or the longest saying that contains it."""
    if stands_alone(sentence) and says_outright(sentence):
        return sentence
    around = [said for said in sayings(text) if sentence in said and stands_alone(said)]
    return max(around, key=len, default=sentence)


# -- said outright ---------------------------------------------------------------------------------


# `By now` and `just now` tell when; `now` alone, that it was otherwise before, as do `instead` and `since Monday`.
_NOW = re.compile(
    r"(?<!\bby )(?<!\bjust )(?<!\bright )(?<!\btill )(?<!\buntil )(?<!\bfor )(?<!\bto )\bnow\b(?! and then)"
    r"|\binstead\b(?! of)|\bsince (?:last )?\w+day\b"
)


def _outright(ordered: Sequence[Pooled], signs: Signs, alike: Likeness) -> Iterator[Change]:
    """Yield the changes that a memory states outright, if earlier memories are about the same thing."""
    by_ref = {one.ref: one for one in ordered}
    for one in ordered:
        stated = [(says_outright(sentence), sentence) for sentence in sentences(one.text)]
        stated = [(is_outright, said) for is_outright, said in stated if is_outright or _says_now(said)]
        if not stated:
            continue
        is_outright, said = max(stated, key=itemgetter(0))
        near = [_Near(value, by_ref[ref]) for value, ref in alike.nearest(one.ref)]
        before = _closest(o for o in near if _day(o.memory) < _day(one))
        if not before or not _is_about(one, before[0], signs, alike, is_outright=is_outright):
            continue
        least = max(before[0].alike * OF_THE_CLOSEST, min(before[0].alike, LEAST_ALIKE))
        after = _closest(o for o in near if _day(o.memory) > _day(one) and o.alike >= least)
        own = signs.common([one.ref, *(o.memory.ref for o in before)])
        since = _quotation_of(one.text, said)
        if any(says_outright(o.memory.text) and repeats(since, o.memory.text) is not None for o in before):
            continue  # what happens again in much the same words is no change: `replaced the lamp on the fifth floor`
        after = [o for o in after if repeats(since, o.memory.text) is not False]
        yield Change(
            before=tuple(sorted((o.memory for o in before), key=_by_time)),
            after=(one, *sorted((o.memory for o in after), key=_by_time)),
            once=_best((o.memory, _telling_sentence(o.memory, own, signs)) for o in before),
            since=Quote(one, since),
            sign=_subject([one, *(o.memory for o in before)], signs) or next(iter(own), ""),
        )


def _subject(some: Sequence[Pooled], signs: Signs) -> str | None:
    """Return the rarest word that all these memories have; None if they have none."""
    common = set(some[0].terms).intersection(*(one.terms for one in some))
    return max(sorted(common), key=signs.weight, default=None)


class _Near(NamedTuple):
    """Another memory, and how alike it is."""

    alike: float
    memory: Pooled


def _closest(near: Iterable[_Near]) -> list[_Near]:
    """Return the first few of the nearest memories: those that are nearly as close as the first."""
    found = [*islice(near, MOST_ALIKE)]
    return [one for one in found if one.alike >= min(found[0].alike * OF_THE_CLOSEST, LEAST_ALIKE)]


def _is_about(one: Pooled, before: _Near, signs: Signs, alike: Likeness, *, is_outright: bool) -> bool:
    """Whether a memory that states a change is about the same thing as the closest before it."""
    is_alike = before.alike >= (LEAST_ALIKE if is_outright else LEAST_ALIKE_NOW)
    if alike.has_meaning:
        return is_alike
    common = signs.common([one.ref, before.memory.ref])
    tells = len(common) >= LEAST_IN_COMMON or not signs.names.isdisjoint(common)
    shared = alike.shared(one.ref, before.memory.ref)
    return (tells and (is_alike or shared >= LEAST_SHARED_IF_TELLING)) or shared >= LEAST_SHARED


def _says_now(sentence: str) -> bool:
    return _NOW.search(" ".join(words(sentence))) is not None and not frame(sentence).is_past


def _telling_sentence(one: Pooled, own: Collection[str], signs: Signs) -> str:
    """Return the first sentence of a memory that has most of these signs, preferably not a title."""
    terms = {term for sign in own for term in signs.of[one.ref].get(sign, ())}
    said = sentences(one.text) or [one.text]
    ranks = [
        (-len(terms.intersection(content_terms(text))), not text.endswith((".", "!")), at)
        for at, text in enumerate(said)
    ]
    return said[min(ranks)[-1]]
