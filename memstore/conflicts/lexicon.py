"""Relations between words: synonyms, opposites, and names of the same kind of thing.

The built-in lists are in `words.toml`. WordNet knows more opposites if the extra `lexicon` and its data are installed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from enum import Enum
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memstore.core.terms import beginning, term_of
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    # Whether two words, folded and unstemmed, are opposites in a larger lexicon.
    Opposes = Callable[[str, str], bool]
    from pathlib import Path


T = TypeVar("T")


class _ByWord(Generic[T]):
    """Values from a word list, which also apply to inflected forms.

    Words are stemmed only when needed: stemming all of them takes longer than most searches.

    Args:
        said: the values of each word in the list.
    """

    def __init__(self, said: Mapping[str, tuple[T, ...]]) -> None:
        self._said = said
        self._found: dict[str, frozenset[T]] = {}
        self._alike: dict[str, list[str]] = {}
        for word in said:
            self._alike.setdefault(word[:_BEGINNING], []).append(word)

    def of(self, word: str) -> frozenset[T]:
        """Return the values of a word, or of words with its stem; an exact match takes precedence."""
        found = self._found.get(word)
        if found is None:
            found = self._found[word] = frozenset(self._said.get(word) or self._of_stem(term_of(word)))
        return found

    def _of_stem(self, stem: str) -> Iterable[T]:
        if said := self._said.get(stem):
            return said
        if len(stem) <= _BEGINNING:  # too short: `us` is the stem of both `us` and `useful`
            return ()
        start = beginning(stem)
        alike = (one for one in self._alike.get(start[:_BEGINNING], ()) if one.startswith(start))
        return (found for one in alike if term_of(one) == stem for found in self._said[one])


# Porter changes at most the last letter of a stem, so words with the same longer stem begin with the same letters.
_BEGINNING = 2


class _Lists(NamedTuple):
    """The lists, by word; sides are identified by numbers, and a word may be on several of them."""

    sides: _ByWord[int]
    acts: frozenset[str]
    kinds: _ByWord[str]
    one_value: frozenset[frozenset[str]]
    wider: frozenset[frozenset[str]]
    phrases: Mapping[str, Sequence[tuple[str, ...]]]
    plain_forms: Mapping[str, str]
    families: Mapping[str, str]


class Condition(NamedTuple):
    """A state of somebody or something: the words that are evidence against it, as they are listed.

    `ends` means that the state is final, so that evidence from a later day counts, too.
    """

    against: str
    ends: bool

    @property
    def excluded(self) -> frozenset[str]:
        """The terms that are evidence against it."""
        return _evidence_in(self.against)


class Role(Enum):
    """The role of a word in a sentence about something that has only one value."""

    STANDING = "standing"
    BINDING = "binding"
    BEING = "being"
    HELD_BY_ONE = "held_by_one"
    HOLDER = "roles"
    ATTRIBUTE = "attributes"


def listed_opposite(one: str, other: str) -> bool:
    """Whether two words, folded, are opposites in the built-in list."""
    sides = _lists().sides
    return any(a ^ 1 == b for a, b in product(sides.of(one), sides.of(other)))


def same(one: str, other: str) -> bool:
    """Whether two words, folded, mean nearly the same."""
    if _TITLES.intersection((one, other)):
        return one == other  # Porter takes `mrs` for the plural of `mr`
    if term_of(one) == term_of(other) or frozenset((one, other)) in _lists().one_value:
        return True
    sides = _lists().sides
    return not sides.of(one).isdisjoint(sides.of(other))


_TITLES = frozenset({"mr", "mrs", "ms"})


def sides_of(word: str) -> frozenset[int]:
    """Return the sides of a word, folded; sides 2n and 2n + 1 exclude each other."""
    return _lists().sides.of(word)


def kinds_of(word: str) -> frozenset[str]:
    """Return the kinds of things that a word, folded, can name."""
    return _lists().kinds.of(word)


def other_value(one: str, other: str) -> str | None:
    """Return the kind of thing that both words name, if they name different things of this kind; else None."""
    pair = frozenset((one, other))
    if pair in _lists().wider or same(one, other):
        return None
    kinds = _lists().kinds
    return min(kinds.of(one) & kinds.of(other), default=None)


def is_wider(one: str, other: str) -> bool:
    """Whether one word is a wider name for what the other names."""
    return frozenset((one, other)) in _lists().wider


def knows(word: str) -> bool:
    """Whether the lists contain a word, folded, its stem, or a phrase with it."""
    return bool(_lists().sides.of(word) or _lists().kinds.of(word)) or word in parts_of_phrases()


@cache
def parts_of_phrases() -> frozenset[str]:
    """Return the words in the phrases of the lists."""
    return frozenset(word for phrases in _lists().phrases.values() for phrase in phrases for word in phrase)


def is_act(word: str) -> bool:
    """Whether a word is among the opposite acts, two of which may have happened one after the other."""
    return word in _lists().acts


# With fewer letters, it is another word: `relay`.
_SHORTEST_FORM = 4
# Verbs with one of these are inflected like those without: `overwritten`, `rebuilt`.
_PREFIXES = ("over", "under", "re", "out", "mis", "fore", "with")


@cache
def plain_form(word: str) -> str:
    """Return the plain form of an irregular verb form; other words unchanged."""
    forms = _lists().plain_forms
    if word in forms or word in _lists().families:
        return forms.get(word, word)
    for prefix in _PREFIXES:
        bare = word.removeprefix(prefix)
        if bare != word and len(bare) >= _SHORTEST_FORM and bare in forms:
            return prefix + forms[bare]
    return word


def family_of(word: str) -> str:
    """Return the word that represents a word's family: `own` for `owner`; the plain form of a word without one."""
    return _lists().families.get(word) or plain_form(word)


