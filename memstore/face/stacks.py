"""`vault.stacks`: copies of what others may see, and those that one was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access import SHARED
from memstore.exchange.sharing import share, shared_stacks, update
from memstore.face import given
from memstore.face.brief import brief
from memstore.face.forward import Forward, Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.access.stack import Mount
    from memstore.exchange.sharing import SharedStack
    from memstore.vault.stack_place import StackPlace


@brief
class VaultStacks(Part):
    """Shared stacks: `vault.stacks.share("for-claire", to="human:claire")`; then she can `load` it."""

    shared = Forward(shared_stacks)

    def share(
        self,
        folder: str | Path,
        *,
        to: str,
        name: str | None = None,
        acknowledge: bool = False,
        dry_run: bool = False,
    ) -> SharedStack:
        """Write what somebody may see of the vault into a repository of its own, and record that it was shared.

        Args:
            folder: where; a folder that is empty or doesn't exist, outside of vaults.
            to: an entity, a group, or "*" for everybody.
            name: what the stack is called; None takes the folder's name.
            acknowledge: whether titles of hidden memories may occur in its texts; ids and paths never may.
            dry_run: only return what would be shared.

        Raises:
            RefusedError: the vault is somebody else's, the folder is not empty, the recipient may see nothing, or the
                copy would name something hidden.
            UsageError: the recipient can't read, or the name is none or taken.
        """
        place = _place(str(folder))
        return share(self._view(), place, to=to, name=name, acknowledge=acknowledge, dry_run=dry_run)

    def update(self, stack: str | Path, *, acknowledge: bool = False, dry_run: bool = False) -> SharedStack:
        """Bring a stack up to date, by its name or its folder; what was withdrawn leaves its history, too.

        Raises:
            NotFoundError: no stack of this name was shared from here.
            RefusedError: as for `share`, or the folder's stack is another vault's.
        """
        return update(self._view(), str(stack), _place, acknowledge=acknowledge, dry_run=dry_run)

    def load(self, folder: str | Path, *, name: str | None = None, accept_key: bool = False) -> Mount:
        """Search a stack that was shared with the entity together with this vault; it stays where it is.

        With `accept_key`, its sender may have signed it with another key than before, or with none.

        Raises:
            VaultError: there is no stack, or not all of its files are as its manifest says.
            RefusedError: it was shared with somebody else, is signed with another key than its sender's, or another
                one has this name.
        """
        return self._view().of(SHARED).mount(given.place(folder), name, any_key=accept_key)

    def unload(self, name: str) -> None:
        """Search a loaded stack no longer; its folder stays as it is."""
        self._view().of(SHARED).unmount(name)

    def loaded(self) -> Sequence[Mount]:
        """Return the loaded stacks that are for the entity, by name; `problem` says why one can't be read."""
        return self._view().of(SHARED).mounted


def _place(folder: str) -> StackPlace:
    from memstore.files.local_state import Environment
    from memstore.vault.composition import stack_place

    return stack_place(Environment.of_process(), folder)
