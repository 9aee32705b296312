"""What earlier revisions of memories had to say: all attestations that the vault's history has."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.errors import GitError
from memstore.flows.visible import seer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace

# A file with a signature of anybody holds such bytes; and its id stands on a line of its own, as this one.
_SIGNED = re.compile(rb"""\bsig["']?[ \t]*:""")
_ID = re.compile(rb"""^["']?id["']?[ \t]*:[ \t]*["']?([\w-]+)""", re.MULTILINE)
_AT_ONCE = 2_000


class PastWords:
    """Earlier revisions of memories, as far as they have attestations; the history is walked when it is first asked.

    Args:
        ws: the vault.
        snapshot: the memories as they are now.
    """

    def __init__(self, ws: Workspace, snapshot: Callable[[], Snapshot]) -> None:
        self._ws = ws
        self._snapshot = snapshot

    def of(self, memory: Memory) -> Sequence[Memory]:
        """Return the earlier revisions of a memory that somebody attested to and the viewer may see, in no order."""
        found = (memory_file.read("", data) for data in self._by_id.get((memory.id or "").encode(), ()))
        return [
            file.memory
            for file in found
            if isinstance(file, MemoryFile) and file.memory.id == memory.id and self._sees(file.memory)
        ]

    @cached_property
    def _sees(self) -> Callable[[Memory], bool]:
        return seer(self._ws, self._snapshot())

    @cached_property
    def _by_id(self) -> Mapping[bytes, Sequence[bytes]]:
        found = defaultdict(list)
        for data in self._signed():
            for memory_id in set(_ID.findall(data)):
                found[memory_id].append(data)
        return found

    def _signed(self) -> Iterator[bytes]:
        """Yield the bytes of all files of the past that differ from those of today and hold a signature."""
        if self._ws.history.repository is None:
            return
        try:
            past = set(self._ws.history.past_blobs())
        except GitError:
            return  # it is damaged, and `git fsck` finds where
        blobs = sorted(past.difference(self._snapshot().catalog.column("blob")))
        for start in range(0, len(blobs), _AT_ONCE):
            for data in self._ws.history.blobs(blobs[start : start + _AT_ONCE]).values():
                if _SIGNED.search(data):
                    yield data
