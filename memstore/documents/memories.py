"""Memories as JSON: shown, listed, written, moved, imported; and suggestions waiting for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.keys import EXTERNAL
from memstore.documents.lineage import trace_document
from memstore.documents.parts import (
    DIGITS,
    conflict_document,
    external_document,
    finding_document,
    not_compared_document,
    saved_document,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.beliefs.reconsolidation import BeliefStanding
    from memstore.core.catalog import Entry
    from memstore.core.change import Saved
    from memstore.core.finding import Finding
    from memstore.history.purging import Purged
    from memstore.lineage.values import Trace
    from memstore.memories.adopt import Adoptable, Adopted
    from memstore.memories.edit import Formatted, Moved
    from memstore.memories.forget import Forgotten
    from memstore.memories.incoming import Imported
    from memstore.memories.links import LinkedNote, NoteLinks
    from memstore.memories.listing import Listed
    from memstore.memories.promote import Linked
    from memstore.memories.seal import SealedMemories
    from memstore.memories.show import Expanded, Shown
    from memstore.memories.suggestions import Waiting
    from memstore.memories.what_if import WhatIf
    from memstore.memories.why import Number, Why
    from memstore.trust.formats.memory_v01 import Document


# -- forget ----------------------------------------------------------------------------------------


def forgotten_document(done: Forgotten) -> dict[str, Any]:
    """Return what was forgotten, or would be, and what became of what rested on it."""
    document = {
        "at": done.at,
        "by": done.by,
        "reason": done.reason,
        "forgotten": [one._asdict() for one in done.tombstones],
        "detached": [
            {"ref": one.ref, "path": one.path, "old": one.old, "new": one.new, "own": one.is_own}
            for one in done.detached
        ],
        "mentions": [*done.mentions],
        "removed": [*done.removed],
        "cleaned": [*done.cleaned],
        "left": [*done.left],
    }
    document |= {"key": done.key} if done.key else {}
    return {**document, "commit": done.commit} if done.commit else document


def sealed_document(done: SealedMemories) -> dict[str, Any]:
    """Return what was sealed, or would be, who may open it, and the file of the context's key if it is for one."""
    sealed = [
        {"ref": one.ref, "was": one.was, "path": one.path, "readers": [*one.readers], "in_history": one.in_history}
        for one in done.memories
    ]
    document: dict[str, Any] = {"sealed": sealed}
    document |= {"context": done.context, "key": done.key, "new_key": done.is_new_key} if done.context else {}
    return {**document, "commit": done.commit} if done.commit else document


def unsealed_document(done: SealedMemories) -> dict[str, Any]:
    """Return what was unsealed, or would be."""
    document: dict[str, Any] = {
        "unsealed": [{"ref": one.ref, "was": one.was, "path": one.path} for one in done.memories]
    }
    return {**document, "commit": done.commit} if done.commit else document


def purged_document(done: Purged) -> dict[str, Any]:
    """Return what became of the history in a new clone, and what still has words of the memories."""
    return {
        "folder": str(done.folder),
        "removed": done.removed,
        "changed": done.changed,
        "commits": done.commits,
        "objects": done.objects,
        "notes": done.notes,
        "renamed": [*done.renamed],
        "unsigned": done.unsigned,
        "still": [*done.still],
        "remotes": [*done.remotes],
        "submodules": [*done.submodules],
        "work_trees": [*done.work_trees],
    }


# -- show and list -------------------------------------------------------------------------------


def shown_document(shown: Shown) -> dict[str, Any]:
    """Return every key of the frontmatter under its own name, including absent ones; then what is derived from it."""
    from memstore.core.keys import KEYS, Shape
    from memstore.files.shapes import listed

    lists = {
        Shape.LINES,
        Shape.WORDS,
        Shape.ENTITIES,
        Shape.GRANTS,
        Shape.GRANT_LISTS,
        Shape.REFS,
        Shape.SOURCES,
        Shape.ENTRIES,
    }
    absent: dict[str, Any] = {key.name: [] if key.shape in lists else None for key in KEYS}
    flags = {key.name: False for key in KEYS if key.shape is Shape.FLAG}
    said = {name: value for name, value in shown.values.items() if value not in (None, "")}
    words = {key.name: listed(said[key.name]) for key in KEYS if key.shape is Shape.WORDS and key.name in said}
    marked = external_document(shown.external)
    return {
        **marked,
        **absent,
        **flags,
        "status": shown.memory.status,
        "scope": shown.memory.scope,
        "title": shown.entry.title,
        **said,
        **words,
        "ref": shown.entry.ref,
        "path": shown.path,
        **({"stack": shown.mount.name} if shown.mount else {}),
        "body": shown.memory.body,
        "revision": shown.revision,
        "confidence_now": shown.confidence_now,
        "conflicts": [conflict_document(conflict) for conflict in shown.conflicts],
        **not_compared_document(shown.not_compared),
        "standing": _standing_document(shown.standing),
        "prunable": shown.prunable,
        "quality": shown.quality,
        "strength": round(shown.grounds.strength.retrieval, DIGITS),
        "trust": {
            "score": shown.trust.score,
            "level": shown.trust.level.word,
            "contested": shown.trust.contested,
            "stale": shown.trust.stale,
        },
        **({"hearsay": [*shown.hearsay]} if shown.hearsay else {}),
        **marked,
    }


