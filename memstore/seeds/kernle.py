"""The calls of the documents on provenance (000) and privacy (001): methods of one object, there `kernle` or `k`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from memstore.access.generalization import GeneralizationVerdict
from memstore.access.privacy import set_access
from memstore.access.report import folder_named
from memstore.beliefs.next_lines import Stance
from memstore.core.change import Edit
from memstore.core.errors import RefusedError, UsageError
from memstore.core.ids import MemoryRef
from memstore.core.memory import EVERYBODY
from memstore.core.named import ref_of
from memstore.core.transaction import save
from memstore.face.given import opened
from memstore.files import splice
from memstore.memories import create
from memstore.memories.generalize import check_generalization, generalize
from memstore.memories.promote import process_raw

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.access.audit import Registered
    from memstore.core.catalog import Entry
    from memstore.core.named import Named
    from memstore.face.vault import Vault

# The document's word for its seed beliefs, which are facts that stay whatever the evidence.
_FOUNDATIONAL = "foundational"


class Context(TypedDict, total=False):
    """The documents' arguments about a new memory; None means not given."""

    title: str | None
    tags: Sequence[str] | None
    source: str | None
    source_type: str | None
    source_entity: str | None
    source_chain: Sequence[str] | None
    channel: str | None
    session_id: str | None
    trigger: str | None
    derived_from: Sequence[str] | None
    relates_to: Sequence[str] | None
    context: str | None
    context_tags: Sequence[str] | None
    subject_ids: Sequence[str] | None
    access_grants: Sequence[str] | None
    consent_grants: Sequence[str] | None
    importance: str | None


