"""Requests for witnesses and their answers: files to send, complete enough that a witness does not need the vault."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.access import RIGHTS, registry
from memstore.access.audit import create, entity_id, found, new_id, plain, registered
from memstore.access.consents import is_asked
from memstore.access.policy import Judge, labels_of
from memstore.access.registry import WITNESS_REQUEST
from memstore.access.world import Session
from memstore.core.change import Edit
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError
from memstore.core.ids import ID_OF_REQUEST, MemoryRef
from memstore.core.keys import WITNESS_KEYS
from memstore.core.memory import Witness
from memstore.core.places import RegistryKind
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, save, unchanged
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.trust import statement
from memstore.trust.keyring import ATTEST_NAMESPACE
from memstore.trust.sign import Signed, attestable, key_of, plain_entry, stop_at_own_words, witness_entry
from memstore.trust.statement import Digests, canonical_json, content_of, digest_of, digests, provenance_of
from memstore.trust.verification import Voucher
from memstore.trust.vouching import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.access.audit import Registered
    from memstore.access.registry import RegistryFile
    from memstore.core.memory import Memory
    from memstore.core.named import Named, OneOrMore
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.trust.signatures import Signatures


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


class WitnessAnswer(NamedTuple):
    """What somebody attests, and about which memory."""

    ref: str
    witness: Witness


def values_of(memory: Memory) -> dict[str, Plain]:
    """Return the keys of a request that describe what is to be attested.

    Raises:
        FormatError: it contains characters that can't be signed.
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
    """Return a request; its digests are computed from the sections in it, and must match those it names.

    Raises:
        FormatError: it can't be read, or doesn't match its digests.
    """
    file = registry.read(path, RegistryKind.REQUEST, data)
    if isinstance(file, tuple):
        raise FormatError("\n".join(finding.line for finding in file), hint="ask for it again")
    values = file.values
    ref = MemoryRef.parse(values.get("ref") or "")
    if values["type"] != WITNESS_REQUEST or ref is None:
        raise FormatError(
            f"{path} is not a request for witnesses", hint="memstore trust request-witness REF --from ENTITY"
        )
    content, provenance = (_section(path, name, values.get(name) or "") for name in ("content", "provenance"))
    found = Digests(digest_of("content", content), digest_of("provenance", provenance))
    named = Digests(values.get("content_digest") or "", values.get("provenance_digest") or "")
    if found != named or content.get("type") != ref.type or provenance.get("id") != ref.id:
        raise FormatError(f"{path} does not match its digests", hint="ask for it again")
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


def read_answer(path: str, data: bytes) -> WitnessAnswer:
    """Return an answer; nothing in it is verified yet.

    Raises:
        FormatError: it is not an answer.
    """
    try:
        found = json.loads(data)
        entry = found["witness"]
        said = {key.name: entry[key.name] for key in WITNESS_KEYS if entry.get(key.name)}
        aspects = tuple(said.pop("aspects", ()))
        made = WitnessAnswer(str(found["ref"]), Witness(**said, aspects=aspects))
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # a lone surrogate or 1e999 can't be in a file
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_answer(path) from error
    texts = (*said.values(), *aspects)
    if entry.keys() - {key.name for key in WITNESS_KEYS} or not all(isinstance(text, str) for text in texts):
        raise _no_answer(path)
    return made


def _no_answer(path: str) -> FormatError:
    return FormatError(
        f"{path} is not an answer to a request", hint="memstore trust witness --request FILE --attest confirm > ANSWER"
    )


def message_of(request: WitnessRequest, entry: Witness) -> bytes:
    """Return the bytes that an answer's signature covers."""
    return statement.message(statement.by_witness(request.ref.id, entry))


