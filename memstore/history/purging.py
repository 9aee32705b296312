"""Write a history without what was forgotten, in a new clone, and prove that it is not there; the original stays.

The clone is a mirror, which `git filter-repo` rewrites: blobs that are versions of a forgotten memory go, and so do
requests and suggestions about it, its lines in MEMORY.md and in originals of imports, and its words in messages. Then
notes are attached again, files name commits by their new ids, and every object and file of the clone is searched. Of a
sealed memory, the versions in plain text go like that, and the sealed ones stay.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError, RefusedError, UsageError
from memstore.core.short_repr import short_repr
from memstore.core.titles import title_of
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.files.unfinished import unfinished_folder
from memstore.history.commit_messages import MEMORY_ID, in_subject
from memstore.history.git_process import GitProcess
from memstore.history.outgoing import tree_of_commit
from memstore.history.retold import Retold, as_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from memstore.history.filters import GitFilters
    from memstore.history.repository import Repository

_ID = rb"[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([a-z0-9_-]+)"
_ID_LINE = re.compile(rb"^" + _ID, re.MULTILINE)
_ID_IN_FLOW = re.compile(rb"[{,]\s*" + _ID)  # if the frontmatter is one map in braces
_KEY_LINE = re.compile(r"[\"']?(?P<key>[a-z_]+)[\"']?[ \t]*:[ \t]*(?P<value>.*)")
_TOMBSTONE = re.compile(rb"^status:[ \t]*[\"']?forgotten", re.MULTILINE)
_ORIGINAL = re.compile(r"file:(imports/[^#]+\.original)#L(\d+)(?:-L(\d+))?@[0-9a-f]+")
_COMMIT = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
UNFINISHED = ".memstore-purging-"  # a clone that a killed program was making; it can be deleted
_BLOB_PREFIX = 10  # digits of a blob id in a citation
_REFS = frozenset({".git/packed-refs", ".git/info/refs"})  # files of git that list refs
# Shorter lines say nothing that many other texts don't say, too.
_TELLING = 12
_MOST_LISTED = 20

# What git-filter-repo calls for each blob, commit and tag; the facts are in a file that this process wrote.
_FACTS = "MEMSTORE_PURGE"
_LOAD = f"""
import json, os, re
global _memstore
try:
    _memstore
except NameError:
    with open(os.environ["{_FACTS}"], encoding="utf-8") as _file:
        _memstore = json.load(_file)
"""
_BLOB = f"""{_LOAD}
if blob.original_id.decode() in _memstore["changed"]:
    with open(_memstore["changed"][blob.original_id.decode()], "rb") as _file:
        blob.data = _file.read()
"""
_MESSAGE = """
for _old, _new in _memstore["words"]:
    {it}.message = {it}.message.replace(_old.encode(), _new.encode())
for _pattern, _new, _id in _memstore["short"]:
    if _id.encode() in {it}.message:
        {it}.message = re.sub(_pattern.encode(), lambda _: _new.encode(), {it}.message)
"""
# The message of a commit that changed nothing else is about these memories: what memstore wrote of it stays.
_REASON = rf"""
_ids = re.findall(rb"^{MEMORY_ID}: (\S+)$", commit.message, re.M)
_kept = (_one.filename for _one in commit.file_changes if _one.type != b"D")
_others = [_path for _path in _kept if not re.search(rb"(?:^|/)audit/", _path)]
if _ids and not _others and {{_id.decode() for _id in _ids}} <= {{*_memstore["ids"]}}:
    _said, _, _last = commit.message.rstrip().rpartition(b"\n\n")
    _said = _said.partition(b"\n")[0]
    _said = _said if re.fullmatch(rb"[a-z]+ [a-z]+:[a-z0-9_-]+", _said) else b"(forgotten)"
    commit.message = _said + b"\n\n" + _last + b"\n"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """A clone whose history never held what was forgotten, nor in plain text what is sealed.

    `removed` counts the blobs that are gone, `changed` those that lost lines, `commits` those that got a new id;
    `notes` were attached again; `renamed` are paths of files in which commits have their new ids; `unsigned` counts
    the commits and tags whose signatures did not survive. `still` lists what has words of the memories all the same,
    `remotes` and `submodules` other repositories, which have what they had, `work_trees` the folders where other work
    trees of the original have their files.
    """

    folder: Path
    removed: int
    changed: int
    commits: int
    objects: int
    notes: int
    renamed: tuple[str, ...]
    unsigned: int
    still: tuple[str, ...]
    remotes: tuple[str, ...]
    submodules: tuple[str, ...]
    work_trees: tuple[str, ...]

    __repr__ = short_repr


