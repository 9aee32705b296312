"""Make gists: for each statement of a memory, the values that it states and the words that it excludes.

Every rule of `contradiction` depends on a word or number that is collected here, so a new rule there needs an addition
here (`tests/conflicts/test_gists.py` compares the two).
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.contradiction import SCHEDULED
from memstore.conflicts.frames import ALWAYS, DENIALS, frame, names_in, root_of, says_who, with_clocks
from memstore.conflicts.gists import Gist, without_numbers
from memstore.conflicts.guards import CHANGED, tells_change
from memstore.conflicts.lexicon import Role
from memstore.conflicts.moves import change_in
from memstore.conflicts.quantities import MONEY, Scale
from memstore.conflicts.sides import said_in
from memstore.conflicts.statements import (
    in_third_person,
    is_date,
    key_of,
    tokens,
    topic_of,
)
from memstore.conflicts.values import CALLED, COSTS, FAVOURITE, LABELS, THE, is_price
from memstore.core.terms import term_of
from memstore.search.aliases import NO_ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.quantities import Quantity
    from memstore.conflicts.statements import Statement, Token
    from memstore.files.memory_file import MemoryFile
    from memstore.search.aliases import Aliases


def gists_of(file: MemoryFile, aliases: Aliases = NO_ALIASES) -> Sequence[Gist]:
    """Return the gists of a memory's statements."""
    return tuple(gist(statement, start, end) for statement, start, end in said_in(file, aliases))


def gist(statement: Statement, line_start: int = 1, line_end: int = 1) -> Gist:
    """Return the gist of one statement."""
    found = list(with_clocks([token for way in _ways(statement.text) for token in tokens(way)]))
    words = [token.word for token in found if token.value is None]
    roots = frozenset(map(root_of, (*words, *statement.about.casefold().split())))
    topic, said = without_numbers(topic_of(statement)), frame(statement.text)
    before = (token.word for token in said.tokens[: said.verb or 0])
    about = frozenset(map(key_of, statement.about.casefold().split()))
    subject = topic & (about if _points(said) else frozenset(map(key_of, before)))
    return Gist(
        text=statement.text,
        about=statement.about,
        line_start=line_start,
        line_end=line_end,
        topic=topic,
        subject=subject,
        roots=tuple(sorted(roots - statement.topic)),
        slots=_slots_of(found, words, roots, statement.text),
        against=frozenset(_excluded_by(words)),
        loose=not _LOOSE.isdisjoint(words) or _is_loose(statement),
        written=statement.written,
    )


def _points(said: Frame) -> bool:
    return said.tokens[0].word in ("he", "she", "it") if said.tokens else False


def _is_loose(statement: Statement) -> bool:
    told = frame(statement.text)
    return told.denied or tells_change(told) or change_in(statement) is not None


def _ways(text: str) -> Iterator[str]:
    """Yield a sentence, and what it says of its speaker."""
    yield text
    if by_name := in_third_person(text):
        yield by_name


def _slots_of(
    found: Sequence[Token], words: Sequence[str], roots: frozenset[str], text: str
) -> dict[str, frozenset[str]]:
    """Return the values that a statement gives of each thing that can have only one."""
    slots: defaultdict[str, set[str]] = defaultdict(set)
    is_definite = not THE.isdisjoint(words)
    dated = is_definite or any(token.word == "until" or token.key in SCHEDULED for token in found)
    for token in found:
        if token.value is not None and (dated or not is_date(token)):
            slots[_scale_of(token.value)].add("/".join(map(str, token.value.parts)))
    for slot, told in (*chain.from_iterable(map(_told_by, words)), *_prices_in(found, words)):
        slots[slot].add(told)
    for slot in chain.from_iterable(map(_left_open_by, words)):
        slots[slot] |= roots
    if is_definite and (names_in(text) or says_who(text)):
        slots["name"] |= roots
    if any(token.key == "be" for token in found):
        slots["label"].update(word for word in words if any(map(str.isdigit, word)))
    return {slot: frozenset(told) for slot, told in slots.items() if told}


def _prices_in(found: Sequence[Token], words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers that may be prices."""
    costs = not COSTS.isdisjoint(map(term_of, words))
    for value in (token.value for token in found if token.value):
        if costs or is_price(value) or value.of in MONEY:
            yield "price", "/".join(map(str, value.parts))


_LOOSE = DENIALS | CHANGED | ALWAYS
_BY = ("by", "belong", "belongs")
_NAMING = CALLED | FAVOURITE | LABELS


def _scale_of(value: Quantity) -> str:
    """Return the scale of a value; times of day count as numbers, because `at 8` may be either."""
    scale = Scale.CARDINAL if value.scale is Scale.CLOCK else value.scale
    return f"{scale.name}_{value.of.replace(' ', '_')}"


@lru_cache(maxsize=50_000)
def _told_by(word: str) -> Sequence[tuple[str, str]]:
    """Return the slots that a word gives a value for, each with the value."""
    told = [(f"side {side // 2}", str(side % 2)) for side in lexicon.sides_of(word)]
    told += [(f"kind {kind}", key_of(word)) for kind in lexicon.kinds_of(word)]
    return [(slot.replace(" ", "_"), value) for slot, value in told]


@lru_cache(maxsize=50_000)
def _left_open_by(word: str) -> Sequence[str]:
    """Return the slots, such as an owner or a name, that other words in a sentence with this word may fill."""
    is_open = word in _NAMING or root_of(word) in _roots_of_roles()
    return [*([f"role_{root_of(word)}"] if is_open else ()), *(("by",) if word in _BY else ())]


@cache
def _roots_of_roles() -> frozenset[str]:
    return frozenset(root_of(word) for role in _ROLES for word in lexicon.words_in(role))


_ROLES = (Role.HOLDER, Role.HELD_BY_ONE, Role.BINDING, Role.ATTRIBUTE)


def _excluded_by(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that a statement excludes: evidence against a state."""
    stems = list(map(term_of, words))
    for state in lexicon.states_in(stems):
        yield from state.excluded
