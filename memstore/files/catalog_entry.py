"""From a file that was read to its entry in the catalogue."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from memstore.codec.edges import cited_refs, evidence_of
from memstore.codec.memory_file import BrokenFile, MemoryFile, PlainFile
from memstore.codec.titles import title_of
from memstore.model.catalog import Entry, FileKind

if TYPE_CHECKING:
    from memstore.codec.memory_file import ReadFile
    from memstore.model.memory import Memory

# The words before an entity, or an anchor's type, in `Entry.attested`.
AUTHOR, WITNESS, RESOLVED, ANCHOR = "author", "witness", "resolution", "anchor"


def entry_of(file: ReadFile, blob: str) -> Entry:
    """Return what the catalogue keeps of a file; its title is the one that serves for one where it has none.

    Args:
        file: the file as it was read.
        blob: the git blob id of its bytes.
    """
    match file:
        case MemoryFile(memory=memory):
            return _header(file.path, blob, memory)
        case BrokenFile():
            return Entry(path=file.path, blob=blob, kind=FileKind.BROKEN)
        case PlainFile():
            return Entry(path=file.path, blob=blob, kind=FileKind.PLAIN)


def _header(path: str, blob: str, memory: Memory) -> Entry:
    return Entry(
        path=path,
        blob=blob,
        type=memory.type,
        id=memory.id or "",
        title=title_of(memory).replace("\0", "\N{REPLACEMENT CHARACTER}"),  # bodies may hold what keys may not
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
        tags=memory.tags,
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
        words=_words(memory.body),
    )


# Neither an id, a ref nor a verdict: what depends on it is denied.
_NOTHING_KNOWN = "?"


def _words(text: str) -> str:
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
    # Of several words the first would be taken for the verdict, and the next for who acknowledged it.
    told = verdict if len(verdict.split()) == 1 and verdict == verdict.strip() else _NOTHING_KNOWN
    return f"{told} {memory.generalization.acknowledged_by or ''}".rstrip()


def _named(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names as a column can hold them: one that is empty is nobody's, and must not be taken for no name."""
    return names if all(names) else tuple(name or _NOTHING_KNOWN for name in names)
