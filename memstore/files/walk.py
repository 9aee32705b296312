"""The walk over a vault's folders, which every read makes; it is cheap if nothing has changed.

A folder whose times have not changed still has the same names, so it is not listed again: its known files are statted
through the folder's descriptor, which costs half of listing it. Changed files are detected by their stats alone.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import errno
import hashlib
import os
import re
import stat
import struct
import time
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.places import IGNORE_FILE, is_memory_folder, is_memory_name, kind_of
from memstore.files.fence import BOM
from memstore.files.local_state import regular_bytes
from memstore.files.vault import FileStat, gone

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


# Times of a folder that must always be listed.
UNSETTLED = (0, 0)
# The folder is gone, was replaced by a file or a link, or its path is too long.
_NO_FOLDER = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_BEYOND = 1 << 63
# The result of a stat takes half a kilobyte: made by the thousand, they push each other out of the processor's cache.
_STATTED_AT_ONCE = 64
_NUMBER_BYTES = 8
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class KnownFolder(NamedTuple):
    """A folder as an earlier walk found it: its times, its subfolders (paths), and its files' names from `start` on."""

    times: tuple[int, int]
    folders: Sequence[str]
    names: Sequence[str]
    start: int


class KnownTree(NamedTuple):
    """The result of an earlier walk: folders by path, how many files it found, and when it began."""

    folders: Mapping[str, KnownFolder] = MappingProxyType({})
    file_count: int = 0
    walked_at_ns: int = 0


class Walk(NamedTuple):
    """The result of a walk: the stats of known files by position, new files, and each folder's times."""

    walked_at_ns: int
    rules: "Rules"
    seen: "StatColumns"
    new: list[FileStat]
    folders: dict[str, tuple[int, int]]


class Rules(NamedTuple):
    """The rules for which files of a vault are looked at, in gitignore's syntax; `own` overrides what git ignores.

    `git` has the bytes of git's files by the folder that they apply to, "" for the vault's. Of those that match a path,
    the deepest file decides, and within a file the last matching line.
    """

    own: bytes = b""
    git: Mapping[str, bytes] = MappingProxyType({})
    mixed: bool = False

    @property
    def digest(self) -> str:
        """A digest that identifies these rules."""
        return hashlib.sha256(repr((self.mixed, self.own, sorted(self.git.items()))).encode()).hexdigest()

    def leave_out(self, path: str) -> bool:
        """Return whether the rules exclude the file at a path, by itself or by a folder above it."""
        return _excludes(self.own, self.git, path)


# Git's own ignore files; in a mixed vault they also keep out notes in folders of builds.
_GIT_IGNORE = ".gitignore"
_GIT_EXCLUDE = ".git/info/exclude"
_MOST_RULE_BYTES = 1_000_000


def ignore_rules(root: Path, *, mixed: bool, paths: Iterable[str] = ()) -> Rules:
    """Return the rules of the vault at `root`, from those files that can be read: its own, and those above `paths`."""
    names = rule_files(paths, mixed=mixed)
    return rules_of({name: data for name in names if (data := _bytes_of(root / name)) is not None}, mixed=mixed)


def rule_files(paths: Iterable[str], *, mixed: bool) -> list[str]:
    """Return the names of the files whose rules may apply to these paths."""
    if not mixed:
        return [IGNORE_FILE]
    folders = {folder for path in paths for folder in _folders_above(path)}
    return [IGNORE_FILE, _GIT_EXCLUDE, _GIT_IGNORE, *(f"{folder}/{_GIT_IGNORE}" for folder in sorted(folders))]


def rules_of(files: Mapping[str, bytes], *, mixed: bool) -> Rules:
    """Return the rules from files in gitignore's syntax, given by name."""
    said = {name: data.removeprefix(BOM) for name, data in files.items()}
    own = said.pop(IGNORE_FILE, b"")
    top = b"\n".join(said.pop(name, b"") for name in (_GIT_EXCLUDE, _GIT_IGNORE))
    return Rules(own, {"": top} | {name.rpartition("/")[0]: data for name, data in said.items()}, mixed)


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folders that contain a path, except the vault's own."""
    while path := path.rpartition("/")[0]:
        yield path


def _bytes_of(path: Path, *, most: int = _MOST_RULE_BYTES) -> bytes | None:
    """Return the first bytes of a file; None if it doesn't exist, or is not a readable plain file."""
    try:
        return regular_bytes(path, most=most)
    except OSError:
        return None


