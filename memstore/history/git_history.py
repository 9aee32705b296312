"""The history of a vault in a git repository, using plain git and, to walk commits, GitPython (docs/adr/0004)."""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError, NotFoundError
from memstore.core.places import ATTRIBUTES, is_sealed_path
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.files.walk import rule_files
from memstore.history import git_objects, gitpython_walk
from memstore.history.git_process import GitProcess, failed
from memstore.history.history import ChangedFile, Commit, CommitChanges, anchor_refspec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memstore.core.memory import Memory
    from memstore.history.git_commit import CommitMaker
    from memstore.history.git_hooks import GitHooks
    from memstore.history.git_objects import GitObject
    from memstore.history.git_sync import GitSync
    from memstore.history.purging import Purged

from memstore.history.git_index import OBJECT_ID, GitIndex
from memstore.history.git_texts import KEPT

# Candidates for the default branch; a remote's come first, since branches are merged back into it.
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)


class GitHistory(GitIndex):
    """The commits of the repository around one vault: what they say, and new ones."""

    def push_urls(self) -> Mapping[str, tuple[str, ...]]:
        """Return where git pushes to, by the names of the remotes."""
        from memstore.history.outgoing import push_urls

        self.require()
        names = self._git.run("remote").decode(errors="surrogateescape").splitlines()
        return {name: push_urls(self._git, name) for name in names}

    def purged(self, memory_ids: Collection[str], folder: Path, *, sealed: Collection[str] = ()) -> Purged:
        """Write a clone whose history never held these memories, or not in plain text; see `purging.purge`."""
        from memstore.history.purging import purge

        repository, environ = self.require(), self._git.environ
        opened, filters = self._opened, self._filters
        return purge(
            repository, environ, memory_ids, folder, sealed=sealed, mixed=self.mixed, opened=opened, filters=filters
        )

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
                return self._in_vault(name)

    def differing(self, base: str, head: str) -> Mapping[str, ChangedFile]:
        """Return the files of the whole repository that a commit changed or has no longer, by path in the other one.

        Paths are relative to the vault; what a rename left is followed, as git decides.
        """
        repository = self.require()
        git = GitProcess(repository.root, self._git.environ)
        words = ("--raw", "-r", "-z", "-M", "--no-abbrev", "--diff-filter=MDRT", base, head)
        parts = iter(os.fsdecode(git.run("diff-tree", *words)).split("\0"))
        found: dict[str, ChangedFile] = {}
        for about in filter(None, parts):
            _, _, before, after, status = about.split(" ")
            old = self._in_vault(next(parts))
            new = self._in_vault(next(parts)) if status.startswith("R") else old
            found[old] = ChangedFile(new, before, None if status == "D" else after)
        return found

    def files_changed(self, before: str, after: str) -> Mapping[str, str | None] | None:
        """Return the blobs of files that could be a memory and differ between two commits, by path; None if gone.

        None is returned if that can't be told from what differs: the earlier commit is not here, or the rules by which
        files are left out or read have changed.
        """
        repository = self.require()
        prefix = repository.prefix
        git = GitProcess(repository.root, self._git.environ)
        words = ("--raw", "-r", "-z", "--no-renames", "--no-abbrev", before, after, "--", prefix or ".")
        done = git.attempt("diff-tree", *words)
        if done.returncode != 0:
            return None
        changes = {one.path: one.new for one in git_objects.raw_changes(done.stdout.split(b"\0")[:-1], prefix)}
        rules = {*rule_files(changes, mixed=self.mixed)}
        if not rules.isdisjoint(changes) or any(path.rpartition("/")[2] == ATTRIBUTES for path in changes):
            return None
        listed = git.run("ls-tree", "-z", after, "--", *sorted(prefix + name for name in rules))
        named = {path.removeprefix(prefix): blob for path, blob in git_objects.tree_files(listed)}
        looked_at = self._looked_at(named | {path: blob for path, blob in changes.items() if blob})
        return {path: looked_at.get(path) for path in changes}

    def _in_vault(self, path: str) -> str:
        """Return a path of the repository relative to the vault."""
        return os.path.relpath(path, self.require().prefix or ".").replace(os.sep, "/")

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
        return {name for name, found in self.objects(self.roots("HEAD")).items() if git_objects.parents_of(found)}

    def roots(self, commit: str) -> Sequence[str]:
        """Return the commits with which the history of a commit begins, as far as this clone has it, newest first."""
        self.require()
        return self._git.run("rev-list", "--max-parents=0", commit).decode().split()

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

    def objects(self, ids: Iterable[str]) -> Mapping[str, GitObject]:
        """Return objects of any kind as the repository has them; ids that it does not have are left out.

        Nothing is fetched, and replacement objects are ignored; the caller must check that the bytes match the id.
        """
        self.require()
        asked = [object_id for object_id in dict.fromkeys(ids) if OBJECT_ID.fullmatch(object_id)]
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
        self._git.run("update-ref", f"{KEPT}{name}", commit)

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
        if not OBJECT_ID.fullmatch(revision):
            found = self._git.attempt("rev-parse", "-q", "--verify", revision)
            if found.returncode != 0:
                return None
            revision = found.stdout.decode().strip()
        if revision == self.require().head:
            return revision
        done = self._git.attempt("rev-parse", "-q", "--verify", f"{revision}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

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

    def porcelain(self) -> GitSync:
        """Return git as the person uses it, in this repository."""
        from memstore.history.git_sync import GitSync

        return GitSync(self.require().root)

    @property
    def hooks(self) -> GitHooks:
        """The hooks of the repository, as they are now."""
        from memstore.history.git_hooks import GitHooks

        return GitHooks(self._git)


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
