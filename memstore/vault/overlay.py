"""A vault with other texts laid over some of its files, as an editor holds them before they are saved.

It is read like any vault, by the same rules; nothing can be written through it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from memstore.core.errors import RefusedError
from memstore.core.places import is_memory_path
from memstore.files.vault import FileStat
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from memstore.core.places import RegistryKind
    from memstore.files.vault import VaultFiles
    from memstore.search.library import Snapshot
    from memstore.vault.workspace import Workspace


def laid_over(ws: Workspace, snapshot: Snapshot, texts: Mapping[str, bytes]) -> tuple[Workspace, Moment]:
    """Return an opened vault and a moment of it, with these texts by path over the files of a snapshot."""
    over = {path: data for path, data in texts.items() if _has_place(ws.vault, path)}
    moment = Moment(snapshot=ws.library.laid_over(snapshot, over))
    return ws._replace(vault=OverlaidFiles(ws.vault, texts)), moment


def _has_place(vault: VaultFiles, path: str) -> bool:
    return is_memory_path(path, mixed=vault.mixed) and not vault.leaves_out(path)


class OverlaidFiles:
    """The files of a vault; some have another text, or are only texts so far. `RefusedError` for whoever writes.

    Args:
        below: the files on disk.
        texts: the bytes of the others, by path.
    """

    def __init__(self, below: VaultFiles, texts: Mapping[str, bytes]) -> None:
        self._below, self._texts = below, texts

    @property
    def root(self) -> Path:
        return self._below.root

    @property
    def mixed(self) -> bool:
        return self._below.mixed

    def memory_files(self) -> Iterator[FileStat]:
        new = {path for path in self._texts if _has_place(self._below, path)}
        for stat in self._below.memory_files():
            new.discard(stat.path)
            yield stat
        yield from (FileStat(path, len(self._texts[path]), 0, 0, 0) for path in sorted(new))

    def registry_files(self, kinds: Iterable[RegistryKind] | None = None) -> Iterator[str]:
        return self._below.registry_files(kinds)

    def audit_files(self) -> Iterator[str]:
        return self._below.audit_files()

    def read(self, path: str) -> bytes:
        return self._texts[path] if path in self._texts else self._below.read(path)

    def stored(self, path: str) -> bytes:
        return self._texts[path] if path in self._texts else self._below.stored(path)

    def leaves_out(self, path: str) -> bool:
        return self._below.leaves_out(path)

    def saved_at(self, path: str) -> datetime | None:
        return self._below.saved_at(path)

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:  # noqa: ARG002 - as the port has it
        _stop()

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:  # noqa: ARG002 - as the port has it
        _stop()

    def delete(self, path: str, *, expected: bytes) -> None:  # noqa: ARG002 - as the port has it
        _stop()

    @contextmanager
    def together(self) -> Iterator[None]:
        _stop()
        yield

    @contextmanager
    def lock(self) -> Iterator[None]:
        _stop()
        yield


def _stop() -> NoReturn:
    raise RefusedError("some texts are not saved yet, so nothing is written", hint="save them first")
