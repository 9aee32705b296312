"""Who may see a memory: private by default, shared by grant and consent, decided for everybody who listens.

`ListenerAccess` decides for one listener, from labels, consents, and what the memory was made from; `Judge` decides for
a session. If two files have one id, only what both would show is shown. While nobody writes, a decision
holds until `steady_until`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memstore.access.consent import ConsentBook
from memstore.access.reasons import RULE_OF_CODE, Denial, first, verdict
from memstore.access.world import Decision, Labels, RegisteredContext, Standings, can_listen
from memstore.core.ids import MemoryRef, is_entity_id
from memstore.core.memory import EVERYBODY, UNKNOWN_LISTENER, is_external_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memstore.access.world import Listener, Session, World
    from memstore.core.memory import Memory


# An id with capitals is another id, which matches nobody, but is not malformed; the reader of files is stricter.
_ID_IN_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9-]*:[A-Za-z0-9][A-Za-z0-9._-]*")


class ListenerAccess:
    """What one listener may see; the lineage of a memory is followed once, however many were made from it.

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
        """Whether the listener is this owner, or in the group that owns a shared vault; a malformed id owns nothing."""
        if not self.listener.is_somebody:
            return False
        is_group = bool(self._world.keepers) and owner == self._world.owner
        return self.listener.id == owner or (is_group and owner in self.listener.member_of)

    def owns(self, labels: Labels) -> bool:
        """Whether a memory is the listener's own; it is no member's who is denied it by name."""
        owner = labels.owner or self._world.owner
        if not self.is_of(owner):
            return False
        return self.listener.id == owner or not any(self._may_be_meant(name) for name in labels.access_denies)

    def denial(self, labels: Labels) -> Denial | None:
        """Return why the listener, who does not own it, may not see a memory; None if they may."""
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
        """Whether a denial may apply to the listener; for an unregistered group, nobody knows who was in it."""
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
        """Return why the memories that a memory was made from deny the listener."""
        sources = set() if is_passed_generalization(labels) else set(source_ids(labels))
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
        """Decide on a memory and everything it comes from at once.

        A memory is denied if its labels deny it or if one of its sources is denied; so denials spread from sources to
        what was made from them. A cycle by itself denies nothing.
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
        """Return, for a memory and everything it comes from, the sources on which the decision depends."""
        found: dict[str, tuple[str, ...]] = {}
        waiting = [start]
        while waiting:
            memory_id = waiting.pop()
            labels = self._world.memories.get(memory_id)
            if labels is None or memory_id in found or memory_id in self._settled:
                continue
            asks = not (self.owns(labels) or is_passed_generalization(labels))
            found[memory_id] = tuple(source_ids(labels)) if asks else ()
            waiting.extend(found[memory_id])
        return found

    def _is_denied_alone(self, memory_id: str, sources: Iterable[str]) -> bool:
        """Whether a memory is denied whatever the outcome for sources that are still undecided."""
        labels = self._world.memories[memory_id]
        if labels.status == "forgotten" or not (self.owns(labels) or self._own_denial(labels) is None):
            return True
        return any(source not in self._world.memories or self._settled.get(source) is False for source in sources)


def is_malformed(labels: Labels) -> bool:
    """Whether a label is malformed; only the memory's owner sees such a memory."""
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
    """Whether a memory is a generalization of its sources: checked, and any warning acknowledged by somebody."""
    if not labels.generalized or labels.generalization is None:
        return False
    match labels.generalization.verdict:
        case "safe":
            return True
        case "warn":
            return is_entity_id(labels.generalization.acknowledged_by or "")
        case _:
            return False


def source_ids(labels: Labels) -> Iterator[str]:
    """Yield the ids of the memories that a memory was made from."""
    for source in labels.derived_from:
        if not is_external_mark(source):
            yield id_in(source)


def id_in(source: str) -> str:
    """Return the id in a ref of `derived_from`, or the text itself, which may be a bare id."""
    ref = MemoryRef.parse(source)
    return ref.id if ref else source


# -- everybody who listens -------------------------------------------------------------------------


def labels_of(memory: Memory) -> Labels:
    """Return the labels of a memory, which decide who may see it."""
    return Labels(
        id=memory.id or "",
        owner=memory.owner,
        status=memory.status,
        source_entity=memory.source_entity,
        source_chain=memory.source_chain,
        subject_ids=memory.subject_ids,
        context=memory.context,
        access_grants=memory.access_grants,
        access_denies=memory.access_denies,
        consent_grants=memory.consent_grants,
        upstream_grants=memory.upstream_grants,
        derived_from=memory.derived_from,
        generalized=memory.generalized,
        generalization=memory.generalization,
    )