@cache
def doing_of(word: str) -> str:
    """Return the verb of an agent noun, or of what can be done: `swim` for `swimmer`, `wash` for `washable`."""
    who = word.removesuffix("s")
    ending = next((ending for ending in ("able", "ible", "er", "or") if who.endswith(ending)), "")
    if not ending:
        return word
    stem = who.removesuffix(ending)
    doing = (stem, f"{stem}e", stem[:-1] if stem[-2:-1] == stem[-1:] else stem)
    return next((verb for verb in doing if has_role(verb, Role.STANDING)), word)


def has_role(word: str, role: Role) -> bool:
    """Whether a word, folded, has a role, in any of its forms."""
    return term_of(plain_form(word)) in _terms_in(role)


@cache
def stands(word: str) -> bool:
    """Whether a word is the plain form or the form in -s of a verb that describes a state or a habit."""
    forms = {word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}
    return not forms.isdisjoint(words_in(Role.STANDING))


def is_person(word: str) -> bool:
    """Whether a word names a person by a relation or an office."""
    return has_role(word, Role.HOLDER) or "relative" in _lists().kinds.of(word)


@cache
def words_in(role: Role) -> frozenset[str]:
    """Return the words that have a role, as they are listed."""
    return frozenset(word_lists("conflicts")[role.value].split())


@cache
def _terms_in(role: Role) -> frozenset[str]:
    return frozenset(map(term_of, words_in(role)))


def is_member(word: str, kind: str) -> bool:
    """Whether a word names a member of a kind: a violin is an instrument."""
    named = len(kind) >= _SHORTEST_KIND and word.endswith(kind) and len(word) >= len(kind) + _SHORTEST_FORE
    return named or term_of(word) in _members().get(term_of(kind), frozenset()) or kind in kinds_of(word)


# A compound is named after its last word, which a padlock is and a clock is not: a lock.
_SHORTEST_KIND, _SHORTEST_FORE = 4, 3


@cache
def _members() -> Mapping[str, frozenset[str]]:
    lines = [line.partition("|") for line in _lines(word_lists("conflicts")["members"])]
    return {term_of(kind): frozenset(map(term_of, of.split())) for kinds, _, of in lines for kind in kinds.split()}


def states_at(terms: Sequence[str], at: int) -> Iterator[tuple[int, Condition]]:
    """Yield the states that a phrase beginning at a position expresses, each with the number of its words."""
    said = _of_anybody(tuple(terms[at : at + 2 * _LONGEST]))  # a beginning and what follows: a line may be very long
    yield from _states_after((), said)
    for way, begin in _beginnings().get(said[0], ()):
        if said[: len(way)] == way:
            for width, state in _states_after(begin, said[len(way) :]):
                yield len(way) + width, state


def states_in(terms: Sequence[str]) -> Iterator[Condition]:
    """Yield the states that any phrase among some terms expresses."""
    return (state for at in range(len(terms)) for _, state in states_at(terms, at))


def states_against(terms: Collection[str]) -> frozenset[str]:
    """Return the longest word of each phrase for a state against which any of some terms is evidence."""
    evidence = (one for start in {term[:_BEGINNING] for term in terms} for one in _speaking_against().get(start, ()))
    lines = {line for word, states in evidence if term_of(word) in terms for line in states}
    return frozenset(max(phrase.split("_"), key=len) for line in lines for phrase in line.split())


