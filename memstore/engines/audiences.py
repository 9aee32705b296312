"""Audiences: memories with the same possible viewers, whoever looks, and in whichever context, are one class.

Who may see a memory follows from the registries, the time, and its labels, those of its copies and of what it was made
from. Memories that can't be told apart by all of these have one digest, and are decided once; most digests turn out to
have the same viewers.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from memstore.access.policy import is_passed_generalization, moments, source_ids
from memstore.access.sight import Seer, listeners, seers
from memstore.access.world import ids_in_scopes
from memstore.core.catalog import FileKind
from memstore.core.memory import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import Labels, World
    from memstore.core.catalog import Entry
    from memstore.vault.sight import CatalogLabels


class Audiences:
    """Who may see each memory of a vault.

    Args:
        labels: the labels of all memories.
        registries: the registries, without memories.
        at: the time, UTC.
    """

    def __init__(self, labels: CatalogLabels, registries: World, at: datetime) -> None:
        self._labels, self._at = labels, at
        self._world = registries._replace(memories=labels)
        self._named = ids_in_scopes(registries)
        self._of_id: dict[str, bytes] = {}
        self._alone: dict[Labels, bytes] = {}

    def digest(self, row: int, entry: Entry) -> bytes:
        """Return the digest of all that decides about a file; files that are no memories are decided by their kind."""
        if entry.kind is not FileKind.MEMORY:
            return hashlib.sha256(entry.kind.value.encode()).digest()
        own, copies = self._own(row)
        if copies is None and not own.derived_from and own.id not in self._named:
            plain = own._replace(id="")
            if plain not in self._alone:
                self._alone[plain] = self._joined([own], ())
            return self._alone[plain]
        both = [own, copies] if copies else [own]
        return self._joined(both, [self._of_source(source) for labels in both for source in _sources(labels)])

    def classes(self, rows: Mapping[bytes, int]) -> Mapping[bytes, bytes]:
        """Return, for memories given by digest, a digest of who may see them."""
        own = {digest: self._own(row) for digest, row in rows.items()}
        asked = {(digest, at): one for digest, both in own.items() for at, one in enumerate(both) if one}
        entities = listeners(self._world)
        seen = seers(self._world, self._at, entities, asked)
        found: dict[bytes, bytes] = {}
        for digest, both in own.items():
            said = [
                (one.owner, one.status == "forgotten", sorted(one.access_denies), _told(seen[digest, at], entities))
                for at, one in enumerate(both)
                if one
            ]
            found[digest] = hashlib.sha256(repr(said).encode(errors="surrogateescape")).digest()
        return found

    def _own(self, row: int) -> tuple[Labels, Labels | None]:
        """Return the labels of a memory, and those of all its copies if there are any."""
        own = self._labels.of_row(row)
        return own, self._labels.of_copies(own.id, own.owner)

    def _of_source(self, start: str) -> bytes:
        """Return the digest of a source and of all that it was made from, however long the chain is."""
        waiting, begun = [start], set[str]()
        while waiting:
            memory_id = waiting[-1]
            if memory_id in self._of_id:
                waiting.pop()
                continue
            labels = self._labels.get(memory_id)
            sources = [*_sources(labels)] if labels else []
            missing = [source for source in sources if source not in self._of_id and source not in begun]
            if missing and memory_id not in begun:
                begun.add(memory_id)
                waiting += missing
                continue
            # A source that is still begun closes a circle; its id stands for it.
            made_from = [self._of_id.get(source) or source.encode() for source in sources]
            self._of_id[memory_id] = self._joined([labels], made_from) if labels else b"missing"
            waiting.pop()
        return self._of_id[start]

    def _joined(self, labels: Sequence[Labels], sources: Collection[bytes]) -> bytes:
        found = hashlib.sha256()
        for one in labels:
            known_by = one.id if one.id in self._named else ""
            found.update(repr(one._replace(id=known_by, derived_from=())).encode(errors="surrogateescape") + b"\0")
        for source in sorted(sources):
            found.update(hashlib.sha256(source).digest())
        return found.digest()


def state_of(registries: World) -> str:
    """Return a digest of what the registries say."""
    said = registries._replace(doubtful=sorted(registries.doubtful), keepers=sorted(registries.keepers))  # type: ignore[arg-type]
    return hashlib.sha256(repr(said).encode(errors="surrogateescape")).hexdigest()


def steady_until(registries: World, at: datetime) -> datetime | None:
    """Return when the passing of time may change who sees what; None if it never does."""
    return min((moment for moment in moments(registries) if moment > at), default=None)


def _sources(labels: Labels) -> Iterator[str]:
    """Yield the ids of the memories whose labels count for this one, too."""
    return iter(()) if is_passed_generalization(labels) else source_ids(labels)


def _told(seen: frozenset[Seer], entities: Sequence[str]) -> list[object]:
    """Return who sees a memory as what everybody does, and who differs from that, by context.

    So a name that was in no registry and no memory is not missed: it is everybody's.
    """
    told: list[object] = []
    for context in sorted({seer.context or "" for seer in seen} | {""}):
        sees = {name for name in entities if Seer(name) in seen or Seer(name, context) in seen}
        others = sorted(name for name in entities if (name in sees) != (EVERYBODY in sees))
        told.append((context, EVERYBODY in sees, others))
    return told
