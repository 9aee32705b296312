"""Memstore's hooks in the repository around the vault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.ports.history import HookState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True)
class HooksReport:
    """Where the hooks lie, and the state of each by name."""

    folder: Path
    states: Mapping[str, HookState]


def install(ws: Workspace) -> HooksReport:
    """Put memstore's hooks in place, or bring them up to date.

    Raises:
        RefusedError: another program's hook is there; those without one are in place all the same.
        GitError: there is no repository.
    """
    hooks = ws.history.hooks
    # Ours first, so that a foreign hook keeps none of the others out.
    for name, _ in sorted(hooks.states().items(), key=lambda item: item[1] is HookState.FOREIGN):
        hooks.install(name)
    return states(ws)


def uninstall(ws: Workspace) -> HooksReport:
    """Take memstore's hooks away; other programs' stay.

    Raises:
        RefusedError: somebody else than the vault's owner acts: the hooks check what everybody commits.
    """
    from memstore.flows.registry import stop_unless_owner

    stop_unless_owner(ws, "take its hooks away")
    for name in ws.history.hooks.states():
        ws.history.hooks.uninstall(name)
    return states(ws)


def states(ws: Workspace) -> HooksReport:
    """Return whose hooks are in place."""
    return HooksReport(ws.history.hooks.folder(), ws.history.hooks.states())