def walk(
    root: Path, known: KnownTree, rules: Rules, *, before: "StatColumns | None" = None, only_folders: bool = False
) -> Walk:
    """Walk all folders of a vault that can hold memories.

    Args:
        root: the vault's folder.
        known: the result of an earlier walk under the same rules.
        rules: which files are looked at.
        before: the stats that the known files had then, by position; without them, every file counts as changed.
        only_folders: whether files in folders with unchanged times are assumed to have their stats of `before`, and
            are not statted.

    A folder that can't be read is reported as an unreadable file; no folder is entered twice.
    """
    return _Walker(root, known, rules, before, only_folders=only_folders).run()


class _Walker:
    """One walk; for one use."""

    def __init__(
        self, root: Path, known: KnownTree, rules: Rules, before: "StatColumns | None", *, only_folders: bool
    ) -> None:
        self.root, self.known, self.rules, self.only_folders = root, known, rules, only_folders
        self.git_rules = dict(rules.git)
        self.ruled_anew: list[str] = []  # folders with rules that the earlier walk didn't know
        self.columns = [array("q", [GONE]) * known.file_count for _ in StatColumns._fields]
        self.before = before or StatColumns(*(column[:] for column in self.columns))
        self.found = Walk(time.time_ns(), rules, StatColumns(*self.columns), new=[], folders={"": UNSETTLED})
        self.entered: set[tuple[int, int]] = set()

    def run(self) -> Walk:
        waiting = [""]
        while waiting:
            path = waiting.pop()
            try:
                handle = os.open(self.root / path, _OPEN_FOLDER if path else os.O_RDONLY)
            except OSError as error:
                self._unread(path, error)
                continue
            try:
                waiting += self._folder(path, handle)
            except OSError as error:
                self._unread(path, error)
            finally:
                os.close(handle)
        return self.found._replace(rules=self.rules._replace(git=self.git_rules))

    def _unread(self, path: str, error: OSError) -> None:
        """Count a folder that exists but can't be read as an unreadable file: its memories can't be found."""
        if not path and self.known.folders:
            raise gone(self.root) from error
        if not path or error.errno in _NO_FOLDER:
            return
        above, _, name = path.rpartition("/")
        self.found.folders[above] = self.found.folders[path] = UNSETTLED
        known = self.known.folders.get(above)
        position = known.start + list(known.names).index(name) if known and name in known.names else None
        self._found(FileStat(path, 0, 0, 0, 0), position)

    def _folder(self, path: str, handle: int) -> Sequence[str]:
        """Look at one folder, and return the paths of its subfolders."""
        status = os.fstat(handle)
        place = (status.st_dev, status.st_ino)
        if place in self.entered:
            return ()  # a loop made by a bind mount
        self.entered.add(place)
        times = (_time(status.st_mtime_ns), _time(status.st_ctime_ns))
        known = self.known.folders.get(path)
        is_settled = known and known.times == times and not is_racy(*times, self.known.walked_at_ns)
        if known and is_settled and not self._is_ruled_anew(path):
            try:
                self._stat_known(known, handle)
            except OSError:
                pass  # a file has just been deleted
            else:
                self.found.folders[path] = times
                return known.folders
        return self._list(path, handle, times, known)

    def _stat_known(self, known: KnownFolder, handle: int) -> None:
        """Note the stats of a folder's known files: those of before are copied, and overwritten where they differ."""
        here = slice(known.start, known.start + len(known.names))
        before = [array("q", column[here]) for column in self.before]
        changed = [] if self.only_folders else _changed(known, handle, before)
        for column, numbers in zip(self.columns, before, strict=True):
            column[here] = numbers
        for start, found in changed:
            for position, status in enumerate(found, start):
                self._note(position, status)

    def _list(self, path: str, handle: int, times: tuple[int, int], known: KnownFolder | None) -> list[str]:
        positions = {name: known.start + i for i, name in enumerate(known.names)} if known else {}
        folders: list[str] = []
        mixed = self.rules.mixed
        self.found.folders[path] = UNSETTLED  # until it has been listed completely
        if mixed and path:
            if _is_there(".git", handle):  # another repository, with a history of its own
                self.found.folders[path] = times
                return folders
            if path not in self.git_rules and _is_there(_GIT_IGNORE, handle):
                self._rule(path)
        with os.scandir(handle) as entries:
            for entry in entries:
                inner = f"{path}/{entry.name}" if path else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if is_memory_folder(entry.name, at_top=not path, mixed=mixed) and not self._leaves_out(inner + "/"):
                        folders.append(inner)
                elif is_memory_name(entry.name, mixed=mixed) and not (
                    self._leaves_out(inner) or (mixed and self._is_registry(inner))
                ):
                    self._file(inner, entry, positions.get(entry.name))
        self.found.folders[path] = times
        return folders

    def _is_registry(self, path: str) -> bool:
        """Return whether a file is one of the vault's registry files, as far as can be told."""
        if kind_of(path) is None:
            return False
        from memstore.files.plain_note import MOST_BYTES_TO_CLAIM, means_to_be_registry

        data = _bytes_of(self.root / path, most=MOST_BYTES_TO_CLAIM)
        return data is None or means_to_be_registry(data)

    def _rule(self, path: str) -> None:
        """Add the rules of a folder that the earlier walk did not know."""
        if (data := _bytes_of(self.root / path / _GIT_IGNORE)) is not None:
            self.git_rules[path] = data.removeprefix(BOM)
            self.ruled_anew.append(path)

    def _leaves_out(self, path: str) -> bool:
        return _excludes(self.rules.own, self.git_rules, path)

    def _is_ruled_anew(self, path: str) -> bool:
        return bool(self.ruled_anew) and not {path, *_folders_above(path)}.isdisjoint(self.ruled_anew)

    def _file(self, path: str, entry: os.DirEntry[str], position: int | None) -> None:
        try:
            # A link is another name of a file, so there would be two memories with one id; and git stores only the
            # link.
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # it has just been deleted
        if stat.S_ISREG(status.st_mode):
            self._found(FileStat(path, *_numbers(status)), position)

    def _found(self, found: FileStat, position: int | None) -> None:
        if position is None:
            self.found.new.append(found)
        else:
            self._note(position, found[1:])

    def _note(self, position: int, numbers: Iterable[int]) -> None:
        for column, number in zip(self.columns, numbers, strict=True):
            column[position] = number


