"""Files that make a folder a vault, beside its memories: settings, registries, audit, pages. A clone needs them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memstore.rules.vault_places import IGNORE_FILE, NO_MEMORY_FOLDERS, SETTINGS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Collection

_SETTINGS = frozenset({IGNORE_FILE, ".gitattributes", "MEMORY.md"})
# The page of what a project's memories graduated to, beside the one at the vault's top.
_PAGE_OF_PROJECT = re.compile(r"projects/[A-Za-z0-9][A-Za-z0-9._-]*/MEMORY\.md")


def is_own_path(path: str) -> bool:
    """Whether the file at a path, relative to the vault, is the vault's own; hidden ones in its folders are not."""
    top, *below = path.split("/")
    if path in _SETTINGS or _PAGE_OF_PROJECT.fullmatch(path):
        return True
    return top in NO_MEMORY_FOLDERS and bool(below) and not any(p.startswith(".") for p in below)


def told(paths: Collection[str]) -> str:
    """Return what a commit message says of own files: settings by name, of all else only how many.

    A message outlives what is forgotten, and the names of other files hold those of people.
    """
    named = sorted(path for path in paths if path in _SETTINGS or path.startswith(f"{SETTINGS_FOLDER}/"))
    counts = Counter(path.partition("/")[0] for path in paths if path not in named)
    return ", ".join([*named, *(f"{count} in {folder}" for folder, count in sorted(counts.items()))])
