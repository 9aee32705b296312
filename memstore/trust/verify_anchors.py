"""Anchors, verified now against the objects of the repository and the copies that the vault keeps."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.codec import canonical, git_object, memory_file
from memstore.codec.git_blob import DIGEST_PREFIX, format_of
from memstore.codec.memory_file import MemoryFile
from memstore.errors import FormatError, GitError
from memstore.flows.timestamps import stamp_at
from memstore.model.keys import PAGE_ANCHORS
from memstore.rules import anchors
from memstore.rules.anchors import Anchored, InHistory, Snapshot

if TYPE_CHECKING:
    from memstore.codec.canonical import Digests
    from memstore.codec.git_object import GitObject
    from memstore.core.view import View
    from memstore.model.attestation import Anchor
    from memstore.model.memory import Memory

SNAPSHOTS = ".memstore/snapshots/"
_HASH = re.compile(r"(sha256:)?[0-9a-f]{64}")


def verified(view: View, memory: Memory, digests: Digests) -> tuple[Anchored, ...]:
    """Return how each anchor of a memory stands, in the file's order."""
    return tuple(_verified(view, memory, digests, anchor) for anchor in memory.anchors)


def _verified(view: View, memory: Memory, digests: Digests, anchor: Anchor) -> Anchored:
    if anchor.type in PAGE_ANCHORS:
        return anchors.of_page(_snapshot(view, anchor, digests), is_commitment=anchor.role == "commitment")
    if anchor.type == "opentimestamps":
        return _stamped(view, memory, digests, anchor)
    if anchor.type != "git_commit" or anchor.blob is None or anchor.path is None or view.history.repository is None:
        return anchors.UNVERIFIABLE
    try:
        found = _in_history(view, anchor, digests, _signatures(memory))
    except GitError:
        found = InHistory(is_there=True)  # git itself says that the object is damaged
    return anchors.in_history(found, written_at=_written_at(memory))


def _written_at(memory: Memory) -> datetime | None:
    return datetime.fromisoformat(memory.created_at) if memory.created_at else None


def _signatures(memory: Memory) -> frozenset[str]:
    """Return all signatures that a memory's file holds, as its lines have them."""
    entries = (memory.signature, *memory.witnesses, *memory.resolutions)
    return frozenset(entry.sig for entry in entries if entry is not None and entry.sig)


def _shown(data: bytes, signatures: frozenset[str]) -> frozenset[str]:
    """Return those of some signatures that bytes hold, each as a whole."""
    return frozenset(
        sig
        for sig in signatures
        if re.search(rb"(?<![A-Za-z0-9+/=])%s(?![A-Za-z0-9+/=])" % re.escape(sig.encode()), data)
    )


def hash_of(data: bytes) -> str:
    """Return the hash of what is anchored, as an anchor has it."""
    return DIGEST_PREFIX + hashlib.sha256(data).hexdigest()


def snapshot_path(hashed: str) -> str:
    """Return where the vault keeps its copy of a page with that hash."""
    return SNAPSHOTS + hashed.removeprefix(DIGEST_PREFIX)


def proof_path(hashed: str) -> str:
    """Return where the vault keeps the proof of when something with that hash was there."""
    return f"{snapshot_path(hashed)}.ots"


def holds_digest(page: bytes, digests: Digests) -> bool:
    """Whether a page holds the digest of what the memory says, so that it commits to it."""
    return digests.content.removeprefix(DIGEST_PREFIX).encode() in page


# -- pages ---------------------------------------------------------------------------------------


def _snapshot(view: View, anchor: Anchor, digests: Digests) -> Snapshot:
    page = _page(view, anchor)
    if page is None:
        return Snapshot(is_there=False)
    return Snapshot(is_there=True, is_true=hash_of(page) == anchor.hash, holds_digest=holds_digest(page, digests))


def _page(view: View, anchor: Anchor) -> bytes | None:
    """Return the copy that the vault keeps of what was anchored; None where there is none."""
    if anchor.hash is None or not _HASH.fullmatch(anchor.hash):
        return None
    return view.own_file(snapshot_path(anchor.hash))


def _stamped(view: View, memory: Memory, digests: Digests, anchor: Anchor) -> Anchored:
    if anchor.hash is None:
        return anchors.UNVERIFIABLE
    page, stamp = _page(view, anchor), None
    if page is not None:
        stamp = stamp_at(view, proof_path(anchor.hash), hashlib.sha256(page).digest())
    return anchors.of_stamp(
        _snapshot(view, anchor, digests),
        stamp,
        is_commitment=anchor.role == "commitment",
        written_at=_written_at(memory),
        shows=_shown(page or b"", _signatures(memory)),
    )


# -- the repository ------------------------------------------------------------------------------


def _in_history(view: View, anchor: Anchor, digests: Digests, signatures: frozenset[str]) -> InHistory:
    blob, commit = anchor.blob or "", anchor.reference
    found = view.history.objects([blob, commit])
    if blob not in found:
        return InHistory(is_there=False)
    data = found[blob].data
    if not git_object.is_named(blob, found[blob]) or anchor.hash not in (None, hash_of(data)):
        return InHistory(is_there=True)
    changed = _changed(data, digests)
    held = commit in found and _blob_at(view, commit, found[commit], anchor.path or "") == blob
    kept = held and view.history.is_kept(commit)
    elsewhere = None if kept else next(iter(view.history.commits_with(blob)), None)
    counting = commit if kept else elsewhere
    return InHistory(
        is_there=True,
        is_true=True,
        changed=changed,
        held_by_commit=held,
        is_kept=kept,
        elsewhere=elsewhere,
        at=_made_at(view, counting) if counting else None,
        shows=_shown(data, signatures),
    )


def _changed(data: bytes, digests: Digests) -> tuple[str, ...]:
    """Return which sections of the memory that was anchored are another now."""
    then = memory_file.read("", data)
    try:
        before = canonical.digests(then.memory) if isinstance(then, MemoryFile) else None
    except FormatError:
        before = None
    if before is None:
        return digests._fields
    return tuple(name for name, old, new in zip(digests._fields, before, digests, strict=True) if old != new)


def _blob_at(view: View, commit: str, found: GitObject, path: str) -> str | None:
    """Return the blob that a commit has at a path of the vault; every object on the way must be what its name says."""
    object_id, below = commit, git_object.tree_of(found)
    if not git_object.is_named(object_id, found):
        return None
    for part in os.fsencode(view.history.require().prefix + path).split(b"/"):
        tree = view.history.objects([below]).get(below) if below else None
        if below is None or tree is None or not git_object.is_named(below, tree):
            return None
        below = git_object.entry_of(tree, part, object_format=format_of(commit))
    return below


def _made_at(view: View, commit: str) -> datetime | None:
    found = view.history.objects([commit]).get(commit)
    seconds = git_object.committed_at(found) if found and git_object.is_named(commit, found) else None
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
