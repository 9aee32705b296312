"""The history of a vault in a git repository, using plain git and, to walk commits, GitPython (docs/adr/0004)."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from copy import copy
from difflib import SequenceMatcher
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memstore.core import digests
from memstore.core.errors import GitError, NotFoundError, SealedError
from memstore.core.places import is_memory_path, is_own_path, is_sealed_path, kind_of
from memstore.files import memory_file
from memstore.files.age_file import is_sealed
from memstore.files.local_state import find_repository, regular_bytes
from memstore.files.memory_file import MemoryFile
from memstore.files.plain_note import is_foreign
from memstore.files.walk import ignore_rules, rule_files, rules_of
from memstore.history import git_objects, gitpython_walk
from memstore.history.filters import GitFilters, is_attributes_file
from memstore.history.git_process import GitProcess, NoGitError, failed
from memstore.history.history import Commit, CommitChanges, FileChange, anchor_refspec
from memstore.history.repository import TAKEN_IN, TAKING_IN, Repository
from memstore.history.text_ids import TextIds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.core.memory import Memory
    from memstore.files.vault import Opener
    from memstore.files.walk import Rules
    from memstore.history.git_commit import CommitMaker
    from memstore.history.git_hooks import GitHooks
    from memstore.history.git_objects import GitObject
    from memstore.history.purging import Purged

# Blobs requested at once: enough that starting git costs little, few enough that their bytes fit in memory.
_BLOBS_AT_ONCE = 5_000
# The line of a frontmatter that has the id, as people write it.
_ID_LINE = "^[\"']?id[\"']?[ ]*:"
# A line of a file of attributes that names a filter.
_FILTER_LINE = "[ \t]filter="
# The first line of a sealed file.
_SEALED_LINE = "^age-encryption[.]org/v1$"
_OBJECT_ID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# The refs that keep commits for anchors, whatever happens to branches.
_KEPT = "refs/memstore/"
# Candidates for the default branch; a remote's come first, since branches are merged back into it.
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
_MERGED = "GITHEAD_"


class GitHistory:
    """The repository around one vault.

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

    def at_once(self) -> GitHistory:
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

    @cached_property
    def hooks(self) -> GitHooks:
        """The hooks of the repository."""
        from memstore.history.git_hooks import GitHooks

        return GitHooks(self._git)

    def push_urls(self) -> Mapping[str, tuple[str, ...]]:
        """Return where git pushes to, by the names of the remotes."""
        from memstore.history.outgoing import push_urls

        self.require()
        names = self._git.run("remote").decode(errors="surrogateescape").splitlines()
        return {name: push_urls(self._git, name) for name in names}

    def require(self) -> Repository:
        """Return the repository; if there is none, raise a `GitError` that says what to do."""
        repository = self.repository
        if repository is None:
            raise next(iter(self._no_git), None) or GitError(
                f"{self._vault_root} has no history: it is not in a git repository",
                hint=f"git init {self._vault_root}, then memstore commit",
            )
        return repository

    def purged(self, memory_ids: Collection[str], folder: Path, *, sealed: Collection[str] = ()) -> Purged:
        """Write a clone whose history never held these memories, or not in plain text; see `purging.purge`."""
        from memstore.history.purging import purge

        repository, environ = self.require(), self._git.environ
        opened, filters = self._opened, self._filters
        return purge(
            repository, environ, memory_ids, folder, sealed=sealed, mixed=self.mixed, opened=opened, filters=filters
        )

    def head(self) -> str | None:
        """Return the current commit; None before the first one."""
        return self.require().head

    def resolve(self, revision: str) -> str:
        """Return the commit that a revision in git's notation names; `NotFoundError` if there is none."""
        self.require()
        # To git, anything that begins with a dash is an option, wherever it is.
        found = None if revision.startswith("-") or "\0" in revision else self._resolved(revision)
        if found is None:
            raise NotFoundError(
                f"the history has no commit {revision!r}",
                hint="git log --oneline --all lists them; dates: 2026-02-01, 3d",
            )
        return found

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the last commit that two commits have in common; None if there is none."""
        self.require()
        done = self._git.attempt("merge-base", one, other)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def default_branch(self) -> str | None:
        """Return the full name of the default branch: the remote's default, else main or master."""
        self.require()
        told = self._git.attempt("for-each-ref", "--format=%(refname) %(symref)", *_DEFAULT_BRANCHES).stdout
        found = dict(os.fsdecode(line).split(" ", 1) for line in told.splitlines())
        first = next((name for name in _DEFAULT_BRANCHES if name in found), None)
        return found[first] or first if first else None

    def last_commit(self, *, until: datetime) -> str | None:
        """Return the last commit of the current branch that was made at or before `until`, in UTC."""
        head = self.head()
        if head is None:
            return None
        # To git, a plain number below 100,000,000 is a date, not a time; rev-list does not accept "@" to say otherwise.
        found = self._git.run("rev-list", "-1", f"--before={int(until.timestamp())} +0000", head, "--")
        return found.decode().strip() or None

    def files_at(self, commit: str) -> Mapping[str, str]:
        """Return the blob of every file that could be a memory as of a commit, by path."""
        if self._asks_once and commit in self._files:
            return self._files[commit]
        files = self._files_at(commit)
        rules = self._rules_in(files)
        found = self._as_read({path: blob for path, blob in files.items() if self._is_looked_at(path, rules)})
        if self._asks_once:
            self._files[commit] = found
        return found

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
        own = self._as_read({path: blob for path, blob in self._files_at(commit).items() if is_own_path(path)})
        if not self.mixed:
            return own
        data = self.blobs(blob for path, blob in own.items() if kind_of(path))
        return {path: blob for path, blob in own.items() if not is_foreign(path, data.get(blob, b""), mixed=True)}

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
        kept = self._git.run("for-each-ref", "--format=%(objectname)", _KEPT)
        return hashlib.sha256(f"{self.head()}\n{self._filters.state}".encode() + kept).hexdigest()

    def past_blobs(self) -> Collection[str]:
        """Return the blobs of all files that could be memories in any commit reachable from the current or a kept one.

        Kept commits are those that `keep` holds. Commits missing from this clone are left out.
        """
        repository, head = self.require(), self.head()
        where = ("--", repository.prefix) if repository.prefix else ()
        listed = GitProcess(repository.root, self._git.environ).run(
            "rev-list", "--objects", "--full-history", "--missing=allow-any",
            *([head] if head else []), f"--glob={_KEPT}*", *where,
        )  # fmt: skip
        found = git_objects.listed_blobs(listed, repository.prefix, partial(is_memory_path, mixed=self.mixed))
        return {*self._text_ids([*found])}

    def blob_id(self, data: bytes) -> str:
        """Return the id of the blob with these bytes, in the repository's object format."""
        return digests.blob_id(data, self.require().object_format)

    def commits(self, *, path: str | None = None, start: str | None = None, limit: int | None = None) -> list[Commit]:
        """Return the commits that touched a path (None: anything in the vault), newest first.

        Args:
            path: a file, or None.
            start: the commit to go back from; None for the current one.
            limit: how many at most.
        """
        repository = self.require()
        first = start or self.head()
        if first is None:
            return []
        where = repository.prefix + (path or "")
        paths = [where] if where else []
        if repository.object_format == "sha1":
            return gitpython_walk.walk(repository.root, self._git.environ, first, paths, limit)
        most = [] if limit is None else [f"--max-count={limit}"]
        # Paths given to rev-list are relative to the folder it runs in.
        git = GitProcess(repository.root, self._git.environ)
        found = git.run("rev-list", *most, first, "--", *paths).decode().split()
        return [git_objects.commit(commit_id, data) for commit_id, data in self._objects(found)]

    def moved_to(self, path: str) -> str | None:
        """Return where a file is now that commits renamed, relative to the vault as `path` is; None if it is nowhere.

        A commit renamed a file if it deleted it and added one that is similar, as git decides.
        """
        key = self.head() or "", path
        if key not in self._moved:
            self._moved[key] = self._moved_to(path)
        return self._moved[key]

    def _moved_to(self, path: str) -> str | None:
        repository = self.require()
        git = GitProcess(repository.root, self._git.environ)
        names = {os.path.normpath(repository.prefix + path)}
        name = next(iter(names))
        while True:
            last = git.attempt("rev-list", "-1", "HEAD", "--", name).stdout.decode().strip()
            renamed = git.attempt("diff-tree", "-r", "-m", "-M", "--diff-filter=R", "--name-status", "-z", last)
            parts = os.fsdecode(renamed.stdout).split("\0")
            name = next((new for old, new in pairwise(parts) if old == name), "")
            if not name or name in names:
                return None
            names.add(name)
            if os.path.lexists(repository.root / name):
                return os.path.relpath(name, repository.prefix or ".").replace(os.sep, "/")

    def arrivals(self, since: str = "") -> list[Arrival] | None:
        """Return how files came into the current branch, parents before children, else the older first.

        None if git can't tell.

        Args:
            since: a commit, to return only what came after it; None is returned if the branch has lost that commit, or
                has merged others since, so that something may have come in before it.
        """
        git = GitProcess(self.require().root, self._git.environ)
        if since and (
            git.attempt("merge-base", "--is-ancestor", since, "HEAD").returncode
            or git.attempt("rev-list", "--merges", "--max-count=1", f"{since}..HEAD").stdout
        ):
            return None
        words = (
            "--reverse", "--date-order", "--diff-filter=AR", "--find-renames=50%", "-l1000", "-c", "--name-status",
            "-z", "--format=%x01%H %at",
        )  # fmt: skip
        done = git.attempt("log", *words, f"{since}..HEAD" if since else "HEAD", "--")
        return None if done.returncode else [*_arrivals(done.stdout, self.cut_off)]

    def changes(self, commits: Sequence[Commit]) -> list[CommitChanges]:
        """Return what each commit changed in the vault, in the given order; a merge appears once for each parent."""
        prefix = self.require().prefix
        by_id = {commit.id: commit for commit in commits}
        printed = self._git.run(
            "diff-tree", "--stdin", "-m", "-r", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
            "--pretty=oneline", data="".join(f"{commit.id}\n" for commit in commits).encode(),
        )  # fmt: skip
        found = list(_by_commit(printed, by_id, prefix, self.cut_off if commits else ()))
        self._remember((one.path, blob) for change in found for one in change.files for blob in (one.old, one.new))
        return found

    @cached_property
    def cut_off(self) -> Collection[str]:
        """The commits at which the history of a shallow clone ends: they have parents, which are not in this clone."""
        self.require()
        if self._git.run("rev-parse", "--is-shallow-repository").strip() != b"true":
            return ()
        firsts = self._git.run("rev-list", "--max-parents=0", "HEAD").decode().split()
        return {name for name, found in self.objects(firsts).items() if git_objects.parents_of(found)}

    def blame(self, path: str, commit: str) -> list[Commit]:
        """Return, for each line of the file as of `commit`, the commit that wrote it."""
        repository = self.require()
        if is_sealed_path(path):
            raise GitError(
                f"{path} is sealed, so git has no lines of it", hint="memstore log REF shows what happened to it"
            )
        whole = repository.prefix + path
        git = GitProcess(repository.root, self._git.environ)
        if self._filters.readable([whole]):
            return self._blame_of_texts(git, whole, commit)
        words = ("--no-textconv", "--root", "-s", "-l", "--incremental", commit, "--", whole)
        done = git.attempt("blame", *words)
        if done.returncode != 0:  # often the person's settings name a file of ignored commits that only others have
            named = git.attempt("config", "--get-all", "--type=path", "blame.ignoreRevsFile").stdout
            there = [name for name in os.fsdecode(named).splitlines() if (repository.root / name).is_file()]
            ignored = [f"--ignore-revs-file={name}" for name in there]
            env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
            done = git.attempt("blame", *ignored, *words, env=env) if named else done
        if done.returncode != 0:
            raise failed(("blame",), done)
        return self._by_line(done.stdout)

    def _blame_of_texts(self, git: GitProcess, path: str, commit: str) -> list[Commit]:
        """Return the same for a file that filters change: git compares the lines of what it stores."""
        printed = git.run("log", "--follow", "--raw", "-z", "--no-abbrev", "--format=%x01%H", commit, "--", path)
        versions: list[tuple[str, str]] = []
        for part in printed.split(b"\1")[:0:-1]:  # the newest come first
            fields = part.split(b"\0")
            raw = next((field for field in fields if field.lstrip(b"\n").startswith(b":")), b"")
            versions += [(fields[0].decode().strip(), raw.split()[3].decode())] if raw else []
        # A merge, which is not compared, may have made the last one.
        versions.append((commit, git.run("rev-parse", f"{commit}:{path}").decode().strip()))
        texts = dict(self._filters.read({blob: path for _, blob in versions}))
        lines: list[bytes] = []
        written: list[str] = []
        for by, blob in versions:
            before, lines = lines, texts.get(blob, b"").splitlines()
            old, written = written, [by] * len(lines)
            for a, b, size in SequenceMatcher(None, before, lines, autojunk=False).get_matching_blocks():
                written[b : b + size] = old[a : a + size]
        known = {one: git_objects.commit(one, data) for one, data in self._objects([*dict.fromkeys(written)])}
        return [known[one] for one in written]

    def staged(self, against: str | None = None) -> list[FileChange]:
        """Return how the vault's staged memory files differ from a commit; None for the current one."""
        changes = self._staged(against)
        rules = ignore_rules(self._vault_root, mixed=self.mixed, paths=[change.path for change in changes])
        return [change for change in changes if self._is_looked_at(change.path, rules)]

    def _is_looked_at(self, path: str, rules: Rules) -> bool:
        return is_memory_path(path, mixed=self.mixed) and not rules.leave_out(path)

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
        return [commit for commit in dict.fromkeys(found) if _OBJECT_ID.fullmatch(commit)]

    def last_states(self, ids: Collection[str], *, start: str | None = None) -> dict[str, Memory]:
        """Return each memory as it was before a commit deleted it, by id; memories that never existed are left out.

        Args:
            ids: the memories' ids.
            start: the commit to go back from; None for the current one.
        """
        return {name: file.memory for name, file in self.deleted_files(ids, start=start).items()}

    def deleted_files(self, ids: Collection[str], *, start: str | None = None) -> dict[str, MemoryFile]:
        """Return the files of memories as they were before a commit deleted them, by id; see `last_states`."""
        first = start or self.head()
        if not ids or first is None:
            return {}
        prefix = self.require().prefix
        printed = self._git.run(
            "log", "-m", "--full-history", "--no-renames", "--diff-filter=D", "--raw", "--no-abbrev", "-z", "--format=",
            first, *(["--", prefix] if prefix else []),
        )  # fmt: skip
        fields = [field for field in printed.split(b"\0") if field]  # empty fields separate commits
        gone: dict[str, str] = {}
        for change in git_objects.raw_changes(fields, prefix):
            gone.setdefault(change.old or "", change.path)  # the newest commits come first
        gone.pop("", None)
        found: dict[str, MemoryFile] = {}
        self._remember((path, blob) for blob, path in gone.items())
        for blob, data in self._checked_out(list(gone)):
            file = memory_file.read(gone[blob], self._opened(data), mixed=self.mixed)
            if isinstance(file, MemoryFile) and file.memory.id in ids:
                found.setdefault(file.memory.id or "", file)
        return found

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

    def objects(self, ids: Iterable[str]) -> Mapping[str, GitObject]:
        """Return objects of any kind as the repository has them; ids that it does not have are left out.

        Nothing is fetched, and replacement objects are ignored; the caller must check that the bytes match the id.
        """
        self.require()
        asked = [object_id for object_id in dict.fromkeys(ids) if _OBJECT_ID.fullmatch(object_id)]
        printed = self._git.run("cat-file", "--batch", data="".join(f"{one}\n" for one in asked).encode())
        return dict(git_objects.kinds_and_bytes(printed))

    def is_kept(self, commit: str) -> bool:
        """Return whether a ref holds this commit, so that git keeps it."""
        self.require()
        found = self._git.attempt("for-each-ref", "--count=1", "--contains", commit)
        return found.returncode == 0 and bool(found.stdout)

    def commits_with(self, blob: str) -> list[str]:
        """Return commits reachable from refs that have a blob with this id in the vault, newest first."""
        prefix = self.require().prefix
        where = ("--", prefix) if prefix else ()
        stored = next(iter(self._texts.beginning(blob)), (blob, blob))[1] if self._filters.may_be_used else blob
        told = self._git.run("log", "--all", "--format=%H", "--diff-filter=AMR", f"--find-object={stored}", *where)
        return told.decode().split()

    def touching(self, paths: Sequence[str], *, since: str, until: str) -> list[tuple[str, tuple[str, ...]]] | None:
        """Return the commits after `since` up to `until` that touched one of these paths, and all merges, oldest first.

        Each is given with those of them that it follows. None if `since` is not an ancestor of `until`, or doesn't
        exist.
        """
        repository = self.require()
        if since == until:
            return []
        if self._git.attempt("merge-base", "--is-ancestor", since, until).returncode != 0:
            return None
        git = GitProcess(repository.root, self._git.environ)
        where = [repository.prefix + path for path in paths]
        told = git.run(
            "rev-list", "--full-history", "--parents", "--topo-order", "--reverse", f"{since}..{until}", "--", *where
        )
        return [(first, tuple(rest)) for first, *rest in (line.split() for line in told.decode().splitlines())]

    def following(self, commit: str) -> list[str]:
        """Return the commits up to the current one whose history contains `commit`, including `commit` itself."""
        if self.head() is None or self._git.attempt("merge-base", "--is-ancestor", commit, "HEAD").returncode != 0:
            return []
        told = self._git.run("rev-list", "--ancestry-path", f"{commit}..HEAD")
        return [commit, *told.decode().split()]

    def keep(self, name: str, commit: str) -> None:
        """Hold a commit by the ref `refs/memstore/NAME`, whatever happens to branches."""
        self.require()
        self._git.run("update-ref", f"{_KEPT}{name}", commit)

    def follow_anchors(self) -> Mapping[str, bool]:
        """Configure git to fetch each remote's anchors together with everything else, separate from this clone's own.

        Return whether that was new, by remote. What is pushed does not change.
        """
        self.require()
        return {name: self._follow(name) for name in self._git.run("remote").decode().split()}

    def _follow(self, remote: str) -> bool:
        key, refspec = f"remote.{remote}.fetch", anchor_refspec(remote)
        if refspec in self._git.attempt("config", "--get-all", key).stdout.decode(errors="replace").splitlines():
            return False
        self._git.run("config", "--add", key, refspec)
        return True

    def identity(self) -> str:
        """Return who is committing, `Name <mail>`; `GitError` if git doesn't know."""
        return self.require().identity

    def stop_if_busy(self) -> None:
        """Raise an error if nothing could be committed just now.

        Raises:
            GitError: git does not know who is committing, or a merge or the like is in progress.
            LockedError: another git command holds the index.
        """
        self._maker().stop_if_busy()

    def commit(
        self,
        files: Mapping[str, bytes | None],
        message: str,
        *,
        at: datetime,
        sign: Callable[[bytes], str] | None = None,
    ) -> str:
        """Commit exactly these files with these bytes (None: deleted), and return the new commit.

        Other staged files stay staged. A crash leaves the repository as before or after. `sign` returns the armoured
        signature over the commit, which is added to it.

        Raises:
            GitError: git does not know who is committing, or a merge or the like is in progress.
            LockedError: another git command holds the index.
            ChangedMeanwhileError: somebody else committed at the same time.
        """
        made = self._maker(sign).commit(files, message, at=at)
        self._made.append(made)
        return made

    def branch_tip(self, branch: str) -> str | None:
        """Return the commit that a branch of this repository points to; None if there is no such branch."""
        return self._maker().branch_tip(branch)

    def commit_on(self, branch: str, files: Mapping[str, bytes], message: str, *, at: datetime) -> str:
        """Commit these files on a branch that is not checked out, and return the new commit.

        The work tree and staged changes stay as they are; a missing branch begins at the current commit.

        Raises:
            GitError: git does not know who is committing.
            RefusedError: the branch is checked out.
            UsageError: the name is not valid for a branch.
            ChangedMeanwhileError: somebody else committed there at the same time.
        """
        return self._maker().commit_on(branch, files, message, at=at)

    def _maker(self, sign: Callable[[bytes], str] | None = None) -> CommitMaker:
        from memstore.history.git_commit import CommitMaker

        return CommitMaker(self._git, self.require(), self._filters, sign)

    def _resolved(self, revision: str) -> str | None:
        """Return the commit that a revision names, in two steps: a suffix could complete an invalid revision."""
        if not _OBJECT_ID.fullmatch(revision):
            found = self._git.attempt("rev-parse", "-q", "--verify", revision)
            if found.returncode != 0:
                return None
            revision = found.stdout.decode().strip()
        if revision == self.require().head:
            return revision
        done = self._git.attempt("rev-parse", "-q", "--verify", f"{revision}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def _objects(self, ids: list[str]) -> Iterator[tuple[str, bytes]]:
        for i in range(0, len(ids), _BLOBS_AT_ONCE):
            asked = "".join(f"{object_id}\n" for object_id in ids[i : i + _BLOBS_AT_ONCE])
            yield from git_objects.batch(self._git.run("cat-file", "--batch", data=asked.encode()))

    def _by_line(self, incremental: bytes) -> list[Commit]:
        """Return the commit of each line from the output of `blame --incremental`: commit, old line, line, count."""
        spans: list[tuple[str, int, int]] = []
        expect_span = True
        for line in incremental.split(b"\n")[:-1]:
            if expect_span:
                commit_id, _, first, count = line.decode().split(" ")
                spans.append((commit_id, int(first), int(count)))
            # Each span ends with the name of the file that its lines come from.
            expect_span = line.startswith(b"filename ")
        ids = list(dict.fromkeys(commit_id for commit_id, _, _ in spans))
        known = {commit_id: git_objects.commit(commit_id, data) for commit_id, data in self._objects(ids)}
        written = {first + i: known[commit_id] for commit_id, first, count in spans for i in range(count)}
        return [written[number] for number in sorted(written)]


def _id_of(line: str) -> str:
    return line.partition(":")[2].split("#")[0].strip(" \t\r\"'")


class Arrival(NamedTuple):
    """How a file came into a commit: added at a time (None where a shallow clone ends), or renamed from a source.

    Paths are relative to the repository's top folder; times are in seconds since 1970, the author's.
    """

    path: str
    seconds: int | None
    source: str | None = None


def _arrivals(printed: bytes, cut_off: Collection[str]) -> Iterator[Arrival]:
    """Yield what `log --name-status -z` printed; of a merge, what none of its parents has."""
    seconds: int | None = 0
    words = iter(printed.split(b"\0"))
    for word in words:
        status = word.strip()
        if status.startswith(b"\1"):
            commit, _, at = status[1:].decode().partition(" ")
            seconds = None if commit in cut_off else int(at or 0)
        elif status.startswith(b"R") and status[1:].isdigit():
            source, path = (os.fsdecode(next(words)) for _ in range(2))
            yield Arrival(path, seconds, source)
        elif status:
            yield Arrival(os.fsdecode(next(words)), seconds)


def _by_commit(
    printed: bytes, by_id: Mapping[str, Commit], prefix: str, cut_off: Collection[str]
) -> Iterator[CommitChanges]:
    """Yield the changes of each commit from the output of `diff-tree --stdin -m -z --pretty=oneline`.

    A commit's changes are preceded by `ID SUMMARY`, or for each parent of a merge by `ID (from PARENT) SUMMARY`. If a
    commit changes nothing compared with a parent, it is not printed for that parent. One that is cut off from its
    parents is printed like one without any.
    """
    fields = printed.split(b"\0")[:-1]
    i = 0
    while i < len(fields):
        words = fields[i].split(b" ", 3)
        end = i + 1
        while end < len(fields) and fields[end].startswith(b":"):
            end += 2
        commit = by_id[words[0].decode()]
        parent = next(iter(commit.parents), None)
        if commit.id in cut_off:
            parent = None
        elif len(commit.parents) > 1:
            parent = words[2].rstrip(b")").decode()
        yield CommitChanges(commit, parent, tuple(git_objects.raw_changes(fields[i + 1 : end], prefix)))
        i = end
