"""The ids of texts that git stores otherwise, because filters change them (`filters`)."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.files.local_state import is_private, private_bytes

if TYPE_CHECKING:
    from pathlib import Path


class TextIds:
    """The ids of texts by the blobs in which git stores them, kept in the user's cache.

    Args:
        cache: the folder for derived data; None if nothing is kept.
    """

    def __init__(self, cache: Path | None) -> None:
        self._place = cache / "text-ids" if cache else None
        self._new: dict[str, str] = {}

    @cached_property
    def _texts(self) -> dict[str, str]:
        if self._place is None or not is_private(self._place.parent):
            return {}
        pairs = (line.split() for line in private_bytes(self._place).decode(errors="replace").splitlines())
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}  # noqa: PLR2004 - else it was cut off

    @cached_property
    def _blobs(self) -> dict[str, str]:
        return {text: blob for blob, text in self._texts.items()}

    def __contains__(self, blob: str) -> bool:
        return blob in self._texts

    def __getitem__(self, blob: str) -> str:
        return self._texts.get(blob, blob)

    def stored(self, one: str) -> str:
        """Return the blob in which git has a text with this id; itself if there is none."""
        return one if one in self._texts else self._blobs.get(one, one)

    def beginning(self, start: str) -> list[tuple[str, str]]:
        """Return the ids of texts that begin so, and their blobs."""
        return [(text, blob) for text, blob in self._blobs.items() if text.startswith(start)]

    def learn(self, blob: str, text: str) -> None:
        """Remember the id of a blob's text; what no filter changed may be a pointer whose file comes later."""
        self._texts[blob] = text
        self._blobs[text] = blob
        if blob != text:
            self._new[blob] = text

    def keep(self) -> None:
        """Write what was learnt; a failure costs nothing but time."""
        if self._new and self._place is not None and is_private(self._place.parent):
            with suppress(OSError), self._place.open("a") as file:
                file.writelines(f"{blob} {text}\n" for blob, text in self._new.items())
            self._new = {}
