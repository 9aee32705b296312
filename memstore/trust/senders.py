"""Whose key signed a shared stack: its sender signs the manifest, which has the digest of every file.

With the first stack that is loaded of a sender, their key is pinned in the user's settings (docs/adr/0046).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.access.stack import written
from memstore.core.errors import FormatError, RefusedError
from memstore.trust import PINS, SIGNATURES, sshsig

if TYPE_CHECKING:
    from memstore.access.stack import Stack
    from memstore.core.view import View
    from memstore.trust.keyring import PublicKey
    from memstore.trust.signatures import Signatures
    from memstore.trust.sshsig import SshSignature

# What a signature of a stack is for; it counts for nothing else, and no other counts for a stack.
NAMESPACE = "stack@memstore.dev"
_CERTIFICATE = "-cert.pub"
_ASK = "ask whoever gave it to you for a new copy"


def signed(stack: Stack, signatures: Signatures) -> Stack:
    """Return a stack with its sender's signature; one whose sender has no key stays unsigned.

    Raises:
        VaultError: the key can't be used.
    """
    if signatures.own_key is None:
        return replace(stack, signature=None)
    made = signatures.sign(_message(stack), namespace=NAMESPACE, key=signatures.own_key)
    return replace(stack, signature=made)


def needs_signature(stack: Stack, signatures: Signatures) -> bool:
    """Return whether its sender would sign a stack with another key than it is signed with, if with any."""
    if signatures.own_key is None:
        return False
    try:
        made = signature_of(stack)
    except FormatError:
        return True
    return made is None or made.key != signatures.public_key(signatures.own_key.removesuffix(_CERTIFICATE))


def signature_of(stack: Stack) -> SshSignature | None:
    """Return the signature of a stack, not checked; None if it has none, `FormatError` if it is malformed."""
    if stack.signature is None:
        return None
    try:
        return sshsig.read(stack.signature, namespace=NAMESPACE)
    except FormatError as error:
        raise FormatError(f"the signature of the stack {stack.name} is none: {error}", hint=_ASK) from error


def require_valid(stack: Stack, signature: SshSignature, signatures: Signatures) -> None:
    """Raise `FormatError` unless a signature is over this manifest; `VaultError` if nothing here can check it."""
    if not signatures.holds(signature, _message(stack)):
        raise FormatError(
            f"the signature of the stack {stack.name} doesn't hold: its manifest was changed, or it is another's",
            hint=_ASK,
        )


def require_pinned(stack: Stack, key: PublicKey | None, pinned: str | None) -> None:
    """Raise `RefusedError` unless a sender's stack is signed with the key that is pinned as theirs, if one is."""
    if pinned is None or (key and key.fingerprint == pinned):
        return
    how = f"is signed with {key.fingerprint}" if key else "is not signed"
    raise RefusedError(
        f"the stack {stack.name} says that it is from {stack.by} and {how}; the key of {stack.by} is {pinned}",
        hint=f"ask {stack.by}; if they say that it is theirs: memstore share load DIR --accept-key",
    )


def accept(view: View, stack: Stack, *, any_key: bool) -> bool:
    """Pin the key of a stack that is being loaded as its sender's; return whether nobody knew it before.

    Args:
        view: the vault; a line for the sender in its pinned keyring makes their key known.
        stack: the stack.
        any_key: whether the user accepts another key than the one that is known, or none.

    Raises:
        FormatError: the signature doesn't hold.
        RefusedError: it is by another key than the sender's, or there is none, or the key was revoked.
        VaultError: nothing here can check it.
    """
    made = signature_of(stack)
    pinned = view.of(PINS).sender(stack.by)
    if made is None:
        if not any_key:
            require_pinned(stack, None, pinned)
        elif pinned:
            view.of(PINS).pin_sender(stack.by, None)
        return False
    require_valid(stack, made, view.of(SIGNATURES))
    from memstore.trust.read_keyring import read_keyring  # it reads git's history, which only `load` needs

    keyring, _ = read_keyring(view)
    if keyring.is_revoked(made.key, made.certificate):
        raise RefusedError(f"the key of the stack {stack.name}, {made.key.fingerprint}, was revoked", hint=_ASK)
    now = view.clock.now()
    known = {one.key.fingerprint for one in keyring.signers
             if one.pinned and stack.by in one.principals and not one.authority and one.is_valid_at(now)}  # fmt: skip
    found = made.key.fingerprint
    if found not in known and not any_key:
        require_pinned(stack, made.key, pinned or next(iter(sorted(known)), None))
    if found != pinned:
        view.of(PINS).pin_sender(stack.by, found)
    return pinned is None and found not in known


def _message(stack: Stack) -> bytes:
    return written(replace(stack, signature=None))
