"""Quarantine: take a memory, and all that was derived from it, out of recall and confidence; and bring it back.

What is named is a memory, or everything of one entity, source or import. Its files stay where they are, with the status
`quarantined` and an entry that says with what they were taken and which status they had (docs/adr/0039). Evidence that
came from them counts for nothing in other memories, by lines that propagation writes and reverses.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.access.names import fold
from memstore.beliefs.propagation import plan_propagation, resting, store_of
from memstore.beliefs.reinforce import with_lines
from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.change import Edit
from memstore.core.errors import NoIdError, NotFoundError, RefusedError, UsageError
from memstore.core.ids import MemoryRef, is_entity_id
from memstore.core.keys import EXTERNAL, QUARANTINED
from memstore.core.named import ref_of
from memstore.core.places import ORIGINALS
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, refuse_as_not_owner, save_all
from memstore.files import splice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.beliefs.propagation import Plan
    from memstore.core.change import Saved
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain

# Two names that are at least so similar may be the same name, misspelt or forged; 0.8 is one letter in five.
NEARLY_SPELT = 0.8
MOST_NEAR = 8


class QuarantinedMemory(NamedTuple):
    """A memory that is taken, or brought back; `source` is what it was derived from, None if it was named itself."""

    ref: str
    path: str
    title: str
    confidence: float | None
    source: str | None
    is_external: bool = False


class ConfidenceMove(NamedTuple):
    """A memory whose confidence changes because of that; both are in [0, 1]."""

    ref: str
    path: str
    old: float
    new: float


class NearSource(NamedTuple):
    """A source spelt nearly like the one that was named, and the number of the actor's memories of it."""

    name: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """What a quarantine does, or lifting one: `of` is what was named, in full.

    `not_owned` are the refs of visible memories that somebody else owns, and that stay. `stays` are memories that are
    not brought back, as they were derived from something that is still quarantined.
    """

    of: str
    taken: tuple[QuarantinedMemory, ...]
    moved: tuple[ConfidenceMove, ...]
    near: tuple[NearSource, ...] = ()
    not_owned: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    saved: tuple[Saved, ...] = ()

    __repr__ = short_repr


@again_where_changed
def quarantine(view: View, name: Named, *, reason: str | None = None, **saving: Unpack[Saving]) -> Quarantined:
    """Take memories of the actor's, and all that was derived from them, out of recall and confidence.

    >>> page = note(ws.view(), "Green tea cures all.", source_type="external", source="https://tea.example")
    >>> copied = note(ws.view(), "Tea is a cure.", derived_from=[page.ref])
    >>> [taken.source for taken in quarantine(ws.view(), page.ref).taken] == [None, page.ref]
    True

    Args:
        view: the vault.
        name: a memory, by id or path; an entity that wrote or told it; its source, like a URL; or `imports/…`.
        reason: why; it is kept in each file.
        saving: dry_run, commit.

    Raises:
        NotFoundError: nothing of the actor's is meant.
        RefusedError: somebody else owns the memory, it was forgotten, or others listen.
    """
    whole = _Whole(view)
    of, named = whole.meant(ref_of(name))
    taken = whole.with_derived(row for row in named if whole.is_own(row))
    rows = [row for row in taken if whole.is_own(row) and whole.status(row) != QUARANTINED]
    files = whole.files(rows)
    entry = {"of": of, "at": instant(view.clock.now()), "by": view.actor, "reason": _one_line(reason)}
    edits = [_quarantine_edit(file, entry) for file in files.values()]
    gone = {str(file.memory.ref) for file in files.values()}
    plan = _plan(view, gone=gone, back=(), changed=gone)
    saved = _saved(view, edits, plan, verb="quarantine", **saving)
    return Quarantined(
        of=of,
        taken=tuple(whole.taken(row, taken[row]) for row in rows),
        moved=_confidence_moves(plan, whole.paths_of(plan)),
        near=whole.near(ref_of(name), named),
        not_owned=tuple(whole.ref(row) for row in {*named, *taken} if not whole.is_own(row)),
        saved=saved,
    )


