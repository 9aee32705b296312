"""A vault's configuration: data only, from `.memstore/config.toml`."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What a vault's owner has chosen; the names are the file's keys.

    `filenames` is "slug-id" or "id" (no titles in file names); `auto_commit` commits each change at once;
    `require_context` refuses everybody but the owner without a context.
    """

    format: int = FORMAT_VERSION
    owner: str
    filenames: str = "slug-id"
    auto_commit: bool = False
    require_context: bool = False
