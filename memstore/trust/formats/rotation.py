"""Rotation statements: one key replaces another, signed by both. Each is one line of JSON, a DSSE envelope.

It is valid without a keeper or a pin: the signatures are sufficient.
"""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import FormatError
from memstore.core.ids import is_entity_id
from memstore.trust import statement
from memstore.trust.ssh_wire import read_public_key, unarmoured
from memstore.trust.statement import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.files.render import Plain
    from memstore.trust.keyring import PublicKey

# The longest line: two RSA keys and two signatures of 16,384 bits need half of it.
_MOST_BYTES = 1 << 15


class Rotation(NamedTuple):
    """The statement that an entity's key `new` replaces `old` from a time on, RFC 3339 in UTC."""

    agent: str
    at: str
    old: PublicKey
    new: PublicKey


class SignedRotation(NamedTuple):
    """A rotation and the signatures over it, by fingerprint; the caller must check whether they hold."""

    rotation: Rotation
    signatures: Mapping[str, str]


def payload(rotation: Rotation) -> bytes:
    """Return the bytes of the in-toto statement; its subjects are the keys, by the hash in their fingerprint."""
    return canonical_json(
        {
            "_type": statement.STATEMENT_TYPE,
            "subject": [
                {"name": f"{rotation.agent}#{name}", "digest": {"sha256": hashlib.sha256(key.blob).hexdigest()}}
                for name, key in (("old", rotation.old), ("new", rotation.new))
            ],
            "predicateType": statement.PREDICATE_TYPE.format(role="rotation"),
            "predicate": {
                "agent": rotation.agent,
                "at": rotation.at,
                "old": f"{rotation.old.type} {rotation.old.base64}",
                "new": f"{rotation.new.type} {rotation.new.base64}",
            },
        }
    )


def message(rotation: Rotation) -> bytes:
    """Return what both keys sign."""
    return statement.encoded(payload(rotation))


def written(signed: SignedRotation) -> str:
    """Return the line for a signed rotation, without its line end."""
    envelope: dict[str, Plain] = {
        "payloadType": statement.PAYLOAD_TYPE,
        "payload": base64.b64encode(payload(signed.rotation)).decode(),
        "signatures": [{"keyid": name, "sig": sig} for name, sig in sorted(signed.signatures.items())],
    }
    return canonical_json(envelope).decode()


def lines_of(data: bytes) -> Iterator[tuple[int, SignedRotation | FormatError]]:
    """Yield the rotations in a file with their line numbers, or the error for a line that is not one."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield number, read(line)
            except FormatError as error:
                yield number, error


def read(line: bytes) -> SignedRotation:
    """Return the rotation in a line.

    Raises:
        FormatError: it is not one, or is written differently from what `written` returns.
    """
    try:
        envelope = json.loads(line if len(line) <= _MOST_BYTES else b"")
        predicate = json.loads(unarmoured(envelope["payload"]))["predicate"]
        old, new = (read_public_key(predicate[name])[0] for name in ("old", "new"))
        found = Rotation(str(predicate["agent"]), str(predicate["at"]), old, new)
        signatures = {str(one["keyid"]): str(one["sig"]) for one in envelope["signatures"]}
        is_dated = datetime.fromisoformat(found.at).utcoffset() is not None
        signed = SignedRotation(found, signatures)
        same = json.loads(written(signed)) == envelope
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError("it is not a rotation statement") from error
    if not same or not is_dated or not is_entity_id(found.agent):
        raise FormatError("it is a rotation statement with missing or additional parts")
    return signed
