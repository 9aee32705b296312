"""The settings of a vault or of a user, in a file that people edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memstore.model.config import Setting


class SettingsFile(Protocol):
    """One file of settings."""

    @property
    def path(self) -> Path:
        """The file; there need not be one."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """What can be set in it, by name."""

    def values(self) -> Mapping[str, Any]:
        """Return what the file sets, checked; `FormatError` where it can't be used."""

    def set(self, name: str, text: str) -> Any:
        """Write one setting as a person types it, keep all else as it is, and return its value."""

    def unset(self, name: str) -> None:
        """Take one setting out of the file, so that its default holds."""

    def advice(self, name: str) -> str:
        """Return what to do where there is no setting of that name in this file."""
