"""Pins a vault's keyring: after the pinned commit, only its keepers can change whose keys count.

Pins are kept in the user's own settings, because a vault can't vouch for itself.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access.audit import entity_id, stop_unless_owner
from memstore.core.config import USER_SETTINGS
from memstore.core.errors import FormatError, UsageError
from memstore.core.short_repr import short_repr
from memstore.files.config_file import ConfigFile, read_user_config
from memstore.history import HISTORY
from memstore.history.revisions import bytes_at, true_objects
from memstore.trust import PINS, allowed_signers
from memstore.trust.anchors import host_of
from memstore.trust.formats import opentimestamps
from memstore.trust.keyring import COMMIT_NAMESPACE
from memstore.trust.read_keyring import KEYRING_FILES, read_keyring

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.trust.keyring import Signer


_HEIGHTS = 10**9  # the most that the user's settings hold; the chain takes some 19,000 years to get there


class UserPins:
    """The pins of one vault. It is identified by its real path, so no change that arrives by git can move the pin.

    Args:
        config: the user's configuration file.
        vault: the vault's folder.
    """

    def __init__(self, config: Path, vault: Path) -> None:
        self._config = config
        self._vault = os.path.realpath(vault)

    @property
    def commit(self) -> str | None:
        """The commit of this vault whose keyring the user has checked; None if they pinned none."""
        return read_user_config(self._config).pins.get(self._vault)

    @property
    def place(self) -> str:
        """The user's configuration file."""
        return str(self._config)

    def astray(self) -> Mapping[str, str]:
        """Return the pinned commits of folders that don't exist: a vault may have been moved from there."""
        pins = read_user_config(self._config).pins
        return {folder: commit for folder, commit in pins.items() if not os.path.lexists(folder)}

    def pin(self, commit: str | None) -> None:
        """Pin a commit of this vault in place of the previous one, or none.

        Raises:
            FormatError: the user's configuration is already broken.
        """
        ConfigFile(self._config, USER_SETTINGS).set_entry("pins", self._vault, commit)

    def header(self, height: int) -> bytes | None:
        """Return the header of a block of Bitcoin's chain that the user pinned, 80 bytes; None if it is not pinned."""
        found = read_user_config(self._config).block_headers.get(str(height))
        return bytes.fromhex(found) if found else None

    def pin_header(self, height: int, header: bytes) -> None:
        """Pin the header of a block; `FormatError` if the user's configuration is already broken."""
        ConfigFile(self._config, USER_SETTINGS).set_entry("block_headers", str(height), header.hex())

    @property
    def revocations(self) -> Mapping[str, str]:
        """The keys of this vault whose revocation was seen, by fingerprint, with the commit where it was first seen."""
        known = read_user_config(self._config).revocations.items()
        split = ((key.rpartition(" "), commit) for key, commit in known)
        return {fingerprint: commit for (folder, _, fingerprint), commit in split if folder == self._vault}

    def saw_revoked(self, fingerprint: str, commit: str) -> None:
        """Remember that a key was revoked as of a commit; `FormatError` if the user's configuration is broken."""
        ConfigFile(self._config, USER_SETTINGS).set_entry("revocations", f"{self._vault} {fingerprint}", commit)

    def host(self, name: str) -> str | None:
        """Return the owner of a web host, as the user pinned it; None if they did not."""
        return read_user_config(self._config).hosts.get(name)

    def pin_host(self, name: str, entity: str) -> None:
        """Pin the owner of a web host; `FormatError` if the user's configuration is already broken."""
        ConfigFile(self._config, USER_SETTINGS).set_entry("hosts", name, entity)

    def sender(self, entity: str) -> str | None:
        """Return the fingerprint of the key with which somebody signs shared stacks; None if none is pinned."""
        return read_user_config(self._config).senders.get(entity)

    def pin_sender(self, entity: str, fingerprint: str | None) -> None:
        """Pin the key with which somebody signs stacks, or none; `FormatError` if the user's settings are broken."""
        ConfigFile(self._config, USER_SETTINGS).set_entry("senders", entity, fingerprint)


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
            hint="memstore keys add ENTITY FILE.pub --keeper -c, then memstore keys pin",
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
