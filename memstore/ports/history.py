"""The vault's history: a git repository, of which the vault may be a folder."""

from __future__ import annotations

from typing import Protocol


class History(Protocol):
    """To be filled in with what flows need of git."""
