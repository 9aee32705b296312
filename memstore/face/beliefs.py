"""`vault.beliefs` and `vault.conflicts`: evidence and its consequences, and memories that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import brief

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memstore.beliefs.calibration import Calibration
    from memstore.beliefs.compress import Compressed
    from memstore.beliefs.consolidate import Consolidated
    from memstore.beliefs.graduate import Graduated
    from memstore.beliefs.propagation import Propagated
    from memstore.beliefs.quarantine import Quarantined
    from memstore.beliefs.recompute import Rebuilt, Recomputed
    from memstore.beliefs.reinforce import Reinforced
    from memstore.beliefs.revise import Proposal
    from memstore.beliefs.wording import Synthesizer
    from memstore.conflicts.duplicates import Duplicates
    from memstore.conflicts.resolve import Resolved
    from memstore.core.change import Saved
    from memstore.core.conflict import Conflict
    from memstore.core.view import View
    from memstore.face.given import Named, Names, Which
    from memstore.memories.promote import Linked
    from memstore.memories.suggestions import Waiting


@brief
class VaultBeliefs:
    """How sure a memory's holder is, and why: `vault.beliefs.reinforce(belief, evidence=note)`.

    `reinforce`, `contradict`, `fold`; `split`, `merge`; `revise_from`, `propagate`, `recompute`, `rebuild`,
    `calibrate`; `consolidate`, `suggestions`, `accept`, `reject`; `quarantine`, `lift`; `graduate`, `compress`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    # -- evidence ----------------------------------------------------------------------------------

    def reinforce(
        self,
        memory: Named,
        *,
        evidence: Names,
        partial: bool = False,
        reason: str | None = None,
        **saving: Unpack[Saving],
    ) -> Reinforced:
        """Record evidence for a memory that has a confidence; the same evidence never counts twice.

        Args:
            memory: the memory.
            evidence: one memory or several; or marks like "consolidation:2026-02-01", which have no weight.
            partial: whether the evidence supports the memory only in part.
            reason: why it is evidence.
            saving: dry_run, commit.

        Raises:
            RefusedError: the evidence is the memory itself, or was made from it.
            UsageError: the memory has no confidence.
        """
        from memstore.beliefs.reinforce import reinforce

        given.only(saving, Saving, "reinforce")
        found = given.refs_of(evidence)
        return reinforce(self._view(), given.ref_of(memory), found, partial=partial, reason=reason, **saving)

    def contradict(
        self,
        memory: Named,
        *,
        evidence: Names,
        partial: bool = False,
        reason: str | None = None,
        **saving: Unpack[Saving],
    ) -> Reinforced:
        """Record evidence against a memory; arguments and errors as for `reinforce`."""
        from memstore.beliefs.reinforce import contradict

        given.only(saving, Saving, "contradict")
        found = given.refs_of(evidence)
        return contradict(self._view(), given.ref_of(memory), found, partial=partial, reason=reason, **saving)

    def fold(self, memory: Named, **saving: Unpack[Saving]) -> Saved:
        """Replace a long history with one line: the confidence, its evidence, and what never counts again."""
        from memstore.beliefs.recompute import fold

        given.only(saving, Saving, "fold")
        return fold(self._view(), given.ref_of(memory), **saving)

    # -- two of one, one of two --------------------------------------------------------------------

    def split(
        self,
        memory: Named,
        texts: tuple[str, str],
        *,
        first: Names = (),
        second: Names = (),
        reason: str | None = None,
        **saving: Unpack[Saving],
    ) -> Linked:
        """Write two memories that take the place of one; `first` and `second` are the evidence for each."""
        from memstore.memories.split import split

        given.only(saving, Saving, "split")
        one, two = given.items("texts", texts)
        parts = {"first": given.refs_of(first), "second": given.refs_of(second)}
        return split(self._view(), given.ref_of(memory), (one, two), reason=reason, **parts, **saving)

    def merge(self, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> Linked:
        """Let the first of several memories take the place of the others, along with their evidence and lineage."""
        from memstore.memories.split import merge

        given.only(saving, Saving, "merge")
        return merge(self._view(), given.refs_of(memories), reason=reason, **saving)

    # -- consequences ------------------------------------------------------------------------------

    def revise_from(self, memory: Named) -> tuple[Proposal, ...]:
        """Return the beliefs that an episode's text supports or contradicts; nothing is written."""
        from memstore.beliefs.revise import revise_from

        return revise_from(self._view(), given.ref_of(memory))

    def propagate(
        self, memory: Named | None = None, *, depth: int | None = None, apply: bool = False, **saving: Unpack[Saving]
    ) -> Propagated:
        """Return how the confidence of sources affects the memories that rest on them; write it only with `apply`."""
        from memstore.beliefs.propagation import propagate

        given.only(saving, Saving, "propagate")
        ref = None if memory is None else given.ref_of(memory)
        return propagate(self._view(), ref, depth=given.most("depth", depth, least=1), apply=apply, **saving)

    def recompute(self, memories: Names = (), *, check: bool = False, **saving: Unpack[Saving]) -> Recomputed:
        """Store the confidence that each history yields, for these memories or all; with `check` only compare."""
        from memstore.beliefs.recompute import check_confidences, recompute

        given.only(saving, Saving, "recompute")
        refs = given.refs_of(memories)
        return check_confidences(self._view(), refs) if check else recompute(self._view(), refs, **saving)

    def rebuild(self) -> Rebuilt:
        """Return what the confidences would be if all evidence were weighed again now; nothing is written."""
        from memstore.beliefs.recompute import rebuild_from_episodes

        return rebuild_from_episodes(self._view())

    def calibrate(self) -> Calibration:
        """Return how well confidences predicted the evidence that came next."""
        from memstore.beliefs.calibration import calibrate

        return calibrate(self._view())

    # -- consolidation -----------------------------------------------------------------------------

    def consolidate(
        self,
        *,
        apply: bool = False,
        apply_safe: bool = False,
        if_due: bool = False,
        branch: str | None = None,
        as_of: datetime | None = None,
        synthesizer: Synthesizer | None = None,
        commit: bool = False,
    ) -> Consolidated:
        """Suggest beliefs, and evidence for and against beliefs, from what happened repeatedly.

        Args:
            apply: write the suggestions, to be accepted or rejected.
            apply_safe: make the changes that need no judgement.
            if_due: run only if enough memories were added since the last run.
            branch: commit the suggestions to this branch.
            as_of: consolidate the memories that existed at this time, UTC.
            synthesizer: words the suggestions: an object with `synthesize`; None quotes.
            commit: commit what is written.
        """
        from memstore.beliefs.consolidate import consolidate

        return consolidate(
            self._view(),
            apply=apply,
            apply_safe=apply_safe,
            if_due=if_due,
            branch=branch,
            as_of=as_of,
            synthesizer=synthesizer,
            commit=commit,
        )

    def suggestions(self) -> tuple[Waiting, ...]:
        """Return the suggestions that wait for a decision, oldest first."""
        from memstore.memories.suggestions import list_suggestions

        return list_suggestions(self._view())

    def accept(self, suggestion: Named, **saving: Unpack[Saving]) -> Linked:
        """Carry out a suggestion: write the belief, or record the evidence."""
        from memstore.memories.suggestions import accept_suggestion

        given.only(saving, Saving, "accept")
        return accept_suggestion(self._view(), given.ref_of(suggestion), **saving)

    def reject(self, suggestion: Named, *, reason: str | None = None, **saving: Unpack[Saving]) -> Saved:
        """Reject a suggestion; it is not suggested again until three more memories support it."""
        from memstore.memories.suggestions import reject_suggestion

        given.only(saving, Saving, "reject")
        return reject_suggestion(self._view(), given.ref_of(suggestion), reason=reason, **saving)

    def quarantine(self, name: Named, *, reason: str | None = None, **saving: Unpack[Saving]) -> Quarantined:
        """Take memories of one's own, and all that was derived from them, out of recall and confidence.

        Args:
            name: a memory; an entity that wrote or told it; its source, like a URL; or `imports/…`.
            reason: why; it is kept in each file.
            saving: `dry_run` and `commit`.
        """
        from memstore.beliefs.quarantine import quarantine

        given.only(saving, Saving, "quarantine")
        return quarantine(self._view(), given.ref_of(name), reason=reason, **saving)

    def lift(self, name: Named, **saving: Unpack[Saving]) -> Quarantined:
        """Bring back what was quarantined under a name."""
        from memstore.beliefs.quarantine import lift

        given.only(saving, Saving, "lift")
        return lift(self._view(), given.ref_of(name), **saving)

    def graduate(self, **saving: Unpack[Saving]) -> tuple[Graduated, ...]:
        """Write memories that qualify into the MEMORY.md of their scope, at most ten memories a run."""
        from memstore.beliefs.graduate import graduate

        given.only(saving, Saving, "graduate")
        return graduate(self._view(), **saving)

    def compress(self, memories: Names = (), **saving: Unpack[Saving]) -> Compressed:
        """Replace texts that are old and were never used with summaries; the history keeps the full texts."""
        from memstore.beliefs.compress import compress

        given.only(saving, Saving, "compress")
        return compress(self._view(), given.refs_of(memories), **saving)


@brief
class VaultConflicts:
    """Memories that can't both be right: `vault.conflicts.of(note)`, `vault.conflicts.resolve(one, other, keep=one)`.

    `open`, `of`, `resolve`, `duplicates`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def open(self, **which: Unpack[Which]) -> tuple[Conflict, ...]:
        """Return the open conflicts of memories, by default of all active ones, gravest first; each pair once."""
        from memstore.conflicts.compare import conflicts

        given.only(which, given.Which, "open")
        view = self._view()
        return conflicts(view, filters=given.filters_of(which, now=view.clock.now()))

    def of(self, memory: Named) -> tuple[Conflict, ...]:
        """Return the open conflicts of a memory, which comes first in each."""
        from memstore.conflicts.compare import conflicts

        return conflicts(self._view(), given.ref_of(memory))

    def resolve(
        self,
        memory: Named,
        other: Named,
        *,
        keep: Named,
        decision: str | None = None,
        reason: str | None = None,
        **saving: Unpack[Saving],
    ) -> Resolved:
        """Record in both memories how their conflict was decided, and carry the decision out.

        Args:
            memory: one of the two memories.
            other: the other.
            keep: which of them holds; or "both".
            decision: the kind of decision; None derives it from the kind of conflict.
            reason: why.
            saving: dry_run, commit.
        """
        from memstore.conflicts.resolve import resolve_conflict

        given.only(saving, Saving, "resolve")
        names = given.ref_of(memory), given.ref_of(other)
        kept = given.ref_of(keep)
        return resolve_conflict(self._view(), *names, keep=kept, decision=decision, reason=reason, **saving)

    def duplicates(self, **which: Unpack[Which]) -> tuple[Duplicates, ...]:
        """Return groups of active memories that say nearly the same, most alike first."""
        from memstore.conflicts.duplicates import dedupe

        given.only(which, given.Which, "duplicates")
        view = self._view()
        return dedupe(view, given.filters_of(which, now=view.clock.now()))
