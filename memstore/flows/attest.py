"""Attestations for other tools: the bytes that were signed, and envelopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.codec import canonical, sshsig, statement
from memstore.errors import FormatError, NotFoundError
from memstore.flows.sign import attestable
from memstore.model.keyring import ATTEST_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.statement import Statement
    from memstore.core.view import View
    from memstore.model.memory import Memory


def payload(view: View, ref: str, *, by: str | None = None) -> bytes:
    """Return the very bytes that an attestation's signature is over, for `ssh-keygen -Y verify` to read.

    Args:
        view: the vault.
        ref: the memory.
        by: whose attestation; None is the author's. Of a witness's several it is the latest.

    Raises:
        NotFoundError: there is no such memory, or nobody of that name attests to it.
    """
    return statement.message(_entry(view.original(ref).memory, by)[0])


def signature(view: View, ref: str, *, by: str | None = None) -> str:
    """Return an attestation's signature as the file that `ssh-keygen -Y verify -s FILE` reads; see `payload`."""
    return sshsig.armoured(_entry(view.original(ref).memory, by)[1])


def envelope(view: View, ref: str, *, by: str | None = None) -> dict[str, Any]:
    """Return an attestation as a DSSE envelope; see `payload`."""
    said, sig = _entry(view.original(ref).memory, by)
    return statement.envelope(said, sig, sshsig.read(sig, namespace=ATTEST_NAMESPACE).key.fingerprint)


def digest_page(view: View, refs: Sequence[str]) -> str:
    """Return a page that commits to memories: their digests and signatures, a few lines each, to publish or to stamp.

    Nothing of what they say stands in it; whoever guesses that can tell that they guessed right.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: one has no id.
    """
    lines = ["memstore digests, memstore.c14n/1"]
    for ref in refs:
        memory = attestable(view.original(ref))
        entries = (memory.signature, *memory.witnesses, *memory.resolutions)
        lines += ["", str(memory.ref)]
        lines += [f"{name} {digest}" for name, digest in canonical.digests(memory)._asdict().items()]
        lines += [f"signature {entry.sig}" for entry in entries if entry is not None and entry.sig]
    return "\n".join(lines) + "\n"


def _entry(memory: Memory, by: str | None) -> tuple[Statement, str]:
    """Return the statement that an entry stands for, and its signature."""
    if memory.signature is not None and by in (None, memory.signature.by):
        return statement.by_author(memory.id or "", memory.signature), memory.signature.sig
    signed = [witness for witness in memory.witnesses if witness.agent_id == by and witness.sig]
    if not signed:
        raise NotFoundError(
            f"{memory.ref} has no signed attestation by {by or 'its author'}", hint=f"memstore trust {memory.ref}"
        )
    latest = max(signed, key=lambda witness: witness.witnessed_at)
    if latest.sig is None:
        raise FormatError("it has no signature")
    return statement.by_witness(memory.id or "", latest), latest.sig
