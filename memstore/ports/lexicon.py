"""A lexicon: more opposites than the built-in list has (extra `lexicon`)."""

from __future__ import annotations

from typing import Protocol


class Lexicon(Protocol):
    """Tells what words mean to each other."""

    @property
    def has_words(self) -> bool:
        """Whether it knows any words at all."""

    def opposes(self, one: str, other: str) -> bool:
        """Whether two words, in lower case, are opposites."""
