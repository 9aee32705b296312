"""A vault that is looked at again and again by one process: what was computed of it stays until something changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.history import HISTORY
from memstore.vault.look import LOOK
from memstore.vault.note_names import LinkTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.view import View
    from memstore.vault.workspace import Workspace


class Standing(NamedTuple):
    """A view, and where the links of all its notes lead."""

    view: View
    links: LinkTable


class StandingVault:
    """A vault as it was when it was looked at last, and with texts laid over it that are not saved yet.

    Args:
        now: returns the opened vault, under the settings as they are then.
    """

    def __init__(self, now: Callable[[], Workspace]) -> None:
        self._now = now
        self._base: Standing | None = None
        self._over: tuple[Mapping[str, bytes], Standing] | None = None

    def look(self) -> None:
        """Look at the files anew; raises what opening the vault does."""
        view, before = self._now().view(), self._base
        same = before is not None and _state(before.view) == _state(view) is not None
        self._base = Standing(view, LinkTable(view, before.links.names if same and before else None))
        self._over = None

    def with_texts(self, texts: Mapping[str, bytes]) -> Standing:
        """Return the vault with these texts in place of files, by path; the vault itself if there are none."""
        if self._base is None:
            self.look()
        base = self._base
        if base is None:
            raise AssertionError
        if not texts:
            return base
        if self._over is None or self._over[0] != texts:
            view = base.view.overlaid(texts)
            self._over = {**texts}, Standing(view, base.links.laid_over(view, [*texts]))
        return self._over[1]

    def committed(self, path: str) -> bytes | None:
        """Return the bytes of a file in the current commit; None if it has none, or there is no repository."""
        view = self.with_texts({}).view
        history = view.of(HISTORY)
        head = history.head() if history.repository else None
        blob = history.files_at(head).get(path) if head else None
        return view.blobs([blob]).get(blob) if blob else None


def _state(view: View) -> str | None:
    return view.of(LOOK).snapshot.state
