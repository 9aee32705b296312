"""What an anchor is worth: whether what it names is there, is what it says, and is about this memory."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime


class AnchorStatus(Enum):
    """How an anchor stands; valid and moved ones hold."""

    VALID = "valid"
    MOVED = "moved"
    DANGLING = "dangling"
    MISSING = "missing"
    ALTERED = "altered"
    UNVERIFIABLE = "unverifiable"


class Anchored(NamedTuple):
    """How one anchor stands, why, and what to do.

    `counts` is whether it adds to trust: it holds, and commits to what the memory says now. `at` is the time that it
    proves, UTC; None where it proves none. `shows` are the signatures that it holds; it proves the age of no others.
    `place` is where it is kept: anchors in one place count once. `timed` is whether a third party says when, and
    `commit` the one that holds it, made at `made_at` by its maker's word.
    """

    status: AnchorStatus
    reason: str = ""
    hint: str = ""
    counts: bool = False
    at: datetime | None = None
    shows: frozenset[str] = frozenset()
    place: str = ""
    timed: bool = False
    commit: str = ""
    made_at: datetime | None = None


# Where anchors are kept that are no pages.
REPOSITORY, BLOCKCHAIN = "this repository", "a block"
_ANEW = "memstore anchor REF anchors it again"
_FETCH = "memstore trust REF --online fetches it"
_SCHEMES = ("http", "https")
ADDRESS_HINT = "write an address like https://example.org/page"


def host_of(url: str) -> str | None:
    """Return the host of a page's address, in lower case; None where it is no address of a page."""
    try:
        parts = urlsplit(url)
        is_page = parts.scheme in _SCHEMES and parts.port != 0
    except ValueError:  # brackets without an address in them, or a port that is no number
        return None
    return parts.hostname if is_page else None


def proven_by(anchored: Iterable[Anchored], sig: str) -> datetime | None:
    """Return the earliest time at which an anchor shows that a signature was there, UTC; None where none does."""
    return min((one.at for one in anchored if one.counts and one.at and sig in one.shows), default=None)


class InHistory(NamedTuple):
    """What the repository shows of a `git_commit` anchor; every object's name was checked against its bytes.

    `is_there`, `is_true`: whether the blob is, and is what its name and hash say. `changed`: the sections of the memory
    that are another now. `held_by_commit`: whether the commit that is named has the blob at that path; `is_kept`:
    whether a ref holds that commit. `elsewhere` is a kept commit that has the blob, or None; `commit` the one
    that counts, and `at` when it was made. `shows` are the memory's signatures that the blob holds.
    """

    is_there: bool
    is_true: bool = False
    changed: tuple[str, ...] = ()
    held_by_commit: bool = False
    is_kept: bool = False
    elsewhere: str | None = None
    at: datetime | None = None
    shows: frozenset[str] = frozenset()
    commit: str = ""


class PageSnapshot(NamedTuple):
    """What the vault keeps of a page: whether it is there, is what its hash says, and holds the memory's digest.

    `problem` is why what lies there can't be read, else empty.
    """

    is_there: bool
    is_true: bool = False
    holds_digest: bool = False
    problem: str = ""


class PageFetch(NamedTuple):
    """When the verifier first had a page from its address, UTC, from which host, and the signatures that it holds.

    `problem` is why it proves nothing all the same, else empty; `hint` what to do about that.
    """

    at: datetime
    host: str
    shows: frozenset[str] = frozenset()
    problem: str = ""
    hint: str = ""


def of_host(holder: str | None, host: str, *, author: str, controller_of: Callable[[str], str]) -> tuple[str, str]:
    """Return why a page of a host proves no time to the verifier, and what to do; both empty where it does.

    Args:
        holder: whose host it is, as the verifier pinned it; None where they did not.
        host: its name.
        author: who wrote the memory.
        controller_of: gives who controls an entity; "" where that can't be read.
    """
    if holder is None:
        return f"you have not said whom {host} belongs to", f"memstore keys pin --host {host} ENTITY"
    if controller_of(holder) in ("", controller_of(author)) or not controller_of(author):
        return f"as far as is known, {host} belongs to its author", "anchor it where its author can't write"
    return "", ""


class Stamp(NamedTuple):
    """What a proof of time shows: `at` is the earliest block's time, UTC, None where no block of it was pinned.

    `heights` are the blocks that were not, `pending` the calendars that have only promised one; `problem` is why the
    proof proves nothing, else empty.
    """

    at: datetime | None = None
    heights: tuple[int, ...] = ()
    pending: tuple[str, ...] = ()
    problem: str = ""


def in_history(found: InHistory, *, written_at: datetime | None) -> Anchored:
    """Return how a `git_commit` anchor stands; `written_at` is when the memory was written, UTC."""
    if not found.is_there:
        return Anchored(
            AnchorStatus.MISSING,
            "the repository does not have it",
            "git fetch origin 'refs/memstore/anchors/*:refs/memstore/remotes/origin/anchors/*', "
            "and git fetch --unshallow in a shallow clone; git fsck finds damage",
        )
    if not found.is_true:
        return Anchored(AnchorStatus.ALTERED, "the object does not match its name", "git fsck, and restore a backup")
    if found.changed:
        return Anchored(AnchorStatus.ALTERED, f"{' and '.join(found.changed)} changed since", _ANEW)
    if found.held_by_commit and found.is_kept:
        return _held(AnchorStatus.VALID, "", found, written_at)
    if found.elsewhere:
        return _held(AnchorStatus.MOVED, f"{found.elsewhere[:10]} has it now", found, written_at)
    return Anchored(
        AnchorStatus.DANGLING,
        "no branch or tag has a commit with it, so git may delete it",
        _ANEW,
    )