@again_where_changed
def lift(view: View, name: Named, **saving: Unpack[Saving]) -> Quarantined:
    """Bring back what was quarantined under a name, each memory with the status that it had.

    Args:
        view: the vault.
        name: as in `quarantine`.
        saving: dry_run, commit.

    Raises:
        NotFoundError: nothing was quarantined under that name.
        RefusedError: others listen.
        UsageError: the memory was quarantined together with another one, which is named.
    """
    whole = _Whole(view)
    of, _ = whole.meant(ref_of(name))
    held = whole.quarantined()
    group = {row: file for row, file in held.items() if _cause_of(file) == of}
    if not group:
        alone = next((file for file in held.values() if str(file.memory.ref) == of), None)
        if alone is None:
            raise NotFoundError(
                f"nothing is quarantined as {of}", hint="memstore list --status quarantined shows what is"
            )
        raise UsageError(
            f"{of} was quarantined with {_cause_of(alone)}", hint=f"memstore trust quarantine {_cause_of(alone)} --lift"
        )
    others = whole.with_derived(row for row in held if row not in group)
    stays = {row: _cause_of(held[_origin(others, row, group)]) for row in group if row in others}
    back = {row: file for row, file in group.items() if row not in stays}
    refs = {str(file.memory.ref) for file in back.values()}
    edits = [_release_edit(file) for file in back.values()]
    edits += [_relabelled(group[row], other) for row, other in stays.items()]
    plan = _plan(view, gone=(), back=refs, changed=refs)
    saved = _saved(view, edits, plan, verb="quarantine --lift", **saving)
    return Quarantined(
        of=of,
        taken=tuple(whole.taken(row, None) for row in back),
        moved=_confidence_moves(plan, whole.paths_of(plan)),
        stays=tuple(whole.ref(row) for row in stays),
        saved=saved,
    )


# -- the files ---------------------------------------------------------------------------------------


def _quarantine_edit(file: MemoryFile, entry: Mapping[str, str | None]) -> Edit:
    """Return the edit that quarantines a memory; the entry says which status its file had, if it had one."""
    was = file.memory.status if "status" in file.front.values else None
    said: dict[str, Plain] = {name: value for name, value in {**entry, "was": was}.items() if value}
    edits = [splice.SetValue("status", QUARANTINED), splice.SetValue("quarantine", said)]
    return Edit(path=file.path, before=file, after=splice.apply(file, edits))


def _release_edit(file: MemoryFile) -> Edit:
    entry = file.memory.quarantine
    was = entry.was if entry else None
    status = splice.SetValue("status", was) if was else splice.RemoveKey("status")
    return Edit(path=file.path, before=file, after=splice.apply(file, [status, splice.RemoveKey("quarantine")]))


def _relabelled(file: MemoryFile, of: str) -> Edit:
    said = {**file.front.values["quarantine"], "of": of}
    return Edit(path=file.path, before=file, after=splice.apply(file, [splice.SetValue("quarantine", said)]))


def _cause_of(file: MemoryFile) -> str:
    """Return what a memory was quarantined with; itself if its file doesn't say."""
    entry = file.memory.quarantine
    return entry.of if entry else str(file.memory.ref)


def _origin(derived: Mapping[int, int | None], row: int, group: Collection[int]) -> int:
    """Return the memory outside the group because of which one in it stays."""
    seen = set[int]()
    while row in group and row not in seen:
        seen.add(row)
        source = derived[row]
        row = row if source is None else source
    return row


def _one_line(text: str | None) -> str | None:
    return " ".join((text or "").split()) or None


def _saved(view: View, edits: Sequence[Edit], plan: Plan, *, verb: str, **saving: Unpack[Saving]) -> tuple[Saved, ...]:
    known = {edit.path for edit in edits}
    files = {step.ref: view.original(step.ref) for step in plan.steps}
    weighed = [with_lines(files[step.ref], step.new, step.lines) for step in plan.steps]
    edits = [*edits, *(edit for edit in weighed if edit.path not in known)]
    return save_all(view, edits, verb=verb, **saving) if edits else ()


# -- the numbers -------------------------------------------------------------------------------------


