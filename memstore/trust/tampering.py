"""Attestations that were removed from a memory, or rolled back to older ones, found by comparing with its history.

A file shows everything that it says, but nothing that somebody removed. Only attestations that would count today are
reported: a dispute of a memory that now says something else is not about this memory.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY
from memstore.search import DERIVED
from memstore.trust.vouching import State, voices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.core.memory import Memory, Resolution, Signature, Witness
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.trust.vouching import Attested, Verdict


class Tampering(Enum):
    """What was done: a dispute or a decision was removed, or an older version was put in place of a newer one."""

    WITHHELD = "withheld"
    ROLLBACK = "rollback"


class Tampered(NamedTuple):
    """What was done, to whose attestation, and why that is assumed."""

    kind: Tampering
    agent: str
    reason: str


def of_witnesses(
    author: str | None,
    there: Sequence[Attested],
    before: Iterable[Attested],
    *,
    controller_of: Callable[[str], str],
) -> tuple[Tampered, ...]:
    """Return what was done to the attestations of witnesses.

    Args:
        author: who wrote the memory.
        there: the witnesses in the file, each with its individual verdict.
        before: the witnesses in earlier revisions of the file, with their verdicts on the memory as it is now.
        controller_of: returns who controls an entity, or the entity itself if nobody else does.
    """
    known = {_words(one.witness) for one in there}
    missing = list({_words(one.witness): one for one in before if _words(one.witness) not in known}.values())
    together = voices(author, [*there, *missing], controller_of=controller_of)
    heard = {
        controller_of(one.witness.agent_id)
        for one in voices(author, there, controller_of=controller_of)
        if one.verdict.counts
    }
    found = _of_missing([one.witness for one in together[len(there) :] if one.verdict.counts], heard, controller_of)
    return tuple(sorted(found, key=lambda one: one.reason))


def _of_missing(missing: Iterable[Witness], heard: set[str], controller_of: Callable[[str], str]) -> Iterator[Tampered]:
    for witness in missing:
        agent, at = witness.agent_id, witness.witnessed_at
        if controller_of(agent) in heard:
            reason = f"{agent} said something later, {at}, and that was removed"
            yield Tampered(Tampering.ROLLBACK, agent, reason)
        elif witness.attestation == "dispute":
            yield Tampered(Tampering.WITHHELD, agent, f"{agent} disputed it, {at}, and that was removed")


def of_resolutions(
    there: Sequence[tuple[Resolution, Verdict]], before: Iterable[tuple[Resolution, Verdict]]
) -> tuple[Tampered, ...]:
    """Return the decisions on disputes that were removed, if whoever decided has said nothing else since.

    Args:
        there: the decisions in the file, with their verdicts.
        before: those in earlier revisions of the file, with their verdicts on the memory as it is now.
    """
    known = {entry._replace(sig="") for entry, _ in there}
    last: dict[str, Resolution] = {}
    for entry, verdict in (*before, *there):
        if verdict.counts and (
            entry.by not in last or datetime.fromisoformat(entry.at) >= datetime.fromisoformat(last[entry.by].at)
        ):
            last[entry.by] = entry
    return tuple(
        Tampered(Tampering.WITHHELD, by, f"{by} decided it ({entry.outcome}), {entry.at}, and that was removed")
        for by, entry in sorted(last.items())
        if entry._replace(sig="") not in known
    )


def of_author(
    there: tuple[Signature, Verdict] | None, before: Iterable[tuple[Signature, Verdict]]
) -> tuple[Tampered, ...]:
    """Return whether the author later signed another version than the one that the file has now.

    Args:
        there: the signature in the file, with its verdict.
        before: those in earlier revisions, with their verdicts on the memory as it is now.
    """
    if there is None or not there[1].counts:
        return ()
    signed_at = datetime.fromisoformat(there[0].at)
    later = [
        one for one, verdict in before if verdict.state is State.STALE and datetime.fromisoformat(one.at) > signed_at
    ]
    last = max(later, key=lambda one: datetime.fromisoformat(one.at), default=None)
    if last is None:
        return ()
    return (Tampered(Tampering.ROLLBACK, last.by, f"{last.by} signed another version later, {last.at}"),)


def _words(witness: Witness) -> Witness:
    """Return what was said, ignoring the signature: some keys never make the same one twice."""
    return witness._replace(sig=None)


# -- attestations in earlier revisions -------------------------------------------------------------


# The key of a signature, in any form of YAML: only an escape, such as "s\\x69g", can spell it differently.
_MAY_BE_SIGNED = re.compile(rb"sig|\\")
_AT_ONCE = 2_000
_NAME, _VERSION = "past", "2"
# The entry that is not a blob: the state of the past that all others belong to.
_STATE = "state"


class PastWords:
    """Earlier revisions of memories that have attestations; the history is walked on first use.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def knows(self, memory_id: str) -> bool:
        """Return whether an earlier revision of a memory with this id may have attestations."""
        return memory_id in self._blobs_by_id

    def of(self, memory: Memory) -> Sequence[Memory]:
        """Return the earlier revisions of a memory that have attestations and the viewer may see, in no order."""
        blobs = self._blobs_by_id.get(memory.id or "", ())
        found = self._files_in(blobs) if blobs else ()
        return [file.memory for file in found if isinstance(file, MemoryFile) and file.memory.id == memory.id]

    def _files_in(self, blobs: Iterable[str]) -> Iterator[ReadFile]:
        for data in self._view.blobs(blobs).values():
            yield memory_file.read("", data, mixed=self._view.config.mixed)

    @cached_property
    def _blobs_by_id(self) -> Mapping[str, Sequence[str]]:
        """The blobs of the past that contain a signature, by the memory id in them; without current ones."""
        found = defaultdict(list)
        blobs = self._view.column("blob")  # dead rows have a blob, too
        now = frozenset(blobs[row] for row in self._view.rows)
        for blob, ids in self._ids_by_blob().items():
            if blob not in now:
                for memory_id in ids:
                    found[memory_id].append(blob)
        return found

    def _ids_by_blob(self) -> Mapping[str, Sequence[str]]:
        """Return the memory id in each blob of the past that contains a signature; a blob is only read once."""
        if self._view.of(HISTORY).repository is None:
            return {}
        known = dict(self._view.of(DERIVED).last(_NAME, _VERSION))
        try:
            state = self._view.of(HISTORY).past_state()
            if known.pop(_STATE, None) == [state]:
                return known
            past = frozenset(self._view.of(HISTORY).past_blobs())
        except GitError:
            return {}  # it is damaged; `git fsck` finds where
        new = sorted(past.difference(known))
        found = {blob: known[blob] for blob in past.intersection(known)}
        for start in range(0, len(new), _AT_ONCE):
            read = self._view.blobs(new[start : start + _AT_ONCE])
            found.update((blob, self._ids(data)) for blob, data in read.items())
        if self._view.is_owners:  # for others, some of them don't exist
            self._view.of(DERIVED).keep(_NAME, _VERSION, {**found, _STATE: [state]})
        return found

    def _ids(self, data: bytes) -> Sequence[str]:
        """Return the id in a file's bytes, read as a memory; none if nobody signed anything in it."""
        found = memory_file.read("", data, mixed=self._view.config.mixed) if _MAY_BE_SIGNED.search(data) else None
        memory = found.memory if isinstance(found, MemoryFile) else None
        if memory is None or not memory.id:
            return ()
        entries = (memory.signature, *memory.witnesses, *memory.resolutions)
        return (memory.id,) if any(entry is not None and entry.sig for entry in entries) else ()
