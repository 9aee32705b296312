"""Registered aliases as one name: what a text says of `KR` is said of `Kiran Rao`, if both are names of one entity.

An alias that two entities have means neither. One that is an everyday word, too, such as `Rose` or `Will`, is a name
only inside a sentence and with a capital.
"""

from __future__ import annotations

import re
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS
from memstore.core.places import RegistryKind
from memstore.core.terms import fold, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.core.view import View

_WORD = re.compile(r"[^\W_]+")
# What may stand between the words of a name, and what a sentence ends with.
_BETWEEN = re.compile(r"[\s.'’-]{1,2}")
_ENDS = re.compile(r"[.!?:;]")
# A name of so many capitals may be a word, too: `IT`, `US`.
_MOST_INITIALS = 4


class _Alias(NamedTuple):
    """An alias: the entity's one name, and whether it is an everyday word, too."""

    name: str
    everyday: bool


class Aliases:
    """The names of entities, each with the one that stands for all of them.

    >>> aliases = Aliases({"human:kiran": ("Kiran Rao", "KR")})
    >>> aliases.as_one("KR's sister met Kiran Mehta."), sorted(aliases.others_in("KR is ill."))
    ("Kiran Rao's sister met Kiran Mehta.", ['kiran', 'rao'])

    Args:
        entities: the aliases of each entity, by its id.
    """

    def __init__(self, entities: Mapping[str, Sequence[str]]) -> None:
        owners: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for entity, aliases in entities.items():
            for alias in aliases:
                owners[_words(alias)].add(entity)
        self._known: dict[tuple[str, ...], _Alias] = {}
        self._words: dict[str, frozenset[str]] = {}
        for entity, aliases in entities.items():
            own = [alias for alias in aliases if (words := _words(alias)) and owners[words] == {entity}]
            if len({*map(_words, own)}) < 2:  # noqa: PLR2004 - one name needs no other
                continue
            # An everyday word is a poor name for the others.
            name = max(own, key=lambda alias: (not _is_everyday(_words(alias)), len(_words(alias))))
            self._known |= {_words(alias): _Alias(name, _is_everyday(_words(alias))) for alias in own}
            self._words[name] = frozenset(word for alias in own for word in _words(alias))
        self._initials = {
            _words(alias): alias for aliases in entities.values() for alias in aliases if _is_initials(alias)
        }
        self._widths = sorted({*map(len, self._known)}, reverse=True)
        self._firsts = frozenset(words[0] for words in self._known)

    def __bool__(self) -> bool:
        return bool(self._known)

    @property
    def state(self) -> str:
        """A digest of all names, by which it is known whether what was computed with them still holds; "" for none."""
        told = "\n".join(f"{' '.join(words)}={alias.name}" for words, alias in sorted(self._known.items()))
        return blake2b(told.encode(), digest_size=8).hexdigest() if told else ""

    def as_one(self, text: str) -> str:
        """Return a sentence with the one name in place of each alias."""
        parts, done = [], 0
        for name, start, end in self._found(text):
            parts += [text[done:start], name]
            done = end
        return "".join((*parts, text[done:])) if parts else text

    def others_in(self, text: str) -> frozenset[str]:
        """Return the words, folded, of all names of the entities that a text names, but for those in the text."""
        others = self.others_by_word(text)
        return frozenset().union(*others.values()).difference(_words(text)) if others else frozenset()

    def others_by_word(self, text: str) -> dict[str, frozenset[str]]:
        """Return for each word of a name in a text, folded, the words of the entity's other names."""
        return {
            word: self._words[name].difference(_words(text[start:end]))
            for name, start, end in self._found(text)
            for word in _words(text[start:end])
        }

    def _found(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the one name for each alias in a text, and where the alias starts and ends."""
        words = [*_WORD.finditer(text)] if self._known else []
        folded = [fold(word[0]) for word in words]
        at = 0
        while at < len(words):
            widths = self._widths if folded[at] in self._firsts else ()
            width = next((width for width in widths if self._is_named(text, words, folded, at, width)), 0)
            if width:
                name = self._known[tuple(folded[at : at + width])].name
                yield name, words[at].start(), words[at + width - 1].end()
            at += width or 1

    def _is_named(self, text: str, words: Sequence[re.Match[str]], folded: Sequence[str], at: int, width: int) -> bool:
        """Whether the words from one on are an alias, written as a name and no part of a longer one."""
        said = tuple(folded[at : at + width])
        alias = self._known.get(said)
        if alias is None or len(said) < width:
            return False
        first, last = words[at], words[at + width - 1]
        ends = [word.end() for word in words[at : at + width - 1]]
        gaps = (text[end : word.start()] for end, word in zip(ends, words[at + 1 : at + width], strict=True))
        if any(word[0][0].islower() for word in (first, last)) or not all(map(_BETWEEN.fullmatch, gaps)):
            return False
        if said in self._initials and first[0] != self._initials[said]:
            return False
        previous = words[at - 1] if at else None
        gap = text[previous.end() : first.start()] if previous else "."
        if alias.everyday and _ENDS.search(gap):
            return False
        after = words[at + width] if at + width < len(words) else None
        if after and text[last.end() : after.start()] == " " and _is_name(after[0]) and width == 1:
            return False
        return not (width == 1 and previous and gap == " " and _is_name(previous[0]))


NO_ALIASES = Aliases({})


def aliases_of(view: View) -> Aliases:
    """Return the names of the entities that the viewer knows of: the vault's owner of all, others of themselves."""
    files = view.of(RIGHTS).registry(RegistryKind.ENTITY)
    known = {str(file.values["id"]): tuple(file.values.get("aliases") or ()) for file in files.values() if file}
    seen = known if view.is_owners else {name: known[name] for name in known if name == view.actor}
    return Aliases({name: _names(name, aliases) for name, aliases in seen.items() if aliases}) if seen else NO_ALIASES


def other_names(view: View, text: str) -> dict[str, frozenset[str]]:
    """Return for each word of a registered name in a text, folded, the words of the entity's other names."""
    return {} if text == text.lower() else aliases_of(view).others_by_word(text)


def _names(entity: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """Return the aliases of an entity, and the name in its id."""
    own = re.sub(r"[_.-]+", " ", entity.partition(":")[2]).title()
    return (*aliases, *([own] if _words(own) not in map(_words, aliases) else ()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(map(fold, _WORD.findall(text)))


def _is_name(word: str) -> bool:
    return word[0].isupper() and fold(word) not in stop_words()


def _is_initials(alias: str) -> bool:
    return alias.isupper() and len(alias) <= _MOST_INITIALS


def _is_everyday(words: Sequence[str]) -> bool:
    from memstore.access.names import is_everyday

    return len(words) == 1 and (is_everyday(words[0]) or words[0] in stop_words())
