"""Registry files: found by the id they hold, written anew, changed in place; every act is audited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

from memstore.codec import registry_file
from memstore.errors import FormatError, RefusedError, UsageError, VaultError
from memstore.flows.audit import recorded
from memstore.flows.save import save_own, told, unified_diff
from memstore.model.ids import is_entity_id
from memstore.model.registry import RegistryKind, kind_of, path_of
from memstore.ports.journal import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memstore.codec.registry_file import RegistryFile
    from memstore.codec.render import Plain
    from memstore.codec.splice import Edit
    from memstore.ports.workspace import Workspace

    # What an act is about: ids, or lists of them.
    About = Mapping[str, str | list[str] | None]


class Saving(TypedDict, total=False):
    """How something is written: not at all but for show (`dry_run`), or committed too (`commit`)."""

    dry_run: bool
    commit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What became of a registry file, or would: `diff` is the unified diff, empty where nothing changes."""

    id: str
    path: str
    diff: str
    commit: str | None = None


def stop_unless_owner(ws: Workspace, act: str) -> None:
    """Let the vault's owner pass, in whatever context they act.

    Raises:
        RefusedError: somebody else acts.
    """
    if ws.actor != ws.config.owner:
        raise RefusedError(f"only the vault's owner may {act}", hint="ask the owner")


def entity_id(text: str, what: str) -> str:
    """Return an entity's id as it was given; `UsageError` where it is none."""
    if not is_entity_id(text):
        raise UsageError(f"{what} {text!r} is no entity id", hint="an entity id looks like human:sean or si:ash")
    return text


def registered(ws: Workspace, kind: RegistryKind) -> list[RegistryFile]:
    """Return all registry files of a kind that can be read, by id."""
    files = [read for path in ws.vault.registry_files() if kind_of(path) is kind and (read := _read(ws, path, kind))]
    return sorted(files, key=lambda file: (file.values["id"], file.path))


def found(ws: Workspace, kind: RegistryKind, registry_id: str) -> RegistryFile | None:
    """Return the registry file of this very id; None where there is none.

    Raises:
        FormatError: the file where it belongs can't be read.
    """
    file = next((file for file in registered(ws, kind) if file.values["id"] == registry_id), None)
    if file is None and kind not in (RegistryKind.CONSENT, RegistryKind.REQUEST):
        _stop_where_broken(ws, kind, path_of(registry_id, kind))
    return file


def create(
    ws: Workspace,
    kind: RegistryKind,
    values: Mapping[str, Plain],
    *,
    body: str = "",
    verb: str,
    about: About,
    **saving: Unpack[Saving],
) -> Registered:
    """Write a new registry file, and the event that tells of it."""
    file = new_file(ws, kind, values, body=body)
    return _saved(ws, str(values["id"]), file, verb=verb, about=about, saving=saving)


def new_file(ws: Workspace, kind: RegistryKind, values: Mapping[str, Plain], *, body: str = "") -> Written:
    """Return a registry file that is not written yet."""
    year = f"{ws.clock.now():%Y}" if kind is RegistryKind.CONSENT else ""
    path = path_of(str(values["id"]), kind, year=year)
    return Written(path, None, registry_file.written(kind, values, body))


def change(
    ws: Workspace,
    file: RegistryFile,
    edits: Sequence[Edit],
    *,
    verb: str,
    about: About,
    **saving: Unpack[Saving],
) -> Registered:
    """Change a registry file in place, and write the event that tells of it."""
    before = ws.vault.read(file.path)
    after = registry_file.edited(file.path, file.kind, before, edits)
    written = Written(file.path, before, after)
    return _saved(ws, file.values["id"], written, verb=verb, about=about, saving=saving)


def _saved(
    ws: Workspace,
    registry_id: str,
    file: Written,
    *,
    verb: str,
    about: About,
    saving: Saving,
) -> Registered:
    diff = unified_diff(file.path, file.before, file.after)
    files = [file, recorded(ws, verb, **about)] if diff else []
    made = save_own(ws, files, verb=verb, **saving)
    return Registered(id=registry_id, path=file.path, diff=diff, commit=made)


def new_id(ws: Workspace, prefix: str) -> str:
    """Return a new id for a record."""
    return prefix + ws.ids.memory_id().removeprefix("m_")


def texts(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return a list of texts of a registry file; nothing where it has none."""
    value = values.get(key)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def plain(items: Iterable[str]) -> list[Plain]:
    """Return texts as a list of a file, each once."""
    return [*dict.fromkeys(items)]


def _read(ws: Workspace, path: str, kind: RegistryKind) -> RegistryFile | None:
    try:
        read = registry_file.read(path, kind, ws.vault.read(path))
    except VaultError:
        return None
    return None if isinstance(read, tuple) else read


def _stop_where_broken(ws: Workspace, kind: RegistryKind, path: str) -> None:
    try:
        read = registry_file.read(path, kind, ws.vault.read(path))
    except VaultError:
        return
    if isinstance(read, tuple):
        raise FormatError(f"{path} can't be read and is not touched:\n{told(read)}", hint=f"memstore check {path}")
