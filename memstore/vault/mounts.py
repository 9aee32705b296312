"""Shared stacks mounted beside a vault: read in place, never copied, and nothing in them is executed or trusted.

Of a stack only its manifest says who may see it; its registries, settings, keys and hooks count for nothing. Its local
state is kept with the vault's, so nothing is written into it.
"""

from __future__ import annotations

import os
import stat as modes
from pathlib import Path
from typing import TYPE_CHECKING

from memstore.access import CONTEXTS, STACK_FOLDERS
from memstore.access import stack as stacks
from memstore.access.local_state import CallContext
from memstore.access.policy import listeners
from memstore.access.stack import Mount, Stack, is_stack_name
from memstore.access.world import ActiveContext
from memstore.core.digests import digest_of
from memstore.core.errors import FormatError, MemstoreError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.core.memory import OWN_VAULT
from memstore.core.places import MANIFEST, SETTINGS_FOLDER, is_memory_path
from memstore.files.fence import MOST_BYTES
from memstore.files.local_state import regular_bytes, without_dots
from memstore.trust import PINS, SIGNATURES, senders
from memstore.vault.registries import registries_of
from memstore.vault.sight import session_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.config import Config
    from memstore.vault.workspace import Workspace

# More entries than any copy of a vault has; the walk of a hostile folder ends there.
MOST_ENTRIES = 1_000_000
_GIT = ".git"


def mounts(ws: Workspace) -> list[Mount]:
    """Return the mounted stacks that are for the actor, by name; one that can't be read says why."""
    found = sorted(ws.of(STACK_FOLDERS).mounted().items())
    return [mounted for name, folder in found if (mounted := _mounted(ws, name, folder))]


def own(ws: Workspace) -> Mount | None:
    """Return the actor's own vault, to be read beside a group's; None if there is none, or somebody may listen."""
    if ws.open_own is None or ws.terms.is_served or ws.overheard or ws.within or ws.of(CONTEXTS).current():
        return None
    try:
        opened = ws.open_own(ws.actor)
    except MemstoreError as error:
        return Mount(OWN_VAULT, "", problem=f"your own vault can't be read: {error}")
    return Mount(OWN_VAULT, str(opened.vault.root), view=opened.view()) if opened else None


def mount(ws: Workspace, folder: Path, name: str | None, *, any_key: bool = False) -> Mount:
    """Mount the stack in a folder, after checking all of it; see `access.facets.SharedStacks.mount`."""
    place = Path(os.path.realpath(without_dots(folder)))
    stack = _checked(ws, place)
    name = name or stack.name
    if name == OWN_VAULT:
        raise UsageError(f"{OWN_VAULT} stands for your own vault", hint="--name NAME loads the stack by another name")
    if not is_stack_name(name):
        raise UsageError(
            f"{name!r} can't be the name of a stack", hint="letters from a to z, digits, dots, dashes, underscores"
        )
    other = ws.of(STACK_FOLDERS).mounted().get(name)
    if other == str(place):
        other = None
    if other is not None and not _is_gone(other):
        raise RefusedError(
            f"another stack is loaded as {name}: {other}", hint=f"--name NAME, or memstore share unload {name}"
        )
    is_new = senders.accept(ws.view(), stack, any_key=any_key)
    ws.of(STACK_FOLDERS).mount(name, str(place))
    _drop_cache(ws, other)
    mounted = _mounted(ws, name, str(place))
    if mounted is None:
        raise VaultError(f"{folder} changed while it was read", hint="try again")
    return mounted._replace(replaced=other, is_new_key=is_new)


def _is_gone(folder: str) -> bool:
    """Whether there is no stack in a folder any more, as after a move; False if nobody can look."""
    try:
        (Path(folder) / MANIFEST).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def unmount(ws: Workspace, name: str) -> None:
    """Forget a mounted stack; see `access.facets.SharedStacks.unmount`."""
    known = ws.of(STACK_FOLDERS).mounted()
    if name not in known:
        others = ", ".join(sorted(known)) or "none"
        raise NotFoundError(f"no stack is loaded as {name}; loaded: {others}", hint="memstore share load --list")
    ws.of(STACK_FOLDERS).forget(name)
    _drop_cache(ws, known[name])


