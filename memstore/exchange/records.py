"""Take back memories that memstore exported: they keep their ids, histories and attestations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.file_names import path_of_new
from memstore.core.places import is_memory_path, is_name_on_one_line
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed
from memstore.exchange.draft import RECORD, Exported
from memstore.files import FILES
from memstore.files.draft import new_file
from memstore.files.json_stream import items
from memstore.memories.incoming import Incoming, made
from memstore.trust.formats.memory_v01 import STAYS

if TYPE_CHECKING:
    from collections.abc import Container

    from memstore.core.view import View
    from memstore.exchange.source import ImportSource
    from memstore.files.json_stream import Item
    from memstore.files.memory_file import MemoryFile
    from memstore.memories.incoming import Imported


@again_where_changed
def import_records(view: View, source: ImportSource, *, strict: bool = False, **saving: Unpack[Saving]) -> Imported:
    """Write the memories of a file of records; existing memories with the same ids are left unchanged.

    Args:
        view: the vault.
        source: the file, one record of `exporting.records` per line.
        strict: if any record is not a valid memory, write nothing; otherwise it is left out and named.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor is not the vault's owner.
        FormatError: no record is a valid memory, or not every one with `strict`; nothing was written.
    """
    view.require_owner("import from other programs")
    incoming = Incoming(view)
    name = source.names[0]
    with source.stream(name) as stream:
        for item in items(stream):
            where = source.where(name, item.line)
            try:
                incoming.add(_file(view, where, item, incoming.paths), is_same=True)
            except FormatError as error:
                incoming.left_out.append(Skipped.unread(where, error))
    return incoming.save("import jsonl", strict=strict, **saving)


def _file(view: View, where: str, item: Item, written: set[str]) -> MemoryFile:
    if item.why:
        raise FormatError(item.why, where=where)
    exported = exported_in(item.value)
    if exported is None:
        raise FormatError("this is not a memory as `memstore export jsonl` writes it", where=where)
    return restored(view, where, exported, written)


def exported_in(value: Any) -> Exported | None:
    """Return the memory in a value of the form that `exporting.records` yields; None for any other value."""
    match value:
        case {"record": record, "path": str(path), "frontmatter": dict(values), "body": str(body)} if record == RECORD:
            return Exported(path, values, body)
    return None


def restored(view: View, where: str, exported: Exported, written: Container[str]) -> MemoryFile:
    """Return the file of a memory that memstore exported, at the path that it had if that is free.

    Args:
        view: the vault.
        where: the place in the source, for messages.
        exported: what the source says of the memory.
        written: the paths that are taken already.

    Raises:
        FormatError: it is not a memory with an id, or it says who may see it.
    """
    path, values, body = exported
    brought = sorted(values.keys() & STAYS)
    if brought:
        raise FormatError(f"`{brought[0]}` is decided by each vault for itself", where=where, hint="remove it")
    file = made(where, values, body, laid_out=lambda values, body: new_file(values, "") + body.encode())
    if file.memory.id is None:
        raise FormatError("it has no `id`", where=where)
    usable = is_memory_path(path, mixed=False) and is_name_on_one_line(path)
    free = usable and path not in written and view.of(FILES).cited(path) is None
    at = instant(view.clock.now())
    place = path if free and ".." not in path.split("/") else path_of_new(file.memory, view.config.filenames, at=at)
    return file._replace(path=place)