class _Object(NamedTuple):
    """A git object: its id, its kind, its bytes."""

    id: str
    kind: str
    data: bytes


@dataclass
class _Found:
    """What is to go: blobs, blobs with other bytes, and the words by which the memories can be told.

    `ids` are those of the memories. `plain` are those of `removed` that are versions of sealed memories. `titles` and
    `short` have the refs of the memories by their names; a short name means the memory only in a message that has its
    id, too.
    """

    removed: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)
    changed: dict[str, bytes] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    retold: Retold = field(default_factory=Retold)
    originals: dict[str, set[tuple[int, int]]] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()
    signed: int = 0

    @property
    def words(self) -> list[tuple[str, str]]:
        """What is replaced in messages, by what: titles and telling lines."""
        lines = dict.fromkeys(self.lines, "(forgotten)")
        return sorted({**lines, **self.titles}.items(), key=lambda pair: -len(pair[0]))

    @property
    def short_in_messages(self) -> list[tuple[str, str, str]]:
        """Patterns for short names, what replaces them, and the id that a message must have."""
        pairs = sorted(self.short.items(), key=lambda pair: -len(pair[0]))
        return [(rf"(?<!\w){re.escape(name)}(?!\w)", ref, ref.rpartition(":")[2]) for name, ref in pairs]

    @cached_property
    def _encoded(self) -> list[bytes]:
        return [word.encode() for word, _ in self.words]

    def is_told_in(self, data: bytes) -> bool:
        """Whether bytes have a title, a telling line, or as many words of one in a row as nobody else writes."""
        return self.is_told_by(data, self.retold.words_in(data))

    def is_told_by(self, data: bytes, words: list[str]) -> bool:
        """The same for bytes with these words."""
        return any(word in data for word in self._encoded) or self.retold.quoted_in(words)


def purge(
    repository: Repository,
    environ: Mapping[str, str],
    memory_ids: Collection[str],
    folder: Path,
    *,
    sealed: Collection[str] = (),
    mixed: bool,
    opened: Callable[[bytes], bytes],
    filters: GitFilters,
) -> Purged:
    """Clone a repository into `folder`, and take every trace of forgotten memories out of the clone's history.

    Args:
        repository: the original, which is only read.
        environ: the process's environment.
        memory_ids: the memories, whose tombstones are committed.
        folder: where the clone goes; it must not exist, or be empty.
        sealed: memories whose sealed files are committed; they stay, and their plain text goes.
        mixed: whether the vault holds notes of other programs.
        opened: returns what was sealed in a blob; the blob itself if it isn't sealed, or stays so.
        filters: what the original does to files on their way in and out.

    Raises:
        UsageError: git-filter-repo is not installed, or the folder is not free.
        RefusedError: a branch ends with a sealed memory in plain text, and would lose it.
        GitError: git failed; nothing is left of the clone.
    """
    if find_spec("git_filter_repo") is None:
        raise UsageError("git-filter-repo is not installed", hint='pip install "memstore-vault[purge]"')
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty", hint="name a new folder for the clone")
    if folder.resolve().is_relative_to(repository.root.resolve()):
        raise UsageError(f"{folder} is inside the repository", hint="name a folder beside it")
    place = folder.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    # Half a clone has all that is to go, so it gets its place, in one step, once it is searched.
    with unfinished_folder(place.parent, UNFINISHED) as outer:
        made = outer / "clone"
        ids = {*memory_ids}, {*sealed}
        done = _purged(repository, environ, made, ids, mixed=mixed, opened=opened, filters=filters)
        made.replace(place)
    return replace(done, folder=place)


