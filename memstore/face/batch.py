"""Many new memories in one operation: `with vault.batch() as batch:`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Self, Unpack

from memstore.conflicts.compare import Comparer
from memstore.core.errors import UsageError
from memstore.core.named import ref_of
from memstore.face import given
from memstore.face.brief import brief
from memstore.files.catalog_entry import entry_of
from memstore.memories.add import composed, refuse_by_hand
from memstore.vault.look import LOOK
from memstore.vault.transaction import VaultTransaction
from memstore.vault.view import VaultView
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.access.world import World
    from memstore.core.catalog import Entry
    from memstore.core.change import Saved
    from memstore.core.conflict import Conflict
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.face.given import Keys
    from memstore.files.memory_file import MemoryFile
    from memstore.memories.add import Composed

VERB = "batch"


@brief
class Batch:
    """New memories that are written together at the end of a `with` block: all of them, or none if it fails.

    A memory may name one that was added before it: `derived_from=[earlier]`. Other methods of the vault don't see any
    of them before the end. After that, `saved` holds the result for each memory, `commit` the commit that contains
    them, and `conflicts` the open conflicts that they raise, among each other and with existing memories. Conflicts are
    searched for once, after the end, not at each `add`.
    """

    def __init__(self, view: Callable[[], View], message: str | None) -> None:
        self._view = view
        self._message = message
        self._open: tuple[PendingView, VaultTransaction] | None = None
        self._is_done = False
        self._added: list[Composed] = []
        self.saved: tuple[Saved, ...] = ()
        self.commit: str | None = None

    def __repr__(self) -> str:
        state = "done" if self._is_done else "open" if self._open else "not begun"
        return f"<Batch of {len(self)} memories, {state}>"

    def __len__(self) -> int:
        return len(self._added)

    def __enter__(self) -> Self:
        if self._open or self._is_done:
            raise UsageError("a batch is used once", hint="with vault.batch() as batch:")
        view = PendingView(self._view())
        self._open = view, view.writing(VERB, message=self._message)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        opened, self._open, self._is_done = self._open, None, True
        added, self._added = self._added, []
        if kind is not None or opened is None:
            return
        with opened[1] as change:
            pass  # `add` has collected everything
        self._added, self.commit = added, change.commit
        self.saved = tuple(new.with_remarks(saved) for new, saved in zip(added, change.saved, strict=True))

    def add(
        self,
        text: str = "",
        *,
        type: str = "note",  # noqa: A002 -- the key's name
        **keys: Unpack[Keys],
    ) -> Saved:
        """Add a memory; arguments and errors as for `Vault.add`. It has its ref at once and is written at the end.

        Raises:
            UsageError: the block has ended, or has not begun.
        """
        if self._open is None:
            raise UsageError("memories are added inside the block", hint="with vault.batch() as batch:")
        view, change = self._open
        values, body = given.new_memory(text, type, keys, function="add")
        for name, value in values.items():
            refuse_by_hand(name, value)
        new = composed(view, values, body)
        file, saved = change.check(new.edit)
        view.take(file)
        self._added.append(new)
        return new.with_remarks(saved)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The open conflicts that the new memories raise, gravest first; computed once, on first access.

        Raises:
            UsageError: the block has not ended.
        """
        if not self._is_done:
            raise UsageError("conflicts are compared at the end of the block", hint="ask for them after it")
        comparer = Comparer(self._view())
        found: dict[frozenset[str], Conflict] = {}
        for saved in self.saved:
            side = comparer.side_at(saved.path)
            for conflict in comparer.conflicts(side) if side else ():
                found.setdefault(frozenset(conflict.refs), conflict)
        return tuple(sorted(found.values(), key=lambda one: one.order))


class PendingView(VaultView):
    """What its actor will see once a batch is written, as far as a new memory can refer to it.

    Args:
        view: the current view of the vault.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view.of(LOOK).ws, Moment())
        self._new: list[MemoryFile] = []
        self._by_name: dict[str, int] = {}

    def take(self, file: MemoryFile) -> None:
        """Make a memory that is yet to be written findable."""
        for name in (str(file.memory.ref), file.memory.id or "", file.path):
            self._by_name[name] = len(self._new)
        self._new.append(file)

    def find(self, name: Named) -> Entry:
        """Return the memory that `name` means, which may be one that is yet to be written."""
        at = self._by_name.get(ref_of(name).strip().removeprefix("[[").removesuffix("]]"))
        return super().find(name) if at is None else entry_of(self._new[at], "")

    def named(self, name: Named, *, notes: bool = False) -> Entry:
        """Return the memory that `name` means, by a title as well."""
        at = self._by_name.get(ref_of(name).strip().removeprefix("[[").removesuffix("]]"))
        return super().named(name, notes=notes) if at is None else entry_of(self._new[at], "")

    def rows_of_id(self, memory_id: str) -> Sequence[int]:
        """Return the rows with this id; rows of memories that are yet to be written follow all others."""
        at = self._by_name.get(memory_id)
        return super().rows_of_id(memory_id) if at is None else [self._first_new + at]

    def entry(self, row: int) -> Entry:
        """Return the catalogue's entry for a row, or the entry that it will have."""
        return super().entry(row) if row < self._first_new else entry_of(self._new[row - self._first_new], "")

    def writing(self, verb: str, *, message: str | None) -> VaultTransaction:
        """Return the transaction that writes a batch; it commits if there is a message, and compares nothing."""
        return VaultTransaction(self, self.ws, verb, commit=message is not None, message=message, compares=False)

    @cached_property
    def _first_new(self) -> int:
        return len(self.snapshot.catalog.column("path"))

    @cached_property
    def registries(self) -> World:  # read once for the whole batch
        """What the vault's registries say now."""
        return super().registries
