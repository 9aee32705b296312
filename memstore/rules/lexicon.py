"""What words mean to each other: the same, opposite, or names of one kind of thing."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memstore.rules.analysis import term_of
from memstore.rules.word_lists import KINDS, OPPOSITE_ACTS, OPPOSITES, SAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Whether two words, folded and unstemmed, are opposites in a larger lexicon.
    Opposes = Callable[[str, str], bool]

T = TypeVar("T")

# The same word in these pairs of neighbouring tongues: not another value.
_ONE_VALUE = (("gray", "grey"), ("coke", "cola"), ("whisky", "whiskey"), ("postgres", "postgresql"))
_ONE_VALUE_SETS = frozenset(frozenset(pair) for pair in _ONE_VALUE)
# Narrower and wider names of one thing don't exclude each other.
_WIDER = frozenset(
    frozenset(pair)
    for pair in (
        ("espresso", "coffee"), ("cappuccino", "coffee"), ("latte", "coffee"), ("coke", "soda"), ("sprite", "soda"),
        ("pepsi", "soda"), ("champagne", "wine"), ("cola", "soda"), ("lemonade", "juice"), ("british", "english"),
        ("british", "scottish"), ("british", "welsh"), ("korean", "north_korean"), ("korean", "south_korean"),
        ("korea", "north_korea"), ("korea", "south_korea"), ("usa", "america"), ("united_states", "america"),
        ("usa", "united_states"), ("united_kingdom", "england"), ("united_kingdom", "scotland"), ("linux", "ubuntu"),
        ("united_kingdom", "wales"), ("netherlands", "holland"), ("linux", "debian"), ("linux", "fedora"),
        ("linux", "android"), ("chinese", "mandarin"), ("chinese", "cantonese"), ("neovim", "vim"), ("navy", "blue"),
        ("maroon", "red"), ("crimson", "red"), ("scarlet", "red"), ("gray", "silver"), ("grey", "silver"),
        ("steel", "metal"), ("iron", "metal"), ("copper", "metal"), ("aluminum", "metal"), ("bronze", "metal"),
        ("marble", "stone"), ("granite", "stone"), ("cement", "concrete"), ("brick", "stone"), ("bamboo", "wood"),
        ("cardboard", "paper"), ("teal", "green"), ("turquoise", "blue"), ("violet", "purple"), ("lavender", "purple"),
        ("indigo", "blue"), ("tan", "brown"), ("beige", "cream"), ("cognac", "brandy"), ("annually", "yearly"),
        ("piano", "keyboard"), ("pony", "horse"), ("lunch", "brunch"), ("supper", "dinner"), ("cyan", "blue"),
        ("burgundy", "red"), ("khaki", "beige"), ("khaki", "tan"), ("gold", "yellow"), ("olive", "green"),
        ("delhi", "new_delhi"), ("vegan", "vegetarian"), ("navy", "indigo"), ("mariadb", "mysql"),
    )
)  # fmt: skip


class _Lists(NamedTuple):
    """The lists, by word: a word may stand on several sides, which are told by their numbers."""

    sides: Mapping[str, frozenset[int]]
    acts: frozenset[str]
    kinds: Mapping[str, frozenset[str]]
    phrases: frozenset[tuple[str, ...]]


def opposite(one: str, other: str) -> bool:
    """Whether two words, folded, exclude each other by the built-in list."""
    sides = _lists().sides
    return any(a ^ 1 == b for a, b in product(_of(sides, one), _of(sides, other)))


def same(one: str, other: str) -> bool:
    """Whether two words, folded, mean about the same."""
    if term_of(one) == term_of(other) or frozenset((one, other)) in _ONE_VALUE_SETS:
        return True
    sides = _lists().sides
    return not _of(sides, one).isdisjoint(_of(sides, other))


def other_value(one: str, other: str) -> str | None:
    """Return the kind of thing of which both words are names, if they are names of different ones."""
    pair = frozenset((one, other))
    if pair in _WIDER or same(one, other):
        return None
    kinds = _lists().kinds
    return min(_of(kinds, one) & _of(kinds, other), default=None)


def is_act(word: str) -> bool:
    """Whether a word is among the opposite acts, so that two of them may have happened one after the other."""
    return word in _lists().acts


def phrases() -> frozenset[tuple[str, ...]]:
    """Return the phrases that the lists hold, as words."""
    return _lists().phrases


def _of(lists: Mapping[str, frozenset[T]], word: str) -> frozenset[T]:
    """Return what a list has for a word, or for its stem."""
    return lists.get(word) or lists.get(term_of(word)) or frozenset()


@cache
def _lists() -> _Lists:
    """Return the lists, taken apart once; sides that exclude each other have the numbers 2n and 2n + 1."""
    sides: defaultdict[str, set[int]] = defaultdict(set)
    acts: set[str] = set()
    for number, line in enumerate([*_lines(OPPOSITES), *_lines(OPPOSITE_ACTS), *_lines(SAME)]):
        for side, names in enumerate(line.split("|")):
            for word in names.split():
                sides[word].add(2 * number + side)
    for line in _lines(OPPOSITE_ACTS):
        acts.update(line.replace("|", " ").split())
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for kind, listed in KINDS.items():
        for word in listed.split():
            kinds[word].add(kind)
    words = [*sides, *kinds]
    return _Lists(
        sides=_with_stems(sides),
        acts=frozenset(acts),
        kinds=_with_stems(kinds),
        phrases=frozenset(tuple(word.split("_")) for word in words if "_" in word),
    )


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


def _with_stems(lists: Mapping[str, set[T]]) -> dict[str, frozenset[T]]:
    """Return lists that answer for stems, too; a word itself goes before another's stem."""
    by_stem: defaultdict[str, set[T]] = defaultdict(set)
    for word, found in lists.items():
        by_stem[term_of(word)] |= found
    return {word: frozenset(found) for word, found in {**by_stem, **lists}.items()}
