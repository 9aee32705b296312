"""Verifies anchors now against the objects of the repository and the copies that the vault keeps.

OpenTimestamps proofs count as far as they lead to blocks that the user pinned; no network is used. Only `look_again`
fetches pages, to see whether they still say what the copies say.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import datetime
from enum import Enum
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.digests import DIGEST_PREFIX, digest_of, format_of
from memstore.core.errors import FormatError, GitError, UsageError, VaultError
from memstore.core.keys import PAGE_ANCHORS
from memstore.core.times import instant, moment
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY, git_objects
from memstore.search import DERIVED
from memstore.trust import PINS, anchors, statement
from memstore.trust.anchors import Anchored, InHistory, PageFetch, PageSnapshot, Stamp
from memstore.trust.formats import opentimestamps
from memstore.trust.formats import opentimestamps as bitcoin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.memory import Anchor, Memory
    from memstore.core.view import View
    from memstore.history.git_objects import GitObject
    from memstore.search.local_state import Kept
    from memstore.trust.formats.opentimestamps import TimeProof
    from memstore.trust.pages import WebPage, WebPages
    from memstore.trust.statement import Digests


SNAPSHOTS = ".memstore/snapshots/"
_BASE64 = re.compile(rb"[A-Za-z0-9+/=]+")
_HASH = re.compile(r"(sha256:)?[0-9a-f]{64}")


def verified(
    view: View, memory: Memory, digests: Digests, *, controller_of: Callable[[str], str]
) -> tuple[Anchored, ...]:
    """Return the status of each anchor of a memory, in file order.

    `controller_of` returns who controls an entity, or the entity itself if nobody else does; "" if that can't be read.
    """
    repository = cache(partial(_Repository, view, memory, digests))
    now = view.clock.now()
    had = cache(partial(_had, view))
    found = [
        _page_anchor(view, memory, digests, anchor, had, controller_of)
        if anchor.type in PAGE_ANCHORS
        else _verified(view, memory, digests, anchor, repository)
        for anchor in memory.anchors
    ]
    return tuple(
        anchors.dated(one, _instant(anchor.created_at), written_at=written_at(memory), now=now)
        for anchor, one in zip(memory.anchors, found, strict=True)
    )


def _verified(
    view: View, memory: Memory, digests: Digests, anchor: Anchor, repository: Callable[[], _Repository]
) -> Anchored:
    if anchor.type == "opentimestamps":
        return _stamped(view, memory, digests, anchor)
    if anchor.type != "git_commit" or anchor.blob is None or anchor.path is None or view.of(HISTORY).repository is None:
        return anchors.UNCHECKED
    try:
        found = repository().shows(anchor)
    except GitError:
        found = InHistory(is_there=True)  # git itself reports that the object is damaged
    return anchors.in_history(found, written_at=written_at(memory))


def written_at(memory: Memory) -> datetime | None:
    """Return when a memory was written, according to itself, in UTC; None if it does not say."""
    return _instant(memory.created_at)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _signatures(memory: Memory) -> frozenset[str]:
    """Return all signatures in a memory's file, as written there."""
    entries = (memory.signature, *memory.witnesses, *memory.resolutions)
    return frozenset(entry.sig for entry in entries if entry is not None and entry.sig)


def _signatures_in(data: bytes, signatures: frozenset[str]) -> frozenset[str]:
    """Return those of the signatures that the bytes contain, each as a whole."""
    return signatures & {word.decode() for word in _BASE64.findall(data)}


def snapshot_path(hashed: str) -> str:
    """Return the path of the vault's copy of a page with that hash."""
    return SNAPSHOTS + hashed.removeprefix(DIGEST_PREFIX)


def proof_path(hashed: str) -> str:
    """Return the path of the proof of when something with that hash existed."""
    return f"{snapshot_path(hashed)}.ots"


def holds_digest(page: bytes, digests: Digests) -> bool:
    """Return whether a page contains the digest of the memory's content, and so commits to it."""
    return digests.content.removeprefix(DIGEST_PREFIX).encode() in page


# -- pages ---------------------------------------------------------------------------------------


def _snapshot(view: View, anchor: Anchor, digests: Digests) -> tuple[PageSnapshot, bytes | None]:
    """Return the vault's copy of a page, and its bytes, None if there are none."""
    try:
        page = _page(view, anchor)
    except VaultError as error:  # it is a link, a pipe or a folder, or may not be read
        return PageSnapshot(is_there=True, problem=str(error)), None
    if page is None:
        return PageSnapshot(is_there=False), None
    is_true = digest_of(page) == anchor.hash
    return PageSnapshot(is_there=True, is_true=is_true, holds_digest=holds_digest(page, digests)), page


