"""The post-receive hook: what was pushed to the protected branch is indexed in the database of the server's user.

The commit is checked and read in a work tree of its own among the caches, so that settings and registries are those of
the commit. The push is done by then: what fails is said, and the next push, or `memstore engine index`, makes it good.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.config import CONFIG_PATH
from memstore.core.errors import Exit, MemstoreError
from memstore.files.config_file import read_user_config
from memstore.files.local_state import Environment, cache_folder, make_private
from memstore.files.write_lock import flocked
from memstore.history.git_process import GitProcess
from memstore.hooks.repository import told_to_hook
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_AGAIN = "the next push indexes it too; or on the server, in a clone of the vault: memstore engine index URL"
_PATIENCE_SECONDS = 60
_BRANCHES = ("refs/heads/main", "refs/heads/master")


class _Pushed(NamedTuple):
    """The branch that is protected here, and the commit that it had before the push, if any."""

    branch: str
    old: str | None


def main(environ: Mapping[str, str], folder: Path, lines: Iterable[str]) -> int:
    """Index what was pushed to the protected branch; nothing that goes wrong fails the push.

    Args:
        environ: the process's environment.
        folder: where git started the hook.
        lines: what git writes to the hook's standard input, a line for each ref.
    """
    try:
        git = GitProcess(folder, told_to_hook(environ, folder), in_hook=True)
        if pushed := _protected(git, lines):
            env = Environment.of_process()
            if url := read_user_config(env.config_file).url:
                _index(git, env, url, pushed)
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
    of_vault = f" of {vault}" if vault else ""
    say(f"memstore: pushed, but not indexed{of_vault}: {error}", f"hint: {hint}" if hint else None, f"hint: {_AGAIN}")


def _protected(git: GitProcess, lines: Iterable[str]) -> _Pushed | None:
    """Return the current branch of the repository, or else main or master, if it is among what was pushed."""
    asked = git.attempt("symbolic-ref", "-q", "HEAD").stdout
    pushed = {ref: (old, new) for old, new, ref in (line.split(" ", 2) for line in lines)}
    existing = os.fsdecode(git.run("for-each-ref", "--format=%(refname)", "refs/heads")).splitlines()
    branch = next((one for one in (os.fsdecode(asked).strip(), *_BRANCHES) if one in existing), None)
    if branch is None or branch not in pushed:
        return None
    old, _ = pushed[branch]
    return _Pushed(branch, old if old.strip("0") else None)


def _index(git: GitProcess, env: Environment, url: str, pushed: _Pushed) -> None:
    common = os.fsdecode(git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
    repository = (git.folder / common).resolve()
    place = cache_folder(repository, cache_home=env.cache_home) / "pushed"
    make_private(place.parent)
    with (place.parent / "pushed.lock").open("w") as lock:
        # Whoever waits indexes what is there then.
        if not flocked(lock.fileno(), patience_seconds=_PATIENCE_SECONDS):
            raise MemstoreError("another push is still being indexed")
        tip = os.fsdecode(git.run("rev-parse", "--verify", f"{pushed.branch}^{{commit}}")).strip()
        if not (place / ".git").exists():
            git.run("worktree", "add", "-q", "-f", "--detach", "--no-checkout", str(place), tip)
        GitProcess(place, env.variables).run("reset", "-q", "--hard", tip)
        name = (repository.parent if repository.name == ".git" else repository).name.removesuffix(".git")
        for path in _vaults(git, tip):
            vault = "-".join((name, *Path(path).parts))
            try:
                _index_vault(env, url, place / path, vault, tip, pushed.old)
            except MemstoreError as error:
                _tell(error, vault)


def _vaults(git: GitProcess, commit: str) -> Iterator[str]:
    """Yield the folders of the vaults in a commit."""
    for line in os.fsdecode(git.run("ls-tree", "-r", "-z", "--name-only", commit)).split("\0"):
        if f"/{line}".endswith(f"/{CONFIG_PATH}"):
            yield line.removesuffix(CONFIG_PATH)


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
        say(f"memstore: pushed, but not indexed: {found.errors} errors in {name} (memstore check says which)")
        return
    done = index_vault(view, url, name=name, at=tip)
    say(f"memstore: indexed {name} at {done.commit[:10]}: {done.read} read, {done.gone} gone")


if __name__ == "__main__":
    sys.exit(main(os.environ, Path.cwd(), sys.stdin.buffer.read().decode(errors="surrogateescape").split("\n")[:-1]))
