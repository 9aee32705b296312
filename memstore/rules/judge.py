"""The judge: whether a memory may be shown in a session, decided for everybody who listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.model.ids import is_entity_id
from memstore.model.sharing import UNKNOWN_LISTENER
from memstore.model.world import Decision, Labels
from memstore.rules.consent import ConsentBook
from memstore.rules.hearing import Hearing
from memstore.rules.reasons import RULE_OF_CODE, Denial, verdict
from memstore.rules.standing import Standings, can_listen

if TYPE_CHECKING:
    from memstore.model.memory import Memory
    from memstore.model.world import Session, World


def labels_of(memory: Memory) -> Labels:
    """Return what of a memory decides who may see it."""
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
    """Decides for one session: who listens, who is who and what was consented to is worked out once.

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
        self._hearings = [Hearing(world, consents, standings.listener(name)) for name in listeners(world, session)]

    def decide(self, memory_id: str) -> Decision:
        """Return whether the memory with this id may be shown, and why."""
        labels = self._world.memories.get(memory_id)
        return NOT_FOUND if labels is None else self.decide_on(labels)

    def decide_on(self, labels: Labels) -> Decision:
        """Return whether a memory may be shown as it stands now, and why; its sources are taken from the world."""
        owner = labels.owner or self._world.owner
        hearings = [hearing for hearing in self._hearings if not hearing.is_of(owner)]
        answer = self._before_listening(labels, owner, hearings)
        if answer is None:
            denials = {hearing.listener.id: hearing.denial(labels) for hearing in hearings}
            answer = verdict(self._world, labels, {who: denial for who, denial in denials.items() if denial})
        return answer

    def allows(self, memory_id: str) -> bool:
        """Return whether the memory with this id may be shown; the same as `decide`, sooner, without reasons."""
        labels = self._world.memories.get(memory_id)
        return labels is not None and self.admits(labels)

    def admits(self, labels: Labels) -> bool:
        """Return whether a memory may be shown as it stands now; the same as `decide_on`, sooner, without reasons."""
        owner = labels.owner or self._world.owner
        hearings = [hearing for hearing in self._hearings if not hearing.is_of(owner)]
        answer = self._before_listening(labels, owner, hearings)
        return answer.allowed if answer else all(hearing.denial(labels) is None for hearing in hearings)

    def _before_listening(self, labels: Labels, owner: str, hearings: list[Hearing]) -> Decision | None:
        """Return the decision where it does not depend on what the listeners may see."""
        if labels.status == "forgotten":
            return FORGOTTEN
        if self._trouble:
            return verdict(self._world, labels, {self._session.viewer: Denial(self._trouble)})
        return OWNER_ALONE if self._owner_is_alone(owner, hearings) else None

    def hears_only(self, owner: str) -> bool:
        """Return whether this owner, and nobody else, listens: all that is theirs may be shown."""
        hearings = [hearing for hearing in self._hearings if not hearing.is_of(owner)]
        return self._trouble is None and self._owner_is_alone(owner, hearings)

    def _owner_is_alone(self, owner: str, hearings: list[Hearing]) -> bool:
        if self._session.viewer != owner or not is_entity_id(owner):
            return False
        return self._session.context is None or self._session.alone or not hearings


def context_trouble(session: Session) -> str | None:
    """Return the code for a context that can't be relied on; such a one is never taken for no context."""
    context = session.context
    if context is None:
        return None
    if context.ambiguous or not (is_entity_id(context.id) and context.id.startswith("ctx:")):
        return "context-ambiguous"
    expired = context.expires_at is not None and context.expires_at <= session.at
    return "context-expired" if expired else None


def listeners(world: World, session: Session) -> tuple[str, ...]:
    """Return who takes in what is shown: the viewer and those present who can listen, a memory's owner among them.

    A malformed participant is somebody too: nobody knows who.
    """
    present = (name for name in participants(world, session) if not is_entity_id(name) or can_listen(world, name))
    return tuple(sorted({session.viewer, *present}))


def participants(world: World, session: Session) -> tuple[str, ...]:
    """Return who is in the session's context, or thought to be; whoever is unknown is `UNKNOWN_LISTENER`."""
    if session.context is None:
        return ()
    registered = world.contexts.get(session.context.id)
    roster = registered.roster if registered else ()
    named = session.context.participants or roster or (UNKNOWN_LISTENER,)
    # A context whose file can't be read may be open.
    is_open = registered.open if registered else session.context.id in world.doubtful
    return (*named, UNKNOWN_LISTENER) if is_open else named
