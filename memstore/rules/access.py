"""Who may see a memory: private by default, shared by grant and consent, decided for everybody who listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstore.model.world import Decision, Session, World


def may_see(entry_owner: str, viewer: str, vault_owner: str) -> bool:
    """Whether `viewer` may see a memory: its owner may, and nobody else.

    Args:
        entry_owner: the memory's `owner`; empty where it names none, and then it is the vault's owner's.
        viewer: the entity who looks; an empty one is nobody, and sees nothing.
        vault_owner: the vault's owner.
    """
    return bool(viewer) and viewer == (entry_owner or vault_owner)


def decide(world: World, session: Session, memory_id: str) -> Decision:
    """Return whether a memory may be shown in a session, and why.

    Many are decided faster by one `Judge`.
    """
    from memstore.rules.judge import Judge  # the owner alone needs no judge, and starts faster without

    return Judge(world, session).decide(memory_id)