def _purged(
    repository: Repository,
    environ: Mapping[str, str],
    folder: Path,
    ids: tuple[set[str], set[str]],
    *,
    mixed: bool,
    opened: Callable[[bytes], bytes],
    filters: GitFilters,
) -> Purged:
    """Make the clone in a new folder; `ids` are those of forgotten memories, and of sealed ones."""
    clone = _cloned(repository, environ, folder)
    texts = _texts(clone, filters)
    found = _what_goes(clone, *ids, opened, texts, mixed=mixed)
    for blob in found.changed.keys() & texts.keys():
        found.changed[blob] = filters.stored_bytes(min(_paths(clone)[blob]), found.changed[blob])
    if unsealed := [*_branches_with(clone, found.plain)]:
        raise RefusedError(
            f"the branch {unsealed[0]} has a memory in plain text that is sealed here, and would lose it",
            hint=f"first: git merge into it what sealed the memory, or git branch -D {unsealed[0]}",
        )
    new = _rewritten(clone, found)
    identity = _identity(repository, environ)
    notes = _notes_again(clone, new, found, identity)
    _with_work_tree(clone, folder)
    tree = GitProcess(folder, environ)
    renamed = _renamed(tree, folder, new, found, identity)
    _swept(clone, folder / ".git")
    objects, still = _proof(clone, folder, found, texts)
    remotes = GitProcess(repository.root, environ).run("remote", "-v").decode(errors="replace").splitlines()
    return Purged(
        folder=folder,
        removed=len(found.removed),
        changed=len(found.changed),
        commits=sum(old != now for old, now in new.items()),
        objects=objects,
        notes=notes,
        renamed=renamed,
        unsigned=found.signed,
        still=still,
        submodules=_submodules(clone),
        work_trees=_work_trees(repository, environ),
        remotes=tuple(sorted({line.rpartition(" (")[0].replace("\t", " ") for line in remotes})),
    )


def _submodules(clone: GitProcess) -> tuple[str, ...]:
    """Return the paths of submodules in the current commit."""
    listed = clone.run("ls-tree", "-r", "-z", "HEAD").decode(errors="surrogateescape").split("\0")
    return tuple(sorted(line.partition("\t")[2] for line in listed if line.startswith("160000 ")))


