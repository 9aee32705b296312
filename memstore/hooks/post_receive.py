"""The post-receive hook: what was pushed to the protected branch is indexed in the database of the server's user.

The commit is checked and read in a work tree of its own among the caches, so that settings and registries are those of
the commit. The push is done by then: what fails is said, and the next push, or `memstore engine index`, makes it good.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.core.errors import Exit, MemstoreError
from memstore.files.config_file import read_user_config
from memstore.files.local_state import Environment, make_private
from memstore.files.write_lock import flocked
from memstore.history.filters import without_filters
from memstore.history.git_process import GitProcess
from memstore.history.outgoing import tree_of_commit
from memstore.hooks.push_guard import update_of
from memstore.hooks.pushed_tree import PATIENCE_SECONDS, PushedTree
from memstore.hooks.repository import told_to_hook
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_AGAIN = "the next push indexes it too; or on the server, in a clone of the vault: memstore engine index URL"
_BRANCHES = ("refs/heads/main", "refs/heads/master")


def main(environ: Mapping[str, str], folder: Path, lines: Iterable[str]) -> int:
    """Index what was pushed to the protected branch; nothing that goes wrong fails the push.

    Args:
        environ: the process's environment.
        folder: where git started the hook.
        lines: what git writes to the hook's standard input, a line for each ref.
    """
    try:
        git = GitProcess(folder, told_to_hook(environ, folder), in_hook=True)
        before = {one.ref: one.old for one in (update_of(line, is_server=True) for line in lines)}
        branch = _protected(git)
        if branch not in before:
            return Exit.DONE
        env = Environment.of_process()
        if url := read_user_config(env.config_file).url:
            _index(git, env, url, branch, before[branch])
        else:
            say(
                f"memstore: nothing was indexed: {env.login} names no database here",
                "hint: memstore config --user engine.url URL",
            )
    except (MemstoreError, OSError) as error:
        _tell(error)
    return Exit.DONE


def _tell(error: MemstoreError | OSError, vault: str = "") -> None:
    hint = error.hint if isinstance(error, MemstoreError) else None
    where = f", vault {vault}" if vault else ""
    say(f"memstore: pushed, but not indexed{where}: {error}", f"hint: {hint}" if hint else None, f"hint: {_AGAIN}")


def _protected(git: GitProcess) -> str:
    """Return the current branch of the repository, or else main or master; empty if there is none of them."""
    told = os.fsdecode(git.run("for-each-ref", "--format=%(HEAD)%(refname)", "refs/heads")).splitlines()
    current = (one[1:] for one in told if one.startswith("*"))
    return next(iter((*current, *(one for one in _BRANCHES if f" {one}" in told))), "")


def _index(git: GitProcess, env: Environment, url: str, branch: str, old: str | None) -> None:
    common = os.fsdecode(git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
    tree = PushedTree((git.folder / common).resolve(), cache_home=env.cache_home)
    place = tree.folder
    make_private(place.parent)
    with (place.parent / "pushed.lock").open("w") as lock:
        # Whoever waits indexes what is there then.
        if not flocked(lock.fileno(), patience_seconds=PATIENCE_SECONDS):
            raise MemstoreError("another push is still being indexed")
        tip = os.fsdecode(git.run("rev-parse", "--verify", f"{branch}^{{commit}}")).strip()
        with tree.held(to_move=True):
            if not (place / ".git").exists():
                git.run("worktree", "add", "-q", "-f", "--detach", "--no-checkout", str(place), tip)
            there = GitProcess(place, env.variables)
            there.run("reset", "-q", "--hard", tip, env=without_filters(there))
        for vault, folder in tree.vaults(tree_of_commit(git, tip)):
            try:
                _index_vault(env, url, folder, vault, tip, old)
            except (MemstoreError, OSError) as error:
                _tell(error, vault)


def _index_vault(env: Environment, url: str, root: Path, name: str, tip: str, old: str | None) -> None:
    """Check a vault against what is indexed of it, or else the commit before the push; then index it."""
    from memstore.engines.database import indexed_vaults
    from memstore.engines.vault_indexing import index_vault
    from memstore.history import HISTORY
    from memstore.vault.check import check, check_against
    from memstore.vault.composition import open_workspace

    # Whoever has the whole repository acts for whoever owns the vault, also for a group.
    ws = open_workspace(env, vault=str(root), entity=env.login_entity, alone=True, any_context=True, track=False)
    view = ws._replace(actor=ws.config.owner, elsewhere=None).view()
    indexed = [one.commit for one in indexed_vaults(url) if one.name == name]
    known = [one for one in (*indexed, old) if one and view.of(HISTORY).has_commit(one)]
    found = check_against(view, known[0]) if known else check(view)
    if found.errors:
        errors = "1 error" if found.errors == 1 else f"{found.errors:,} errors"
        say(f"memstore: pushed, but not indexed, vault {name}: it has {errors}")
        say("hint: memstore check says which; push what mends them")
        return
    done = index_vault(view, url, name=name, at=tip)
    say(f"memstore: indexed {name} at {done.commit[:10]}: {done.read} read, {done.gone} gone")


if __name__ == "__main__":
    sys.exit(main(os.environ, Path.cwd(), sys.stdin.buffer.read().decode(errors="surrogateescape").split("\n")[:-1]))
