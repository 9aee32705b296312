"""Registry files: found by the id they hold, written anew, changed in place; every act is audited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

from memstore.access import registry
from memstore.access.audit import recorded
from memstore.access.registry import path_of
from memstore.core.change import Written
from memstore.core.errors import FormatError, RefusedError, UsageError, VaultError
from memstore.core.finding import Finding, Position
from memstore.core.finding_codes import CODES
from memstore.core.ids import is_entity_id
from memstore.core.places import RegistryKind, kind_of
from memstore.core.short_repr import short_repr
from memstore.core.transaction import save_own, shown, unified_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memstore.access.registry import RegistryFile
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.files.splice import Edit

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

    __repr__ = short_repr


def stop_unless_owner(view: View, act: str) -> None:
    """Let the vault's owner pass, in whatever context they act.

    Raises:
        RefusedError: somebody else acts.
    """
    if view.actor != view.config.owner:
        raise RefusedError(f"only the vault's owner may {act}", hint="ask the owner")


def entity_id(text: str, what: str) -> str:
    """Return an entity's id as it was given; `UsageError` where it is none."""
    if not is_entity_id(text):
        raise UsageError(f"{what} {text!r} is no entity id", hint="an entity id looks like human:sean or si:ash")
    return text


def registered(view: View, kind: RegistryKind) -> list[RegistryFile]:
    """Return all registry files of a kind that can be read, by id."""
    return sorted(filter(None, view.registry(kind).values()), key=lambda file: (file.values["id"], file.path))


def found(view: View, kind: RegistryKind, registry_id: str) -> RegistryFile | None:
    """Return the registry file of this very id; None where there is none.

    Raises:
        FormatError: the file where it belongs can't be read.
    """
    file = next((file for file in registered(view, kind) if file.values["id"] == registry_id), None)
    if file is None and kind not in (RegistryKind.CONSENT, RegistryKind.REQUEST):
        _stop_where_broken(view, kind, path_of(registry_id, kind))
    return file


def create(
    view: View,
    kind: RegistryKind,
    values: Mapping[str, Plain],
    *,
    body: str = "",
    verb: str,
    about: About,
    **saving: Unpack[Saving],
) -> Registered:
    """Write a new registry file, and the event that tells of it."""
    file = new_file(view, kind, values, body=body)
    return _saved(view, str(values["id"]), file, verb=verb, about=about, saving=saving)


def new_file(view: View, kind: RegistryKind, values: Mapping[str, Plain], *, body: str = "") -> Written:
    """Return a registry file that is not written yet."""
    year = f"{view.clock.now():%Y}" if kind is RegistryKind.CONSENT else ""
    path = path_of(str(values["id"]), kind, year=year)
    return Written(path, None, registry.written(kind, values, body))


def change(
    view: View,
    file: RegistryFile,
    edits: Sequence[Edit],
    *,
    verb: str,
    about: About,
    **saving: Unpack[Saving],
) -> Registered:
    """Change a registry file in place, and write the event that tells of it."""
    before = view.own_file(file.path) or b""
    after = registry.edited(file.path, file.kind, before, edits)
    written = Written(file.path, before, after)
    return _saved(view, file.values["id"], written, verb=verb, about=about, saving=saving)


def _saved(
    view: View,
    registry_id: str,
    file: Written,
    *,
    verb: str,
    about: About,
    saving: Saving,
) -> Registered:
    diff = unified_diff(file.path, file.before, file.after)
    files = [file, recorded(view, verb, **about)] if diff else []
    made = save_own(view, files, verb=verb, **saving)
    return Registered(id=registry_id, path=file.path, diff=diff, commit=made)


def new_id(view: View, prefix: str) -> str:
    """Return a new id for a record."""
    return prefix + view.ids.memory_id().removeprefix("m_")


def texts(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return a list of texts of a registry file; nothing where it has none."""
    value = values.get(key)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def plain(items: Iterable[str]) -> list[Plain]:
    """Return texts as a list of a file, each once."""
    return [*dict.fromkeys(items)]


def _stop_where_broken(view: View, kind: RegistryKind, path: str) -> None:
    try:
        data = view.own_file(path)
    except VaultError:
        return
    read = None if data is None else registry.read(path, kind, data)
    if isinstance(read, tuple):
        raise FormatError(f"{path} can't be read and is not touched:\n{shown(read)}", hint=f"memstore check {path}")


def consents_gone(before: Collection[str], now: Callable[[], Collection[str]]) -> list[Finding]:
    """Return an error for each consent's file that was there and is not: it may have refused, or taken something back.

    Args:
        before: paths that were there, of any files.
        now: gives the paths that are there; called only if needed. A file may have been moved.
    """
    consents = {path for path in before if kind_of(path) is RegistryKind.CONSENT}
    names = {path.rpartition("/")[2] for path in now() if kind_of(path) is RegistryKind.CONSENT} if consents else set()
    return [
        Finding(
            code="consent-deleted",
            severity=CODES["consent-deleted"].severity,
            path=path,
            at=Position(1),
            text="the file of a consent, a refusal or a revocation was committed, and is gone",
            hint="git restore --staged --worktree brings it back; memstore consent revoke takes a consent back",
        )
        for path in sorted(consents)
        if path.rpartition("/")[2] not in names
    ]