def _standing_document(standing: BeliefStanding | None) -> dict[str, Any] | None:
    from memstore.core.times import instant

    if standing is None:
        return None
    return {
        "votes_for": standing.votes_for,
        "votes_against": standing.votes_against,
        "uncertainty": round(standing.uncertainty, DIGITS),
        "contested": standing.contested,
        "labile_since": instant(standing.labile) if standing.labile else None,
    }


def traced_document(shown: Shown, *, sources: Trace, dependents: Trace) -> dict[str, Any]:
    """Return a memory with what it comes from and what has come from it."""
    trace = {"sources": trace_document(sources), "dependents": trace_document(dependents)}
    return {**shown_document(shown), "trace": trace}


def expanded_document(expanded: Expanded) -> dict[str, Any]:
    """Return a memory with its links, and its full text if it was compressed."""
    whole = expanded.whole
    return {
        **shown_document(expanded.shown),
        "links": [
            {"key": link.key, "ref": link.ref, "title": link.title, "path": link.path} for link in expanded.links
        ],
        "whole": None if whole is None else whole.decode("utf-8", "surrogateescape"),
    }


def listed_document(listed: Listed) -> dict[str, Any]:
    """Return a list of memories, without their texts."""
    return {
        "memories": [entry_document(entry) for entry in listed.entries],
        "total": listed.total,
        "left_out": listed.left_out,
    }


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return a memory as an item of a list."""
    return {
        "ref": entry.ref,
        "path": entry.path,
        "type": entry.type,
        "id": entry.id or None,
        "title": entry.title,
        "status": entry.status or "active",
        "created_at": entry.created_at or None,
        "confidence": float(entry.confidence) if entry.confidence else None,
        "tags": list(entry.tags),
        "author": entry.author or None,
        "revision": entry.blob,
        **({"external": True} if entry.source_type == EXTERNAL else {}),
    }


def path_document(entry: Entry) -> dict[str, Any]:
    """Return the path of a memory's file."""
    return {"ref": entry.ref, "path": entry.path}


def why_document(explained: Why) -> dict[str, Any]:
    """Return how a memory's numbers were computed, term by term."""
    return {
        "ref": explained.shown.entry.ref,
        "path": explained.shown.path,
        "revision": explained.shown.revision,
        "numbers": [_number_document(explained, number) for number in explained.numbers],
    }


def what_if_document(found: WhatIf) -> dict[str, Any]:
    """Return how a memory's numbers would be computed, each beside what it is now."""
    would_be = why_document(found.would_be)
    for number, now in zip(would_be["numbers"], found.why.numbers, strict=True):
        number["now"] = None if now.value is None else round(now.value, DIGITS)
    return {**would_be, "assuming": list(found.assumed)}


def _number_document(explained: Why, number: Number) -> dict[str, Any]:
    return {
        "name": number.name,
        "value": None if number.value is None else round(number.value, DIGITS),
        "meaning": number.meaning,
        "unit": number.unit or None,
        "terms": [
            {
                "name": term.name,
                "value": round(term.value, DIGITS),
                "why": term.why,
                "line": explained.line_of(term),
            }
            for term in number.terms
        ],
    }


# -- written -------------------------------------------------------------------------------------


def linked_document(linked: Linked, *, dry_run: bool) -> dict[str, Any]:
    """Return a memory that was written, and briefly those that changed with it."""
    return {
        **saved_document(linked.saved, dry_run=dry_run),
        "changed": [_changed_document(saved, dry_run=dry_run) for saved in linked.others],
    }


def _changed_document(saved: Saved, *, dry_run: bool) -> dict[str, Any]:
    document = saved_document(saved, dry_run=dry_run)
    return {name: document[name] for name in ("ref", "path", "findings", "diff") if name in document}


def changed_memories_document(changed: Iterable[Saved], *, dry_run: bool) -> dict[str, Any]:
    """Return memories that were written by one operation, and their number."""
    memories = [saved_document(saved, dry_run=dry_run) for saved in changed]
    return {"memories": memories, "total": len(memories)}


