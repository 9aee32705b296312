"""What earlier revisions of memories had to say: all attestations that the vault's history has."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec import memory_file
from memstore.codec.memory_file import MemoryFile
from memstore.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View
    from memstore.model.memory import Memory

# A file with a signature of anybody holds such bytes; and its id stands on a line of its own, as this one.
_SIGNED = re.compile(rb"""\bsig["']?[ \t]*:""")
_ID = re.compile(rb"""^["']?id["']?[ \t]*:[ \t]*["']?([\w-]+)""", re.MULTILINE)
_AT_ONCE = 2_000
_NAME, _VERSION = "past", "1"
# The entry that is no blob: the state of the past that all others are of.
_STATE = "state"


class PastWords:
    """Earlier revisions of memories, as far as they have attestations; the history is walked when it is first asked.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def knows(self, memory_id: str) -> bool:
        """Whether an earlier revision of a memory with this id may have attestations."""
        return memory_id in self._blobs_by_id

    def of(self, memory: Memory) -> Sequence[Memory]:
        """Return the earlier revisions of a memory that somebody attested to and the viewer may see, in no order."""
        blobs = self._blobs_by_id.get(memory.id or "", ())
        found = (memory_file.read("", data) for data in self._view.blobs(blobs).values()) if blobs else ()
        return [file.memory for file in found if isinstance(file, MemoryFile) and file.memory.id == memory.id]

    @cached_property
    def _blobs_by_id(self) -> Mapping[str, Sequence[str]]:
        """The blobs of the past that hold a signature, by the ids in them; without those of today."""
        found = defaultdict(list)
        blobs = self._view.column("blob")  # dead rows have one, too
        now = frozenset(blobs[row] for row in self._view.rows)
        for blob, ids in self._ids_by_blob().items():
            if blob not in now:
                for memory_id in ids:
                    found[memory_id].append(blob)
        return found

    def _ids_by_blob(self) -> Mapping[str, Sequence[str]]:
        """Return the ids in each blob of the past that holds a signature; what was read once is not read again."""
        if self._view.history.repository is None:
            return {}
        known = dict(self._view.derived.last(_NAME, _VERSION))
        try:
            state = self._view.history.past_state()
            if known.pop(_STATE, None) == [state]:
                return known
            past = frozenset(self._view.history.past_blobs())
        except GitError:
            return {}  # it is damaged, and `git fsck` finds where
        new = sorted(past.difference(known))
        found = {blob: known[blob] for blob in past.intersection(known)}
        for start in range(0, len(new), _AT_ONCE):
            read = self._view.blobs(new[start : start + _AT_ONCE])
            found.update((blob, _ids(data)) for blob, data in read.items())
        if self._view.is_owners:  # to others some of them are not there
            self._view.derived.keep(_NAME, _VERSION, {**found, _STATE: [state]})
        return found


def _ids(data: bytes) -> Sequence[str]:
    """Return the ids in a file's bytes; none where nobody signed anything in it."""
    return sorted({found.decode() for found in _ID.findall(data)}) if _SIGNED.search(data) else ()