def _held(status: AnchorStatus, reason: str, found: InHistory, written_at: datetime | None) -> Anchored:
    if found.at is not None and written_at is not None and found.at < written_at:
        return _too_old(status, found.at)
    return Anchored(
        status, reason, counts=True, shows=found.shows, place=REPOSITORY, commit=found.commit, made_at=found.at
    )


def dated(found: Anchored, recorded_at: datetime | None, *, written_at: datetime | None, now: datetime) -> Anchored:
    """Return how an anchor stands that says when it was recorded, as far as that is possible; all times are UTC."""
    for at in filter(None, (found.made_at, recorded_at)):  # a block is the verifier's own, and its time a latest one
        if found.counts and at > now:
            return found._replace(counts=False, reason="it is dated in the future", hint=_ANEW)
    if found.counts and written_at and recorded_at and recorded_at < written_at:
        return found._replace(counts=False, reason="it was recorded before the memory was written", hint=_ANEW)
    return found


def _too_old(status: AnchorStatus, at: datetime) -> Anchored:
    return Anchored(status, "it is older than the memory, so it can't prove it", _ANEW, at=at)


def of_page(found: PageSnapshot, fetched: PageFetch | None, *, is_commitment: bool) -> Anchored:
    """Return how an anchor to a page stands: by the copy that the vault keeps, and by what the verifier fetched.

    Args:
        found: the copy; whoever writes files of the vault can write it.
        fetched: how the verifier had the same page from its address; None where they did not.
        is_commitment: whether it is said to commit to the memory.
    """
    page = _copied(found, is_commitment=is_commitment)
    if not page.counts:
        return page
    if fetched is None:
        return page._replace(counts=False, reason="a copy that you did not fetch yourself", hint=_FETCH)
    if fetched.problem:
        return page._replace(counts=False, reason=fetched.problem, hint=fetched.hint)
    return page._replace(at=fetched.at, shows=fetched.shows, place=fetched.host, timed=True)


def _copied(found: PageSnapshot, *, is_commitment: bool) -> Anchored:
    """Return how the copy of a page stands: whether it is there, is true, and commits to the memory."""
    if found.problem:
        return Anchored(
            AnchorStatus.ALTERED, found.problem, "put the file back; git log -- .memstore/snapshots shows where it was"
        )
    if not found.is_there:
        return Anchored(AnchorStatus.MISSING, "the vault keeps no copy of it", "memstore anchor REF --snapshot FILE")
    if not found.is_true:
        return Anchored(AnchorStatus.ALTERED, "the copy does not match its hash", "restore it from git")
    if is_commitment and not found.holds_digest:
        return Anchored(AnchorStatus.ALTERED, "the page does not have the memory's current digest", _ANEW)
    return Anchored(
        AnchorStatus.VALID, "" if is_commitment else "it shows a source, and proves nothing", counts=is_commitment
    )


def of_stamp(
    found: PageSnapshot,
    stamp: Stamp | None,
    *,
    is_commitment: bool,
    written_at: datetime | None,
    shows: frozenset[str],
) -> Anchored:
    """Return how an `opentimestamps` anchor stands: by what was stamped, and by the proof (None: there is none).

    Args:
        found: what the vault keeps of what was stamped.
        stamp: what its proof shows.
        is_commitment: whether it is said to commit to the memory.
        written_at: when the memory was written, UTC.
        shows: the memory's signatures that were stamped.
    """
    page = _copied(found, is_commitment=is_commitment)
    if not page.counts:
        return page
    if stamp is None:
        again = "memstore anchor REF --type opentimestamps --snapshot FILE --proof FILE.ots"
        return Anchored(AnchorStatus.MISSING, "the vault keeps no proof of it", again)
    if stamp.problem:
        return Anchored(AnchorStatus.ALTERED, stamp.problem, "restore the proof from git")
    if stamp.at is None:
        return _open(stamp)
    if written_at is not None and stamp.at < written_at:
        return _too_old(AnchorStatus.VALID, stamp.at)
    return Anchored(AnchorStatus.VALID, counts=True, at=stamp.at, shows=shows, place=BLOCKCHAIN, timed=True)


def _open(stamp: Stamp) -> Anchored:
    """Return how an anchor stands whose proof leads to no block that the user pinned."""
    if stamp.heights:
        reason, height = f"it is in block {stamp.heights[0]}, whose header is needed", stamp.heights[0]
        return Anchored(AnchorStatus.UNVERIFIABLE, reason, f"memstore keys pin --block {height} HEADER")
    reason = f"promised by {', '.join(stamp.pending) or 'nobody'}, but not in a block yet"
    return Anchored(AnchorStatus.UNVERIFIABLE, reason, "ots upgrade FILE.ots, then anchor it again")


UNVERIFIABLE = Anchored(
    AnchorStatus.UNVERIFIABLE,
    "memstore can't check this kind of anchor",
    "memstore anchor REF adds one that can be checked",
)
