"""A rotation statement: that one key takes the place of another, signed by both. A line of JSON each, a DSSE envelope.

It needs no keeper and no pin to be believed: the signatures are all of it.
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

# As long as a line may be: two RSA keys and two signatures of 16,384 bits need half of it.
_MOST_BYTES = 1 << 15


class Rotation(NamedTuple):
    """That an entity's key `new` takes the place of `old` from a time on, RFC 3339 in UTC."""

    agent: str
    at: str
    old: PublicKey
    new: PublicKey


class SignedRotation(NamedTuple):
    """A rotation and the signatures over it, by fingerprint; whether they hold is for others to check."""

    rotation: Rotation
    signatures: Mapping[str, str]


def payload(rotation: Rotation) -> bytes:
    """Return the bytes of the in-toto statement: its subjects are the keys, by the hash that is their fingerprint."""
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
    """Return the line of a signed rotation, without its end."""
    envelope: dict[str, Plain] = {
        "payloadType": statement.PAYLOAD_TYPE,
        "payload": base64.b64encode(payload(signed.rotation)).decode(),
        "signatures": [{"keyid": name, "sig": sig} for name, sig in sorted(signed.signatures.items())],
    }
    return canonical_json(envelope).decode()


def lines_of(data: bytes) -> Iterator[tuple[int, SignedRotation | FormatError]]:
    """Yield the rotations in a file with the numbers of their lines, and what is wrong with those that are none."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield number, read(line)
            except FormatError as error:
                yield number, error


def read(line: bytes) -> SignedRotation:
    """Return the rotation in a line.

    Raises:
        FormatError: it is none, or says anything in another way than `written` does.
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
