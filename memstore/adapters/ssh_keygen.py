"""Signatures by the program `ssh-keygen`: for keys with a passphrase, and where `cryptography` is not installed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from memstore.codec import sshsig
from memstore.errors import FormatError, VaultError


def sign(key: str, message: bytes, *, namespace: str) -> str:
    """Return a signature as one line of base64; the program asks for a passphrase itself.

    Raises:
        VaultError: the program is missing, or said no.
    """
    with tempfile.TemporaryDirectory(prefix="memstore-") as folder:
        file = Path(folder) / "message"
        file.write_bytes(message)
        done = _run("-Y", "sign", "-f", key, "-n", namespace, "-O", f"hashalg={sshsig.HASH}", str(file))
        if done.returncode:
            said = (done.stderr.decode(errors="replace").strip().splitlines() or ["no word"])[-1]
            raise VaultError(
                f"ssh-keygen did not sign with {key}: {said}", hint=f"ssh-keygen -y -f {key} tries the key"
            )
        try:
            return sshsig.from_armour(file.with_suffix(".sig").read_text("ascii"))
        except (OSError, FormatError, UnicodeDecodeError) as error:
            raise VaultError(f"ssh-keygen left no signature of {key}") from error


def holds(signature: str, message: bytes, *, namespace: str) -> bool:
    """Return whether the key in a signature made it over this message; whose key it is remains open."""
    with tempfile.TemporaryDirectory(prefix="memstore-") as folder:
        file = Path(folder) / "signature"
        file.write_text(sshsig.armoured(signature), "ascii")
        return _run("-Y", "check-novalidate", "-n", namespace, "-s", str(file), message=message).returncode == 0


def _run(*arguments: str, message: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["ssh-keygen", *arguments], input=message, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise VaultError(
            "signatures need the library cryptography or the program ssh-keygen, and neither is there",
            hint="pip install 'memstore[sign]', or install OpenSSH",
        ) from error
