"""Whose key signed the commits of a push: git lets everybody write any address, and nobody sign with another's key."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.digests import format_of
from memstore.core.times import moment
from memstore.history import git_objects
from memstore.trust import allowed_signers
from memstore.trust.keyring import ALLOWED_SIGNERS, COMMIT_NAMESPACES, REVOKED_KEYS
from memstore.trust.read_keyring import commit_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from memstore.history.git_objects import GitObject
    from memstore.trust.sshsig import SshSignature

    Verify = Callable[[SshSignature, bytes], bool]


class SignedBy(NamedTuple):
    """Whose key signed a commit; or why nobody's did."""

    names: frozenset[str] = frozenset()
    problem: str = ""


class CommitKeys:
    """The keys for commits that a vault has in one state; `holders` are those who have one, whether it is valid or not.

    Revoked keys that can be read are revoked, whatever else is in that file: a slip there can be mended by a push.

    Args:
        files: the vault's own files in that state.
        verify: whether a signature is one over some bytes.
    """

    def __init__(self, files: Mapping[str, bytes], verify: Verify) -> None:
        self.verify = verify
        self._keyring, _ = allowed_signers.read(files.get(ALLOWED_SIGNERS), files.get(REVOKED_KEYS))
        lines = (line for line in self._keyring.signers if COMMIT_NAMESPACES & {*line.namespaces})
        self.holders = frozenset(name for line in lines for name in line.principals)

    def signed(self, made: SshSignature, at: datetime) -> SignedBy | None:
        """Return whose key made a signature, if it is valid at a time; None if it is nobody's here."""
        if self._keyring.is_revoked(made.key, made.certificate):
            return SignedBy(problem=f"the key that signed it was revoked: {made.key.fingerprint}")
        lines = (self._keyring.lines_for(made.key, made.certificate, one) for one in COMMIT_NAMESPACES)
        found = [line for line in chain.from_iterable(lines) if line.principals]
        names = frozenset(name for line in found if line.is_valid_at(at) for name in line.principals)
        if found and not names:
            return SignedBy(problem=f"the key that signed it is not valid any more, or not yet: {made.key.fingerprint}")
        return SignedBy(names) if found else None


def signature_of(commit: GitObject, name: str, own: CommitKeys, there: Iterable[CommitKeys], now: datetime) -> SignedBy:
    """Return whose key signed a commit.

    Args:
        commit: the commit.
        name: its id.
        own: the keys of the state that it changes, which must be valid when it says that it was made.
        there: those that the remote has, which must be valid now: whoever has an old key may write any date.
        now: the time, UTC.
    """
    made = commit_signature(own.verify, commit, object_format=format_of(name))
    if made is None:
        is_signed = git_objects.signed_part(commit, object_format=format_of(name)) is not None
        return SignedBy(problem="its signature is none of an SSH key that holds" if is_signed else "it isn't signed")
    then = moment(git_objects.committed_at(commit) or 0)
    said = [one for one in (own.signed(made, then), *(keys.signed(made, now) for keys in there)) if one]
    unknown = SignedBy(problem=f"the key that signed it is nobody's here: {made.key.fingerprint}")
    return next((one for one in said if one.problem), said[0] if said else unknown)