def _drop_cache(ws: Workspace, folder: str | None) -> None:
    """Delete what was computed of a stack that is mounted no longer."""
    if folder and ws.drop_cache and folder not in ws.of(STACK_FOLDERS).mounted().values():
        ws.drop_cache(folder)


# -- one stack -------------------------------------------------------------------------------------


def _mounted(ws: Workspace, name: str, folder: str) -> Mount | None:
    """Return a mounted stack as the actor sees it now; None if it is for somebody else."""
    try:
        stack = manifest_in(Path(folder))
    except MemstoreError as error:
        return _unusable(name, folder, error)
    if problem := _from_oneself(ws, stack):
        return Mount(name, folder, problem=problem)
    if not stack.is_for(ws.actor, ws.clock.now()):
        return None
    try:
        key = _verified(ws, Path(folder), stack)
    except MemstoreError as error:
        return _unusable(name, folder, error)
    sender = f"the stack {name} from {stack.by}" if key else f"the stack {name}, which says that it is from {stack.by}"
    return Mount(name, folder, stack, _opened(ws, folder, stack, sender).view(), key=key)


def _unusable(name: str, folder: str, error: MemstoreError) -> Mount:
    said = f"{error}; {error.hint}" if isinstance(error, RefusedError) and error.hint else f"{error}"
    why = said.replace(f"{folder}/", "").replace(folder, "its folder")  # agents read this, too
    return Mount(name, folder, problem=f"the stack {name} can't be read: {why}")


def _verified(ws: Workspace, folder: Path, stack: Stack) -> str | None:
    """Return the fingerprint of the pinned key that signed a stack as it is now; None if its sender has none here.

    Its signature and its files are checked once for each state of them.

    Raises:
        MemstoreError: it is signed otherwise than the sender's stacks are, or not what was signed.
    """
    made = senders.signature_of(stack)
    pinned = ws.of(PINS).sender(stack.by)
    senders.require_pinned(stack, made.key if made else None, pinned)
    if made is None:
        return None
    state = _state(folder, stack)
    if ws.of(STACK_FOLDERS).checked(str(folder)) != state:
        senders.require_valid(stack, made, ws.of(SIGNATURES))
        _require_files(folder, stack)
        ws.of(STACK_FOLDERS).saw(str(folder), state)
    return pinned


def _state(folder: Path, stack: Stack) -> str:
    """Return a digest that another manifest changes, or another file."""
    said = [stacks.written(stack).decode()]
    for one in stack.memories:
        try:
            status = (folder / one.path).lstat()
        except OSError as error:
            raise _not_as_said(folder, f"{one.path} is missing") from error
        said.append(f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_mode}")
    return digest_of("\0".join(said).encode())


def _from_oneself(ws: Workspace, stack: Stack) -> str | None:
    """Return why a stack is not believed that says it is from whoever loads it; None for any other."""
    if stack.by not in (ws.actor, ws.config.owner):
        return None
    return f"the stack {stack.name} says that it is from {stack.by}, and this vault is theirs: nobody loads their own"


def _opened(ws: Workspace, folder: str, stack: Stack, sender: str) -> Workspace:
    """Return the workspace of a mounted stack, for those who listen in the vault now."""
    if ws.open_stack is None:
        raise VaultError("this vault opens no stacks", hint="open it from its folder")
    within = _opened(ws.within, folder, stack, sender) if ws.within else None
    made = ws.open_stack(folder, _settings(ws.config, stack), CallContext(_context(ws)))
    return made._replace(overheard=ws.overheard, within=within, mounted_by=ws, sender=sender)


def _settings(config: Config, stack: Stack) -> Config:
    """Return the vault's own settings, with those of the stack without which its files are read otherwise."""
    notes_for = (stack.to, *(member.id for member in stack.members))
    return config._replace(
        owner=stack.by, notes=stack.notes, notes_for=notes_for, languages=stack.languages, auto_commit=False
    )


