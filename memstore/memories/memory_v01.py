"""Import memories from seed 004's JSON, and export them to it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.access import RIGHTS
from memstore.core.change import Skipped
from memstore.core.errors import FormatError, NoIdError, UsageError, changed_while_read
from memstore.core.file_names import path_of_new
from memstore.core.ids import MEMORY_TYPES, MemoryRef, is_entity_id
from memstore.core.named import refs_of
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed
from memstore.files import memory_file
from memstore.lineage.refs import loader
from memstore.memories.incoming import MOST_SHOWN, Incoming, made
from memstore.trust.formats import memory_v01
from memstore.trust.formats.memory_v01 import Placed
from memstore.trust.reputation import Reputations
from memstore.trust.trust import trusted
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.core.memory import Memory
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.memories.incoming import Imported
    from memstore.trust.formats.memory_v01 import Document
    from memstore.trust.trust import Trusted


@again_where_changed
def import_memories(
    view: View, documents: Sequence[Placed | Skipped], *, strict: bool = False, **saving: Unpack[Saving]
) -> Imported:
    """Write memories of seed 004's form under their own ids; a memory whose id already exists stays as it is.

    Args:
        view: the vault.
        documents: the memories, as returned by `trust.formats.memory_v01.read`.
        strict: if any does not have the form, write nothing; otherwise it is left out and named.
        saving: dry_run, commit.

    Raises:
        FormatError: none can be read, or not all with `strict`; nothing was written.
    """
    found = _files(view, documents)
    if any(isinstance(one, Skipped) for one in found):  # those that name what is left out don't know its type
        left = [one if isinstance(one, Skipped) else known for one, known in zip(found, documents, strict=True)]
        found = _files(view, left)
    incoming = Incoming(view)
    for one in found:
        if isinstance(one, Skipped):
            incoming.left_out.append(one)
        else:
            incoming.add(one.file)
    done = incoming.save("import memory-v0.1", strict=strict, **saving)
    return replace(done, unknown=tuple(_unknown(found)))


MOST_OF_A_NAME = 80


class _Read(NamedTuple):
    """A memory of seed 004's form, and its file here."""

    where: str
    foreign: memory_v01.Foreign
    file: MemoryFile


def _unknown(found: Sequence[_Read | Skipped]) -> Iterator[Skipped]:
    """Yield what says of each memory that it has members that are only kept."""
    for one in found:
        if isinstance(one, _Read) and (one.foreign.unknown or one.foreign.version):
            version = f"it is of {one.foreign.version}, and read as far as that is understood" * bool(
                one.foreign.version
            )
            members = ", ".join(name[:MOST_OF_A_NAME] for name in one.foreign.unknown[:MOST_SHOWN])
            kept = f"kept as it is: {members}" * bool(members)
            yield Skipped(one.where, "; ".join(filter(None, (version, kept))))


def _files(view: View, documents: Sequence[Placed | Skipped]) -> list[_Read | Skipped]:
    """Return the files of memories, and what says so in place of those that have none."""
    among = {}
    for one in documents:
        with suppress(FormatError):
            if isinstance(one, Placed):
                named = _with_own_id(view, one.document)
                if (kind := memory_v01.type_of(named)) in MEMORY_TYPES:
                    among[memory_v01.id_of(named)] = kind
    ref_of, entity_of = _refs(view, among), _entities(view)

    def file_of(one: Placed | Skipped) -> _Read | Skipped:
        if isinstance(one, Skipped):
            return one
        try:
            document = _with_own_id(view, one.document)
            foreign = memory_v01.read_memory(document, entity_of=entity_of, ref_of=ref_of)
            return _Read(one.where, foreign, _file(view, one.where, foreign))
        except FormatError as error:
            return Skipped.unread(one.where, error)

    return [file_of(one) for one in documents]


def _with_own_id(view: View, document: Document) -> Document:
    """Return a document with the id that it gets here, which is not its own if anybody but the owner imports it.

    An id that they chose may be that of a memory unknown to them, or one from which another is made. Theirs is derived
    from who imports what, so that a second import finds what the first one wrote.
    """
    if view.is_owners:
        return document
    return {**document, "id": memory_v01.id_for(view.actor, memory_v01.id_of(document))}


