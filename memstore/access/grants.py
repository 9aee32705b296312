"""Grants: who may widen a memory's audience, what a new memory inherits, and what grants amount to.

A memory that is made from another takes over how it is known, whom it is about, and who may see it. Any new memory gets
the context and grants of the place where it is made; if these look odd, its writer is asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memstore.access import CONTEXTS, RIGHTS
from memstore.access.consent import ConsentBook
from memstore.access.policy import (
    FORGOTTEN,
    NOT_FOUND,
    ListenerAccess,
    context_trouble,
    known_contexts,
    labels_of,
    listeners,
    participants,
)
from memstore.access.reasons import Denial, verdict
from memstore.access.world import (
    ABOUT,
    ActiveContext,
    Consent,
    Decision,
    Kind,
    Session,
    Standings,
    can_listen,
    guardians_of,
    kind_of,
)
from memstore.core.errors import RefusedError
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY, UNKNOWN_LISTENER
from memstore.core.provenance import infer_source_type, teller_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memstore.access.world import Labels, World
    from memstore.core.change import Saved
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.render import Plain


def may_change(world: World, session: Session, memory_id: str) -> Decision:
    """Return whether the viewer may change a memory: only its owner may. Ids must have been resolved for the viewer."""
    labels = world.memories.get(memory_id)
    if labels is None:
        return NOT_FOUND
    if labels.status == "forgotten":
        return FORGOTTEN
    owner = labels.owner or world.owner
    is_keepers = owner == world.owner and session.viewer in world.keepers
    if not (session.viewer == owner or is_keepers) or not is_entity_id(session.viewer):
        return Decision(allowed=False, code="not-owner", rule="1", who=(session.viewer,))
    return Decision(allowed=True, code="owner", rule="1")


def may_grant(world: World, session: Session, memory_id: str, to: str, consents: tuple[str, ...] = ()) -> Decision:
    """Return whether the viewer may grant a memory to one more grantee.

    Everybody with a say must have consented for this grantee, by a record: consents in the memory itself were given for
    its current grantees. `consents` are those that the viewer asserts, to be recorded with the grant. The memories that
    it was made from must allow the grantee already.

    Args:
        world: registries, consents, memories.
        session: who grants, and when; the context makes no difference, as long as it is valid.
        memory_id: the memory to grant.
        to: an entity, a group, a role, a context, or `*`.
        consents: who is said to consent.
    """
    change = may_change(world, session, memory_id)
    if not change.allowed:
        return change
    labels = world.memories[memory_id]
    trouble = context_trouble(session)
    if trouble is None and not ((to == EVERYBODY or is_entity_id(to)) and all(map(is_entity_id, consents))):
        trouble = "malformed"
    if trouble:
        return verdict(world, labels, {to: Denial(trouble)})
    granted = granted_to(labels, to)
    asserted = (
        Consent(id="", grantor=name, grantee=to, scope=f"mem:{memory_id}", granted_at=session.at) for name in consents
    )
    widened = world._replace(consents=(*world.consents, *asserted), memories={**world.memories, memory_id: granted})
    grantee = Standings(widened, session.at, None).grantee(to)
    denial = ListenerAccess(widened, ConsentBook(widened, session.at), grantee).denial(granted)
    return verdict(widened, granted, {to: denial} if denial else {})


def granted_to(labels: Labels, to: str) -> Labels:
    """Return a memory's labels with the grant; a grant by name lifts a denial of the same name."""
    if to in labels.access_grants:
        return labels
    return labels._replace(
        access_grants=(*labels.access_grants, to),
        access_denies=tuple(name for name in labels.access_denies if name != to),
        consent_grants=(),
    )


def inherited_grants(
    world: World, session: Session, *, source_entity: str | None, explicit: Iterable[str] | None = None
) -> tuple[str, ...]:
    """Return the grants of a memory made in a session; its maker needs none.

    Args:
        world: the registries.
        session: who makes it, in which context.
        source_entity: who told it; None for an observation.
        explicit: the grants that the maker chose, which are kept unchanged; None if they chose nothing.

    Raises:
        RefusedError: the context has expired, or is not a single context.
    """
    if explicit is not None:
        return tuple(dict.fromkeys(explicit))
    if context_trouble(session):
        raise RefusedError(
            "the active context has expired or is not a single context, so it is unknown what it would grant",
            hint="memstore context enter CTX, or memstore context leave",
        )
    told = source_entity is not None and can_listen(world, source_entity)
    if session.context is None:
        grants = [source_entity] if told and source_entity else []
    else:
        registered = world.contexts.get(session.context.id)
        grants = [*_present(world, session)] if told else []
        grants += [session.context.id, *(registered.default_access if registered else ())]
    return tuple(name for name in dict.fromkeys(grants) if name != session.viewer)


def _present(world: World, session: Session) -> list[str]:
    """Return who is known to listen, in the order in which they were named."""
    heard = set(listeners(world, session)) - {UNKNOWN_LISTENER}
    return [name for name in participants(world, session) if name in heard and is_entity_id(name)]


