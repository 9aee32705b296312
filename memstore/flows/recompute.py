"""Prove that stored confidences follow from their ledgers, or make them follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import splice
from memstore.codec.ledger import entry_of
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import RefusedError
from memstore.flows.hand_edits import HandEdits
from memstore.flows.save import save, save_all, unchanged
from memstore.model.one_line import one_line
from memstore.rules.beliefs import drifted, folded, states_nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.change import Saved
    from memstore.core.view import View

FEWEST_TO_FOLD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Unequal:
    """A memory whose confidence is not what its ledger amounts to; both in [0, 1].

    `by_hand` tells that a hand changed the number since the last commit: it stands, and the ledger learns of it.
    """

    ref: str | None
    path: str
    line: int
    stored: float | None
    replayed: float
    by_hand: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """How many ledgers were replayed, which confidences differed, and the files that were or would be mended."""

    ledgers: int
    unequal: tuple[Unequal, ...]
    saved: tuple[Saved, ...] = ()

    __repr__ = one_line


def check_confidences(view: View, refs: Sequence[str] = ()) -> Recomputed:
    """Compare what is stored with what the ledgers amount to, for these memories or all; write nothing."""
    files = _files(view, refs)
    return Recomputed(ledgers=len(files), unequal=_unequal(files, HandEdits(view)))


@again_where_changed
def recompute(view: View, refs: Sequence[str] = (), *, dry_run: bool = False, commit: bool = False) -> Recomputed:
    """Store what the ledgers amount to, for these memories or all; a number that a hand changed is never lost.

    Where the number itself was changed since the last commit, or there is no commit to tell, it stands, and its ledger
    gets a line `edit`.

    Args:
        view: the vault.
        refs: the memories; empty for all.
        dry_run: write nothing, and return what would be.
        commit: commit the files, too.

    Raises:
        NotFoundError: a ref names no memory.
    """
    files = _files(view, refs)
    by_hand = HandEdits(view)
    unequal = _unequal(files, by_hand)
    edits = [
        Edit(path=file.path, before=file, after=splice.apply(file, [edit]))
        for file in files
        if view.owns(file.memory) and (edit := by_hand.settled(file)) is not None
    ]
    saved = save_all(view, edits, verb="recompute", dry_run=dry_run, commit=commit)
    return Recomputed(ledgers=len(files), unequal=unequal, saved=saved)


@again_where_changed
def fold(view: View, ref: str, *, dry_run: bool = False, commit: bool = False) -> Saved:
    """Put one line in the place of a long history: the number, what stands behind it, and what never counts again.

    Args:
        view: the vault.
        ref: the memory.
        dry_run: write nothing, and return what would be.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: the lines are not committed as they are, so that git would not keep them.
    """
    file = view.original(ref)
    history = file.memory.confidence_history
    if len(history) < FEWEST_TO_FOLD:
        return unchanged(file)
    by_hand = HandEdits(view)
    if not by_hand.is_committed(file) or drifted(file.memory) is not None:
        raise RefusedError(
            f"git keeps the lines of {file.memory.ref or file.path} only once they are committed",
            hint=f"memstore commit {file.memory.ref or file.path}",
        )
    line = folded(file.memory, view.actor)
    old = tuple(file.front.values["confidence_history"])
    edits: list[splice.Edit] = [
        splice.AppendEntry("confidence_history", entry_of(line)),
        splice.RemoveItems("confidence_history", old),
    ]
    data = splice.apply(file, edits)
    return save(view, Edit(path=file.path, before=file, after=data), verb="recompute", dry_run=dry_run, commit=commit)


def _files(view: View, refs: Sequence[str]) -> list[MemoryFile]:
    """Return the memories that have a ledger, by path; without one the number itself is what was stated."""
    found = [view.original(ref) for ref in refs] if refs else view.memories()
    with_ledger = {file.path: file for file in found if not states_nothing(file.memory.confidence_history)}
    return [with_ledger[path] for path in sorted(with_ledger)]


def _unequal(files: Sequence[MemoryFile], by_hand: HandEdits) -> tuple[Unequal, ...]:
    return tuple(
        Unequal(
            ref=str(file.memory.ref) if file.memory.ref else None,
            path=file.path,
            line=file.front.position("confidence").line,
            stored=file.memory.confidence,
            replayed=amounts_to,
            by_hand=by_hand.is_of_the_number(file),
        )
        for file in files
        if (amounts_to := drifted(file.memory)) is not None
    )