def _work_trees(repository: Repository, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders of the repository's other work trees that are there."""
    listed = GitProcess(repository.root, environ).run("worktree", "list", "--porcelain").splitlines()
    folders = (Path(os.fsdecode(line.removeprefix(b"worktree "))) for line in listed if line.startswith(b"worktree "))
    return tuple(str(folder) for folder in folders if folder.exists() and not folder.samefile(repository.root))


def _cloned(repository: Repository, environ: Mapping[str, str], folder: Path) -> GitProcess:
    folder.mkdir(parents=True, exist_ok=True)
    # Nothing but a local copy, object by object: hard links would share what is to go.
    words = ("-c", "protocol.file.allow=always", "clone", "--quiet", "--mirror", "--no-local", "--no-hardlinks")
    GitProcess(folder, environ).run(*words, str(repository.root), str(folder / ".git"))
    clone = GitProcess(folder / ".git", environ)
    clone.attempt("update-ref", "-d", "refs/stash")
    return clone


# -- what is to go -----------------------------------------------------------------------------------


def _objects(clone: GitProcess) -> Iterator[_Object]:
    """Yield every object that the clone has, reachable or not."""
    data = clone.run("cat-file", "--batch-all-objects", "--batch", "--unordered")
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        name, kind, size = data[at:end].split()
        yield _Object(name.decode(), kind.decode(), data[end + 1 : end + 1 + int(size)])
        at = end + 2 + int(size)


def _texts(clone: GitProcess, filters: GitFilters) -> dict[str, bytes]:
    """Return the texts of the blobs that filters changed."""
    places = {blob: min(paths) for blob, paths in _paths(clone).items()}
    through = filters.readable(places.values())
    return dict(filters.read({blob: path for blob, path in places.items() if path in through})) if through else {}


def _what_goes(
    clone: GitProcess,
    forgotten: set[str],
    sealed: set[str],
    opened: Callable[[bytes], bytes],
    texts: Mapping[str, bytes],
    *,
    mixed: bool,
) -> _Found:
    paths = _paths(clone)
    ids = forgotten | sealed
    found, rest = _Found(ids=frozenset(ids)), list[_Object]()
    for stored in _objects(clone):
        one = stored._replace(data=texts.get(stored.id, stored.data))
        if one.kind != "blob":
            found.signed += b"\ngpgsig" in one.data.partition(b"\n\n")[0] or b"-----BEGIN SSH SIGNATURE" in one.data
        elif is_version(one.data, sealed):
            found.removed.add(one.id)
            found.plain.add(one.id)
            _learn(found, one.data, mixed=mixed)
        elif not is_version(data := opened(one.data), forgotten):
            rest.append(one)
        elif not _TOMBSTONE.search(data):
            found.removed.add(one.id)
            _learn(found, data, mixed=mixed)
    for one in rest:
        for path in paths.get(one.id, ()):
            asked = forgotten if _WITHOUT_TEXT.search(path) else ids
            _sort_out(found, one, path, asked)
    return found


def _branches_with(clone: GitProcess, blobs: set[str]) -> Iterator[str]:
    """Yield the branches whose last commit has one of these blobs."""
    listed = clone.run("for-each-ref", "--format=%(refname)", "refs/heads/").decode(errors="surrogateescape")
    for branch in listed.splitlines() if blobs else ():
        if not blobs.isdisjoint(tree_of_commit(clone, branch).values()):
            yield branch.removeprefix("refs/heads/")


def _paths(clone: GitProcess) -> dict[str, set[str]]:
    """Return the paths of each blob, in any commit."""
    found: dict[str, set[str]] = {}
    for line in clone.run("rev-list", "--objects", "--all").decode(errors="surrogateescape").splitlines():
        name, _, path = line.partition(" ")
        if path:
            found.setdefault(name, set()).add(path)
    return found


def is_version(data: bytes, ids: set[str]) -> bool:
    """Whether a blob is a version of one of the memories, readable or not."""
    data = as_utf8(data)
    head = data[3:].partition(b"\n---")[0] if data.lstrip(b"\xef\xbb\xbf").startswith(b"---") else b""
    named = _ID_IN_FLOW if head.lstrip().startswith(b"{") else _ID_LINE
    return any(name.decode() in ids for name in named.findall(head))


def _learn(found: _Found, data: bytes, *, mixed: bool) -> None:
    """Remember the words of a version."""
    read = memory_file.read("version.md", data := as_utf8(data), mixed=mixed)
    memory = read.memory if isinstance(read, MemoryFile) else None
    if memory is None:
        _learn_unread(found, data.decode(errors="replace"))
        return
    found.lines |= _distinctive_lines(memory.body)
    found.retold.learn(memory.body)
    for name in (title_of(memory), *memory.aliases):
        found.retold.learn_name(name)
        for title in filter(None, {name, in_subject(name)}):
            (found.titles if len(title) >= _TELLING else found.short)[title] = str(memory.ref)
    for mark in filter(None, map(_ORIGINAL.fullmatch, memory.derived_from)):
        lines = found.originals.setdefault(mark[1], set())
        lines.add((int(mark[2]), int(mark[3] or mark[2])))


def _learn_unread(found: _Found, text: str) -> None:
    """Remember the words of a version that can't be read: lines of keys say nothing, except for a title."""
    for line in _distinctive_lines(text):
        key = _KEY_LINE.fullmatch(line)
        said = line if key is None else key["value"].strip("\"'") if key["key"] == "title" else ""
        found.lines |= _distinctive_lines(said)
        found.retold.learn(said)


def _distinctive_lines(text: str) -> set[str]:
    """Return the lines of a text that are long enough to tell it from others."""
    return {line for line in map(str.strip, text.splitlines()) if len(line) >= _TELLING}


# Requests and verdicts have no text of a memory.
_WITHOUT_TEXT = re.compile(r"(?:^|/)(?:requests|\.memstore/verdicts)/")
_GOES_AS_A_WHOLE = re.compile(r"(?:^|/)(?:requests|suggestions|\.memstore/verdicts)/")


def _sort_out(found: _Found, one: _Object, path: str, ids: set[str]) -> None:
    """Decide whether a blob at a path goes, or loses lines."""
    names = any(name.encode() in one.data for name in ids)
    if names and _GOES_AS_A_WHOLE.search(path):
        found.removed.add(one.id)
    elif names and path.endswith("MEMORY.md"):
        kept = [line for line in one.data.splitlines(keepends=True) if not _graduated(line, ids)]
        found.changed[one.id] = re.sub(
            b"".join((rb" (?:", b"|".join(re.escape(name.encode()) for name in sorted(ids)), rb")=[0-9a-f]+")),
            b"",
            b"".join(kept),
        )
    for original, spans in found.originals.items():
        if path.endswith(original):
            lines = one.data.split(b"\n")
            for first, last in spans:
                lines[first - 1 : last] = [b""] * len(lines[first - 1 : last])
            found.changed[one.id] = b"\n".join(lines)


def _graduated(line: bytes, ids: set[str]) -> bool:
    """Whether a line of MEMORY.md is about one of the memories."""
    named = re.search(rb"\[\[[a-z]+:([a-z0-9_-]+)\]\]\s*$", line)
    return named is not None and named[1].decode() in ids


# -- the new history ---------------------------------------------------------------------------------


def _rewritten(clone: GitProcess, found: _Found) -> dict[str, str]:
    """Rewrite the clone's history, and return the new ids of commits by the old ones."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "removed").write_text("".join(f"{name}\n" for name in sorted(found.removed)))
        places = {}
        for name, data in found.changed.items():
            (folder / name).write_bytes(data)
            places[name] = str(folder / name)
        facts = {"changed": places, "words": found.words, "short": found.short_in_messages, "ids": [*found.ids]}
        (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
        words = ["--force", "--quiet", "--prune-empty", "never", "--strip-blobs-with-ids", str(folder / "removed")]
        words += ["--blob-callback", _BLOB]
        words += ["--commit-callback", _LOAD + _MESSAGE.format(it="commit") + _REASON]
        words += ["--tag-callback", _LOAD + _MESSAGE.format(it="tag")]
        done = subprocess.run(
            [sys.executable, "-m", "git_filter_repo", *words],
            cwd=clone.folder,
            env={**clone.environ, _FACTS: str(folder / "facts.json")},
            capture_output=True,
            check=False,
        )
    if done.returncode:
        raise GitError(f"git-filter-repo failed: {_reason(done.stderr.decode(errors='replace'))}")
    lines = (clone.folder / "filter-repo" / "commit-map").read_text().splitlines()[1:]
    return {old: new for old, new in (line.split() for line in lines) if new.strip("0")}


def _reason(told: str) -> str:
    """Return the line of what git-filter-repo printed that says why it failed: git's, else the last of a traceback."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "no reason")


def _identity(repository: Repository, environ: Mapping[str, str]) -> dict[str, str]:
    """Return who makes the commits of the clone: whoever would in the original, whose settings it does not have."""
    git = GitProcess(repository.root, environ)
    said = [git.attempt("config", f"user.{key}").stdout.decode(errors="replace").strip() for key in ("name", "email")]
    name, email = said[0] or "memstore", said[1] or "memstore@localhost"
    who = {"NAME": name, "EMAIL": email}
    return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}