NOT_FOUND = Decision(allowed=False, code="not-found")
FORGOTTEN = Decision(allowed=False, code="forgotten")
OWNER_ALONE = Decision(allowed=True, code="owner-alone", rule=RULE_OF_CODE["owner-alone"])


class Judge:
    """Decides for one session; listeners, their names and consents are worked out once.

    Args:
        world: registries, consents and memories.
        session: who looks, when and where.
    """

    def __init__(self, world: World, session: Session) -> None:
        self._world = world
        self._session = session
        self._trouble = context_trouble(session)
        standings = Standings(world, session.at, session.context)
        consents = ConsentBook(world, session.at)
        self._hearings = [
            ListenerAccess(world, consents, standings.listener(name)) for name in listeners(world, session)
        ]
        self._within = Judge(world, session.within) if session.within else None

    def decide(self, memory_id: str) -> Decision:
        """Return whether the memory with this id may be shown, and why."""
        labels = self._world.memories.get(memory_id)
        return NOT_FOUND if labels is None else self.decide_on(labels)

    def decide_on(self, labels: Labels) -> Decision:
        """Return whether a memory may be shown in its current state, and why; its sources are taken from the world."""
        owner = labels.owner or self._world.owner
        hearings = [hearing for hearing in self._hearings if not hearing.owns(labels)]
        answer = self._before_listening(labels, owner, hearings)
        if answer is None:
            denials = {hearing.listener.id: hearing.denial(labels) for hearing in hearings}
            answer = verdict(self._world, labels, {who: denial for who, denial in denials.items() if denial})
        return self._within.decide_on(labels) if answer.allowed and self._within else answer

    def allows(self, memory_id: str) -> bool:
        """Return whether the memory with this id may be shown; same as `decide`, but faster and without reasons."""
        labels = self._world.memories.get(memory_id)
        return labels is not None and self.admits(labels)

    def admits(self, labels: Labels) -> bool:
        """Return whether a memory may be shown in its current state; same as `decide_on`, faster, without reasons."""
        if self._within and not self._within.admits(labels):
            return False
        owner = labels.owner or self._world.owner
        hearings = [hearing for hearing in self._hearings if not hearing.owns(labels)]
        answer = self._before_listening(labels, owner, hearings)
        return answer.allowed if answer else all(hearing.denial(labels) is None for hearing in hearings)

    def shows(self, labels: Labels, copies: Labels | None) -> bool:
        """Return whether a memory may be shown in a view of a vault.

        Args:
            labels: its own.
            copies: those that show all memories with its id and owner, if there are several.
        """
        is_narrowed = bool(labels.access_denies and self._world.keepers)  # by hand, against a member perhaps
        if not is_narrowed and self.hears_only(labels.owner or self._world.owner):
            return True  # even what is left of a forgotten memory
        return self.admits(labels) and (copies is None or self.admits(both(labels, copies)))

    def _before_listening(self, labels: Labels, owner: str, hearings: list[ListenerAccess]) -> Decision | None:
        """Return the decision if it does not depend on what the listeners may see."""
        if labels.status == "forgotten":
            return FORGOTTEN
        if self._trouble:
            return verdict(self._world, labels, {self._session.viewer: Denial(self._trouble)})
        return OWNER_ALONE if self._owner_is_alone(owner, hearings) else None

    def hears_only(self, owner: str) -> bool:
        """Return whether this owner listens and nobody else does, so that everything of theirs may be shown.

        The members of a group that owns a shared vault listen for it.
        """
        if self._within and not self._within.hears_only(owner):
            return False
        hearings = [hearing for hearing in self._hearings if not hearing.is_of(owner)]
        if self._trouble is not None:
            return False
        is_theirs = any(one.listener.id == self._session.viewer and one.is_of(owner) for one in self._hearings)
        return self._owner_is_alone(owner, hearings) or (is_theirs and not hearings)

    def _owner_is_alone(self, owner: str, hearings: list[ListenerAccess]) -> bool:
        if self._session.viewer != owner or not is_entity_id(owner):
            return False
        return self._session.alone or not hearings


