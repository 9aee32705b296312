"""Makes and checks signatures with SSH keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memstore.codec.sshsig import SshSignature
    from memstore.model.keyring import PublicKey


class Signatures(Protocol):
    """The keys of the one who acts, and the mathematics.

    A key is named by its file, or by its .pub file where an ssh-agent holds the private part.
    """

    @property
    def own_key(self) -> str | None:
        """The key that the user's configuration names; None where it names none."""

    def public_key(self, key: str) -> PublicKey:
        """Return the public part of a key.

        Raises:
            VaultError: there is no such file, or no key in it that can be used.
        """

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        """Return a signature over a message, made for a purpose, as one line of base64.

        Raises:
            VaultError: the key can't be had or used.
        """

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        """Return whether the key in a signature made it over this message, for the namespace that it names."""
