"""What an anchor is worth: whether what it names exists, is unaltered, and is about this memory."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime


class AnchorStatus(Enum):
    """The status of an anchor; valid and moved anchors hold."""

    VALID = "valid"
    MOVED = "moved"
    DANGLING = "dangling"
    MISSING = "missing"
    ALTERED = "altered"
    UNVERIFIABLE = "unverifiable"
    UNCHECKED = "unchecked"


class Anchored(NamedTuple):
    """The status of one anchor, why, and what to do.

    `counts` is true if it adds to trust: it holds, and commits to what the memory says now. `at` is the time that it
    proves, in UTC; None if it proves none. `shows` are the signatures that it contains; it proves the age of no others.
    `place` is where it is kept: anchors in one place count once. `timed` is true if a third party proves the time.
    `commit` is the commit that contains it, made at `made_at` according to its maker.
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


# Where anchors are kept that are not pages.
REPOSITORY, BLOCKCHAIN = "this repository", "a block"
_ANEW = "memstore trust anchor REF anchors it again"
_FETCH = "memstore trust REF --online fetches it"
_SCHEMES = ("http", "https")
ADDRESS_HINT = "write an address like https://example.org/page"


def host_of(url: str) -> str | None:
    """Return the host of a page's address, in lower case; None if it is not the address of a page."""
    try:
        parts = urlsplit(url)
        is_page = parts.scheme in _SCHEMES and parts.port != 0
    except ValueError:  # brackets without an address in them, or a port that is not a number
        return None
    return parts.hostname if is_page else None


def proven_by(anchored: Iterable[Anchored], sig: str) -> datetime | None:
    """Return the earliest time at which an anchor shows that a signature existed, in UTC; None if none does."""
    return min((one.at for one in anchored if one.counts and one.at and sig in one.shows), default=None)


