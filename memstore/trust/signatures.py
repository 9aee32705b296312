"""Signatures with SSH keys: made by `cryptography`, an ssh-agent or `ssh-keygen`, whichever can."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memstore.core.errors import FormatError, VaultError
from memstore.trust import ssh_programs, sshsig
from memstore.trust.formats import ssh_certificate
from memstore.trust.keyring import RSA
from memstore.trust.ssh_wire import read_public_key, unarmoured
from memstore.trust.sshsig import SshSignature

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.trust.keyring import Certificate, PublicKey


class Signatures(Protocol):
    """The actor's keys, and signing and verifying with them.

    A key is named by its file, or by its .pub file if an ssh-agent holds the private part.
    """

    @property
    def own_key(self) -> str | None:
        """The key that the user's configuration names; None if it names none."""

    def public_key(self, key: str) -> PublicKey:
        """Return the public part of a key.

        Raises:
            VaultError: there is no such file, or no usable key in it.
        """

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        """Return a signature over a message, for a purpose, as one line of base64.

        Raises:
            VaultError: the key can't be found or used.
        """

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        """Return whether the key in a signature made it over this message, for the namespace that it names."""


# -- with SSH keys ---------------------------------------------------------------------------------


# The suffix that ssh-keygen adds to a key's name for its certificate.
_CERTIFICATE = "-cert.pub"
_MOST_KEY_BYTES = 1 << 20


class SshSignatures:
    """Makes and verifies SSHSIG signatures.

    Args:
        home: the person's folder, for `~` in the names of keys.
        agent: the socket of the ssh-agent; empty if there is none.
        own_key: the key that the user's configuration names.
        read: returns a file's bytes; a file that the actor may not read counts as missing.
    """

    def __init__(
        self,
        home: Path,
        *,
        agent: str,
        own_key: str | None = None,
        read: Callable[[Path], bytes] = Path.read_bytes,
    ) -> None:
        self._home = home
        self._read_file = read
        self._agent = agent
        self.own_key = own_key

    def public_key(self, key: str) -> PublicKey:
        """Return the public part of a key; see the protocol."""
        path = self._path(key)
        beside = path if path.suffix == ".pub" else path.with_name(path.name + ".pub")
        if (data := self._found(beside)) is not None:
            return self._public(beside, data)
        private = self._private(path)
        if private is None:
            raise VaultError(
                f"{path} is protected by a passphrase, and there is no {beside.name} beside it", hint="ssh-keygen -y"
            )
        public: PublicKey = self._crypto_needed().public_of(private)
        return public

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        """Return a signature over a message; see the protocol."""
        path = self._path(key)
        certificate = self._certificate(path) if path.name.endswith(_CERTIFICATE) else None
        keeper = path.with_name(path.name.removesuffix(_CERTIFICATE).removesuffix(".pub"))
        signed = sshsig.signed_bytes(message, namespace=namespace)
        private = self._private(path) if keeper == path else None
        if private is None:
            public = certificate.key if certificate else self.public_key(key)
            held = self._held([certificate.blob] if certificate else [], public)
            if held is not None:
                form, raw = ssh_programs.sign_by_agent(self._agent, held, signed, is_rsa=public.type == RSA)
                return sshsig.write(SshSignature(public, namespace, sshsig.HASH, form, raw, certificate))
            private = self._private(keeper) if keeper != path and self._found(keeper) is not None else None
        if private is None:
            return ssh_programs.sign_by_ssh_keygen(str(path), message, namespace=namespace)
        crypto = self._crypto_needed()
        public, (form, raw) = crypto.public_of(private), crypto.sign(private, signed)
        if certificate and certificate.key != public:
            raise VaultError(
                f"{path} certifies a key other than the one that {keeper} has", hint="ssh-keygen -L -f shows it"
            )
        return sshsig.write(SshSignature(public, namespace, sshsig.HASH, form, raw, certificate))

    def _held(self, blobs: list[bytes], public: PublicKey) -> bytes | None:
        """Return the wire form under which the agent holds a key, its certificate's or its own; None if it doesn't."""
        held = ssh_programs.held(self._agent) if self._agent else frozenset()
        return next((blob for blob in (*blobs, public.blob) if blob in held), None)

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        """Return whether the key in a signature made it over this message."""
        if self._crypto is None:
            return ssh_programs.holds(sshsig.write(signature), message, namespace=signature.namespace)
        signed = sshsig.signed_bytes(message, namespace=signature.namespace, hashed_with=signature.hash)
        return bool(self._crypto.holds(signature, signed))

    def _path(self, named: str) -> Path:
        return self._home / named[2:] if named.startswith("~/") else Path(named)

    def _private(self, path: Path) -> Any:
        """Return the private key in a file; None if this process can't read it and another program must sign."""
        data = self._read(path)
        return self._crypto.load_private(data, str(path)) if self._crypto else None

    @cached_property
    def _crypto(self) -> Any:
        try:
            from memstore.trust import ssh_crypto
        except ImportError:
            return None
        return ssh_crypto

    def _crypto_needed(self) -> Any:
        if self._crypto is None:
            raise VaultError("the library cryptography is not installed", hint="pip install 'memstore-vault[sign]'")
        return self._crypto

    def _certificate(self, path: Path) -> Certificate:
        words = self._read(path).decode("utf-8", "replace").split()
        try:
            return ssh_certificate.read(unarmoured(words[1] if len(words) > 1 else ""))
        except FormatError as error:
            raise VaultError(f"{path}: {error}", hint=error.hint or "ssh-keygen -L -f shows it") from error

    def _public(self, path: Path, data: bytes) -> PublicKey:
        try:
            return read_public_key(data.decode())[0]
        except (FormatError, UnicodeDecodeError) as error:
            hint = getattr(error, "hint", None) or "ssh-keygen -y -f KEY prints a key's public part"
            raise VaultError(f"{path}: {error}", hint=hint) from error

    def _found(self, path: Path) -> bytes | None:
        """Return a file's bytes; None if it is missing, or the actor may not read it."""
        try:
            return self._read_file(path)[:_MOST_KEY_BYTES]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VaultError(f"the key {path} can't be read: {error.strerror}", hint="ssh-keygen makes one") from error

    def _read(self, path: Path) -> bytes:
        try:
            return self._read_file(path)[:_MOST_KEY_BYTES]
        except OSError as error:
            raise VaultError(f"the key {path} can't be read: {error.strerror}", hint="ssh-keygen makes one") from error
