"""Git's output and objects as values: raw differences, commit objects, batches of objects.

An object's name is the hash of its kind, size and bytes. Names are checked, never trusted.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import IO, TYPE_CHECKING, NamedTuple

from memstore.core.digests import format_of
from memstore.core.errors import GitError
from memstore.core.times import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.history.history import Commit, FileChange

_CHUNK_BYTES = 262_144
REGULAR_FILES = frozenset({"100644", "100755"})

_SECONDS = re.compile(rb"[^>]*> *(\d{1,20})(?!\d)")  # git, too, reads no times before 1970


def raw_changes(fields: list[bytes], prefix: str) -> Iterator[FileChange]:
    """Yield the changes that `--raw -z --no-renames` printed, of regular files below `prefix`.

    Args:
        fields: git's output, split at NUL.
        prefix: the vault's folder in the repository.
    """
    from memstore.history.history import FileChange  # the guard of pushes does without

    start = os.fsencode(prefix)
    for described, path in zip(fields[::2], fields[1::2], strict=False):
        if not path.startswith(start):
            continue
        old_mode, new_mode, old, new, _ = described.removeprefix(b":").decode().split(" ")
        change = FileChange(
            os.fsdecode(path[len(start) :]),
            old if old_mode in REGULAR_FILES else None,
            new if new_mode in REGULAR_FILES else None,
        )
        if change.old or change.new:
            yield change


def tree_files(listed: bytes) -> Iterator[tuple[str, str]]:
    """Yield path and blob of each regular file that `ls-tree -r -z` listed."""
    for line in listed.split(b"\0")[:-1]:
        described, _, path = line.partition(b"\t")
        mode, _, blob = described.decode().split(" ")
        if mode in REGULAR_FILES:
            yield os.fsdecode(path), blob


def listed_blobs(printed: bytes, prefix: str, is_meant: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield path and id of what `rev-list --objects` printed with a path below `prefix` that `is_meant` is true of."""
    start = os.fsencode(prefix)
    for line in printed.split(b"\n"):
        object_id, _, path = line.partition(b" ")
        if path.startswith(start) and is_meant(name := os.fsdecode(path[len(start) :])):
            yield name, object_id.decode()


def grepped(printed: bytes) -> Iterator[tuple[str, str]]:
    """Yield path and line of each match that `grep -z` printed: path, NUL, line, line feed."""
    at = 0
    while at < len(printed):
        middle = printed.index(b"\0", at)
        end = printed.index(b"\n", middle)
        yield os.fsdecode(printed[at:middle]), printed[middle + 1 : end].decode(errors="replace")
        at = end + 1