def _section(path: str, name: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
        if isinstance(found, dict) and canonical_json(found).decode() == text:
            return found
    except (ValueError, TypeError, RecursionError):
        pass
    raise FormatError(f"{path}: `{name}` is not what was asked about", hint="ask for it again")


# -- asking, answering, accepting answers ----------------------------------------------------------


@again_where_changed
def request_witness(
    view: View, memory: Named, asked: OneOrMore, *, notes: str | None = None, **saving: Unpack[Saving]
) -> Registered:
    """Ask others to attest to a memory: writes a file that can be sent to them, with all that they need to read.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.", access_grants=["si:pith"])
    >>> request_witness(ws.view(), memory, asked=["si:pith"]).path
    'requests/req_0000000003.md'

    Args:
        view: the vault.
        memory: the memory.
        asked: whom to ask; each of them must be allowed to see it.
        notes: why, for them to read; one line.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: it is not the actor's own, or one of those asked may not see it, or speaks for its author.
        UsageError: nobody is asked, an id is not an entity id, or the memory has no id.
    """
    file = view.original(memory)
    names = [entity_id(name, "who is asked", view) for name in asked]
    about = attestable(file)
    if not names:
        raise UsageError("--from is missing", hint="name whom to ask, like --from si:pith")
    if not view.owns(about):
        raise RefusedError(
            f"{about.ref} does not belong to {view.actor}, who therefore can't send it", hint="ask its owner"
        )
    voucher = Voucher(view)
    for name in names:
        stop_at_own_words(voucher, about, name)
    _stop_where_hidden(view, about, names)
    values = {
        "type": WITNESS_REQUEST,
        "id": new_id(view, ID_OF_REQUEST),
        **values_of(about),
        "asked": plain(names),
        "requested_at": instant(view.clock.now()),
        "requested_by": view.actor,
        "reason": notes,
    }
    told: dict[str, str | list[str] | None] = {"request": str(values["id"]), "memory": about.id, "asked": names}
    return create(view, RegistryKind.REQUEST, values, verb="request-witness", about=told, **saving)


def requests_to(view: View) -> tuple[WitnessRequest, ...]:
    """Return the requests that ask the actor and that they have not answered, oldest first.

    >>> requests_to(ws.view())
    ()
    """
    asking = [file for file in registered(view, RegistryKind.REQUEST) if is_asked(view, file)]
    unanswered = []
    for file in sorted(asking, key=lambda file: str(file.values.get("requested_at"))):
        with suppress(FormatError):
            request = _of_vault(view, file)
            about = view.read(view.find(request.ref.id).path)
            said = [one for one in about.memory.witnesses if one.agent_id == view.actor] if about else []
            if not any((one.content, one.provenance) == request.digests for one in said):
                unanswered.append(request)
    return tuple(unanswered)


def request_named(view: View, request_id: str) -> WitnessRequest:
    """Return the request with this id in the vault, for whom it asks and for the vault's owner.

    Raises:
        NotFoundError: there is none that the actor may read.
        FormatError: it can't be read, or doesn't match its digests.
    """
    file = found(view, RegistryKind.REQUEST, request_id)
    if file is None or file.values["type"] != WITNESS_REQUEST or not (view.is_owners or is_asked(view, file)):
        raise NotFoundError(
            f"there is no request `{request_id}`", hint="memstore trust witness lists what you are asked"
        )
    return _of_vault(view, file)


def attested_as_asked(view: View, request: WitnessRequest) -> str:
    """Return the ref of the memory that a request is about, if it says what was asked about.

    Raises:
        NotFoundError: the actor does not see it.
        RefusedError: it has changed since.
    """
    memory = attestable(view.original(request.ref.id))
    if statement.digests(memory) != request.digests:
        raise RefusedError(
            f"{memory.ref} is no longer what {request.id} asks about",
            hint=f"memstore trust witness {memory.ref} --attest … says what you think of it as it is now",
        )
    return str(memory.ref)


def _of_vault(view: View, file: RegistryFile) -> WitnessRequest:
    return read(file.path, view.own_file(file.path) or b"")


def answer_request(
    request: WitnessRequest,
    attestation: str,
    *,
    by: str | None,
    at: datetime,
    signatures: Signatures,
    aspects: Sequence[str] = (),
    notes: str | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """Return a signed answer to a request, for the one who asked; it needs no vault.

    Args:
        request: what is asked.
        attestation: `confirm`, `dispute` or `partial`.
        by: who answers; None is the one who is asked.
        at: the time, in UTC.
        signatures: the keys of the one who answers.
        aspects: the keys of the memory that it is about; required for `partial`.
        notes: one line.
        key: the key's file; None is the one that the user's settings name.

    Raises:
        UsageError: several are asked, or somebody else; no key is named; or `partial` without an aspect.
        VaultError: the key can't be used.
    """
    who = by or (request.asked[0] if len(request.asked) == 1 else None)
    if who is None or who not in request.asked:
        raise UsageError(f"the request is to {', '.join(request.asked)}", hint="say with --as which of them you are")
    entry = witness_entry(who, attestation, request.digests, at, aspects=aspects, notes=notes)
    message = message_of(request, entry)
    sig = signatures.sign(message, namespace=ATTEST_NAMESPACE, key=key_of(signatures, key))
    return answer(request, entry._replace(sig=sig))


@again_where_changed
def accept_answer(
    view: View, memory: Named, answer: bytes, *, name: str = "answer", **saving: Unpack[Saving]
) -> Signed:
    """Add the attestation in an answer to its memory, if it is about the memory as it is now.

    Args:
        view: the vault.
        memory: the memory.
        answer: the answer.
        name: what it is called, for messages.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        FormatError: it is not an answer.
        RefusedError: it is about another memory or another state of it, its signature covers something else, or it is
            the author's own voice.
    """
    file = view.original(memory)
    about = attestable(file)
    found = read_answer(name, answer)
    entry = found.witness
    if found.ref != str(about.ref):
        raise RefusedError(
            f"{name} is about {found.ref}, not {about.ref}", hint=f"memstore trust witness {found.ref} …"
        )
    if (entry.content, entry.provenance) != statement.digests(about):
        raise RefusedError(
            f"{about.ref} is no longer what {entry.agent_id} attested to",
            hint=f"memstore trust request-witness {about.ref} --from {entry.agent_id}",
        )
    voucher = Voucher(view)
    stop_at_own_words(voucher, about, entry.agent_id)
    if entry in about.witnesses:
        known = voucher.of(about).witnesses[about.witnesses.index(entry)]
        return Signed(saved=unchanged(file), verdict=known.verdict)
    after = splice.apply(file, [splice.AppendEntry("witnesses", plain_entry(entry, WITNESS_KEYS))])
    read = memory_file.read(file.path, after, mixed=view.config.mixed)
    if not isinstance(read, MemoryFile):
        raise FormatError(f"{name}: the answer of {entry.agent_id!r} does not have the form of a witness entry")
    verdict = voucher.of(read.memory).witnesses[-1].verdict
    if verdict.state in (State.INVALID, State.UNSIGNED):
        raise RefusedError(f"{name}: {verdict.reason}", hint="ask for it again")
    saved = save(view, Edit(path=file.path, before=file, after=after), verb="witness", **saving)
    return Signed(saved=saved, verdict=verdict)


def _stop_where_hidden(view: View, memory: Memory, asked: Sequence[str]) -> None:
    world, now, labels = view.of(RIGHTS).policy, view.clock.now(), labels_of(memory)
    blind = [name for name in asked if not Judge(world, Session(viewer=name, at=now)).admits(labels)]
    if blind:
        raise RefusedError(
            f"{', '.join(blind)} may not see {memory.ref}, and a request would show it",
            hint=f"memstore privacy grant {memory.ref} --to {' '.join(blind)}",
        )