def export_memories(view: View, memories: Names | None = None) -> tuple[Document, ...]:
    """Return memories in seed 004's form, with their current trust and chain depth.

    Args:
        view: the vault.
        memories: the memories; None for all that the viewer may see, by path, except those without an id and forgotten
            ones.

    Raises:
        NotFoundError: a ref names none that the viewer may see.
        UsageError: nothing is named, or one has no id yet.
    """
    files, everything = chosen(view, memories), memories is None
    by_id = {file.memory.id: file.memory for file in files} if everything else {}
    load = (lambda ref: by_id.get(ref.partition(":")[2])) if everything else loader(view)  # all have been read
    voucher = Voucher(view)
    reputations = Reputations(view, voucher)
    return tuple(_document(trusted(view, file, voucher, reputations), load) for file in files)


def chosen(view: View, memories: Names | None) -> list[MemoryFile]:
    """Return the memories to export, as the viewer may see them; arguments and errors as for `export_memories`."""
    if memories is None:
        return [file for file in view.memories() if file.memory.ref and file.memory.status != "forgotten"]
    files = [_named(view, ref) for ref in dict.fromkeys(refs_of(memories))]
    if not files:
        raise UsageError("no memories to export were named", hint="name refs, or give --all")
    for file in files:
        _require_id(file)
    return files


def _named(view: View, ref: str) -> MemoryFile:
    """Return the file of a memory as the viewer may see it."""
    entry = view.find(ref)
    file = view.read(entry.path)
    if file is None:
        raise changed_while_read(entry.path)
    return file


def _require_id(file: MemoryFile) -> None:
    if not file.memory.id:
        raise NoIdError(file.path)


def _document(found: Trusted, load: Callable[[str], Memory | None]) -> Document:
    file = found.file
    trust = {**found.seed_factors(), "computed_at": instant(found.computed_at)}
    values = memory_file.values_for_any_vault(file)
    return memory_v01.document_of(values, file.text.body, chain_depth=_depth(file.memory, load), trust=trust)


def _depth(memory: Memory, load: Callable[[str], Memory | None]) -> int:
    """Return how many generations of sources and predecessors a memory has; members of a cycle count once."""
    seen, generation, depth = {memory.id}, [memory], 0
    while True:
        refs = [ref for one in generation for ref in (*one.derived_from, *one.supersedes)]
        above = {found.id: found for ref in refs if (found := load(ref)) is not None and found.id not in seen}
        if not above:
            return depth
        seen |= above.keys()
        generation, depth = list(above.values()), depth + 1


def _file(view: View, where: str, foreign: memory_v01.Foreign) -> MemoryFile:
    values: dict[str, Any] = foreign.values
    # In a mixed vault, an id of another form marks another program's note, unless it has an owner.
    if not view.acts_for_owner or view.config.mixed:
        values = {**values, "owner": view.actor}
    file = made(where, values, foreign.body)
    # To anybody but the owner, who chose the id, a longer name would reveal that the short one is taken.
    at = instant(view.clock.now())
    return file._replace(path=path_of_new(file.memory, view.config.filenames, at=at, whole_id=not view.is_owners))


def _refs(view: View, among: Mapping[str, object]) -> Callable[[str], str | None]:
    """Return a function from an id to the ref of a visible memory, or of one that comes in, by the types of these."""

    def ref_of(memory_id: str) -> str | None:
        rows = view.rows_of_id(memory_id)
        if rows:
            return view.entry(rows[0]).ref
        return str(MemoryRef(str(among[memory_id]), memory_id)) if memory_id in among else None

    return ref_of


def _entities(view: View) -> Callable[[str], str]:
    """Return a function from a handle to its entity: by its id, by an alias, or else a new one of that name."""
    entities = view.of(RIGHTS).registries.entities

    def entity_of(handle: str) -> str:
        if is_entity_id(handle):
            return handle
        named = [one for one, known in entities.items() if handle.casefold() in map(str.casefold, known.aliases)]
        if len(named) > 1:
            raise FormatError(f"{handle} may mean {' or '.join(sorted(named))}", hint="write the entity's id")
        found = named[0] if named else memory_v01.folded(handle)
        if found is None:
            raise FormatError(
                f"it is unknown whom {handle!r} names", hint=f"memstore privacy entity add si:NAME --alias {handle}"
            )
        return found

    return entity_of
