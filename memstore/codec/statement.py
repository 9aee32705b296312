"""What an attestation's signature is over: an in-toto statement about a memory's digests, in a DSSE envelope.

in-toto Statement v1 and DSSE v1 are public formats, so tools that know neither memstore nor its files can check them.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec.canonical import PROFILE, Digests, canonical_json
from memstore.codec.git_blob import DIGEST_PREFIX

if TYPE_CHECKING:
    from memstore.codec.render import Plain
    from memstore.model.attestation import Resolution, Signature, Witness

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPE = "https://memstore.dev/attestation/{role}/v1"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"


class Statement(NamedTuple):
    """Who says what about which memory, and when.

    `role` is author, witness, consent, resolution or rotation; `target` the memory's id; `digests` what it was about.
    """

    role: str
    target: str
    digests: Digests
    agent: str
    at: str
    attestation: str | None = None
    aspects: tuple[str, ...] = ()
    notes: str | None = None


def by_author(target: str, entry: Signature) -> Statement:
    """Return the statement that a `signature` entry stands for."""
    return Statement("author", target, Digests(entry.content, entry.provenance), entry.by, entry.at)


def by_witness(target: str, entry: Witness) -> Statement:
    """Return the statement that an entry of `witnesses` stands for; digests that it leaves out are empty."""
    return Statement(
        role="witness",
        target=target,
        digests=Digests(entry.content or "", entry.provenance or ""),
        agent=entry.agent_id,
        at=entry.witnessed_at,
        attestation=entry.attestation,
        aspects=entry.aspects,
        notes=entry.notes,
    )


def by_resolution(target: str, entry: Resolution) -> Statement:
    """Return the statement that an entry of `resolutions` stands for."""
    of = Digests(entry.content, entry.provenance)
    return Statement("resolution", target, of, entry.by, entry.at, attestation=entry.outcome, notes=entry.notes)


def payload(statement: Statement) -> bytes:
    """Return the bytes of the in-toto statement."""
    return canonical_json(
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                _subject(f"{statement.target}#content", statement.digests.content),
                _subject(f"{statement.target}#provenance", statement.digests.provenance),
            ],
            "predicateType": PREDICATE_TYPE.format(role=statement.role),
            "predicate": {
                "agent": statement.agent,
                "at": statement.at,
                "attestation": statement.attestation,
                "aspects": [*statement.aspects],
                "notes": statement.notes,
                "c14n": PROFILE,
            },
        }
    )


def message(statement: Statement) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding of the statement."""
    return encoded(payload(statement))


def encoded(body: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding of a payload."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(body), body)


def envelope(statement: Statement, signature: str, key_id: str) -> dict[str, object]:
    """Return the DSSE envelope of a signed statement, for other tools; `signature` is the base64 of an entry."""
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload(statement)).decode(),
        "signatures": [{"keyid": key_id, "sig": signature}],
    }


def _subject(name: str, digest: str) -> dict[str, Plain]:
    return {"name": name, "digest": {"sha256": digest.removeprefix(DIGEST_PREFIX)}}
