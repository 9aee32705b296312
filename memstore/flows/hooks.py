"""Memstore's hooks in the repository around the vault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.ports.history import HookState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memstore.core.view import View


@dataclass(frozen=True, slots=True)
class HooksReport:
    """Where the hooks lie, and the state of each by name."""

    folder: Path
    states: Mapping[str, HookState]


def install(view: View) -> HooksReport:
    """Put memstore's hooks in place, or bring them up to date.

    Raises:
        RefusedError: another program's hook is there; those without one are in place all the same.
        GitError: there is no repository.
    """
    hooks = view.history.hooks
    # Ours first, so that a foreign hook keeps none of the others out.
    for name, _ in sorted(hooks.states().items(), key=lambda item: item[1] is HookState.FOREIGN):
        hooks.install(name)
    return states(view)


def uninstall(view: View) -> HooksReport:
    """Take memstore's hooks away; other programs' stay.

    Raises:
        RefusedError: somebody else than the vault's owner acts: the hooks check what everybody commits.
    """
    from memstore.flows.registry import stop_unless_owner

    stop_unless_owner(view, "take its hooks away")
    for name in view.history.hooks.states():
        view.history.hooks.uninstall(name)
    return states(view)


def states(view: View) -> HooksReport:
    """Return whose hooks are in place."""
    return HooksReport(view.history.hooks.folder(), view.history.hooks.states())
