"""The pre-push and pre-receive hooks: nothing is pushed that not everybody who reads the remote may see.

pre-push runs where one pushes from, before anything is sent. pre-receive runs where one pushes to, while what was sent
is still in quarantine. They write nothing but a cache, and load neither click nor Whoosh nor GitPython.
"""

from __future__ import annotations

import gc
import os
import re
import shlex
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.clock import SystemClock
from memstore.core.config import (
    CONFIG_PATH,
    OWNER_ALONE,
    Config,
    how_to_declare,
    remote_address,
    stack_readers_key,
)
from memstore.core.digests import format_of
from memstore.core.errors import Exit, GitError, MemstoreError, RefusedError
from memstore.core.harmless import safe_line
from memstore.core.ids import is_group
from memstore.core.places import MANIFEST
from memstore.files.config_file import is_audience, parsed_vault_config, read_vault_config, words_typed
from memstore.files.local_state import Environment, cache_folder
from memstore.history.filters import filtered_in, filters_around, is_attributes_file
from memstore.history.git_process import GitProcess, failed
from memstore.history.outgoing import (
    PROPOSALS,
    Outgoing,
    RefUpdate,
    objects,
    outgoing,
    push_urls,
    taken_here,
    tree_with,
)
from memstore.hooks.repository import approved_filters, opener, told_to_hook, vaults_around
from memstore.hooks.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.history.filters import GitFilters
    from memstore.trust.sshsig import SshSignature
    from memstore.vault.push_refusals import PushRefusal

_MOST_SHOWN = 20
# Set to anything by the vault's owner: git gives hooks no options.
ACKNOWLEDGE = "MEMSTORE_ACKNOWLEDGE"
TITLE_SAID = "push-text"
CHARTER = "push-charter"
_NONE = re.compile("0+")


class Remote(NamedTuple):
    """The remote as git names it: its name, or its URL if it has none; and its URL. The server is its own remote."""

    name: str
    url: str
    is_server: bool = False

    @property
    def key(self) -> str:
        """What it is called in the settings, without a password."""
        return remote_address(self.name)


def main(environ: Mapping[str, str], folder: Path, arguments: Sequence[str], lines: Iterable[str]) -> int:
    """Check what git is about to push, and return the exit code: 1 if it may not be pushed.

    Args:
        environ: the process's environment.
        folder: where git started the hook.
        arguments: the hook's name; for pre-push, the remote's name and URL; for pre-receive, the name under which this
            repository is declared, and the folder of a vault whose settings count instead of this repository's own.
        lines: what git writes to the hook's standard input, a line for each ref.
    """
    hook, name, *rest = (*arguments, "origin")[: max(2, len(arguments))]
    is_server = hook == "pre-receive"
    try:
        updates = [update_of(line, is_server=is_server) for line in lines]
        if not is_server and all(update.new is None for update in updates):
            return Exit.DONE  # nothing is sent
        told = told_to_hook(environ, folder)
        url = name if is_server else rest[0]
        push = _Push(GitProcess(folder, told, in_hook=True), told, Remote(name, url, is_server=is_server), updates)
        named = Path(rest[0]) if is_server and rest and rest[0] else None
        if all(update.new is None for update in updates):
            push.stop_at_deletion(named)
            return Exit.DONE
        vaults = push.vaults(named)
        if push.is_stacks_own(vaults):
            found = push.check_stack()
        else:
            by_vault = [(vault, push.check(vault, [other.prefix for other in vaults])) for vault in vaults]
            found = [one for _, some in by_vault for one in some]
            if found and push.may_acknowledge and all(one.code == TITLE_SAID for one in found):
                for vault, some in by_vault:
                    push.acknowledge(vault, some)
                found = []
    except MemstoreError as error:
        say(f"memstore: nothing was pushed: {error}", f"hint: {error.hint}" if error.hint else None)
        return Exit.FOUND_ERRORS
    if found:
        _tell(found, push.remote, push.owner, is_owners=push.is_owners(vaults))
    elif push.is_unasked:
        say(
            f"memstore: it isn't known who can read {push.remote.key}; notes and other files go there, memories don't",
            f"hint: {how_to_declare(push.remote.key, push.owner)}",
        )
    return Exit.FOUND_ERRORS if found else Exit.DONE


class _Vault(NamedTuple):
    """A vault in the repository: its folder there, with a slash at its end, and on disk or in a commit; its settings.

    `files` are those of the commit; `root` is None if the vault is only there.
    """

    prefix: str
    config: Config
    root: Path | None
    files: Mapping[str, str]


