"""Changes of the vault's own files between two commits, in words: consents, entities, groups, settings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.access import registry
from memstore.access.registry import RegistryFile
from memstore.core.config import CONFIG_PATH
from memstore.core.places import RegistryKind, is_audit_path, kind_of
from memstore.history import HISTORY
from memstore.history.changes import key_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.core.view import View

    # What a file says, by key; None where there is no file, or one that can't be read.
    Said = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnChange:
    """A change to one file of the vault's own: `done` is `added`, `changed` or `removed`, `text` what that means.

    `kind` is the kind of a registry file; `audit` or `settings` for the others. `text` is empty if all that can be said
    is that the file differs.
    """

    kind: str
    id: str | None
    path: str
    done: str
    text: str


def own_changes(view: View, base: str, head: str) -> tuple[OwnChange, ...]:
    """Return the changes of the vault's own files, by path; events added to the audit are left out.

    Args:
        view: the vault, as its owner.
        base: a commit.
        head: a commit.
    """
    before, after = view.of(HISTORY).own_files_at(base), view.of(HISTORY).own_files_at(head)
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    told = [path for path in paths if path in before or not is_audit_path(path)]
    data = view.blobs(blob for path in told for blob in (before.get(path), after.get(path)) if blob)
    return tuple(_change(path, data.get(before.get(path, "")), data.get(after.get(path, ""))) for path in told)


def _change(path: str, before: bytes | None, after: bytes | None) -> OwnChange:
    done = "added" if before is None else "removed" if after is None else "changed"
    kind = kind_of(path)
    if kind is None:
        text = ", ".join(_settings(before, after)) if path == CONFIG_PATH else ""
        return OwnChange(kind="audit" if is_audit_path(path) else "settings", id=None, path=path, done=done, text=text)
    old, new = (registry.read(path, kind, data) if data is not None else None for data in (before, after))
    was, now = (file.values if isinstance(file, RegistryFile) else None for file in (old, new))
    said = now or was or {}
    words = ["can't be read"] if isinstance(new, tuple) else list(_words(kind, was, now))
    return OwnChange(
        kind=str(said.get("type") or kind.name.lower()),
        id=said.get("id"),
        path=path,
        done=done,
        text=", ".join(words),
    )


def _words(kind: RegistryKind, was: Said, now: Said) -> Iterator[str]:
    if kind in (RegistryKind.CONSENT, RegistryKind.REQUEST) and (was is None or now is None):
        yield _record(now or was or {})
        return
    if kind is RegistryKind.VERDICT and (was is None or now is None):
        yield _verdict(now or was or {})
        return
    old, new = was or {}, now or {}
    for name in dict.fromkeys((*new, *old)):
        if name not in ("type", "id"):
            yield from key_change(name, _plain(old.get(name), new.get(name)), _plain(new.get(name), old.get(name)))


def _record(said: Mapping[str, Any]) -> str:
    """Return what a consent, a refusal, a delegation, a revocation or a request says."""
    who = str(said.get("grantor") or "")
    if behalf := said.get("on_behalf_of"):
        who += f" for {behalf}"
    to, scope = said.get("grantee") or "", said.get("scope") or ""
    match said.get("type"), said.get("effect"):
        case "revocation", _:
            text = f"{who} takes {said.get('revokes')} back"
        case "delegation", _:
            text = f"{who} lets {to} consent to {scope}"
        case "consent", "deny":
            text = f"{who} refuses {to} {scope}"
        case "consent", _:
            text = f"{who} lets {to} see {scope}"
        case _:
            text = f"{who} is asked: {to} {scope}".rstrip()
    ends = f" until {said['expires_at']}" if said.get("expires_at") else ""
    reason = f": {said['reason']}" if said.get("reason") else ""
    return text.replace(" * ", " everybody ") + ends + reason


def _verdict(said: Mapping[str, Any]) -> str:
    """Return who judged what, of which memories."""
    by = f"{said.get('judged_by')} with {said['model']}" if said.get("model") else said.get("judged_by")
    refs = [str(side.get("ref")) for side in said.get("judged") or ()]
    reason = f": {said['reason']}" if said.get("reason") else ""
    return f"{by} judged {' and '.join(refs)}: {said.get('verdict')}{reason}"


def _plain(value: Any, other: Any) -> Any:
    """Return a value in a form to compare in words: a list as a tuple of texts, even if only the other is a list."""
    if isinstance(value, list):
        return tuple(" ".join(map(str, item.values())) if isinstance(item, dict) else str(item) for item in value)
    if isinstance(value, dict):
        return tuple(
            f"{name}: {' '.join(map(str, item)) if isinstance(item, list) else item}" for name, item in value.items()
        )
    return () if value is None and isinstance(other, list | dict) else value


def _settings(before: bytes | None, after: bytes | None) -> Iterator[str]:
    old, new = _toml(before), _toml(after)
    for name in dict.fromkeys((*new, *old)):
        yield from key_change(name, _plain(old.get(name), new.get(name)), _plain(new.get(name), old.get(name)))


def _toml(data: bytes | None) -> dict[str, Any]:
    try:
        return tomllib.loads((data or b"").decode(errors="replace"))
    except tomllib.TOMLDecodeError:
        return {}
