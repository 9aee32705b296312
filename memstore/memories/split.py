"""Split a memory that says two things, and merge several that say the same.

In a split, each piece of evidence goes to one of the two; in a merge, evidence is united by its sources, and never
added up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from memstore.access import grants
from memstore.access.report import shows_more
from memstore.beliefs import next_lines
from memstore.beliefs.archive import reasons
from memstore.beliefs.next_lines import replayed
from memstore.core.change import Edit
from memstore.core.errors import RefusedError, UsageError
from memstore.core.keys import EXTERNAL
from memstore.core.named import refs_of
from memstore.core.titles import title_of
from memstore.core.transaction import Saving, again_where_changed, refuse_as_not_owner, save_all
from memstore.files import splice
from memstore.files.memory_file import MemoryFile, read
from memstore.files.render import entry_of
from memstore.lineage.refs import whole_refs
from memstore.memories.add import new_memory
from memstore.memories.promote import Linked, ref_of_new, supersedable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.memory import LedgerLine, Memory
    from memstore.core.named import Named, Names
    from memstore.core.view import View


_EVEN = 0.5


@again_where_changed
def split(
    view: View,
    memory: Named,
    texts: tuple[str, str],
    *,
    first: Names = (),
    second: Names = (),
    reason: str | None = None,
    **saving: Unpack[Saving],
) -> Linked:
    """Write two memories that take the place of one; the old one keeps its confidence and names both.

    Each keeps what the old one stated, and gets the evidence that is given to it. Partial evidence for the old one
    counts half for each, unless it is given to one of them.

    >>> held = belief(ws.view(), "Bella limps on stairs and in the cold.")
    >>> seen = episode(ws.view(), "The stairs", "she limped again")
    >>> reinforce(ws.view(), held.ref, seen.ref).new
    0.8248
    >>> done = split(ws.view(), held.ref, ("Stairs make Bella limp.", "Cold makes Bella limp."), first=[seen.ref])
    >>> [show_memory(ws.view(), one.ref).memory.confidence for one in (done.saved, done.others[0])]
    [0.8248, 0.8]

    Args:
        view: the vault.
        memory: the memory.
        texts: the texts of the two new memories.
        first: the evidence for the first.
        second: the evidence for the second.
        reason: why; it goes into the old memory's `status_reason`, and into the commit message.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory, or no such evidence.
        RefusedError: it is somebody else's, is already superseded, or was forgotten.
        UsageError: a piece of evidence is given to neither or both, or is not evidence for it.
    """
    file = view.original(memory)
    if not view.owns(file.memory):  # before its evidence is named, which not everybody who sees the memory may see
        refuse_as_not_owner(view, file)
    old = supersedable(view, file)
    ledger = next_lines.whole(file.memory, view.clock.now(), view.actor)
    given = [_named(view, file, ledger, refs) for refs in (first, second)]
    shares = _shares(ledger, *given)
    parts = [next_lines.part(ledger, share, of=old, by=view.actor) for share in shares]
    # Each of the two rests on every source except those that belong to the other alone.
    others = [{source for source, share in shares[1 - i].items() if share == 1} for i in range(2)]
    new = [
        new_memory(view, _values(file, old, lines, other), text)
        for lines, other, text in zip(parts, others, texts, strict=True)
    ]
    heirs: list[Any] = [ref_of_new(edit) for edit in new]
    links = [splice.SetValue("superseded_by", heirs), splice.SetValue("status", "superseded"), *reasons(reason)]
    edits = [*new, Edit(path=file.path, before=file, after=splice.apply(file, links))]
    saved = save_all(view, edits, verb="split", message=reason, **saving)
    return Linked(saved=saved[0], others=saved[1:])


def _values(file: MemoryFile, old: str, lines: Sequence[LedgerLine], others: set[str]) -> dict[str, Any]:
    """Return the keys of one of the two memories."""
    held = {"confidence": replayed(lines), "confidence_history": [entry_of(line) for line in lines]} if lines else {}
    return {
        **grants.superseding(file.front.values, {}),
        **held,
        "type": file.memory.type,
        "source_type": "inference",
        "derived_from": [old],
        "relates_to": [ref for ref in file.memory.relates_to if ref not in others],
        "supersedes": old,
    }


# -- which evidence goes where -------------------------------------------------------------------


def _named(view: View, file: MemoryFile, ledger: Sequence[LedgerLine], refs: Names) -> frozenset[str]:
    """Return the sources that refs name; they must be evidence for the memory."""
    known = next_lines.standing(ledger)
    found = {text if text in known else view.find(text).ref or text for text in refs_of(refs)}
    strange = sorted(found - known.keys())
    if strange:
        listed = ", ".join(known) or "it has none"
        raise UsageError(f"{strange[0]} is not evidence for {file.memory.ref}", hint=f"its evidence: {listed}")
    return frozenset(found)


def _shares(
    ledger: Sequence[LedgerLine], first: frozenset[str], second: frozenset[str]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return how much of each source goes to either side."""
    if first & second:
        raise UsageError(
            f"{min(first & second)} is given to both", hint="give each piece of evidence to one of the two"
        )
    known = next_lines.standing(ledger)
    halved = {source for source, said in known.items() if said[0].op == "partial" or not said[0].evidence_source}
    lacking = sorted(known.keys() - first - second - halved)
    if lacking:
        raise UsageError(
            f"this evidence is given to neither of the two: {', '.join(lacking)}",
            hint="name with --first REF… and --second REF… what goes to each",
        )
    sides = [{**dict.fromkeys(halved - first - second, _EVEN), **dict.fromkeys(side, 1.0)} for side in (first, second)]
    return sides[0], sides[1]