def _plan(view: View, *, gone: Collection[str], back: Collection[str], changed: Collection[str]) -> Plan:
    """Return the effect on all other memories if some were gone, or were there again."""
    memories = {str(file.memory.ref): file.memory for file in resting(view)}
    store = store_of(view, {ref: memory for ref, memory in memories.items() if ref not in gone})
    known = {*store.sure, *store.gone, *store.set_aside}
    away, there, starts = (_ledger_spellings(known, refs) for refs in (gone, back, changed))
    sure = {ref: number for ref, number in store.sure.items() if ref not in away}
    for ref in there:
        entry = view.find(ref.partition(":")[2])
        sure[ref] = float(entry.confidence) if entry.confidence else None
    store = replace(store, sure=sure, set_aside=({*store.set_aside} | away) - there)
    return plan_propagation(store, now=view.clock.now(), by=view.actor, changed=starts)


def _ledger_spellings(known: Iterable[str], refs: Collection[str]) -> set[str]:
    """Return refs as ledgers spell them: the type in a ref may be the one that the memory had then."""
    ids = {ref.partition(":")[2] for ref in refs}
    return {*refs, *(text for text in known if (ref := MemoryRef.parse(text)) and ref.id in ids)}


def _confidence_moves(plan: Plan, paths: Mapping[str, str]) -> tuple[ConfidenceMove, ...]:
    return tuple(ConfidenceMove(step.ref, paths[step.ref], step.old, step.new) for step in plan.steps)


# -- what is meant -----------------------------------------------------------------------------------


