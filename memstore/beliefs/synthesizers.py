"""Who may word a suggestion better than a quotation does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Source(NamedTuple):
    """A memory that a suggestion rests on."""

    ref: str
    text: str


class SynthesisFailedError(Exception):
    """There is no answer, and why: "it took longer than 60 s"."""


class Synthesizer(Protocol):
    """Words what memories have in common. Nothing that it says is believed: flows check every answer."""

    def answer(self, sources: Sequence[Source], terms: Sequence[str]) -> Any:
        """Return a JSON value: `{"text": …, "cites": [ref, …]}`; `SynthesisFailedError` where none came.

        Args:
            sources: what it may use, and cite.
            terms: the words that they share.
        """
