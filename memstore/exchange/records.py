"""Take back memories that memstore exported: they keep their ids, histories and attestations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.errors import FormatError
from memstore.core.file_names import path_of_new
from memstore.core.places import is_memory_path, is_name_on_one_line
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, hint, shown
from memstore.exchange.draft import RECORD, Exported
from memstore.exchange.json_stream import items
from memstore.files import memory_file
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.memories.incoming import Incoming
from memstore.trust.formats.memory_v01 import STAYS

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from memstore.core.view import View
    from memstore.exchange.source import ImportSource
    from memstore.memories.incoming import ImportedMemories


@again_where_changed
def import_records(view: View, source: ImportSource, **saving: Unpack[Saving]) -> ImportedMemories:
    """Write the memories of a file of records; existing memories with the same ids are left unchanged.

    Args:
        view: the vault.
        source: the file, one record of `exporting.records` per line.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor is not the vault's owner.
        FormatError: the file has another format, or a record is not a valid memory; nothing was written.
    """
    view.require_owner("import from other programs")
    incoming = Incoming(view)
    name = source.names[0]
    with source.stream(name) as stream:
        for item in items(stream):
            if item.why:
                raise FormatError(item.why, where=source.where(name, item.line), hint="export it again")
            incoming.add(_file(view, source.where(name, item.line), item.value, incoming.paths))
    return incoming.save("import jsonl", **saving)


def _file(view: View, where: str, value: Any, written: set[str]) -> MemoryFile:
    exported = exported_in(value)
    if exported is None:
        raise FormatError(
            "this is not a memory as `memstore export jsonl` writes it",
            where=where,
            hint=f'a line has "record": "{RECORD}", a path, a frontmatter and a body',
        )
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
    data = _bytes(where, values, body)
    read = memory_file.read(where, data)
    if not isinstance(read, MemoryFile) or read.memory.id is None:
        findings = getattr(read, "findings", ())
        raise FormatError(f"{where} is not a memory with an id:\n{shown(findings)}", hint=hint(findings))
    usable = is_memory_path(path, mixed=False) and is_name_on_one_line(path)
    free = usable and path not in written and view.cited_file(path) is None
    at = instant(view.clock.now())
    place = path if free and ".." not in path.split("/") else path_of_new(read.memory, view.config.filenames, at=at)
    return MemoryFile(place, read.data, read.text, read.front, read.memory)


def _bytes(where: str, values: Mapping[str, Any], body: str) -> bytes:
    try:
        json.dumps(values, ensure_ascii=False, allow_nan=False).encode()  # a lone surrogate can't be in a file
        return new_file(values, "") + body.encode()
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this can't be written to a file: {error}", where=where) from error