def _changed(
    known: KnownFolder, handle: int, before: "Sequence[array[int]]"
) -> list[tuple[int, list[tuple[int, int, int, int]]]]:
    """Return the stats of those runs of a folder's known files in which one differs, each with its first position.

    Nearly always none differs, so whole columns are compared as bytes: no number is made of what was known before.

    Args:
        known: the folder.
        handle: its descriptor.
        before: the stats of its files, by column.

    Raises:
        OSError: a file is gone.
    """
    status_of, step = os.stat, _STATTED_AT_ONCE
    columns = [column.tobytes() for column in before]
    changed = []
    for at in range(0, len(known.names), step):
        found = [status_of(name, dir_fd=handle) for name in known.names[at : at + step]]
        here = slice(at * _NUMBER_BYTES, (at + step) * _NUMBER_BYTES)
        if _packed(found) != [column[here] for column in columns]:
            changed.append((known.start + at, [_numbers(status) for status in found]))
    return changed


def _packed(found: Sequence[os.stat_result]) -> list[bytes] | None:
    """Return the columns of these stats as bytes; None if a number needs more than signed 64 bits."""
    pack = struct.Struct(f"{len(found)}q").pack
    try:
        return [
            pack(*[s.st_size for s in found]),
            pack(*[s.st_mtime_ns for s in found]),
            pack(*[s.st_ctime_ns for s in found]),
            pack(*[s.st_ino for s in found]),
        ]
    except struct.error:
        return None


def _numbers(status: os.stat_result) -> tuple[int, int, int, int]:
    """Return a stat as it is stored, in the order of `StatColumns`."""
    return status.st_size, _time(status.st_mtime_ns), _time(status.st_ctime_ns), _inode(status.st_ino)


def _is_there(name: str, handle: int) -> bool:
    """Return whether a folder has an entry of this name."""
    try:
        os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return False
    return True


def _time(ns: int) -> int:
    """Return a time as it is stored, in signed 64 bits: files may have times outside the years 1677 to 2262."""
    return max(-_BEYOND, min(ns, _BEYOND - 1))


def _inode(number: int) -> int:
    """Return an inode as it is stored; some file systems use all 64 bits unsigned."""
    return number if number < _BEYOND else number - 2 * _BEYOND


def _excludes(own: bytes, git: Mapping[str, bytes], path: str) -> bool:
    """Return whether rules as in `Rules` exclude a path, or a folder above it; a folder's path ends in a slash."""
    said, folder = _patterns(own)(path), path.rstrip("/")
    while said is None and folder:
        folder = folder.rpartition("/")[0]
        if data := git.get(folder):
            said = _patterns(data)(path[len(folder) + 1 :] if folder else path)
    return bool(said)


