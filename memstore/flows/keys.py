"""Whose keys count in this vault: enrol, list, end and revoke them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.codec import allowed_signers
from memstore.errors import NotFoundError, RefusedError, UsageError
from memstore.flows.keyring import own_bytes, read_keyring
from memstore.flows.registry import entity_id, stop_unless_owner
from memstore.flows.save import save_own, unified_diff
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
    """What became of the keyring, or would: the keys that it was about, and the unified diff, empty where it stays.

    `pinned` is whether the vault is; then `counts` says whether the change does so for others, too.
    """

    entity: str
    keys: tuple[PublicKey, ...]
    path: str
    diff: str
    commit: str | None = None
    pinned: bool = False
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKey:
    """One line of the keyring, and how it stands: `valid`, `revoked`, `expired`, `not yet` or `not counted`."""

    signer: Signer
    standing: str

    @property
    def is_good(self) -> bool:
        """Whether it counts for anything at all."""
        return self.standing in ("valid", "expired", "not yet")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKeys:
    """All keys of a vault, the commit that the user pinned (None: none), and what is wrong with the files."""

    keys: tuple[KnownKey, ...]
    pin: str | None
    findings: tuple[Finding, ...]


def list_keys(ws: Workspace) -> KnownKeys:
    """Return all keys of the vault in the file's order, those last that the file no longer has.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
    """
    stop_unless_owner(ws, "see its keys")
    keyring, findings = read_keyring(ws)
    now = ws.clock.now()
    known = [KnownKey(signer=one, standing=_standing(one, keyring, now)) for one in keyring.signers]
    known += [KnownKey(signer=one, standing="not counted") for one in keyring.uncounted]
    known.sort(key=lambda one: (one.signer.line == 0, one.signer.line))
    return KnownKeys(keys=tuple(known), pin=keyring.pin, findings=findings)


def add_key(
    ws: Workspace,
    entity: str,
    key: str,
    *,
    keeper: bool = False,
    authority: bool = False,
    dry_run: bool = False,
    commit: bool = False,
) -> KeysChanged:
    """Enrol a key: what it signs counts as the entity's word from now on.

    Args:
        ws: the vault.
        entity: whose key it is.
        key: the file of the key, or its .pub.
        keeper: whether commits that it signs may change the keyring itself.
        authority: whether it certifies keys for the entity, and signs nothing else.
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
    lines = keyring.lines_of(entity, ATTEST_NAMESPACE)
    held = [one for one in lines if (one.key, one.authority) == (public, authority)]
    if any(one.valid_before is None and set(namespaces) <= set(one.namespaces) for one in held):
        return KeysChanged(entity=entity, keys=(public,), path=ALLOWED_SIGNERS, diff="")
    before = own_bytes(ws, ALLOWED_SIGNERS)
    text = _with_line(_text(before), allowed_signers.signer_line([entity], public, namespaces, authority=authority))
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
    lines_of = keyring.lines_of(entity, ATTEST_NAMESPACE)
    ending = [one for one in lines_of if one.is_valid_at(now) and not one.authority]
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
    pinned = ws.pins.commit is not None
    counts = not pinned or (made is not None and _is_by_keeper(ws, change))
    return KeysChanged(
        entity=entity, keys=tuple(keys), path=change.path, diff=diff, commit=made, pinned=pinned, counts=counts
    )


def _is_by_keeper(ws: Workspace, change: Written) -> bool:
    """Whether a change that was committed counts by a keeper's signature."""
    keyring, findings = read_keyring(ws)
    if keyring.unreadable or any(finding.code == "key-uncounted" for finding in findings):
        return False
    now = allowed_signers.read(own_bytes(ws, ALLOWED_SIGNERS), own_bytes(ws, REVOKED_KEYS))[0]
    return change.path != REVOKED_KEYS or now.revoked == keyring.revoked