class _Push:
    """A push, and the vaults that it touches."""

    def __init__(
        self, git: GitProcess, environ: Mapping[str, str], remote: Remote, updates: Sequence[RefUpdate]
    ) -> None:
        self._git = git
        self._environ = environ
        self._env = Environment.of_process()
        self.remote = remote
        self._updates = updates
        self._sent: Outgoing | None = None
        self.is_unasked = False
        self.owner = ""  # of the vault whose settings were asked last
        self._top: Path | None = None

    @property
    def sent(self) -> Outgoing:
        """What would be sent."""
        if self._sent is None:
            self._sent = outgoing(self._git, self._updates, taken_here(self._git) if self.remote.is_server else ())
        return self._sent

    @cached_property
    def _filters(self) -> GitFilters | None:
        """What git does to files in the work tree that is pushed from."""
        return filters_around(self._top, self._environ, approved_filters) if self._top else None

    @cached_property
    def _filtered(self) -> frozenset[str]:
        """The paths that a filter changes by the attributes of the last commits, or of those that change attributes."""
        changed = [commit.id for commit in self.sent.commits if any(is_attributes_file(c.path) for c in commit.changes)]
        if not (changed or self.remote.is_server):
            return frozenset()
        tips = [update.new for update in self._updates if update.new]
        return filtered_in(self._git, [*tips, *changed], {c.path for one in self.sent.commits for c in one.changes})

    # -- the vaults ------------------------------------------------------------------------------

    def vaults(self, named: Path | None) -> list[_Vault]:
        """Return the vaults whose settings count; `named` is the one that the hook names, if it names one.

        Raises:
            RefusedError: there is none where settings count, but what is pushed seems to be a vault.
        """
        if named is not None:
            if not (named / CONFIG_PATH).is_file():
                text = f"{named}, which the hook names, is no vault"
                raise RefusedError(text, hint=f"name a folder there that contains {CONFIG_PATH}")
            return [self._on_disk(named, ".")]
        found = ([] if self.remote.is_server else self._in_work_tree()) or self._in_branches()
        sent = [change.path for commit in self.sent.commits for change in commit.changes]
        if not found and MANIFEST in sent:
            return []  # the first push of a stack to a server
        if not found and (self.remote.is_server or any(f"/{path}".endswith(f"/{CONFIG_PATH}") for path in sent)):
            raise self._undeclared()
        return found

    def stop_at_deletion(self, named: Path | None) -> None:
        """Raise where refs of a shared vault would be deleted, other than proposals; any other vault allows it."""
        vaults = [self._on_disk(named, ".")] if named and (named / CONFIG_PATH).is_file() else self._in_branches()
        gone = [update.ref for update in self._updates if not update.ref.startswith(PROPOSALS)]
        if gone and any(is_group(vault.config.owner) for vault in vaults):
            raise RefusedError(
                f"{gone[0]} would be gone, which others have", hint="whoever keeps the server deletes it"
            )

    def is_stacks_own(self, vaults: Sequence[_Vault]) -> bool:
        """Whether this is a repository of a shared stack, and no vault's settings count."""
        if not vaults:
            return any(change.path == MANIFEST for commit in self.sent.commits for change in commit.changes)
        [vault, *others] = vaults
        is_there = vault.root and (vault.root / MANIFEST).exists()
        return not others and not vault.prefix and bool(is_there or MANIFEST in vault.files)

    def _in_work_tree(self) -> list[_Vault]:
        words = ("rev-parse", "--is-bare-repository", "--show-toplevel")
        asked = self._git.attempt(*words)
        is_bare, _, top_line = os.fsdecode(asked.stdout).partition("\n")
        if is_bare == "true":
            return []
        if asked.returncode != 0:
            raise failed(words, asked)
        self._top = top = Path(top_line.removesuffix("\n"))
        listed = os.fsdecode(self._git.run("ls-files", "-z", "--full-name")).split("\0")
        sent = [change.path for commit in self.sent.commits for change in commit.changes]
        roots = [root for root in sorted(vaults_around(top, {"", *listed, *sent})) if (root / CONFIG_PATH).exists()]
        return [self._on_disk(root, os.path.relpath(root, top)) for root in roots]

    def _in_branches(self) -> list[_Vault]:
        """Return the vaults of the current commit as it is before the push, or else of the latest branch with any.

        With a branch checked out that has no settings, the work tree has none, either.
        """
        files = tree_with(self._git, CONFIG_PATH)
        found = [path for path in files if f"/{path}".endswith(f"/{CONFIG_PATH}")]
        return [self._in_commit(path.removesuffix(CONFIG_PATH), files) for path in found]

    def _on_disk(self, root: Path, inside: str) -> _Vault:
        prefix = "" if inside == "." else inside.replace(os.sep, "/") + "/"
        return _Vault(prefix, read_vault_config(root, default_owner=self._env.login_entity), root, {})

    def _in_commit(self, prefix: str, files: Mapping[str, str]) -> _Vault:
        blob = files[prefix + CONFIG_PATH]
        data = objects(self._git, [blob])[blob].data
        config = parsed_vault_config(data, Path(prefix + CONFIG_PATH), default_owner=self._env.login_entity)
        return _Vault(prefix, config, None, files)

    # -- the check -------------------------------------------------------------------------------

    def check_stack(self) -> list[PushRefusal]:
        """Return why parts of the push may not be sent, for a repository of a shared stack.

        Its files say for whom it is, and are only read. Who reads the remote is git's setting.

        Raises:
            RefusedError: it isn't known who can read the remote.
        """
        from memstore.vault.push_refusals import stack_refusals

        key = stack_readers_key(self.remote.key)
        said = os.fsdecode(self._git.attempt("config", "--get-all", key).stdout)
        audience = words_typed(said.replace("\n", ","))
        if not is_audience(audience):
            where = "in the repository on the server: " if self.remote.is_server else ""
            text = f"it isn't known who can read {self.remote.key}, to which a shared stack is pushed"
            raise RefusedError(text, hint=f"{where}git config {shlex.quote(key)} ENTITY says so, like human:bob")
        if audience == [OWNER_ALONE]:
            return []
        refs = [update.ref for update in self._updates if update.new]
        return list(stack_refusals(self._git, self.sent, refs, audience, SystemClock().now()))

    def check(self, vault: _Vault, prefixes: Sequence[str]) -> list[PushRefusal]:
        """Return why parts of the push may not be sent, for one vault.

        Raises:
            RefusedError: it isn't known who can read the remote, and that matters: the vault is memstore's own, or what
                is pushed holds more than plain notes and other files of the repository.
        """
        from memstore.access.audience import is_owner_alone
        from memstore.access.local_state import LabelsCache
        from memstore.files.disk_vault import DiskVault
        from memstore.vault import push_refusals
        from memstore.vault.pushed_blobs import Blobs

        audience, self.owner = self._audience(vault.config), vault.config.owner
        if audience and is_owner_alone(audience, vault.config.owner):
            return []
        if not audience and not vault.config.mixed:
            raise self._undeclared()
        place = vault.root or self._git.folder
        cache = LabelsCache(cache_folder(place, cache_home=self._env.cache_home))
        blobs = Blobs(
            self._git,
            cache.load(),
            mixed=vault.config.mixed,
            opener=opener,
            filters=self._filters,
            filtered=self._filtered,
            prefix=vault.prefix,
        )
        if vault.root:
            disk = DiskVault(vault.root, state=cache_folder(place, cache_home=self._env.cache_home))
            object_format = format_of(next(update.new for update in self._updates if update.new))
            today = push_refusals.on_disk(disk, vault.config, blobs, object_format, self._verify, vault.prefix)
        else:
            today = push_refusals.in_tree(vault.files, vault.config, blobs, self._verify, vault.prefix)
        now = SystemClock().now()
        moved = self._updates
        found = list(push_refusals.refusals(self._git, self.sent, moved, today, audience, blobs, now, prefixes))
        if blobs.is_new:
            cache.keep(blobs.kept)
        if found and not audience:
            raise self._undeclared(found[0] if self.is_owners([vault]) else None)
        self.is_unasked |= not audience
        return found

    def _verify(self, signature: SshSignature, data: bytes) -> bool:
        from memstore.vault.composition import signatures

        return signatures(self._env).holds(signature, data)

    @property
    def may_acknowledge(self) -> bool:
        """Whether whoever pushes says that words which are hidden titles say nothing about these memories."""
        return bool(self._environ.get(ACKNOWLEDGE)) and not self.remote.is_server

    def acknowledge(self, vault: _Vault, found: Sequence[PushRefusal]) -> None:
        """Record whose titles go out, before anything is sent.

        Raises:
            RefusedError: somebody pushes who may not decide, or the vault is not checked out.
        """
        if not found:
            return
        from memstore.access import audit
        from memstore.vault.composition import open_workspace

        view = open_workspace(self._env, vault=str(vault.root), any_context=True).view() if vault.root else None
        if view is None or not audit.may_decide(view):
            whose = f"a keeper of {vault.config.owner}" if is_group(vault.config.owner) else "the vault's owner"
            raise RefusedError(f"{ACKNOWLEDGE} is for {whose}, where the vault is checked out", hint="unset it")
        ids = sorted({one.memory for one in found})
        audit.append(view, "push", remote=self.remote.key, acknowledged=ids)

    def is_owners(self, vaults: Iterable[_Vault]) -> bool:
        """Whether the owner of all these vaults pushes, as far as the environment says who acts."""
        actor = self._environ.get("MEMSTORE_ENTITY")
        return not actor or all(vault.config.owner == actor or is_group(vault.config.owner) for vault in vaults)

    def _audience(self, config: Config) -> tuple[str, ...]:
        """Return who reads the remote: everybody who is named for its name, its URL, or another remote at that URL.

        Nobody has said it if that is empty.
        """
        url = remote_address(self.remote.url)
        names = {*config.declared(self.remote.name, self.remote.url)}
        urls = ((name, push_urls(self._git, name)) for name in config.remotes if name not in names)
        names |= {name for name, known in urls if url in map(remote_address, known)}
        return tuple(sorted({word for name in names for word in config.remotes[name]}))

    def _undeclared(self, found: PushRefusal | None = None) -> RefusedError:
        """Return the refusal for a remote of unknown readers; `found` is what must not go to anybody."""
        if self.remote.is_server:
            return RefusedError(
                f"no vault here says who reads {self.remote.key}",
                hint=f"let the hook name a vault's folder on the server, and there: {how_to_declare(self.remote.key)}",
            )
        where = ": ".join(filter(None, (found.where, found.path, found.reason))) if found else ""
        return RefusedError(
            f"it isn't known who can read {self.remote.key}" + (f" ({where})" if where else ""),
            hint=how_to_declare(self.remote.key, self.owner),
        )


