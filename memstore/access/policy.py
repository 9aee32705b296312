"""Hearing: what one listener may see, by a memory's labels, the consents, and what the memory was made of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memstore.model.ids import MemoryRef, is_entity_id
from memstore.model.provenance import is_external_mark
from memstore.model.sharing import EVERYBODY
from memstore.rules.reasons import Denial, first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memstore.model.world import Labels, World
    from memstore.rules.consent import ConsentBook
    from memstore.rules.standing import Listener

# Capitals make another id, which matches nobody, and no malformed one; the reader of files is stricter.
_ID_IN_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9-]*:[A-Za-z0-9][A-Za-z0-9._-]*")


class Hearing:
    """What one listener may see; a memory's lineage is followed once, however many come from it.

    Args:
        world: registries and memories.
        consents: the consents at the time.
        listener: who listens.
    """

    def __init__(self, world: World, consents: ConsentBook, listener: Listener) -> None:
        self.listener = listener
        self._world = world
        self._consents = consents
        self._settled: dict[str, bool] = {}

    def is_of(self, owner: str) -> bool:
        """Whether the listener is this owner; who is nobody owns nothing."""
        return self.listener.is_somebody and self.listener.id == owner

    def denial(self, labels: Labels) -> Denial | None:
        """Return why the listener, who does not own it, may not see a memory; None where they may."""
        return self._own_denial(labels) or self._lineage_denial(labels)

    def _own_denial(self, labels: Labels) -> Denial | None:
        """Return why a memory's own labels deny the listener."""
        if is_malformed(labels):
            return Denial("malformed")
        if any(self._may_be_meant(name) for name in labels.access_denies):
            return Denial("excluded")
        if not labels.access_grants:
            return Denial("self-only")
        if self.listener.opened_by.isdisjoint(labels.access_grants):
            return Denial("no-grant")
        if any(self.listener.opened_by.isdisjoint(label) for label in labels.upstream_grants):
            return Denial("upstream")
        return self._consent_denial(labels)

    def _may_be_meant(self, name: str) -> bool:
        """Whether a denial may be about the listener; nobody knows who was in a group that is not registered."""
        is_gone = name.startswith("group:") and name not in self._world.groups
        return is_gone or self.listener.may_be_meant(name)

    def _consent_denial(self, labels: Labels) -> Denial | None:
        obstacles = {
            str(say): code
            for say in self._consents.says(labels)
            if (code := self._consents.obstacle(labels, say, self.listener))
        }
        return Denial(first(obstacles.values()), tuple(sorted(obstacles))) if obstacles else None

    # -- lineage ------------------------------------------------------------------------------

    def _lineage_denial(self, labels: Labels) -> Denial | None:
        """Return why what a memory was made of denies the listener."""
        sources = set() if is_passed_generalization(labels) else set(_source_ids(labels))
        unknown = {source for source in sources if source not in self._world.memories}
        denied = {source for source in sources - unknown if not self._allows(source)}
        if denied:
            return Denial("lineage", tuple(sorted(denied)))
        return Denial("lineage-unresolved", tuple(sorted(unknown))) if unknown else None

    def _allows(self, memory_id: str) -> bool:
        if memory_id not in self._settled:
            self._settle(memory_id)
        return self._settled[memory_id]

    def _settle(self, start: str) -> None:
        """Decide a memory and all it comes from at once.

        A memory is denied when its labels deny, or one of its sources is; so denials spread from sources to what was
        made of them. What only goes round in a circle denies nothing by itself.
        """
        sources = self._unsettled_sources(start)
        denied = {memory_id for memory_id in sources if self._is_denied_alone(memory_id, sources[memory_id])}
        made_of: dict[str, list[str]] = {}
        for memory_id, ids in sources.items():
            for source in ids:
                made_of.setdefault(source, []).append(memory_id)
        waiting = list(denied)
        while waiting:
            new = set(made_of.get(waiting.pop(), ())) - denied
            denied |= new
            waiting.extend(new)
        self._settled.update((memory_id, memory_id not in denied) for memory_id in sources)

    def _unsettled_sources(self, start: str) -> dict[str, tuple[str, ...]]:
        """Return, for a memory and all it comes from, the sources that have a say about it."""
        found: dict[str, tuple[str, ...]] = {}
        waiting = [start]
        while waiting:
            memory_id = waiting.pop()
            labels = self._world.memories.get(memory_id)
            if labels is None or memory_id in found or memory_id in self._settled:
                continue
            asks = not (self._owns(labels) or is_passed_generalization(labels))
            found[memory_id] = tuple(_source_ids(labels)) if asks else ()
            waiting.extend(found[memory_id])
        return found

    def _is_denied_alone(self, memory_id: str, sources: Iterable[str]) -> bool:
        """Whether a memory is denied before what is undecided yet is known."""
        labels = self._world.memories[memory_id]
        if labels.status == "forgotten" or not (self._owns(labels) or self._own_denial(labels) is None):
            return True
        return any(source not in self._world.memories or self._settled.get(source) is False for source in sources)

    def _owns(self, labels: Labels) -> bool:
        return self.is_of(labels.owner or self._world.owner)


def is_malformed(labels: Labels) -> bool:
    """Whether a label is not what it should be; nobody but the memory's owner sees such a memory."""
    ids = [*labels.subject_ids, *labels.consent_grants, *labels.source_chain]
    ids += [one for one in (labels.owner, labels.source_entity, labels.context) if one]
    ids += [grant for grant in labels.access_grants if grant != EVERYBODY]
    ids += [grant for grant in labels.access_denies if grant != EVERYBODY]
    ids += [grant for label in labels.upstream_grants for grant in label if grant != EVERYBODY]
    if labels.malformed or not all(map(_is_id, ids)):
        return True
    return bool(labels.context) and not str(labels.context).startswith("ctx:")


@lru_cache(maxsize=4096)
def _is_id(text: str) -> bool:
    return _ID_IN_LABEL.fullmatch(text) is not None


def is_passed_generalization(labels: Labels) -> bool:
    """Whether a memory says its sources' lesson without them: checked, and any warning acknowledged by somebody."""
    if not labels.generalized or labels.generalization is None:
        return False
    match labels.generalization.verdict:
        case "safe":
            return True
        case "warn":
            return is_entity_id(labels.generalization.acknowledged_by or "")
        case _:
            return False


def _source_ids(labels: Labels) -> Iterator[str]:
    """Yield the ids of the memories that a memory was made of."""
    for source in labels.derived_from:
        if not is_external_mark(source):
            ref = MemoryRef.parse(source)
            yield ref.id if ref else source
