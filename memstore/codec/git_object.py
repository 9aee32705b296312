"""Git objects as they are named: by the hash of their kind, size and bytes. Names are checked, never believed."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec.git_blob import format_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class GitObject(NamedTuple):
    """One object as a repository gave it: its kind (`commit`, `tree`, `blob`, `tag`) and its bytes."""

    kind: str
    data: bytes


def is_named(object_id: str, found: GitObject) -> bool:
    """Whether an object's id is the hash of it, in the format that the id is of, `sha1` or `sha256`."""
    digest = hashlib.new(format_of(object_id), usedforsecurity=False)
    digest.update(b"%s %d\0" % (found.kind.encode(), len(found.data)))
    digest.update(found.data)
    return digest.hexdigest() == object_id


def tree_of(commit: GitObject) -> str | None:
    """Return the tree that a commit names; None where it names none."""
    first = commit.data.partition(b"\n")[0]
    return first[5:].decode("ascii", "replace") if commit.kind == "commit" and first.startswith(b"tree ") else None


def committed_at(commit: GitObject) -> int | None:
    """Return when a commit was made, in seconds since 1970; None where it does not say."""
    for line in commit.data.partition(b"\n\n")[0].split(b"\n"):
        words = line.rsplit(b" ", 2)
        if line.startswith(b"committer ") and len(words) > 1 and words[1].isdigit():
            return int(words[1])
    return None


def parents_of(commit: GitObject) -> tuple[str, ...]:
    """Return the commits that a commit names as its parents."""
    lines = commit.data.partition(b"\n\n")[0].split(b"\n")
    return tuple(line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent "))


def signed_part(commit: GitObject, *, object_format: str) -> tuple[bytes, str] | None:
    """Return what a commit's signature is over, and the signature in its armour; None where there is not just one.

    The signature stands in the header, each further line after a blank; it is over all of the commit but signatures.
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
    """Return a commit's bytes with a signature in its armour, as git writes it."""
    head, gap, message = commit.partition(b"\n\n")
    name = "gpgsig" if object_format == "sha1" else "gpgsig-sha256"
    header = f"{name} " + armoured.rstrip("\n").replace("\n", "\n ")
    return head + b"\n" + header.encode("ascii") + gap + message


def entry_of(tree: GitObject, name: bytes, *, object_format: str) -> str | None:
    """Return the id of what a tree holds under a name; None where it holds nothing of that name."""
    return next((found for held, found in _entries(tree, object_format) if held == name), None)


def _entries(tree: GitObject, object_format: str) -> Iterator[tuple[bytes, str]]:
    """Yield name and id of each entry: `MODE NAME NUL` and the id's bytes; what follows a broken one is left out."""
    size = hashlib.new(object_format, usedforsecurity=False).digest_size
    at = 0
    while tree.kind == "tree" and (end := tree.data.find(b"\0", at)) != -1 and end + size < len(tree.data) + 1:
        yield tree.data[at:end].partition(b" ")[2], tree.data[end + 1 : end + 1 + size].hex()
        at = end + 1 + size
