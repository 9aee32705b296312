"""Checks of memories together: duplicate ids, dangling refs, cycles, and one-sided links."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from memstore.access import SHARED
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.finding import Position
from memstore.core.finding_codes import finding_of
from memstore.core.ids import (
    ID_ALPHABET,
    ID_RANDOM_CHARACTERS,
    MEMORY_ID_PATTERN,
    MEMORY_TYPES,
    MemoryRef,
    is_group,
)
from memstore.core.keys import REF_KEYS
from memstore.core.memory import OWN_VAULT, STACK_MARK
from memstore.files.memory_file import MemoryFile
from memstore.lineage.graph import Cycles
from memstore.lineage.refs import stays_private
from memstore.vault import checks
from memstore.vault.transitions import hint_for_copies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memstore.core.finding import Finding
    from memstore.core.finding_codes import Checked
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


# Keys whose refs derive a memory from other memories: they must not form a cycle.
_ACYCLIC = ("derived_from", "supersedes")
# Each link, and the key by which the other side must link back.
_RETURNED = {"supersedes": "superseded_by", "superseded_by": "supersedes", "processed_into": "derived_from"}


@dataclass(frozen=True, slots=True)
class RefNode:
    """One memory among others: its file, its refs by key, and whether it was forgotten."""

    path: str
    type: str
    id: str
    refs: Mapping[str, Sequence[str]]
    is_forgotten: bool = False


class Directory:
    """The memories of a vault by id, and the cycles that they form; what nobody asks about costs nothing.

    Args:
        named: returns the memories with an id.
    """

    def __init__(self, named: Callable[[str], Sequence[RefNode]]) -> None:
        self.named = cache(named)
        self._cycles = {key: Cycles(partial(self._targets, key)) for key in _ACYCLIC}

    @classmethod
    def of(cls, nodes: Iterable[RefNode]) -> Directory:
        """Return the directory of these memories."""
        by_id: dict[str, list[RefNode]] = defaultdict(list)
        for node in nodes:
            by_id[node.id].append(node)
        return cls(lambda memory_id: by_id.get(memory_id, ()))

    def cycle(self, key: str, memory_id: str) -> tuple[str, ...]:
        """Return the ids of the cycle that a memory is part of by this key; empty if it is in none."""
        return self._cycles[key].of(memory_id)

    def _targets(self, key: str, memory_id: str) -> list[str]:
        return [ref.id for node in self.named(memory_id) for ref in _refs(node.refs.get(key, ()))]


def of_memory(checked: Checked, directory: Directory) -> list[Finding]:
    """Return the problems of a memory among the others in the directory."""
    findings = [*_same_id(checked, directory), *_cycles(checked, directory)]
    for key, at, text in _named(checked):
        ref = MemoryRef.parse(text)
        if ref is not None:
            findings += _target(checked, directory, key, at, ref)
    return findings


def _refs(texts: Iterable[str]) -> Iterator[MemoryRef]:
    for text in texts:
        ref = MemoryRef.parse(text)
        if ref is not None:
            yield ref


def _named(checked: Checked) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    """Yield each ref in a memory with its key and position; external marks are included."""
    memory = checked.memory
    for key in REF_KEYS:
        for i, text in enumerate(getattr(memory, key)):
            yield key, (key, i), text
    for i, line in enumerate(memory.confidence_history):
        yield "evidence_source", ("confidence_history", i, "evidence_source"), line.evidence_source or ""
    for i, conflict in enumerate(memory.resolved_conflicts):
        yield "with", ("resolved_conflicts", i, "with"), conflict.with_


def _same_id(checked: Checked, directory: Directory) -> Iterator[Finding]:
    same = directory.named(checked.memory.id or "")
    others = sorted(node.path for node in same if node.path != checked.path)
    if others and checked.memory.status != "forgotten" and any(node.is_forgotten for node in same):
        yield checked.finding(
            "id-duplicate", f"the memory {checked.memory.id} was forgotten: {', '.join(others)} is its tombstone",
            "delete this file; memstore add writes a new memory", "id",
        )  # fmt: skip
    elif others:
        yield checked.finding(
            "id-duplicate", f"the id {checked.memory.id} is also that of {', '.join(others)}",
            hint_for_copies([checked.path, *others]), "id",
        )  # fmt: skip


def _cycles(checked: Checked, directory: Directory) -> Iterator[Finding]:
    for key in _ACYCLIC:
        cycle = directory.cycle(key, checked.memory.id or "")
        if not cycle:
            continue
        start = cycle.index(checked.memory.id or "")
        following = cycle[(start + 1) % len(cycle)]
        refs = getattr(checked.memory, key)
        at = next((i for i, ref in enumerate(refs) if ref.partition(":")[2] == following), None)
        way = " -> ".join([*cycle[start:], *cycle[:start], cycle[start]])
        what = f"`{key}` names the memory itself" if len(cycle) == 1 else f"following `{key}` leads back here: {way}"
        yield checked.finding(
            "lineage-cycle", what, "remove one of these links", *((key,) if at is None else (key, at))
        )


def _target(
    checked: Checked, directory: Directory, key: str, at: tuple[str | int, ...], ref: MemoryRef
) -> Iterator[Finding]:
    """Yield the problems of the memory that a ref names."""
    targets = directory.named(ref.id)
    if ref.id == checked.memory.id and key not in _ACYCLIC:
        yield checked.finding("lineage-cycle", f"`{key}` names the memory itself", "remove the ref", *at)
    elif not targets:
        yield checked.finding(
            "ref-dangling", f"`{key}` names {ref}, which does not exist", "correct the ref, or remove it", *at
        )
    elif all(target.type != ref.type for target in targets):
        yield checked.finding(
            "ref-type",
            f"`{key}` names {ref}, but {ref.id} is of type {targets[0].type}",
            f"write {targets[0].type}:{ref.id}",
            *at,
            meant=f"{targets[0].type}:{ref.id}",
        )
    elif all(target.is_forgotten for target in targets):
        return  # a tombstone names nothing, and what named it may go on
    elif key in _RETURNED and checked.memory.id not in (None, ref.id):
        back = _RETURNED[key]
        if all(checked.memory.id not in (r.id for r in _refs(target.refs.get(back, ()))) for target in targets):
            yield checked.finding(
                "link-one-sided", f"`{key}` names {ref}, whose `{back}` does not name {checked.memory.ref}",
                f"add {checked.memory.ref} to `{back}` in {targets[0].path}, or remove this ref", *at,
            )  # fmt: skip


# -- memories of somebody's own vault ---------------------------------------------------------------

# What names a memory: its ref, an id of the form that memstore makes, or a path in one's own vault.
_NAMING = re.compile(
    rf"\b(?:{'|'.join(MEMORY_TYPES)}):({MEMORY_ID_PATTERN})"
    rf"|\b(m_[{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}})\b"
    rf"|{STACK_MARK}{OWN_VAULT}/"
)


def named_privately(view: View, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield each line of a shared vault's file that names a memory of the actor's own vault alone, and its name."""
    if not is_group(view.config.owner):
        return
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        for found in _NAMING.finditer(line):
            memory_id = found[1] or found[2]
            if memory_id and view.rows_of_id(memory_id):
                continue
            own = view.of(SHARED).own
            if own and own.view and (not memory_id or own.view.rows_of_id(memory_id)):
                yield number, found[0]