def batch(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield id and bytes of each object that `cat-file --batch` printed; missing ones are left out."""
    for object_id, found in kinds_and_bytes(output):
        yield object_id, found.data


def kinds_and_bytes(output: bytes) -> Iterator[tuple[str, GitObject]]:
    """Yield id, kind and bytes of each object that `cat-file --batch` printed; missing ones are left out."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        words = output[at:end].decode().split(" ")
        at = end + 1
        if len(words) == 3:  # noqa: PLR2004 - id, type, size; otherwise the object is missing
            size = int(words[2])
            yield words[0], GitObject(words[1], output[at : at + size])
            at += size + 1


def printed_objects(pipe: IO[bytes]) -> Iterator[tuple[str, GitObject]]:
    """Yield the same of each object that `cat-file --batch` is printing, without having much of it in memory at once.

    Raises:
        GitError: git stopped in the middle of an object.
    """
    data, at = b"", 0
    while chunk := pipe.read(_CHUNK_BYTES):
        data, at = data[at:] + chunk, 0
        while (end := data.find(b"\n", at)) >= 0:
            words = data[at:end].decode().split()
            if len(words) != 3:  # noqa: PLR2004 - as above
                at = end + 1
                continue
            start, stop = end + 1, end + 1 + int(words[2])
            if stop >= len(data):  # the rest of it, and the line feed behind it
                data += pipe.read(stop + 1 - len(data))
                if stop >= len(data):
                    raise GitError(f"git stopped in the middle of the object {words[0][:10]}", hint="git fsck")
            yield words[0], GitObject(words[1], data[start:stop])
            at = stop + 1
    if at < len(data):
        raise GitError("git stopped in the middle of a line about an object", hint="git fsck")


def commit(commit_id: str, data: bytes) -> Commit:
    """Return the commit that an object's bytes describe."""
    from memstore.history.history import Commit  # as above

    head, _, message = data.partition(b"\n\n")
    lines = head.split(b"\n")
    found = {word: rest for word, _, rest in (line.partition(b" ") for line in reversed(lines))}
    author, mail, _ = _ident(found.get(b"author", b""))
    _, _, seconds = _ident(found.get(b"committer", b""))
    encoding = found.get(b"encoding", b"utf-8").decode("ascii", "replace")
    return Commit(
        id=commit_id,
        parents=tuple(line[7:].decode() for line in lines if line.startswith(b"parent ")),
        author=_text(author, encoding),
        email=_text(mail, encoding),
        at=moment(seconds),
        message=_text(message, encoding),
    )


def _ident(line: bytes) -> tuple[bytes, bytes, int]:
    """Return name, address and seconds since 1970; in a line made by hand, what is missing is empty, or 0."""
    name, _, rest = line.partition(b"<")
    mail, _, _ = rest.partition(b">")
    found = _SECONDS.match(rest)
    return name.rstrip(), mail, int(found[1]) if found else 0


def _text(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


# -- object names ----------------------------------------------------------------------------------


class GitObject(NamedTuple):
    """One object as a repository returned it: its kind (`commit`, `tree`, `blob`, `tag`) and its bytes."""

    kind: str
    data: bytes


def is_named(object_id: str, found: GitObject) -> bool:
    """Return whether an object's id is its hash, in the id's own format, `sha1` or `sha256`."""
    digest = hashlib.new(format_of(object_id), usedforsecurity=False)
    digest.update(b"%s %d\0" % (found.kind.encode(), len(found.data)))
    digest.update(found.data)
    return digest.hexdigest() == object_id


def tree_of(commit: GitObject) -> str | None:
    """Return the tree that a commit names; None if it names none."""
    first = commit.data.partition(b"\n")[0]
    return first[5:].decode("ascii", "replace") if commit.kind == "commit" and first.startswith(b"tree ") else None


def committed_at(commit: GitObject) -> int | None:
    """Return when a commit was made, in seconds since 1970; None if it does not say."""
    for line in commit.data.partition(b"\n\n")[0].split(b"\n"):
        if line.startswith(b"committer "):
            return _ident(line)[2] or None
    return None


def parents_of(commit: GitObject) -> tuple[str, ...]:
    """Return the parents that a commit names."""
    lines = commit.data.partition(b"\n\n")[0].split(b"\n")
    return tuple(line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent "))


def signed_part(commit: GitObject, *, object_format: str) -> tuple[bytes, str] | None:
    """Return the signed part of a commit and its armoured signature; None unless there is exactly one signature.

    The signature is in the header, with a blank before each continuation line; it covers the whole commit except
    signatures.
    """
    own = b"gpgsig" if object_format == "sha1" else b"gpgsig-sha256"
    head, gap, message = commit.data.partition(b"\n\n")
    kept: list[bytes] = []
    found: list[list[bytes]] = []
    for block in re.split(rb"\n(?! )", head):
        name, _, value = block.partition(b" ")
        if name == own:
            found.append(value.split(b"\n "))
        elif name not in (b"gpgsig", b"gpgsig-sha256"):
            kept.append(block)
    if commit.kind != "commit" or len(found) != 1:
        return None
    return b"\n".join(kept) + gap + message, b"\n".join(found[0]).decode("ascii", "replace")


def with_signature(commit: bytes, armoured: str, *, object_format: str) -> bytes:
    """Return a commit's bytes with an armoured signature, as git writes it."""
    head, gap, message = commit.partition(b"\n\n")
    name = "gpgsig" if object_format == "sha1" else "gpgsig-sha256"
    header = f"{name} " + armoured.rstrip("\n").replace("\n", "\n ")
    return head + b"\n" + header.encode("ascii") + gap + message


def entry_of(tree: GitObject, name: bytes, *, object_format: str) -> str | None:
    """Return the id of a tree's entry with this name; None if there is none."""
    return next((found for held, found in _entries(tree, object_format) if held == name), None)


def _entries(tree: GitObject, object_format: str) -> Iterator[tuple[bytes, str]]:
    """Yield name and id of each entry: `MODE NAME NUL` and the id's bytes; stops at the first broken entry."""
    size = hashlib.new(object_format, usedforsecurity=False).digest_size
    at = 0
    while tree.kind == "tree" and (end := tree.data.find(b"\0", at)) != -1 and end + size < len(tree.data) + 1:
        yield tree.data[at:end].partition(b" ")[2], tree.data[end + 1 : end + 1 + size].hex()
        at = end + 1 + size
