"""Forget memories: of each, a tombstone is left, with an id, a time, who did it and a reason; no title and no text.

What rests on a forgotten memory is detached from it (its label and its caps are baked in, so nothing is shown more
widely or held more surely than before) or forgotten with it. Whatever else the vault keeps of its text goes in the same
operation: lines in MEMORY.md, suggestions, requests, originals of imports; the transaction makes this machine forget.
`purge` takes it out of the history, too: in a new clone, which replaces the repository if its owner wants that.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from memstore.access import RIGHTS, registry
from memstore.access.audit import recorded
from memstore.access.policy import id_in, is_passed_generalization, labels_of
from memstore.access.sight import detached
from memstore.beliefs import ledger
from memstore.beliefs.graduate import page_of
from memstore.beliefs.next_lines import held, next_time
from memstore.beliefs.propagation import caps_of, plan_propagation, premises_of, store_of
from memstore.core.catalog import ITEM_SEPARATOR, EdgeKind
from memstore.core.change import Edit, Written
from memstore.core.digests import digest_of
from memstore.core.errors import RefusedError, UsageError
from memstore.core.ids import MemoryRef
from memstore.core.keys import REF_KEYS
from memstore.core.memory import LedgerLine
from memstore.core.named import refs_of
from memstore.core.places import (
    FOLDER_OF_TYPE,
    MEMORY_SUFFIX,
    ORIGINALS,
    SUGGESTIONS,
    RegistryKind,
    is_original_path,
    is_sealed_path,
)
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.titles import title_of
from memstore.core.transaction import again_where_changed, refuse_as_not_owner
from memstore.files import managed_block, splice
from memstore.files.draft import new_file
from memstore.files.render import entry_of
from memstore.history import HISTORY
from memstore.lineage.graph import graph_of, row_of
from memstore.memories.seal import SEALING_KEY, require_context_key, sealed_for
from memstore.search.citations import parse_place
from memstore.trust import SEAL_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.access.world import Labels
    from memstore.core.memory import Memory
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.history.purging import Purged
    from memstore.lineage.graph import Graph


# Why a memory is forgotten, as a code: a tombstone has no room for words about what it was.
REASONS = ("requested", "consent", "wrong", "outdated", "private", "legal")
# Who rests on a memory; other refs only name it.
_RESTS = frozenset({EdgeKind.DERIVED_FROM, EdgeKind.EVIDENCE, EdgeKind.PROCESSED_INTO})
# The keys of a memory that take in the label of a source that goes.
_BAKED_IN = (
    "derived_from", "source_chain", "subject_ids", "access_denies", "consent_grants", "upstream_grants",
)  # fmt: skip
# What spoke against a memory keeps counting when it is forgotten, so the memory does not rest on it.
_BEARS_NOTHING = frozenset({"retract", "propagate", "witness", "contradict"})


class Tombstone(NamedTuple):
    """A forgotten memory: its ref, where its file was, and where its tombstone is."""

    ref: str
    was: str
    path: str


class Dependent(NamedTuple):
    """A memory that rests on a forgotten one; `old` and `new` are its confidence, None if it has none.

    `is_own` is false for somebody else's memory, which stays as it is and names a tombstone from then on.
    """

    ref: str
    path: str
    title: str
    old: float | None
    new: float | None
    is_own: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten, or would be.

    `detached` are the memories that rested on it, or on those; `mentions` are refs of memories that only name it;
    `removed` are paths of files that held only its text: suggestions, requests, originals of imports; `cleaned` those
    of pages and originals that lost its lines. `left` says what could not be cleaned, in words. `key` is the file of
    the key that was destroyed.
    """

    at: str
    by: str
    reason: str
    tombstones: tuple[Tombstone, ...] = ()
    detached: tuple[Dependent, ...] = ()
    mentions: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    cleaned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    commit: str | None = None
    key: str | None = None

    __repr__ = short_repr


class _Shredded(NamedTuple):
    """A context whose sealing key goes, the key's public part, and the context's file, which says so."""

    context: str
    key: str
    file: Written