def _context(ws: Workspace) -> ActiveContext | None:
    """Return the active context with everybody who listens in it by name: the stack knows nobody's roster."""
    active = ws.of(CONTEXTS).current()
    if active is None or ws.alone:
        return None
    names = listeners(registries_of(ws).world(), session_of(ws))
    return ActiveContext(id=active.id, participants=names, expires_at=active.expires_at, ambiguous=active.ambiguous)


# -- what a folder must be to be mounted -----------------------------------------------------------


def manifest_in(folder: Path) -> Stack:
    """Return the manifest of the stack in a folder.

    Raises:
        VaultError: there is none.
        FormatError: it can't be read, or is no manifest.
    """
    path = folder / MANIFEST
    if path.is_symlink() or path.parent.is_symlink():
        raise FormatError(f"{path} is a link, not the manifest of a stack", hint="ask for a new copy")
    try:
        data = regular_bytes(path, most=MOST_BYTES + 1)
    except OSError as error:
        raise VaultError(
            f"{folder} is not a shared stack: it has no {MANIFEST}",
            hint="memstore share makes one; --vault DIR opens a vault of your own",
        ) from error
    if len(data) > MOST_BYTES:
        raise FormatError(f"{path} has more than {MOST_BYTES:,} bytes", hint="ask for a new copy")
    return stacks.read(data)


def _checked(ws: Workspace, folder: Path) -> Stack:
    """Return the manifest of a stack whose files are all as it says, and which is for the actor."""
    own = ws.vault.root.resolve()
    if folder.is_relative_to(own) or own.is_relative_to(folder):
        raise VaultError(f"{folder} is this vault's own folder, or in it", hint="keep the stack beside the vault")
    stack = manifest_in(folder)
    if problem := _from_oneself(ws, stack):
        raise RefusedError(problem, hint="what is in it is not yours by that; ask whoever gave it to you")
    if not stack.is_for(ws.actor, ws.clock.now()):
        raise RefusedError(
            f"the stack {stack.name} was shared with {stack.to}, not with {ws.actor}",
            hint=f"ask {stack.by} for one of your own, or say who you are: --as ENTITY",
        )
    _require_files(folder, stack)
    return stack


def _require_files(folder: Path, stack: Stack) -> None:
    """Raise `VaultError` unless exactly those files are in a folder that its manifest lists, as it lists them."""
    wanted = {one.path: one.file for one in stack.memories}
    mixed = stack.notes == "mixed"
    there = {path for path in _files(folder) if is_memory_path(path, mixed=mixed)}
    if more := sorted(there - wanted.keys()):
        raise _not_as_said(folder, f"{more[0]} is not in its manifest")
    for path, digest in wanted.items():
        if path not in there:
            raise _not_as_said(folder, f"{path} is missing")
        if digest_of(regular_bytes(folder / path)) != digest:
            raise _not_as_said(folder, f"{path} is not what was shared")


def _files(folder: Path) -> Iterator[str]:
    """Yield all files of a stack but git's, relative to it; only plain ones of a memory's size may be there."""
    count = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                path = os.path.relpath(entry.path, folder)
                status = entry.stat(follow_symlinks=False)
                if count > MOST_ENTRIES:
                    raise _not_as_said(folder, f"it has more than {MOST_ENTRIES:,} files")
                if modes.S_ISLNK(status.st_mode):
                    raise _not_as_said(folder, f"{path} is a link")
                if modes.S_ISDIR(status.st_mode):
                    waiting += [] if path == _GIT else [Path(entry.path)]
                elif not modes.S_ISREG(status.st_mode) or path == _GIT:
                    raise _not_as_said(folder, f"{path} is not a plain file")
                elif status.st_size > MOST_BYTES:
                    raise _not_as_said(folder, f"{path} has more than {MOST_BYTES:,} bytes")
                elif not path.startswith(f"{SETTINGS_FOLDER}/"):
                    yield path.replace(os.sep, "/")


def _not_as_said(folder: Path, why: str) -> VaultError:
    return VaultError(f"the stack in {folder} can't be loaded: {why}", hint="get the copy again from whoever shared it")
