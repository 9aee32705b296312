"""The words by which a text is told from others, however it is repeated: in part, in capitals, wrapped elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memstore.core.terms import whole_words

if TYPE_CHECKING:
    from collections.abc import Iterator

# So many words in a row are hardly ever somebody else's; five are, as in "at the end of the".
RUN = 6
# A shorter name is that of many things; the push guard looks for as many in paths.
SHORTEST_NAME = 3

_Words = tuple[str, ...]


@dataclass
class Retold:
    """Runs of words of texts, and their names, to be looked for in others."""

    _runs: set[_Words] = field(default_factory=set)
    _names: dict[int, set[_Words]] = field(default_factory=dict)

    def learn(self, text: str) -> None:
        """Remember every run of a text."""
        self._runs.update(_runs_of(whole_words(text), RUN))

    def learn_name(self, name: str) -> None:
        """Remember a title or an alias, if it has enough words to be told from others."""
        words = _separate(name)
        if len(words) >= SHORTEST_NAME:
            self._names.setdefault(len(words), set()).add(tuple(words))

    def quoted_in(self, data: bytes) -> bool:
        """Whether bytes repeat a run of words, or a name; those of no text repeat nothing."""
        if b"\0" in data or not (self._runs or self._names):
            return False
        words = whole_words(data.decode(errors="replace"))
        return not self._runs.isdisjoint(_runs_of(words, RUN)) or self._has_name(words)

    def named_in(self, name: str) -> bool:
        """Whether the name of a file or a ref has one of the names in it: `x/Our_old-mill.png` has `Our old mill`."""
        return self._has_name(_separate(name))

    def _has_name(self, words: list[str]) -> bool:
        return any(not known.isdisjoint(_runs_of(words, size)) for size, known in self._names.items())


def _separate(name: str) -> list[str]:
    return whole_words(name.replace("_", " "))


def _runs_of(words: list[str], size: int) -> Iterator[_Words]:
    """Yield each run of so many words."""
    return zip(*(words[start:] for start in range(size)), strict=False)