class ForgetChoices(TypedDict, total=False):
    """What becomes of what rests on forgotten memories, and how it is written.

    `detach` lets it live on without them, `cascade` forgets what of it is the actor's own, too; `reason` is one of
    `REASONS`. `dry_run` writes nothing, and returns what would be done; `commit` commits it, too.
    """

    detach: bool
    cascade: bool
    reason: str
    dry_run: bool
    commit: bool


@again_where_changed
def forget(view: View, memories: Names, **choices: Unpack[ForgetChoices]) -> Forgotten:
    """Forget memories for good; earlier commits still have their text (`purge`).

    >>> secret = note(ws.view(), "Claire is looking for another job.")
    >>> done = forget(ws.view(), [secret.ref])
    >>> [one.ref == secret.ref for one in done.tombstones]
    [True]

    Args:
        view: the vault.
        memories: the memories, by id or path.
        choices: what becomes of what rests on them, and whether it is written: `ForgetChoices`.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        UsageError: both or an unknown reason are given.
        RefusedError: a memory is somebody else's; or others rest on it, and neither `detach` nor `cascade` is given.
    """
    return _forgotten(view, refs_of(memories), **choices)


@again_where_changed
def shred(view: View, context: str, **choices: Unpack[ForgetChoices]) -> Forgotten:
    """Destroy the sealing key of a context: every copy of what was sealed for it, in any clone, becomes unreadable.

    The memories that it opens here are forgotten as `forget` does, and with them the key is destroyed.

    Args:
        view: the vault.
        context: the context.
        choices: as for `forget`.

    Raises:
        NotFoundError: the context is not registered, or has no sealing key.
        RefusedError: somebody other than the vault's owner asks, the key is not here, or as for `forget`.
        VaultError: the key could not be destroyed; the text says whether the memories are forgotten.
    """
    view.require_owner("destroy the key of a context")
    path, key = require_context_key(view, context)
    before = view.own_file(path) or b""
    after = registry.edited(path, RegistryKind.CONTEXT, before, [splice.RemoveKey(SEALING_KEY)])
    shredded = _Shredded(context, key, Written(path, before, after))
    done = _forgotten(view, [*sealed_for(view, key)], shredded=shredded, **choices)
    return replace(done, key=str(view.of(SEAL_KEYS).context_place(key)))


def _forgotten(
    view: View,
    refs: Sequence[str],
    *,
    detach: bool = False,
    cascade: bool = False,
    reason: str = REASONS[0],
    dry_run: bool = False,
    commit: bool = False,
    shredded: _Shredded | None = None,
) -> Forgotten:
    """Forget memories, and with them a context's key, if that is `shredded`."""
    if detach and cascade:
        raise UsageError("--detach and --cascade exclude each other", hint="choose what becomes of what rests on it")
    if reason not in REASONS:
        raise UsageError(f"{reason!r} is no reason code", hint=f"one of {', '.join(REASONS)}")
    going = _files_to_forget(view, refs, cascade=cascade)
    around = _Remainder(view, going)
    if around.resting and not detach:
        more = len(_files_to_forget(view, refs, cascade=True)) - len(going) - len(around.resting)
        too = (
            f"them, too, and {more} more that {'rests' if more == 1 else 'rest'} on those" if more > 0 else "them, too"
        )
        raise RefusedError(_listed(around.resting), hint=f"--detach keeps them without it, --cascade forgets {too}")
    at = instant(view.clock.now())
    fresh = [file for file in going.values() if file.memory.status != "forgotten"]
    tombs = [_tombstone(view, file, at, reason) for file in fresh]
    originals = _Originals(view, going)
    changed = [*around.files_removed(), *around.pages(), *originals.changes()]
    with view.transaction("forget", dry_run=dry_run, commit=commit) as change:
        change.forget([file.memory for file in going.values()])
        for file, (tomb, data) in zip(fresh, tombs, strict=True):
            before = file if tomb.path == file.path else None
            change.edit(Edit(path=tomb.path, before=before, after=data))
            if before is None:
                change.put(Written(file.path, file.data, None))
        change.edit(*around.edits())
        change.put(*changed)
        ids = [file.memory.id or "" for file in fresh]
        if shredded:
            change.put(shredded.file)
            about = {"context": shredded.context, "says": digest_of(shredded.file.after or b"")}
            change.put(recorded(view, "forget", memory=ids, reason=reason, **about))
            change.destroy_key(shredded.key)
        elif fresh:
            change.put(recorded(view, "forget", memory=ids, reason=reason))
    return Forgotten(
        at=at,
        by=view.actor,
        reason=reason,
        tombstones=tuple(tomb for tomb, _ in tombs),
        detached=tuple(around.dependents()),
        mentions=tuple(around.mentions),
        removed=tuple(file.path for file in changed if file.after is None),
        cleaned=tuple(file.path for file in changed if file.after is not None),
        left=(*originals.left, *change.left),
        commit=change.commit,
    )


