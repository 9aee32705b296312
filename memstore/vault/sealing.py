"""What is written of sealed memories: bytes sealed for everybody who may see the memory once it is written.

Only here are memories sealed, and only `DiskVault.read` and `GitHistory.blobs` open them: no use case knows of it.
"""

from __future__ import annotations

import shlex
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from memstore.access.policy import labels_of
from memstore.access.sight import listeners, seers
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import ChangedMeanwhileError, MemstoreError, RefusedError, SealedError, VaultError
from memstore.core.finding_codes import finding_of
from memstore.core.memory import EVERYBODY
from memstore.core.places import RegistryKind, id_endings, is_sealed_path, kind_of, stem_of
from memstore.files import memory_file
from memstore.files.age_file import recipients, tag_of
from memstore.files.memory_file import MemoryFile
from memstore.trust import SEAL_KEYS
from memstore.trust.keyring import ATTEST_NAMESPACE, ED25519
from memstore.trust.read_keyring import read_keyring
from memstore.vault.registries import registries_of
from memstore.vault.sight import CatalogLabels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from memstore.access.world import Labels, World
    from memstore.core.change import Written
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.trust.keyring import Keyring, PublicKey
    from memstore.vault.workspace import Workspace


@contextmanager
def settle_keys(ws: Workspace, *, new: AbstractSet[str], going: AbstractSet[str]) -> Iterator[None]:
    """Keep new keys of contexts, and destroy those that are going, if what belongs to that is written.

    The caller holds the vault's lock. If what is written can't be taken back now, whoever opens the vault next settles.

    Raises:
        VaultError: a key can't be written or destroyed; the text says whether anything else was written.
    """
    pending = ws.pending_keys
    if pending is None:
        yield
        return
    # (1) New keys are in their places, and it is noted that keys wait, (2) the files are written, (3) it is settled:
    # the context's file says whether (2) has happened. After a crash in between, the next program settles.
    try:
        ws.of(SEAL_KEYS).begin(pending, new=new, going=going)
        yield
    except BaseException:
        with suppress(MemstoreError, OSError):
            if pending.exists() and ws.journal.begun() is None:
                ws.of(SEAL_KEYS).settle(pending, ws.vault.root / RegistryKind.CONTEXT.value)
        raise
    try:
        ws.of(SEAL_KEYS).settle(pending, ws.vault.root / RegistryKind.CONTEXT.value)
    except VaultError as error:
        error.outcome = "; everything else is written, and the next command in this vault tries again"
        raise
    except OSError:
        pass  # new keys are in their places, and the next program finds that


def stored_files(view: View, ws: Workspace, files: Sequence[Written], contexts: Mapping[str, str]) -> list[Written]:
    """Return the files of one operation as they are stored: those at the paths of sealed memories are sealed.

    A memory that is sealed for a context's key stays so; any other is sealed for those who may see it, judged with the
    registries and consents of the same operation.

    Args:
        view: what the actor sees.
        ws: the vault.
        files: what is to be written.
        contexts: the public part of the context's key, by path, for files that are sealed for one from now on.

    Raises:
        RefusedError: somebody who may see a memory has no key, or everybody may see it.
        ChangedMeanwhileError: a sealed file is no longer what was read.
        VaultError: a file could not be decrypted again with the keys here.
    """
    before = {
        file.path: stored_bytes(ws, file.path, file.before)
        for file in files
        if is_sealed_path(file.path) and file.before is not None
    }
    moved = next((before[file.path] for file in files if file.path in before and file.after is None), None)
    done = []
    for file in files:
        if not is_sealed_path(file.path):
            done.append(file)
            continue
        after = None
        if file.after is not None:
            is_moved = file.before is None and moved is not None
            was = moved if is_moved else before.get(file.path)
            after = _stored(view, ws, file, files, was, contexts.get(file.path), is_moved=is_moved)
        done.append(file._replace(before=before.get(file.path), after=after))
    return done


def _stored(
    view: View,
    ws: Workspace,
    file: Written,
    files: Sequence[Written],
    was: bytes | None,
    context_key: str | None,
    *,
    is_moved: bool,
) -> bytes:
    """Return the bytes of a sealed file for its new text; `was` are those of the file before, wherever it was."""
    data = file.after or b""
    if is_moved and was is not None and context_key is None and ws.of(SEAL_KEYS).opened(file.path, was) == data:
        return was
    key = context_key or (was and ws.of(SEAL_KEYS).context_of(file.path, was))
    if key:
        return ws.of(SEAL_KEYS).sealed_for_context(file.path, data, key)
    return _sealed(view, ws, file.path, data, files)


def stored_bytes(ws: Workspace, path: str, opened: bytes) -> bytes:
    """Return the stored bytes of a sealed file; raise `ChangedMeanwhileError` unless they hold what was read."""
    stored = ws.vault.stored(path)
    try:
        is_same = ws.of(SEAL_KEYS).opened(path, stored) == opened
    except SealedError:
        is_same = False
    if not is_same:
        raise ChangedMeanwhileError(f"{path}: somebody else saved it in the meantime", hint="run the command again")
    return stored


def _sealed(view: View, ws: Workspace, path: str, data: bytes, files: Iterable[Written]) -> bytes:
    file = memory_file.read(path, data, mixed=ws.config.mixed)
    if not isinstance(file, MemoryFile):
        raise RefusedError(f"{path} would not be a memory, and nothing else is sealed")
    names = readers(_world(ws, files), labels_of(file.memory), ws.clock.now())
    keys = keys_for(view, file.memory, names)
    return ws.of(SEAL_KEYS).sealed(path, data, keys)


