"""Makes a file's catalogue entry from what was read, with the edges of lineage that it names."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from memstore.core.catalog import EdgeKind, Entry, FileKind
from memstore.core.finding import Position
from memstore.core.ids import MemoryRef
from memstore.core.memory import is_external_mark
from memstore.core.titles import title_of
from memstore.files.links import Code, TextLink, links_in, links_in_values, tags_in
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile, SealedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memstore.core.memory import Memory
    from memstore.files.fence import FencedText
    from memstore.files.links import PlacedLink
    from memstore.files.memory_file import ReadFile


# The words that precede an entity, or an anchor's type, in `Entry.attested`.
AUTHOR, WITNESS, RESOLVED, ANCHOR = "author", "witness", "resolution", "anchor"


def entry_of(file: ReadFile, blob: str) -> Entry:
    """Return a file's catalogue entry; a memory without a title gets its default one.

    Args:
        file: the file as it was read.
        blob: the git blob id of its bytes.
    """
    match file:
        case MemoryFile(memory=memory):
            return _of_memory(file, blob, memory)
        case BrokenFile():
            return Entry(path=file.path, blob=blob, kind=FileKind.BROKEN)
        case SealedFile():
            return Entry(path=file.path, blob=blob, kind=FileKind.SEALED)
        case PlainFile(memory=memory, text=text):
            code = Code(memory.body)
            return Entry(
                path=file.path,
                blob=blob,
                kind=FileKind.PLAIN,
                type=memory.type,
                title=memory.title or "",
                status=memory.status,
                created_at=memory.created_at or "",
                scope=memory.scope,
                tags=tuple(dict.fromkeys((*memory.tags, *tags_in(memory.body, code)))),
                aliases=memory.aliases,
                links=_links(text, code),
                words=words_of(memory.body),
            )


def _of_memory(file: MemoryFile, blob: str, memory: Memory) -> Entry:
    code = Code(memory.body)
    return Entry(
        path=file.path,
        blob=blob,
        type=memory.type,
        id=memory.id or "",
        title=title_of(memory).replace("\0", "\N{REPLACEMENT CHARACTER}"),  # allowed in bodies, not in keys
        status=memory.status,
        created_at=memory.created_at or "",
        scope=memory.scope,
        owner=memory.owner or "",
        author=memory.author or "",
        source=memory.source or "",
        source_type=memory.source_type or "",
        source_entity=memory.source_entity or "",
        channel=memory.channel or "",
        confidence="" if memory.confidence is None else str(memory.confidence),
        importance=memory.importance or "",
        valid_from=memory.valid_from or "",
        valid_until=memory.valid_until or "",
        context=memory.context or "",
        tags=tuple(dict.fromkeys((*memory.tags, *tags_in(memory.body, code)))),
        aliases=memory.aliases,
        subject_ids=_named(memory.subject_ids),
        derived_from=_named(memory.derived_from),
        relates_to=memory.relates_to,
        processed_into=memory.processed_into,
        supersedes=memory.supersedes,
        superseded_by=memory.superseded_by,
        evidence=evidence_of(memory),
        cites=cited_refs(memory.body),
        attested=_attested(memory),
        source_chain=_named(memory.source_chain),
        access_grants=_named(memory.access_grants),
        access_denies=_named(memory.access_denies),
        consent_grants=_named(memory.consent_grants),
        upstream_grants=tuple(f"[{' '.join(_named(label))}]" for label in memory.upstream_grants),
        generalization=_verdict(memory),
        links=_links(file.text, code),
        words=words_of(memory.body),
    )


# Stands for an unknown id, ref or verdict; whatever depends on it is denied.
_NOTHING_KNOWN = "?"


def words_of(text: str) -> str:
    """Return a digest of a text's words, whatever white space is between them; empty if there are none."""
    words = text.split()
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest() if words else ""


def _attested(memory: Memory) -> tuple[str, ...]:
    found = [f"{AUTHOR} {memory.signature.by}"] if memory.signature else []
    found += [f"{WITNESS} {one.agent_id}" for one in memory.witnesses]
    found += [f"{RESOLVED} {one.by}" for one in memory.resolutions]
    return tuple(dict.fromkeys([*found, *(f"{ANCHOR} {one.type}" for one in memory.anchors)]))


def _verdict(memory: Memory) -> str:
    if not memory.generalized or memory.generalization is None:
        return ""
    verdict = memory.generalization.verdict
    # Of several words, the first would be taken for the verdict and the next for who acknowledged it.
    told = verdict if len(verdict.split()) == 1 and verdict == verdict.strip() else _NOTHING_KNOWN
    return f"{told} {memory.generalization.acknowledged_by or ''}".rstrip()


