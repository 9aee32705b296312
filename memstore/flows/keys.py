"""Whose keys count in this vault: enrol, list, end and revoke them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import allowed_signers
from memstore.errors import NotFoundError, RefusedError, UsageError
from memstore.flows.registry import entity_id, stop_unless_owner
from memstore.flows.save import save_own, unified_diff
from memstore.flows.vouch import own_bytes, read_keyring
from memstore.model.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE, COMMIT_NAMESPACE, REVOKED_KEYS
from memstore.ports.journal import Written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.model.finding import Finding
    from memstore.model.keyring import Keyring, PublicKey, Signer
    from memstore.ports.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysChanged:
    """What became of the keyring, or would: the keys that it was about, and the unified diff, empty where it stays."""

    entity: str
    keys: tuple[PublicKey, ...]
    path: str
    diff: str
    commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKey:
    """One line of the keyring, and how it stands: `valid`, `revoked`, `expired` or `not yet`."""

    signer: Signer
    standing: str


def list_keys(ws: Workspace) -> tuple[tuple[KnownKey, ...], tuple[Finding, ...]]:
    """Return all keys of the vault in the file's order, and what is wrong with the files.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    stop_unless_owner(ws, "see its keys")
    keyring, findings = read_keyring(ws)
    now = ws.clock.now()
    return tuple(KnownKey(signer=one, standing=_standing(one, keyring, now)) for one in keyring.signers), findings


def add_key(
    ws: Workspace,
    entity: str,
    key: str,
    *,
    keeper: bool = False,
    dry_run: bool = False,
    commit: bool = False,
) -> KeysChanged:
    """Enrol a key: what it signs counts as the entity's word from now on.

    Args:
        ws: the vault.
        entity: whose key it is.
        key: the file of the key, or its .pub.
        keeper: whether commits that it signs may change the keyring itself.
        dry_run: write nothing, and return what would be.
        commit: commit the change, too.

    Raises:
        RefusedError: somebody else than the vault's owner acts, or the key was revoked.
        UsageError: `entity` is no entity id.
        VaultError: there is no such key.
    """
    stop_unless_owner(ws, "enrol keys")
    entity_id(entity, "the holder")
    public = ws.signatures.public_key(key)
    keyring, _ = read_keyring(ws)
    if public.blob in keyring.revoked:
        raise RefusedError(f"{public.fingerprint} was revoked, and counts no more", hint="make another: ssh-keygen")
    namespaces = [ATTEST_NAMESPACE, COMMIT_NAMESPACE] if keeper else [ATTEST_NAMESPACE]
    held = [one for one in keyring.lines_of(entity, ATTEST_NAMESPACE) if one.key == public]
    if any(one.valid_before is None and set(namespaces) <= set(one.namespaces) for one in held):
        return KeysChanged(entity=entity, keys=(public,), path=ALLOWED_SIGNERS, diff="")
    before = own_bytes(ws, ALLOWED_SIGNERS)
    text = _with_line(_text(before), allowed_signers.signer_line([entity], public, namespaces))
    change = Written(ALLOWED_SIGNERS, before, text.encode("utf-8", "surrogateescape"))
    return _changed(ws, change, entity, [public], verb="keys add", dry_run=dry_run, commit=commit)


def revoke_key(ws: Workspace, named: str, *, dry_run: bool = False, commit: bool = False) -> KeysChanged:
    """Revoke a key, or all keys of an entity: nothing that they signed counts any more, whenever it was signed.

    Args:
        ws: the vault.
        named: a fingerprint as `keys list` shows it, or an entity id.
        dry_run: write nothing, and return what would be.
        commit: commit the change, too.

    Raises:
        RefusedError: somebody else than the vault's owner acts.
        NotFoundError: the keyring has no such key.
    """
    stop_unless_owner(ws, "revoke keys")
    keyring, _ = read_keyring(ws)
    found = [one for one in keyring.signers if named in (one.key.fingerprint, *one.principals)]
    if not found:
        raise NotFoundError(f"no key answers to `{named}`", hint="memstore keys list shows them")
    keys = list(dict.fromkeys(one.key for one in found if one.key.blob not in keyring.revoked))
    before = own_bytes(ws, REVOKED_KEYS)
    text = _text(before)
    for key in keys:
        text = _with_line(text, f"{key.type} {key.base64} {named if named != key.fingerprint else ''}".rstrip())
    change = Written(REVOKED_KEYS, before, text.encode("utf-8", "surrogateescape"))
    return _changed(ws, change, found[0].principals[0], keys, verb="keys revoke", dry_run=dry_run, commit=commit)


def rotate_key(ws: Workspace, entity: str, key: str, *, dry_run: bool = False, commit: bool = False) -> KeysChanged:
    """Put a new key in the place of an entity's: the old ones sign nothing from now on.

    What they signed before goes on to count where an anchor proves that it is older.

    Args:
        ws: the vault.
        entity: whose key it is.
        key: the file of the new key, or its .pub.
        dry_run: write nothing, and return what would be.
        commit: commit the change, too.

    Raises:
        RefusedError: somebody else than the vault's owner acts.
        UsageError: it is the key that they have.
        NotFoundError: the entity has no key.
    """
    stop_unless_owner(ws, "rotate keys")
    public, now = ws.signatures.public_key(key), ws.clock.now()
    keyring, _ = read_keyring(ws)
    ending = [one for one in keyring.lines_of(entity, ATTEST_NAMESPACE) if one.is_valid_at(now)]
    if not ending:
        raise NotFoundError(f"{entity} has no key that counts", hint=f"memstore keys add {entity} FILE.pub")
    if any(one.key == public for one in ending):
        raise UsageError(f"{public.fingerprint} is the key that {entity} has", hint="make another: ssh-keygen")
    before = own_bytes(ws, ALLOWED_SIGNERS)
    lines = _text(before).splitlines(keepends=True)
    for one in ending:
        lines[one.line - 1] = allowed_signers.ended(lines[one.line - 1], now)
    namespaces = list(dict.fromkeys(name for one in ending for name in one.namespaces))
    text = _with_line("".join(lines), allowed_signers.signer_line([entity], public, namespaces))
    change = Written(ALLOWED_SIGNERS, before, text.encode("utf-8", "surrogateescape"))
    return _changed(ws, change, entity, [public], verb="keys rotate", dry_run=dry_run, commit=commit)


def _standing(signer: Signer, keyring: Keyring, now: datetime) -> str:
    if signer.key.blob in keyring.revoked:
        return "revoked"
    if signer.valid_after is not None and now < signer.valid_after:
        return "not yet"
    return "valid" if signer.is_valid_at(now) else "expired"


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _with_line(text: str, line: str) -> str:
    return f"{text}\n{line}\n" if text and not text.endswith("\n") else f"{text}{line}\n"


def _changed(
    ws: Workspace,
    change: Written,
    entity: str,
    keys: Sequence[PublicKey],
    *,
    verb: str,
    dry_run: bool,
    commit: bool,
) -> KeysChanged:
    diff = unified_diff(change.path, change.before, change.after)
    made = save_own(ws, [change] if diff else [], verb=verb, dry_run=dry_run, commit=commit and bool(diff))
    return KeysChanged(entity=entity, keys=tuple(keys), path=change.path, diff=diff, commit=made)
