"""Ask others to witness a memory, answer such a request without the vault, and take the answer in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memstore.codec import canonical, memory_file, splice, witness_request
from memstore.codec.memory_file import MemoryFile
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import FormatError, RefusedError, UsageError
from memstore.flows.registry import create, entity_id, new_id, plain
from memstore.flows.save import save, unchanged
from memstore.flows.sign import Signed, attestable, key_of, plain_entry, stop_at_own_words
from memstore.flows.vouch import Voucher
from memstore.model.attestation import Witness
from memstore.model.instants import instant
from memstore.model.keyring import ATTEST_NAMESPACE
from memstore.model.keys import WITNESS_KEYS
from memstore.model.registry import WITNESS_REQUEST
from memstore.model.world import Session
from memstore.rules.judge import Judge, labels_of
from memstore.rules.vault_places import RegistryKind
from memstore.rules.vouching import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.codec.witness_request import WitnessRequest
    from memstore.core.view import View
    from memstore.flows.registry import Registered
    from memstore.model.memory import Memory
    from memstore.ports.signatures import Signatures


@again_where_changed
def request_witness(
    view: View,
    memory: Memory | str,
    agent_ids: Sequence[str],
    *,
    notes: str | None = None,
    dry_run: bool = False,
    commit: bool = False,
) -> Registered:
    """Ask others to attest to a memory: a file that can be sent to them, with all that they are to read.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.", access_grants=["si:pith"])
    >>> request_witness(ws.view(), memory, agent_ids=["si:pith"]).path
    'requests/req_0000000002.md'

    Args:
        view: the vault.
        memory: the memory, or its ref.
        agent_ids: whom; each of them may see it.
        notes: why, for them to read; one line.
        dry_run: write nothing, and return what would be.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: it is not the actor's own, or one of those who are asked may not see it, or speaks for its author.
        UsageError: nobody is asked, an id is none, or the memory has no id.
    """
    file = view.original(memory if isinstance(memory, str) else str(memory.ref))
    asked = [entity_id(name, "who is asked") for name in agent_ids]
    about = attestable(file)
    if not asked:
        raise UsageError("who is asked?", hint="--from si:pith")
    if not view.owns(about):
        raise RefusedError(f"{about.ref} is not {view.actor}'s to send", hint="ask its owner")
    voucher = Voucher(view)
    for name in asked:
        stop_at_own_words(voucher, about, name)
    _stop_where_hidden(view, about, asked)
    values = {
        "type": WITNESS_REQUEST,
        "id": new_id(view, "req_"),
        **witness_request.values_of(about),
        "asked": plain(asked),
        "requested_at": instant(view.clock.now()),
        "requested_by": view.actor,
        "reason": notes,
    }
    told: dict[str, str | list[str] | None] = {"request": str(values["id"]), "memory": about.id, "asked": asked}
    return create(
        view, RegistryKind.REQUEST, values, verb="request-witness", about=told, dry_run=dry_run, commit=commit
    )


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
    """Return a signed answer to a request, for the one who asked; no vault is needed.

    Args:
        request: what is asked.
        attestation: `confirm`, `dispute` or `partial`.
        by: who answers; None is the one who is asked.
        at: the time, UTC.
        signatures: the keys of the one who answers.
        aspects: which keys of it one speaks of; `partial` names them.
        notes: one line.
        key: the key's file; None is the one that the user's settings name.

    Raises:
        UsageError: several are asked, or somebody else; no key is named; or `partial` without an aspect.
        VaultError: the key can't be used.
    """
    who = by or (request.asked[0] if len(request.asked) == 1 else None)
    if who is None or who not in request.asked:
        raise UsageError(f"asked are {', '.join(request.asked)}", hint="--as says which of them you are")
    if attestation == "partial" and not aspects:
        raise UsageError("partial of what?", hint="--aspect title, say; notes can tell the rest")
    entry = Witness(
        agent_id=who,
        attestation=attestation,
        witnessed_at=instant(at),
        content=request.digests.content,
        provenance=request.digests.provenance,
        aspects=tuple(aspects),
        notes=notes,
    )
    message = witness_request.message_of(request, entry)
    sig = signatures.sign(message, namespace=ATTEST_NAMESPACE, key=key_of(signatures, key))
    return witness_request.answer(request, replace(entry, sig=sig))


@again_where_changed
def accept_answer(
    view: View, ref: str, path: str, data: bytes, *, dry_run: bool = False, commit: bool = False
) -> Signed:
    """Add the attestation in an answer to its memory, if it is about it as it is now.

    Args:
        view: the vault.
        ref: the memory.
        path: the answer's name.
        data: the answer.
        dry_run: write nothing, and return what would be.
        commit: commit the change, too.

    Raises:
        NotFoundError: there is no such memory.
        FormatError: it is no answer.
        RefusedError: it is about another memory or another state of it, its signature is over other words, or it is
            the author's own voice.
    """
    file = view.original(ref)
    memory = attestable(file)
    answer = witness_request.read_answer(path, data)
    entry = answer.witness
    if answer.ref != str(memory.ref):
        raise RefusedError(f"{path} is about {answer.ref}, not {memory.ref}", hint=f"memstore witness {answer.ref} …")
    if (entry.content, entry.provenance) != canonical.digests(memory):
        raise RefusedError(
            f"{memory.ref} is not what {entry.agent_id} attested to any more",
            hint=f"memstore request-witness {memory.ref} --from {entry.agent_id}",
        )
    voucher = Voucher(view)
    stop_at_own_words(voucher, memory, entry.agent_id)
    if entry in memory.witnesses:
        known = voucher.of(memory).witnesses[memory.witnesses.index(entry)]
        return Signed(saved=unchanged(file), verdict=known.verdict)
    after = splice.apply(file, [splice.AppendEntry("witnesses", plain_entry(entry, WITNESS_KEYS))])
    read = memory_file.read(file.path, after)
    if not isinstance(read, MemoryFile):
        raise FormatError(f"{path}: {entry.agent_id!r} said it in a form that no witness has")
    verdict = voucher.of(read.memory).witnesses[-1].verdict
    if verdict.state in (State.INVALID, State.UNSIGNED):
        raise RefusedError(f"{path}: {verdict.reason}", hint="ask for it anew")
    saved = save(view, Edit(path=file.path, before=file, after=after), verb="witness", dry_run=dry_run, commit=commit)
    return Signed(saved=saved, verdict=verdict)


def _stop_where_hidden(view: View, memory: Memory, asked: Sequence[str]) -> None:
    world, now, labels = view.policy, view.clock.now(), labels_of(memory)
    blind = [name for name in asked if not Judge(world, Session(viewer=name, at=now)).admits(labels)]
    if blind:
        raise RefusedError(
            f"{', '.join(blind)} may not see {memory.ref}, and a request shows it",
            hint=f"memstore privacy grant {memory.ref} --to {' '.join(blind)}",
        )