def moved_document(moved: Moved, *, dry_run: bool) -> dict[str, Any]:
    """Return the new and the old path of a memory's file, and what happened to links to it and in it."""
    document: dict[str, Any] = {
        "ref": moved.ref,
        "path": moved.path,
        "path_before": moved.path_before,
        "conflicts": [],
        "findings": [],
        "relinked": [{"path": path, **({"diff": diff} if dry_run else {})} for path, diff in moved.diffs.items()],
        "left": [{"path": at.path, "line": at.line, "link": at.written, "why": at.why} for at in moved.left],
    }
    return {**document, "commit": moved.commit} if moved.commit else document


def links_document(found: NoteLinks) -> dict[str, Any]:
    """Return the links of a note and those that lead to it; `to` is null if a link leads nowhere."""
    return {
        **_linked_note(found.note),
        "outgoing": [
            {
                "line": link.line,
                "link": link.written,
                "to": _linked_note(link.target) if link.target else None,
                "others": list(link.others),
                **({"not_checked_out": link.not_checked_out} if link.not_checked_out else {}),
            }
            for link in found.outgoing
        ],
        "incoming": [
            {"line": link.line, "link": link.written, "from": _linked_note(link.source)} for link in found.incoming
        ],
    }


def _linked_note(note: LinkedNote) -> dict[str, Any]:
    return {"ref": note.ref, "path": note.path, "title": note.title}


def adoptable_document(found: Iterable[Adoptable], left_alone: Iterable[Finding]) -> dict[str, Any]:
    """Return files that could become memories, and what each lacks."""
    return {
        "adoptable": [{"path": one.path, "lacks": list(one.lacks)} for one in found],
        "findings": [finding_document(finding) for finding in left_alone],
    }


def adopted_document(adopted: Adopted, *, dry_run: bool) -> dict[str, Any]:
    """Return files that became memories, and why others did not."""
    return {
        "memories": [saved_document(saved, dry_run=dry_run) for saved in adopted.saved],
        "findings": [finding_document(finding) for finding in adopted.left_alone],
    }


def formatted_document(done: Formatted, *, dry_run: bool) -> dict[str, Any]:
    """Return memories whose layout changed, and the total number."""
    return {
        "memories": [saved_document(saved, dry_run=dry_run) for saved in done.saved],
        "total": done.total,
        "left_out": done.left_out,
    }


# -- import --------------------------------------------------------------------------------------


def imported_document(done: Imported, *, dry_run: bool) -> dict[str, Any]:
    """Return what became of the source of an import: what was written, known, different, left out, and kept."""
    return {
        "memories": [saved_document(saved, dry_run=dry_run) for saved in done.saved],
        "known": list(done.known),
        "different": list(done.different),
        "left_out": [{"where": left.where, "why": left.why, "broken": left.broken} for left in done.left_out],
        "undated": [{"where": one.where, "why": one.why} for one in done.undated],
        "users": list(done.users),
        "originals": list(done.originals),
        "in_parts": done.in_parts,
        "conflicts": [],
        "findings": [],
    }


def exported_document(found: Iterable[Document]) -> dict[str, Any]:
    """Return memories in an exchange format: seed 004's, or records."""
    return {"memories": list(found)}


def exported_files_document(found: Iterable[tuple[str, bytes]]) -> dict[str, Any]:
    """Return files by their path in an archive, as text."""
    return {"files": [{"path": path, "text": data.decode()} for path, data in found]}


# -- suggestions ---------------------------------------------------------------------------------


def suggestions_document(waiting: Iterable[Waiting]) -> dict[str, Any]:
    """Return the suggestions waiting for a decision."""
    suggestions = [waiting_document(one) for one in waiting]
    return {"suggestions": suggestions, "total": len(suggestions)}


def waiting_document(one: Waiting) -> dict[str, Any]:
    """Return a suggestion as an item of a list."""
    from memstore.core.titles import title_of

    memory = one.memory
    return {
        "ref": str(memory.ref) if memory.ref else None,
        "path": one.file.path,
        "action": one.action.value,
        "title": title_of(one.memory),
        "target": one.target,
        "confidence": memory.confidence,
        "evidence": list(one.evidence),
        "created_at": memory.created_at,
    }


def suggestion_document(one: Waiting, linked: Linked) -> dict[str, Any]:
    """Return a suggestion with its text, and what accepting it would change."""
    return {
        **waiting_document(one),
        "body": one.memory.body,
        "changes": [{"path": saved.path, "diff": saved.diff} for saved in (linked.saved, *linked.others)],
    }


def accepted_document(linked: Linked, *, dry_run: bool) -> dict[str, Any]:
    """Return the memory that a suggestion became, and the others that were written with it."""
    return {
        **saved_document(linked.saved, dry_run=dry_run),
        "changed": [saved_document(saved, dry_run=dry_run) for saved in linked.others],
    }
