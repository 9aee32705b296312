"""Seed 004's usage patterns: create a memory, anchor it, and find memories that others vouch for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from memstore.codec import memory_file, splice
from memstore.codec.memory_file import MemoryFile
from memstore.core.again import again_where_changed
from memstore.errors import FormatError, UsageError
from memstore.flows import anchor as anchoring
from memstore.flows.add import prepared
from memstore.flows.by_hand import refuse_by_hand
from memstore.flows.create import About, values_of
from memstore.flows.list_memories import list_memories
from memstore.flows.save import save
from memstore.flows.show import show_memory
from memstore.flows.sign import signature_of
from memstore.flows.trust_level import TrustReader
from memstore.model.keys import PAGE_ANCHORS
from memstore.model.retrieval import Filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.render import Plain
    from memstore.core.view import View
    from memstore.model.attestation import Anchor
    from memstore.model.memory import Memory


@again_where_changed
def create_memory(
    view: View,
    *,
    type: str = "insight",  # noqa: A002 - the seed's name
    summary: str,
    body: str,
    confidence: float | None = None,
    **about: Unpack[About],
) -> Memory:
    """Write a memory with author and time, signed where the user's settings name a key.

    >>> memory = create_memory(
    ...     ws.view(),
    ...     type="insight",
    ...     summary="Synthesis is harder than storage",
    ...     body="It's knowing what to remember.",
    ...     tags=["synthesis"],
    ...     confidence=0.8,
    ... )
    >>> str(memory.ref), memory.author, memory.created_at, memory.signature.by
    ('insight:m_0000000001', 'human:sean', '2026-02-01T12:00:00Z', 'human:sean')

    Args:
        view: the vault.
        type: what it is.
        summary: one line; its title.
        body: the text.
        confidence: in [0, 1].
        about: what else is known of it.

    Raises:
        UsageError: a value has not the shape of its key, or there is no text.
        VaultError: the key can't be used; nothing was written.
    """
    dry_run, commit = about.pop("dry_run", False), about.pop("commit", False)
    values: dict[str, Plain] = {"type": type, "confidence": confidence, **values_of(about), "title": summary}
    for name, value in values.items():
        refuse_by_hand(name, value)
    edit, _ = prepared(view, values, body)
    if view.signatures.own_key is not None:
        file = _read(edit.path, edit.after)
        edit = replace(edit, after=splice.apply(file, [signature_of(view, file.memory, None)]))
    save(view, edit, verb="add", dry_run=dry_run, commit=commit)
    return _read(edit.path, edit.after).memory


def create_anchor(
    view: View,
    memory: Memory | str,
    *,
    type: str,  # noqa: A002 - the seed's name
    reference: str,
    page: bytes | None = None,
    proof: bytes | None = None,
) -> Anchor:
    """Record where else it can be seen what a memory says; the file has the anchor then.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.")
    >>> create_anchor(ws.view(), memory, type="moltbook_post", reference="https://moltbook.com/p/1").type
    'moltbook_post'

    Args:
        view: the vault.
        memory: the memory, or its ref.
        type: git_commit, url, moltbook_post, opentimestamps or blockchain.
        reference: the commit, page or transaction.
        page: what the page says, of which the vault keeps a copy; without it nothing can be verified.
        proof: of opentimestamps: the bytes of the `.ots` file that was made of the page.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: it has no id, or the commit does not hold it as it is.
        FormatError: the proof is none, or of something else.
    """
    ref = _ref(memory)
    if type == "git_commit":
        anchoring.anchor_commit(view, ref, revision=reference)
    elif type == "opentimestamps" and page is not None and proof is not None:
        anchoring.anchor_stamp(view, ref, page, proof, reference=reference)
    elif type in PAGE_ANCHORS and page is not None:
        anchoring.anchor_page(view, ref, type, reference, page)
    else:
        anchoring.anchor_elsewhere(view, ref, type, reference)
    return show_memory(view, ref).memory.anchors[-1]


def query_memories(view: View, *, tags: Sequence[str] = (), min_trust: float = 0.0) -> tuple[Memory, ...]:
    """Return the memories that have all of these tags and at least this trust, the newest first.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.", tags=["synthesis"])
    >>> [str(found.ref) for found in query_memories(ws.view(), tags=["synthesis"])]
    ['insight:m_0000000001']
    >>> query_memories(ws.view(), tags=["synthesis"], min_trust=0.6)
    ()

    Args:
        view: the vault.
        tags: which.
        min_trust: in [0, 1]; as `trust_of` computes it now.
    """
    if not 0.0 <= min_trust <= 1.0:
        raise UsageError(f"trust is a number from 0 to 1, not {min_trust}")
    # Tags of a filter are alternatives; here all of them are meant.
    entries = list_memories(view, Filters(tag=tuple(tags[:1]))).entries
    files = [file for entry in entries if (file := view.read(entry.path)) is not None]
    tagged = [file for file in files if set(tags) <= set(file.memory.tags)]
    reader = TrustReader(view)
    return tuple(file.memory for file in tagged if reader.of(file.memory).score >= min_trust)


def _ref(memory: Memory | str) -> str:
    return memory if isinstance(memory, str) else str(memory.ref)


def _read(path: str, data: bytes) -> MemoryFile:
    file = memory_file.read(path, data)
    if not isinstance(file, MemoryFile):
        raise FormatError(f"{path} could not be read again")
    return file
