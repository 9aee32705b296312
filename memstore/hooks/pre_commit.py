"""The pre-commit hook: checks the staged memories of every vault in the repository, and writes nothing.

It also serves as pre-merge-commit and prepare-commit-msg. It loads neither click nor Whoosh nor GitPython, because it
runs at every commit.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import Exit, MemstoreError
from memstore.hooks.repository import repository_of, vaults_in_commit
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.core.finding import Finding
    from memstore.history.git_history import GitHistory


# How many findings of one code are shown: a folder that is committed for the first time may have thousands.
_MOST_SHOWN = 10
# Git's files and folders while it takes in commits one by one; for these it runs no hook but prepare-commit-msg.
_PICKING = ("CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply")
# For a revert it keeps none, but writes this.
_REVERT = b"\nThis reverts commit "


def main(environ: Mapping[str, str], folder: Path, hook: str = "pre-commit", message: str = "") -> int:
    """Check what is staged, and return the exit code: 1 if there are errors.

    Args:
        environ: the process's environment, in which git names repository and index.
        folder: where git started the hook.
        hook: its name; prepare-commit-msg, which git runs for every commit, only checks when no other hook runs.
        message: the file with the message, for prepare-commit-msg.
    """
    if hook == "prepare-commit-msg" and not _takes_in(folder / environ.get("GIT_DIR", ".git"), folder / message):
        return Exit.DONE
    try:
        found = [(finding, prefix) for prefix, finding in _findings(environ, folder)]
    except MemstoreError as error:
        say(f"memstore: {error}", f"hint: {error.hint}" if error.hint else None)
        return Exit.FOUND_ERRORS
    shown = [one for one in found if one[0] is not None]
    of_code: Counter[str] = Counter()
    for finding, prefix in shown:
        if finding:
            of_code[finding.code] += 1
            say(*lines_of(finding, prefix) if of_code[finding.code] <= _MOST_SHOWN else ())
    for code, count in of_code.items():
        if count > _MOST_SHOWN:
            say(f"and {count - _MOST_SHOWN} more like these [{code}]")
    errors = sum(finding is None or finding.is_error for finding, _ in found)
    if errors:
        say(f"memstore: {errors} error{'s' if errors > 1 else ''} in the staged memories; nothing was committed.")
        if any(count > _MOST_SHOWN for count in of_code.values()):
            say("hint: memstore check --staged lists all of them")
    if len(shown) < len(found):
        say("hint: what is wrong in files that are not yours is for the vault's owner: memstore check --staged")
    return Exit.FOUND_ERRORS if errors else Exit.DONE


def _takes_in(git_folder: Path, message: Path) -> bool:
    """Return whether git is taking in another commit, by a cherry-pick, a revert or a step of a rebase."""
    if any((git_folder / name).exists() for name in _PICKING):
        return True
    return message.is_file() and _REVERT in message.read_bytes()


def lines_of(finding: Finding, prefix: str) -> Iterator[str]:
    """Yield the lines that report a finding; `prefix` is the vault's folder in the repository."""
    yield f"{prefix}{finding.line}"
    if finding.hint:
        yield f"  hint: {finding.hint}"
    if finding.mended is not None:
        yield f"  should read: {finding.mended}"


def _findings(environ: Mapping[str, str], folder: Path) -> Iterator[tuple[str, Finding | None]]:
    """Yield the findings; None for an error in a file that is not owned by the entity that the environment names.

    Git tells a hook nobody's name; if none is given, findings are reported as to the vault's owner. Whoever commits to
    a vault of a group is told of all files, but who is no member hears of no other memory by name.
    """
    from memstore.access.world import Session
    from memstore.core.clock import SystemClock
    from memstore.core.ids import is_group
    from memstore.vault.staged import check_staged

    actor = environ.get("MEMSTORE_ENTITY")
    for history in vaults_in_commit(repository_of(environ, folder), environ, folder):
        prefix = history.require().prefix
        if _is_locked(history):
            say(f"memstore: {prefix or 'this vault'} is not unlocked here, so nothing of it was checked")
            continue
        now = SystemClock().now()
        owner = _owner(history)
        other = actor if actor and actor != owner else None
        mine = _owned_by(history, other) if other and not is_group(owner) else None
        session = Session(viewer=other, at=now, alone=True) if other else None
        for finding in check_staged(history, owner=partial(_owner, history), now=now, session=session):
            if mine is None or finding.path in mine:
                yield prefix, finding
            elif finding.is_error:
                yield prefix, None


def _is_locked(history: GitHistory) -> bool:
    """Return whether a vault's settings are encrypted here, or a pointer, so that nothing of it can be judged."""
    from memstore.core.config import CONFIG_PATH
    from memstore.files.local_state import regular_bytes
    from memstore.files.memory_file import is_stored_form

    try:
        return is_stored_form(regular_bytes(history.require().root / history.require().prefix / CONFIG_PATH))
    except OSError:
        return False


def _owned_by(history: GitHistory, actor: str) -> set[str]:
    """Return the staged memories that name an entity as their owner."""
    from memstore.files.memory_file import MemoryFile
    from memstore.vault.staged import staged

    files = staged(history).files.items()
    return {path for path, file in files if isinstance(file, MemoryFile) and file.memory.owner == actor}


def _owner(history: GitHistory) -> str:
    from memstore.files.config_file import read_vault_config
    from memstore.files.local_state import Environment

    root = history.require().root / history.require().prefix
    return read_vault_config(root, default_owner=Environment.of_process().login_entity).owner


if __name__ == "__main__":
    sys.exit(main(os.environ, Path.cwd(), *sys.argv[1:3]))
