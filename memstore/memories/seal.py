"""Seal memories: the whole file, encrypted for those who may see it, or for the key of a context alone.

How files are sealed and opened is the vault's business: here a memory's file only gets another name, by which it is
sealed, or its plain name back.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.access import RIGHTS, SEALED, registry
from memstore.access.audit import found, recorded, stop_unless_owner
from memstore.access.contexts import context_id
from memstore.access.policy import id_in
from memstore.access.report import audit_sight
from memstore.core.change import Written
from memstore.core.digests import digest_of
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.core.memory import EVERYBODY
from memstore.core.named import refs_of
from memstore.core.places import SEALED_SUFFIX, RegistryKind, id_endings, is_sealed_path, stem_of
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, refuse_as_not_owner
from memstore.files import FILES
from memstore.files.splice import SetValue
from memstore.history import HISTORY
from memstore.trust import SEAL_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.access.registry import RegistryFile
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile

SEALING_KEY = "sealing_key"


class SealedMemory(NamedTuple):
    """A memory that was sealed or unsealed: its ref, where its file was and is.

    `readers` are those who may open it; `in_history` says that a commit has its plain text.
    """

    ref: str
    was: str
    path: str
    readers: tuple[str, ...] = ()
    in_history: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedMemories:
    """What was sealed or unsealed, or would be; `context` is whose key alone opens it, which is in the file `key`."""

    memories: tuple[SealedMemory, ...]
    context: str | None = None
    key: str | None = None
    is_new_key: bool = False
    commit: str | None = None

    __repr__ = short_repr


@again_where_changed
def seal(view: View, memories: Names, *, context: str | None = None, **saving: Unpack[Saving]) -> SealedMemories:
    """Seal memories for those who may see them; one that is sealed already, for those who may see it by now.

    Args:
        view: the vault.
        memories: the memories, by id or path.
        context: seal them for the key of this context alone, which is made when it is first needed.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory that the actor sees, or no such context.
        RefusedError: a memory is somebody else's, everybody may see it, or one who may see it has no key.
        UsageError: it is sealed for a context's key, and no context or another is given.
        VaultError: pyrage is not installed, or no key here would open it again.
    """
    files = _files(view, memories)
    used = _context_key(view, context, dry_run=saving.get("dry_run", False)) if context is not None else None
    done, made = _sealed(view, files, context, used, **saving)
    place = str(view.of(SEAL_KEYS).context_place(used.key)) if used and used.key else None
    return SealedMemories(
        memories=done,
        context=context,
        key=place,
        is_new_key=bool(used and used.is_new),
        commit=made,
    )


def _sealed(
    view: View, files: Sequence[MemoryFile], context: str | None, used: _ContextKey | None, **saving: Unpack[Saving]
) -> tuple[tuple[SealedMemory, ...], str | None]:
    """Seal files, and return what became of each, and the commit."""
    done: list[SealedMemory] = []
    with view.transaction("seal", **saving) as sealing:
        for file in files:
            if file.memory.status == "forgotten":
                raise RefusedError(f"{file.memory.ref} was forgotten: nothing is left to seal")
            path = _sealed_path(view, file, [one.path for one in done])
            if is_sealed_path(file.path):
                path = file.path
                _stop_where_for_another(view, file, used)
            readers = () if used else _readers(view, file)
            done.append(SealedMemory(str(file.memory.ref), file.path, path, readers, _is_in_history(view, file.path)))
            if used and used.key is None:
                continue  # it would be made for this
            if path == file.path:
                sealing.put(Written(path, file.data, file.data))
            else:
                sealing.move(file, path, file.data)
            if used and used.key:
                sealing.seal_for(path, used.key)
        sealing.put(*_attributes(view), *_verdicts_on(view, done))
        if used:
            sealing.put(*used.files, undoable=False)
        sealing.put(recorded(view, "seal", memory=[one.memory.id or "" for one in files], context=context))
    return tuple(done), sealing.commit


@again_where_changed
def unseal(view: View, memories: Names, **saving: Unpack[Saving]) -> SealedMemories:
    """Store memories as plain text again, byte for byte as they were sealed or last changed.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        RefusedError: a memory is somebody else's.
        UsageError: a memory is not sealed.
        ChangedMeanwhileError: a file of the plain name is there.
    """
    files = _files(view, memories)
    done: list[SealedMemory] = []
    with view.transaction("unseal", **saving) as opening:
        for file in files:
            if not is_sealed_path(file.path):
                raise UsageError(f"{file.path} is not sealed", hint=f"memstore show {file.memory.id or file.path}")
            path = file.path.removesuffix(".age")
            opening.move(file, path, file.data)
            done.append(SealedMemory(str(file.memory.ref), file.path, path))
        opening.put(recorded(view, "unseal", memory=[file.memory.id or file.path for file in files]))
    return SealedMemories(memories=tuple(done), commit=opening.commit)


_ATTRIBUTES = ".gitattributes"
# Bytes that git must leave as they are, and that memstore's merge driver opens before it merges them.
_ATTRIBUTE = f"*{SEALED_SUFFIX} merge=memstore -text"


def _attributes(view: View) -> Iterator[Written]:
    """Yield git's attributes of the vault with the line for sealed files, where that is missing."""
    if view.of(HISTORY).repository is None or not view.is_owners:
        return
    before = view.own_file(_ATTRIBUTES)
    text = (before or b"").decode(errors="surrogateescape")
    if not any(line.split()[:1] == [f"*{SEALED_SUFFIX}"] for line in text.splitlines()):
        gap = "" if text.endswith("\n") or not text else "\n"
        after = f"{text}{gap}{_ATTRIBUTE}\n".encode(errors="surrogateescape")
        yield Written(_ATTRIBUTES, before, after)