def _some(object_id: str) -> str | None:
    return None if _NONE.fullmatch(object_id) else object_id


def update_of(line: str, *, is_server: bool) -> RefUpdate:
    """Return what a line from git says: of pre-push what is pushed, new, ref, old; of pre-receive old, new, ref."""
    words = line.split(" ")
    if len(words) < 3:  # noqa: PLR2004 - a ref, before and after
        raise GitError(f"git told the hook {line!r}, which names no ref", hint="git runs this hook; it is no command")
    old, new, ref = words if is_server else (words[-1], words[-3], words[-2])
    return RefUpdate(ref, _some(old), _some(new))


# -- in words --------------------------------------------------------------------------------------


def _tell(found: Sequence[PushRefusal], remote: Remote, owner: str, *, is_owners: bool) -> None:
    if not is_owners:
        say("memstore: nothing was pushed: not everything in it may go there", "hint: ask the vault's owner to push")
        return
    if all(one.code == CHARTER for one in found):
        say(f"memstore: nothing was pushed: the charter of {owner} doesn't allow all of it")
    else:
        say(f"memstore: nothing was pushed: not everybody who reads {remote.key} may see all of it")
    for one in found[:_MOST_SHOWN]:
        reason = one.reason.partition(" [")[0] if remote.is_server else one.reason
        say(safe_line(f"  {one.where}: {one.path}: {reason}" if one.path else f"  {one.where}: {reason}"))
    if len(found) > _MOST_SHOWN:
        say(f"  and {len(found) - _MOST_SHOWN} more")
    say(*_hints(found))