def _page(view: View, anchor: Anchor) -> bytes | None:
    """Return the vault's copy of what was anchored; None if there is none."""
    if anchor.hash is None or not _HASH.fullmatch(anchor.hash):
        return None
    return view.own_file(snapshot_path(anchor.hash))


def _page_anchor(
    view: View,
    memory: Memory,
    digests: Digests,
    anchor: Anchor,
    had: Callable[[], Kept],
    controller_of: Callable[[str], str],
) -> Anchored:
    snapshot, page = _snapshot(view, anchor, digests)
    fetched = None
    if page is not None and (known := had().get(_fetch_key(anchor.reference, digest_of(page)))):
        at, host = known
        problem, hint = anchors.of_host(
            view.of(PINS).host(host), host, author=memory.author or "", controller_of=controller_of
        )
        fetched = PageFetch(datetime.fromisoformat(at), host, _signatures_in(page, _signatures(memory)), problem, hint)
    return anchors.of_page(snapshot, fetched, is_commitment=anchor.role == "commitment")


# The pages that this verifier fetched, by address and hash: when it first got them, and from which final host.
_FETCHED, _FETCHED_VERSION = "pages", "1"


def _had(view: View) -> Kept:
    return view.of(DERIVED).last(_FETCHED, _FETCHED_VERSION)


def _fetch_key(url: str, hashed: str) -> str:
    return hashlib.sha256(f"{url}\n{hashed}".encode()).hexdigest()


def remember(view: View, url: str, page: WebPage) -> None:
    """Record in the verifier's own cache that a page was fetched from its address now, unless it was before.

    Only pages fetched by https are recorded: others could have been altered on the way.
    """
    had, key = _had(view), _fetch_key(url, digest_of(page.data))
    if page.host and key not in had:
        view.of(DERIVED).keep(_FETCHED, _FETCHED_VERSION, {**had, key: (instant(view.clock.now()), page.host)})


def _stamped(view: View, memory: Memory, digests: Digests, anchor: Anchor) -> Anchored:
    if anchor.hash is None:
        return anchors.UNCHECKED
    snapshot, page = _snapshot(view, anchor, digests)
    stamp = None if page is None else stamp_at(view, proof_path(anchor.hash), hashlib.sha256(page).digest())
    return anchors.of_stamp(
        snapshot,
        stamp,
        is_commitment=anchor.role == "commitment",
        written_at=written_at(memory),
        shows=_signatures_in(page or b"", _signatures(memory)),
    )


# -- the repository ------------------------------------------------------------------------------


class _Blob(NamedTuple):
    """What a blob shows: its hash, the sections of the memory that differ now, and the signatures in it.

    `hashed` is empty if its bytes do not match its name.
    """

    hashed: str
    changed: tuple[str, ...] = ()
    shows: frozenset[str] = frozenset()


class _Repository:
    """What the repository shows about a memory's anchors; an object that several of them name is read once."""

    def __init__(self, view: View, memory: Memory, digests: Digests) -> None:
        self._view, self._digests, self._signatures = view, digests, _signatures(memory)
        self._anchors = [anchor for anchor in memory.anchors if anchor.type == "git_commit" and anchor.blob]
        self._blob = cache(self._read_blob)
        self._blob_at = cache(partial(_blob_at, view))
        self._is_kept = cache(view.of(HISTORY).is_kept)
        self._elsewhere = cache(lambda blob: next(iter(view.of(HISTORY).commits_with(blob)), None))
        self._made_at = cache(partial(_made_at, view))

    def shows(self, anchor: Anchor) -> InHistory:
        """Return what the repository shows about an anchor; `GitError` if git reports a damaged object."""
        name, commit = anchor.blob or "", anchor.reference
        found = self._objects or self._view.of(HISTORY).objects([name, commit])
        if name not in found:
            return InHistory(is_there=False)
        blob = self._blob(name, found[name])
        if not blob.hashed or anchor.hash not in (None, blob.hashed):
            return InHistory(is_there=True)
        held = commit in found and self._blob_at(commit, found[commit], anchor.path or "") == name
        kept = held and self._is_kept(commit)
        elsewhere = None if kept else self._elsewhere(name)
        counting = commit if kept else elsewhere
        return InHistory(
            is_there=True,
            is_true=True,
            changed=blob.changed,
            held_by_commit=held,
            is_kept=kept,
            elsewhere=elsewhere,
            at=self._made_at(counting) if counting else None,
            shows=blob.shows,
            commit=counting or "",
        )

    @cached_property
    def _objects(self) -> Mapping[str, GitObject] | None:
        """All objects that anchors name, read at once; None if one is damaged and each must be read individually."""
        try:
            return self._view.of(HISTORY).objects(
                name for anchor in self._anchors for name in (anchor.blob or "", anchor.reference)
            )
        except GitError:
            return None

    def _read_blob(self, name: str, found: GitObject) -> _Blob:
        if not git_objects.is_named(name, found):
            return _Blob("")
        changed = _changed(found.data, self._digests, mixed=self._view.config.mixed)
        return _Blob(digest_of(found.data), changed, _signatures_in(found.data, self._signatures))


