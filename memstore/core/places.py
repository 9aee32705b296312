"""The places in a vault that can hold memories, and those of the vault's own files, told apart by name alone.

The vault's own files are settings, registries, audit and pages; a clone needs them.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from memstore.core.config import CONFIG_PATH
from memstore.core.harmless import NO_LINE
from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


MEMORY_SUFFIX = ".md"
# The suffix of a memory that is sealed: encrypted, as a whole, for those who may see it (docs/adr/0041).
_AGE = ".age"
SEALED_SUFFIX = f"{MEMORY_SUFFIX}{_AGE}"
# All Markdown suffixes, for a vault that also holds notes of other programs.
NOTE_SUFFIXES = (MEMORY_SUFFIX, ".markdown", ".mdx")
# Folders of other people's texts, whatever they contain.
FOREIGN_FOLDERS = frozenset({"node_modules"})
NO_MEMORIES = frozenset({"index.md", "log.md", "README.md", "MEMORY.md"})
# Files of a bundle in the Open Knowledge Format that are no concepts, in whichever folder.
NO_CONCEPTS = frozenset({"index.md", "log.md"})
# The folder for new memories of each type.
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
# A folder that contains this folder is a vault.
SETTINGS_FOLDER = ".memstore"
# A vault with this file is a shared stack: a copy of what somebody else may see of a vault (`access.stack`).
MANIFEST = f"{SETTINGS_FOLDER}/stack.json"
# What the usual file systems take as the name of a file or a folder.
MOST_NAME_BYTES = 255
# Where the originals of imports are kept, for the vault's owner alone. Their suffix keeps them from being memories or
# notes, so that a folder of that name may also hold those.
ORIGINALS = "imports"
ORIGINAL_SUFFIX = ".original"
# Where suggestions wait for a decision.
SUGGESTIONS = "suggestions/"
IGNORE_FILE = ".memstoreignore"
ATTRIBUTES = ".gitattributes"
# Prefix of a file that is being written. It begins with a dot, so neither the walk nor `ls` shows the file.
TEMPORARY_PREFIX = ".memstore-tmp-"


def without_suffix(path: str) -> str:
    """Return a path without its Markdown suffix."""
    lowered = path.lower()
    if not lowered.endswith(_MIXED_SUFFIXES):
        return path
    return next(path[: -len(suffix)] for suffix in _MIXED_SUFFIXES if lowered.endswith(suffix))


def stem_of(path: str) -> str:
    """Return a file's name without its folders and suffix."""
    return without_suffix(path.rpartition("/")[2])


# -- the names of pages in other programs ----------------------------------------------------------


_PERCENT = r"(?:%[0-9A-Fa-f]{2})+"
_JOURNAL = r"(?:.*/)?journals/(\d{4})_(\d\d)_(\d\d)\.\w+"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# 202602011530 Tea.md, a1b2-tea.md: a time to the minute or second, or four characters with a letter and a digit.
_NUMBERED = r"(?i:(\d{12}|\d{14}|(?=\d*[a-z])(?=[a-z]*\d)[a-z0-9]{4})[-_ .]+[^\W\d])"


def page_name(path: str) -> str:
    """Return the page name of a file whose name can't hold a slash: `a___b.md` and `a%2Fb.md` are `a/b`; else empty."""
    stem = stem_of(path)
    if "___" not in stem and "%" not in stem:
        return ""
    name = re.sub(_PERCENT, _decoded, stem.replace("___", "/"))
    return name if name != stem and name.isprintable() else ""


def page_names(path: str) -> tuple[str, ...]:
    """Return the names that links of Logseq, zk and other programs use for a file, besides its stem.

    Args:
        path: `journals/2026_02_01.md` is also `2026-02-01` and `Feb 1st, 2026`; `a1b2-tea.md` is also `a1b2`.
    """
    day = re.fullmatch(_JOURNAL, path)
    if day and 1 <= int(day[2]) <= len(_MONTHS):
        return "-".join(day.groups()), f"{_MONTHS[int(day[2]) - 1]} {_ordinal(int(day[3]))}, {day[1]}"
    numbered = re.match(_NUMBERED, stem_of(path))
    return tuple(filter(None, (page_name(path), numbered[1] if numbered else "")))


