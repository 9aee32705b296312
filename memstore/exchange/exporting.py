"""Export memories: as JSONL, as files, as a bundle in the Open Knowledge Format, and their provenance as PROV-JSON.

Everything exported comes from the view: a memory that the actor may not see is treated as if it did not exist. Who may
see a memory is never exported.
"""

from __future__ import annotations

import re
import tarfile
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memstore.core.ids import MemoryRef
from memstore.core.places import FOLDER_OF_TYPE, MEMORY_SUFFIX, NO_CONCEPTS, is_memory_path, without_suffix
from memstore.core.titles import title_of
from memstore.exchange.draft import RECORD
from memstore.files.draft import new_file
from memstore.files.memory_file import values_for_any_vault
from memstore.files.shapes import is_absent
from memstore.memories.memory_v01 import chosen
from memstore.trust.formats.memory_v01 import STAYS
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.core.memory import Memory
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain

# Where a concept has the memory that it was made from.
OWN_KEY = "memstore"
OKF_VERSION = "0.2"
_INDEX = "index.md"
_LONGEST_DESCRIPTION = 160
_NEEDS_BRACKETS = re.compile(r"[\s()<>\\]")


def records(view: View, memories: Names | None = None) -> Iterator[dict[str, Any]]:
    """Yield each memory as a JSON object with its path, its frontmatter and its unchanged text.

    Raises the errors of `memories.memory_v01.chosen`.
    """
    for file in chosen(view, memories):
        yield {"record": RECORD, "path": file.path, "frontmatter": _portable_values(file), "body": file.text.body}


