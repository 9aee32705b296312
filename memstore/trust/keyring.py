"""Whose keys vouch for whom: the content of a vault's allowed_signers and revoked_keys."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

ALLOWED_SIGNERS = ".memstore/allowed_signers"
REVOKED_KEYS = ".memstore/revoked_keys"
KEYRING_FILES = (ALLOWED_SIGNERS, REVOKED_KEYS)
ROTATIONS = ".memstore/key_rotations.jsonl"
ED25519 = "ssh-ed25519"
RSA = "ssh-rsa"
ECDSA_CURVES = {f"ecdsa-sha2-{curve}": curve for curve in ("nistp256", "nistp384", "nistp521")}
KEY_TYPES = (ED25519, RSA, *ECDSA_CURVES)
CERTIFICATE_SUFFIX = "-cert-v01@openssh.com"
# What a key in the keyring may be valid for: memories, and commits, those that change the keyring itself among them.
ATTEST_NAMESPACE = "attest@memstore.dev"
COMMIT_NAMESPACE = "git"
# Commits, but none that changes the keyring.
PLAIN_COMMIT_NAMESPACE = "commit@memstore.dev"
COMMIT_NAMESPACES = frozenset({COMMIT_NAMESPACE, PLAIN_COMMIT_NAMESPACE})


class PublicKey(NamedTuple):
    """A public key: its type, one of `KEY_TYPES`, and its complete wire form."""

    type: str
    blob: bytes

    @property
    def base64(self) -> str:
        """The key as written in authorized_keys and allowed_signers."""
        return base64.b64encode(self.blob).decode()

    @property
    def fingerprint(self) -> str:
        """The form that people compare: `SHA256:` and base64 without padding, as `ssh-keygen -l` prints it."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")


class Certificate(NamedTuple):
    """An authority's statement that a key is somebody's in `[after, before)`; `blob` is its complete wire form.

    `signed` is what the authority's signature `raw`, of the kind `form`, covers.
    """

    blob: bytes
    key: PublicKey
    authority: PublicKey
    principals: tuple[str, ...]
    valid_after: datetime
    valid_before: datetime
    key_id: str
    serial: int
    signed: bytes
    form: str
    raw: bytes


class Signer(NamedTuple):
    """One line of allowed_signers: these principals sign with this key, for these purposes, in `[after, before)`.

    `line` is its number, 0 if the file no longer has it. `pinned` is true if it counts because of the commit that the
    user pinned, or a keeper's later commit, and not just because it is in the file. An `authority` key signs nothing
    itself, only certificates for these principals.
    """

    principals: tuple[str, ...]
    key: PublicKey
    namespaces: tuple[str, ...]
    valid_after: datetime | None = None
    valid_before: datetime | None = None
    line: int = 0
    pinned: bool = False
    authority: bool = False

    def is_valid_at(self, at: datetime) -> bool:
        """Return whether the line is valid at a time."""
        return (self.valid_after is None or self.valid_after <= at) and (
            self.valid_before is None or at < self.valid_before
        )


class Keyring(NamedTuple):
    """All that is known about keys; `revoked` are wire forms. A keyring `unreadable` for a reason vouches for nobody.

    `pin` is the commit that the user pinned; `uncounted` are lines added after it without a keeper's signature. `facts`
    are the facts about entities that count because of the pin, as (entity, key, value); None if nothing is pinned.
    """

    signers: tuple[Signer, ...] = ()
    revoked: frozenset[bytes] = frozenset()
    unreadable: str | None = None
    pin: str | None = None
    uncounted: tuple[Signer, ...] = ()
    facts: frozenset[tuple[str, str, str]] | None = None

    def lines_of(self, principal: str, namespace: str) -> Iterator[Signer]:
        """Yield the lines of one principal for one purpose."""
        for signer in self.signers:
            if principal in signer.principals and namespace in signer.namespaces:
                yield signer

    def lines_for(self, key: PublicKey, certificate: Certificate | None, namespace: str) -> Iterator[Signer]:
        """Yield the lines that make a key count for a purpose; with a certificate, those of its authority.

        These count only for principals that both of them name, and only while both are valid.
        """
        for signer in self.signers:
            if namespace not in signer.namespaces:
                continue
            if certificate is None and not signer.authority and signer.key == key:
                yield signer
            elif certificate is not None and signer.authority and signer.key == certificate.authority:
                yield _narrow(signer, certificate)

    def is_revoked(self, key: PublicKey, certificate: Certificate | None = None) -> bool:
        """Return whether a key was revoked, or the authority that certified it."""
        return key.blob in self.revoked or (certificate is not None and certificate.authority.blob in self.revoked)


def _narrow(signer: Signer, certificate: Certificate) -> Signer:
    after, before = certificate.valid_after, certificate.valid_before
    return signer._replace(
        principals=tuple(name for name in signer.principals if name in certificate.principals),
        valid_after=after if signer.valid_after is None else max(after, signer.valid_after),
        valid_before=before if signer.valid_before is None else min(before, signer.valid_before),
    )
