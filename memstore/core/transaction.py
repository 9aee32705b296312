"""The only way to write: all of an operation or nothing of it, checked together and compared under the lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.change import Committed, Edit, Saved
    from memstore.ports.journal import Operation, Written


class Transaction(Protocol):
    """What is to be written, collected in a `with` block and written at its end; nothing is where the block fails.

    What is written: memories (`edit`), and files of the vault's own with the audit event of an act (`put`). All are
    checked before the first one is touched, and read again and compared under the lock.
    """

    def __enter__(self) -> Self:
        """Begin to collect."""

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        """Write all that was collected.

        Raises:
            FormatError: new bytes could not be read as a memory, or as what such a file has to be.
            RefusedError: a memory must not change in that way, or is not the actor's to change.
            ChangedMeanwhileError: a file is no longer what was read, or there is one already; nothing was written.
            MemstoreError: it could not be written, and was not; or it was and could not be committed, as the text says.
        """

    def edit(self, *edits: Edit) -> None:
        """Let files of memories become other bytes; those whose bytes stay the same are left alone."""

    def put(self, *files: Written) -> None:
        """Let files of the vault itself change: registries, consents, its keyring, pages, audit events."""

    def move(self, file: MemoryFile, to: str) -> None:
        """Give a memory's file another path; the only change of its transaction."""

    def take_back(self, last: Operation) -> Operation:
        """Undo an operation, and return what is written to do so; the only change of its transaction."""

    def commit_pending(self, refs: Sequence[str]) -> Committed:
        """Commit what is pending of the memories that `refs` mean, all of it for none; writes no file."""

    @property
    def saved(self) -> tuple[Saved, ...]:
        """What became of the memories, in the order of their edits; what would, in a dry run."""

    @property
    def commit(self) -> str | None:
        """The commit that has it all; None where none was asked for, or git takes no notice of any of it."""
