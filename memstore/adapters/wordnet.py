"""Opposites from WordNet, where the extra `lexicon` is installed and has its data; else there are none."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class WordNet:
    """WordNet's antonyms, loaded when the first two words are compared that the built-in list does not know.

    Args:
        data: the folder of its data; where there is none, its package, which takes longer to load than a search, is
            left alone. None: the package is asked.
    """

    def __init__(self, data: Path | None = None) -> None:
        self._data = data

    @property
    def has_words(self) -> bool:
        """Whether it is installed and has its data."""
        return self._words is not None

    def opposes(self, one: str, other: str) -> bool:
        """Whether WordNet has two words for antonyms."""
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

    @lru_cache(maxsize=10_000)  # noqa: B019 - there is one lexicon a process
    def _antonyms(self, word: str) -> frozenset[str]:
        senses = self._words.senses(word)
        return frozenset(
            opposite.word().lemma().casefold() for sense in senses for opposite in sense.get_related("antonym")
        )
