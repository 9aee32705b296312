"""A lexicon: more opposites than the built-in list has (extra `lexicon`)."""

from __future__ import annotations

from typing import Protocol


class Lexicon(Protocol):
    """Tells what words mean to each other."""

    def opposes(self, one: str, other: str) -> bool:
        """Whether two words, in lower case, are opposites."""


class NoLexicon:
    """The lexicon of who has none: the built-in list alone decides."""

    def opposes(self, one: str, other: str) -> bool:  # noqa: ARG002 - the port's names
        """Whether two words are opposites: not known here."""
        return False
