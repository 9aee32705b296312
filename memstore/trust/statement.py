"""The signed parts of a memory, in canonical form `memstore.c14n/1`, and the statement that a signature covers.

A memory has two sections, content and provenance. Each becomes one line of canonical JSON (RFC 8785, of which only
texts, lists and maps are needed) and one digest. The layout of a file, the order of keys, comments, line ends, and keys
in neither section don't affect the digests.

A signature covers an in-toto Statement v1 about these digests, in a DSSE envelope. These are public formats, so tools
that know neither memstore nor its files can check it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.digests import DIGEST_PREFIX
from memstore.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.core.memory import Memory, Resolution, Signature, Witness
    from memstore.files.render import Plain


PROFILE = "memstore.c14n/1"


class Digests(NamedTuple):
    """The digests of a memory's two sections, `sha256:` and 64 hexadecimal digits each."""

    content: str
    provenance: str


def digests(memory: Memory) -> Digests:
    """Return the digests of a memory's sections.

    Raises:
        FormatError: a text has code points that Unicode has not assigned, so its normal form may still change.
    """
    memory = memory.original or memory
    return Digests(digest_of("content", content_of(memory)), digest_of("provenance", provenance_of(memory)))


def content_of(memory: Memory) -> dict[str, Plain]:
    """Return the content section of a memory: what it says."""
    claims = [
        _present({"subject": claim.subject, "attribute": claim.attribute, "value": claim.value, "since": claim.since})
        for claim in memory.claims
    ]
    return {
        "type": memory.type,
        "title": memory.title,
        "tags": _sorted_texts(memory.tags),
        "aliases": _sorted_texts(memory.aliases),
        "claims": [*sorted(claims, key=canonical_json)],
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "body": canonical_body(memory.body),
    }


def provenance_of(memory: Memory) -> dict[str, Plain]:
    """Return the provenance section of a memory: who said it, when, and what it was derived from."""
    origin = memory.origin
    return {
        "id": memory.id,
        "created_at": memory.created_at,
        "source": memory.source,
        "source_type": memory.source_type,
        "source_entity": memory.source_entity,
        "subject_ids": _sorted_texts(memory.subject_ids),
        "derived_from": _sorted_texts(memory.derived_from),
        "supersedes": _sorted_texts(memory.supersedes),
        "author": memory.author,
        "platform": memory.platform,
        "origin": _present({"session_id": origin.session_id, "trigger": origin.trigger}) if origin else None,
    }


def canonical_body(body: str) -> str:
    """Return a body without trailing blanks and surrounding blank lines, with one LF at its end; "" if it is blank.

    The indent of a line has a meaning in Markdown and stays.
    """
    lines = [line.rstrip(" \t") for line in body.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    said = "\n".join(lines).strip("\n")
    return said + "\n" if said else ""


def canonical_json(value: Mapping[str, Plain]) -> bytes:
    """Return RFC 8785's form of a map; all keys must be ASCII, so that ordering by code points equals that by UTF-16.

    Raises:
        FormatError: a text has code points that Unicode has not assigned.
    """
    plain = _normal(dict(value))
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def digest_of(section: str, value: Mapping[str, Plain]) -> str:
    """Return the digest of any memory's section, `content` or `provenance`; see `digests`."""
    message = f"{PROFILE} {section}\0".encode() + canonical_json(value)
    return DIGEST_PREFIX + hashlib.sha256(message).hexdigest()


def _sorted_texts(texts: Iterable[str]) -> list[Plain]:
    return [*sorted({unicodedata.normalize("NFC", text) for text in texts})]


def _present(value: Mapping[str, Plain]) -> dict[str, Plain]:
    return {key: item for key, item in value.items() if item}


def _normal(value: Plain) -> Plain:
    """Return a value with all its texts in Unicode's normal form C."""
    match value:
        case str():
            return _assigned(unicodedata.normalize("NFC", value))
        case list():
            return [_normal(item) for item in value]
        case dict():
            return {key: _normal(item) for key, item in _present(value).items()}
        case None:
            return None
        case _:
            raise TypeError(f"no section has a {type(value).__name__}")


def _assigned(text: str) -> str:
    if text.isascii():
        return text
    for char in dict.fromkeys(text):
        if unicodedata.category(char) in ("Cn", "Cs"):
            raise FormatError(
                f"U+{ord(char):04X} is not a character of Unicode {unicodedata.unidata_version}, so it can't be signed",
                hint="remove it, or use a newer Python",
            )
    return text


# -- statement -------------------------------------------------------------------------------------


PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPE = "https://memstore.dev/attestation/{role}/v1"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"


class SignedStatement(NamedTuple):
    """Who says what about which memory, and when.

    `role` is author, witness, consent, resolution or rotation. `target` is the memory's id; `digests` is what it was
    about.
    """

    role: str
    target: str
    digests: Digests
    agent: str
    at: str
    attestation: str | None = None
    aspects: tuple[str, ...] = ()
    notes: str | None = None


def by_author(target: str, entry: Signature) -> SignedStatement:
    """Return the statement that a `signature` entry represents."""
    return SignedStatement("author", target, Digests(entry.content, entry.provenance), entry.by, entry.at)


def by_witness(target: str, entry: Witness) -> SignedStatement:
    """Return the statement that an entry of `witnesses` represents; digests that it lacks are empty."""
    return SignedStatement(
        role="witness",
        target=target,
        digests=Digests(entry.content or "", entry.provenance or ""),
        agent=entry.agent_id,
        at=entry.witnessed_at,
        attestation=entry.attestation,
        aspects=entry.aspects,
        notes=entry.notes,
    )


def by_resolution(target: str, entry: Resolution) -> SignedStatement:
    """Return the statement that an entry of `resolutions` represents."""
    of = Digests(entry.content, entry.provenance)
    return SignedStatement("resolution", target, of, entry.by, entry.at, attestation=entry.outcome, notes=entry.notes)


def payload(statement: SignedStatement) -> bytes:
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


def message(statement: SignedStatement) -> bytes:
    """Return the bytes to sign: DSSE's pre-authentication encoding of the statement."""
    return encoded(payload(statement))


def encoded(body: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding of a payload."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(body), body)


def envelope(statement: SignedStatement, signature: str, key_id: str) -> dict[str, object]:
    """Return the DSSE envelope of a signed statement, for other tools; `signature` is the base64 from an entry."""
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload(statement)).decode(),
        "signatures": [{"keyid": key_id, "sig": signature}],
    }


def _subject(name: str, digest: str) -> dict[str, Plain]:
    return {"name": name, "digest": {"sha256": digest.removeprefix(DIGEST_PREFIX)}}
