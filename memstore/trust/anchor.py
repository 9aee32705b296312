"""Records anchors of memories: things outside the file that show what a memory said, and when."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Unpack

from memstore.core.change import Edit, SavedOne, Written
from memstore.core.digests import digest_of
from memstore.core.errors import NotFoundError, UsageError
from memstore.core.keys import PAGE_ANCHORS
from memstore.core.places import is_sealed_path
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, save_all, save_own, unchanged
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY
from memstore.trust import statement
from memstore.trust.anchors import ADDRESS_HINT, host_of
from memstore.trust.read_keyring import own_bytes, read_keyring
from memstore.trust.sign import attestable
from memstore.trust.verification import Controllers
from memstore.trust.verify_anchors import holds_digest, proof_path, read_proof, snapshot_path, verified

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.trust.anchors import Anchored


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded(SavedOne):
    """The saved file, and the status of the new anchor; None if the same anchor already existed.

    `remotes` are those that the commit can be pushed to, each with whether fetching its anchors was configured only
    now.
    """

    anchored: Anchored | None
    remotes: Mapping[str, bool] = field(default_factory=dict)

    __repr__ = short_repr


# If two people anchor the same memory at once, they must not use the same name, so a ref is named after its commit.
_NAME_DIGITS = 16


def anchor(
    view: View,
    memory: Named,
    *,
    type: str = "git_commit",  # noqa: A002 -- the key's name
    reference: str | None = None,
    page: bytes | None = None,
    proof: bytes | None = None,
    **saving: Unpack[Saving],
) -> Recorded:
    """Record a place outside the file that shows what a memory says.

    Args:
        view: the vault.
        memory: the memory.
        type: git_commit, url, moltbook_post, opentimestamps or blockchain.
        reference: the commit, page or transaction; None is the current commit, or the vault's own proof of a stamp.
        page: the bytes of the page, of which the vault keeps a copy; without it, nothing can be verified.
        proof: the bytes of the `.ots` file of an OpenTimestamps stamp of the page.
        saving: dry_run, commit.

    Raises:
        UsageError: what this type needs is missing, the commit does not contain the file as it is, or the memory has no
            id.
        NotFoundError: there is no such memory, or no such commit.
        FormatError: the proof is none, or proves something else.
        GitError: there is no repository.
    """
    if type == "git_commit":
        return anchor_commit(view, memory, revision=reference, **saving)
    if type == "opentimestamps" and page is not None and proof is not None:
        return anchor_stamp(view, memory, page, proof, reference=reference, **saving)
    if reference is None:
        raise UsageError(f"{type}: a reference is needed", hint="--reference names where it can be seen")
    if type in PAGE_ANCHORS and page is not None:
        return anchor_page(view, memory, type, reference, page, **saving)
    return anchor_elsewhere(view, memory, type, reference, **saving)


@again_where_changed
def anchor_commit(
    view: View, memory: Named, *, revision: str | None = None, dry_run: bool = False, commit: bool = False
) -> Recorded:
    """Anchor a memory in a commit that contains it as it is, and keep that commit whatever happens to its branch.

    Publishing the commit is up to the user.

    Args:
        view: the vault.
        memory: the memory.
        revision: the commit, in git's notation; None is the current one.
        dry_run: write nothing, and return what would happen.
        commit: commit the change, too.

    Raises:
        UsageError: the commit does not contain the file as it is, or the memory has no id.
        NotFoundError: there is no such memory, or no such commit.
        GitError: there is no repository.
    """
    file = view.original(memory)
    about = attestable(file)
    if is_sealed_path(file.path):
        raise UsageError(
            f"{file.path} is sealed, so no commit shows what it says",
            hint=f"memstore trust sign {about.id}, or an anchor of another type",
        )
    named = view.of(HISTORY).resolve(revision) if revision is not None else _last_commit(view, about)
    blob = view.of(HISTORY).blob_id(file.data)
    if view.of(HISTORY).stored_id(file.path, file.data) != blob:
        raise UsageError(
            f"git stores {file.path} otherwise than it is (.gitattributes), so no commit shows what it says",
            hint=f"memstore trust sign {about.id}, or an anchor of another type",
        )
    if view.of(HISTORY).files_at(named).get(file.path) != blob:
        if any(known.reference == named and known.path == file.path for known in about.anchors):
            return Recorded(saved=unchanged(file), anchored=None)
        raise UsageError(
            f"{named[:10]} does not hold {file.path} as it is now", hint=f"memstore commit {about.ref}, then anchor it"
        )
    if not dry_run:
        # (1) The commit is kept before (2) the file names it: a crash in between leaves an unused ref, but never an
        # anchor without its commit.
        view.of(HISTORY).keep(f"anchors/{about.id}/{named[:_NAME_DIGITS]}", named)
    remotes = {} if dry_run else view.of(HISTORY).follow_anchors()
    entry: dict[str, Plain] = {
        "type": "git_commit", "reference": named, "role": "commitment", "path": file.path,
        "blob": blob, "hash": digest_of(file.data), "created_at": instant(view.clock.now()),
    }  # fmt: skip
    return replace(_recorded(view, file, entry, (), dry_run=dry_run, commit=commit), remotes=remotes)


def _last_commit(view: View, memory: Memory) -> str:
    try:
        return view.of(HISTORY).resolve("HEAD")
    except NotFoundError:
        raise UsageError(
            "nothing is committed here yet, so there is no commit to anchor a memory in",
            hint=f"memstore commit {memory.ref}, then anchor it",
        ) from None


@again_where_changed
def anchor_page(
    view: View, memory: Named, kind: str, reference: str, page: bytes, **saving: Unpack[Saving]
) -> Recorded:
    """Anchor a memory in a page, of which the vault keeps a copy.

    A page that contains the digest of the memory's content commits to it; any other page is a source, and proves
    nothing.

    Args:
        view: the vault.
        memory: the memory.
        kind: `url` or `moltbook_post`.
        reference: where the page is.
        page: its bytes.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: it has no id, or `reference` is not the address of a page.
    """
    _stop_at_no_address(kind, reference)
    file = view.original(memory)
    about = attestable(file)
    hashed = digest_of(page)
    if any((known.reference, known.hash) == (reference, hashed) for known in about.anchors):
        return Recorded(saved=unchanged(file), anchored=None)
    entry: dict[str, Plain] = {
        "type": kind,
        "reference": reference,
        "role": "commitment" if holds_digest(page, statement.digests(about)) else "source",
        "hash": hashed,
        "created_at": instant(view.clock.now()),
    }
    copy = () if own_bytes(view, snapshot_path(hashed)) is not None else (Written(snapshot_path(hashed), None, page),)
    return _recorded(view, file, entry, copy, **saving)


@again_where_changed
def anchor_stamp(
    view: View, memory: Named, page: bytes, proof: bytes, *, reference: str | None = None, **saving: Unpack[Saving]
) -> Recorded:
    """Anchor a memory in a page stamped with OpenTimestamps; the vault keeps the page and the proof.

    A stamped page commits to the memory if it contains the digest of the memory's content; `digest_page` writes such a
    page. A proof of the same page that leads further replaces the one before.

    Args:
        view: the vault.
        memory: the memory.
        page: what was stamped.
        proof: the bytes of the `.ots` file.
        reference: where else it can be found; None is the vault's own proof.
        saving: dry_run, commit.

    Raises:
        FormatError: it is not a proof, or proves something else.
        NotFoundError: there is no such memory.
        UsageError: it has no id.
    """
    read_proof(proof, hashlib.sha256(page).digest())
    file = view.original(memory)
    about = attestable(file)
    hashed = digest_of(page)
    before = own_bytes(view, proof_path(hashed))
    own: tuple[Written, ...] = (
        () if own_bytes(view, snapshot_path(hashed)) is not None else (Written(snapshot_path(hashed), None, page),)
    )
    own += () if before == proof else (Written(proof_path(hashed), before, proof),)
    known = [(anchor.type, anchor.hash) for anchor in about.anchors]
    if ("opentimestamps", hashed) in known:
        save_own(view, own, verb="anchor", **saving)
        found = _verified(view, about)[known.index(("opentimestamps", hashed))]
        return Recorded(saved=unchanged(file), anchored=found if own else None)
    entry: dict[str, Plain] = {
        "type": "opentimestamps",
        "reference": reference or proof_path(hashed),
        "role": "commitment" if holds_digest(page, statement.digests(about)) else "source",
        "hash": hashed,
        "created_at": instant(view.clock.now()),
    }
    return _recorded(view, file, entry, own, **saving)


@again_where_changed
def anchor_elsewhere(view: View, memory: Named, kind: str, reference: str, **saving: Unpack[Saving]) -> Recorded:
    """Record an anchor that can't be checked here, such as a transaction on a blockchain; it is worth nothing.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: it has no id, or `reference` is not the address of a page.
    """
    _stop_at_no_address(kind, reference)
    file = view.original(memory)
    about = attestable(file)
    if any((known.type, known.reference) == (kind, reference) for known in about.anchors):
        return Recorded(saved=unchanged(file), anchored=None)
    entry: dict[str, Plain] = {"type": kind, "reference": reference, "created_at": instant(view.clock.now())}
    return _recorded(view, file, entry, (), **saving)


def _verified(view: View, memory: Memory) -> tuple[Anchored, ...]:
    return verified(
        view, memory, statement.digests(memory), controller_of=Controllers(view, read_keyring(view)[0].facts).of
    )


def _stop_at_no_address(kind: str, reference: str) -> None:
    if kind in PAGE_ANCHORS and host_of(reference) is None:
        raise UsageError(f"{reference} is not the address of a page", hint=ADDRESS_HINT)


def _recorded(
    view: View, file: MemoryFile, entry: dict[str, Plain], copy: tuple[Written, ...], **saving: Unpack[Saving]
) -> Recorded:
    data = splice.apply(file, [splice.AppendEntry("anchors", entry)])
    edit = Edit(path=file.path, before=file, after=data)
    saved = save_all(view, [edit], verb="anchor", own=copy, **saving)[0]
    after = memory_file.read(file.path, data, mixed=view.config.mixed)
    memory = after.memory if isinstance(after, MemoryFile) else file.memory
    return Recorded(saved=saved, anchored=_verified(view, memory)[-1])