def context_trouble(session: Session) -> str | None:
    """Return the code for a context that can't be relied on; such a context is never treated as no context."""
    context = session.context
    if context is None:
        return None
    if context.ambiguous or not (is_entity_id(context.id) and context.id.startswith("ctx:")):
        return "context-ambiguous"
    expired = context.expires_at is not None and context.expires_at <= session.at
    return "context-expired" if expired else None


def listeners(world: World, session: Session) -> tuple[str, ...]:
    """Return who takes in what is shown: the viewer and everyone present who can listen, including a memory's owner.

    A malformed participant counts as an unknown listener.
    """
    present = (name for name in participants(world, session) if not is_entity_id(name) or can_listen(world, name))
    return tuple(sorted({session.viewer, *present}))


def participants(world: World, session: Session) -> tuple[str, ...]:
    """Return who is in the session's context, or assumed to be; anyone unknown is `UNKNOWN_LISTENER`."""
    if session.context is None:
        return (UNKNOWN_LISTENER,) if session.overheard else ()
    registered = world.contexts.get(session.context.id)
    roster = registered.roster if registered else ()
    named = session.context.participants or roster or (UNKNOWN_LISTENER,)
    # If a context's file can't be read, it may be open.
    is_open = registered.open if registered else session.context.id in world.doubtful
    return (*named, UNKNOWN_LISTENER) if is_open else named


def known_contexts(world: World, session: Session) -> World:
    """Return the world with the contexts that the viewer may know; the vault's owner knows all of them.

    Anybody may know that an open context exists, but only those on its roster know who else is in it.
    """
    if session.viewer == world.owner:
        return world
    listed = Standings(world, session.at, None).listener(session.viewer).closed_by
    told = {
        name: context if name in listed else RegisteredContext(open=True)
        for name, context in world.contexts.items()
        if name in listed or context.open
    }
    return world._replace(contexts=told)


# -- single questions ------------------------------------------------------------------------------


def decide(world: World, session: Session, memory_id: str) -> Decision:
    """Return whether a memory may be shown in a session, and why.

    To decide about many memories, a single `Judge` is faster.
    """
    return Judge(world, session).decide(memory_id)


# -- two files with one id -------------------------------------------------------------------------


# A memory with two owners belongs to nobody: no entity has this id.
_NOBODY = "?"


def both(one: Labels, other: Labels) -> Labels:
    """Return labels that show a memory only to those who may see both copies of it, in whichever order."""
    one, other = sorted((one, other), key=repr)
    # A grant must match in both: the other copy's grants become an upstream label.
    upstream = (*one.upstream_grants, *other.upstream_grants, other.access_grants)
    told_by = (*one.source_chain, *other.source_chain, *(name for name in (other.source_entity,) if name))
    return one._replace(
        owner=one.owner if one.owner == other.owner else _NOBODY,
        status="forgotten" if "forgotten" in (one.status, other.status) else one.status,
        source_chain=told_by,
        subject_ids=(*one.subject_ids, *other.subject_ids),
        access_denies=(*one.access_denies, *other.access_denies),
        consent_grants=tuple(name for name in one.consent_grants if name in other.consent_grants),
        upstream_grants=upstream,
        derived_from=(*one.derived_from, *other.derived_from),
        generalized=one.generalized and other.generalized and one.generalization == other.generalization,
        malformed=one.malformed or other.malformed or (one.owner, one.context) != (other.owner, other.context),
    )


# -- how long a decision is valid --------------------------------------------------------------------


def steady_until(world: World, session: Session) -> datetime | None:
    """Return the first later moment at which the passing of time may change a decision; None if there is none."""
    times = (*moments(world), *_session_ends(session))
    return min((at for at in times if at > session.at), default=None)


def moments(world: World) -> list[datetime]:
    """Return all times at which the passing of time may change a decision, in no order."""
    return [at for at in _moments(world) if at is not None]


def _moments(world: World) -> Iterator[datetime | None]:
    for members in world.groups.values():
        for member in members:
            yield member.since
            yield member.until
    for consent in world.consents:
        yield consent.granted_at
        yield consent.expires_at
    for delegation in world.delegations:
        yield delegation.granted_at
        yield delegation.expires_at
    for revocation in world.revocations:
        yield revocation.at


def _session_ends(session: Session) -> Iterator[datetime]:
    if session.context and session.context.expires_at:
        yield session.context.expires_at
    if session.within:
        yield from _session_ends(session.within)
