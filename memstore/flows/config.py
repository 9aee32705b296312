"""See and change settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.ports.settings import SettingsFile


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue:
    """A setting, its value (None: not set) and where the value comes from: a file, or `default`."""

    name: str
    value: Any
    source: str
    meaning: str


def settings(file: SettingsFile, defaults: Mapping[str, Any]) -> tuple[SettingValue, ...]:
    """Return all settings of a file, in the order of their table; `defaults` hold where the file says nothing."""
    values = file.values()
    return tuple(
        SettingValue(
            name=name,
            value=values.get(name, defaults.get(name)),
            source=str(file.path) if name in values else "default",
            meaning=setting.meaning,
        )
        for name, setting in file.settings.items()
    )


def setting(file: SettingsFile, defaults: Mapping[str, Any], name: str) -> SettingValue:
    """Return one setting; `UsageError` where there is none of that name."""
    found = {known.name: known for known in settings(file, defaults)}
    if name not in found:
        raise UsageError(f"there is no setting {name!r} in {file.path}", hint=file.advice(name))
    return found[name]


def set_setting(file: SettingsFile, defaults: Mapping[str, Any], name: str, text: str) -> SettingValue:
    """Write one setting as a person types it; comments and layout of the file stay as they are."""
    file.set(name, text)
    return setting(file, defaults, name)


def unset_setting(file: SettingsFile, defaults: Mapping[str, Any], name: str) -> SettingValue:
    """Take one setting out of the file; what is returned is the default that holds now."""
    file.unset(name)
    return setting(file, defaults, name)
