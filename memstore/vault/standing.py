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
        self._tree: tuple[str, Mapping[str, str]] | None = None  # the blobs of a commit, by path

    def look(self, *, at_other_files: bool = True) -> None:
        """Look at the notes anew, and at the other files that links may lead to; raises what opening the vault does."""
        view, before = self._now().view(), self._base
        known = before.links if before and _shows_the_same(before.view, view) else None
        files = known.files if known and not at_other_files else None
        self._base = Standing(view, LinkTable(view, known.names if known else None, files))
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

    def head(self) -> str | None:
        """Return the current commit; None if there is none, or no repository."""
        history = self.with_texts({}).view.of(HISTORY)
        return history.head() if history.repository else None

    def committed(self, path: str, head: str) -> bytes | None:
        """Return the bytes of a file in a commit; None if it has none."""
        view = self.with_texts({}).view
        if self._tree is None or self._tree[0] != head:
            self._tree = head, view.of(HISTORY).files_at(head)
        blob = self._tree[1].get(path)
        return view.blobs([blob]).get(blob) if blob else None


def _shows_the_same(before: View, view: View) -> bool:
    """Whether two views have the same files, and show the same of them: who sees what is not decided by these alone."""
    states = [one.of(LOOK).snapshot.state for one in (before, view)]
    shown = [[*one.rows, -1, *one.plain, -1, *one.broken] for one in (before, view)]
    return states[0] is not None and states[0] == states[1] and shown[0] == shown[1]