def _notes_again(clone: GitProcess, new: Mapping[str, str], found: _Found, identity: Mapping[str, str]) -> int:
    """Attach notes to the new commits, except those with words of the memories; return how many there are."""
    count = 0
    for ref in clone.run("for-each-ref", "--format=%(refname)", "refs/notes/").decode().splitlines():
        listed = [line.split() for line in clone.run("notes", "--ref", ref, "list").decode().splitlines()]
        clone.run("update-ref", "-d", ref)
        for blob, about in listed:
            text = clone.run("cat-file", "blob", blob)
            if not found.is_told_by(text, found.retold.words_in(text, in_all_forms=True)):
                clone.run("notes", "--ref", ref, "add", "-f", "-C", blob, new.get(about, about), env=identity)
                count += 1
    return count


def _with_work_tree(clone: GitProcess, folder: Path) -> None:
    """Make the mirror an ordinary repository with its files checked out, and no remote."""
    clone.attempt("remote", "remove", "origin")
    clone.run("config", "core.bare", "false")
    GitProcess(folder, clone.environ).run("reset", "--quiet", "--hard")


def _renamed(
    tree: GitProcess, folder: Path, new: Mapping[str, str], found: _Found, identity: Mapping[str, str]
) -> tuple[str, ...]:
    """Have the files of each branch name commits, and blobs that lost lines, by their new ids; commit that."""
    ids = {old.encode(): now.encode() for old, now in new.items()}
    blobs = {}
    for old, data in found.changed.items():
        now = tree.run("hash-object", "--stdin", data=data).strip()
        blobs[b"@" + old.encode()[:_BLOB_PREFIX]] = b"@" + now[:_BLOB_PREFIX]
    here = tree.attempt("symbolic-ref", "-q", "--short", "HEAD").stdout.decode(errors="surrogateescape").strip()
    start = here or tree.run("rev-parse", "HEAD").decode().strip()
    branches = tree.run("for-each-ref", "--format=%(refname:short)", "refs/heads").decode(errors="surrogateescape")
    changed = set[str]()
    for branch in dict.fromkeys([start, *branches.splitlines()]):
        if branch != start:
            tree.run("checkout", "--quiet", branch, "--")
        changed |= _renamed_here(tree, folder, ids, blobs, identity)
    tree.run("checkout", "--quiet", start, "--")
    return tuple(sorted(changed))