def _changed(data: bytes, digests: Digests, *, mixed: bool) -> tuple[str, ...]:
    """Return which sections of the anchored memory differ now."""
    then = memory_file.read("", data, mixed=mixed)
    try:
        before = statement.digests(then.memory) if isinstance(then, MemoryFile) else None
    except FormatError:
        before = None
    if before is None:
        return digests._fields
    return tuple(name for name, old, new in zip(digests._fields, before, digests, strict=True) if old != new)


def _blob_at(view: View, commit: str, found: GitObject, path: str) -> str | None:
    """Return the blob that a commit has at a path of the vault; every object on the way must match its name."""
    object_id, below = commit, git_objects.tree_of(found)
    if not git_objects.is_named(object_id, found):
        return None
    for part in os.fsencode(view.of(HISTORY).require().prefix + path).split(b"/"):
        tree = view.of(HISTORY).objects([below]).get(below) if below else None
        if below is None or tree is None or not git_objects.is_named(below, tree):
            return None
        below = git_objects.entry_of(tree, part, object_format=format_of(commit))
    return below


def _made_at(view: View, commit: str) -> datetime | None:
    found = view.of(HISTORY).objects([commit]).get(commit)
    seconds = git_objects.committed_at(found) if found and git_objects.is_named(commit, found) else None
    return None if seconds is None else moment(seconds)


# -- proofs of time --------------------------------------------------------------------------------


def stamp_at(view: View, path: str, digest: bytes) -> Stamp | None:
    """Return what the proof in a file of the vault shows about a SHA-256 digest; None if there is no such file."""
    try:
        data = view.own_file(path)
        return None if data is None else _shown_proof(view, read_proof(data, digest))
    except VaultError as error:  # it is not a proof, or can't be read
        return Stamp(problem=str(error))


def read_proof(data: bytes, digest: bytes) -> TimeProof:
    """Return the proof in some bytes.

    Raises:
        FormatError: it is not a proof, or proves something with another digest.
    """
    proof = opentimestamps.read(data)
    if proof.digest != digest:
        raise FormatError(f"the proof is of {proof.digest.hex()[:16]}…, not of {digest.hex()[:16]}…")
    return proof


def _shown_proof(view: View, proof: TimeProof) -> Stamp:
    times, open_heights = [], []
    for height, root in proof.blocks:
        data = view.of(PINS).header(height)
        if data is None:
            open_heights.append(height)
            continue
        header = bitcoin.read_header(data)
        if header.merkle_root != root:
            return Stamp(problem=f"it leads to a root other than that of the header of block {height} that you pinned")
        times.append(header.at)
    return Stamp(at=min(times, default=None), heights=tuple(sorted(open_heights)), pending=proof.pending)


# -- pages, fetched again --------------------------------------------------------------------------


class Online(Enum):
    """What a page says now, compared with what it said."""

    SAME = "fetched-same"
    CHANGED = "changed"
    UNREACHABLE = "unreachable"


class Fetched(NamedTuple):
    """The result of fetching a page, with a reason if there is more to say."""

    status: Online
    reason: str = ""


def look_again(view: View, pages: WebPages, memory: Memory) -> Mapping[int, Fetched]:
    """Return for each anchor that is a page, by its index from 0, what the page says now.

    A page that says the same is recorded, and counts if its host does not belong to the author. A page may change, but
    still commits to what it said: that is what the copy is for.
    """
    return {
        i: _fetched(view, pages, anchor.reference, anchor.hash)
        for i, anchor in enumerate(memory.anchors)
        if anchor.type in PAGE_ANCHORS
    }


def _fetched(view: View, pages: WebPages, url: str, hashed: str | None) -> Fetched:
    try:
        page = pages.get(url)
    except (UsageError, VaultError) as error:
        return Fetched(Online.UNREACHABLE, str(error))
    found = digest_of(page.data)
    if found == hashed:
        remember(view, url, page)
        return Fetched(Online.SAME)
    said = f"its sha256 is {found.partition(':')[2][:16]}… now"
    return Fetched(Online.CHANGED, said)