def files(view: View, memories: Names | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield each memory as the path and bytes of a file; raises the errors of `records`.

    A memory keeps its path, unless a vault without notes of other programs takes a file there for something else.
    """
    found = chosen(view, memories)
    names = _names(found, lambda path: is_memory_path(path, mixed=False))
    for file in found:
        yield names[file.path], _file(_portable_values(file), file.text.body)


def _portable_values(file: MemoryFile) -> dict[str, Any]:
    values = values_for_any_vault(file)
    return {name: value for name, value in values.items() if name not in STAYS and not is_absent(value)}


def _file(values: Mapping[str, Plain], body: str) -> bytes:
    """Return a file with these values and a body that is kept byte for byte."""
    return new_file(values, "") + body.encode()


def archived(found: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield the bytes of a TAR archive of files, which depend on the files only, not on the machine or the time."""
    for path, data in found:
        info = tarfile.TarInfo(path)
        info.size = len(data)
        yield info.tobuf(tarfile.PAX_FORMAT)
        yield data + b"\0" * (-len(data) % tarfile.BLOCKSIZE)
    yield b"\0" * 2 * tarfile.BLOCKSIZE


# -- Open Knowledge Format -------------------------------------------------------------------------


def okf(view: View, memories: Names | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a bundle: a concept for each memory, and an index; raises the errors of `records`.

    `generated` is the memory's author and time, `sources` what it was derived from, and `verified` lists the witnesses
    whose signed confirmation is valid. A memory keeps its path, unless no concept may have that name. With the record
    under `memstore`, an import can make the same memory of a concept again.
    """
    found = chosen(view, memories)
    names = _names(found, _fits)
    paths = {str(file.memory.ref): f"/{names[file.path]}" for file in found}
    voucher = Voucher(view)
    yield _INDEX, _index(found, names)
    for file in found:
        yield names[file.path], _file(_concept(file, paths, voucher), file.text.body)


def _names(found: Sequence[MemoryFile], fits: Callable[[str], bool]) -> dict[str, str]:
    """Return the path that each memory gets outside the vault, by its path in the vault.

    Where a file of its name would be taken for something else, like `index.md`, its id stands behind the name; where
    that is due to the folder, the folder is put into that of the memory's type.
    """
    names = {file.path: file.path for file in found if fits(file.path)}
    taken = {path.casefold() for path in names}
    for file in found:
        if file.path not in names:
            name = f"{without_suffix(file.path)}-{file.memory.id}{MEMORY_SUFFIX}"
            name = name if fits(name) else f"{FOLDER_OF_TYPE[file.memory.type]}/{name}"
            while name.casefold() in taken:
                name = f"{without_suffix(name)}-2{MEMORY_SUFFIX}"
            taken.add(name.casefold())
            names[file.path] = name
    return names


def _fits(path: str) -> bool:
    """Return whether a concept may have this path: it ends with `.md`, and isn't called `index.md` or `log.md`."""
    return path.endswith(MEMORY_SUFFIX) and path.rpartition("/")[2].casefold() not in NO_CONCEPTS


def _concept(file: MemoryFile, paths: Mapping[str, str], voucher: Voucher) -> dict[str, Plain]:
    memory = file.memory
    foreign = file.front.values.get("okf")
    confirmed = [
        {"by": one.witness.agent_id, "at": one.witness.witnessed_at}
        for one in voucher.of(memory).witnesses
        if one.verdict.counts and one.witness.attestation == "confirm"
    ]
    made: dict[str, Plain] = {"by": memory.author or "unknown", "at": memory.created_at}
    ends = memory.valid_until
    values: dict[str, Any] = {
        "type": memory.type,
        "title": title_of(memory),
        "tags": [*memory.tags],
        "status": {"active": "stable", "draft": "draft"}.get(memory.status, "deprecated"),
        "stale_after": ends[:10] if ends else None,
        "generated": {name: value for name, value in made.items() if value},
        "sources": [{"resource": paths.get(source, source.removeprefix("url:"))} for source in memory.derived_from],
        "verified": confirmed,
        "id": memory.id,
        "confidence": memory.confidence,
        OWN_KEY: {"record": RECORD, "path": file.path, "frontmatter": _portable_values(file)},
    }
    # A concept that was imported keeps its original keys, except for those that the memory states itself.
    return {**(foreign if isinstance(foreign, dict) else {}), **_exported_values(values)}


def _exported_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not is_absent(value)}


def _index(found: Sequence[MemoryFile], names: Mapping[str, str]) -> bytes:
    """Return the index of a bundle, grouped by type."""
    by_type: dict[str, list[MemoryFile]] = {}
    for file in found:
        by_type.setdefault(file.memory.type, []).append(file)
    lines = ["---", f'okf_version: "{OKF_VERSION}"', "---"]
    for kind in sorted(by_type):
        lines += ["", f"# {kind.capitalize()}", ""]
        lines += [f"* [{_label(file.memory)}]({_target(names[file.path])})" for file in by_type[kind]]
    return ("\n".join(lines) + "\n").encode()


def _target(path: str) -> str:
    """Return a path as the target of a link; one with blanks or brackets must be in angle brackets.

    Others go without, since not every program that reads bundles knows them.
    """
    return f"<{path}>" if _NEEDS_BRACKETS.search(path) else path


def _label(memory: Memory) -> str:
    return title_of(memory).replace("[", "(").replace("]", ")")[:_LONGEST_DESCRIPTION]


# -- PROV-JSON -------------------------------------------------------------------------------------


_PREFIXES = {
    "mem": "https://memstore.dev/ns/memory/",
    "who": "https://memstore.dev/ns/entity/",
    "src": "https://memstore.dev/ns/source/",
    "ms": "https://memstore.dev/ns/terms#",
}


def prov(view: View, memories: Names | None = None) -> dict[str, Any]:
    """Return the provenance of memories as W3C PROV-JSON; raises the errors of `records`.

    A memory is an entity, attributed to its author and derived from its sources; a memory that supersedes another is a
    revision of it. For a source that is not an exported memory, the entity holds at most its name.
    """
    found = chosen(view, memories)
    document: dict[str, Any] = {"prefix": dict(_PREFIXES), "entity": {}, "agent": {}}
    exported = {str(file.memory.ref) for file in found}
    relations = _Relations(document)
    for file in found:
        memory = file.memory
        name = _memory_name(str(memory.ref))
        document["entity"][name] = _exported_values(
            {
                "prov:type": {"$": f"ms:{memory.type}", "type": "xsd:QName"},
                "prov:label": title_of(memory),
                "prov:generatedAtTime": _time(memory.created_at),
                "ms:status": memory.status,
                "ms:sourceType": memory.source_type,
                "ms:source": memory.source,
                "ms:confidence": memory.confidence,
            }
        )
        if memory.author:
            agent = f"who:{memory.author.replace(':', '/', 1)}"
            kind = "prov:Person" if memory.author.startswith("human:") else "prov:SoftwareAgent"
            document["agent"][agent] = {"prov:type": {"$": kind, "type": "xsd:QName"}}
            relations.add("wasAttributedTo", {"prov:entity": name, "prov:agent": agent})
        for source in memory.derived_from:
            used = _source(document, source, exported)
            relations.add("wasDerivedFrom", {"prov:generatedEntity": name, "prov:usedEntity": used})
        for old in memory.supersedes:
            revision = {"prov:type": {"$": "prov:Revision", "type": "xsd:QName"}}
            used = _source(document, old, exported)
            relations.add("wasDerivedFrom", {"prov:generatedEntity": name, "prov:usedEntity": used, **revision})
    return document


class _Relations:
    """Numbers the relations of a document, because they have no names of their own."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document, self._count = document, 0

    def add(self, kind: str, relation: Mapping[str, Any]) -> None:
        self._count += 1
        self._document.setdefault(kind, {})[f"_:r{self._count}"] = dict(relation)


def _source(document: dict[str, Any], source: str, exported: set[str]) -> str:
    """Return the name of a memory's source, and add it to the entities."""
    is_memory = MemoryRef.parse(source) is not None
    name = _memory_name(source) if is_memory else f"src:{quote(source, safe='')}"
    if source not in exported:
        document["entity"].setdefault(name, {} if is_memory else {"prov:label": source})
    return name


def _memory_name(ref: str) -> str:
    return f"mem:{ref.rpartition(':')[2]}"


def _time(at: str | None) -> dict[str, str] | None:
    return {"$": at, "type": "xsd:dateTime"} if at else None
