"""The index and the work tree of the repository around a vault."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.core.places import is_sealed_path
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.files.walk import ignore_rules
from memstore.history import git_objects
from memstore.history.filters import is_attributes_file
from memstore.history.git_process import GitProcess, failed
from memstore.history.repository import TAKEN_IN, TAKING_IN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.history.history import FileChange

from memstore.history.git_texts import GitTexts

# The line of a frontmatter that has the id, as people write it.
_ID_LINE = "^[\"']?id[\"']?[ ]*:"
# A line of a file of attributes that names a filter.
_FILTER_LINE = "[ \t]filter="
# The first line of a sealed file.
_SEALED_LINE = "^age-encryption[.]org/v1$"
OBJECT_ID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_MERGED = "GITHEAD_"


class GitIndex(GitTexts):
    """What is staged, and what a commit would take from the work tree."""

    def kept_files(self) -> Collection[str]:
        """Return the files of the work tree that are in the index, or that git would add.

        Files ignored by `.gitignore` and those of a repository within the vault are not included.
        """
        return {path for _, path in self.require().listed}

    def sparse_files(self) -> Collection[str]:
        """Return the files of the index that a sparse checkout leaves out of the work tree; to git, none is deleted."""
        return self.require().sparse

    def other_heads(self) -> Sequence[str]:
        """Return the commits that other work trees of the repository have checked out, sorted."""
        return self.require().other_heads

    def unmerged(self) -> Sequence[str]:
        """Return the files below the vault that git could not merge, and that wait for a decision, sorted."""
        return sorted(self.require().unmerged)

    def untracked(self, folders: Sequence[str]) -> Sequence[str]:
        """Return the files below folders of the vault that git neither knows nor ignores, sorted."""
        listed = self._git.run("ls-files", "-z", "--others", "--exclude-standard", "--", *folders).split(b"\0")[:-1]
        return sorted(map(os.fsdecode, listed))

    def has_commit(self, commit: str) -> bool:
        """Return whether a commit is in this clone, by its whole id."""
        return self._git.attempt("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def changed_since(self, commit: str) -> Collection[str]:
        """Return the files of the work tree that git knows and that may differ from a commit; their bytes aren't read.

        Those of which git was told to believe that they don't change may, too.
        """
        words = ("--name-only", "--no-renames", "--ignore-submodules", "--relative", "-z", commit, "--", ".")
        found = self._git.run("diff-index", *words).split(b"\0")[:-1]
        believed = [line[2:] for line in self._git.run("ls-files", "-z", "-v").split(b"\0") if line[:1].islower()]
        return {*map(os.fsdecode, (*found, *believed))}

    def staged(self, against: str | None = None) -> list[FileChange]:
        """Return how the vault's staged memory files differ from a commit; None for the current one."""
        changes = self._staged(against)
        rules = ignore_rules(self._vault_root, mixed=self.mixed, paths=[change.path for change in changes])
        return [change for change in changes if self._is_looked_at(change.path, rules)]

    def left_out(self, paths: Iterable[str]) -> Collection[str]:
        """Return those of some paths of memories that today's ignore rules leave out."""
        asked = {*paths}
        rules = ignore_rules(self._vault_root, mixed=self.mixed, paths=asked)
        return {path for path in asked if rules.leave_out(path)}

    def has_file(self, path: str) -> bool:
        """Return whether the work tree has a file."""
        return os.path.lexists(self._vault_root / path)

    def all_staged(self, against: str | None = None) -> list[FileChange]:
        """Return how all staged files, memories or not, differ from a commit; None for the current one."""
        return self._staged(against)

    def staged_paths(self) -> list[str]:
        """Return all files, memories or not, that are staged and differ from the current commit."""
        return [change.path for change in self._staged()]

    def is_taking_in(self) -> bool:
        """Return whether git is in the middle of taking in commits: a merge, a rebase, a cherry-pick or a revert."""
        repository = self.require()
        return any(repository.place(name).exists() for name in TAKING_IN)

    def is_merging(self) -> bool:
        """Return whether a merge is waiting for its commit."""
        return self.require().is_merging

    def other_parents(self) -> list[str]:
        """Return the commits being taken in by a merge, a cherry-pick or a revert.

        Before git commits a merge, it names the merged commits only in the environment.
        """
        repository = self.require()
        found = [name.removeprefix(_MERGED) for name in self._git.environ if name.startswith(_MERGED)]
        for name in TAKEN_IN:
            with suppress(OSError):
                found += repository.place(name).read_text("ascii").split()
        return [commit for commit in dict.fromkeys(found) if OBJECT_ID.fullmatch(commit)]

    def _staged(self, against: str | None = None) -> list[FileChange]:
        repository = self.require()
        found = list(git_objects.raw_changes(repository.staged(against), repository.prefix))
        self._remember((one.path, blob) for one in found for blob in (one.old, one.new))
        return found

    def index_files(self) -> Mapping[str, str]:
        """Return the blob of every file in the index, by path: memories, registries and everything else."""
        found = self.require().index
        self._remember(found.items())
        return found

    def staged_ids(self, ids: Collection[str]) -> Mapping[str, str]:
        """Return the memory id of each staged file, changed or not, that has one of these ids, by path."""
        prefix = self.require().prefix
        done = self._git.attempt(
            "grep", "--cached", "--full-name", "--text", "--no-color", "--no-line-number", "--no-column",
            "--no-recurse-submodules", "-z", "-E", "-e", _ID_LINE, "-e", _SEALED_LINE, "-e", _FILTER_LINE, "--", ".",
        )  # fmt: skip
        if done.returncode > 1:
            raise failed(("grep",), done)
        lines = git_objects.grepped(done.stdout)
        found = {path.removeprefix(prefix): _id_of(line) for path, line in reversed(list(lines))}
        if self._filters.may_be_used or any(is_attributes_file(path) for path in found):  # grep reads what git stores
            index = self.index_files()
            filtered = {path: blob for path, blob in index.items() if blob in self._places}
            texts = self.blobs(filtered.values())
            wanted = [one.encode() for one in ids]
            found |= {path: "" for path, blob in filtered.items() if any(one in texts.get(blob, b"") for one in wanted)}
        rules = ignore_rules(self._vault_root, mixed=self.mixed, paths=found)
        close = [path for path, memory_id in found.items() if memory_id in {*ids, ""} or is_sealed_path(path)]
        close = [path for path in close if self._is_looked_at(path, rules)]
        return {path: one for path, one in self._ids_in(close).items() if one in ids}

    def _ids_in(self, paths: list[str]) -> dict[str, str]:
        """Return the ids of staged files; a line that looks like an id may be in a body."""
        if not paths:
            return {}
        git = GitProcess(self.require().root, self._git.environ)
        prefix = self.require().prefix
        listed = git.run("ls-files", "-s", "-z", "--", *(prefix + path for path in paths))
        staged = {
            os.fsdecode(path).removeprefix(prefix): described.split()[1].decode()
            for described, _, path in (line.partition(b"\t") for line in listed.split(b"\0")[:-1])
        }
        self._remember(staged.items())
        blobs = self.blobs(staged.values())
        read = {path: memory_file.read(path, blobs[blob], mixed=self.mixed) for path, blob in staged.items()}
        return {path: file.memory.id for path, file in read.items() if isinstance(file, MemoryFile) and file.memory.id}


def _id_of(line: str) -> str:
    return line.partition(":")[2].split("#")[0].strip(" \t\r\"'")