def _renamed_here(
    tree: GitProcess,
    folder: Path,
    ids: Mapping[bytes, bytes],
    blobs: Mapping[bytes, bytes],
    identity: Mapping[str, str],
) -> set[str]:
    """Write the new ids into the files that are checked out, commit that, and return the paths of these files."""
    changed = set[str]()
    for name in tree.run("ls-files", "-z").split(b"\0"):
        path = folder / os.fsdecode(name)
        if not name.endswith(b".md") or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        after = _COMMIT.sub(lambda at: ids.get(at[0], at[0]), data)
        for mark, anew in blobs.items():
            after = after.replace(mark, anew)
        if after != data:
            path.write_bytes(after)
            changed.add(os.fsdecode(name))
    if changed:
        tree.run("add", "--update")
        tree.run("commit", "--quiet", "--no-verify", "-m", "purge: name commits by their new ids", env=identity)
    return changed


def _swept(clone: GitProcess, folder: Path) -> None:
    """Delete what git and filter-repo keep of the history that was."""
    shutil.rmtree(folder / "filter-repo", ignore_errors=True)
    for name in ("ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG"):
        (folder / name).unlink(missing_ok=True)
    clone.run("reflog", "expire", "--expire=now", "--all")
    clone.run("gc", "--quiet", "--prune=now")


# -- proof -------------------------------------------------------------------------------------------