@cache
def _speaking_against() -> Mapping[str, Sequence[tuple[str, Sequence[str]]]]:
    """Return the words of evidence by the letters they begin with, each with the lines of the states it excludes."""
    told: defaultdict[str, list[str]] = defaultdict(list)
    for name in ("states", "ended"):
        for phrases, _, against in (line.partition("|") for line in _lines(word_lists("conflicts")[name])):
            for word in against.split():
                told[word].append(phrases)
    found: defaultdict[str, list[tuple[str, Sequence[str]]]] = defaultdict(list)
    for name, states in told.items():
        for family in map(family_of, _evidence().get(name, (name,))):
            found[family[:_BEGINNING]].append((family, states))
    return dict(found)


def _states_after(begin: tuple[str, ...], terms: Sequence[str]) -> Iterator[tuple[int, Condition]]:
    """Yield the states of phrases with a beginning that go on like the terms."""
    said = (*begin, *terms[:_LONGEST])
    for key in {_letters_of(said[:1]), _letters_of(said)}:
        for phrase, state in _starting(key).get(said[0], ()):
            if len(begin) < len(phrase) and said[: len(phrase)] == phrase:
                yield len(phrase) - len(begin), state


# No phrase has more words.
_LONGEST = 10


def _letters_of(words: Sequence[str]) -> str:
    """Return the letters with which the first two words begin, stemmed or not."""
    return " ".join(word[:_BEGINNING] for word in words[:2])


@cache
def _starting(letters: str) -> Mapping[str, Sequence[tuple[tuple[str, ...], Condition]]]:
    """Return the terms of the phrases that begin with some letters, with what each expresses, by their first one."""
    found: defaultdict[str, list[tuple[tuple[str, ...], Condition]]] = defaultdict(list)
    for phrase, state in _states().get(letters, ()):
        for terms in map(_of_anybody, _terms_of(phrase)):
            found[terms[0]].append((terms, state))
    return found


@cache
def _states() -> Mapping[str, Sequence[tuple[str, Condition]]]:
    """Return the phrases of states by the letters with which they begin: few of them are taken apart and stemmed."""
    lists = word_lists("conflicts")
    joined = {words[:2] for phrases in _lists().phrases.values() for words in phrases}
    firsts = {first for first, *_ in joined}
    found: defaultdict[str, list[tuple[str, Condition]]] = defaultdict(list)
    for name, ends in (("states", False), ("ended", True)):
        for line in _lines(lists[name]):
            phrases, _, against = line.partition("|")
            state = Condition(against.strip(), ends)
            for phrase in phrases.split():
                first, second, third, *_ = (*phrase.split("_", 3), "", "")
                found[_beginning_of(first, second)].append((phrase, state))
                if (first in firsts and (first, second) in joined) or (second in firsts and (second, third) in joined):
                    found[_letters_of(_of_anybody(tuple(_spelled(phrase)[-1])))].append((phrase, state))
    return dict(found)


def _beginning_of(first: str, second: str) -> str:
    start = "th" if first in _POSSESSIVES else first[:_BEGINNING]
    if not second:
        return start
    return f"{start} {'th' if second in _POSSESSIVES else second[:_BEGINNING]}"


@cache
def _evidence_in(against: str) -> frozenset[str]:
    """Return the terms of the words after the `|` of a state; few of the states are needed, so not at once."""
    words = [word for name in against.split() for word in _evidence().get(name, (name,))]
    return frozenset(term_of(family_of(word)) for word in words)


@cache
def _evidence() -> Mapping[str, Sequence[str]]:
    """Return the words of each name that states may use for them, as they use it: `@meat`."""
    lines = [line.partition("|") for line in _lines(word_lists("conflicts")["evidence"])]
    return {f"@{name.strip()}": words.split() for name, _, words in lines}


@cache
def _beginnings() -> Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Return other beginnings of phrases, each with the usual one that means the same, by the first term."""
    found: defaultdict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
    for line in _lines(word_lists("conflicts")["beginnings"]):
        usual, *ways = (_of_anybody(tuple(map(term_of, each.split("_")))) for each in line.replace("|", " ").split())
        for way in ways:
            found[way[0]].append((way, usual))
    return dict(found)


@lru_cache(maxsize=4096)
def _of_anybody(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return some words or terms with `their` for each possessive pronoun, as it stands in the phrases."""
    return tuple("their" if word in _OWN else word for word in words)


_POSSESSIVES = ("their", "his", "her", "its", "my", "our")
_OWN = frozenset((*_POSSESSIVES, *map(term_of, _POSSESSIVES)))


def _terms_of(phrase: str) -> Sequence[tuple[str, ...]]:
    return [tuple(map(term_of, words)) for words in _spelled(phrase)]


def _spelled(phrase: str) -> Sequence[Sequence[str]]:
    """Return the words of a phrase, and again with those joined that another list has as one phrase."""
    words = phrase.split("_")
    joined = _lists().phrases
    if len(words) == 1 or not any(word in joined for word in words):
        return (words,)
    merged = list(_merged(words))
    return (words,) if len(merged) == len(words) else (words, merged)


