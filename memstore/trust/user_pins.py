"""What the user holds on to, in their own settings: a vault can't vouch for itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memstore.core.config import USER_SETTINGS
from memstore.files.config_file import ConfigFile, read_user_config

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class UserPins:
    """The pins of one vault, which is known by its real path: no change that arrives by git can move it.

    Args:
        config: the user's configuration file.
        vault: the vault's folder.
    """

    def __init__(self, config: Path, vault: Path) -> None:
        self._config = config
        self._vault = os.path.realpath(vault)

    @property
    def commit(self) -> str | None:
        """The commit of this vault whose keyring the user has looked at; None where they pinned none."""
        return read_user_config(self._config).pins.get(self._vault)

    @property
    def place(self) -> str:
        """The user's configuration file."""
        return str(self._config)

    def astray(self) -> Mapping[str, str]:
        """Return the commits that are pinned for folders which are not there: a vault may have been moved from one."""
        pins = read_user_config(self._config).pins
        return {folder: commit for folder, commit in pins.items() if not os.path.lexists(folder)}

    def pin(self, commit: str | None) -> None:
        """Pin a commit of this vault in place of the one before, or none.

        Raises:
            FormatError: the user's configuration is broken as it is.
        """
        ConfigFile(self._config, USER_SETTINGS).set_entry("pins", self._vault, commit)

    def header(self, height: int) -> bytes | None:
        """Return the header of a block of Bitcoin's chain that the user pinned, 80 bytes; None where they did not."""
        found = read_user_config(self._config).block_headers.get(str(height))
        return bytes.fromhex(found) if found else None

    def pin_header(self, height: int, header: bytes) -> None:
        """Pin the header of a block; `FormatError` where the user's configuration is broken as it is."""
        ConfigFile(self._config, USER_SETTINGS).set_entry("block_headers", str(height), header.hex())
