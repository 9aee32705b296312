"""Carry a change of confidence on to all that rests on it: a plan first, and lines in ledgers only when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.core.again import again_where_changed
from memstore.errors import UsageError
from memstore.flows.ledger_edit import with_lines
from memstore.flows.save import save_all
from memstore.model.ids import MemoryRef
from memstore.model.one_line import one_line
from memstore.rules import propagation
from memstore.rules.beliefs import held

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.change import Saved
    from memstore.core.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagated:
    """The plan, the path of the file of each of its memories, and what was or would be written, in the plan's order."""

    plan: propagation.Plan
    paths: dict[str, str]
    saved: tuple[Saved, ...]

    __repr__ = one_line


@again_where_changed
def propagate(
    view: View,
    ref: str | None = None,
    *,
    depth: int | None = None,
    apply: bool = False,
    dry_run: bool = False,
    commit: bool = False,
) -> Propagated:
    """Return what the confidence of sources does to what rests on them; write it only with `apply`.

    >>> first = belief(ws.view(), "The vet is always right.", confidence=0.9)
    >>> held = belief(ws.view(), "Bella is healthy.", confidence=0.9, derived_from=[first.ref])
    >>> set_keys(ws.view(), first.ref, {"confidence": ["0.4"]}).changed
    True
    >>> [(step.old, step.new) for step in propagate(ws.view(), first.ref).plan.steps]
    [(0.9, 0.4)]

    Args:
        view: the vault.
        ref: the memory to begin with; None for all.
        depth: how many links to follow from there at most; None for all.
        apply: write the plan.
        dry_run: write nothing even so, and return what would be.
        commit: commit what was written, too.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: there is a depth, and nothing to count it from.
    """
    if depth is not None and ref is None:
        raise UsageError("a depth counts links from a memory, and none is named", hint="memstore propagate REF --depth")
    changed = None if ref is None else view.find(ref).ref or ""
    files = {str(file.memory.ref): file for file in _resting(view)}
    vault = _vault(view, files)
    plan = propagation.plan(vault, now=view.clock.now(), by=view.actor, changed=changed, max_depth=depth)
    edits = [with_lines(files[step.ref], step.new, step.lines) for step in plan.steps]
    saved = save_all(view, edits, verb="propagate", dry_run=dry_run or not apply, commit=commit and apply)
    return Propagated(plan=plan, paths={step.ref: files[step.ref].path for step in plan.steps}, saved=saved)


def _resting(view: View) -> Iterable[MemoryFile]:
    """Yield the files of the actor's active memories that may rest on others; only those are read."""
    names = ("path", "status", "id", "evidence", "derived_from")
    paths, statuses, ids, evidence, derived = (view.column(name) for name in names)
    for row in view.rows:
        if statuses[row] in ("", "active") and ids[row] and (evidence[row] or derived[row]):
            file = view.read(paths[row])
            if file and view.owns(file.memory) and file.memory.ref and held(file.memory) is not None:
                yield file


def _vault(view: View, files: dict[str, MemoryFile]) -> propagation.Vault:
    """Return what is known of memories and of all that they name."""
    memories = {ref: file.memory for ref, file in files.items()}
    named = {ref for memory in memories.values() for ref in propagation.sources(memory)} - memories.keys()
    visible = frozenset(view.rows)
    sure: dict[str, float | None] = {}
    gone = set()
    for text in named:
        ref = MemoryRef.parse(text)
        rows = view.rows_of_id(ref.id) if ref else ()
        entry = next((view.entry(row) for row in rows if row in visible), None)
        if entry is None:
            # A file that can't be read at the moment may be the one that is missing; hidden ones are none of others'.
            gone |= {text} if view.is_owners and not rows and not view.broken else set()
        elif entry.status == "forgotten":
            gone.add(text)
        else:
            sure[text] = float(entry.confidence) if entry.confidence else None
    return propagation.Vault(memories=memories, sure=sure, gone=gone)