def _named(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names in a form that a column can hold: an empty name is nobody's, and must not read as no name at all."""
    return names if all(names) else tuple(name or _NOTHING_KNOWN for name in names)


# -- edges not recorded as a list of refs ----------------------------------------------------------


# Ops that the ledger itself doesn't have. For the citations in a witness's notes:
WITNESS_OP = "witness"
# For evidence that a checkpoint includes:
COUNTED_OP = "counted"

# `[[type:id]]`, `[[type:id#L3-L5@blob]]`, `[[type:id|as it is called here]]`.
_CITATION = re.compile(r"\[\[([a-z]+:[a-z0-9][a-z0-9_-]{2,63})(?:#[^\]\[|]*)?(?:\|[^\]\[]*)?\]\]")


def evidence_of(memory: Memory) -> tuple[str, ...]:
    """Return the evidence that a memory's ledger and witnesses name, as `op ref`, each once, the latest last."""
    # Sorted as text, "…:02.5Z" would precede "…:02Z".
    by_time = sorted(memory.confidence_history, key=lambda line: line.timestamp.rstrip("Z"))
    named = [(line.op, line.evidence_source or "") for line in by_time]
    named += [(COUNTED_OP, ref) for line in memory.confidence_history for ref in line.counted]
    named += [(WITNESS_OP, ref) for witness in memory.witnesses for ref in cited_refs(witness.notes or "")]
    items = [f"{op} {source}" for op, source in named if MemoryRef.parse(source) or is_external_mark(source)]
    return tuple(reversed(dict.fromkeys(reversed(items))))


def cited_refs(text: str) -> tuple[str, ...]:
    """Return the refs of the memories that a text cites, each once, in order of appearance."""
    return tuple(dict.fromkeys(ref for ref, _ in citations(text)))


def citations(text: str) -> Iterator[tuple[str, int]]:
    """Yield each citation's ref and its offset, in characters from 0."""
    if "[[" in text:
        for found in _CITATION.finditer(text):
            if MemoryRef.parse(found[1]):
                yield found[1], found.start()


def link_items(text: str, first_line: int, code: Code | None = None) -> tuple[str, ...]:
    """Return the items of the column `links` for a text that begins on that file line; `code` as for `links_in`."""
    return _items(text, links_in(text, code), first_line)


def _links(text: FencedText, code: Code) -> tuple[str, ...]:
    in_values = _items(text.head, links_in_values(text), text.head_line)
    return in_values + link_items(text.body, text.body_line, code)


def _items(text: str, links: Iterable[PlacedLink], first_line: int) -> tuple[str, ...]:
    items = []
    line, at = first_line, 0
    for placed in sorted(links, key=lambda each: each.start):
        line, at = line + text.count("\n", at, placed.start), placed.start
        if placed.link.may_name_note or placed.link.may_name_file:
            items.append(f"{line} {placed.link.written}")
    return tuple(dict.fromkeys(items))


def links_of_items(items: Iterable[str]) -> Iterator[tuple[int, TextLink]]:
    """Yield the links that items of the column `links` describe, with their file lines."""
    for item in items:
        line, _, written = item.partition(" ")
        yield int(line), TextLink.of(written)


def places(file: MemoryFile, kind: EdgeKind, ref: str) -> list[tuple[str, Position]]:
    """Return where a file names `ref` for an edge of this kind: field name and position, in file order."""
    match kind:
        case EdgeKind.CITES:
            return [("body", _in_body(file, at)) for cited, at in citations(file.memory.body) if cited == ref]
        case EdgeKind.EVIDENCE:
            return [(str(path[0]), file.front.position(*path)) for path in _evidence_paths(file.memory, ref)]
        case _:
            refs: tuple[str, ...] = getattr(file.memory, kind)
            return [(kind.value, file.front.position(kind.value, i)) for i, named in enumerate(refs) if named == ref]


def _evidence_paths(memory: Memory, ref: str) -> Iterator[tuple[str | int, ...]]:
    for i, line in enumerate(memory.confidence_history):
        if line.evidence_source == ref:
            yield "confidence_history", i, "evidence_source"
        if ref in line.counted:
            yield "confidence_history", i, "counted"
    for i, witness in enumerate(memory.witnesses):
        if ref in cited_refs(witness.notes or ""):
            yield "witnesses", i, "notes"


def _in_body(file: MemoryFile, offset: int) -> Position:
    body = file.memory.body
    line = file.text.body_line + body.count("\n", 0, offset)
    return Position(line, offset - (body.rfind("\n", 0, offset) + 1) + 1)