def _merged(words: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(words):
        found = next(
            (each for each in phrases(words[at]) if tuple(words[at : at + len(each)]) == each), words[at : at + 1]
        )
        yield "_".join(found)
        at += len(found)


def phrases(first: str) -> Sequence[tuple[str, ...]]:
    """Return the phrases of the lists that begin with a word, as tuples of words, the longest first."""
    return _lists().phrases.get(first, ())


@cache
def _lists() -> _Lists:
    """Return the lists, parsed once; sides 2n and 2n + 1 exclude each other."""
    said = word_lists("conflicts")
    opposites, opposite_acts, same_words = (_lines(said[name]) for name in ("opposites", "opposite_acts", "same"))
    sides: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate([*opposites, *opposite_acts, *same_words]):
        for side, names in enumerate(line.split("|")):
            for word in names.split():
                sides[word] = (*sides.get(word, ()), 2 * number + side)
    kinds: dict[str, tuple[str, ...]] = {}
    members = {line.partition("|")[0].split()[0]: line.partition("|")[2] for line in _lines(said["members"])}
    for kind, names in (members | said["kinds"]).items():
        for word in names.split():
            kinds[word] = (*kinds.get(word, ()), kind)
    phrases: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for words in sorted({tuple(word.split("_")) for word in (*sides, *kinds) if "_" in word}, key=len, reverse=True):
        phrases[words[0]].append(words)
    return _Lists(
        sides=_ByWord(sides),
        acts=frozenset(word for line in opposite_acts for word in line.replace("|", " ").split()),
        kinds=_ByWord(kinds),
        one_value=_pairs(said["one_value"]),
        wider=_pairs(said["wider"]),
        phrases=dict(phrases),
        plain_forms={other: verb[0] for verb in _verbs(said["irregular"]) for other in verb[1:]},
        families={word: line.split()[0] for line in _lines(said["families"]) for word in line.split()},
    )


def _verbs(text: str) -> list[list[str]]:
    return [verb.split() for line in _lines(text) for verb in line.split(";")]


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(line.split()) for line in _lines(text))


_DENYING = ("un", "in", "im", "ir", "il", "dis", "non", "non-")


# With such a prefix, these are not opposites: they are other words, or mean the same (`invaluable`, `discover`).
_NO_OPPOSITE = listed("""
    valuable habitable flammable different famous press form side come prove port tend cover play miss deed vent tern
    crease creases creased creasing quest stance tensive grain print pose posed poses pact part plant quire
    """)


def opposite(one: str, other: str) -> bool:
    """Whether two words are opposites in the list, or one is the other with a negative prefix or `-less` for `-ful`."""
    if one.endswith(("less", "ful")) and _bare_of_less(one) == _bare_of_less(other):
        return one.endswith("less") != other.endswith("less")
    return listed_opposite(one, other) or one in without_prefix(other) or other in without_prefix(one)


def _bare_of_less(word: str) -> str:
    """Return a word without `-less` or `-ful`: `care` for careless and careful."""
    return word.removesuffix("less").removesuffix("ful")


# If fewer letters follow, the prefix is usually part of the word, as in `under`.
_SHORTEST_WORD = 4


def without_prefix(word: str) -> Sequence[str]:
    """Return the words that a word negates if it begins with a negative prefix: `locked` for `unlocked`."""
    bare = (word.removeprefix(prefix) for prefix in _DENYING if word.startswith(prefix))
    return [each for each in bare if len(each) >= _SHORTEST_WORD and each not in _NO_OPPOSITE]


# -- from WordNet ----------------------------------------------------------------------------------


class WordNet:
    """WordNet's antonyms, loaded on first use.

    Args:
        data: the folder of its data; if it does not exist, the package is not imported, because this takes longer than
            a search. None: always try the package.
    """

    def __init__(self, data: Path | None = None) -> None:
        self._data = data

    @property
    def has_words(self) -> bool:
        """Whether it is installed and has its data."""
        return self._words is not None

    def opposes(self, one: str, other: str) -> bool:
        """Whether two words are antonyms in WordNet."""
        return self._words is not None and other in self._antonyms(one)

    @cached_property
    def _words(self) -> Any:
        if self._data and not self._data.is_dir():
            return None
        from importlib.util import find_spec

        if find_spec("wn") is None:
            return None
        import wn

        try:
            return wn.Wordnet(lang="en")
        except wn.Error:  # its data were never downloaded
            return None

    @lru_cache(maxsize=10_000)  # noqa: B019 - there is one lexicon per process
    def _antonyms(self, word: str) -> frozenset[str]:
        senses = self._words.senses(word)
        return frozenset(
            opposite.word().lemma().casefold() for sense in senses for opposite in sense.get_related("antonym")
        )
