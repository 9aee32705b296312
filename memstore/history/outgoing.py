"""What a push would send: commits with their files, messages and tags, as git's plumbing lists them.

Only commits that the remote itself names as its own are taken as known there. Remote-tracking refs are not asked: they
stay when a remote's URL is changed, and come with a clone of somebody else's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.digests import empty_tree, format_of
from memstore.core.errors import GitError
from memstore.history import git_objects

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from memstore.history.git_objects import GitObject
    from memstore.history.git_process import GitProcess

# What `diff-tree --stdin --raw -z` prints: the names of the trees, or a change and its path.
_PRINTED = re.compile(
    r"[0-9a-f]{40,64} [0-9a-f]{40,64}\n"
    r"|:([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z]\0([^\0]+)\0"
)
# Branches that anybody may rewind: what is on them is proposed, and judged again where it goes to another ref.
PROPOSALS = "refs/heads/propose/"
_FOLDER = "040000"
_WITH_COMMITS = ("commit", "tag")
_PERSON = re.compile(rb"^(?:author|committer|tagger) (.*?)(?: -?\d+ [+-]\d+)?$", re.MULTILINE)
# Lines of a commit that name objects and people; everything else in it is text that is sent.
_NO_TEXT = (b"tree ", b"parent ", b"author ", b"committer ", b"object ", b"type ", b"tagger ")
# The head of a commit with no other line, as most have.
_NO_TEXT_AT_ALL = re.compile(rb"tree [^\n]*\n(?:parent [^\n]*\n)*author [^\n]*\ncommitter [^\n]*")


class RefUpdate(NamedTuple):
    """A ref of the remote, and the object it points to before and after; None if there is none."""

    ref: str
    old: str | None
    new: str | None


class TreeChange(NamedTuple):
    """A path whose entry changed; `mode` is empty and `new` None if it is gone, `old` is None if there was no file."""

    path: str
    mode: str
    new: str | None
    old: str | None


class SentCommit(NamedTuple):
    """A commit: what its tree has that no parent has, and what differs from its first parent, and from each other."""

    id: str
    parents: tuple[str, ...]
    changes: Sequence[TreeChange]
    since_first: Sequence[TreeChange]
    since_others: Sequence[Sequence[TreeChange]] = ()


class Outgoing(NamedTuple):
    """What would be sent: commits, oldest first; texts of commits and tags, with what they are; refs to other objects.

    `people` are those whom commits and tags name, each with the first of these. `known` are commits that are there.
    """

    commits: Sequence[SentCommit]
    texts: Sequence[tuple[str, str]]
    others: Sequence[RefUpdate]
    people: Mapping[str, str]
    known: Sequence[str] = ()


def outgoing(git: GitProcess, updates: Iterable[RefUpdate], taken: Sequence[str] = ()) -> Outgoing:
    """Return what a push of these refs would send, or at most send.

    Args:
        git: the repository.
        updates: how refs are moved there.
        taken: commits of other refs there, as far as they are known.

    Raises:
        GitError: an object is missing, so that nobody can say what would be sent.
    """
    sent = [update for update in updates if update.new]
    known = objects(git, (name for update in sent for name in (update.new, update.old) if name))
    people: dict[str, str] = {}
    tips, texts, others = _peeled(git, sent, known, people)
    moved = [update for update in sent if not update.ref.startswith(PROPOSALS)] or sent
    ends = [name for name in (update.old for update in moved) if name in known and known[name].kind in _WITH_COMMITS]
    known_there = (*(name for name in ends if known[name].kind == "commit"), *taken)
    asked = "".join([*(f"{tip}\n" for tip in tips), *(f"^{end}\n" for end in ends)])
    # A commit graph is a cache beside the commits: a forged one would hide some.
    words = ("-c", "core.commitGraph=false", "rev-list", "--topo-order", "--reverse", "--parents", "--stdin")
    listed = [line.split() for line in git.run(*words, data=asked.encode()).decode().splitlines()] if tips else []
    named = objects(git, (name for line in listed for name in line))
    for name, *_ in listed:
        found, where = _known(named, name), f"commit {name[:10]}"
        texts += [(where, text) for text in _texts_in(found)]
        _meet(people, found, where)
    return Outgoing(tuple(_commits(git, listed, named)), tuple(texts), tuple(others), people, known_there)


def _meet(people: dict[str, str], found: GitObject, where: str) -> None:
    """Add the people whom a commit or tag names."""
    for person in _PERSON.findall(found.data.partition(b"\n\n")[0]):
        people.setdefault(person.decode(errors="replace"), where)


def _peeled(
    git: GitProcess, sent: Iterable[RefUpdate], known: Mapping[str, GitObject], people: dict[str, str]
) -> tuple[list[str], list[tuple[str, str]], list[RefUpdate]]:
    """Return the commits that refs point to, the texts of the tags on the way, and refs to anything else.

    The people of these tags are added to `people`; a ref to anything else is given with that object.
    """
    tips: list[str] = []
    texts: list[tuple[str, str]] = []
    others: list[RefUpdate] = []
    for update in sent:
        name = update.new or ""
        found = _known(known, name)
        while found.kind == "tag":
            texts += [(f"tag {update.ref}", text) for text in _texts_in(found)]
            _meet(people, found, f"tag {update.ref}")
            name = found.data.partition(b"\n")[0].removeprefix(b"object ").decode("ascii", "replace")
            found = _known(objects(git, [name]), name)
        if found.kind == "commit":
            tips.append(name)
        else:
            others.append(update._replace(new=name))
    return tips, texts, others


def objects(git: GitProcess, names: Iterable[str]) -> dict[str, GitObject]:
    """Return objects by their names; those that are missing are left out, and nothing is fetched."""
    return dict(each_object(git, names))


def each_object(git: GitProcess, names: Iterable[str]) -> Generator[tuple[str, GitObject], None, None]:
    """Yield the same, one object at a time."""
    lines = "".join(f"{name}\n" for name in dict.fromkeys(names))
    if lines:
        with git.printing("cat-file", "--batch", "--buffer", data=lines.encode()) as pipe:
            yield from git_objects.printed_objects(pipe)


def _known(found: Mapping[str, GitObject], name: str) -> GitObject:
    if name not in found:
        raise GitError(f"the object {name[:10]} is missing here, so what would be sent is unknown", hint="git fsck")
    return found[name]


def _texts_in(found: GitObject) -> Iterator[str]:
    """Yield the text of a commit or a tag: everything but names of objects and people, in each encoding it may have."""
    head, gap, message = found.data.partition(b"\n\n")
    if _NO_TEXT_AT_ALL.fullmatch(head):
        yield (gap + message).decode(errors="replace")
        return
    lines = [line for line in head.split(b"\n") if not line.startswith(_NO_TEXT)]
    data = b"\n".join(lines) + gap + message
    said = next((line[9:] for line in lines if line.startswith(b"encoding ")), b"")
    yield data.decode(errors="replace")
    if said:
        try:
            yield data.decode(said.decode("ascii", "replace"), "replace")
        except LookupError:
            return


def _commits(git: GitProcess, listed: list[list[str]], named: Mapping[str, GitObject]) -> Iterator[SentCommit]:
    empty = empty_tree(format_of(listed[0][0])) if listed else ""
    trees = {name: git_objects.tree_of(found) or empty for name, found in named.items()}
    pairs = [(trees.get(parent), trees[name]) for name, *parents in listed for parent in parents or [""]]
    asked = "".join(f"{old or empty} {new}\n" for old, new in pairs)
    words = ("diff-tree", "--stdin", "-r", "-t", "--raw", "--no-abbrev", "--no-renames", "-z")
    printed = git.run(*words, data=asked.encode()) if pairs else b""
    found = _tree_changes(printed.decode(errors="surrogateescape"), empty)
    for name, *parents in listed:
        first, *rest = [next(found) for _ in parents or [""]]
        new = [one for one in first if one.new is not None]
        for other in rest:
            theirs = {(one.path, one.mode, one.new) for one in other}
            new = [one for one in new if (one.path, one.mode, one.new) in theirs]
        yield SentCommit(name, tuple(parents), new, first, rest)


def _tree_changes(printed: str, empty: str) -> Iterator[list[TreeChange]]:
    """Yield the changes between each pair of trees, for which git prints a line with their names first.

    Of folders, only those without files are changes: the name of any other is in the paths of its files.
    """
    changes: list[TreeChange] | None = None
    end = 0
    for found in _PRINTED.finditer(printed):
        if found.start() != end:
            break
        end = found.end()
        old_mode, mode, old, new, path = found.groups()
        if path is None:
            if changes is not None:
                yield changes
            changes = []
        elif changes is not None and (_FOLDER not in (old_mode, mode) or new == empty):
            before = old if old_mode in git_objects.REGULAR_FILES else None
            is_gone = mode == "000000"
            changes.append(TreeChange(path, "", None, before) if is_gone else TreeChange(path, mode, new, before))
    if end != len(printed):
        raise GitError("git diff-tree printed something unknown, so what would be sent is unknown", hint="git fsck")
    if changes is not None:
        yield changes


def taken_here(git: GitProcess) -> list[str]:
    """Return the commits of the repository's branches and tags, as they are before the push, but not of proposals."""
    words = ("for-each-ref", "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)")
    listed = [line.split() for line in git.run(*words, "refs/heads", "refs/tags").decode().splitlines()]
    return [words[-2] for words in listed if words[-3] == "commit" and not words[-1].startswith(PROPOSALS)]


