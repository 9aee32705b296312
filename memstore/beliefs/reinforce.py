"""Record evidence for or against a memory; its confidence follows from the ledger alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.beliefs.evidence import Evidence, as_evidence, hearsay, mark_as_evidence, rests_on
from memstore.beliefs.next_lines import Stance, held, weigh
from memstore.core.change import Edit, SavedOne
from memstore.core.errors import NoIdError, RefusedError, UsageError
from memstore.core.keys import QUARANTINED
from memstore.core.named import refs_of
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, save
from memstore.files import splice
from memstore.files.render import entry_of
from memstore.lineage.refs import entries, loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memstore.beliefs.next_lines import Weighed
    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.named import Named, Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced(SavedOne):
    """The effect of evidence: the confidence before and after, in [0, 1], and the evidence counted before."""

    old: float
    new: float
    counted_before: tuple[str, ...]

    __repr__ = short_repr


@again_where_changed
def reinforce(
    view: View,
    memory: Named,
    evidence: Names,
    *,
    partial: bool = False,
    reason: str | None = None,
    **saving: Unpack[Saving],
) -> Reinforced:
    """Record evidence for a memory.

    >>> held = belief(ws.view(), "Truth is rarely binary.", confidence=0.85)
    >>> seen = episode(ws.view(), "Two witnesses", "both were right", lessons=["ask twice"])
    >>> reinforce(ws.view(), held.ref, seen.ref).new
    0.8686

    Args:
        view: the vault.
        memory: a memory that has a confidence; a belief always has one.
        evidence: refs of memories, or marks `consolidation:YYYY-MM-DD`, which have no weight themselves.
        partial: whether it supports the memory only in part.
        reason: why it does.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory, or no such evidence.
        RefusedError: the evidence is the memory itself, or was derived from it.
        UsageError: the memory has no confidence.
    """
    stance = Stance.PARTIAL if partial else Stance.SUPPORT
    return _record(view, memory, evidence, stance, reason=reason, **saving)


@again_where_changed
def contradict(
    view: View,
    memory: Named,
    evidence: Names,
    *,
    partial: bool = False,
    reason: str | None = None,
    **saving: Unpack[Saving],
) -> Reinforced:
    """Record evidence against a memory; arguments and errors are those of `reinforce`."""
    stance = Stance.PARTIAL if partial else Stance.CONTRADICT
    return _record(view, memory, evidence, stance, reason=reason, **saving)


def _record(
    view: View, memory: Named, named: Names, stance: Stance, *, reason: str | None, **saving: Unpack[Saving]
) -> Reinforced:
    file = view.original(memory, by_name=True)
    _must_have_confidence(file)
    evidence = evidence_for(view, file, refs_of(named))
    weighed = weigh(file.memory, evidence, stance, now=view.clock.now(), by=view.actor, reason=reason)
    edit = edit_of_evidence(file, evidence, stance, weighed)
    verb = "contradict" if stance is Stance.CONTRADICT else "reinforce"
    saved = save(view, edit, verb=verb, **saving)
    return Reinforced(saved=saved, old=weighed.old, new=weighed.new, counted_before=weighed.counted_before)


def edit_of_evidence(file: MemoryFile, evidence: Sequence[Evidence], stance: Stance, weighed: Weighed) -> Edit:
    """Return the edit that adds weighed evidence to a memory."""
    if not weighed.lines:
        return Edit(path=file.path, before=file, after=file.data)
    return with_lines(file, weighed.new, weighed.lines, *_related(evidence, stance, weighed.counted_before))


def _must_have_confidence(file: MemoryFile) -> None:
    memory = file.memory
    name = str(memory.ref) if memory.ref else file.path
    if memory.status == "forgotten":
        raise RefusedError(f"{name} was forgotten: nothing is left to believe")
    if held(memory) is None:
        raise UsageError(f"{name} has no confidence to change", hint=f"memstore set {name} confidence=0.7 states one")


def _related(evidence: Sequence[Evidence], stance: Stance, counted: Sequence[str]) -> list[splice.Edit]:
    """Return the edit that adds new episodes to `relates_to`, unless they contradict the memory."""
    episodes = tuple(one.source for one in evidence if one.source.startswith("episode:") and one.source not in counted)
    return [splice.AppendItems("relates_to", episodes)] if episodes and stance is not Stance.CONTRADICT else []


# -- the evidence --------------------------------------------------------------------------------


def evidence_for(view: View, file: MemoryFile, texts: Sequence[str]) -> list[Evidence]:
    """Return the evidence that texts name for or against a memory, without duplicates.

    Raises:
        NotFoundError: there is no such evidence.
        RefusedError: it is the memory itself, or was derived from it.
        UsageError: no evidence is named, or it has no id.
    """
    if not texts:
        raise UsageError("there is no evidence", hint="--evidence REF")
    load = loader(view)
    found = [mark_as_evidence(text) or _witness(view, file, text, load) for text in texts]
    return list({one.source: one for one in found}.values())


def _witness(view: View, file: MemoryFile, text: str, load: Callable[[str], Memory | None]) -> Evidence:
    entry = view.named(text)
    if entry.ref is None:
        raise NoIdError(entry.path)
    if entry.path == file.path:
        raise RefusedError(f"{entry.ref} is not evidence for itself", hint="name the memory that it rests on")
    memory = load(entry.ref)
    if memory is None or memory.status == "draft":
        what = "was forgotten" if memory is None else "is a suggestion, not yet a memory"
        raise RefusedError(f"{entry.ref} {what}, so it is not evidence", hint="name what it was derived from")
    if file.memory.ref is not None and rests_on(memory, str(file.memory.ref), load):
        raise RefusedError(
            f"{entry.ref} rests on {file.memory.ref} itself, so it says nothing new about it",
            hint="name evidence that does not depend on it",
        )
    if doubtful := hearsay(memory, load, view.is_vouched):
        raise no_evidence(view, memory, doubtful)
    return as_evidence(memory, load)


def no_evidence(view: View, memory: Memory, doubtful: Sequence[str]) -> RefusedError:
    """Return the error for a memory that can't be evidence, as hearsay or derived from it: `doubtful`."""
    ref, first = str(memory.ref), doubtful[0]
    so = "" if first == ref else f" was derived from {first}, which"
    if any(entry.status == QUARANTINED for entry in entries(view, [first])):
        return RefusedError(f"{ref}{so} is quarantined, so it is not evidence", hint=f"memstore show {first}")
    return RefusedError(
        f"{ref}{so} is external, and nobody vouches for it, so it is not evidence",
        hint=f"memstore trust witness {first} --attest confirm vouches for it, once you have checked it",
    )


# -- the lines that a ledger gains -----------------------------------------------------------------


def with_lines(file: MemoryFile, number: float, lines: Iterable[LedgerLine], *more: splice.Edit) -> Edit:
    """Return the edit that adds lines to a memory's ledger, and sets its confidence, in [0, 1], and other changes."""
    added = [splice.AppendEntry("confidence_history", entry_of(line)) for line in lines]
    after = splice.apply(file, [splice.SetValue("confidence", number), *added, *more])
    return Edit(path=file.path, before=file, after=after)