# -- merge -----------------------------------------------------------------------------------------


FEWEST = 2
# The merged memory has the items of both.
_UNITED = ("tags", "relates_to", "context_tags", "entities", "subject_ids", "access_denies")


@again_where_changed
def merge(view: View, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> Linked:
    """Let the first of several memories take the place of the others, with their evidence and lineage.

    It keeps its text and id; the titles of the others become its aliases. It is visible only to those who saw all of
    them.

    >>> one = belief(ws.view(), "Bella eats at nine.", confidence=0.7)
    >>> two = belief(ws.view(), "At nine Bella has breakfast.", confidence=0.9)
    >>> done = merge(ws.view(), [one.ref, two.ref])
    >>> kept = show_memory(ws.view(), one.ref).memory
    >>> kept.confidence, kept.supersedes == (two.ref,), kept.aliases
    (0.7, True, ('At nine Bella has breakfast.',))

    Args:
        view: the vault.
        memories: the memories, two or more; the first one stays.
        reason: why; it goes into the superseded memories' `status_reason`, and into the commit message.
        saving: dry_run, commit.

    Raises:
        NotFoundError: a ref names no memory.
        RefusedError: one is already superseded or was forgotten, or they have different owners, scopes or contexts.
        UsageError: there are fewer than two.
    """
    files = list({file.path: file for file in (view.original(ref) for ref in refs_of(memories))}.values())
    if len(files) < FEWEST:
        raise UsageError("it takes at least two memories to merge", hint="memstore conflicts merge KEPT OTHER…")
    names = [supersedable(view, file) for file in files]
    kept, others = files[0], files[1:]
    for other in others:
        _refuse_strangers(kept.memory, other.memory)
    sources = [ref for other in others for ref in other.memory.derived_from if ref not in names]
    whole_refs(view, {"derived_from": [*sources]}, of=kept.path)  # raises if that would close a cycle
    after = splice.apply(kept, [*_union_edits(view, kept, others), splice.AppendItems("derived_from", tuple(sources))])
    _refuse_to_show(view, after, files)
    links = [splice.SetValue("superseded_by", names[0]), splice.SetValue("status", "superseded"), *reasons(reason)]
    edits = [Edit(path=kept.path, before=kept, after=after)]
    edits += [Edit(path=file.path, before=file, after=splice.apply(file, links)) for file in others]
    saved = save_all(view, edits, verb="merge", message=reason, **saving)
    return Linked(saved=saved[0], others=saved[1:])


def _refuse_strangers(kept: Memory, other: Memory) -> None:
    """Raise if the merged memory would be shown where one of them is not, or mix external text with one's own."""
    if (kept.source_type == EXTERNAL) != (other.source_type == EXTERNAL):
        outside = kept if kept.source_type == EXTERNAL else other
        raise RefusedError(
            f"{outside.ref} is what somebody else wrote, so it can't become one with your own",
            hint=f"memstore conflicts {outside.ref}, or memstore archive {outside.ref}",
        )
    for name in ("owner", "scope", "context", "upstream_grants", "generalized"):
        mine, others = getattr(kept, name), getattr(other, name)
        if mine != others:
            raise RefusedError(
                f"{kept.ref} and {other.ref} differ in `{name}`, so one memory can't stand for both",
                hint=f"memstore set {other.ref} {name}=… first, if it is meant to be the same",
            )


def _refuse_to_show(view: View, after: bytes, files: Sequence[MemoryFile]) -> None:
    """Raise if the merged memory would be visible to somebody who does not see each of them.

    Its grants are those that all have in common; but a consent may apply to only one of them.
    """
    kept = read(files[0].path, after)
    if isinstance(kept, MemoryFile) and shows_more(view, kept.memory, [file.memory for file in files]):
        raise RefusedError(
            "somebody who sees only one of them would see the merged memory",
            hint=f"memstore privacy audit --id {files[0].memory.ref} shows who sees it; "
            "give all of them the same grants and consents first",
        )


def _union_edits(view: View, kept: MemoryFile, others: Sequence[MemoryFile]) -> Iterator[splice.Edit]:
    """Yield the edits of the memory that stays."""
    memory = kept.memory
    superseded: list[Any] = [*memory.supersedes, *(str(other.memory.ref) for other in others)]
    yield splice.SetValue("supersedes", superseded if len(superseded) > 1 else superseded[0])
    titles = [title_of(other.memory) for other in others if title_of(other.memory) != title_of(memory)]
    yield splice.AppendItems("aliases", (*titles, *(alias for other in others for alias in other.memory.aliases)))
    for name in _UNITED:
        yield splice.AppendItems(name, tuple(item for other in others for item in getattr(other.memory, name)))
    # Whoever told one of them in confidence must also consent for the merged one, since it has the others' titles.
    told_by = (name for other in others for name in (other.memory.source_entity, *other.memory.source_chain) if name)
    yield splice.AppendItems("source_chain", tuple(name for name in told_by if name != memory.source_entity))
    for name in ("access_grants", "consent_grants"):
        mine: Sequence[str] = getattr(memory, name)
        common = grants.in_common([mine, *(getattr(other.memory, name) for other in others)])
        yield splice.RemoveItems(name, tuple(item for item in mine if item not in common))
        yield splice.AppendItems(name, tuple(common))
    yield from _ledger(view, memory, [other.memory for other in others])


def _ledger(view: View, memory: Memory, others: Sequence[Memory]) -> Iterator[splice.Edit]:
    """Yield the lines that the ledger gains, and the confidence that follows from them."""
    from dataclasses import replace

    merged = memory
    for other in others:
        lines = next_lines.joined(merged, other, now=view.clock.now(), by=view.actor)
        merged = replace(merged, confidence_history=(*merged.confidence_history, *lines))
        if lines:
            merged = replace(merged, confidence=replayed(merged.confidence_history))
    added = merged.confidence_history[len(memory.confidence_history) :]
    if added:
        yield splice.SetValue("confidence", merged.confidence)
        yield from (splice.AppendEntry("confidence_history", entry_of(line)) for line in added)