def push_urls(git: GitProcess, name: str) -> tuple[str, ...]:
    """Return where git pushes to for a remote's name; nothing if there is no such remote."""
    if name.startswith("-"):  # an option, to git
        return ()
    done = git.attempt("remote", "get-url", "--push", "--all", name)
    return tuple(done.stdout.decode(errors="surrogateescape").splitlines()) if done.returncode == 0 else ()


def tree_of_commit(git: GitProcess, commit: str) -> dict[str, str]:
    """Return the blob of each regular file of a commit, by path from the repository's top."""
    return dict(git_objects.tree_files(git.run("ls-tree", "-r", "-z", "--full-tree", commit)))


def tree_with(git: GitProcess, name: str) -> dict[str, str]:
    """Return the files of the current commit, or else of the latest branch, with a file of this name in any folder.

    Empty if there is none.
    """
    words = ("for-each-ref", "--sort=-committerdate", "--format=%(objectname)", "refs/heads")
    heads = git.run(*words).decode().split()
    head = git.attempt("rev-parse", "-q", "--verify", "HEAD^{commit}").stdout.decode().split()
    for commit in dict.fromkeys([*head, *heads]):
        files = tree_of_commit(git, commit)
        if any(f"/{path}".endswith(f"/{name}") for path in files):
            return files
    return {}
