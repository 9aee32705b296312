"""What `memstore.files` has in a view: the files that somebody names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import BinaryIO


class NamedFiles(Protocol):
    """The files that a command was given; one in a vault is there only for those who may see it."""

    def read(self, path: Path) -> bytes:
        """Return the bytes of any file that somebody named; a file in a vault only if it may be seen.

        Raises:
            FileNotFoundError: it doesn't exist, or the actor may not see it; the two look the same.
            OSError: it can't be read.
        """

    def stream(self, path: Path) -> BinaryIO:
        """Open any file that somebody named for its bytes; as `read`, and however large it is."""

    def below(self, path: Path) -> Sequence[str] | None:
        """Return the files below a folder that somebody named, relative to it; None if it is not a folder.

        Hidden files, links, and what the actor may not see are left out.
        """

    def check_place(self, path: Path, *, over: bytes) -> None:
        """Raise what `put` would raise for a path, before there is anything to write."""

    def put(self, path: Path, data: bytes, *, over: bytes) -> None:
        """Write a file that somebody named, in one step; it is never one of a vault's own files.

        Args:
            path: where; a link is followed.
            data: the new content.
            over: what an existing file must begin with, or it is not replaced; an empty one always is.

        Raises:
            RefusedError: the file has another content, or has a place in a vault that a memory or the vault could have.
            OSError: it can't be written.
        """

    def saved_at(self, path: Path) -> datetime | None:
        """Return when any file that somebody named was last saved, in UTC; None if the actor may not see it."""

    def has_folder(self, path: str) -> bool:
        """Return whether the vault has a folder, as far as the actor may know: for others, one with visible files."""

    def cited(self, path: str) -> bytes | None:
        """Return the bytes of a cited file of the vault that is not a memory; None if it can't be read."""
