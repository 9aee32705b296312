"""Signatures by other programs: an ssh-agent that holds the key, or `ssh-keygen`.

`ssh-keygen` is used for keys with a passphrase, and if `cryptography` is not installed.
Source: draft-ietf-sshm-ssh-agent.
"""

from __future__ import annotations

import socket
import subprocess
import tempfile
from pathlib import Path

from memstore.core.errors import FormatError, VaultError
from memstore.trust import sshsig
from memstore.trust.ssh_wire import Reader, string

_LIST, _LISTED = 11, 12
_SIGN, _SIGNED = 13, 14
_RSA_SHA2_512 = 4
_PATIENCE_SECONDS = 60.0  # an agent may ask its user first
_MOST_BYTES = 1 << 20


def held(where: str) -> frozenset[bytes]:
    """Return the wire forms of the keys and certificates whose private part the agent at the socket `where` holds.

    Empty if the agent can't be asked.
    """
    try:
        reader = Reader(_ask(where, bytes([_LIST]), _LISTED))
        blobs = []
        for _ in range(reader.number()):
            blobs.append(reader.string())
            reader.string()  # the comment
    except (OSError, FormatError, VaultError):
        return frozenset()
    return frozenset(blobs)


def sign_by_agent(where: str, key: bytes, signed: bytes, *, is_rsa: bool) -> tuple[str, bytes]:
    """Return the kind of the signature that the agent makes over these bytes, and the signature.

    Args:
        where: the agent's socket.
        key: the key or certificate, as returned by `held`.
        signed: the bytes.
        is_rsa: whether it is an RSA key.

    Raises:
        VaultError: the agent does not answer, or refuses.
    """
    flags = _RSA_SHA2_512 if is_rsa else 0
    request = bytes([_SIGN]) + string(key) + string(signed) + flags.to_bytes(4)
    try:
        answer = Reader(_ask(where, request, _SIGNED))
        inner = Reader(answer.string())
        return inner.text(), inner.string()
    except OSError as error:
        raise VaultError(
            f"ssh-agent at {where} does not answer: {error}", hint="ssh-add -l shows whether it works"
        ) from error
    except FormatError as error:
        raise VaultError(f"ssh-agent at {where} answered something other than a signature") from error


def _ask(where: str, request: bytes, expected: int) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_PATIENCE_SECONDS)
        connection.connect(where)
        connection.sendall(string(request))
        length = int.from_bytes(_exactly(connection, 4))
        answer = _exactly(connection, min(length, _MOST_BYTES))
    if not answer or answer[0] != expected:
        raise VaultError(f"ssh-agent at {where} refused", hint="ssh-add -l lists the keys that it has")
    return answer[1:]


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise FormatError("the agent's answer ends too early")
        data += part
    return data


# -- ssh-keygen ------------------------------------------------------------------------------------


def sign_by_ssh_keygen(key: str, message: bytes, *, namespace: str) -> str:
    """Return a signature as one line of base64; the program itself asks for a passphrase.

    Raises:
        VaultError: the program is missing, or refused.
    """
    with tempfile.TemporaryDirectory(prefix="memstore-") as folder:
        file = Path(folder) / "message"
        file.write_bytes(message)
        done = _run("-Y", "sign", "-f", key, "-n", namespace, "-O", f"hashalg={sshsig.HASH}", str(file))
        if done.returncode:
            said = (done.stderr.decode(errors="replace").strip().splitlines() or ["no word"])[-1]
            raise VaultError(
                f"ssh-keygen did not sign with {key}: {said}", hint=f"try the key with ssh-keygen -y -f {key}"
            )
        try:
            return sshsig.from_armour(file.with_suffix(".sig").read_text("ascii"))
        except (OSError, FormatError, UnicodeDecodeError) as error:
            raise VaultError(f"ssh-keygen wrote no signature with {key}") from error


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
            "signatures need the library cryptography or the program ssh-keygen, and neither is installed",
            hint="pip install 'memstore-vault[sign]', or install OpenSSH",
        ) from error
