"""What a machine keeps of a vault, in memory: the twins of what lies in its state and cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_public_key

from memstore.core.errors import VaultError
from memstore.trust import sshsig
from memstore.trust.ssh_wire import read_public_key
from memstore.trust.sshsig import SshSignature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.beliefs.run_record import Run
    from memstore.beliefs.wording import QuotedSource
    from memstore.search.meaning import Vector
    from memstore.trust.keyring import PublicKey


class LastRun:
    """Remembers the last run in memory."""

    def __init__(self) -> None:
        self.run: Run | None = None

    def last(self) -> Run | None:
        return self.run

    def record(self, run: Run) -> None:
        self.run = run


class KeptVectors:
    """A store of vectors in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Vector]] = {}
        self.told: list[tuple[int, int]] = []

    def last(self, name: str) -> dict[str, Vector]:
        return dict(self.kept.get(name, {}))

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        self.kept[name] = dict(vectors)

    def tell(self, done: int, count: int) -> None:
        self.told.append((done, count))


class KeysInMemory:
    """Signs with Ed25519 keys that are in no file.

    Args:
        names: what the keys are called; each is a new one.
    """

    own_key = None

    def __init__(self, *names: str) -> None:
        self._keys = {name: Ed25519PrivateKey.generate() for name in names}

    def public_key(self, key: str) -> PublicKey:
        if key not in self._keys:
            raise VaultError(f"there is no key {key}")
        line = self._keys[key].public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
        return read_public_key(line.decode())[0]

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        public = self.public_key(key)
        raw = self._keys[key].sign(sshsig.signed_bytes(message, namespace=namespace))
        return sshsig.write(SshSignature(public, namespace, sshsig.HASH, public.type, raw))

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        signed = sshsig.signed_bytes(message, namespace=signature.namespace, hashed_with=signature.hash)
        public = load_ssh_public_key(f"{signature.key.type} {signature.key.base64}".encode())
        try:
            public.verify(signature.raw, signed)  # type: ignore[call-arg]
        except Exception:  # noqa: BLE001 -- whatever is wrong with it, it does not hold
            return False
        return True


class FirstSource:
    """A synthesizer that says what its first source says."""

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> object:
        return {"text": sources[0].text, "cites": [sources[0].ref], "terms": list(terms)}
