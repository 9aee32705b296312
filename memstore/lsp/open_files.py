"""The files that an editor has open, by the vault that each is in, with their texts as they are typed."""

from __future__ import annotations

import time
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.core import digests
from memstore.core.clock import PlannedIds
from memstore.core.errors import MemstoreError
from memstore.core.places import MEMORY_SUFFIX
from memstore.files import memory_file
from memstore.files.fence import BOM
from memstore.lsp.audience import listeners_of
from memstore.lsp.late import late_findings
from memstore.lsp.text import Text
from memstore.trust.check_attestations import AttestationCheck
from memstore.vault.check import FileCheck
from memstore.vault.standing import StandingVault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lsprotocol import types

    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.lsp.late import LateFinding
    from memstore.vault.composition import KeptOpen
    from memstore.vault.note_names import LinkTable, Note

# Files may have changed unseen, as not every editor watches them: after so many seconds, the vault looks by itself.
LOOK_AGAIN_SECONDS = 2.0


class TextDocument(NamedTuple):
    """An open file: its path relative to the vault, and its text; `version` is the editor's number for it."""

    path: str
    text: Text
    version: int | None = None

    @property
    def is_note(self) -> bool:
        """Whether it may be a memory or a note; else it is a file in which the vault says who is who."""
        return self.path.endswith(MEMORY_SUFFIX)


