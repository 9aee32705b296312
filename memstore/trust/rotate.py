"""Rotation: replaces an old key with a new one, with a statement by both that this is intended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from memstore.access.audit import entity_id, stop_unless_owner
from memstore.core.change import Written
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed
from memstore.trust import SIGNATURES, allowed_signers
from memstore.trust.formats import rotation
from memstore.trust.formats.rotation import Rotation, SignedRotation
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE, ROTATIONS
from memstore.trust.keys import KeysChanged, changed, problem_of, text_of, with_line
from memstore.trust.read_keyring import own_bytes, read_keyring

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.core.view import View
    from memstore.trust.keyring import PublicKey, Signer
    from memstore.trust.signatures import Signatures


@again_where_changed
def rotate_key(
    view: View, entity: str, key: str, *, old: str | None = None, signed: bytes | None = None, **saving: Unpack[Saving]
) -> KeysChanged:
    """Replace an entity's key with a new one: from now on, the old one can't sign anything.

    What it signed before still counts if a stamp, or a keeper's commit, proves that it is older.

    Args:
        view: the vault.
        entity: whose key it is.
        key: the new key's file, or its .pub.
        old: the old key's; None is the only one they have, or the one that the user's settings name.
        signed: a statement that the entity signed elsewhere, instead of one signed here; see `statement_by_both`.
        saving: dry_run, commit.

    Raises:
        RefusedError: somebody other than the vault's owner acts, or the old key is not here to sign.
        UsageError: it is the key that they already have, or it is not clear which one is the old one.
        NotFoundError: the entity has no key.
        FormatError: `signed` is not a statement about these keys by both of them.
    """
    stop_unless_owner(view, "rotate keys")
    public, now = view.of(SIGNATURES).public_key(key), view.clock.now()
    lines = [one for one in _lines_of(view, entity, now) if one.line]
    if any(one.key == public for one in lines):
        raise UsageError(
            f"{public.fingerprint} is already the key of {entity}", hint="make another one with ssh-keygen"
        )
    if signed is None:
        former = _old_key(view, entity, lines, old)
        statement = statement_by_both(view.of(SIGNATURES), entity, former, key, at=instant(now))
    else:
        statement = _checked(view.of(SIGNATURES), entity, signed, public)
    ending = [one for one in lines if one.key == statement.rotation.old]
    if not ending:
        raise UsageError(
            f"{statement.rotation.old.fingerprint} is not a key of {entity}", hint="memstore trust keys list"
        )
    written = _rotation_files(view, ending, statement, now)
    return changed(view, written, entity, [public], verb="keys rotate", **saving)


def statement_by_both(signatures: Signatures, entity: str, old: str, new: str, *, at: str) -> SignedRotation:
    """Return the statement that a key replaces another, signed with both; it needs no vault.

    Args:
        signatures: makes the signatures.
        entity: whose keys they are.
        old: the old key's file, or its .pub if an ssh-agent holds it.
        new: the new one's.
        at: the time of the replacement, RFC 3339 in UTC.

    Raises:
        RefusedError: one of them is not here to sign.
        UsageError: it is the same key.
    """
    keys = {signatures.public_key(named): named for named in (old, new)}
    if len(keys) == 1:
        raise UsageError(f"{old} and {new} are the same key", hint="name the new key, and the old one with --old")
    said = Rotation(entity_id(entity, "the holder"), at, *keys)
    message, made = rotation.message(said), {}
    for key, named in keys.items():
        try:
            made[key.fingerprint] = signatures.sign(message, namespace=ATTEST_NAMESPACE, key=named)
        except VaultError as error:
            raise RefusedError(
                f"{key.fingerprint} can't sign the rotation here: {error}",
                hint=f"if it is lost: memstore trust keys revoke {key.fingerprint}, then memstore trust keys add "
                f"{entity} FILE.pub",
            ) from error
    return SignedRotation(said, made)


def _checked(signatures: Signatures, entity: str, data: bytes, new: PublicKey) -> SignedRotation:
    """Return the statement that was signed elsewhere, if it names this entity and this new key."""
    found = rotation.read(data.strip())
    problem = problem_of(signatures, found)
    if (found.rotation.agent, found.rotation.new) != (entity, new):
        said = found.rotation
        problem = f"it is about {said.agent} and {said.new.fingerprint}, not about {entity} and {new.fingerprint}"
    if problem:
        raise FormatError(
            f"the rotation statement is not accepted: {problem}", hint="memstore trust keys rotate --print"
        )
    return found


def _lines_of(view: View, entity: str, now: datetime) -> list[Signer]:
    """Return the lines with which an entity signs now; `NotFoundError` if there are none."""
    keyring, _ = read_keyring(view)
    lines = keyring.lines_of(entity, ATTEST_NAMESPACE)
    ours = [one for one in lines if one.is_valid_at(now) and not one.authority and not keyring.is_revoked(one.key)]
    if not ours:
        raise NotFoundError(f"{entity} has no key that counts", hint=f"memstore trust keys add {entity} FILE.pub")
    return ours


def _old_key(view: View, entity: str, lines: Sequence[Signer], named: str | None) -> str:
    """Return the file of the key to replace: the one that was named, or the user's own if it is the entity's."""
    keys = {one.key for one in lines}
    own = named or view.of(SIGNATURES).own_key
    if own is None or (named is None and view.of(SIGNATURES).public_key(own) not in keys):
        told = " or ".join(sorted(key.fingerprint for key in keys))
        raise RefusedError(
            f"the old key of {entity} must sign, too: {told}",
            hint=(
                f"name it with --old FILE, or let {entity} sign elsewhere (--print) and import that (--signed FILE); "
                f"if it is lost: memstore trust keys revoke {entity}, then memstore trust keys add {entity} FILE.pub"
            ),
        )
    return own


def _rotation_files(view: View, ending: Sequence[Signer], statement: SignedRotation, now: datetime) -> list[Written]:
    """Return both files: the old lines ended and the new one added, and the statement."""
    before, known = own_bytes(view, ALLOWED_SIGNERS), own_bytes(view, ROTATIONS)
    lines = text_of(before).splitlines(keepends=True)
    for one in ending:
        lines[one.line - 1] = allowed_signers.ended(lines[one.line - 1], now)
    principals = list(dict.fromkeys(name for one in ending for name in one.principals))
    namespaces = list(dict.fromkeys(name for one in ending for name in one.namespaces))
    text = with_line("".join(lines), allowed_signers.signer_line(principals, statement.rotation.new, namespaces))
    told = with_line(text_of(known), rotation.written(statement))
    return [
        Written(ALLOWED_SIGNERS, before, text.encode("utf-8", "surrogateescape")),
        Written(ROTATIONS, known, told.encode("utf-8", "surrogateescape")),
    ]
