"""Pins a vault's keyring: after the pinned commit, only its keepers can change whose keys count.

Pins are kept in the user's own settings, because a vault can't vouch for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access.audit import entity_id, stop_unless_owner
from memstore.core.errors import FormatError, UsageError
from memstore.core.short_repr import short_repr
from memstore.history import HISTORY
from memstore.history.revisions import bytes_at, true_objects
from memstore.trust import PINS, allowed_signers
from memstore.trust.anchors import host_of
from memstore.trust.formats import opentimestamps
from memstore.trust.keyring import COMMIT_NAMESPACE, KEYRING_FILES
from memstore.trust.read_keyring import read_keyring

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.trust.keyring import Signer


_HEIGHTS = 10**9  # the most that the user's settings hold; the chain takes some 19,000 years to get there


# -- pin -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """The commits pinned now and before (None: none), the keys in the current one, and the problems of its files.

    `let_in` are lines that did not count under the previous pin.
    """

    commit: str | None
    before: str | None
    signers: tuple[Signer, ...] = ()
    let_in: tuple[Signer, ...] = ()
    findings: tuple[Finding, ...] = ()

    __repr__ = short_repr

    @property
    def keepers(self) -> tuple[Signer, ...]:
        """The lines of those who may change the keyring."""
        return tuple(one for one in self.signers if COMMIT_NAMESPACE in one.namespaces)


def pin(view: View, *, revision: str | None = None, dry_run: bool = False) -> Pinned:
    """Pin a commit in the user's own configuration: its keyring counts for this user.

    Args:
        view: the vault.
        revision: the commit, in git's notation; None is the current one.
        dry_run: write nothing, and return what would happen.

    Raises:
        RefusedError: somebody other than the vault's owner acts.
        NotFoundError: there is no such commit.
        UsageError: it has no key that counts, or is not in the current commit's history, so that none ever would.
        GitError: there is no repository, or an object is damaged.
    """
    stop_unless_owner(view, "pin its keys")
    commit, before = view.of(HISTORY).resolve(revision or "HEAD"), view.of(PINS).commit
    read = bytes_at(view, true_objects(view, [commit]), KEYRING_FILES)
    keyring, findings = allowed_signers.read(*(read[commit, path] for path in KEYRING_FILES))
    signers = tuple(one for one in keyring.signers if one.key.blob not in keyring.revoked)
    if not signers:
        raise UsageError(
            f"{commit[:10]} has no key that counts, so none ever would",
            hint="memstore trust keys add ENTITY FILE.pub --keeper -c, then memstore trust keys pin",
        )
    if view.of(HISTORY).touching(KEYRING_FILES, since=commit, until=view.of(HISTORY).resolve("HEAD")) is None:
        raise UsageError(f"{commit[:10]} is not in the history of the current commit", hint="git log .memstore/")
    known = {(one.principals, one.key, one.namespaces) for one in read_keyring(view)[0].signers if one.pinned}
    let_in = [one for one in signers if before and (one.principals, one.key, one.namespaces) not in known]
    if not dry_run:
        view.of(PINS).pin(commit)
    return Pinned(commit=commit, before=before, signers=signers, let_in=tuple(let_in), findings=findings)


def pin_block(view: View, height: int, header: str) -> datetime:
    """Pin the header of a block of Bitcoin's chain, which proves times; return its latest possible time, in UTC.

    Args:
        view: the vault; the pin applies to all vaults of the user.
        height: the block's.
        header: 160 hexadecimal digits, from a node that the user trusts; the vault can't vouch for itself.

    Raises:
        UsageError: it is not a block's header, claims too little work, or there is no block of that height.
    """
    if not 0 <= height < _HEIGHTS:
        raise UsageError(f"there is no block {height}", hint="bitcoin-cli getblockcount prints the latest")
    try:
        data = bytes.fromhex(header)
        read = opentimestamps.read_header(data)
    except (ValueError, FormatError) as error:
        raise UsageError(
            f"that is not the header of block {height}: 160 hexadecimal digits, with the proof of work that they claim",
            hint=f"bitcoin-cli getblockheader $(bitcoin-cli getblockhash {height}) false",
        ) from error
    if not read.is_of_main_chain:
        raise UsageError(
            f"that header of block {height} claims far less work than any block of Bitcoin's chain since 2015",
            hint="anybody could have made it; ask a node that you trust for the header",
        )
    view.of(PINS).pin_header(height, data)
    return read.at


def pin_host(view: View, host: str, entity: str) -> None:
    """Pin the owner of a web host; its pages are no evidence for that owner's own memories.

    Raises:
        UsageError: it is not the name of a host, or not an entity id.
    """
    if host_of(f"https://{host}/") != host:
        raise UsageError(f"{host} is not a host", hint="give its name alone, in lower case: example.org")
    view.of(PINS).pin_host(host, entity_id(entity, "whom the host belongs to", view))


def unpin(view: View) -> Pinned:
    """Remove the pin: then anybody who can write the files decides whose keys count."""
    stop_unless_owner(view, "pin its keys")
    before = view.of(PINS).commit
    view.of(PINS).pin(None)
    return Pinned(commit=None, before=before)
