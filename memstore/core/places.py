"""Which places in a vault can hold memories, and which hold files of the vault itself, by their names alone.

Its own files are settings, registries, audit and pages; a clone needs them.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


MEMORY_SUFFIX = ".md"
# What else is Markdown, in a vault with notes of other programs.
NOTE_SUFFIXES = (MEMORY_SUFFIX, ".markdown", ".mdx")
# Folders of other people's texts, whatever they hold.
FOREIGN_FOLDERS = frozenset({"node_modules"})
NO_MEMORIES = frozenset({"index.md", "log.md", "README.md", "MEMORY.md"})
# Where new memories of each type go.
FOLDER_OF_TYPE: Mapping[str, str] = MappingProxyType(
    {
        "raw": "raw",
        "episode": "episodes",
        "belief": "beliefs",
        "note": "notes",
        "value": "values",
        "goal": "goals",
        "drive": "drives",
        "reflection": "reflections",
        "insight": "insights",
        "encounter": "encounters",
        "decision": "decisions",
        "correction": "corrections",
        "observation": "observations",
    }
)
# The folder that makes the one around it a vault.
SETTINGS_FOLDER = ".memstore"
NO_MEMORY_FOLDERS = frozenset({"entities", "groups", "contexts", "consents", "requests", "audit", SETTINGS_FOLDER})
# Where what was suggested waits for a decision.
SUGGESTIONS = "suggestions/"
IGNORE_FILE = ".memstoreignore"
# Of a file that is being written: it begins with a dot, so that neither the walk nor `ls` shows it.
TEMPORARY_PREFIX = ".memstore-tmp-"


def without_suffix(path: str) -> str:
    """Return a path without the suffix that makes it a Markdown file's."""
    suffix = next((suffix for suffix in NOTE_SUFFIXES if path.lower().endswith(suffix)), "")
    return path.removesuffix(path[len(path) - len(suffix) :]) if suffix else path


def stem_of(path: str) -> str:
    """Return the name of a file without its folders and suffix."""
    return without_suffix(path.rpartition("/")[2])


# -- the id in a file's name -----------------------------------------------------------------------


# A short name ends with the id's first characters: `memstore show m_7f3k` takes a beginning, and no other part of it.
LEAST_OF_ID = 4
_CHANCE = re.compile(rf"m_([{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}})")


def id_endings(memory_id: str) -> tuple[str, ...]:
    """Return what the name of a memory's file may end with, the shortest first; a foreign id is never cut."""
    chance = _CHANCE.fullmatch(memory_id)
    cut = range(LEAST_OF_ID, ID_RANDOM_CHARACTERS + 1) if chance else ()
    return (*(chance[1][:length] for length in cut if chance), memory_id)


def longer_names(path: str, memory_id: str) -> Iterator[str]:
    """Yield other paths for the file of a new memory, each with one character more of its id; none for other names."""
    words, dash, ending = without_suffix(path).rpartition("-")
    endings = id_endings(memory_id)
    if dash and ending in endings:
        yield from (f"{words}-{longer}{MEMORY_SUFFIX}" for longer in endings[endings.index(ending) + 1 :])


def without_id(stem: str, memory_id: str) -> str:
    """Return the stem of a file's name without the id, or its beginning, that new files have in theirs."""
    words, dash, ending = stem.rpartition("-")
    return words if dash and ending in id_endings(memory_id) else stem.replace(memory_id, " ")


# -- what can be a memory --------------------------------------------------------------------------


def is_memory_name(name: str, *, mixed: bool) -> bool:
    """Whether a file of this name can be a memory or a note; hidden files can't.

    Args:
        name: the file's name, without its folder.
        mixed: whether the vault holds notes of other programs, whose pages are notes like others.
    """
    if name.startswith("."):
        return False
    return name.lower().endswith(NOTE_SUFFIXES) if mixed else name.endswith(MEMORY_SUFFIX) and name not in NO_MEMORIES


def is_memory_folder(name: str, *, at_top: bool, mixed: bool) -> bool:
    """Whether a folder of this name can hold memories; hidden ones can't, and a few at the top have another use.

    Args:
        name: the folder's name.
        at_top: whether it lies in the vault's own folder.
        mixed: whether the vault holds notes of other programs, whose folders may be called so.
    """
    if name.startswith(".") or name in FOREIGN_FOLDERS:
        return False
    return mixed or not (at_top and name in NO_MEMORY_FOLDERS)


def is_memory_path(path: str, *, mixed: bool) -> bool:
    """Whether the path of a file, relative to the vault, is one where memories lie; what is ignored aside."""
    *folders, name = path.split("/")
    return is_memory_name(name, mixed=mixed) and all(
        is_memory_folder(folder, at_top=i == 0, mixed=mixed) for i, folder in enumerate(folders)
    )


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


# -- files of the vault itself ---------------------------------------------------------------------


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
