"""What `memstore.access` has in a view: who may see what, shared stacks, and sealed files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.access.registry import RegistryFile
    from memstore.access.stack import Mount, Stack
    from memstore.access.world import Labels, Session, World
    from memstore.core.finding import Finding
    from memstore.core.places import RegistryKind
    from memstore.core.view import View


class Rights(Protocol):
    """Who is looking, who may see what as far as they may know, and what says so."""

    @property
    def session(self) -> Session:
        """Who is looking now, and in which context; `RefusedError` if the context has expired or can't be read."""

    @property
    def alone(self) -> bool:
        """Whether the actor gives their word that nobody else is listening."""

    @property
    def overheard(self) -> bool:
        """Whether an unknown listener is assumed, with or without a context."""

    @property
    def registries(self) -> World:
        """The content of the vault's registries at this moment, without any memories."""

    def registries_at(self, commit: str) -> World:
        """Return the same as of a commit, with the vault's owner at that time, as nothing of its memories decides."""

    @property
    def policy(self) -> World:
        """The rules for who sees what, with the labels of all memories that the actor may know of."""

    def labels(self, row: int) -> Labels:
        """Return the access labels of the memory in a visible row."""

    def registry(self, kind: RegistryKind, *, naming: Collection[str] = ()) -> Mapping[str, RegistryFile | None]:
        """Return all registry files of a kind, by path, in order; None for a file that can't be read.

        Args:
            kind: what they are about.
            naming: only files whose name has one of these ids.
        """

    def audit_paths(self) -> Sequence[str]:
        """Return the paths of all files with audit events, sorted."""

    def seen_by(self, entities: Sequence[str]) -> View:
        """Return what each of some entities sees by themselves, in no context; for the vault's owner alone.

        Raises:
            RefusedError: somebody else asks.
        """


class SharedStacks(Protocol):
    """The shared stacks beside a vault, and whether it is one itself."""

    @property
    def manifest(self) -> Stack | None:
        """The manifest, if this vault is a shared stack; one that opens nothing if it can't be read."""

    @property
    def mounted(self) -> Sequence[Mount]:
        """The shared stacks mounted beside this vault that are for the actor, by name; none in the past."""

    @property
    def own(self) -> Mount | None:
        """The actor's own vault beside one that a group owns; None in the past, and where somebody else may listen."""

    @property
    def beside(self) -> Sequence[Mount]:
        """All that is searched along with this vault: vaults of the actor's own, and the mounted stacks."""

    def mount(self, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
        """Mount the shared stack in a folder beside the vault, under a name, or its own for None; nothing is copied.

        With `any_key`, its sender may have signed it with another key than before, or with none.

        Raises:
            VaultError: the folder is not a stack, or its content is not what its manifest says.
            FormatError: its manifest can't be read.
            RefusedError: it is for somebody else, or signed otherwise than its sender's stacks were, or another stack
                has this name, and is where it was.
        """

    def unmount(self, name: str) -> None:
        """Mount a stack no longer; its folder stays.

        Raises:
            NotFoundError: no stack of this name is mounted.
        """

    @property
    def keys(self) -> View:
        """The view whose keyring counts: this one, or for a mounted stack that of the vault beside it."""


class SealedFiles(Protocol):
    """The sealed files of a vault."""

    @property
    def rows(self) -> Sequence[int]:
        """The rows of sealed files that no key here opens; empty except for the vault's owner."""

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with sealed files, for whom they are sealed, and how many no key here opens."""

    def misnamed(self) -> Sequence[str]:
        """Return the paths of sealed files under names that no memory has; empty except for the vault's owner."""

    def context_key_of(self, path: str) -> str | None:
        """Return the public part of the context's key that a visible sealed file is for; None if it is for people."""
