"""Makes and checks signatures with SSH keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memstore.codec.sshsig import SshSignature
    from memstore.model.keyring import PublicKey


class Signatures(Protocol):
    """The keys of the one who acts, and the mathematics."""

    def public_key(self, named: str) -> PublicKey:
        """Return the public key of a key file or of a .pub file.

        Raises:
            VaultError: there is no such file, or no key in it that can be used.
        """

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        """Return a signature as one line of base64.

        Args:
            message: what is signed.
            namespace: what the signature is for.
            key: the file of a private key, or of a public one whose private part an agent holds.

        Raises:
            VaultError: the key can't be had or used.
        """

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        """Return whether the key in a signature made it over this message, for the namespace that it names."""
