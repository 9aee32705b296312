"""Recompute confidences from the ledger as it is, or from the evidence as it would be weighed now.

`rebuild` shows which beliefs would change if all their evidence were weighed again. `recompute` checks that stored
confidences follow from their ledgers, or makes them follow. If a confidence and a ledger disagree, the edits by hand
since the last commit decide which of them is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from memstore.access import RIGHTS
from memstore.beliefs import ledger
from memstore.beliefs.evidence import as_evidence, hearsay
from memstore.beliefs.next_lines import (
    brought_up_to_date,
    drifted,
    edited,
    folded,
    held,
    replayed,
    retractions,
    states_nothing,
)
from memstore.core.change import Edit
from memstore.core.errors import GitError, RefusedError
from memstore.core.ids import MemoryRef
from memstore.core.named import refs_of
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, save, save_all, unchanged
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.files.render import entry_of
from memstore.history import HISTORY
from memstore.lineage.refs import loader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.beliefs.evidence import Load, Vouched
    from memstore.core.change import Saved
    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.named import Named, Names
    from memstore.core.view import View


def rebuilt(memory: Memory, load: Load, vouched: Vouched) -> float:
    """Return the recomputed confidence of a memory with a ledger, in [0, 1].

    `load` returns the memory of a ref; `vouched` says whether somebody vouches for an external memory.
    """
    return replayed(one for line in memory.confidence_history if (one := _again(line, load, vouched)) is not None)


def changed_evidence(memory: Memory, load: Load, vouched: Vouched) -> tuple[str, ...]:
    """Return the evidence that counts and has changed since it was recorded, or is gone; sorted."""
    counts = {witness.source for witness in ledger.witnesses(memory.confidence_history)}
    lines = [line for line in memory.confidence_history if line.evidence_source in counts]
    return tuple(sorted({line.evidence_source or "" for line in lines if _again(line, load, vouched) != line}))


def _again(line: LedgerLine, load: Load, vouched: Vouched) -> LedgerLine | None:
    """Return a line as it would be recorded now; None if its evidence is gone."""
    if line.op not in ledger.OUTCOMES or MemoryRef.parse(line.evidence_source or "") is None:
        return line
    source = load(line.evidence_source or "")
    if source is None:
        return None
    now = as_evidence(source, load)
    return line._replace(weight=0.0 if hearsay(source, load, vouched) else now.weight, roots=now.roots)


# -- from evidence ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A memory whose confidence would change; both values are in [0, 1], and `because` names the changed evidence."""

    ref: str | None
    path: str
    line: int
    stored: float | None
    rebuilt: float
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """The number of ledgers that were recomputed, and the memories whose confidences would differ."""

    ledgers: int
    differing: tuple[Differing, ...]

    __repr__ = short_repr


def rebuild_from_episodes(view: View) -> Rebuilt:
    """Return the confidences that would result if all evidence were weighed again as it is now; write nothing.

    Since evidence was recorded, its source type or session may have changed, or it may be gone.

    >>> held = belief(ws.view(), "Bella eats at nine.")
    >>> seen = episode(ws.view(), "Breakfast", "at nine", source_type="inference")
    >>> reinforce(ws.view(), held.ref, seen.ref).new
    0.8154
    >>> set_keys(ws.view(), seen.ref, {"source_type": ["told_by_human"]}).changed
    True
    >>> [(one.stored, one.rebuilt) for one in rebuild_from_episodes(ws.view()).differing]
    [(0.8154, 0.8286)]
    """
    load = loader(view)
    differing, ledgers = [], 0
    for file in view.memories():
        memory = file.memory
        if not memory.confidence_history:
            continue
        ledgers += 1
        number = rebuilt(memory, load, view.is_vouched)
        if number != memory.confidence:
            differing.append(
                Differing(
                    ref=str(memory.ref) if memory.ref else None,
                    path=file.path,
                    line=file.front.position("confidence").line,
                    stored=memory.confidence,
                    rebuilt=number,
                    because=tuple(changed_evidence(memory, load, view.is_vouched)),
                )
            )
    return Rebuilt(ledgers=ledgers, differing=tuple(differing))


# -- from ledgers ----------------------------------------------------------------------------------


FEWEST_TO_FOLD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Unequal:
    """A memory whose confidence differs from its ledger's result; both are in [0, 1].

    `by_hand` means that the confidence was edited by hand since the last commit: it is kept and recorded in the ledger.
    """

    ref: str | None
    path: str
    line: int
    stored: float | None
    replayed: float
    by_hand: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """The number of replayed ledgers, the confidences that differed, and the files that were or would be corrected."""

    ledgers: int
    unequal: tuple[Unequal, ...]
    saved: tuple[Saved, ...] = ()

    __repr__ = short_repr


def check_confidences(view: View, memories: Names = ()) -> Recomputed:
    """Compare stored confidences with the results of the ledgers, for these memories or all; write nothing."""
    files = _files(view, memories)
    return Recomputed(ledgers=len(files), unequal=_unequal(files, HandEdits(view)))


@again_where_changed
def recompute(view: View, memories: Names = (), *, check: bool = False, **saving: Unpack[Saving]) -> Recomputed:
    """Store the results of the ledgers, for these memories or all; a confidence that was edited by hand is never lost.

    If the confidence itself was changed since the last commit, or there is no commit to compare with, it is kept, and
    its ledger gets an `edit` line.

    Args:
        view: the vault.
        memories: the memories; empty for all.
        check: only compare, and write nothing.
        saving: dry_run, commit.

    Raises:
        NotFoundError: a ref names no memory.
    """
    if check:
        return check_confidences(view, memories)
    files = _files(view, memories)
    by_hand = HandEdits(view)
    unequal = _unequal(files, by_hand)
    edits = [
        Edit(path=file.path, before=file, after=splice.apply(file, [edit]))
        for file in files
        if view.owns(file.memory) and (edit := by_hand.settled(file)) is not None
    ]
    saved = save_all(view, edits, verb="recompute", **saving)
    return Recomputed(ledgers=len(files), unequal=unequal, saved=saved)


