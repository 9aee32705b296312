"""What a user has pinned, in their own settings: a vault can't vouch for itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memstore.core.config import USER_SETTINGS
from memstore.files.config_file import ConfigFile, read_user_config

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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
