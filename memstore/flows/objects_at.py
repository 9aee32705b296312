"""What commits hold at some paths, every object on the way checked against its name: nothing in `.git` is believed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memstore.codec import git_object
from memstore.codec.git_blob import format_of
from memstore.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.codec.git_object import GitObject
    from memstore.core.view import View


def true_objects(view: View, ids: Iterable[str]) -> Mapping[str, GitObject]:
    """Return the objects that are there.

    Raises:
        GitError: git can't read one of them, or it is not what its id says.
    """
    found = view.history.objects(dict.fromkeys(ids))
    for object_id, one in found.items():
        if not git_object.is_named(object_id, one):
            raise GitError(f"the object {object_id} is not what its name says", hint="git fsck, and restore a backup")
    return found


def bytes_at(
    view: View, commits: Mapping[str, GitObject], paths: Sequence[str]
) -> Mapping[tuple[str, str], bytes | None]:
    """Return what commits have at paths, by commit and path; None where they have nothing there.

    Args:
        view: the vault.
        commits: true commits, by id.
        paths: relative to the vault, all in one folder.

    Raises:
        GitError: an object is missing, or not what its name says.
    """
    whole = {path: os.fsencode(view.history.require().prefix + path).split(b"/") for path in paths}
    at = {(commit, path): git_object.tree_of(data) for commit, data in commits.items() for path in paths}
    for depth in range(max(map(len, whole.values()))):
        trees = _there(view, at.values())
        for (commit, path), tree in at.items():
            if tree is not None:
                part = whole[path][depth]
                at[commit, path] = git_object.entry_of(trees[tree], part, object_format=format_of(commit))
    blobs = _there(view, at.values())
    return {place: None if blob is None else blobs[blob].data for place, blob in at.items()}


def _there(view: View, ids: Iterable[str | None]) -> Mapping[str, GitObject]:
    asked = {object_id for object_id in ids if object_id is not None}
    found = true_objects(view, asked)
    for object_id in asked - set(found):
        raise GitError(f"the object {object_id} is not in this clone", hint="git fetch --unshallow, or git fsck")
    return found