@again_where_changed
def fold(view: View, memory: Named, **saving: Unpack[Saving]) -> Saved:
    """Replace a long history by one line: the confidence, its precision, and the evidence that must not count again.

    Args:
        view: the vault.
        memory: the memory.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: the lines are not committed as they are, so git would not keep them.
    """
    file = view.original(memory)
    history = file.memory.confidence_history
    if len(history) < FEWEST_TO_FOLD:
        return unchanged(file)
    by_hand = HandEdits(view)
    if not by_hand.is_committed(file) or drifted(file.memory) is not None:
        raise RefusedError(
            f"folding would lose the lines of {file.memory.ref or file.path}, which are not committed",
            hint=f"memstore commit {file.memory.ref or file.path}",
        )
    line = folded(file.memory, view.actor)
    old = tuple(file.front.values["confidence_history"])
    edits: list[splice.Edit] = [
        splice.AppendEntry("confidence_history", entry_of(line)),
        splice.RemoveItems("confidence_history", old),
    ]
    data = splice.apply(file, edits)
    return save(view, Edit(path=file.path, before=file, after=data), verb="recompute", **saving)


def _files(view: View, memories: Names) -> list[MemoryFile]:
    """Return the memories that have a ledger, by path; without a ledger, the confidence itself is the statement."""
    found = [view.original(ref) for ref in refs_of(memories)] if memories else view.memories()
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


# -- edits by hand ---------------------------------------------------------------------------------


UNKNOWN_HAND = "human:unknown"


class HandEdits:
    """The edits by hand in the vault's files since a commit; git is called once, when it is needed.

    Args:
        view: the vault.
        since: the commit; None for the last one.
    """

    def __init__(self, view: View, since: str | None = None) -> None:
        self._view = view
        self._since = since

    def is_of_the_number(self, file: MemoryFile) -> bool:
        """Whether the confidence was edited by hand, not only the ledger; also True if no commit has the memory."""
        number = file.memory.confidence
        committed = self._committed(file.path)
        return number is not None and (committed is None or committed.confidence != number)

    def is_of_the_ledger(self, file: MemoryFile) -> bool:
        """Whether the ledger was edited by hand but not the confidence, or the confidence was removed."""
        if file.memory.confidence is None:
            return True
        committed = self._committed(file.path)
        return (
            committed is not None
            and committed.confidence == file.memory.confidence
            and {*committed.confidence_history} != {*file.memory.confidence_history}
        )

    def is_committed(self, file: MemoryFile) -> bool:
        """Whether the last commit has the same confidence and ledger."""
        committed = self._committed(file.path)
        return committed is not None and (
            (committed.confidence, committed.confidence_history)
            == (file.memory.confidence, file.memory.confidence_history)
        )

    def settled(self, file: MemoryFile) -> splice.Edit | None:
        """Return the edit that makes confidence and ledger agree, keeping edits by hand; None if they agree already.

        A confidence that was edited by hand is kept, and recorded in the ledger. Otherwise the ledger decides.
        """
        amounts_to = drifted(file.memory)
        if amounts_to is None:
            return None
        number = file.memory.confidence
        if number is None or not self.is_of_the_number(file):
            return splice.SetValue("confidence", amounts_to)
        line = edited(file.memory, number, self._view.clock.now(), self._hand)
        return splice.AppendEntry("confidence_history", entry_of(line))

    def retracted(self, file: MemoryFile) -> list[LedgerLine]:
        """Return the lines that retract evidence removed from a ledger by hand since the last commit.

        If nothing was left of the ledger, the first line states the confidence that was kept.
        """
        committed = self._committed(file.path)
        if committed is None:
            return []
        now, number = self._view.clock.now(), held(file.memory)
        lines = retractions(committed, file.memory, now, self._hand)
        if lines and number is not None and states_nothing(file.memory.confidence_history):
            return [*brought_up_to_date(file.memory, number, now, self._hand), *lines]
        return lines

    def _committed(self, path: str) -> Memory | None:
        """Return a memory as it is in the last commit; None if it isn't there, or there is no commit."""
        blob = self._blobs.get(path)
        data = self._view.blobs([blob]).get(blob) if blob else None
        file = None if data is None else memory_file.read(path, data, mixed=self._view.config.mixed)
        return file.memory if isinstance(file, MemoryFile) else None

    @cached_property
    def _blobs(self) -> Mapping[str, str]:
        if self._view.of(HISTORY).repository is None:
            return {}
        commit = self._since or self._view.of(HISTORY).head()
        return self._view.of(HISTORY).files_at(commit) if commit else {}

    @cached_property
    def _hand(self) -> str:
        """The entity whose file has the e-mail address that commits are made with here."""
        try:
            mail = (
                self._view.of(HISTORY).identity().rpartition("<")[2].rstrip(">")
                if self._view.of(HISTORY).repository
                else ""
            )
        except GitError:
            mail = ""
        if not mail:
            return UNKNOWN_HAND
        files = (file for file in self._view.of(RIGHTS).registry(RegistryKind.ENTITY).values() if file)
        found = (file for file in files if (file.values.get("email") or "").casefold() == mail.casefold())
        return next((str(file.values["id"]) for file in found), UNKNOWN_HAND)
