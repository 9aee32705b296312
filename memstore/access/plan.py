"""Plan who sees a memory: everything that stands between it and somebody, and what its owner may do about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.access import CONTEXTS, registry
from memstore.access.audit import entity_id, found, new_file, plain, recorded, stop_unless_owner
from memstore.access.consent import ConsentBook, who_may_permit
from memstore.access.consents import consent_values, consents, request_values
from memstore.access.entities import GROUP_NAMESPACES
from memstore.access.grants import granted_to, leaves_context
from memstore.access.policy import ListenerAccess, labels_of
from memstore.access.privacy import grantee_id, own_id, unknown_grantees, world_with
from memstore.access.world import Entity, Kind, RegisteredContext, Standings, guardians_of, kind_of
from memstore.core.change import Edit, Written
from memstore.core.digests import digest_of
from memstore.core.errors import UsageError
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind
from memstore.core.short_repr import short_repr
from memstore.core.transaction import again_where_changed, save_all, save_own
from memstore.files.splice import AppendItems, RemoveItems, apply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.access.consent import Say
    from memstore.access.consents import KnownConsent
    from memstore.access.world import Listener
    from memstore.core.named import Named, OneOrMore
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain
    from memstore.files.splice import Edit as Splice

OPEN, READY, ASKED, DONE = "open", "ready", "asked", "done"
NO_GUARDIANS: Mapping[str, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One thing that is missing, in a line, and the command for it.

    `kind` is guardian, roster, denial, source, consent or grant. `state` is `ready` if the owner may do it (`apply`),
    `done` if that was done, `asked` if somebody was asked, in the file `path`, else `open`.
    """

    kind: str
    text: str
    command: str
    state: str
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPlan:
    """What is missing until somebody sees a memory; `sees` is whether they do now."""

    ref: str
    path: str
    to: str
    steps: tuple[PlanStep, ...]
    sees: bool
    notes: tuple[str, ...] = ()
    commit: str | None = None

    __repr__ = short_repr


@again_where_changed
def plan_access(
    view: View,
    memory: Named,
    to: str,
    *,
    guardians: Mapping[str, Sequence[str]] = NO_GUARDIANS,
    consent: OneOrMore = (),
    apply: bool = False,
    commit: bool = False,
) -> AccessPlan:
    """Return every step that is missing until somebody sees a memory.

    >>> saved = raw(ws.view(), "Fractions are hard today", subject_ids=["human:student_123"])
    >>> plan = plan_access(ws.view(), saved.ref, "si:reading_specialist")
    >>> [(step.kind, step.state) for step in plan.steps]
    [('consent', 'ready'), ('grant', 'open')]

    Args:
        view: the vault.
        memory: the memory.
        to: an entity, a group, a role, a context, or `*`.
        guardians: who speaks for an entity, by entity, as the owner states.
        consent: who has consented, as the owner states.
        apply: whether to do what the owner may: name these guardians, register a context with those who are in it,
            record these consents, write requests for the others, and grant the memory once everybody has consented.
        commit: whether to commit that.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        UsageError: an id is malformed, or the memory is that entity's own.
        RefusedError: somebody other than the vault's owner acts, or the memory is not theirs.
    """
    file = view.original(memory)
    memory_id = own_id(view, file)
    stop_unless_owner(view, "plan who sees what")
    grantee = grantee_id(view, to)
    if grantee == view.actor:
        raise UsageError(f"{file.memory.ref} is {grantee}'s own", hint="name who is to see it with --to")
    planned = _Planning(view, file, memory_id, grantee)
    planned.guard({name: [*names] for name, names in guardians.items()})
    planned.register()
    planned.look()
    planned.ask({entity_id(name, "who consents", view) for name in consent})
    after = planned.grant(file)
    if not apply:
        return planned.plan()
    if after is not None:
        edit = Edit(path=file.path, before=file, after=after)
        made = save_all(view, [edit], verb="privacy plan", own=planned.files, commit=commit)[0].commit
    else:
        made = save_own(view, planned.files, verb="privacy plan", commit=commit) if planned.files else None
    return planned.plan(made, is_done=True)


