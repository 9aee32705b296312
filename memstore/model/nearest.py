"""The word that somebody most likely meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# difflib's ratio of two words' similarity, from 0 to 1; at its own default of 0.6 a slip or two is forgiven.
SIMILAR = 0.6


def nearest(word: str, known: Iterable[str], *, similar: float = SIMILAR) -> str | None:
    """Return the known word that is most like `word`; None where none is at least so `similar`, in [0, 1]."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=similar)), None)


def did_you_mean(word: str, known: Iterable[str], *, otherwise: str, similar: float = SIMILAR) -> str:
    """Return a hint that names the nearest known word, or `otherwise` where none is near."""
    near = nearest(word, known, similar=similar)
    return f"did you mean {near}?" if near else otherwise
