"""The repository around a vault, and the files that its commits and its work tree have, as people read them."""

from __future__ import annotations

import hashlib
import os
from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from memstore.core import digests
from memstore.core.errors import GitError, SealedError
from memstore.core.places import OWN_PLACES, is_memory_path, is_own_path, kind_of
from memstore.files.age_file import is_sealed
from memstore.files.local_state import find_repository, regular_bytes
from memstore.files.plain_note import is_foreign
from memstore.files.walk import rule_files, rules_of
from memstore.history import git_objects
from memstore.history.filters import GitFilters
from memstore.history.git_process import GitProcess, NoGitError
from memstore.history.repository import Repository
from memstore.history.text_ids import TextIds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.files.vault import Opener
    from memstore.files.walk import Rules

# Blobs requested at once: enough that starting git costs little, few enough that their bytes fit in memory.
_BLOBS_AT_ONCE = 5_000
# The refs that keep commits for anchors, whatever happens to branches.
KEPT = "refs/memstore/"


class GitTexts:
    """The repository around one vault, and the texts in it.

    Args:
        vault_root: the vault's folder.
        environ: the process's environment.
        in_hook: whether git started this program as a hook, and names repository and index in `environ`.
        mixed: whether the vault holds notes of other programs (`core.config.Config.mixed`).
        opener: returns what opens sealed files; None if nothing can.
        approved: returns the command lines of filters that the person approved (`filters.GitFilters`).
        cache: the folder for derived data; None if nothing is kept.
        within: the repository at the moment that is asked about; None asks git when something is asked.

    What it tells is as it is when it is asked; `at_once` returns a history that asks git only once.
    """

    def __init__(
        self,
        vault_root: Path,
        environ: Mapping[str, str],
        *,
        in_hook: bool = False,
        mixed: bool = False,
        opener: Callable[[], Opener] | None = None,
        approved: Callable[[], Mapping[str, str]] = dict,
        cache: Path | None = None,
        within: Repository | None = None,
    ) -> None:
        self._vault_root = vault_root
        self._approved = approved
        self._places: dict[str, str] = {}
        self._texts = TextIds(cache)
        self._opener = opener
        self.mixed = mixed
        self._git = GitProcess(vault_root, environ, in_hook=in_hook)
        self._no_git: list[GitError] = []
        self._moved: dict[tuple[str, str], str | None] = {}
        # What follows the commits made by any copy of this history: a moment before one of them is over.
        self._made: list[str] = []
        self._found: list[Repository | None] = []
        self._moment: Repository | None = None
        self._commits_then: int | None = None
        self._files: dict[str, Mapping[str, str]] = {}
        self._asks_once = within is not None
        if within is not None:
            self._moment, self._commits_then = within.within(self._git, vault_root), 0

    def at_once(self) -> Self:
        """Return this history as of one moment, which begins with the first question and ends with a commit by it.

        HEAD, the index, trees and identities are asked of git once; the work tree is looked at as it is.
        """
        other = copy(self)
        vars(other).update(_asks_once=True, _commits_then=None, _files={})
        return other

    @property
    def repository(self) -> Repository | None:
        """The repository around the vault, as it is now or at the moment; None if there is none."""
        if not self._asks_once:
            return self._asked()
        if self._commits_then != len(self._made):
            self._moment = self._moment.later() if self._moment else self._asked()
            self._commits_then = len(self._made)
        return self._moment

    def _asked(self) -> Repository | None:
        if self._found:
            found = self._found[0]
            return found and found.later()
        try:
            self._found.append(Repository.around(self._git, self._vault_root))
        except NoGitError as error:
            self._found.append(None)
            self._no_git.append(error)
        return self._found[0]

    @cached_property
    def _filters(self) -> GitFilters:
        """What git does to files on their way in and out."""
        repository = self.require()
        folders = find_repository(repository.root)
        if folders is None:  # git was told where it is, as a hook
            named = os.fsdecode(self._git.run("rev-parse", "--absolute-git-dir", "--git-common-dir")).splitlines()
            places = {self._git.folder / name for name in named}
        else:
            places = {folders.git_dir, folders.common_dir}
        return GitFilters(GitProcess(repository.root, self._git.environ, in_hook=True), places, self._approved)

    def require(self) -> Repository:
        """Return the repository; if there is none, raise a `GitError` that says what to do."""
        repository = self.repository
        if repository is None:
            raise next(iter(self._no_git), None) or GitError(
                f"{self._vault_root} has no history: it is not in a git repository",
                hint=f"git init {self._vault_root}, then memstore commit",
            )
        return repository

    def head(self) -> str | None:
        """Return the current commit; None before the first one."""
        return self.require().head

    def files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every file that could be a memory as of a commit, by path."""
        if self._asks_once and commit in self._files:
            return self._files[commit]
        found = self._looked_at(self._files_at(commit))
        if self._asks_once:
            self._files[commit] = found
        return found

    def _looked_at(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return those of a commit's files that could be a memory, if the files with rules are among them."""
        rules = self._rules_in(files)
        return self._as_read({path: blob for path, blob in files.items() if self._is_looked_at(path, rules)})

    def _rules_in(self, files: Mapping[str, str]) -> Rules:
        """Return the rules for files that are left out, as of a commit; git is asked only for what is no longer so."""
        named = {name: files[name] for name in rule_files(files, mixed=self.mixed) if name in files}
        rules = {name: data for name, blob in named.items() if (data := self._unchanged(name, blob)) is not None}
        gone = {name: blob for name, blob in named.items() if name not in rules}
        blobs = self.blobs(gone.values()) if gone else {}
        return rules_of(rules | {name: blobs.get(blob, b"") for name, blob in gone.items()}, mixed=self.mixed)

    def _unchanged(self, path: str, blob: str) -> bytes | None:
        """Return the bytes of a file of the work tree if they are those of a blob."""
        try:
            data = regular_bytes(self._vault_root / path)
        except OSError:
            return None
        return data if self.blob_id(data) == blob else None

    def own_files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every file of the vault's own (`core.places`) as of a commit, by path."""
        found = self.require().blobs_in(commit, OWN_PLACES)
        own = self._as_read({path: blob for path, blob in found.items() if is_own_path(path)})
        if not self.mixed:
            return own
        data = self.blobs(blob for path, blob in own.items() if kind_of(path))
        return {path: blob for path, blob in own.items() if not is_foreign(path, data.get(blob, b""), mixed=True)}

    def _files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every regular file below the vault as of a commit, by path."""
        return self.require().tree(commit).blobs

    def blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs, opened if they are sealed and a key is here; ids that are missing are left out."""
        return {blob: self._opened(data) for blob, data in self._checked_out(list(dict.fromkeys(ids)))}

    def stored_blobs(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of blobs as git checks them out, sealed or not; ids that are missing are left out."""
        return dict(self._checked_out(list(dict.fromkeys(ids))))

    # -- through filters -----------------------------------------------------------------------------
    #
    # A file that filters change has two ids: that of the blob in git, and that of the text as it is in the work tree,
    # which citations name, since finding it runs no filter (docs/adr/0045). Whatever is compared with the work tree has
    # the second; `blobs` takes either.

    def _as_read(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return files with the ids of their texts, by path in the vault."""
        return dict(zip(files, self._text_ids([*files.items()]), strict=True))

    def _text_ids(self, files: Sequence[tuple[str, str]]) -> list[str]:
        """Return the ids of the texts of files, given by path in the vault and blob."""
        places = self._remember(files)
        if not places:
            return [blob for _, blob in files]
        for blob, data in self._filters.read({blob: path for blob, path in places.items() if blob not in self._texts}):
            self._texts.learn(blob, self.blob_id(data))
        self._texts.keep()
        return [self._texts[blob] if blob in places else blob for _, blob in files]

    def _remember(self, files: Iterable[tuple[str, str | None]]) -> dict[str, str]:
        """Remember a place of each blob that is read through filters, given by path in the vault; return these."""
        prefix = self.require().prefix
        named = [(prefix + path, blob) for path, blob in files if blob]
        through = self._filters.readable(path for path, _ in named)
        found = {blob: path for path, blob in named if path in through} if through else {}
        self._places |= found
        return found

    def _checked_out(self, ids: list[str]) -> Iterator[tuple[str, bytes]]:
        """Yield blobs as git checks them out, by their whole ids; those that are missing are left out."""
        through: dict[str, list[str]] = {}
        for one in ids if self._places else ():
            if (blob := self._texts.stored(one)) in self._places:
                through.setdefault(blob, []).append(one)
        if through:
            for blob, data in self._filters.read({blob: self._places[blob] for blob in through}):
                yield from ((one, data) for one in through[blob])
        done = {one for names in through.values() for one in names}
        missing = {one: None for one in ids if one not in done}
        for blob, data in self._objects([*missing]):
            missing.pop(blob, None)
            yield blob, data
        if missing and self._filters.may_be_used:
            yield from self._texts_of_the_past([*missing])

    def _texts_of_the_past(self, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield blobs of which the ids of their texts are given, or beginnings of these, as citations have them."""
        self.past_blobs()
        whole = [(text, blob) for one in ids for text, blob in self._texts.beginning(one) if blob in self._places]
        read = dict(self._filters.read({blob: self._places[blob] for _, blob in whole}))
        yield from ((text, read[blob]) for text, blob in whole if blob in read)

    def changed_texts(self, files: Iterable[tuple[str, str]]) -> Mapping[str, bytes]:
        """Return the texts of those of these files that filters changed, by blob; they are given by path and blob."""
        return dict(self._filters.read(self._remember(files)))

    def stored_id(self, path: str, data: bytes) -> str:
        """Return the id of the blob that git makes of bytes at a path."""
        whole = self.require().prefix + path
        if self._filters.changed({whole: data}):
            return self._filters.stored(whole, data, write=False)
        return self.blob_id(data)

    def is_stored(self, path: str, data: bytes, blob: str | None) -> bool:
        """Return whether committing bytes at a path would change nothing there; `blob` is what a commit has."""
        if blob is None or self.blob_id(data) == blob:
            return blob is not None
        return self.stored_id(path, data) == self._texts.stored(blob)

    def hidden(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those files whose text a filter changes in git, where names and messages stay readable.

        Pointers of git-lfs hide nothing.
        """
        prefix = self.require().prefix
        found = self._filters.treatments(prefix + path for path in paths)
        return frozenset(path.removeprefix(prefix) for path, one in found.items() if one.filter not in ("", "lfs"))

    def may_convert(self, paths: Iterable[str]) -> bool:
        """Return whether git may store any of these files otherwise than it is in the work tree."""
        prefix = self.require().prefix
        return self._filters.may_convert(prefix + path for path in paths)

    def store(self, files: Mapping[str, bytes]) -> None:
        """Write the blobs of files that git stores otherwise than they are, so that a commit of them can't fail there.

        Raises:
            RefusedError: a filter that they need is missing, was not approved, or failed.
        """
        prefix = self.require().prefix
        for path, data in self._filters.changed({prefix + path: data for path, data in files.items()}).items():
            self._filters.stored(path, data, write=True)

    def why_closed(self, path: str, data: bytes) -> SealedError | None:
        """Return why a sealed file is not opened here; None if it is."""
        if self._opener is None:
            return SealedError(f"{path} is sealed, and no key is at hand")
        try:
            self._opener().opened(path, data)
        except SealedError as error:
            return error
        return None

    def _opened(self, data: bytes) -> bytes:
        if self._opener is None or not is_sealed(data):
            return data
        try:
            return self._opener().opened("a version in the history", data)
        except SealedError:
            return data

    def past_state(self) -> str:
        """Return a digest of the past: as long as it is the same, so are `past_blobs`."""
        kept = self._git.run("for-each-ref", "--format=%(objectname)", KEPT)
        return hashlib.sha256(f"{self.head()}\n{self._filters.state}".encode() + kept).hexdigest()

    def past_blobs(self) -> Collection[str]:
        """Return the blobs of all files that could be memories in any commit reachable from the current or a kept one.

        Kept commits are those that `keep` holds. Commits missing from this clone are left out.
        """
        repository, head = self.require(), self.head()
        where = ("--", repository.prefix) if repository.prefix else ()
        listed = GitProcess(repository.root, self._git.environ).run(
            "rev-list", "--objects", "--full-history", "--missing=allow-any",
            *([head] if head else []), f"--glob={KEPT}*", *where,
        )  # fmt: skip
        found = git_objects.listed_blobs(listed, repository.prefix, partial(is_memory_path, mixed=self.mixed))
        return {*self._text_ids([*found])}

    def blob_id(self, data: bytes) -> str:
        """Return the id of the blob with these bytes, in the repository's object format."""
        return digests.blob_id(data, self.require().object_format)

    def _is_looked_at(self, path: str, rules: Rules) -> bool:
        return is_memory_path(path, mixed=self.mixed) and not rules.leave_out(path)

    def _objects(self, ids: list[str]) -> Iterator[tuple[str, bytes]]:
        for i in range(0, len(ids), _BLOBS_AT_ONCE):
            asked = "".join(f"{object_id}\n" for object_id in ids[i : i + _BLOBS_AT_ONCE])
            yield from git_objects.batch(self._git.run("cat-file", "--batch", data=asked.encode()))