def _proof(clone: GitProcess, folder: Path, found: _Found, texts: Mapping[str, bytes]) -> tuple[int, tuple[str, ...]]:
    """Search every object, ref, log and file of the clone; return how many objects there are, and where words are."""
    paths, named, called, count = _paths(clone), set[str](), set[str](), 0
    refs, short = _refs(clone), _ShortNames()
    still = [f"the ref {ref} has its title" for ref in refs if found.retold.named_in(ref)]
    for stored in _objects(clone):
        one = stored._replace(data=texts.get(stored.id, stored.data))
        count += 1
        if one.kind == "blob":
            named |= {*filter(found.retold.named_in, paths.get(one.id, ()))}
            called |= {*filter(found.retold.is_called, paths.get(one.id, ()))}
        words = [] if one.kind == "tree" else found.retold.words_in(one.data, in_all_forms=one.kind != "blob")
        if what := _what_is_left(one, words, found):
            where = ", ".join(sorted(paths.get(one.id, ()))) or one.kind
            still.append(what.format(id=one.id[:_BLOB_PREFIX], kind=one.kind, where=where))
        else:
            short.look(one, paths.get(one.id, ()), words, found.retold)
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        is_read = inside.parts[:2] == (".git", "objects") or inside.as_posix() in _REFS  # as objects, as refs
        if path.is_file() and not path.is_symlink() and not is_read and found.is_told_in(path.read_bytes()):
            still.append(f"the file {inside} has words of it")
    still += (f"the ref {ref} is called by its short title" for ref in refs if found.retold.is_called(ref))
    still += (f"the path {path} is called by its short title" for path in sorted(called - named))
    still += short.left()
    return count, (*still, *(f"the path {path} has its title" for path in sorted(named)))


@dataclass
class _ShortNames:
    """Titles and aliases of one or two words, each as its words, in what is left: they may be those of other things."""

    _in_files: set[tuple[str, ...]] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    _in_messages: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)

    def look(self, one: _Object, paths: Collection[str], words: list[str], retold: Retold) -> None:
        """Remember which of them a file or a message has; above the message, a commit names only people and objects."""
        names = retold.short_names_in(words)
        if names and one.kind == "blob":
            self._in_files |= names
            self._files.update(paths)
        elif names := names and retold.short_names_in(retold.words_in(_message_of(one), in_all_forms=True)):
            self._in_messages[f"{one.kind} {one.id[:_BLOB_PREFIX]}"] = names

    def left(self) -> Iterator[str]:
        """Yield which messages have one that no file has, and how many files and other messages have one."""
        telling = sorted(what for what, names in self._in_messages.items() if names - self._in_files)
        yield from (f"{what} has its short title" for what in telling[:_MOST_LISTED])
        if len(telling) > _MOST_LISTED:
            yield f"{len(telling) - _MOST_LISTED} more commits and tags have its short title"
        if others := len(self._in_messages) - len(telling):
            what = "commit or tag has" if others == 1 else "commits and tags have"
            yield f"{others} {what} its short title, as other files do: git log -i --grep=TITLE shows what is meant"
        if count := len(self._files):
            what = f"1 file has ({min(self._files)})" if count == 1 else f"{count} files have"
            yield f"{what} its short title, or that of something else: git log --all -i -G TITLE shows what is meant"


def _message_of(one: _Object) -> bytes:
    return one.data.partition(b"\n\n")[2]


def _refs(clone: GitProcess) -> list[str]:
    return clone.run("for-each-ref", "--format=%(refname)").decode(errors="replace").splitlines()


def _what_is_left(one: _Object, words: list[str], found: _Found) -> str | None:
    """Say what an object has that it should not have; None if nothing."""
    if one.id in found.removed:
        return "object {id}, which should be gone"
    if one.kind == "tree":
        names = any(name in one.data for name in map(bytes.fromhex, found.removed))
        return "tree {id} names an object that should be gone" if names else None
    if found.is_told_by(one.data, words):
        return "{kind} {id} ({where}) has words of it"
    if one.kind != "blob" and any(
        memory_id.encode() in one.data and re.search(pattern.encode(), _message_of(one))
        for pattern, _, memory_id in found.short_in_messages
    ):
        return "{kind} {id} has its title"
    return None