# -- for whom ----------------------------------------------------------------------------------------


def readers(world: World, labels: Labels, at: datetime) -> frozenset[str]:
    """Return who may see a memory, in whatever context, with its owner; `*` stands for everybody."""
    known = {**world.memories, labels.id: labels}
    seen = seers(world._replace(memories=known), at, listeners(world), {"": labels})[""]
    return frozenset({labels.owner or world.owner, *(one.entity for one in seen)})


def _world(ws: Workspace, files: Iterable[Written] = ()) -> World:
    """Return the registries and consents as they are once some files are written, and the labels of all memories."""
    now = registries_of(ws)
    written = {file.path: file.after for file in files if kind_of(file.path)}
    kept = {path: data for path, data in now.files if path not in written}
    kept |= {path: data for path, data in written.items() if data is not None}
    world = now._replace(files=tuple(sorted(kept.items()))).world()
    return world._replace(memories=CatalogLabels(ws.library.latest().catalog))


def keys_for(view: View, memory: Memory, names: Iterable[str]) -> list[PublicKey]:
    """Return the keys to seal a memory for.

    Raises:
        RefusedError: one of those who may see it has no key, or everybody may.
    """
    named = sorted(names)
    if EVERYBODY in named:
        raise RefusedError(
            f"{memory.ref} can't be sealed: everybody may see it",
            hint=f"memstore privacy unseal {memory.id}, if it is; or memstore privacy revoke {memory.id} --from '*'",
        )
    keyring, _ = read_keyring(view)
    keys = {name: keys_of(view, keyring, name) for name in named}
    if lacking := [name for name, found in keys.items() if not found]:
        others = [name for name in lacking if name != (memory.owner or view.config.owner)]
        rest = f", or memstore privacy revoke {memory.id} --from {' '.join(others)}" if others else ""
        own = (
            "memstore trust keys init"
            if lacking == [view.config.owner]
            else f"memstore trust keys add {lacking[0]} FILE.pub -c"
        )
        raise RefusedError(
            f"{memory.ref} can't be sealed: {', '.join(lacking)} "
            f"{'has' if len(lacking) == 1 else 'have'} no ssh-ed25519 key in this vault's keyring; nothing was written",
            hint=own + rest,
        )
    return list(dict.fromkeys(key for found in keys.values() for key in found))


def keys_of(view: View, keyring: Keyring, name: str) -> list[PublicKey]:
    """Return the keys of an entity that count now and that age can seal for."""
    if keyring.unreadable:
        raise RefusedError(f"no key counts here: {keyring.unreadable}", hint="memstore trust keys list")
    now = view.clock.now()
    lines = keyring.lines_of(name, ATTEST_NAMESPACE)
    return [
        one.key
        for one in lines
        if one.key.type == ED25519 and one.is_valid_at(now) and not (one.authority or keyring.is_revoked(one.key))
    ]


# -- what is wrong with sealed files -----------------------------------------------------------------


def findings(view: View, ws: Workspace, unread: Sequence[int]) -> Iterator[Finding]:
    """Yield what is wrong with sealed files that can be read, and how many can't."""
    paths = view.column("path")
    known = {paths[row] for row in view.rows}
    if count := len(unread):
        hint = (
            ws.of(SEAL_KEYS).in_the_way
            or "whoever owns them can seal them anew, once your key counts: memstore trust keys list"
        )
        what = "sealed file is" if count == 1 else "sealed files are"
        text = f"{count} {what} for others, or for a key that is not here"
        yield finding_of("sealed-unread", CONFIG_PATH, text, hint)
    sealed = [path for row in {*view.rows, *view.broken, *unread} if is_sealed_path(path := paths[row])]
    for path in sorted(sealed):
        if (plain := path.removesuffix(".age")) in known:
            hint = f"delete {plain}, after comparing it with memstore show {shlex.quote(path)}"
            yield finding_of("sealed-beside-plain", plain, f"{path} is sealed, and this is a plain copy of it", hint)
    files = [file for path in sorted(sealed) if (file := view.read(path))]
    if files:
        world, keyring = _world(ws), read_keyring(view)[0]
        for file in files:
            yield from _of_file(view, ws, file, world, keyring)


def _of_file(view: View, ws: Workspace, file: MemoryFile, world: World, keyring: Keyring) -> Iterator[Finding]:
    memory, path = file.memory, file.path
    if stem_of(path) not in id_endings(memory.id or "/"):
        text = f"{path.rpartition('/')[2]} is not named after {memory.ref}, which is sealed in it"
        yield finding_of("sealed-name", path, text, f"memstore log {shlex.quote(path)} says what happened to it")
    of = recipients(ws.vault.stored(path))
    if of.is_context or keyring.unreadable:
        return
    names = readers(world, labels_of(memory), ws.clock.now())
    tags = {name: {tag_of(key.blob) for key in keys_of(view, keyring, name)} for name in sorted(names)}
    hint = f"memstore privacy seal {memory.id or path}"
    if EVERYBODY in names:
        text = "everybody may see it, and only some can open it"
        yield finding_of("sealed-narrower", path, text, f"memstore privacy unseal {memory.id or path}")
        return
    if more := len(of.tags - set().union(*tags.values())) + of.others:
        text = f"{more} {'key opens' if more == 1 else 'keys open'} it whose holder may not see it"
        yield finding_of("sealed-wider", path, text, hint)
    if lacking := [name for name, own in tags.items() if not own & of.tags]:
        text = f"{', '.join(lacking)} may see it, and can't open it"
        yield finding_of("sealed-narrower", path, text, hint)