def scope_of(world: World, grants: Iterable[str]) -> str:
    """Return a word for people that sums up grants; the widest grant counts."""
    names = sorted(set(grants))
    if EVERYBODY in names:
        return "public"
    if any(name.startswith("role:") or kind_of(world, name) is Kind.ORGANISATION for name in names):
        return "group"
    if any(name.startswith("ctx:") for name in names):
        return "contextual"
    return f"private({', '.join(names)})" if names else "self-only"


def gained(before: Memory | None, after: Memory, owner: str) -> tuple[str, ...]:
    """Return who is granted a memory that was not before, or is no longer denied it.

    Its owner needs no grant; nor does the source of a new memory.
    """
    if before is None:
        known = {after.owner or owner, after.source_entity}
        return tuple(dict.fromkeys(name for name in after.access_grants if name not in known))
    known = {*before.access_grants, after.owner or owner}
    denied = before.access_denies if after.access_grants else ()
    names = (*(name for name in after.access_grants if name not in known),
             *(name for name in denied if name not in after.access_denies))  # fmt: skip
    return tuple(dict.fromkeys(names))


# -- taken over from the source memory ---------------------------------------------------------------


_WORDS = ("tags", "context_tags")
_ORIGIN = ("source_entity", "source_chain", "channel", "origin")
_KIND = ("belief_type", "foundational", "importance", "entities")
_HOW_IT_IS_KNOWN = frozenset({"source", "source_type", "source_entity"})


def told_by(world: World, entity: str) -> str:
    """Return how something is known that this entity told: as from a human, unless it is an agent or an artefact."""
    return {Kind.AGENT: "told_by_agent", Kind.ARTEFACT: "observation"}.get(kind_of(world, entity), "told_by_human")


def tellers(view: View) -> Callable[[str], str]:
    """Return how something is known that an entity told, as the registries say."""
    return lambda entity: told_by(view.of(RIGHTS).registries, entity)


def promoted(view: View, values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a promoted memory takes over, without those that were given.

    It is known in the way its source is known: promoted hearsay is still hearsay.

    Args:
        view: the vault.
        values: the frontmatter of the promoted memory.
        given: the keys that the promoter gives.
    """
    kept = _kept_values(values, (*ABOUT, *_WORDS, *_ORIGIN), given)
    if _HOW_IT_IS_KNOWN.isdisjoint(given):
        kept["source_type"] = values.get("source_type") or infer_source_type(values, tellers(view))
    elif "source_type" not in given:
        # Who told it, and through whom, belongs to a source that no longer applies.
        kept = {name: value for name, value in kept.items() if name not in ("source_entity", "source_chain")}
    return kept


def superseding(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a superseding memory takes over, without those that were given.

    Args:
        values: the frontmatter of the superseded memory.
        given: the keys that are given for the new one.
    """
    return _kept_values(values, (*ABOUT, *_WORDS, *_KIND), given)


def _kept_values(values: Mapping[str, Any], names: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) and name not in given}


def in_common(grants: Sequence[Sequence[str]]) -> list[str]:
    """Return who may see a memory made from several: those to whom each is granted, or everybody if all are public."""
    named = [list(one) for one in grants if EVERYBODY not in one and "public" not in one]
    if not named:
        return list(grants[0])
    return [entity for entity in named[0] if all(entity in one for one in named)]


