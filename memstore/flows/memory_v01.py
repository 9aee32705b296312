"""Take over memories in seed 004's JSON, and give them away in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.codec import canonical, memory_file, memory_v01
from memstore.codec.draft import new_file
from memstore.codec.memory_file import MemoryFile
from memstore.codec.titles import title_of
from memstore.errors import FormatError, UsageError
from memstore.flows.amend import opened_for_change
from memstore.flows.registries import world_of
from memstore.flows.reputation import Reputations
from memstore.flows.save import Edit, Saved, hint, save_all, told
from memstore.flows.sources import loader
from memstore.flows.told_refs import teller, told_by
from memstore.flows.trust import trusted
from memstore.flows.visible import visible_files, visible_rows
from memstore.flows.vouch import Voucher
from memstore.model.ids import MemoryRef, is_entity_id
from memstore.model.instants import instant
from memstore.rules.slugs import path_of_new

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.codec.memory_v01 import Document
    from memstore.flows.trust import Trusted
    from memstore.model.memory import Memory
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemories:
    """What became of foreign memories: those that were written, the refs of those that are there already.

    `different` are those of `known` that say something else here, or have another source.
    """

    saved: tuple[Saved, ...]
    known: tuple[str, ...]
    different: tuple[str, ...]


def import_memories(
    ws: Workspace, documents: Sequence[Document], *, dry_run: bool = False, commit: bool = False
) -> ImportedMemories:
    """Write memories of seed 004's form under the ids that they have; one whose id is there already stays as it is.

    Args:
        ws: the vault.
        documents: the memories, as `codec.memory_v01.read` gives them.
        dry_run: write nothing, and return what would be.
        commit: commit them, too.

    Raises:
        FormatError: one of them has not the form, or holds what could not be kept; nothing was written.
    """
    snapshot = ws.library.snapshot()
    load = loader(ws, snapshot)
    ref_of, entity_of = _refs(ws, documents), _entities(ws)
    taken: dict[str, Memory] = {}
    edits: list[Edit] = []
    known: list[str] = []
    different: list[str] = []
    for document in documents:
        file = _file(ws, memory_v01.read_memory(document, entity_of=entity_of, ref_of=ref_of))
        memory_id = file.memory.id or ""
        there = taken.get(memory_id) or load(ref_of(memory_id) or "")
        if there is None:
            edits.append(Edit(path=file.path, before=None, after=file.data))
            taken[memory_id] = file.memory
            continue
        known.append(str(there.ref))
        if canonical.digests(there) != canonical.digests(file.memory):
            different.append(str(there.ref))
    saved = save_all(ws, edits, verb="import memory-v0.1", dry_run=dry_run, commit=commit)
    return ImportedMemories(saved=saved, known=tuple(known), different=tuple(different))


def export_memories(ws: Workspace, refs: Sequence[str], *, everything: bool = False) -> tuple[Document, ...]:
    """Return memories in seed 004's form, with their trust and the depth of their chain as they are now.

    Args:
        ws: the vault.
        refs: which.
        everything: all that the viewer may see, by path; but none without an id, and none that was forgotten.

    Raises:
        NotFoundError: a ref names none that the viewer may see.
        UsageError: nothing is named, or one has no id yet.
    """
    if bool(refs) == everything:
        raise UsageError("export which memories?", hint="name refs, or say --all")
    snapshot = ws.library.snapshot()
    load = loader(ws, snapshot)
    if everything:
        files = [file for file in visible_files(ws, snapshot) if file.memory.ref and file.memory.status != "forgotten"]
        by_id = {file.memory.id: file.memory for file in files}
        load = lambda ref: by_id.get(ref.partition(":")[2])  # noqa: E731 - they have all been read
    else:
        files = [opened_for_change(ws, ref) for ref in refs]
    voucher = Voucher(ws)
    reputations = Reputations(ws, voucher)
    is_told = teller(ws, snapshot)
    return tuple(_document(trusted(ws, file, voucher, reputations), load, is_told) for file in files)


def _document(found: Trusted, load: Callable[[str], Memory | None], is_told: Callable[[str], bool]) -> Document:
    file = found.file
    if not file.memory.id:
        raise UsageError(f"{file.path} has no id yet", hint=f"memstore adopt {file.path}")
    trust = {**found.seed_factors(), "computed_at": instant(found.computed_at)}
    values = told_by(is_told, file.front.values)
    return memory_v01.document_of(values, file.text.body, chain_depth=_depth(file.memory, load), trust=trust)


def _depth(memory: Memory, load: Callable[[str], Memory | None]) -> int:
    """Return how many generations of sources and predecessors a memory has; a circle's members count once."""
    seen, generation, depth = {memory.id}, [memory], 0
    while True:
        refs = [ref for one in generation for ref in (*one.derived_from, *one.supersedes)]
        above = {found.id: found for ref in refs if (found := load(ref)) is not None and found.id not in seen}
        if not above:
            return depth
        seen |= above.keys()
        generation, depth = list(above.values()), depth + 1


def _file(ws: Workspace, foreign: memory_v01.Foreign) -> MemoryFile:
    values: dict[str, Any] = foreign.values
    if ws.actor != ws.config.owner:
        values = {**values, "owner": ws.actor}
    read = memory_file.read(str(values["id"]), new_file(values, foreign.body))
    if not isinstance(read, MemoryFile):
        findings = getattr(read, "findings", ())
        raise FormatError(told(findings), hint=hint(findings))
    memory = read.memory
    title = title_of(memory) if ws.config.filenames == "slug-id" else ""
    path = path_of_new(memory.type, memory.id or "", memory.created_at or instant(ws.clock.now()), title)
    return MemoryFile(path, read.data, read.text, read.front, memory)


def _refs(ws: Workspace, documents: Sequence[Document]) -> Callable[[str], str | None]:
    """Return what gives the ref of an id: that of a memory which may be seen, or of one among the documents."""
    catalog = ws.library.snapshot().catalog
    visible = frozenset(visible_rows(ws, ws.library.snapshot()))
    among = {memory_v01.id_of(document): memory_v01.type_of(document) for document in documents}

    def ref_of(memory_id: str) -> str | None:
        rows = [row for row in catalog.rows_of_id(memory_id) if row in visible]
        if rows:
            return catalog.entry(rows[0]).ref
        return str(MemoryRef(str(among[memory_id]), memory_id)) if memory_id in among else None

    return ref_of


def _entities(ws: Workspace) -> Callable[[str], str]:
    """Return what gives the entity that a handle names: by its id, by an alias, else a new one of that name."""
    entities = world_of(ws).entities

    def entity_of(handle: str) -> str:
        if is_entity_id(handle):
            return handle
        named = [one for one, known in entities.items() if handle.casefold() in map(str.casefold, known.aliases)]
        if len(named) > 1:
            raise FormatError(f"{handle} may be {' or '.join(sorted(named))}", hint="write the entity's id")
        found = named[0] if named else memory_v01.folded(handle)
        if found is None:
            raise FormatError(
                f"whom {handle!r} names is not known", hint=f"memstore entity add si:NAME --alias {handle}"
            )
        return found

    return entity_of
