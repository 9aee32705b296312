"""The merge driver: git calls it if both sides of a merge, rebase, cherry-pick, revert or stash changed a file.

On any failure, it reports a conflict to git. It loads neither click nor Whoosh nor GitPython, and opens no vault.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import MemstoreError, SealedError
from memstore.core.places import TEMPORARY_PREFIX, is_sealed_path
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.history.filters import GitFilters
    from memstore.memories.merge_values import Three
    from memstore.memories.merging import Merged

# How git reads the exit code: merged, or a conflict.
MERGED, CONFLICT = 0, 1
MARKER_SIZE = "7"
_MOST_CONFLICTS = 127  # the most that `git merge-file` reports by its exit code; more is a failure
_LABELS = ("-L", "ours", "-L", "base", "-L", "theirs")


def main(folder: Path, arguments: Sequence[str]) -> int:
    """Merge three versions of a file into ours, and return 0, or 1 if git must report a conflict.

    Args:
        folder: where git started the driver, the top of the work tree.
        arguments: the files with base, ours and theirs; the path in the repository; the length of conflict markers.
    """
    base, ours, theirs, path, *rest = arguments
    size = rest[0] if rest else MARKER_SIZE
    places = [folder / name for name in (base, ours, theirs)]
    try:
        return _merge(folder, path, places, size)
    except Exception as error:  # noqa: BLE001 - otherwise git takes the file as merged
        if is_sealed_path(path):
            say(f"memstore: {path!a} could not be merged: {error!a}")
            return CONFLICT
        say(f"memstore: {path!a} is left to git merge-file: {error!a}")
        with suppress(OSError):
            subprocess.run(
                ["git", "merge-file", "-q", f"--marker-size={size}", *_LABELS, ours, base, theirs],
                cwd=folder,
                check=False,
            )
        return CONFLICT


def _merge(folder: Path, path: str, places: Sequence[Path], size: str) -> int:
    from memstore.hooks.repository import is_mixed
    from memstore.memories.merge_values import Three
    from memstore.memories.merging import merged

    vault = next((up for up in (folder / path).parents if (up / ".memstore").is_dir()), folder)
    inside = os.path.relpath(folder / path, vault).replace(os.sep, "/")
    if is_sealed_path(inside):
        return _merge_sealed(vault, inside, places, lambda texts: _by_lines(texts, size))
    if filters := _filters(folder, path):
        return _merge_filtered(filters, vault, path, inside, places, size)
    files = Three(*(place.read_bytes() for place in places))
    done = merged(inside, files, lambda texts: _by_lines(texts, size), mixed=is_mixed(vault))
    if done.data != files.ours:
        _write(places[1], done.data)
    if done.said:
        say(f"memstore: {path!a}: {done.said}")
    return CONFLICT if done.has_conflicts else MERGED


def _write(place: Path, data: bytes) -> None:
    """Write the merged version; what is beside it until then is ignored by git, and deleted if this is killed."""
    from memstore.files.local_state import write_whole

    write_whole(place, data, prefix=TEMPORARY_PREFIX)


def _filters(folder: Path, path: str) -> GitFilters | None:
    """Return the filters of the repository if one of them changes this file, so that git's versions are no text."""
    from memstore.history.filters import filters_around
    from memstore.hooks.repository import approved_filters

    filters = filters_around(folder, os.environ, approved_filters)
    found = filters.treatments([path]).get(path) if filters else None
    return filters if found and found.filter else None


def _merge_filtered(filters: GitFilters, vault: Path, path: str, inside: str, places: Sequence[Path], size: str) -> int:
    """Merge the texts of three versions that a filter changed, and give git what it stores of the result."""
    from memstore.hooks.repository import is_mixed
    from memstore.memories.merge_values import Three
    from memstore.memories.merging import merged

    try:
        filters.refuse_missing(path)
        stored = Three(*(place.read_bytes() for place in places))
        texts = stored.map(lambda data: filters.text_of(path, data) if data else b"")
        done = merged(inside, texts, lambda three: _by_lines(three, size), mixed=is_mixed(vault))
        if done.data != texts.ours:
            _write(places[1], filters.stored_bytes(path, done.data))
    except (MemstoreError, OSError) as error:
        hint = getattr(error, "hint", None)
        say(f"memstore: {path!a} could not be merged: {error}", f"  hint: {hint}" if hint else None)
        return CONFLICT
    if done.said:
        say(f"memstore: {path!a}: {done.said}")
    return CONFLICT if done.has_conflicts else MERGED


def _merge_sealed(vault: Path, path: str, places: Sequence[Path], by_lines: Callable[[Three[bytes]], Merged]) -> int:
    """Merge three sealed versions: opened, merged, and sealed for those whom both sides leave.

    On a conflict, ours stays as it is, and git keeps all three: plain text between markers would be no secret.
    """
    from memstore.hooks.repository import is_mixed, opener
    from memstore.memories.merge_values import Three
    from memstore.memories.merging import merged
    from memstore.trust.seal_keys import sealed_as_merged

    stored = Three(*(place.read_bytes() for place in places))
    try:
        keys = opener()
        texts = stored.map(lambda data: keys.opened(path, data) if data else b"")
        done = merged(path, texts, by_lines, mixed=is_mixed(vault))
        if done.has_conflicts:
            raise SealedError(f"{path} is sealed, and both sides changed the same of it")
        if done.data != texts.ours or stored.ours == stored.base:
            _write(places[1], sealed_as_merged(keys, vault, path, done.data, stored))
    except MemstoreError as error:
        say(f"memstore: {error}", f"  git keeps both: git checkout --ours or --theirs {path!a} takes one of them")
        return CONFLICT
    return MERGED


def _by_lines(texts: Three[bytes], size: str) -> Merged:
    """Merge texts as git does; `OSError` if it can't, as with bytes that are not text."""
    from memstore.memories.merging import Merged

    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts._asdict().items():
            Path(folder, name).write_bytes(text)
        names = [str(Path(folder, name)) for name in ("ours", "base", "theirs")]
        done = subprocess.run(
            ["git", "merge-file", "-p", "-q", f"--marker-size={size}", *_LABELS, *names],
            capture_output=True,
            check=False,
        )
    if not 0 <= done.returncode <= _MOST_CONFLICTS:
        raise OSError(done.returncode, f"git merge-file: {done.stderr.decode(errors='replace').strip()}")
    return Merged(done.stdout, has_conflicts=done.returncode > 0)


if __name__ == "__main__":
    sys.exit(main(Path.cwd(), sys.argv[1:]))
