"""Export memories: as JSONL, as files, as a bundle in the Open Knowledge Format, and their provenance as PROV-JSON.

Whatever is exported comes from the view: what the actor may not see is as if it did not exist. Who may see a memory is
never exported.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memstore.core.ids import MemoryRef
from memstore.core.memory import title_of
from memstore.files.draft import new_file
from memstore.files.shapes import is_absent
from memstore.memories.memory_v01 import chosen
from memstore.trust.formats.memory_v01 import STAYS
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain

RECORD = "memstore.memory/1"
OKF_VERSION = "0.2"
_LONGEST_DESCRIPTION = 160


def records(view: View, refs: Sequence[str], *, everything: bool = False) -> Iterator[dict[str, Any]]:
    """Yield each memory as a JSON object: its path, its frontmatter and its text, unchanged.

    Raises as `memories.memory_v01.chosen`.
    """
    for file in chosen(view, refs, everything=everything):
        yield {"record": RECORD, "path": file.path, "frontmatter": _kept(file), "body": file.text.body}


def files(view: View, refs: Sequence[str], *, everything: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield each memory as a file of its own, with its path; raises as `records`."""
    for file in chosen(view, refs, everything=everything):
        yield file.path, _file(_kept(file), file.text.body)


def _kept(file: MemoryFile) -> dict[str, Any]:
    return {name: value for name, value in file.front.values.items() if name not in STAYS and not is_absent(value)}


def _file(values: Mapping[str, Plain], body: str) -> bytes:
    """Return a file with these values and a body of which every byte stays."""
    return new_file(values, "") + body.encode()


def archived(found: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield the bytes of a TAR archive of files: the same for the same files, on every machine and at any time."""
    for path, data in found:
        info = tarfile.TarInfo(path)
        info.size = len(data)
        yield info.tobuf(tarfile.PAX_FORMAT)
        yield data + b"\0" * (-len(data) % tarfile.BLOCKSIZE)
    yield b"\0" * 2 * tarfile.BLOCKSIZE


# -- Open Knowledge Format -------------------------------------------------------------------------


def okf(view: View, refs: Sequence[str], *, everything: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a bundle: a concept for each memory, and an index of them; raises as `records`.

    `generated` is its author and time, `sources` what it was derived from, and `verified` has those whose signed
    confirmation holds.
    """
    found = chosen(view, refs, everything=everything)
    paths = {str(file.memory.ref): f"/{file.path}" for file in found}
    voucher = Voucher(view)
    yield "index.md", _index(found)
    for file in found:
        yield file.path, _file(_concept(file, paths, voucher), file.text.body)


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
    }
    # A concept that was imported goes out again as it came, as far as nothing here says otherwise.
    return {**(foreign if isinstance(foreign, dict) else {}), **_said(values)}


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not is_absent(value)}


def _index(found: Sequence[MemoryFile]) -> bytes:
    """Return the listing of a bundle, by type."""
    by_type: dict[str, list[MemoryFile]] = {}
    for file in found:
        by_type.setdefault(file.memory.type, []).append(file)
    lines = ["---", f'okf_version: "{OKF_VERSION}"', "---"]
    for kind in sorted(by_type):
        lines += ["", f"# {kind.capitalize()}", ""]
        lines += [f"* [{_label(file.memory)}](<{file.path}>)" for file in by_type[kind]]
    return ("\n".join(lines) + "\n").encode()


def _label(memory: Memory) -> str:
    return title_of(memory).replace("[", "(").replace("]", ")")[:_LONGEST_DESCRIPTION]


# -- PROV-JSON -------------------------------------------------------------------------------------


_PREFIXES = {
    "mem": "https://memstore.dev/ns/memory/",
    "who": "https://memstore.dev/ns/entity/",
    "src": "https://memstore.dev/ns/source/",
    "ms": "https://memstore.dev/ns/terms#",
}


def prov(view: View, refs: Sequence[str], *, everything: bool = False) -> dict[str, Any]:
    """Return where memories come from as W3C PROV-JSON; raises as `records`.

    A memory is an entity that was attributed to its author and derived from its sources; what supersedes another is a
    revision of it. A source that is no exported memory is an entity that is only named.
    """
    found = chosen(view, refs, everything=everything)
    document: dict[str, Any] = {"prefix": dict(_PREFIXES), "entity": {}, "agent": {}}
    exported = {str(file.memory.ref) for file in found}
    relations = _Relations(document)
    for file in found:
        memory = file.memory
        name = _memory_name(str(memory.ref))
        document["entity"][name] = _said(
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
    """Numbers the relations of a document, which have no names of their own."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document, self._count = document, 0

    def add(self, kind: str, relation: Mapping[str, Any]) -> None:
        self._count += 1
        self._document.setdefault(kind, {})[f"_:r{self._count}"] = dict(relation)


def _source(document: dict[str, Any], source: str, exported: set[str]) -> str:
    """Return the name of what a memory was derived from, and add it to the entities."""
    is_memory = MemoryRef.parse(source) is not None
    name = _memory_name(source) if is_memory else f"src:{_encoded(source)}"
    if source not in exported:
        document["entity"].setdefault(name, {} if is_memory else {"prov:label": source})
    return name


def _memory_name(ref: str) -> str:
    return f"mem:{ref.rpartition(':')[2]}"


def _encoded(text: str) -> str:
    return quote(text, safe="")


def _time(at: str | None) -> dict[str, str] | None:
    return {"$": at, "type": "xsd:dateTime"} if at else None
