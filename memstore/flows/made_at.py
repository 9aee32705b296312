"""When a memory was made, as far as anything tells: its strength is counted from there until it is used."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.ports.vault import Vault


def made_at(vault: Vault | None, path: str, created_at: str | None) -> datetime | None:
    """Return when a memory was made, UTC: as it says itself, else when its file was saved last.

    The first commit may know better, but it would have to be looked for at every search; and a file that came with a
    clone is new to whoever cloned it.

    Args:
        vault: where the file lies; None for one that is a past state's.
        path: of its file.
        created_at: as the file has it; None or empty where it says nothing.
    """
    if created_at:
        return datetime.fromisoformat(created_at)
    return vault.saved_at(path) if vault else None
