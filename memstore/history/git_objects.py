"""What git prints and stores, as values: raw differences, commit objects, batches of objects."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.codec.git_object import GitObject
from memstore.errors import GitError
from memstore.ports.history import Commit, FileChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REGULAR_FILES = frozenset({"100644", "100755"})

_IDENT = re.compile(rb"(?s)(?P<name>.*?) ?<(?P<mail>[^>]*)> (?P<at>-?\d+) [-+]\d{4}")
# git's own clock is a signed 64-bit number; a commit made by hand may hold one that no calendar has.
_LATEST = 253402300799


def raw_changes(fields: list[bytes], prefix: str) -> Iterator[FileChange]:
    """Yield the changes that `--raw -z --no-renames` printed, of regular files below `prefix`.

    Args:
        fields: git's output, split at NUL.
        prefix: the vault's folder in the repository.
    """
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


def listed_blobs(printed: bytes, prefix: str, is_meant: Callable[[str], bool]) -> Iterator[str]:
    """Yield the objects that `rev-list --objects` printed with a path, below `prefix`, that is meant."""
    start = os.fsencode(prefix)
    for line in printed.split(b"\n"):
        object_id, _, path = line.partition(b" ")
        if path.startswith(start) and is_meant(os.fsdecode(path[len(start) :])):
            yield object_id.decode()


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


def commit(commit_id: str, data: bytes) -> Commit:
    """Return the commit that an object's bytes spell."""
    head, _, message = data.partition(b"\n\n")
    lines = head.split(b"\n")
    found = {word: rest for word, _, rest in (line.partition(b" ") for line in reversed(lines))}
    author, committer = _IDENT.match(found.get(b"author", b"")), _IDENT.match(found.get(b"committer", b""))
    if author is None or committer is None:
        raise GitError(f"commit {commit_id} names no author or committer", hint="git fsck")
    encoding = found.get(b"encoding", b"utf-8").decode("ascii", "replace")
    return Commit(
        id=commit_id,
        parents=tuple(line[7:].decode() for line in lines if line.startswith(b"parent ")),
        author=_text(author["name"], encoding),
        email=_text(author["mail"], encoding),
        at=datetime.fromtimestamp(max(0, min(int(committer["at"]), _LATEST)), UTC),
        message=_text(message, encoding),
    )


def _text(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")