@lru_cache(maxsize=1024)  # the rules are few, and every path is asked about
def _patterns(data: bytes) -> Callable[[str], bool | None]:
    """Return a function from a path to what a gitignore file says: True: excluded, False: included, None: no match."""
    lines = [line for line in data.decode(errors="surrogateescape").splitlines() if line.strip()]
    parts = {_needed_part(line) for line in lines if not line.startswith("#")}

    @cache
    def spec() -> "GitIgnoreSpec":  # loading it takes a tenth of a search, and it has nothing to say on most paths
        from pathspec import GitIgnoreSpec

        found = GitIgnoreSpec([])
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # `[[]` means in git what it means here
            for line in lines:
                with suppress(ValueError, re.error):  # an invalid line, like `[z-a]`, is skipped, as in git
                    found += GitIgnoreSpec.from_lines([line])
        return found

    return lambda path: spec().check_file(path).include if any(part in path for part in parts) else None


def _needed_part(line: str) -> str:
    """Return a part of a gitignore pattern that every path has which it matches; empty if that can't be told."""
    if "[" in line or "\\" in line:
        return ""
    return max(map(str.strip, re.split(r"[*?/!]", line)), key=len)


# -- detecting changed files -----------------------------------------------------------------------


# A file's times are those of the kernel's last tick, at most 10 ms ago at 100 ticks a second; twice that is safe.
TICK_NS = 20_000_000
# Times without a sub-second part, as on FAT, advance in steps of up to two seconds.
COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000

GONE = -1  # as size
_AT_ONCE = 4096


class StatColumns(NamedTuple):
    """Sizes in bytes, times in nanoseconds and inodes, one position per file; the size of a lost file is `GONE`."""

    size: Sequence[int]
    mtime_ns: Sequence[int]
    ctime_ns: Sequence[int]
    inode: Sequence[int]


class Refresh(NamedTuple):
    """What to do with the known files, by position: read `changed`, compare the bytes of `suspicious`, drop `gone`."""

    changed: list[int]
    suspicious: list[int]
    gone: list[int]


def plan_refresh(known: StatColumns, seen: StatColumns, *, known_at_ns: int, settled: bool = False) -> Refresh:
    """Return which known files must be looked at.

    Args:
        known: the stats when the files were last read.
        seen: the stats of the same files now.
        known_at_ns: when the walk that found `known` began, in nanoseconds of the clock that stamps files.
        settled: whether the files were then already older than a tick (`is_settled`); saves looking at every time.

    Source: git's Documentation/technical/racy-git.txt. A file that changes in the same tick in which it was read can
    keep all its stats, so an entry that is not older than the reading proves nothing.
    """
    plan = Refresh([], [], [])
    for start in range(0, len(seen.size), _AT_ONCE):  # nearly always nothing has changed, and every read waits for this
        here = slice(start, start + _AT_ONCE)
        before, now = (StatColumns(*(column[here] for column in columns)) for columns in (known, seen))
        if before == now:
            if settled:
                continue
            young = {*_young(now.mtime_ns, known_at_ns), *_young(now.ctime_ns, known_at_ns)}
            plan.suspicious.extend(start + i for i in sorted(young))
            continue
        for i, (old, new) in enumerate(zip(zip(*before, strict=True), zip(*now, strict=True), strict=True), start):
            size, mtime_ns, ctime_ns, _ = new
            if old != new:
                (plan.gone if size == GONE else plan.changed).append(i)
            elif is_racy(mtime_ns, ctime_ns, known_at_ns):
                plan.suspicious.append(i)
    return plan


def is_racy(mtime_ns: int, ctime_ns: int, known_at_ns: int) -> bool:
    """Return whether something with these times may have changed after `known_at_ns` without its times showing it."""
    return bool(_young((mtime_ns, ctime_ns), known_at_ns))


def is_settled(known: StatColumns, known_at_ns: int) -> bool:
    """Return whether none of these files may have changed after `known_at_ns` without its stats showing it."""
    return not (_young(known.mtime_ns, known_at_ns) or _young(known.ctime_ns, known_at_ns))


def _young(times_ns: Sequence[int], known_at_ns: int) -> list[int]:
    """Return the positions of the times that are not more than a tick older than `known_at_ns`.

    In a vault that was searched as soon as it was made, all files are nearly that young.
    """
    after_tick, after_coarse_tick = known_at_ns - TICK_NS, known_at_ns - COARSE_TICK_NS
    if max(times_ns, default=0) < after_coarse_tick:
        return []
    return [
        at
        for at, time_ns in enumerate(times_ns)
        if time_ns >= after_tick or (time_ns >= after_coarse_tick and not time_ns % _SECOND_NS)
    ]