class _Whole:
    """All memories that the actor may see, by row."""

    def __init__(self, view: View) -> None:
        if view.acts_for_owner:
            view.require_owner()  # nobody else may listen: what they don't see would be left out
        self._view = view
        self._columns: dict[str, Sequence[str]] = {}

    def _items(self, name: str, row: int) -> list[str]:
        return [item for item in self._column(name)[row].split(ITEM_SEPARATOR) if item]

    def _column(self, name: str) -> Sequence[str]:
        if name not in self._columns:
            self._columns[name] = self._view.column(name)
        return self._columns[name]

    def status(self, row: int) -> str:
        return self._column("status")[row]

    def ref(self, row: int) -> str:
        entry = self._view.entry(row)
        return entry.ref or entry.path

    def is_own(self, row: int) -> bool:
        """Whether a memory is the actor's, has an id to be named by, and was not forgotten."""
        is_own = self._view.owns_as(self._column("owner")[row])
        return is_own and bool(self._column("id")[row]) and self.status(row) != "forgotten"

    def taken(self, row: int, source: int | None) -> QuarantinedMemory:
        entry = self._view.entry(row)
        title = shown_title(entry.title, entry.source_type)
        held = float(entry.confidence) if entry.confidence else None
        return QuarantinedMemory(
            self.ref(row),
            entry.path,
            title,
            held,
            None if source is None else self.ref(source),
            entry.source_type == EXTERNAL,
        )

    def files(self, rows: Iterable[int]) -> dict[int, MemoryFile]:
        """Return the complete files of rows."""
        return {row: self._view.original(self.ref(row)) for row in rows}

    def quarantined(self) -> dict[int, MemoryFile]:
        """Return the files of the actor's quarantined memories."""
        return self.files(row for row in self._view.rows if self.status(row) == QUARANTINED and self.is_own(row))

    def paths_of(self, plan: Plan) -> dict[str, str]:
        return {step.ref: self._view.find(step.ref).path for step in plan.steps}

    def meant(self, name: str) -> tuple[str, list[int]]:
        """Return the full name of what is meant, and the rows of its memories."""
        name = name.strip()
        by_name = self._by_import(name) or self._by_source(name) or self._by_entity(name)
        if by_name:
            if not any(map(self.is_own, by_name)):
                raise RefusedError(f"what comes from {name} is not {self._view.actor}'s", hint=_ONLY_OWN)
            return name, by_name
        if MemoryRef.parse(name) is None and (is_entity_id(name) or "://" in name or name.startswith(f"{ORIGINALS}/")):
            raise NotFoundError(f"no memory comes from {name}", hint=self._did_you_mean(name))
        entry = self._view.find(name)
        if entry.ref is None:
            raise NoIdError(entry.path)
        file = self._view.original(entry.ref)
        if not self._view.owns(file.memory):
            refuse_as_not_owner(self._view, file)
        if entry.status == "forgotten":
            raise RefusedError(f"{entry.ref} was forgotten: nothing is left to quarantine")
        return entry.ref, [*self._view.rows_of_id(entry.id)]

    def _by_entity(self, name: str) -> list[int]:
        if MemoryRef.parse(name) or not is_entity_id(name):
            return []
        return [row for row in self._view.rows if name in self._entities(row)]

    def _entities(self, row: int) -> tuple[str, ...]:
        said = (self._column(key)[row] for key in ("author", "source_entity", "source"))
        return (*said, *self._items("source_chain", row))

    def _by_source(self, name: str) -> list[int]:
        """Return the memories of a source: of this one, or of a page below it."""
        if "://" not in name:
            return []
        below = name.rstrip("/") + "/"
        return [row for row in self._view.rows if any(_is_at(one, name, below) for one in self._sources(row))]

    def _sources(self, row: int) -> list[str]:
        marks = (mark.partition(":")[2] for mark in self._items("derived_from", row) if mark.startswith(_MARKS))
        return [one for one in (self._column("source")[row], *marks) if one]

    def _by_import(self, name: str) -> list[int]:
        """Return the memories that came with an import: of a format, `imports/chatgpt`, or of one original."""
        if not name.startswith(f"{ORIGINALS}/"):
            return []
        place, below = f"file:{name.rstrip('/')}", (f"file:{name.rstrip('/')}/", f"file:{name}#")
        marks = ((row, mark) for row in self._view.rows for mark in self._items("derived_from", row))
        return [*dict.fromkeys(row for row, mark in marks if mark == place or mark.startswith(below))]

    def with_derived(self, rows: Iterable[int]) -> dict[int, int | None]:
        """Return rows and all that was derived from them, nearest first, each with what it was derived from."""
        children = self._children()
        found: dict[int, int | None] = dict.fromkeys(rows)
        waiting = [*found]
        for row in waiting:  # grows while it is read
            for child in children.get(self._column("id")[row], ()):
                if child not in found:
                    found[child] = row
                    waiting.append(child)
        return found

    def _children(self) -> Mapping[str, list[int]]:
        """Return what was derived from each memory, by its id, in whichever of the two files that is stated."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for row in self._view.rows:
            for ref in map(MemoryRef.parse, self._items("derived_from", row)):
                if ref is not None:
                    found[ref.id].append(row)
            for ref in map(MemoryRef.parse, self._items("processed_into", row)):
                if ref is not None:
                    found[self._column("id")[row]] += self._view.rows_of_id(ref.id)
        return found

    # -- near-spelt names ------------------------------------------------------------------------

    def near(self, name: str, rows: Sequence[int]) -> tuple[NearSource, ...]:
        """Return the sources of the actor's other memories that are spelt nearly like the one that was named."""
        wanted = {name} if MemoryRef.parse(name) is None else set[str]()
        wanted |= {one for row in rows for one in (self._column("source")[row], self._column("source_entity")[row])}
        meant = frozenset(rows)
        counts = Counter(
            one
            for row in self._view.rows
            if row not in meant and self.is_own(row) and self.status(row) != QUARANTINED
            for one in {*self._entities(row), *self._sources(row)}
            if one and one != self._view.actor
        )
        found = [near for one in sorted(wanted - {""}) for near in _alike(one, counts)]
        return tuple(NearSource(one, counts[one]) for one in dict.fromkeys(found))[:MOST_NEAR]

    def _did_you_mean(self, name: str) -> str:
        near = self.near(name, ())
        return f"did you mean {near[0].name}?" if near else "memstore list shows what there is"


_ONLY_OWN = "only the owner of memories quarantines them"
_MARKS = ("url:", "context:")


def _is_at(source: str, name: str, below: str) -> bool:
    return source == name or source.startswith(below)


def _alike(name: str, known: Collection[str]) -> list[str]:
    """Return the known names that are spelt nearly like one; letters in other forms are the same letter."""
    folded: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(known):
        folded[fold(one)].append(one)
    return [one for near in get_close_matches(fold(name), [*folded], MOST_NEAR, NEARLY_SPELT) for one in folded[near]]