class Kernle:
    """The calls of the documents on an opened vault; as in the documents, memories are named by bare ids.

        k = Kernle(memstore.open_vault("~/notes", entity="si:ash"))
        raw_id = k.raw("First memory capture!")
        episode_id = k.process_raw(raw_id, "episode", outcome="merged")

    Args:
        vault: the vault, which is the documents' stack.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = opened(vault)
        self._storage = self  # the documents' programs mark raw memories by `k._storage.mark_raw_processed(…)`

    # -- 3.1: creation, with provenance ------------------------------------------------------------

    def belief(
        self,
        statement: str,
        type: str = "fact",  # noqa: A002 -- the document's name
        confidence: float | None = None,
        foundational: bool = False,  # noqa: FBT001, FBT002 -- the document's order
        **about: Unpack[Context],
    ) -> str:
        """Write down a belief, and return its id; without a stated confidence it is 0.8."""
        is_foundational = foundational or type == _FOUNDATIONAL
        kind = "fact" if type == _FOUNDATIONAL else type
        view, said = self.vault.view(), _present_arguments(about)
        return _id(create.belief(view, statement, kind, confidence, foundational=is_foundational, **said).ref)

    def episode(
        self, objective: str, outcome: str, lessons: Sequence[str] | None = None, **about: Unpack[Context]
    ) -> str:
        """Write down what happened, and return its id."""
        return _id(
            create.episode(self.vault.view(), objective, outcome, lessons or (), **_present_arguments(about)).ref
        )

    def note(self, content: str, type: str = "note", **about: Unpack[Context]) -> str:  # noqa: A002 -- likewise
        """Write a note, or a note with a purpose, and return its id."""
        return _id(create.note(self.vault.view(), content, type, **_present_arguments(about)).ref)

    def raw(self, content: str, **about: Unpack[Context]) -> str:
        """Write something down verbatim, and return its id; 001 adds whom it is about and who may see it."""
        return _id(create.raw(self.vault.view(), content, **_present_arguments(about)).ref)

    # -- 3.2, 3.3: processing raw memories -----------------------------------------------------------

    def process_raw(self, raw_id: str, as_type: str, **settings: Any) -> str:
        """Make a memory from a raw memory, with links both ways, and return its id; `note_type` is a note's purpose."""
        if as_type == "note":
            as_type = settings.pop("note_type", as_type)
        keys = ("tags", "confidence", "belief_type")
        own: dict[str, Any] = {name: settings.pop(name) for name in keys if name in settings}
        return _id(process_raw(self.vault.view(), raw_id, as_type, own, **settings))

    def get_raw(self, raw_id: str) -> dict[str, Any]:
        """Return a raw memory: its text under `blob` and `content`, what was made from it under `processed_into`."""
        memory = self.vault.get(raw_id)
        if memory.type != "raw":
            raise UsageError(f"{memory.ref} is not a raw memory")
        text = memory.body.strip("\r\n")
        made = [*memory.processed_into]
        return {
            "id": memory.id, "blob": text, "content": text, "source": memory.source, "tags": [*memory.tags],
            "captured_at": memory.created_at, "processed": bool(made), "processed_into": made,
        }  # fmt: skip

    def mark_raw_processed(self, raw_id: str, processed_into: Sequence[str]) -> None:
        """Record in a raw memory what was made from it; each result must name it in its `derived_from`.

        Raises:
            RefusedError: one of them was made from something else.
        """
        view = self.vault.view()
        file = view.original(raw_id)
        raw = str(file.memory.ref)
        made = [view.find(ref) for ref in processed_into]
        for entry in made:
            if raw not in entry.derived_from:
                raise RefusedError(
                    f"{entry.ref} does not say that it was derived from {raw}", hint="derived_from says so"
                )
        after = splice.apply(file, [splice.AppendItems("processed_into", tuple(entry.ref for entry in made))])
        save(view, Edit(path=file.path, before=file, after=after), verb="promote")

    # -- 3.4 to 3.8, 2.1: beliefs, and where they come from ----------------------------------------

    def reinforce_belief(self, belief_id: str, evidence_source: str | None = None, reason: str | None = None) -> bool:
        """Record evidence for a belief; return whether anything was recorded, since the same evidence counts once.

        Raises:
            UsageError: there is no evidence; a confidence here follows from evidence, not from the number of calls.
        """
        if evidence_source is None:
            raise UsageError("the evidence is missing", hint='evidence_source="episode:…", or a mark "consolidation:…"')
        done = self.vault.beliefs.reinforce(belief_id, evidence=evidence_source, reason=reason)
        return done.saved.changed

    def revise_beliefs_from_episode(self, episode_id: str) -> dict[str, list[str]]:
        """Record an episode with the beliefs that it supports or contradicts by its text; return their ids."""
        title = self.vault.show(episode_id).entry.title[:50]
        found: dict[str, list[str]] = {"reinforced": [], "contradicted": []}
        for proposal in self.vault.beliefs.revise_from(episode_id):
            if proposal.stance is Stance.SUPPORT:
                record, where, word = self.vault.beliefs.reinforce, "reinforced", "Confirmed"
            else:
                record, where, word = self.vault.beliefs.contradict, "contradicted", "Contradicted"
            record(proposal, evidence=proposal.evidence, reason=f"{word} by episode: {title}")
            found[where].append(_id(proposal.ref))
        return found

    def supersede_belief(
        self, old_id: str, new_statement: str, confidence: float | None = None, reason: str | None = None
    ) -> str:
        """Write a belief that takes the place of another, and return its id."""
        keys = {} if confidence is None else {"confidence": confidence}
        return _id(self.vault.supersede(old_id, new_statement, reason=reason, **keys).ref)  # type: ignore[arg-type]

    def set_memory_source(
        self,
        memory_type: str,
        memory_id: str,
        source_type: str,
        source_episodes: Sequence[str] | None = None,
        derived_from: Sequence[str] | None = None,
    ) -> bool:
        """Set how a memory is known, what supports it, and what it was made from; return whether it changed."""
        keys = {"source_type": source_type, "relates_to": source_episodes, "derived_from": derived_from}
        given: dict[str, Any] = {name: value for name, value in keys.items() if value is not None}
        return self.vault.set(f"{memory_type}:{memory_id}", **given).changed

    def get_memory_lineage(self, memory_type: str, memory_id: str) -> dict[str, Any]:
        """Return where a memory comes from: what it says itself, and everything above it in its lineage."""
        ref = f"{memory_type}:{memory_id}"
        memory, trace = self.vault.get(ref), self.vault.lineage.trace(ref)
        return {
            "memory": ref, "source_type": memory.source_type, "source": memory.source,
            "derived_from": [*memory.derived_from], "source_episodes": [*memory.relates_to],
            "supersedes": [*memory.supersedes], "lineage": [node.key for node in trace.nodes if node.key != ref],
            "confidence": memory.confidence, "confidence_history": [*memory.confidence_history],
        }  # fmt: skip

    def propagate_confidence(self, memory_type: str, memory_id: str) -> dict[str, Any]:
        """Let memories that rest on a memory follow its confidence, and return the changes."""
        done = self.vault.beliefs.propagate(f"{memory_type}:{memory_id}", apply=True)
        return {"updated": [{"memory": step.ref, "old": step.old, "new": step.new} for step in done.plan.steps]}

    # -- 001: contexts and consents ----------------------------------------------------------------

    def enter_context(self, context: str, participants: Sequence[str] = (), role: str | None = None) -> None:
        """Enter a context; its registration decides who belongs to it."""
        self.vault.contexts.enter(context, participants=participants, role=role)

    def leave_context(self) -> str | None:
        """Leave the active context, and return it."""
        return self.vault.contexts.leave()

    def consent_grant(self, grantor: str, grantee: str, scope: str, reason: str | None = None) -> str:
        """Record that somebody consents, and return the consent's id."""
        given: Registered = self.vault.consents.grant(grantor, grantee, scope, reason=reason)
        return given.id

    def consent_revoke(self, consent_id: str, by: str | None = None) -> None:
        """Revoke a consent, which only its grantor can do: `by`, or else the actor."""
        self.vault.consents.revoke(consent_id, by=by)

    # -- 001: its eight tools, by name -------------------------------------------------------------

    context_enter = enter_context
    context_leave = leave_context

    def context_list(self) -> list[str]:
        """Return the ids of the registered contexts."""
        return [context.id for context in self.vault.contexts.list()]

    def memory_create_with_privacy(self, content: str, type: str = "note", **about: Unpack[Context]) -> str:  # noqa: A002 -- likewise
        """Write a memory with its subjects, grants and consents; return its id."""
        return self.note(content, type, **about)

    def memory_set_privacy(
        self, memory_id: str, access_grants: Sequence[str] | None = None, consent_grants: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Set to whom a memory is granted, with those who consent; return to whom it is granted now.

        Args:
            memory_id: the memory.
            access_grants: all of them: every other grant is revoked; `[]` leaves nobody. None keeps those it has.
            consent_grants: who is said to consent; recorded for each of them.
        """
        view = self.vault.view()
        to = view.original(memory_id).memory.access_grants if access_grants is None else access_grants
        return set_access(view, memory_id, to, consent_grants).grants

    def privacy_audit(
        self, subject: str | None = None, entity: str | None = None, memory_id: str | None = None
    ) -> dict[str, list[str]]:
        """Return who sees the memories about a subject, those that an entity sees, or one memory."""
        if sum(named is not None for named in (subject, entity, memory_id)) != 1:
            raise UsageError("say what to look at: subject, entity or memory_id")
        found = self.vault.access.audit(subject=subject, entity=entity, memory=memory_id)
        return {one.ref or one.path: [seer.entity for seer in one.seen_by] for one in found}

    # -- 001: generalization, and other people's stacks --------------------------------------------

    def check_generalization_safety(
        self, source_memory: Named, generalized_text: str, proposed_access: Sequence[str] = ()
    ) -> SimpleNamespace:
        """Return whether a text may be shown where its source may not: `safe`, `warnings`, `blocked_reason`.

        Without proposed access nobody learns of it, so it is safe.
        """
        found = GeneralizationVerdict()
        if proposed_access:
            found = check_generalization(self.vault.view(), [ref_of(source_memory)], generalized_text).verdict
        return SimpleNamespace(safe=found.safe, warnings=[*found.warnings], blocked_reason=found.blocked_reason)

    def generalize(
        self, source: Named, belief: str, access_grants: Sequence[str], confidence_note: str | None = None
    ) -> str:
        """Form general knowledge from a private memory, share it, and return its id.

        Raises:
            RefusedError: the text gives away whom the source is about, or may do so; or the source is somebody else's.
            UsageError: nobody is named who may see it.
        """
        done = generalize(self.vault.view(), [ref_of(source)], belief, access=access_grants, note=confidence_note)
        return _id(done.saved.ref)

    def load_shared_stack(
        self, stack_id: str | Path, requesting_si: str, access_grants: Sequence[str] = ()
    ) -> list[Entry]:
        """Return what an entity sees of a shared stack, or of another vault by that vault's own rules.

        Args:
            stack_id: the name of a stack that is loaded beside this vault or was shared from it, or a folder.
            requesting_si: who looks.
            access_grants: if given, only memories granted to one of these, to the entity or to everybody.
        """
        from memstore.face.vault import open_vault

        asked = {EVERYBODY, requesting_si, *access_grants}
        folder = folder_named(self.vault.view(), str(stack_id).removeprefix("stack:")) or stack_id
        with open_vault(folder, entity=requesting_si) as stack:
            entries = [*stack.list()]
        return entries if not access_grants else [one for one in entries if asked & {*one.access_grants}]


def resolve_raw_id(k: Kernle, partial: str) -> str:
    """Return the whole id of a raw memory from a prefix of it."""
    return k.vault.view().find(partial).id


def _id(ref: str | None) -> str:
    """Return a memory's bare id, as the documents name memories."""
    return (ref or "").partition(":")[2] if MemoryRef.parse(ref or "") else ref or ""


def _present_arguments(about: Any) -> Any:
    """Return the given arguments without those that were left out."""
    return {name: value for name, value in about.items() if value is not None}