def _files_to_forget(view: View, refs: Sequence[str], *, cascade: bool) -> dict[str, MemoryFile]:
    """Return the memories to forget, by id; with `cascade`, also the actor's memories that rest on them."""
    found: dict[str, MemoryFile] = {}
    waiting = list(dict.fromkeys(refs))
    graph = graph_of(view) if cascade else None
    while waiting:
        file = view.original(waiting.pop(0))
        memory_id = file.memory.id
        if not memory_id:
            raise UsageError(
                f"{file.path} has no id", hint=f"delete the file, or memstore adopt {shlex.quote(file.path)}"
            )
        if memory_id in found:
            continue
        if not view.owns(file.memory):
            refuse_as_not_owner(view, file)
        found[memory_id] = file
        rows = _rests_on(graph, row_of(graph, view.find(file.path))) if graph else ()
        waiting += [view.entry(row).path for row in rows if _is_going(view, row)]
    return found


def _is_going(view: View, row: int) -> bool:
    file = view.read(view.entry(row).path)
    return file is not None and view.owns(file.memory) and not file.path.startswith(SUGGESTIONS)


def _rests_on(graph: Graph, row: int) -> Iterator[int]:
    """Yield the memories that rest on one directly: made from it, or with it as evidence for them."""
    for link in graph.dependents(row, kinds=_RESTS):
        counts = set(link.kinds) & _RESTS - {EdgeKind.EVIDENCE} or not _BEARS_NOTHING.issuperset(link.ops)
        if link.key >= 0 and counts and not graph.is_gone(link.key):
            yield link.key


def _tombstone(view: View, file: MemoryFile, at: str, reason: str) -> tuple[Tombstone, bytes]:
    """Return what is left of a memory; neither the path nor the bytes say what it was about."""
    memory = file.memory
    short = view.config.filenames == "short"
    folder = FOLDER_OF_TYPE[memory.type] if short else f"memories/{memory.type}"
    path = f"{folder}/{at[:4]}/{memory.id}{MEMORY_SUFFIX}"
    values = {
        "type": memory.type, "id": memory.id, "status": "forgotten", "status_reason": reason, "owner": memory.owner,
    }  # fmt: skip
    data = new_file(values, f"Forgotten {at} by {view.actor}.")
    return Tombstone(str(memory.ref), file.path, path), data


def _listed(resting: Mapping[str, MemoryFile]) -> str:
    lines = [f"  {file.memory.ref}: {title_of(file.memory)}" for file in resting.values()]
    count = "1 memory rests" if len(lines) == 1 else f"{len(lines)} memories rest"
    return "\n".join([f"{count} on what is to be forgotten; nothing was written:", *lines])


# -- what rests on them, and what else holds their text ----------------------------------------------