def _hints(found: Sequence[PushRefusal]) -> Iterator[str]:
    codes = {one.code for one in found}
    if "push-hidden" in codes:
        yield "hint: memstore privacy grant lets somebody see a memory; what they may not see must leave these commits"
    if "push-stack" in codes:
        yield "hint: memstore share --to ENTITY DIR writes a stack for somebody else; --update brings one up to date"
    if codes & {TITLE_SAID, "push-name"}:
        yield "hint: git commit --amend or git rebase -i changes a message, git tag -f a tag"
    if codes == {TITLE_SAID}:
        yield f"hint: where the words say nothing about the hidden memory: {ACKNOWLEDGE}=1 git push"
    if codes & {"push-no-memory", "push-broken"}:
        yield "hint: memstore share --to ENTITY DIR writes a repository with what they may see, and nothing else"
    if CHARTER in codes:
        yield "hint: memstore privacy group add GROUP ENTITY --email ADDRESS binds an address; a keeper merges the rest"
    if codes == {CHARTER}:
        return
    yield "hint: everything goes to a remote that only the owner reads"


if __name__ == "__main__":
    gc.disable()  # a push makes many small values and no cycles, and the process soon ends
    said = sys.stdin.buffer.read().decode(errors="surrogateescape")
    code = main(os.environ, Path.cwd(), sys.argv[1:], said.split("\n")[:-1])
    gc.freeze()  # Python need not collect garbage in a process that ends
    sys.exit(code)
