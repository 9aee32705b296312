"""Decide a conflict between two memories, so that it is not raised again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.conflicts import INFERENCE
from memstore.conflicts.conflict import between
from memstore.conflicts.sides import side_of
from memstore.core.change import Edit, Saved
from memstore.core.conflict import ConflictType
from memstore.core.errors import NoIdError, UsageError
from memstore.core.named import ref_of
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files import splice
from memstore.search import DERIVED
from memstore.search.aliases import aliases_of

if TYPE_CHECKING:
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile

BOTH = "both"
# The possible decisions. With those in `_TAKES_THE_PLACE`, the kept memory supersedes the other; the others change
# neither text nor status.
DECISIONS = ("keep", "supersede", "merge", "both-true")
_TAKES_THE_PLACE = frozenset({"keep", "supersede"})


class Resolved(NamedTuple):
    """A decision: `kept` is a ref or `both`; `saved` has both memories, in the order in which they were named."""

    saved: tuple[Saved, ...]
    conflict_type: str
    decision: str
    kept: str

    def __repr__(self) -> str:
        return short_repr(self)


@again_where_changed
def resolve_conflict(
    view: View,
    memory: Named,
    other: Named,
    *,
    keep: Named,
    decision: str | None = None,
    reason: str | None = None,
    **saving: Unpack[Saving],
) -> Resolved:
    """Record the decision about a conflict in both memories, and carry it out.

    >>> old, new = note(ws.view(), "Sean lives in Rome."), note(ws.view(), "Sean lives in Paris.")
    >>> resolve_conflict(ws.view(), old.ref, new.ref, keep=new.ref).decision
    'keep'
    >>> show_memory(ws.view(), old.ref).memory.status, conflicts(ws.view())
    ('superseded', ())

    Args:
        view: the vault.
        memory: a memory.
        other: the memory that it is in conflict with.
        keep: the memory that holds, which supersedes the other; or `both`, to leave both as they are.
        decision: one of `DECISIONS`; by default `keep`, or `both-true` if both are kept. `merge` records that the two
            are to be merged.
        reason: the reason for the decision.
        saving: dry_run, commit.

    Raises:
        NotFoundError: the actor may not see such a memory.
        UsageError: there is no such decision; both refs name the same memory; or `keep` names neither of them, or does
            not fit the decision.
    """
    if decision not in (None, *DECISIONS):
        raise UsageError(f"{decision!r} is no decision", hint=f"the decisions are {', '.join(DECISIONS)}")
    files = view.original(memory), view.original(other)
    refs = _ref(files[0]), _ref(files[1])
    if refs[0] == refs[1]:
        raise UsageError(f"{refs[0]} is named twice", hint="name the two memories that say different things")
    kept = BOTH if keep == BOTH else _ref(view.original(keep))
    if kept not in (*refs, BOTH):
        raise UsageError(f"{kept} is neither of the two", hint=f"--keep {refs[0]}, --keep {refs[1]} or --keep both")
    decided = decision or ("both-true" if kept == BOTH else "keep")
    if decided != "merge" and (decided == "both-true") != (kept == BOTH):
        raise UsageError(f"--decision {decided} does not go with --keep {ref_of(keep)}", hint="leave --decision out")
    kind = _conflict_type(view, files)
    line = {
        "conflict_type": kind,
        "decision": decided,
        "at": instant(view.clock.now()),
        "by": view.actor,
        "reason": reason,
    }
    both_active = all(file.memory.status == "active" for file in files)
    edits: list[Edit] = []
    for file, other_ref in zip(files, reversed(refs), strict=True):
        changes = _recording(file, other_ref, line)
        if changes and both_active and decided in _TAKES_THE_PLACE:
            changes += _heir(file, other_ref) if kept == _ref(file) else _loser(other_ref)
        edits.append(Edit(path=file.path, before=file, after=splice.apply(file, changes)))
    saved = save_all(view, edits, verb="resolve-conflict", **saving)
    return Resolved(saved, kind, decided, kept)


def _ref(file: MemoryFile) -> str:
    if file.memory.ref is None:
        raise NoIdError(file.path)
    return str(file.memory.ref)


def _conflict_type(view: View, files: tuple[MemoryFile, MemoryFile]) -> str:
    """Return the recorded kind of the conflict, or the one found now; semantic if none is found."""
    one, other = files
    recorded = [line.conflict_type for line in one.memory.resolved_conflicts if line.with_ == str(other.memory.ref)]
    if recorded:
        return recorded[-1]
    aliases = aliases_of(view)
    sides = side_of(one, aliases=aliases), side_of(other, aliases=aliases)
    found = between(*sides)
    inference = view.of(INFERENCE)
    if found is None and inference and inference.conflicts([sides], view.of(DERIVED)):
        found = ConflictType.CONTRADICTION
    return (found or ConflictType.SEMANTIC).value


def _recording(file: MemoryFile, other: str, line: dict[str, Any]) -> list[splice.Edit]:
    """Return the change that records a decision; empty if the last recorded decision is the same."""
    recorded = [entry for entry in file.memory.resolved_conflicts if entry.with_ == other]
    if recorded and recorded[-1].decision == line["decision"]:
        return []
    entry = {"with": other, **{name: value for name, value in line.items() if value is not None}}
    return [splice.AppendEntry("resolved_conflicts", entry)]


def _heir(file: MemoryFile, loser: str) -> list[splice.Edit]:
    """Return the change that records which memory this one supersedes, as after `supersede`."""
    before = file.memory.supersedes
    return [splice.SetValue("supersedes", [*before, loser] if before else loser)]


def _loser(heir: str) -> list[splice.Edit]:
    return [splice.SetValue("superseded_by", heir), splice.SetValue("status", "superseded")]
