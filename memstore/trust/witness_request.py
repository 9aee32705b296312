"""A request for witnesses and the answer to it: files that travel, and say all that is attested without the vault."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.codec import canonical, registry_file, statement
from memstore.codec.canonical import Digests, canonical_json, content_of, digest_of, digests, provenance_of
from memstore.errors import FormatError
from memstore.model.attestation import Witness
from memstore.model.ids import MemoryRef
from memstore.model.keys import WITNESS_KEYS
from memstore.model.registry import WITNESS_REQUEST
from memstore.rules.vault_places import RegistryKind

if TYPE_CHECKING:
    from memstore.codec.render import Plain
    from memstore.model.memory import Memory

ANSWER_SCHEMA = "memstore.witness-answer/1"


class WitnessRequest(NamedTuple):
    """What is to be attested: a memory's ref, both its sections, their digests, and who is asked by whom."""

    id: str
    ref: MemoryRef
    asked: tuple[str, ...]
    requested_by: str | None
    reason: str | None
    content: dict[str, Any]
    provenance: dict[str, Any]
    digests: Digests


class Answer(NamedTuple):
    """What somebody attests, and about which memory."""

    ref: str
    witness: Witness


def values_of(memory: Memory) -> dict[str, Plain]:
    """Return the keys of a request that say what is to be attested.

    Raises:
        FormatError: it holds characters that can't be signed.
    """
    of = digests(memory)
    return {
        "ref": str(memory.ref),
        "content": canonical_json(content_of(memory)).decode(),
        "content_digest": of.content,
        "provenance": canonical_json(provenance_of(memory)).decode(),
        "provenance_digest": of.provenance,
    }


def read(path: str, data: bytes) -> WitnessRequest:
    """Return a request; its digests are computed from the sections that one reads, and must be those it names.

    Raises:
        FormatError: it can't be read, or says something else than its digests.
    """
    file = registry_file.read(path, RegistryKind.REQUEST, data)
    if isinstance(file, tuple):
        raise FormatError("\n".join(finding.line for finding in file), hint="ask for it anew")
    values = file.values
    ref = MemoryRef.parse(values.get("ref") or "")
    if values["type"] != WITNESS_REQUEST or ref is None:
        raise FormatError(f"{path} is no request for witnesses", hint="memstore request-witness REF --from ENTITY")
    content, provenance = (_section(path, name, values.get(name) or "") for name in ("content", "provenance"))
    found = Digests(digest_of("content", content), digest_of("provenance", provenance))
    named = Digests(values.get("content_digest") or "", values.get("provenance_digest") or "")
    if found != named or content.get("type") != ref.type or provenance.get("id") != ref.id:
        raise FormatError(f"{path} says something else than its digests", hint="ask for it anew")
    return WitnessRequest(
        id=values["id"],
        ref=ref,
        asked=tuple(values.get("asked") or ()),
        requested_by=values.get("requested_by"),
        reason=values.get("reason"),
        content=content,
        provenance=provenance,
        digests=found,
    )


def answer(request: WitnessRequest, entry: Witness) -> dict[str, Any]:
    """Return the document that carries an attestation back."""
    said = {key.name: getattr(entry, key.name) for key in WITNESS_KEYS}
    said = {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
    return {"request": request.id, "ref": str(request.ref), "witness": {k: v for k, v in said.items() if v}}


def read_answer(path: str, data: bytes) -> Answer:
    """Return an answer, of which nothing is verified yet.

    Raises:
        FormatError: it is none.
    """
    try:
        found = json.loads(data)
        entry = found["witness"]
        said = {key.name: entry[key.name] for key in WITNESS_KEYS if entry.get(key.name)}
        aspects = tuple(said.pop("aspects", ()))
        made = Answer(str(found["ref"]), Witness(**said, aspects=aspects))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_answer(path) from error
    texts = (*said.values(), *aspects)
    if entry.keys() - {key.name for key in WITNESS_KEYS} or not all(isinstance(text, str) for text in texts):
        raise _no_answer(path)
    return made


def _no_answer(path: str) -> FormatError:
    return FormatError(
        f"{path} is no answer to a request", hint="memstore witness --request FILE --attest confirm > ANSWER"
    )


def message_of(request: WitnessRequest, entry: Witness) -> bytes:
    """Return what an answer's signature is over."""
    return statement.message(statement.by_witness(request.ref.id, entry))


def _section(path: str, name: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
        if isinstance(found, dict) and canonical.canonical_json(found).decode() == text:
            return found
    except (ValueError, TypeError, RecursionError):
        pass
    raise FormatError(f"{path}: `{name}` is not what was asked about", hint="ask for it anew")