class InHistory(NamedTuple):
    """What the repository shows about a `git_commit` anchor; every object's name was checked against its bytes.

    `is_there` and `is_true` say whether the blob exists, and matches its name and hash. `changed` are the sections of
    the memory that differ now. `held_by_commit` is true if the named commit has the blob at that path; `is_kept` is
    true if a ref holds that commit. `elsewhere` is a kept commit that has the blob, or None; `commit` is the one that
    counts, and `at` is when it was made. `shows` are the memory's signatures in the blob.
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
    """The vault's copy of a page: whether it exists, matches its hash, and contains the memory's digest.

    `problem` says why the copy can't be read; empty if it can.
    """

    is_there: bool
    is_true: bool = False
    holds_digest: bool = False
    problem: str = ""


class PageFetch(NamedTuple):
    """When the verifier first got a page from its address, in UTC, from which host, and the signatures in it.

    `problem` says why it proves nothing nevertheless, else empty; `hint` says what to do about that.
    """

    at: datetime
    host: str
    shows: frozenset[str] = frozenset()
    problem: str = ""
    hint: str = ""


def of_host(holder: str | None, host: str, *, author: str, controller_of: Callable[[str], str]) -> tuple[str, str]:
    """Return why a page of a host proves no time to the verifier, and what to do; both empty if it does.

    Args:
        holder: the host's owner, as the verifier pinned it; None if they did not.
        host: its name.
        author: who wrote the memory.
        controller_of: returns who controls an entity; "" if that can't be read.
    """
    if holder is None:
        return f"you have not said whom {host} belongs to", f"memstore trust keys pin --host {host} ENTITY"
    if controller_of(holder) in ("", controller_of(author)) or not controller_of(author):
        return f"as far as is known, {host} belongs to its author", "anchor it where its author can't write"
    return "", ""


class Stamp(NamedTuple):
    """What a proof of time shows: `at` is the earliest block's time, in UTC; None if none of its blocks is pinned.

    `heights` are the blocks that are not pinned, `pending` the calendars that have only promised one. `problem` says
    why the proof proves nothing, else empty.
    """

    at: datetime | None = None
    heights: tuple[int, ...] = ()
    pending: tuple[str, ...] = ()
    problem: str = ""


def in_history(found: InHistory, *, written_at: datetime | None) -> Anchored:
    """Return the status of a `git_commit` anchor; `written_at` is when the memory was written, in UTC."""
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
        return _anchored(AnchorStatus.VALID, "", found, written_at)
    if found.elsewhere:
        return _anchored(AnchorStatus.MOVED, f"{found.elsewhere[:10]} has it now", found, written_at)
    return Anchored(
        AnchorStatus.DANGLING,
        "no branch or tag has a commit with it, so git may delete it",
        _ANEW,
    )


def _anchored(status: AnchorStatus, reason: str, found: InHistory, written_at: datetime | None) -> Anchored:
    if found.at is not None and written_at is not None and found.at < written_at:
        return _too_old(status, found.at)
    return Anchored(
        status, reason, counts=True, shows=found.shows, place=REPOSITORY, commit=found.commit, made_at=found.at
    )


def dated(found: Anchored, recorded_at: datetime | None, *, written_at: datetime | None, now: datetime) -> Anchored:
    """Return the status of an anchor, checked for whether its recorded time is possible; all times are UTC."""
    for at in filter(
        None, (found.made_at, recorded_at)
    ):  # not for blocks: these are pinned by the verifier, and give the latest possible time
        if found.counts and at > now:
            return found._replace(counts=False, reason="it is dated in the future", hint=_ANEW)
    if found.counts and written_at and recorded_at and recorded_at < written_at:
        return found._replace(counts=False, reason="it was recorded before the memory was written", hint=_ANEW)
    return found


def _too_old(status: AnchorStatus, at: datetime) -> Anchored:
    return Anchored(status, "it is older than the memory, so it can't prove it", _ANEW, at=at)


def of_page(found: PageSnapshot, fetched: PageFetch | None, *, is_commitment: bool) -> Anchored:
    """Return the status of an anchor to a page, from the copy that the vault keeps and what the verifier fetched.

    Args:
        found: the copy; anybody who can write files of the vault can write it.
        fetched: how the verifier got the same page from its address; None if they did not.
        is_commitment: whether the anchor claims to commit to the memory.
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
    """Return the status of the copy of a page: whether it exists, is unaltered, and commits to the memory."""
    if found.problem:
        return Anchored(
            AnchorStatus.ALTERED, found.problem, "put the file back; git log -- .memstore/snapshots shows where it was"
        )
    if not found.is_there:
        return Anchored(
            AnchorStatus.MISSING, "the vault keeps no copy of it", "memstore trust anchor REF --snapshot FILE"
        )
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
    """Return the status of an `opentimestamps` anchor, from what was stamped and the proof (None: there is none).

    Args:
        found: the vault's copy of what was stamped.
        stamp: what its proof shows.
        is_commitment: whether the anchor claims to commit to the memory.
        written_at: when the memory was written, in UTC.
        shows: the memory's signatures that were stamped.
    """
    page = _copied(found, is_commitment=is_commitment)
    if not page.counts:
        return page
    if stamp is None:
        again = "memstore trust anchor REF --type opentimestamps --snapshot FILE --proof FILE.ots"
        return Anchored(AnchorStatus.MISSING, "the vault keeps no proof of it", again)
    if stamp.problem:
        return Anchored(AnchorStatus.ALTERED, stamp.problem, "restore the proof from git")
    if stamp.at is None:
        return _open(stamp)
    if written_at is not None and stamp.at < written_at:
        return _too_old(AnchorStatus.VALID, stamp.at)
    return Anchored(AnchorStatus.VALID, counts=True, at=stamp.at, shows=shows, place=BLOCKCHAIN, timed=True)


def _open(stamp: Stamp) -> Anchored:
    """Return the status of an anchor whose proof leads to no block that the user pinned."""
    if stamp.heights:
        reason, height = f"it is in block {stamp.heights[0]}, whose header is needed", stamp.heights[0]
        return Anchored(AnchorStatus.UNVERIFIABLE, reason, f"memstore trust keys pin --block {height} HEADER")
    reason = f"promised by {', '.join(stamp.pending) or 'nobody'}, but not in a block yet"
    return Anchored(AnchorStatus.UNVERIFIABLE, reason, "ots upgrade FILE.ots, then anchor it again")


UNCHECKED = Anchored(
    AnchorStatus.UNCHECKED,
    "it is kept as it was given; memstore can't check this kind of anchor",
    "memstore trust anchor REF adds one that can be checked",
)
