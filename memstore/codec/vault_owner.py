"""Whose a vault was: the owner that its configuration names, read from bytes of any state of it."""

from __future__ import annotations

import tomllib
from typing import Any

from memstore.model.config import FORMAT_VERSION
from memstore.model.ids import is_entity_id

# Owns a vault whose configuration can't be relied on: no entity has such an id, so nobody sees what has no other owner.
NOBODY = "?"


def owner_of(config: bytes | None, *, default: str) -> str:
    """Return the owner that a vault's configuration names.

    Args:
        config: the bytes of `.memstore/config.toml` as of some state; None where there was no such file.
        default: the owner where there is no file, or it names none.

    Returns:
        An entity id; or `?`, which is not an id of anybody, where the file can't be read, has another format or names
        something else. Nobody knows then whose the vault was, and it is not taken for the default's.
    """
    if config is None:
        return default
    try:
        values: dict[str, Any] = tomllib.loads(config.decode())
    except ValueError:  # not UTF-8, or not TOML
        return NOBODY
    owner = values.get("owner", default)
    is_known = values.get("format", FORMAT_VERSION) == FORMAT_VERSION
    return owner if is_known and isinstance(owner, str) and is_entity_id(owner) else NOBODY