def stop_private_names(view: View, after: Iterable[bytes | None], before: Iterable[bytes | None] = ()) -> None:
    """Raise if texts that go into a shared vault name memories of the actor's own, and those `before` did not."""
    new = {name for text in after for _, name in named_privately(view, text or b"")}
    if new and (new := new - {name for text in before for _, name in named_privately(view, text or b"")}):
        raise stays_private(min(new), view.config.owner)


def private_names(view: View, path: str, data: bytes, before: Callable[[], bytes] = bytes) -> Iterator[Finding]:
    """Yield what in a file of a shared vault names memories of the actor's own, and did not `before`."""
    named = [*named_privately(view, data)]
    known = {name for _, name in named_privately(view, before())} if named else ()
    for line, name in named:
        if name not in known:
            text = f"{name} is in your own vault, and everybody who has a clone of this one can read the name"
            yield finding_of("shared-private", path, text, "take it out", Position(line))


# -- memories by their ids and refs ----------------------------------------------------------------


_OF_LINKS = frozenset({"lineage-cycle", "ref-dangling", "ref-type"})


def directory_of(view: View, rows: Iterable[int], files: Iterable[ReadFile]) -> Directory:
    """Return the directory of these memories, and of those in files that the work tree does not have."""
    here, elsewhere = _by_id(view, rows), Directory.of(_nodes_of(files))
    return Directory(lambda memory_id: [*here(memory_id), *elsewhere.named(memory_id)])


