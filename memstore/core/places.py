"""Which places in a vault can hold memories, by their names (design: "Where")."""

from __future__ import annotations

from enum import Enum

MEMORY_SUFFIX = ".md"
NO_MEMORIES = frozenset({"index.md", "log.md", "README.md", "MEMORY.md"})
# The folder that makes the one around it a vault.
SETTINGS_FOLDER = ".memstore"
NO_MEMORY_FOLDERS = frozenset({"entities", "groups", "contexts", "consents", "requests", "audit", SETTINGS_FOLDER})
# Where what was suggested waits for a decision.
SUGGESTIONS = "suggestions/"
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


class RegistryKind(Enum):
    """What a registry file is about; the value is the folder of such files."""

    ENTITY = "entities"
    GROUP = "groups"
    CONTEXT = "contexts"
    CONSENT = "consents"
    REQUEST = "requests"

    @property
    def suffix(self) -> str:
        """How the names of its files end."""
        return ".yaml" if self in (RegistryKind.GROUP, RegistryKind.CONTEXT) else ".md"


REGISTRY_FOLDERS = tuple(kind.value for kind in RegistryKind)


def kind_of(path: str) -> RegistryKind | None:
    """Return what the registry file at `path`, relative to the vault, is about; None for any other file."""
    folder, _, name = path.partition("/")
    kind = next((kind for kind in RegistryKind if kind.value == folder), None)
    if kind is None or not name.endswith(kind.suffix) or name.rpartition("/")[2] in ("README.md", "index.md"):
        return None
    return kind
