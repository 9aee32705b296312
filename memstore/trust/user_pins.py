"""What the user holds on to, outside every vault: a vault can't vouch for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Pins(Protocol):
    """What the user pinned, in their own configuration."""

    @property
    def commit(self) -> str | None:
        """The commit of this vault whose keyring the user has looked at; None where they pinned none."""

    @property
    def place(self) -> str:
        """The file that the pins stand in; there need not be one."""

    def astray(self) -> Mapping[str, str]:
        """Return the commits that are pinned for folders which are not there: a vault may have been moved from one."""

    def pin(self, commit: str | None) -> None:
        """Pin a commit of this vault in place of the one before, or none.

        Raises:
            FormatError: the user's configuration is broken as it is.
        """

    def header(self, height: int) -> bytes | None:
        """Return the header of a block of Bitcoin's chain that the user pinned, 80 bytes; None where they did not."""

    def pin_header(self, height: int, header: bytes) -> None:
        """Pin the header of a block; `FormatError` where the user's configuration is broken as it is."""