class _Remainder:
    """What the rest of the vault has to do with memories that are going.

    `resting` are the actor's memories that rest on them, by ref, `theirs` those of others; `mentions` are the refs of
    memories that only name them.
    """

    def __init__(self, view: View, going: Mapping[str, MemoryFile]) -> None:
        self._view, self._going = view, going
        self._refs = {str(file.memory.ref) for file in going.values()}
        graph = graph_of(view)
        rows = [row for memory_id in going for row in view.rows_of_id(memory_id)]
        near = {link.key for row in rows for link in (*graph.dependents(row), *graph.sources(row)) if link.key >= 0}
        rest = {row for at in rows for row in _rests_on(graph, at)} - {*rows}
        self.resting: dict[str, MemoryFile] = {}
        self.theirs: dict[str, MemoryFile] = {}
        self._suggested: list[MemoryFile] = []
        self.mentions: list[str] = []
        for row in sorted((near | rest) - {*rows}, key=graph.name):
            file = view.read(view.entry(row).path)
            if file is None or file.memory.status == "forgotten":
                continue
            ref = str(file.memory.ref)
            if file.path.startswith(SUGGESTIONS) and view.owns(file.memory):
                self._suggested.append(file)
            elif row not in rest:
                self.mentions += [ref] if _names(file.memory, going) else []
            elif view.owns(file.memory):
                self.resting[ref] = view.original(file.path)
            else:
                self.theirs[ref] = file
        lose = [one for file in self.resting.values() if self._loses_a_source(one := labels_of(file.memory))]
        self._labels = {one.id: one for one in detached(view.of(RIGHTS).policy, lose, going.keys(), view.clock.now())}
        self._ledgers = self._ledger_lines()

    # -- the memories that rest on them ------------------------------------------------------------

    def dependents(self) -> Iterator[Dependent]:
        """Yield the memories whose label or confidence changes, and those of others that rest on what is going."""
        files = {**{ref: file for ref, (file, _, _) in self._ledgers.items()}, **self.resting}
        for ref, file in sorted(files.items()):
            old = held(file.memory)
            new = self._ledgers[ref][1] if ref in self._ledgers else old
            yield Dependent(ref, file.path, title_of(file.memory), old, new)
        for ref, file in sorted(self.theirs.items()):
            number = held(file.memory)
            yield Dependent(ref, file.path, title_of(file.memory), number, number, is_own=False)

    def edits(self) -> Iterator[Edit]:
        """Yield the edits that bake in labels and caps."""
        files = {**{ref: file for ref, (file, _, _) in self._ledgers.items()}, **self.resting}
        for ref, file in sorted(files.items()):
            changes = [*self._label_changes(file)]
            if ref in self._ledgers:
                _, number, lines = self._ledgers[ref]
                changes += [splice.SetValue("confidence", number)]
                changes += [splice.AppendEntry("confidence_history", entry_of(line)) for line in lines]
            after = splice.apply(file, changes)
            if after != file.data:
                yield Edit(path=file.path, before=file, after=after)

    def _label_changes(self, file: MemoryFile) -> Iterator[splice.Edit]:
        memory = file.memory
        if (after := self._labels.get(memory.id or "")) is None:
            return
        lost = [ref for ref in memory.derived_from if id_in(ref) in self._going]
        for name in _BAKED_IN:
            if (value := getattr(after, name)) != getattr(memory, name):
                yield _set(name, value)
        yield splice.AppendItems("relates_to", tuple(ref for ref in lost if MemoryRef.parse(ref)))

    def _loses_a_source(self, labels: Labels) -> bool:
        """Whether who may see a memory depends on one that is going; of a passed generalization it never did."""
        lost = any(id_in(ref) in self._going for ref in labels.derived_from)
        return lost and not is_passed_generalization(labels)

    def _ledger_lines(self) -> dict[str, tuple[MemoryFile, float, tuple[LedgerLine, ...]]]:
        """Return the memories whose ledger changes: file, confidence, new lines; also those that rest on them in turn.

        A forgotten premise still caps, with the confidence that it has now; forgotten evidence counts no more where it
        spoke for a memory.
        """
        view, now = self._view, self._view.clock.now()
        files = {str(file.memory.ref): file for file in self._that_rest_on_anything()}
        memories = {ref: self._with_premises(file.memory) for ref, file in files.items()}
        store = store_of(view, memories)
        sure = {ref: held(file.memory) for file in self._going.values() if (ref := str(file.memory.ref))}
        store = replace(store, sure={**store.sure, **sure}, gone={*store.gone, *sure})
        plan = plan_propagation(store, now=now, by=view.actor, changed=sure.keys())
        lines = {step.ref: (step.new, step.lines) for step in plan.steps}
        found = {}
        for ref, file in files.items():
            number, added = lines.get(ref, (held(file.memory) or 0.0, ()))
            history = [*file.memory.confidence_history, *added]
            more = tuple(self._caps(memories[ref], history, number))
            if added or more:
                found[ref] = (file, number, (*added, *more))
        return found

    def _with_premises(self, memory: Memory) -> Memory:
        """Return a memory that also rests on what its lost sources rested on, as it does once it is detached."""
        if (after := self._labels.get(memory.id or "")) is None:
            return memory
        more = after.derived_from
        return replace(memory, derived_from=tuple(dict.fromkeys((*memory.derived_from, *more))))

    def _caps(self, memory: Memory, history: Sequence[LedgerLine], number: float) -> Iterator[LedgerLine]:
        """Yield lines for the caps of forgotten premises that don't bind now, and might if others recover."""
        stated = ledger.stated(history)
        if stated is None or stated.op != "assert":
            return
        lines = list(history)
        for ref in premises_of(memory):
            file = self._going.get(id_in(ref))
            cap = held(file.memory) if file else None
            if cap is None or cap >= stated.confidence or caps_of(lines).get(ref, 1.0) <= cap:
                continue
            least = min(cap, 1.0 if stated.cap is None else stated.cap)
            at = instant(next_time(lines, self._view.clock.now()))
            lines.append(
                LedgerLine(
                    timestamp=at, op="propagate", old=number, new=number, evidence_source=ref,
                    reason="What it was derived from was forgotten", by=self._view.actor, cap=ledger.rounded(least),
                )
            )  # fmt: skip
            yield lines[-1]

    def _that_rest_on_anything(self) -> Iterator[MemoryFile]:
        view = self._view
        names = ("path", "id", "evidence", "derived_from")
        paths, ids, evidence, derived = (view.column(name) for name in names)
        for row in view.rows:
            if not ids[row] or ids[row] in self._going or not (evidence[row] or derived[row]):
                continue
            file = view.read(paths[row])
            is_own = file is not None and view.owns(file.memory) and not file.path.startswith(SUGGESTIONS)
            if file and is_own and file.memory.status != "forgotten" and held(file.memory) is not None:
                yield view.original(paths[row])

    # -- other files that hold some of their text ----------------------------------------------------

    def files_removed(self) -> Iterator[Written]:
        """Yield the files that go altogether: suggestions that rest on them or name them, verdicts, and requests."""
        for file in self._suggested:
            yield Written(file.path, file.data, None)
        for path in self._view.of(RIGHTS).registry(RegistryKind.VERDICT, naming=self._going.keys()):
            yield Written(path, self._view.own_file(path), None)
        for path, request in self._view.of(RIGHTS).registry(RegistryKind.REQUEST).items():
            said = {} if request is None else request.values
            about = {id_in(str(said.get("ref") or "")), str(said.get("scope") or "").removeprefix("mem:")}
            about |= {id_in(scope) for scope in about}
            if about & self._going.keys() and (data := self._view.own_file(path)) is not None:
                yield Written(path, data, None)

    def pages(self) -> Iterator[Written]:
        """Yield the pages of what has graduated, without the lines of these memories."""
        scopes = {*self._view.column("scope")} - {""}
        for path in sorted({"MEMORY.md", *map(page_of, scopes)}):
            data = self._view.own_file(path)
            if not data or not any(memory_id.encode() in data for memory_id in self._going):
                continue
            page = managed_block.read(path, data)
            lines = tuple(line for line in page.lines if managed_block.id_of(line) not in self._going)
            written = {one: mark for one, mark in page.written.items() if one not in self._going}
            if (lines, written) != (page.lines, page.written):
                yield Written(path, data, managed_block.rendered(page._replace(lines=lines, written=written)))


