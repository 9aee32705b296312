"""Which places in a vault can hold memories, by their names (design: "Where")."""

from __future__ import annotations

MEMORY_SUFFIX = ".md"
NO_MEMORIES = frozenset({"index.md", "log.md", "README.md", "MEMORY.md"})
# The folder that makes the one around it a vault.
SETTINGS_FOLDER = ".memstore"
NO_MEMORY_FOLDERS = frozenset({"entities", "groups", "contexts", "consents", "requests", "audit", SETTINGS_FOLDER})
IGNORE_FILE = ".memstoreignore"
# Of a file that is being written: it begins with a dot, so that neither the walk nor `ls` shows it.
TEMPORARY_PREFIX = ".memstore-tmp-"


def is_memory_name(name: str) -> bool:
    """Whether a file of this name can be a memory; hidden files can't."""
    return name.endswith(MEMORY_SUFFIX) and not name.startswith(".") and name not in NO_MEMORIES


def is_memory_folder(name: str, *, at_top: bool) -> bool:
    """Whether a folder of this name can hold memories; hidden ones can't, and a few at the top have another use."""
    return not name.startswith(".") and not (at_top and name in NO_MEMORY_FOLDERS)


def is_memory_path(path: str) -> bool:
    """Whether the path of a file, relative to the vault, is one where memories lie; `.memstoreignore` aside."""
    *folders, name = path.split("/")
    return is_memory_name(name) and all(is_memory_folder(folder, at_top=i == 0) for i, folder in enumerate(folders))


def is_audit_path(path: str) -> bool:
    """Whether the path of a file, relative to the vault, is one where an audit event lies."""
    return path.startswith("audit/") and path.endswith(".json") and "/." not in path
