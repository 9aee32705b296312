"""Make one memory of several that say the same: evidence is united by its sources, and never added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.codec import splice
from memstore.codec.ledger import entry_of
from memstore.codec.memory_file import MemoryFile, read
from memstore.codec.titles import title_of
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import RefusedError, UsageError
from memstore.flows.archive import reasons
from memstore.flows.named_refs import whole_refs
from memstore.flows.promote import Linked
from memstore.flows.save import save_all
from memstore.flows.supersede import supersedable
from memstore.flows.who_sees import shows_more
from memstore.rules import inheritance, rearranging
from memstore.rules.beliefs import replayed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.view import View
    from memstore.model.memory import Memory

FEWEST = 2
# What both say is said by what becomes of them.
_UNITED = ("tags", "relates_to", "context_tags", "entities", "subject_ids", "access_denies")


@again_where_changed
def merge(
    view: View, refs: Sequence[str], *, reason: str | None = None, dry_run: bool = False, commit: bool = False
) -> Linked:
    """Let the first of several memories take the place of the others, with their evidence and lineage.

    It keeps its words and id; the titles of the others become its aliases. Nobody sees it who did not see all of them.

    >>> one = belief(ws.view(), "Bella eats at nine.", confidence=0.7)
    >>> two = belief(ws.view(), "At nine Bella has breakfast.", confidence=0.9)
    >>> done = merge(ws.view(), [one.ref, two.ref])
    >>> kept = show_memory(ws.view(), one.ref).memory
    >>> kept.confidence, kept.supersedes == (two.ref,), kept.aliases
    (0.7, True, ('At nine Bella has breakfast.',))

    Args:
        view: the vault.
        refs: the memories, two or more; the first one stays.
        reason: why; what is superseded keeps it in `status_reason`, and the commit's message says it, too.
        dry_run: write nothing, and return what would be.
        commit: commit all of them, too.

    Raises:
        NotFoundError: a ref names no memory.
        RefusedError: one is superseded already or was forgotten, or they are of different owners, scopes or contexts.
        UsageError: there are fewer than two.
    """
    files = list({file.path: file for file in (view.original(ref) for ref in refs)}.values())
    if len(files) < FEWEST:
        raise UsageError("two memories or more become one", hint="memstore merge KEPT OTHER…")
    names = [supersedable(view, file) for file in files]
    kept, others = files[0], files[1:]
    for other in others:
        _refuse_strangers(kept.memory, other.memory)
    sources = [ref for other in others for ref in other.memory.derived_from if ref not in names]
    whole_refs(view, {"derived_from": [*sources]}, of=kept.path)  # stops where that would close a circle
    after = splice.apply(kept, [*_united(view, kept, others), splice.AppendItems("derived_from", tuple(sources))])
    _refuse_to_show(view, after, files)
    links = [splice.SetValue("superseded_by", names[0]), splice.SetValue("status", "superseded"), *reasons(reason)]
    edits = [Edit(path=kept.path, before=kept, after=after)]
    edits += [Edit(path=file.path, before=file, after=splice.apply(file, links)) for file in others]
    saved = save_all(view, edits, verb="merge", dry_run=dry_run, commit=commit, message=reason)
    return Linked(saved=saved[0], others=saved[1:])


def _refuse_strangers(kept: Memory, other: Memory) -> None:
    """Stop where one memory of both would be shown where one of them is not."""
    for name in ("owner", "scope", "context", "upstream_grants", "generalized"):
        mine, others = getattr(kept, name), getattr(other, name)
        if mine != others:
            raise RefusedError(
                f"{kept.ref} and {other.ref} differ in `{name}`, so that one memory can't stand for both",
                hint=f"memstore set {other.ref} {name}=… first, if it is meant to be the same",
            )


def _refuse_to_show(view: View, after: bytes, files: Sequence[MemoryFile]) -> None:
    """Stop where somebody would see what becomes of several memories who does not see each of them.

    Grants are those that all have in common; but a consent may be for one of them alone.
    """
    kept = read(files[0].path, after)
    if isinstance(kept, MemoryFile) and shows_more(view, kept.memory, [file.memory for file in files]):
        raise RefusedError(
            "somebody sees one of them and not the other, and would see what becomes of both",
            hint=f"memstore privacy audit --id {files[0].memory.ref} shows who sees it; "
            "give all of them the same grants and consents first",
        )


def _united(view: View, kept: MemoryFile, others: Sequence[MemoryFile]) -> Iterator[splice.Edit]:
    """Yield what becomes of the memory that stays."""
    memory = kept.memory
    superseded: list[Any] = [*memory.supersedes, *(str(other.memory.ref) for other in others)]
    yield splice.SetValue("supersedes", superseded if len(superseded) > 1 else superseded[0])
    titles = [title_of(other.memory) for other in others if title_of(other.memory) != title_of(memory)]
    yield splice.AppendItems("aliases", (*titles, *(alias for other in others for alias in other.memory.aliases)))
    for name in _UNITED:
        yield splice.AppendItems(name, tuple(item for other in others for item in getattr(other.memory, name)))
    # Whoever told one of them in confidence is asked about the one that stays, too: it has the others' titles.
    told_by = (name for other in others for name in (other.memory.source_entity, *other.memory.source_chain) if name)
    yield splice.AppendItems("source_chain", tuple(name for name in told_by if name != memory.source_entity))
    for name in ("access_grants", "consent_grants"):
        mine: Sequence[str] = getattr(memory, name)
        common = inheritance.in_common([mine, *(getattr(other.memory, name) for other in others)])
        yield splice.RemoveItems(name, tuple(item for item in mine if item not in common))
        yield splice.AppendItems(name, tuple(common))
    yield from _ledger(view, memory, [other.memory for other in others])


def _ledger(view: View, memory: Memory, others: Sequence[Memory]) -> Iterator[splice.Edit]:
    """Yield the lines that the ledger gains, and the number that follows from them."""
    from dataclasses import replace

    merged = memory
    for other in others:
        lines = rearranging.joined(merged, other, now=view.clock.now(), by=view.actor)
        merged = replace(merged, confidence_history=(*merged.confidence_history, *lines))
        if lines:
            merged = replace(merged, confidence=replayed(merged.confidence_history))
    added = merged.confidence_history[len(memory.confidence_history) :]
    if added:
        yield splice.SetValue("confidence", merged.confidence)
        yield from (splice.AppendEntry("confidence_history", entry_of(line)) for line in added)
