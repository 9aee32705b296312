"""The words by which a text is told from others, however it is repeated: in part, in capitals, wrapped elsewhere."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memstore.access.names import readings
from memstore.core.terms import whole_words
from memstore.core.titles import as_called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# So many words in a row are hardly ever somebody else's; five are, as in "at the end of the".
RUN = 6
# A shorter name is that of many things; the push guard looks for as many in paths.
SHORTEST_NAME = 3

# The byte order marks of texts with two or four bytes a character; a shorter mark may begin a longer one.
_WIDE = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip

_Words = tuple[str, ...]


def as_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8 whose mark at the beginning tells of two or four bytes a character; others as they are."""
    wide = next((name for mark, name in _WIDE.items() if data.startswith(mark)), None)
    return data.decode(wide, "replace").encode(errors="replace") if wide else data


@dataclass
class Retold:
    """Runs of words of texts, and their names, to be looked for in others."""

    _runs: set[_Words] = field(default_factory=set)
    _names: dict[int, set[_Words]] = field(default_factory=dict)
    _short: dict[int, set[_Words]] = field(default_factory=dict)

    def learn(self, text: str) -> None:
        """Remember every run of a text."""
        self._runs.update(_runs_of(whole_words(text), RUN))

    def learn_name(self, name: str) -> None:
        """Remember a title or an alias; with fewer than three words it may be that of many things."""
        words = _separate(name)
        names = self._names if len(words) >= SHORTEST_NAME else self._short
        if words:
            names.setdefault(len(words), set()).add(tuple(words))

    def words_in(self, data: bytes, *, in_all_forms: bool = False) -> list[str]:
        """Return the words of bytes, in which `quoted_in` and `short_names_in` look; nothing if they are no text.

        Args:
            data: the bytes.
            in_all_forms: whether also as they are read without escapes and markup, one form after the other.
        """
        if not (self._runs or self._names or self._short):
            return []
        plain = as_utf8(data)
        if b"\0" in plain:
            return []
        text = plain.decode(errors="replace")
        return _words_of_all(readings(text)) if in_all_forms else whole_words(text)

    def quoted_in(self, words: list[str]) -> bool:
        """Whether words repeat a run, or a name that can be told from others."""
        return not self._runs.isdisjoint(_runs_of(words, RUN)) or self._has_name(words)

    def short_names_in(self, words: list[str]) -> set[tuple[str, ...]]:
        """Return the names of one or two words that are among these, each as its words."""
        return {name for size, known in self._short.items() for name in _runs_of(words, size) if name in known}

    def named_in(self, name: str) -> bool:
        """Whether the name of a file or a ref has one of the names in it: `x/Our_old-mill.png` has `Our old mill`."""
        return self._has_name(_words_of_all(form.replace("_", " ") for form in readings(name)))

    def is_called(self, name: str) -> bool:
        """Whether a part of a path or ref has a name of two words, or the last is one, maybe with a number or an id."""
        pairs = self._short.get(SHORTEST_NAME - 1, set())
        parts = (form for part in name.split("/") for form in readings(part))
        if any(not pairs.isdisjoint(_runs_of(_separate(form), SHORTEST_NAME - 1)) for form in parts):
            return True
        last = name.rpartition("/")[2]
        stems = {last, last.rpartition(".")[0]}
        forms = (form for stem in stems for form in readings(stem))
        return any(some in self._short.get(1, ()) for form in forms for some in as_called(_separate(form)))

    def _has_name(self, words: list[str]) -> bool:
        return any(not known.isdisjoint(_runs_of(words, size)) for size, known in self._names.items())


_END = "\0"  # between the words of two forms


def _words_of_all(forms: Iterable[str]) -> list[str]:
    return [word for form in forms for word in (*whole_words(form), _END)]


def _separate(name: str) -> list[str]:
    return whole_words(name.replace("_", " "))


def _runs_of(words: list[str], size: int) -> Iterator[_Words]:
    """Yield each run of so many words."""
    return zip(*(words[start:] for start in range(size)), strict=False)
