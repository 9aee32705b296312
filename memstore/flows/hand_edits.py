"""A number and a ledger that disagree: what a hand changed since the last commit decides which of the two stands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec import memory_file, splice
from memstore.codec.ledger import entry_of
from memstore.codec.memory_file import MemoryFile
from memstore.errors import GitError
from memstore.rules.beliefs import brought_up_to_date, drifted, edited, held, retractions, states_nothing
from memstore.rules.vault_places import RegistryKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.view import View
    from memstore.model.confidence import LedgerLine
    from memstore.model.memory import Memory

UNKNOWN_HAND = "human:unknown"


class HandEdits:
    """What was changed by hand in the vault's files since a commit; git is asked once, when it is needed.

    Args:
        view: the vault.
        since: the commit; None for the last one.
    """

    def __init__(self, view: View, since: str | None = None) -> None:
        self._view = view
        self._since = since

    def is_of_the_number(self, file: MemoryFile) -> bool:
        """Whether a hand changed the number and not only the ledger; it is so where no commit says otherwise."""
        number = file.memory.confidence
        committed = self._committed(file.path)
        return number is not None and (committed is None or committed.confidence != number)

    def is_of_the_ledger(self, file: MemoryFile) -> bool:
        """Whether a hand changed the ledger and not the number, or took the number away."""
        if file.memory.confidence is None:
            return True
        committed = self._committed(file.path)
        return (
            committed is not None
            and committed.confidence == file.memory.confidence
            and {*committed.confidence_history} != {*file.memory.confidence_history}
        )

    def is_committed(self, file: MemoryFile) -> bool:
        """Whether the last commit has number and ledger as they are."""
        committed = self._committed(file.path)
        return committed is not None and (
            (committed.confidence, committed.confidence_history)
            == (file.memory.confidence, file.memory.confidence_history)
        )

    def settled(self, file: MemoryFile) -> splice.Edit | None:
        """Return what makes number and ledger agree, a hand edit kept; None where they do.

        A number that a hand changed stands, and the ledger gets a line that says so. Otherwise the ledger decides.
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
        """Return the lines that a ledger lacks where a hand took evidence out of it since the last commit.

        Where nothing was left of it, the first of them states the number that was kept.
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
        """Return a memory as the last commit has it; None where it has none, or there is no commit."""
        blob = self._blobs.get(path)
        data = self._view.blobs([blob]).get(blob) if blob else None
        file = None if data is None else memory_file.read(path, data)
        return file.memory if isinstance(file, MemoryFile) else None

    @cached_property
    def _blobs(self) -> Mapping[str, str]:
        if self._view.history.repository is None:
            return {}
        commit = self._since or self._view.history.head()
        return self._view.history.files_at(commit) if commit else {}

    @cached_property
    def _hand(self) -> str:
        """The entity whose file lists the e-mail address of the one who commits here."""
        try:
            mail = self._view.history.identity().rpartition("<")[2].rstrip(">") if self._view.history.repository else ""
        except GitError:
            mail = ""
        if not mail:
            return UNKNOWN_HAND
        files = (file for file in self._view.registry(RegistryKind.ENTITY).values() if file)
        found = (file for file in files if (file.values.get("email") or "").casefold() == mail.casefold())
        return next((str(file.values["id"]) for file in found), UNKNOWN_HAND)