class _Originals:
    """The originals of imports that memories which are going came from.

    One that no other memory cites goes altogether. In any other, the lines that only these memories cite become empty,
    so that every other line keeps its number. `left` says in words what stays, once `changes` has been read.
    """

    def __init__(self, view: View, going: Mapping[str, MemoryFile]) -> None:
        self._view, self._ids = view, going.keys()
        self._theirs = _cited_lines(mark for file in going.values() for mark in file.memory.derived_from)
        self.left: list[str] = []

    def changes(self) -> Iterator[Written]:
        """Yield the originals as they become."""
        view = self._view
        if not self._theirs:
            return
        ids, sources = view.column("id"), view.column("derived_from")
        staying = (sources[row].split(ITEM_SEPARATOR) for row in view.rows if ids[row] not in self._ids)
        others = _cited_lines(mark for marks in staying for mark in marks)
        for path, spans in sorted(self._theirs.items()):
            data = view.own_file(path) if view.is_owners else None
            if data is not None:
                after = self._without(path, data, spans, others[path]) if path in others else None
                if after != data:
                    yield Written(path, data, after)
            elif not view.is_owners:
                self.left.append(f"{path}, from which it was imported: only the vault's owner can change it")

    def _without(self, path: str, data: bytes, spans: Sequence[_Span], others: Sequence[_Span]) -> bytes:
        """Return an original without the lines in some spans, unless they are in others, too."""
        parts = data.split(b"\n")
        theirs, shared = (
            {number for first, last in some for number in range(first, min(last, len(parts)) + 1)}
            for some in ({*spans}, {*others})
        )
        if kept := sorted(theirs & shared):
            lines = f"line{'s' if len(kept) > 1 else ''} {', '.join(map(str, kept))}"
            self.left.append(f"{path}, {lines}, from which it was imported: another memory was, too")
        return b"\n".join(b"" if number in theirs - shared else part for number, part in enumerate(parts, 1))


