"""Pages on the web. Only a command that was told `--online` has them; nothing else ever opens a connection."""

from __future__ import annotations

from typing import Protocol


class Pages(Protocol):
    """Fetches pages."""

    def fetch(self, url: str) -> bytes:
        """Return what a page says now.

        Raises:
            UsageError: it is no address of a page.
            VaultError: it can't be had, or is too large.
        """
