"""Changes: what memories said once, and what later ones say instead.

There are two indications: a value (a number, a time of day, a name) that memories about one subject share until another
takes its place; and words that state a change outright (`no longer`, `from now on`, `I was wrong about`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import permutations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.topics import FAMILY, overlap, shared_signs
from memstore.beliefs.values import DURATION, NAME, Value, are_far_apart, values_in
from memstore.beliefs.wording import (
    MOST_WORDS,
    content_terms,
    outright_words,
    sayings,
    says_outright,
    sentences,
    stands_alone,
)
from memstore.conflicts.frames import frame
from memstore.core.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.beliefs.consolidation import Pooled
    from memstore.beliefs.likeness import Likeness
    from memstore.beliefs.topics import Signs

FEWEST_SIDE = 2  # independent roots needed for each side, before and after
MOST_SIDE = 12
# A sign that so few memories have says what they are about.
RARE = 4
LEAST_IN_COMMON = 2  # signs that both sides of a value must have, counted with each memory
# Two names are used alike if their memories share one sign twice, or so many.
MANY_IN_COMMON = 4
# How alike memories about one thing are, in standard deviations above what two memories usually are, and how alike two
# of them must be to the one that states a change if no word connects them: docs/consolidation.md, "By meaning".
LEAST_ALIKE = 1.4
NEAR, NEAREST, OF_THE_BEST = 2.0, 2.9, 0.7


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


def changes(part: Sequence[Pooled], signs: Signs, alike: Likeness | None = None) -> list[Change]:
    """Return the changes among memories of one partition; no memory is on both sides of a change.

    Args:
        part: the memories.
        signs: the signs of these memories.
        alike: how alike these memories are by an embedder; None without an embedder.
    """
    if alike is not None and not alike.is_measured:
        alike = None
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


def _is_founded(side: Iterable[Pooled], least: int = FEWEST_SIDE) -> bool:
    return len({root for one in side for root in one.roots}) >= least


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


# `By now` and `just now` tell when; `now` alone, that it was otherwise before.
_NOW = re.compile(
    r"(?<!\bby )(?<!\bjust )(?<!\bright )(?<!\btill )(?<!\buntil )(?<!\bfor )(?<!\bto )\bnow\b(?! and then)"
)


def _outright(ordered: Sequence[Pooled], signs: Signs, alike: Likeness | None) -> Iterator[Change]:
    """Yield the changes that a memory states outright, if earlier memories are about the same subject.

    There must be two earlier ones that share a sign; if the memory says only `now`, two that share two signs.
    """
    place = {one.ref: at for at, one in enumerate(ordered)}
    for one in ordered:
        for sentence in sentences(one.text):
            is_outright = says_outright(sentence)
            if not is_outright and not (_NOW.search(" ".join(words(sentence))) and not frame(sentence).is_past):
                continue
            whole = " ".join(one.text.split())
            said = [_standing(one.text, sentence), *([whole] if len(whole.split()) <= MOST_WORDS else [])]
            # `We've moved.` says what in another sentence, and `From today I take the tram` what until then
            stated = (
                _stated(one, text, ordered, place, signs, is_outright=is_outright) for text in dict.fromkeys(said)
            )
            change = next((one for one in stated if one and (alike is None or _is_alike(one, alike))), None)
            if change is None and alike is not None and is_outright:
                change = _by_meaning(one, said[0], ordered, alike)
            if change is not None:
                yield change


def _stated(
    one: Pooled, said: str, ordered: Sequence[Pooled], place: Mapping[str, int], signs: Signs, *, is_outright: bool
) -> Change | None:
    """Return the change that a memory states in these words; None if no earlier memories are about its subject."""
    own = [sign for sign in _signs_beside(said, one, signs) if len(signs.having[sign]) <= MOST_SIDE]
    near = [ordered[i] for i in sorted({place[ref] for sign in own for ref in signs.having[sign]} - {place[one.ref]})]
    sides = max(_sides(one, near, own, signs, is_outright=is_outright), key=itemgetter(0), default=None)
    if sides is None:
        return None
    once = _best((other, _speaking(other, own, signs)) for other in sides.before)
    return Change(tuple(sides.before), (one, *sides.after), once, Quote(one, said), sides.sign)


def _is_alike(change: Change, alike: Likeness) -> bool:
    """Whether what was said before is about the same thing in meaning, too."""
    stated = change.since.memory.ref
    return sum(alike.between(stated, one.ref) for one in change.before) >= LEAST_ALIKE * len(change.before)


def _by_meaning(one: Pooled, said: str, ordered: Sequence[Pooled], alike: Likeness) -> Change | None:
    """Return the change that a memory states outright about what others say in other words; None if none do."""
    near = [(alike.between(one.ref, other.ref), other) for other in ordered if other is not one]
    before = [(value, other) for value, other in near if value >= NEAR and _day(other) < _day(one)]
    if not before or (best := max(value for value, _ in before)) < NEAREST:
        return None
    before = [(value, other) for value, other in before if value >= best * OF_THE_BEST]
    if not _is_founded(other for _, other in before):
        return None
    after = [other for value, other in near if value >= max(NEAR, best * OF_THE_BEST) and _day(other) >= _day(one)]
    closest = max(before, key=lambda found: (round(found[0], 6), found[1].ref))[1]
    once = _best([(closest, closest.text)])
    return Change(tuple(other for _, other in before), (one, *after), once, Quote(one, said), "")


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
        is_close = is_outright and any(in_both[o.ref] >= min(LEAST_IN_COMMON, len(own)) for o in before)
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
