"""What sentences state in common: the words that all of them have, with a range or a list where they differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memstore.beliefs.wording import FEWEST_TERMS, content_terms, denies, sentences, stands_alone
from memstore.conflicts.frames import ALL, DENIALS, HEDGES, IN_PART, NORMS, ONLY, frame
from memstore.conflicts.quantities import CARDINALS, joined
from memstore.conflicts.statements import is_past
from memstore.core.terms import stop_words, term_of, words
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?![^\W_])|[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
# What may be said of things that differ: as long a list, of as many words each.
MOST_LISTED, MOST_LISTED_WORDS = 4, 3
_PLACING = frozenset("across along around behind beside inside near outside past through toward towards via".split())  # noqa: SIM905
_COUNTED = CARDINALS.keys() - {"one"}  # `one` seldom counts: `one of them`
# Words that make another statement of the same words: denials, plans, hearsay, parts, bounds.
_NO_TURN = listed("another next other others try")
_TURNING = (DENIALS | HEDGES | NORMS | IN_PART | ALL | ONLY) - _NO_TURN | listed("""
    not didn't don't doesn't wasn't won't couldn't will would shall may can forgot failed refused stopped asked said
    told heard vain least exactly about roughly more less minus although though without
    """)
# These relate what is said to a time or a bound: whoever says `before` does not say `after`.
_RELATING = listed("before after above below over under against from to with")
# After a verb, only a time, a place, a reason or what else happened can be left out: who ran out of milk did not run.
_ADJUNCTS = listed("in on at by during before after again all this last today yesterday near because since while and ,")
# These belong to the verb before them: `broke down`.
_PARTICLES = listed("down up out off away back over")
_FEWEST_ALIKE = 3  # words of content that two sentences made alike have in common


class _Token(NamedTuple):
    """A word, a number or a sign, the characters it takes, and what it is compared by."""

    text: str
    start: int
    end: int
    key: str


class Common(NamedTuple):
    """What some sentences state in common.

    `of` are the places of the sentences that say it, ascending; `differing` are the ranges and lists in the text.
    """

    text: str
    of: tuple[int, ...]
    differing: tuple[str, ...]


def in_common(said: Sequence[str]) -> Common | None:
    """Return what the first sentence and as many others as possible state in common; None if the others are unlike it.

    The others are tried by how alike they are, so their order decides only between equals.

    Args:
        said: sentences.
    """
    every = [_tokens(one) for one in said]
    first, negated = every[0], denies(said[0])
    matches = {at: _matches(first, every[at]) for at in range(1, len(said)) if denies(said[at]) == negated}
    own: dict[int, Mapping[int, int]] = {0: {place: place for place in range(len(first))}}
    found: Common | None = None
    for at in sorted(matches, key=lambda at: (-len(matches[at]), at)):
        tried = {**own, at: matches[at]}
        if common := _stated(said, every, tried):
            own, found = tried, common
    return found


def details(text: str) -> frozenset[str]:
    """Return the numbers, times and names in a text, each as it is compared."""
    return frozenset(_details(_tokens(text)))


def _details(tokens: Sequence[_Token]) -> Iterator[str]:
    before = "."
    for token in tokens:
        is_number = _has_number([token])
        # The first word of a sentence is capitalized whatever it is.
        is_name = (
            token.text[0].isupper() and before not in ".!?…\"'“‘(:" and token.text not in ("I", "I'm", "I've", "I'd")
        )
        if is_number or (is_name and token.text.lower() not in stop_words()):
            yield token.key
        before = token.text


@lru_cache(maxsize=20_000)
def _tokens(text: str) -> tuple[_Token, ...]:
    return tuple(_Token(found.group(), *found.span(), _key(found.group())) for found in _TOKEN.finditer(text))


def _key(text: str) -> str:
    if text[0].isdigit():
        return text.replace(":", ".").replace(",", ".")
    lower = text.lower().replace("’", "'")
    if lower in CARDINALS:
        return f"{CARDINALS[lower]:g}"
    return term_of(lower.removesuffix("'s")) if lower[0].isalpha() else lower


def _matches(one: Sequence[_Token], other: Sequence[_Token]) -> dict[int, int]:
    """Return for places in one sentence the places in another that have the same words in the same order."""
    matcher = SequenceMatcher(None, [token.key for token in one], [token.key for token in other], autojunk=False)
    return {block.a + at: block.b + at for block in matcher.get_matching_blocks() for at in range(block.size)}


def _stated(
    said: Sequence[str], every: Sequence[Sequence[_Token]], places: Mapping[int, Mapping[int, int]]
) -> Common | None:
    """Return what these sentences state in common; None if what they share is no statement."""
    first = every[0]
    shared = _anchors(every, places)
    parts: list[str] = []
    differing: list[str] = []
    for before, after in pairwise([-1, *shared, len(first)]):
        gaps = [_between(every[name], of, before, after) for name, of in places.items()]
        is_last = after == len(first) or not first[after].text[0].isalnum()
        after_small_word = before >= 0 and first[before].text.lower() in stop_words()
        if before < 0 and not all(gaps) and not all(_leaves_subject(gap) for gap in gaps):
            return None
        value = _value(gaps, may_list=after_small_word, is_last=is_last)
        if value is None:
            return None
        if value:
            parts.append(f" {value}")
            differing.append(value)
        elif any(gaps) and is_last:
            if "".join(parts[-1:]).strip().lower() not in _PARTICLES:
                _drop_open_words(parts)
            if not all(_is_adjunct(gap) for gap in gaps) and is_past("".join(parts[-1:]).strip().lower()):
                return None
        if after < len(first):
            space = said[0][first[after - 1].end : first[after].start] if after else ""
            adjacent = not any(gaps)
            glue = space if adjacent else ("" if not first[after].text[0].isalnum() else " ")
            parts.append(f"{glue}{first[after].text}")
    text = "".join(parts).strip()
    text = f"{text[:1].upper()}{text[1:]}"
    kept = set(content_terms(" ".join(first[at].text for at in shared)))
    can_stand = stands_alone(text) or len(words(text)) == len(kept)
    if len(kept) < FEWEST_TERMS or not can_stand or frame(text).verb is None:
        return None
    return Common(text, tuple(sorted(places)), tuple(differing))


def _anchors(every: Sequence[Sequence[_Token]], places: Mapping[int, Mapping[int, int]]) -> list[int]:
    """Return the places in the first sentence of what all have; a small word that stands alone is there by chance."""
    first = every[0]
    shared = [at for at in range(len(first)) if all(at in of for of in places.values())]

    def differ(before: int, after: int) -> bool:
        return any(_between(every[name], of, before, after) for name, of in places.items())

    return [
        at
        for before, at, after in zip([-1, *shared], shared, [*shared[1:], len(first)], strict=False)
        if first[at].text.lower() not in stop_words() or not (differ(before, at) and differ(at, after))
    ]


def _between(tokens: Sequence[_Token], of: Mapping[int, int], before: int, after: int) -> Sequence[_Token]:
    return tokens[of[before] + 1 if before >= 0 else 0 : of.get(after, len(tokens))]


def _value(gaps: Sequence[Sequence[_Token]], *, may_list: bool, is_last: bool) -> str | None:
    """Return how what differs is stated: as a range, as a list, empty if it can be left out, and None if it can't.

    Args:
        gaps: the words of each sentence at that place.
        may_list: whether a noun may stand here: it follows an article or a preposition; names may stand anywhere.
        is_last: whether a clause ends here.
    """
    if any(_turns(gap) for gap in gaps):
        return None
    if not all(gaps):
        return "" if not any(_has_number(gap) for gap in gaps if gap) or is_last else None
    numbers = [_number(gap) for gap in gaps]
    if all(number is not None for number in numbers):
        by_size = sorted(
            zip(numbers, (_text(gap) for gap in gaps), strict=True), key=lambda one: (one[0] or 0.0, one[1])
        )
        return f"{by_size[0][1]} {'or' if len({*numbers}) == 2 else 'to'} {by_size[-1][1]}"  # noqa: PLR2004 - two
    texts = sorted({_text(gap) for gap in gaps})
    longest = 1 if is_last else MOST_LISTED_WORDS
    is_short = all(
        len(gap) <= longest
        and all(token.text[0].isalnum() for token in gap)
        and (len(gap) == 1 or not _has_number(gap))
        for gap in gaps
    )
    are_names = all(token.text[0].isupper() or _has_number([token]) for gap in gaps for token in gap)
    if is_short and (may_list or are_names) and len(texts) <= MOST_LISTED:
        return f"{', '.join(texts[:-1])} or {texts[-1]}"
    return "" if is_last else None


def _text(gap: Sequence[_Token]) -> str:
    return " ".join(token.text for token in gap)


def _has_number(gap: Sequence[_Token]) -> bool:
    return any(any(map(str.isdigit, token.text)) or token.text.lower() in _COUNTED for token in gap)


def _number(gap: Sequence[_Token]) -> float | None:
    """Return the number that these words are; None if they are anything else."""
    if len(gap) == 1 and gap[0].text[0].isdigit():
        hours, _, rest = gap[0].text.replace(",", "").partition(":")
        return float(hours) + float(rest.replace(":", "") or 0) / 100 if hours.replace(".", "", 1).isdigit() else None
    spelt = [token.text.lower() for token in gap]
    if not spelt or spelt[0] not in CARDINALS:
        return None
    value, taken = joined(spelt[0], spelt[1:])
    return value if taken == len(spelt) - 1 else None


def _drop_open_words(parts: list[str]) -> None:
    """Drop the words at the end that nothing follows now: `ran along the`; not `broke down`."""
    while parts and parts[-1].strip().lower() in stop_words() | _PLACING:
        parts.pop()


def _turns(gap: Sequence[_Token]) -> bool:
    """Whether words say something else of the rest, or of somebody else: `almost`, `without`, `the neighbour's`."""
    return any(token.text.lower() in _TURNING or token.text.endswith(("'s", "’s")) for token in gap)


def _leaves_subject(gap: Sequence[_Token]) -> bool:
    """Whether words before a sentence name nobody who did it: `The caretaker replaced the lamp` is of another."""
    return _is_adjunct(gap) or _text(gap).lower() == "i" or not gap[-1].text[0].isalnum()


def _is_adjunct(gap: Sequence[_Token]) -> bool:
    return not gap or gap[0].text.lower() in _ADJUNCTS


def says_details(quote: str, text: str) -> bool:
    """Whether a text has all the numbers, times and names of a quotation."""
    told = details(quote)
    return not told or told <= {token.key for token in _tokens(text)} | {term_of(word) for word in words(text)}


@lru_cache(maxsize=20_000)
def repeats(quote: str, text: str) -> bool | None:
    """Whether a text says what a quotation says; None if none of its sentences is made like one of the quotation.

    Sentences are made alike if they have half of their words in common, in one order and without small words. Then one
    says what the other says only if it has all of its words, and none that turns their sense.

    >>> repeats("Took the pill with breakfast.", "Took the pill with breakfast again.")
    True
    >>> repeats("Took the pill with breakfast.", "Took the pill without breakfast.")
    False
    >>> repeats("Took the pill with breakfast.", "The pharmacy was closed.") is None
    True
    """
    found = [
        told
        for quoted in sentences(quote)
        if (told := _best_of(_repeats(_tokens(quoted), _tokens(one)) for one in sentences(text) if one[-1:] != "?"))
        is not None
    ]
    return all(found) if found else None


def _best_of(found: Iterable[bool | None]) -> bool | None:
    told = {*found}
    return True if True in told else (False if False in told else None)


def _repeats(quoted: Sequence[_Token], told: Sequence[_Token]) -> bool | None:
    mine, its = _content(quoted), _content(told)
    if len(mine & its) < _FEWEST_ALIKE:
        return None
    matched = _matches(quoted, told)
    in_order = sum(quoted[at].key in mine for at in matched)
    if in_order < _FEWEST_ALIKE or 2 * in_order < max(len(mine), len(its)):
        return None
    turning, others = ([token.key for token in each if _turns([token])] for each in (quoted, told))
    every = mine | {token.key for token in quoted if token.text.lower() in _RELATING}
    if turning != others or not every <= {token.key for token in told}:
        return False
    # In another order, `Tom saw Sarah` says something else than `Sarah saw Tom`.
    return not any(_details(quoted)) or mine <= {quoted[at].key for at in matched}


def _content(tokens: Sequence[_Token]) -> frozenset[str]:
    return frozenset(
        token.key for token in tokens if token.text[0].isalnum() and token.text.lower() not in stop_words()
    )
