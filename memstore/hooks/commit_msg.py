"""The commit-msg hook: adds trailers to the message that name the commit's memories and the evidence that was added."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import Exit, MemstoreError
from memstore.core.places import is_audit_path
from memstore.history.commit_messages import MOST_NAMED, trailers, with_trailers
from memstore.hooks.repository import repository_of, vaults_in_commit
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.history.git_history import GitHistory

# Below this line git shows the diff to the writer and removes it again (git commit --verbose). It begins with what
# marks a comment: `#`, or what the writer chose (core.commentChar).
_SCISSORS = re.compile(r"\n(\S+) -{24} >8 -{24}\n")
_COMMENT = "#"


def main(environ: Mapping[str, str], folder: Path, arguments: Sequence[str]) -> int:
    """Add the trailers to the message in the file that git names; a failure leaves it alone and stops no commit."""
    file = folder / arguments[0]
    try:
        _stop_outside_git(file)
        whole = repository_of(environ, folder)
        if not whole.is_merging():
            lines = _trailers(list(vaults_in_commit(whole, environ, folder)))
            text = file.read_bytes().decode(errors="surrogateescape")
            after = added(text, lines)
            if after != text:
                file.write_bytes(after.encode(errors="surrogateescape"))
    except (MemstoreError, OSError) as error:
        say(f"memstore: the message names no memories: {error}")
    return Exit.DONE


def _stop_outside_git(file: Path) -> None:
    """Reject a file that is not in a folder where git keeps messages: only git calls this hook."""
    if ".git" not in file.resolve().parts and not any((folder / "HEAD").is_file() for folder in file.resolve().parents):
        raise FileNotFoundError(errno.ENOENT, "this is not a commit message from git")


def added(text: str, trailers: Sequence[str]) -> str:
    """Return the text of a message file with trailers before git's comments; an empty message stays empty."""
    scissors = _SCISSORS.search(text)
    comment = scissors[1] if scissors else _COMMENT
    end_of_message = scissors.start() if scissors else len(text)
    message = text[:end_of_message].split("\n")
    end = len(message)
    while end and (not message[end - 1].strip() or message[end - 1].startswith(comment)):
        end -= 1
    said = message[:end]
    if not trailers or not any(line.strip() and not line.startswith(comment) for line in said):
        return text
    rest = "\n".join(message[end:])
    return with_trailers("\n".join(said), trailers) + rest.lstrip("\n") + text[end_of_message:]


def _trailers(histories: Sequence[GitHistory]) -> list[str]:
    from memstore.access.audit import AUDIT_HEAD

    if sum(len(history.staged()) for history in histories) > 2 * MOST_NAMED:  # a move is two files
        return []
    named = [line for history in histories for line in _named(history)]
    return named + [f"{AUDIT_HEAD}: {digest}" for history in histories for digest in _audit_heads(history)]


def _named(history: GitHistory) -> list[str]:
    """Return the trailers that name what is staged in one vault."""
    from memstore.vault.staged import staged

    changes = staged(history).changes.memories
    paths = (path for change in changes for path in (change.path_before, change.path_after) if path)
    return trailers(changes, hidden=history.hidden(paths))


def _audit_heads(history: GitHistory) -> tuple[str, ...]:
    """Return the ends of the audit chain among the staged events."""
    from memstore.access.audit import heads
    from memstore.access.audit_events import read

    prefix = history.require().prefix
    paths = {path.removeprefix(prefix) for path in history.staged_paths()}
    if not any(map(is_audit_path, paths)):
        return ()
    wanted = {path: blob for path, blob in history.index_files().items() if path in paths and is_audit_path(path)}
    data = history.blobs(wanted.values())
    return heads(event for path, blob in wanted.items() if (event := read(path, data[blob])))


if __name__ == "__main__":
    sys.exit(main(os.environ, Path.cwd(), sys.argv[1:]))
