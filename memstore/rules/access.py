"""Who may see a memory."""

from __future__ import annotations


def may_see(entry_owner: str, viewer: str, vault_owner: str) -> bool:
    """Whether `viewer` may see a memory: its owner may, and nobody else.

    Args:
        entry_owner: the memory's `owner`; empty where it names none, and then it is the vault's owner's.
        viewer: the entity who looks; an empty one is nobody, and sees nothing.
        vault_owner: the vault's owner.
    """
    return bool(viewer) and viewer == (entry_owner or vault_owner)