def _verdicts_on(view: View, sealed: Sequence[SealedMemory]) -> Iterator[Written]:
    """Yield the verdicts that name what was sealed, which go: their reasons would tell of it in plain text."""
    names = {id_in(one.ref) for one in sealed if one.was != one.path}
    for path in view.of(RIGHTS).registry(RegistryKind.VERDICT, naming=names) if names else ():
        yield Written(path, view.own_file(path), None)


def _files(view: View, memories: Names) -> list[MemoryFile]:
    files = list({file.path: file for file in (view.original(ref) for ref in refs_of(memories))}.values())
    for file in files:
        if not view.owns(file.memory):
            refuse_as_not_owner(view, file)
        if not file.memory.id:
            raise UsageError(f"{file.path} has no id to be found by", hint=f"memstore adopt {shlex.quote(file.path)}")
    return files


def _sealed_path(view: View, file: MemoryFile, taken: Sequence[str]) -> str:
    """Return the path of the sealed file: in the same folder, with as much of the id as is needed, and no word."""
    folder, slash, _ = file.path.rpartition("/")
    memory_id = file.memory.id or ""
    endings = id_endings(memory_id)
    stem = stem_of(file.path)
    # Only the owner may know whether a file of a short name is there.
    names = [stem] if stem in endings else [*endings] if view.is_owners else [memory_id]
    paths = [f"{folder}{slash}{name}{SEALED_SUFFIX}" for name in names]
    free = (path for path in paths if path not in taken and _is_free(view, path))
    return next(free, paths[-1])


def _is_free(view: View, path: str) -> bool:
    try:
        view.of(FILES).saved_at(view.root / path)
    except OSError:
        return True
    return False


def _readers(view: View, file: MemoryFile) -> tuple[str, ...]:
    """Return who may see a memory, as far as the actor may know."""
    owner = file.memory.owner or view.config.owner
    names = {seer.entity for one in audit_sight(view, memory=file.path) for seer in one.seen_by}
    return (owner, *sorted(names - {owner, EVERYBODY}))


def _is_in_history(view: View, path: str) -> bool:
    history = view.of(HISTORY)
    return not is_sealed_path(path) and history.repository is not None and bool(history.commits(path=path, limit=1))


# -- for a context alone -----------------------------------------------------------------------------


class _ContextKey(NamedTuple):
    """The key of a context, by its public part; None in a dry run that would make it.

    `files` name it for other clones, which can't find the key without; a key that was there may be in no commit yet.
    """

    key: str | None
    files: tuple[Written, ...] = ()
    is_new: bool = False


def _context_key(view: View, context: str, *, dry_run: bool = False) -> _ContextKey:
    """Return the key of a context, made where it has none.

    Its name stays in the context's file when the sealing is undone; otherwise `forget --shred` could not find the key.
    """
    stop_unless_owner(view, "seal memories for a context")
    file, key = context_sealing_key(view, context)
    if key is not None:
        data = view.own_file(file.path)
        return _ContextKey(key, (Written(file.path, data, data),))
    if dry_run:
        return _ContextKey(None, is_new=True)
    made = view.of(SEAL_KEYS).new_context_key(context)
    before = view.own_file(file.path) or b""
    named = registry.edited(file.path, file.kind, before, [SetValue(SEALING_KEY, made)])
    event = recorded(view, "context key", context=context, says=digest_of(named))
    return _ContextKey(made, (Written(file.path, before, named), event), is_new=True)


def context_sealing_key(view: View, context: str) -> tuple[RegistryFile, str | None]:
    """Return a context's file, and the public part of its sealing key; None if it has none.

    Raises:
        UsageError: it is not a context's id.
        NotFoundError: the context is not registered.
    """
    file = found(view, RegistryKind.CONTEXT, context_id(context))
    if file is None:
        hint = f"memstore context add {context}; memstore context list shows those that are"
        raise NotFoundError(f"{context} is not registered", hint=hint)
    return file, file.values.get(SEALING_KEY)


def sealed_for(view: View, key: str) -> Iterator[str]:
    """Yield the paths of the memories that are sealed for a context's key and that it opens here."""
    paths = view.column("path")
    for row in view.rows:
        if is_sealed_path(paths[row]) and view.of(SEALED).context_key_of(paths[row]) == key:
            yield paths[row]


def _stop_where_for_another(view: View, file: MemoryFile, used: _ContextKey | None) -> None:
    now = view.of(SEALED).context_key_of(file.path)
    if now is not None and (used is None or used.key != now):
        raise UsageError(
            f"{file.path} is sealed for a context's key alone",
            hint=f"memstore privacy unseal {file.memory.id}, then seal it anew",
        )


def require_context_key(view: View, context: str) -> tuple[str, str]:
    """Return the path of a context's file, and the public part of its sealing key, which is here.

    Raises:
        NotFoundError: the context is not registered, or nothing was ever sealed for it.
        RefusedError: its key is not on this machine.
    """
    file, key = context_sealing_key(view, context)
    if key is None:
        raise NotFoundError(
            f"{context} has no sealing key", hint=f"memstore privacy seal REF --context {context} makes one"
        )
    if not view.of(SEAL_KEYS).has_context_key(key):
        raise RefusedError(
            f"the sealing key of {context} is not here: {view.of(SEAL_KEYS).context_place(key)}",
            hint="whoever has a copy of it must destroy that one",
        )
    return file.path, key
