"""What access keeps on this machine: the active context, shared stacks, the log of what others were shown, decisions.

Each acting entity and session has its own active context. The log of what others were shown has one JSON object per
line and is in no repository. Decisions are cached because deciding about every memory takes long; they are in the
user's cache, one file per viewer, which nobody else can write to.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from array import array
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memstore.core.errors import VaultError
from memstore.core.times import instant
from memstore.files.local_state import append_line, is_private, make_private, private_bytes, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.access.world import ActiveContext, BlobLabels


VERSION = 1


class ContextFile:
    """Stores the active context on disk.

    Args:
        state: the folder of the vault's local state; created when first needed.
        entity: who acts.
        session: distinguishes the sessions of one entity (MEMSTORE_SESSION); usually empty.
        declared: the context given to this process, which takes precedence over the one in the file.
    """

    def __init__(self, state: Path, *, entity: str, session: str = "", declared: str | None = None) -> None:
        name = hashlib.sha256(f"{entity}\0{session}".encode()).hexdigest()[:16]
        self._path = state / "contexts" / f"{name}.json"
        self.declared = declared

    @property
    def place(self) -> Path | None:
        """The file with the active context; it need not exist."""
        return self._path

    def current(self) -> ActiveContext | None:
        """Return the active context, expired or not; an ambiguous one if the file can't be read."""
        if self.declared is not None:
            from memstore.access.world import ActiveContext

            return ActiveContext(id=self.declared)
        try:
            return _read(self._path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return _read(b"")

    def enter(self, context: ActiveContext) -> None:
        """Store this context in place of the previous one; it must say when it expires."""
        if context.expires_at is None:
            raise ValueError("a context that is stored must expire")
        document = {
            "version": VERSION,
            "context": context.id,
            "participants": list(context.participants),
            "role": context.role,
            "expires_at": instant(context.expires_at),
        }
        try:
            make_private(self._path.parent.parent)
            make_private(self._path.parent)
            write_whole(self._path, json.dumps(document).encode(), mode=0o600)
        except OSError as error:
            raise VaultError(
                f"can't store the context in {self._path.parent}: {error.strerror}", hint="check its permissions"
            ) from error

    def leave(self) -> None:
        """Delete the stored context, so that none is active."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise VaultError(
                f"can't leave the context: {self._path}: {error.strerror}", hint="check its permissions"
            ) from error


class CallContext:
    """The context of one call of a server, which keeps nothing of it: each call says in which context it is.

    Args:
        active: the context of the call; None for none.
    """

    declared = place = None

    def __init__(self, active: ActiveContext | None = None) -> None:
        self._active = active

    def current(self) -> ActiveContext | None:
        """Return the context of the call, or the one that it entered."""
        return self._active

    def enter(self, context: ActiveContext) -> None:
        """Have the call be in this context from now on."""
        self._active = context

    def leave(self) -> None:
        """Have the call be in no context from now on."""
        self._active = None


def _read(data: bytes) -> ActiveContext:
    """Return the context that a file names; an unreadable file could name any, so it yields an ambiguous one."""
    from memstore.access.world import ActiveContext  # most of the time nobody is in a context

    try:
        document = json.loads(data)
        participants, role = document["participants"], document["role"]
        texts = [document["context"], *participants, *([] if role is None else [role])]
        if document["version"] != VERSION or not isinstance(participants, list) or not _are_texts(texts):
            return ActiveContext(id="", ambiguous=True)
        expires_at = datetime.fromisoformat(document["expires_at"])
        if expires_at.tzinfo is None:
            return ActiveContext(id="", ambiguous=True)
        return ActiveContext(id=document["context"], participants=tuple(participants), expires_at=expires_at, role=role)
    except (ValueError, KeyError, TypeError):
        return ActiveContext(id="", ambiguous=True)


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


# -- the interface to the active context -------------------------------------------------------------


# How long a context lasts by default; after that it is an error, never treated as no context.
DEFAULT_HOURS = 12


class ContextState(Protocol):
    """Storage for the active context."""

    @property
    def declared(self) -> str | None:
        """The context given to this process (`--context`, MEMSTORE_CONTEXT); it overrides the stored one."""

    @property
    def place(self) -> Path | None:
        """The file that keeps the active context; None if nothing is kept after the process."""

    def current(self) -> ActiveContext | None:
        """Return the active context, expired or not; an ambiguous one if the stored one can't be read."""

    def enter(self, context: ActiveContext) -> None:
        """Store this context in place of the previous one; it must say when it expires."""

    def leave(self) -> None:
        """Delete the stored context, so that none is active."""


# -- what an agent was shown -----------------------------------------------------------------------


class Quoted:
    """The external memories that an agent was shown, for as long as a context would last."""

    MOST = 50  # beyond this, those that were shown longest ago are dropped

    def __init__(self) -> None:
        self._shown: dict[str, datetime] = {}
        self._named: dict[str, None] = {}

    def note(self, refs: Iterable[str], now: datetime) -> None:
        """Note refs of external memories that are shown now."""
        for ref in refs:
            self._shown.pop(ref, None)
            self._shown[ref] = now
        while len(self._shown) > self.MOST:
            del self._shown[next(iter(self._shown))]

    def since(self, now: datetime) -> list[str]:
        """Return the refs of those that were shown lately."""
        return [ref for ref, at in self._shown.items() if now - at < timedelta(hours=DEFAULT_HOURS)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever noted."""
        return not self._shown

    def name(self, refs: Iterable[str]) -> None:
        """Note that what is being written names these as its sources."""
        self._named |= dict.fromkeys(refs)

    def take_named(self) -> list[str]:
        """Return what was named since the last call."""
        named, self._named = [*self._named], {}
        return named


class SessionsQuoted:
    """What hooks have shown in the sessions of an agent's program: one private file for each session, until it ends.

    Args:
        state: the folder of the vault's local state; created when first needed.
        actor: who acts.
    """

    MOST = 100  # beyond this, the sessions that were shown something longest ago are forgotten

    def __init__(self, state: Path, actor: str) -> None:
        self._folder, self._actor = state / "quoted", _named(actor)

    def note(self, session: str | None, refs: Iterable[str], now: datetime) -> None:
        """Note refs of external memories that a hook shows in a session now; `OSError` if that can't be kept."""
        shown = {**self._read(self._place(session)), **dict.fromkeys(refs, now)}
        last = dict(sorted(shown.items(), key=lambda one: one[1])[-Quoted.MOST :])
        if not last:
            return
        make_private(self._folder.parent)
        make_private(self._folder)
        document = {ref: at.isoformat() for ref, at in last.items()}
        write_whole(self._place(session), json.dumps(document).encode(), mode=0o600)
        kept = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in kept[self.MOST :]:
            path.unlink(missing_ok=True)

    def of(self, session: str | None) -> list[str]:
        """Return the refs of what was shown in a session, however long ago."""
        return [*self._read(self._place(session))]

    def since(self, now: datetime) -> list[str]:
        """Return the refs of what was shown lately in any session of the actor's that has not ended."""
        paths = self._folder.glob(f"{self._actor}-*.json")
        shown = {ref: at for path in paths for ref, at in self._read(path).items()}
        return [ref for ref, at in shown.items() if now - at < timedelta(hours=DEFAULT_HOURS)]

    def end(self, session: str | None) -> None:
        """Forget a session."""
        self._place(session).unlink(missing_ok=True)

    def _place(self, session: str | None) -> Path:
        return self._folder / f"{self._actor}-{_named(session or '')}.json"

    def _read(self, path: Path) -> dict[str, datetime]:
        if not is_private(self._folder):
            return {}
        with suppress(ValueError, TypeError, AttributeError):  # a garbled file says nothing
            said = {ref: datetime.fromisoformat(at) for ref, at in json.loads(private_bytes(path)).items()}
            return {ref: at for ref, at in said.items() if at.tzinfo}
        return {}


def _named(text: str) -> str:
    """Return a text as the name of a file."""
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


# -- shared stacks, on disk ------------------------------------------------------------------------


class DiskStacks:
    """The folders of stacks on this machine, by name: those mounted beside a vault, and those made from it.

    Of a folder it also says in which state its signature was found to hold.

    Args:
        state: the folder of the vault's local state; created when first needed.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / "stacks.json"

    @property
    def place(self) -> Path:
        """The file with the record."""
        return self._path

    def mounted(self) -> dict[str, str]:
        """Return the folders of mounted stacks; empty if the record can't be read."""
        return self._read().get("mounted", {})

    def shared(self) -> dict[str, str]:
        """Return the folders to which stacks were written."""
        return self._read().get("shared", {})

    def is_gone(self, name: str) -> bool:
        """Return whether the folder to which a stack was written is there no longer; False if none is known."""
        folder = self.shared().get(name)
        return folder is not None and not Path(folder).exists()

    def mount(self, name: str, folder: str) -> None:
        """Remember where a mounted stack is."""
        self._write({**self._read(), "mounted": {**self.mounted(), name: folder}})

    def forget(self, name: str) -> None:
        """Forget a mounted stack."""
        kept = {known: folder for known, folder in self.mounted().items() if known != name}
        states = self._read().get("checked", {})
        checked = {folder: state for folder, state in states.items() if folder in kept.values()}
        self._write({**self._read(), "mounted": kept, "checked": checked})

    def checked(self, folder: str) -> str | None:
        """Return a digest of the state in which the signature of the stack in a folder was found to hold."""
        return self._read().get("checked", {}).get(folder)

    def saw(self, folder: str, state: str) -> None:
        """Remember that the signature of the stack in a folder holds in a state; failures are ignored."""
        with suppress(VaultError):
            self._write({**self._read(), "checked": {**self._read().get("checked", {}), folder: state}})

    def share(self, name: str, folder: str) -> None:
        """Remember where a stack was written."""
        self._write({**self._read(), "shared": {**self.shared(), name: folder}})

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            said = json.loads(private_bytes(self._path))
            tables = {name: said[name] for name in ("mounted", "shared", "checked") if name in said}
        except (ValueError, TypeError):
            return {}
        sound = {name: table for name, table in tables.items() if isinstance(table, dict)}
        return {name: table for name, table in sound.items() if _are_texts([*table, *table.values()])}

    def _write(self, tables: dict[str, dict[str, str]]) -> None:
        try:
            make_private(self._path.parent)
            write_whole(self._path, json.dumps(tables, ensure_ascii=False).encode(), mode=0o600)
        except OSError as error:
            raise VaultError(
                f"can't store where the stack is in {self._path.parent}: {error.strerror}",
                hint="check its permissions",
            ) from error


# -- the log of what others were shown, on disk ----------------------------------------------------


NAME = "access.jsonl"


class DiskAccessLog:
    """Stores looks on disk.

    Args:
        state: the folder of the vault's local state; created when first needed.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / NAME

    def record(self, access: Access) -> None:
        """Record a look; failures are ignored."""
        said = {**access._asdict(), "at": instant(access.at)}
        with suppress(OSError):
            append_line(self._path, json.dumps(said, separators=(",", ":")).encode())

    def accesses(self) -> Iterator[Access]:
        """Yield all looks, oldest first; unreadable lines are skipped."""
        for line in private_bytes(self._path).split(b"\n"):
            with suppress(ValueError, TypeError, KeyError):
                said = json.loads(line)
                yield Access(
                    at=datetime.fromisoformat(said["at"]),
                    by=said["by"],
                    context=said["context"],
                    how=said["how"],
                    shown=tuple(said["shown"]),
                    denied=tuple(said["denied"]),
                )


class Access(NamedTuple):
    """One look by anybody but the owner alone: when, in UTC, who, in which context, and by what means (`how`).

    `shown` are the ids of memories that they were shown, `denied` those that they asked for and may not see.
    """

    at: datetime
    by: str
    context: str | None
    how: str
    shown: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


# -- cached decisions, on disk -----------------------------------------------------------------------


# Counted up with every rule of who may see: nothing else in a cached decision tells under which rules it was made.
VERDICTS_VERSION = 9


class VerdictCache:
    """A folder of cached verdicts.

    Args:
        cache: the folder for derived data of the vault; used only while nobody else can write to it.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def last(self, viewer: str) -> AccessVerdict | None:
        """Return the last verdict stored for a viewer, for whatever state; None if there is none that can be read."""
        if not (is_private(self._cache) and is_private(self._folder)):
            return None
        try:
            return _read_verdict(self._place(viewer).read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, viewer: str, verdict: AccessVerdict) -> None:
        """Store a verdict in place of the viewer's last one; failures are ignored."""
        with suppress(OSError):
            make_private(self._cache)
            make_private(self._folder)
            if is_private(self._cache) and is_private(self._folder):
                write_whole(self._place(viewer), _verdict_bytes(verdict), mode=0o600)

    @property
    def _folder(self) -> Path:
        return self._cache / "verdicts"

    def _place(self, viewer: str) -> Path:
        return self._folder / hashlib.sha256(viewer.encode()).hexdigest()[:32]


def _verdict_bytes(verdict: AccessVerdict) -> bytes:
    rows = array("q", verdict.rows).tobytes()
    facts = {"version": VERDICTS_VERSION, "byteorder": sys.byteorder, "state": verdict.state, "since": verdict.since}
    header = json.dumps(facts | {"until": verdict.until}).encode() + b"\n" + rows
    return b"%08x %s" % (zlib.crc32(header), header)


def _read_verdict(data: bytes) -> AccessVerdict | None:
    whole = data[9:]
    if int(data[:8], 16) != zlib.crc32(whole):
        return None
    line, _, packed = whole.partition(b"\n")
    facts = json.loads(line)
    if (facts["version"], facts["byteorder"]) != (VERDICTS_VERSION, sys.byteorder):
        return None
    rows = array("q")
    rows.frombytes(packed)
    return AccessVerdict(facts["state"], facts["since"], facts["until"], rows)


# -- what blobs say of who may see them, on disk -----------------------------------------------------


LABELS_VERSION = 4
_MOST_BLOBS = 200_000
_LABELS_FOLDER = "pushed"


class LabelsCache:
    """A file with the labels of blobs, by blob. A blob never changes, so nothing in it gets old.

    Decisions are not kept: they depend on registries and time, too, and few labels differ.

    Args:
        cache: the folder for derived data of the vault. Its part for labels is used only while nobody else can write
            to it.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache / _LABELS_FOLDER

    def load(self) -> dict[str, BlobLabels]:
        """Return what was kept, by blob; nothing if it can't be read."""
        from memstore.access.label_reader import labels_in

        if not is_private(self._cache):
            return {}
        try:
            document = json.loads(self._place.read_bytes())
            return labels_in(document) if document["version"] == LABELS_VERSION else {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            return {}

    def keep(self, found: Mapping[str, BlobLabels]) -> None:
        """Store these in place of what was kept; failures are ignored."""
        from memstore.access.label_reader import document_of

        document = {"version": LABELS_VERSION, **document_of([*found.items()][-_MOST_BLOBS:])}
        with suppress(OSError):
            make_private(self._cache)
            if is_private(self._cache):
                write_whole(self._place, json.dumps(document).encode(), mode=0o600)

    def drop(self) -> None:
        """Delete what was kept, because it has titles; failures are ignored, as for the index beside it."""
        with suppress(OSError):
            self._place.unlink()

    @property
    def _place(self) -> Path:
        return self._cache / "labels.json"


class AccessVerdict(NamedTuple):
    """The rows that may be seen, ascending, for the `state` of the vault on which they were decided.

    They are valid from `since` until just before `until`, in seconds since 1970; None means without end.
    """

    state: str
    since: float
    until: float | None
    rows: Sequence[int]