# -- inherited from the place where it is made -------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """The keys that a new memory inherits from where it is made, and questions for its writer.

    `doubt` is about its audience, with what is `usual`; `teller` is the entity that its source names in words only.
    """

    values: dict[str, Plain]
    doubt: str | None = None
    usual: str | None = None
    teller: str | None = None

    def warned(self, saved: Saved) -> Saved:
        """Return the saved result, with the questions among its findings."""
        findings: list[Finding] = []
        if self.doubt is not None:
            findings.append(finding_of("shared-elsewhere", saved.path, self.doubt, self.usual))
        if self.teller is not None:
            text = f"`source` is only words: {self.teller} has no say in who may see it"
            hint = f"--source-entity {self.teller} names who told it"
            hint += f"; here: memstore set {saved.ref} source_entity={self.teller}" if saved.ref else ""
            findings.append(finding_of("source-names-teller", saved.path, text, hint, key="source"))
        return replace(saved, findings=(*saved.findings, *findings)) if findings else saved


def inherited(view: View, values: Mapping[str, Plain], *, explicit: bool) -> Inherited:
    """Return what a new memory inherits: what was told is for the teller and listeners, observations for the context.

    Args:
        view: the vault.
        values: the keys that its writer gave.
        explicit: whether the writer said who may see it, even if nobody; then that is kept.

    Raises:
        RefusedError: the context has expired, or is not a single context; or the writer grants what is said in it to
            others, without the consent of those who listen, and doesn't acknowledge that.
    """
    told = _text(values.get("source_entity"))
    named = None if told or values.get("source_type") else teller_of(values)
    return replace(_inherited(view, values, told, explicit=explicit), teller=named)


def _inherited(view: View, values: Mapping[str, Plain], told: str | None, *, explicit: bool) -> Inherited:
    in_context = view.of(CONTEXTS).current() is not None
    if not in_context and (explicit or told is None):
        return Inherited(values={})

    session = view.of(RIGHTS).session
    world = known_contexts(view.of(RIGHTS).registries, session)
    given: dict[str, Plain] = {}
    if explicit and session.context and not view.terms.acknowledge:
        _stop_at_others(world, session, session.context, values)
    if not explicit:
        grants = inherited_grants(world, session, source_entity=told)
        given["access_grants"] = [*grants] or None
    if session.context is None:
        return Inherited(values=given)
    if not values.get("context"):
        given["context"] = session.context.id
    shared = values.get("access_grants") if explicit else given["access_grants"]
    elsewhere = _elsewhere(world, session.context.id, values.get("subject_ids")) if shared else None
    if elsewhere is None:
        return Inherited(values=given)
    subject, context = elsewhere
    doubt = f"{subject} belongs to {context}, and this is granted in {session.context.id}: did you mean to share that?"
    return Inherited(values=given, doubt=doubt, usual=_usual(view, subject, context))


def stop_outside(view: View, memory: Memory, to: Iterable[str], consents: Iterable[str] = ()) -> None:
    """Raise if a memory is granted to others than those who belong to the context that it was said in.

    Args:
        view: the vault.
        memory: the memory before the change.
        to: to whom it is to be granted; those to whom it is granted already are passed over.
        consents: who has consented.

    Raises:
        RefusedError: those who listen there have not consented, and the actor doesn't acknowledge that.
    """
    if others := leaves_context(view, memory, to, consents):
        are = "is" if len(others) == 1 else "are"
        raise RefusedError(
            f"{memory.ref} was said in {memory.context}, and {', '.join(others)} {are} outside of it",
            hint="--acknowledge grants it all the same",
        )


def leaves_context(view: View, memory: Memory, to: Iterable[str], consents: Iterable[str] = ()) -> Sequence[str]:
    """Return to whom a memory may not be granted since they are outside of its context, as `stop_outside` has it.

    Where somebody has a say in a memory, it takes their consent anyway, and that is enough.
    """
    if not memory.context or view.terms.acknowledge:
        return ()
    context = ActiveContext(id=memory.context)
    session = Session(viewer=view.actor, at=view.clock.now(), context=context)
    world = known_contexts(view.of(RIGHTS).registries, session)
    if ConsentBook(world, session.at).says(labels_of(memory)):
        return ()
    known = {memory.source_entity, memory.owner, *memory.access_grants}
    return _outside(world, session, context, to, known=known, consents=(*consents, *memory.consent_grants))


def _stop_at_others(world: World, session: Session, context: ActiveContext, values: Mapping[str, Plain]) -> None:
    """Raise if a memory made in a context is granted to others than those who belong there, or told it."""
    granted, consents = (map(str, _listed(values, key)) for key in ("access_grants", "consent_grants"))
    known = {_text(values.get("source_entity"))}
    if others := _outside(world, session, context, granted, known=known, consents=consents):
        raise RefusedError(
            f"it is said in {context.id}, and granted to {', '.join(others)}, outside of it",
            hint="--acknowledge writes it all the same; without --access it is for those in the context",
        )


def _outside(
    world: World,
    session: Session,
    context: ActiveContext,
    granted: Iterable[str],
    *,
    known: Collection[str | None],
    consents: Iterable[str],
) -> Sequence[str]:
    """Return who of those granted a memory is outside of a context; nobody if all who listen there consented."""
    registered = world.contexts.get(context.id)
    if registered and registered.open:
        return ()
    inside = {context.id, session.viewer, world.owner, *known, *participants(world, session)}
    inside |= {*registered.roster, *registered.default_access} if registered else set()
    listening = {*listeners(world, session)} - {session.viewer}
    if EVERYBODY in inside or (listening and listening.issubset(consents)):
        return ()
    standings = Standings(world, session.at, context)
    return [
        name for name in dict.fromkeys(granted) if inside.isdisjoint(standings.grantee(name).opened_by - {EVERYBODY})
    ]


def _listed(values: Mapping[str, Plain], name: str) -> Sequence[Plain]:
    value = values.get(name)
    return value if isinstance(value, list) else (value,) if value else ()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _elsewhere(world: World, here: str, subjects: object) -> tuple[str, str] | None:
    """Return a subject that belongs to another context, by itself or by a guardian, and that context."""
    known = world.contexts.get(here)
    roster = known.roster if known else ()
    for subject in subjects if isinstance(subjects, list) else ():
        names = {subject, *guardians_of(world, subject)}
        others = [name for name, context in world.contexts.items() if not names.isdisjoint(context.roster)]
        other = min(others, default=None)
        if other is not None and names.isdisjoint(roster):
            return str(subject), other
    return None


def _usual(view: View, subject: str, context: str) -> str:
    """Return a hint: what memories about the subject are mostly granted to."""
    entries = (view.entry(row) for row in view.rows)
    grants = Counter(name for entry in entries if subject in entry.subject_ids for name in entry.access_grants)
    usual = sorted(name for name, _ in grants.most_common(4)) or [context]
    return f"usual for {subject}: --access {' '.join(usual)}"