_Span = tuple[int, int]


def _cited_lines(marks: Iterable[str]) -> dict[str, list[_Span]]:
    """Return the lines of originals that marks like `file:imports/…#L3-L5@…` name, by path."""
    found: dict[str, list[_Span]] = {}
    for mark in marks:
        if mark.startswith(f"file:{ORIGINALS}/"):
            place = parse_place(mark)
            if is_original_path(place.name):
                found.setdefault(place.name, []).append(place.lines or (1, sys.maxsize))
    return found


def _names(memory: Memory, ids: Collection[str]) -> bool:
    """Whether a memory names one of these itself, rather than being named by it."""
    named = [ref for key in REF_KEYS for ref in getattr(memory, key)]
    named += [one.with_ for one in memory.resolved_conflicts]
    named += [line.evidence_source or "" for line in memory.confidence_history]
    return any(id_in(ref) in ids for ref in named) or any(memory_id in memory.body for memory_id in ids)


def _set(name: str, value: Sequence[object]) -> splice.Edit:
    plain = [[*label] if isinstance(label, tuple) else str(label) for label in value]
    return splice.SetValue(name, [*plain]) if plain else splice.RemoveKey(name)


# -- purging ---------------------------------------------------------------------------------------


def purge(view: View, memories: Names, folder: Path) -> Purged:
    """Write a clone of the repository around the vault whose history never held these memories, or only sealed.

    Args:
        view: the vault; its actor must be its owner.
        memories: forgotten memories, whose tombstones are committed, and sealed ones, whose sealed files are.
        folder: where the clone goes.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: somebody else asks; a memory is neither forgotten nor sealed, or that is not committed; or a
            branch has a sealed memory in plain text.
        UsageError: git-filter-repo is not installed, or the folder is not free.
        GitError: there is no repository, or git failed.
    """
    view.require_owner()
    files = [view.original(ref) for ref in refs_of(memories)]
    names = " ".join(str(file.memory.id) for file in files)
    forgotten = [file.memory.id or "" for file in files if file.memory.status == "forgotten"]
    sealed = [file.memory.id or "" for file in files if file.memory.id not in forgotten and is_sealed_path(file.path)]
    if len(forgotten) + len(sealed) < len(files):
        raise RefusedError(
            "only what was forgotten or is sealed can be purged",
            hint=f"first: memstore forget {names} -c, or memstore privacy seal {names} -c",
        )
    head = view.of(HISTORY).head()
    view.of(HISTORY).require()
    committed = view.of(HISTORY).files_at(head) if head else {}
    stored = view.whole.stored
    if not all(view.of(HISTORY).is_stored(file.path, stored(file.path), committed.get(file.path)) for file in files):
        raise RefusedError("that it was forgotten or sealed is not committed yet", hint="memstore commit")
    return view.of(HISTORY).purged(forgotten, folder, sealed=sealed)