class OpenVault:
    """One vault, and the files of it that are open.

    Args:
        root: its folder.
        opened: opens it: for whoever asks, and once more for the thread that compares.
        encoding: the units in which the editor counts within a line.
    """

    def __init__(
        self, root: Path, opened: Callable[[], KeptOpen], encoding: types.PositionEncodingKind | str | None = None
    ) -> None:
        self.root, self.encoding = root, encoding
        self.documents: dict[str, TextDocument] = {}
        kept = opened()
        self.ids = PlannedIds(kept.now().ids)
        self._standing = StandingVault(lambda: kept.now()._replace(ids=self.ids))
        self._opened_beside = cache(opened)
        self._looked_at = float("-inf")
        self._is_owners = False
        self._is_stale = True  # whether anything may have changed, as whoever edits says
        self._head: str | None = None
        self._attestations: AttestationCheck | None = None
        self._listeners: Sequence[str] | None = None
        self._committed: dict[str, bytes | None] = {}

    def look(self) -> None:
        """Look at the files anew with the next question."""
        self._looked_at, self._is_stale = float("-inf"), True

    @property
    def unsaved(self) -> Mapping[str, bytes]:
        """The texts of notes that no file has, by path; who is who is what the files say."""
        notes = (one for one in self.documents.values() if one.is_note)
        return {one.path: one.text.data for one in notes if not self._is_saved(one)}

    def _is_saved(self, document: TextDocument) -> bool:
        data = self.bytes_on_disk(document.path)
        return data is not None and data.removeprefix(BOM) == document.text.data.removeprefix(BOM)

    def bytes_on_disk(self, path: str) -> bytes | None:
        """Return the bytes of a file, which the editor can read anyway; None if there is none."""
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return None

    def begin(self) -> None:
        """Begin to answer a question: look at the files anew if that is due, and not again until the next one.

        What rows mean stays as it is while one question is answered. Others than the owner see no more than they may
        at this moment.
        """
        if self._is_owners and time.monotonic() - self._looked_at <= LOOK_AGAIN_SECONDS:
            return
        self._standing.look(at_other_files=self._is_stale)
        view = self._standing.with_texts({}).view
        if self._is_stale or self._attestations is None:
            self._attestations = AttestationCheck(view)
        self._listeners, self._is_owners = None, view.is_owners
        if (head := self._standing.head()) != self._head:
            self._head = head
            self._committed.clear()
        self._looked_at, self._is_stale = time.monotonic(), False

    def _now(self) -> tuple[View, LinkTable]:
        return self._standing.with_texts(self.texts)

    @property
    def texts(self) -> Mapping[str, bytes]:
        """The texts of open notes that are others than the vault had when it was looked at last, by path.

        A file may have been saved since, and a text may be the one that was saved just now.
        """
        base = self._standing.with_texts({})
        blobs = base.view.column("blob")
        found = {}
        for one in self.documents.values():
            row = base.links.row_of(one.path) if one.is_note else None
            known = "" if row is None else blobs[row]
            data = one.text.data
            if one.is_note and known not in (digests.blob_id(each, self.object_format) for each in (data, BOM + data)):
                found[one.path] = data
        return found

    @property
    def view(self) -> View:
        """What whoever edits may see, with the unsaved texts laid over it."""
        return self._now()[0]

    @property
    def saved_view(self) -> View:
        """What whoever edits may see of the files; what acts is given this one."""
        return self._standing.with_texts({}).view

    @property
    def check(self) -> FileCheck:
        """What checks single files, with the unsaved texts."""
        view, links = self._now()
        return FileCheck(view, links, self._attestations)

    def compared(self, path: str, texts: Mapping[str, bytes], before: ReadFile | None) -> list[LateFinding]:
        """Return what takes longer than a keystroke may; a thread may ask, as it touches nothing of the rest."""
        return late_findings(self._opened_beside().now().view(), path, texts, before)

    @property
    def listeners(self) -> Sequence[str]:
        """Everybody who may listen, for the vault's owner."""
        view = self.saved_view
        if self._listeners is None:
            self._listeners = listeners_of(view)
        return self._listeners

    @property
    def links(self) -> LinkTable:
        """Where the links of all these notes lead."""
        return self._now()[1]

    def file(self, document: TextDocument) -> ReadFile:
        """Return what an open text says as a file of the vault."""
        return memory_file.read(document.path, document.text.data, mixed=self.view.config.mixed)

    def committed(self, path: str) -> ReadFile | None:
        """Return the file as the current commit has it; None if it has none."""
        if path not in self._committed:
            self._committed[path] = self._standing.committed(path, self._head) if self._head else None
        data = self._committed[path]
        return None if data is None else memory_file.read(path, data, mixed=self.view.config.mixed)

    def text_of(self, path: str) -> Text | None:
        """Return the text of a file that may be seen, open or not, as it is now; None if there is none."""
        if path in self.documents:
            return self.documents[path].text
        file = self.view.text(path)
        return (
            None if file is None else Text(file.data.decode("utf-8", "replace").removeprefix("\ufeff"), self.encoding)
        )

    @property
    def object_format(self) -> str:
        """The hash by which blobs are named here."""
        return digests.format_of(next(filter(None, self.saved_view.column("blob")), ""))

    def note_at(self, path: str) -> Note | None:
        """Return the note at a path, with the names by which links lead to it; None if it may not be seen."""
        row = self.links.row_of(path)
        return None if row is None else self.links.names[row]


class OpenVaults:
    """All open files, by the vault that each is in.

    Args:
        opened: opens the vault in a folder.
        root_of: returns the folder of the vault that a file is in; None if it is in none.
    """

    def __init__(self, opened: Callable[[Path], KeptOpen], root_of: Callable[[Path], Path | None]) -> None:
        self._opened, self._root_of = opened, root_of
        self._vaults: dict[Path, OpenVault] = {}
        self.encoding: types.PositionEncodingKind | str | None = None  # once editor and server have agreed on it
        self.broken: dict[Path, str] = {}  # vaults that could not be opened, and why

    def vault_of(self, file: Path) -> tuple[OpenVault, str] | None:
        """Return the vault that a file is in, and its path there; None if it is in none that can be opened."""
        root = self._root_of(file)
        if root is None:
            return None
        if root not in self._vaults:
            try:
                self._vaults[root] = OpenVault(root, partial(self._opened, root), self.encoding)
            except MemstoreError as error:
                self.broken[root] = error.message
                return None
            self.broken.pop(root, None)
        return self._vaults[root], file.relative_to(root).as_posix()

    @property
    def all(self) -> tuple[OpenVault, ...]:
        """The vaults that files were opened of."""
        return tuple(self._vaults.values())