def _nodes_of(files: Iterable[ReadFile]) -> Iterator[RefNode]:
    for file in files:
        if isinstance(file, MemoryFile) and file.memory.id:
            memory = file.memory
            yield RefNode(file.path, memory.type, file.memory.id, _refs_of_file(file), memory.status == "forgotten")


def wrong_links(view: View, before: MemoryFile, after: MemoryFile) -> list[Finding]:
    """Return the problems of refs that `before` does not have: they dangle, name another type, or form a cycle."""
    if (
        _refs_of_file(before) == _refs_of_file(after)
        and before.memory.confidence_history == after.memory.confidence_history
    ):
        return []
    others = _by_id(view, view.rows)
    known = {(finding.code, finding.text) for finding in _links(before, others)}
    return [finding for finding in _links(after, others) if (finding.code, finding.text) not in known]


def _links(file: MemoryFile, others: Callable[[str], Iterable[RefNode]]) -> list[Finding]:
    """Return the problems of a file's refs among the files at other paths."""
    own = Directory.of(_nodes_of([file]))
    directory = Directory(
        lambda memory_id: [*(node for node in others(memory_id) if node.path != file.path), *own.named(memory_id)]
    )
    return [finding for finding in of_memory(checks.as_checked(file), directory) if finding.code in _OF_LINKS]


def _refs_of_file(file: MemoryFile) -> dict[str, tuple[str, ...]]:
    return {key: getattr(file.memory, key) for key in REF_KEYS}


def _by_id(view: View, rows: Iterable[int]) -> Callable[[str], Sequence[RefNode]]:
    """Return a function that returns the memories with an id among these rows."""
    ids, paths, types, statuses = (view.column(name) for name in ("id", "path", "type", "status"))
    columns = {key: view.column(key) for key in REF_KEYS}
    rows_of = RowsById(ids, rows)

    def node(row: int) -> RefNode:
        refs = {key: tuple(column[row].split(ITEM_SEPARATOR)) for key, column in columns.items() if column[row]}
        return RefNode(paths[row], types[row], ids[row], refs, statuses[row] == "forgotten")

    return lambda memory_id: [node(row) for row in rows_of(memory_id)] if memory_id else []


# A scan for one id takes as long as a fiftieth of a table of all of them.
_MOST_SCANS = 20


class RowsById:
    """The rows that have an id, among some: looked for one by one, until a table of all is cheaper.

    Args:
        ids: the id of each row.
        rows: the rows that count.
    """

    def __init__(self, ids: Sequence[str], rows: Iterable[int]) -> None:
        self._ids, self._rows, self._scans = ids, rows, 0
        self._table: dict[str, list[int]] | None = None
        self._counts: AbstractSet[int] | None = None

    def __call__(self, memory_id: str) -> Sequence[int]:
        """Return the rows with this id, ascending."""
        if self._table is None and self._scans < _MOST_SCANS:
            self._scans += 1
            return [row for row in self._scanned(memory_id) if row in self._counting]
        if self._table is None:
            self._table = defaultdict(list)
            for row in sorted(self._counting):
                self._table[self._ids[row]].append(row)
        return self._table.get(memory_id, ())

    @property
    def _counting(self) -> AbstractSet[int]:
        if self._counts is None:
            self._counts = frozenset(self._rows)
        return self._counts

    def _scanned(self, memory_id: str) -> Iterator[int]:
        row = -1
        with suppress(ValueError):  # no more of them
            while True:
                row = self._ids.index(memory_id, row + 1)
                yield row