def _decoded(escape: re.Match[str]) -> str:
    try:
        return bytes.fromhex(escape[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return escape[0]


def _ordinal(number: int) -> str:
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


# -- the id in a file's name -----------------------------------------------------------------------


# A short name ends with the first characters of the id: `memstore show m_7f3k` accepts a beginning of an id, but no
# other part of it.
LEAST_OF_ID = 4
_CHANCE = rf"m_([{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}})"


def id_endings(memory_id: str) -> tuple[str, ...]:
    """Return the possible endings of the name of a memory's file, shortest first; a foreign id is never cut."""
    chance = re.fullmatch(_CHANCE, memory_id)
    cut = range(LEAST_OF_ID, ID_RANDOM_CHARACTERS + 1) if chance else ()
    return (*(chance[1][:length] for length in cut if chance), memory_id)


def longer_names(path: str, memory_id: str) -> Iterator[str]:
    """Yield other paths for a new memory's file, each with one more character of its id; none for other file names."""
    words, dash, ending = without_suffix(path).rpartition("-")
    endings = id_endings(memory_id)
    if dash and ending in endings:
        yield from (f"{words}-{longer}{MEMORY_SUFFIX}" for longer in endings[endings.index(ending) + 1 :])


def without_id(stem: str, memory_id: str) -> str:
    """Return the stem of a file name without the id, or the beginning of the id, that new files have in their names."""
    words, dash, ending = stem.rpartition("-")
    return words if dash and ending in id_endings(memory_id) else stem.replace(memory_id, " ")


class RegistryKind(Enum):
    """What a registry file is about; the value is the folder of such files."""

    ENTITY = "entities"
    GROUP = "groups"
    CONTEXT = "contexts"
    CONSENT = "consents"
    REQUEST = "requests"
    VERDICT = f"{SETTINGS_FOLDER}/verdicts"

    @property
    def decides(self) -> bool:
        """Whether its files decide who may see what."""
        return self not in (RegistryKind.REQUEST, RegistryKind.VERDICT)

    @property
    def suffix(self) -> str:
        """The suffix of its files' names."""
        return ".yaml" if self in (RegistryKind.GROUP, RegistryKind.CONTEXT) else ".md"


# Folders of the vault's own files, at its top: they hold no memories.
NO_MEMORY_FOLDERS = frozenset({*(kind.value.partition("/")[0] for kind in RegistryKind), "audit", SETTINGS_FOLDER})


# -- paths that can be memories --------------------------------------------------------------------


_OWN_SUFFIXES = (MEMORY_SUFFIX, SEALED_SUFFIX)
_MIXED_SUFFIXES = (*NOTE_SUFFIXES, SEALED_SUFFIX)


def is_sealed_path(path: str) -> bool:
    """Return whether the file at a path is a sealed memory, by its name."""
    return path.endswith(SEALED_SUFFIX)


def is_misnamed(path: str) -> bool:
    """Return whether a file has half of the suffix of a sealed memory, and so is none."""
    return path.endswith(_AGE) and not is_sealed_path(path)


def is_memory_name(name: str, *, mixed: bool) -> bool:
    """Return whether a file of this name can be a memory or a note; hidden files can't.

    Args:
        name: the file's name, without its folder.
        mixed: whether the vault holds notes of other programs; then their pages are notes like any other.
    """
    if name.startswith("."):
        return False
    if mixed:
        return name.lower().endswith(_MIXED_SUFFIXES)
    return name.endswith(_OWN_SUFFIXES) and name not in NO_MEMORIES


def is_memory_folder(name: str, *, at_top: bool, mixed: bool) -> bool:
    """Return whether a folder of this name can hold memories; hidden ones can't, and a few at the top are reserved.

    Args:
        name: the folder's name.
        at_top: whether it is directly in the vault's folder.
        mixed: whether the vault holds notes of other programs; then their folders may have reserved names.
    """
    if name.startswith(".") or name in FOREIGN_FOLDERS:
        return False
    return mixed or not (at_top and name in NO_MEMORY_FOLDERS)


def is_name_on_one_line(name: str) -> bool:
    """Return whether every list, citation and commit message can show the name of a new file as it is."""
    return not NO_LINE.search(name)


def is_memory_path(path: str, *, mixed: bool) -> bool:
    """Return whether a path, relative to the vault, is a place for memories; ignore rules are not considered."""
    *folders, name = path.split("/")
    return is_memory_name(name, mixed=mixed) and all(
        is_memory_folder(folder, at_top=i == 0, mixed=mixed) for i, folder in enumerate(folders)
    )


def is_audit_path(path: str) -> bool:
    """Return whether a path, relative to the vault, is a place for audit events."""
    return path.startswith("audit/") and path.endswith(".json") and "/." not in path


_KIND_OF_FOLDER = {kind.value: kind for kind in RegistryKind}  # asked for every file of a mixed vault
_VERDICTS = f"{RegistryKind.VERDICT.value}/"


def kind_of(path: str) -> RegistryKind | None:
    """Return what the registry file at `path`, relative to the vault, is about; None for any other file.

    A hidden file is none: editors put locks and drafts beside what is being edited.
    """
    folder, _, name = path.partition("/")
    kind = _KIND_OF_FOLDER.get(folder)
    if folder == SETTINGS_FOLDER and path.startswith(_VERDICTS):
        kind = RegistryKind.VERDICT
    if (
        kind is None
        or "/." in path
        or not name.endswith(kind.suffix)
        or name.rpartition("/")[2] in ("README.md", "index.md")
    ):
        return None
    return kind


# In the name of a verdict's file, the ids of the memories precede its own: finding those of one opens no others.
BETWEEN_IDS = "+"


def ids_named(path: str) -> frozenset[str]:
    """Return the ids in the name of a registry file."""
    return frozenset(without_suffix(path).rpartition("/")[2].split(BETWEEN_IDS))


def decides(path: str) -> bool:
    """Return whether the vault's own file at a path decides who may see what, or records such decisions."""
    if path == CONFIG_PATH or is_audit_path(path):
        return True
    kind = kind_of(path)
    return kind is not None and kind.decides


# -- the vault's own files -------------------------------------------------------------------------


_SETTINGS = frozenset({IGNORE_FILE, ATTRIBUTES, "MEMORY.md"})
# The page for what graduated from a project's memories, in addition to the one at the top of the vault.
_PAGE_OF_PROJECT = r"projects/[A-Za-z0-9][A-Za-z0-9._-]*/MEMORY\.md"


# Where all of these are; there may be other files there, too.
OWN_PLACES = (*sorted(_SETTINGS), *sorted(NO_MEMORY_FOLDERS), "projects", ORIGINALS)


def is_own_path(path: str) -> bool:
    """Return whether a path, relative to the vault, is one of its own files; hidden files in its folders are not."""
    top, *below = path.split("/")
    if path in _SETTINGS or re.fullmatch(_PAGE_OF_PROJECT, path) or is_original_path(path):
        return True
    return top in NO_MEMORY_FOLDERS and bool(below) and not any(p.startswith(".") for p in below)


def is_original_path(path: str) -> bool:
    """Return whether a path, relative to the vault, is that of a kept original of an import."""
    return path.startswith(f"{ORIGINALS}/") and path.endswith(ORIGINAL_SUFFIX) and "/." not in path


def summary_of(paths: Collection[str]) -> str:
    """Return how a commit message lists own files and plain notes: settings by name, everything else only as counts.

    A message outlives what is forgotten, and the names of the other files contain names of people.
    """
    records = {path: kind.value for path in paths if (kind := kind_of(path))}
    named = sorted(path for path in paths if path in _SETTINGS or path.startswith(f"{SETTINGS_FOLDER}/"))
    named = [path for path in named if path not in records]
    notes = [path for path in paths if path not in named and not is_own_path(path)]
    others = (path for path in paths if path not in {*named, *notes})
    counts = Counter(records.get(path, path.partition("/")[0]).removeprefix(f"{SETTINGS_FOLDER}/") for path in others)
    plain = [f"{len(notes)} plain note{'s' * (len(notes) > 1)}"] if notes else []
    return ", ".join([*named, *(f"{count} in {folder}" for folder, count in sorted(counts.items())), *plain])