class _Planning:
    """The steps and the files of a plan, as they are found; the world is as it is once the steps before are done."""

    def __init__(self, view: View, file: MemoryFile, memory_id: str, to: str) -> None:
        self._view, self._file, self._id, self._to = view, file, memory_id, to
        self._quoted = f"'{to}'" if to == EVERYBODY else to
        self._now = view.clock.now()
        self._world = world_with(view, file)
        self._labels = granted_to(labels_of(file.memory), to)
        self._steps: list[PlanStep] = []
        self._notes: list[str] = []
        self._consents: list[str] = []
        self.files: list[Written] = []

    def guard(self, guardians: Mapping[str, list[str]]) -> None:
        """Add who speaks for whom, as far as the registry does not say so already."""
        for entity, names in guardians.items():
            entity_id(entity, "entity", self._view)
            new = [
                entity_id(name, "guardian", self._view)
                for name in dict.fromkeys(names)
                if name not in guardians_of(self._world, entity)
            ]
            if entity in new:
                raise UsageError(f"{entity} needs no guardian to speak for itself", hint="name somebody else")
            if not new:
                continue
            known = self._world.entities.get(entity, Entity())
            known = known._replace(guardians=(*known.guardians, *new))
            self._world = self._world._replace(entities={**self._world.entities, entity: known})
            written = self._guarded(entity, new)
            self._written(written, "entity guardian", entity=entity, guardians=new)
            who = " and ".join(new)
            act = f"memstore privacy entity guardian {entity} {' '.join(new)}"
            self._add("guardian", f"guardian of {entity}: {who}", act, READY, written.path)

    def _guarded(self, entity: str, names: list[str]) -> Written:
        file = found(self._view, RegistryKind.ENTITY, entity)
        if file is None:
            values: dict[str, Plain] = {"type": "entity", "id": entity, "guardians": plain(names)}
            return new_file(self._view, RegistryKind.ENTITY, values)
        before = self._view.own_file(file.path) or b""
        after = registry.edited(file.path, file.kind, before, [AppendItems("guardians", tuple(names))])
        return Written(file.path, before, after)

    def register(self) -> None:
        """Add that a context or a group has members; those who are in the active context are known."""
        kind = self._to.partition(":")[0]
        if kind in GROUP_NAMESPACES and not self._world.groups.get(self._to):
            self._add("roster", f"members of {self._to}", f"memstore privacy group add {self._to} ENTITY…", OPEN)
        known = self._world.contexts.get(self._to)
        if kind != "ctx" or (known and (known.open or known.roster)):
            return
        active = self._view.of(CONTEXTS).current()
        present = [*filter(is_entity_id, active.participants)] if active and active.id == self._to else []
        act = f"memstore context add {self._to} --roster {' '.join(present) or 'ENTITY…'}"
        if known or not present:
            self._add("roster", f"roster of {self._to}", act, OPEN)
            return
        self._world = self._world._replace(
            contexts={**self._world.contexts, self._to: RegisteredContext(roster=tuple(present))}
        )
        written = new_file(self._view, RegistryKind.CONTEXT, {"id": self._to, "roster": plain(present)})
        self._written(written, "context add", context=self._to, roster=present)
        self._add("roster", f"roster of {self._to}: {', '.join(present)}", act, READY, written.path)

    def look(self) -> None:
        """Add what stands in the way whoever consents: denials, labels of what it was made from, and its sources."""
        # Nobody has a say about these labels: consents are a question of their own.
        labels = self._labels._replace(subject_ids=(), source_entity=None, source_chain=())
        access = ListenerAccess(self._world, ConsentBook(self._world, self._now), self._grantee())
        while denial := access.denial(labels):
            match denial.code:
                case "excluded":
                    names = ", ".join(labels.access_denies)
                    act = f"memstore set {self._id} access_denies="
                    self._add("denial", f"access_denies: {names}", act, OPEN)
                    labels = labels._replace(access_denies=())
                case "lineage":
                    for source in denial.missing:
                        act = f"memstore privacy plan {source} --to {self._quoted}"
                        self._add("source", f"source {source}, closed to {self._to}", act, OPEN)
                    return
                case code:
                    act = {"lineage-unresolved": "memstore check orphans", "malformed": "memstore check"}.get(
                        code, f"memstore privacy explain {self._id} --for {self._quoted}"
                    )
                    lacking = f": {', '.join(denial.missing)}" if denial.missing else ""
                    self._add("source", f"{code}{lacking}", act, OPEN)
                    return

    def ask(self, given: set[str]) -> None:
        """Add the consents that are missing, and record those that were given."""
        book, listener = ConsentBook(self._world, self._now), self._grantee()
        missing = {say: book.obstacle(self._labels, say, listener) for say in sorted(book.says(self._labels))}
        used: set[str] = set()
        for say, code in missing.items():
            if code == "consent-refused":
                self._add("consent", f"refusal of {say}", "memstore privacy consent list", OPEN)
            elif code == "malformed":
                self._add("consent", "consent that can't be read, and may be a refusal", "memstore check", OPEN)
            elif code:
                used |= self._consent(say, given)
        for who in sorted(used):
            values = consent_values(self._view, who, self._to, f"mem:{self._id}")
            self._consents.append(str(values["id"]))
            self.files.append(new_file(self._view, RegistryKind.CONSENT, values))
        for who in sorted(given - used):
            self._notes.append(f"{who} has no say here that is missing: nothing is recorded for them")

    def _consent(self, say: Say, given: set[str]) -> set[str]:
        """Add whose consent is missing for one who has a say; return those of the given ones that are enough."""
        permitters = who_may_permit(self._world, say.entity)
        is_ward = kind_of(self._world, say.entity) is Kind.WARD and not permitters
        able = {
            who
            for who in given
            if who in permitters or (is_ward and who != self._view.actor and kind_of(self._world, who) is Kind.PERSON)
        }
        who = min(able or permitters, default="PERSON")
        behalf = "" if who == say.entity else f" --for {say.entity}"
        act = f"--from {who}{behalf} --to {self._quoted} --scope mem:{self._id}"
        if able:
            self._add("consent", f"consent of {who} for {say}", f"memstore privacy consent grant {act}", READY)
        elif is_ward:
            name = f"memstore privacy entity guardian {say.entity} PERSON"
            self._add("guardian", f"guardian of {say.entity}", name, OPEN)
            self._add("consent", f"consent of somebody for {say}", f"memstore privacy consent grant {act}", OPEN)
        else:
            self._request(say, who, f"memstore privacy consent grant {act}")
        return able

    def _request(self, say: Say, who: str, act: str) -> None:
        """Add a consent that somebody must be asked for; they are asked once."""
        text = f"consent of {who} for {say}"
        behalf = None if who == say.entity else say.entity
        if not behalf and say.role == "subject":
            self._notes.append(f"if somebody speaks for {who}: --guardian {who}=PERSON")
        for one in consents(self._view):
            if one.kind == "request" and self._asks(one, who, behalf):
                self._add("consent", text, act, ASKED, one.path)
                return
        values = request_values(self._view, who, self._to, f"mem:{self._id}", behalf)
        written = new_file(self._view, RegistryKind.REQUEST, values)
        about = {"request": str(values["id"]), "grantor": who, "grantee": self._to, "scope": f"mem:{self._id}"}
        self.files += [written, recorded(self._view, "consent request", **about)]
        self._add("consent", text, act, READY, written.path)

    def _asks(self, one: KnownConsent, who: str, behalf: str | None) -> bool:
        asked = (who, behalf, self._to, f"mem:{self._id}")
        return (one.grantor, one.on_behalf_of, one.grantee, one.scope) == asked

    def grant(self, file: MemoryFile) -> bytes | None:
        """Add the grant; return the memory's file with it if it may be granted."""
        is_granted = self._to in file.memory.access_grants and self._to not in file.memory.access_denies
        if is_granted and not self._consents:
            return None
        may_be = not any(step.state in (OPEN, ASKED) or self._is_request(step) for step in self._steps)
        if not is_granted:
            others = leaves_context(self._view, file.memory, [self._to])
            may_be = may_be and not others
            act = f"memstore privacy grant {self._id} --to {self._quoted}{' --acknowledge' if others else ''}"
            where = f", outside of {file.memory.context}, where it was said" if others else ""
            self._add("grant", f"grant to {self._to}{where}", act, READY if may_be else OPEN)
        if may_be and not is_granted:
            about: dict[str, str | list[str]] = {"memory": self._id, "to": [self._to], "consents": self._consents}
            self.files.append(recorded(self._view, "privacy grant", **about))
            edits: list[Splice] = [AppendItems("access_grants", (self._to,)), RemoveItems("access_denies", (self._to,))]
            return apply(file, edits)
        for consent in self._consents:
            about = {"consent": consent, "grantee": self._to, "scope": f"mem:{self._id}"}
            self.files.append(recorded(self._view, "consent grant", **about))
        return None

    def plan(self, commit: str | None = None, *, is_done: bool = False) -> AccessPlan:
        """Return the plan; what was ready is done by now if `is_done`."""
        steps = [self._after(step) if is_done else self._before(step) for step in self._steps]
        to_name = ("; ".join(filter(None, note)) for note in unknown_grantees(self._view, self._world, [self._to]))
        return AccessPlan(
            ref=str(self._file.memory.ref),
            path=self._file.path,
            to=self._to,
            steps=tuple(steps),
            sees=all(step.state == DONE for step in steps),
            notes=(*self._notes, *to_name),
            commit=commit,
        )

    def _before(self, step: PlanStep) -> PlanStep:
        """Return a step without the path of a request that nobody has written."""
        return replace(step, path=None) if step.state == READY and self._is_request(step) else step

    def _after(self, step: PlanStep) -> PlanStep:
        state = {READY: ASKED if self._is_request(step) else DONE}.get(step.state, step.state)
        return replace(step, state=state)

    @staticmethod
    def _is_request(step: PlanStep) -> bool:
        return step.kind == "consent" and step.path is not None

    def _grantee(self) -> Listener:
        return Standings(self._world, self._now, None).grantee(self._to)

    def _written(self, written: Written, verb: str, **about: str | list[str]) -> None:
        says = digest_of(written.after or b"")
        self.files += [written, recorded(self._view, verb, **about, says=says)]

    def _add(self, kind: str, text: str, command: str, state: str, path: str | None = None) -> None:
        self._steps.append(PlanStep(kind=kind, text=text, command=command, state=state, path=path))
