"""The keeper rule: which lines of the keyring count once a commit is pinned.

What the pinned commit holds counts. After that a change counts only in a commit that somebody signed whom the keyring
before it lists as a keeper: a line whose `namespaces=` has `git`. So no change lets itself in (docs/adr/0016).
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.keyring import COMMIT_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memstore.model.keyring import Certificate, Keyring, PublicKey


class KeyringFiles(NamedTuple):
    """The lines of allowed_signers and revoked_keys that say something, as one commit or the work tree has them."""

    signers: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


class Counting(NamedTuple):
    """The lines that count as of one commit.

    `ended` are lines of allowed_signers that a keeper took out; `at` is when the last change was made that counts.
    """

    signers: frozenset[str] = frozenset()
    revoked: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    at: datetime = datetime.min.replace(tzinfo=UTC)


class KeyringChange(NamedTuple):
    """One commit that changes the files, or joins branches.

    `follows` are the commits before it among those that change them; `before` is what the files were in each of its
    real parents, None where that can't be known, `after` what they are in it; `at` when it was made, UTC.
    """

    commit: str
    follows: tuple[str, ...]
    before: tuple[KeyringFiles, ...] | None
    after: KeyringFiles
    at: datetime


def counting(
    pinned: KeyringFiles,
    at: datetime,
    changes: Iterable[KeyringChange],
    *,
    is_by_keeper: Callable[[KeyringChange, Counting], bool],
) -> Counting:
    """Return the lines that count as of the last of some changes.

    Args:
        pinned: the files as of the commit that the user pinned.
        at: when that was made, UTC.
        changes: all since, each after those that it follows; a commit that is none of them counts as the pinned one.
        is_by_keeper: whether a keeper signed a change, by the lines that count before it.
    """
    base = Counting(frozenset(pinned.signers), frozenset(pinned.revoked), at=at)
    known: dict[str, Counting] = {}
    last = base
    for change in changes:
        joined = _joined([known.get(commit, base) for commit in change.follows] or [base])
        last = _changed(joined, change) if is_by_keeper(change, joined) else joined
        known[change.commit] = last
    return last


def is_keeper(
    keyring: Keyring, key: PublicKey, certificate: Certificate | None, *, at: datetime, since: datetime
) -> bool:
    """Whether a key may sign a change of the keyring.

    Args:
        keyring: what counts before the change.
        key: whose signature holds.
        certificate: what came with it, if anything did.
        at: when the change was made, as its commit says.
        since: when the last change before it was made that counts; a key that has expired can't go back behind it.
    """
    if keyring.unreadable or keyring.is_revoked(key, certificate) or at < since:
        return False
    lines = keyring.lines_for(key, certificate, COMMIT_NAMESPACE)
    return any(line.principals and line.is_valid_at(at) for line in lines)


def uncommitted(counts: Counting, committed: KeyringFiles, now: KeyringFiles) -> Counting:
    """Return the lines that count for whoever changed the files and has not committed that yet."""
    new, gone = _difference([committed.signers], now.signers)
    barred, freed = _difference([committed.revoked], now.revoked)
    return counts._replace(signers=counts.signers - gone | new, revoked=counts.revoked - freed | barred)


def _joined(branches: Sequence[Counting]) -> Counting:
    """Return what counts where branches meet: who was taken out or revoked on one of them stays so."""
    ended = frozenset[str]().union(*(branch.ended for branch in branches))
    return Counting(
        signers=frozenset[str]().union(*(branch.signers for branch in branches)) - ended,
        revoked=frozenset[str]().union(*(branch.revoked for branch in branches)),
        ended=ended,
        at=max(branch.at for branch in branches),
    )


def _changed(counts: Counting, change: KeyringChange) -> Counting:
    before = change.before or ()
    new, gone = _difference([files.signers for files in before], change.after.signers)
    barred, freed = _difference([files.revoked for files in before], change.after.revoked)
    return Counting(
        signers=counts.signers - gone | new,
        revoked=counts.revoked - freed | barred,
        ended=counts.ended - new | gone,
        at=change.at,
    )


def _difference(before: Sequence[Sequence[str]], after: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lines that are new and those that are gone; one that stands more often than before is new, too.

    A line that came without a keeper is let in by writing it once more.
    """
    then = Counter[str]()
    for lines in before:
        then |= Counter(lines)
    now: Mapping[str, int] = Counter(after)
    new = frozenset(line for line, count in now.items() if count > then[line])
    return new, frozenset(line for line in then if line not in now)
