"""Signs one's own memories, witnesses others' memories, and exports attestations for other tools."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.change import Edit, Saved, SavedOne
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError
from memstore.core.keys import EXTERNAL, RESOLUTION_KEYS, SIGNATURE_KEYS, WITNESS_KEYS
from memstore.core.memory import Resolution, Signature, Witness
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed, save, unchanged
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.trust import SIGNATURES, sshsig, statement
from memstore.trust.keyring import ATTEST_NAMESPACE
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memstore.core.keys import Key
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.render import Plain
    from memstore.trust.signatures import Signatures
    from memstore.trust.statement import Digests, SignedStatement
    from memstore.trust.vouching import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed(SavedOne):
    """The saved file, and the verdict on the attestation in it; whether an external memory is now vouched for."""

    verdict: Verdict
    is_evidence: bool = False

    __repr__ = short_repr


@again_where_changed
def sign(view: View, memory: Named, *, key: str | None = None, **saving: Unpack[Saving]) -> Signed:
    """Sign a memory as its author; one with a valid signature stays as it is.

    A memory that names no author, such as one written by hand, belongs to its owner: whoever signs it becomes its
    author.

    >>> note = note(ws.view(), "Claire answers in the evening.")
    >>> sign(ws.view(), note.ref).verdict.state.value
    'valid'

    Args:
        view: the vault.
        memory: the memory; the actor must be its author, or its owner if it names none.
        key: the key's file, or its .pub if an ssh-agent holds it; None is the one that the user's settings name.
        saving: dry_run, commit.

    Raises:
        RefusedError: somebody else is its author.
        UsageError: it has no id yet, or no key is named.
        VaultError: the key can't be used.
        FormatError: it contains characters that can't be signed.
    """
    file = view.original(memory)
    about = attestable(file)
    edits: list[splice.Edit] = []
    if about.author is None and view.owns(about):
        about = replace(about, author=view.actor)
        edits.append(splice.SetValue("author", view.actor))
    if about.author != view.actor:
        by = about.author or "nobody named, so only its owner can sign it"
        raise RefusedError(
            f"{about.ref} is by {by}, and {view.actor} can't sign for others",
            hint=f"memstore trust witness {about.ref} --attest confirm vouches for it",
        )
    voucher = Voucher(view)
    before = voucher.of(about)
    if before.signature.counts and not before.is_rolled_back(about.author):
        return Signed(saved=unchanged(file), verdict=before.signature)
    edits.append(signature_of(view, about, key, at=voucher.now))
    saved, after = _save_signed(view, file, edits, verb="sign", **saving)
    return Signed(saved=saved, verdict=voucher.of(after).signature)


@again_where_changed
def witness(
    view: View,
    memory: Named,
    attestation: str,
    *,
    aspects: Sequence[str] = (),
    notes: str | None = None,
    key: str | None = None,
    **saving: Unpack[Saving],
) -> Signed:
    """Attest that a memory is right, or that it is not; the latest attestation of each witness counts.

    >>> witness(ws.view(), babels_insight, "confirm", notes="I read the logs").verdict.state.value
    'valid'

    Args:
        view: the vault.
        memory: the memory; the actor must not be its author, unless it is external and the actor's.
        attestation: `confirm`, `dispute` or `partial`.
        aspects: the keys of the memory that it is about; required for `partial`.
        notes: one line; `[[ref]]` in it names what the witness has seen.
        key: as in `sign`.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor is its author, or has the same controller as the author.
        UsageError: it has no id yet, no key is named, or `partial` without an aspect.
        VaultError: the key can't be used.
    """
    file = view.original(memory)
    about = attestable(file)
    voucher = Voucher(view)
    if not (about.source_type == EXTERNAL and view.owns(about)):  # its words are not its author's own
        stop_at_own_words(voucher, about, view.actor)
    entry = witness_entry(view.actor, attestation, statement.digests(about), voucher.now, aspects=aspects, notes=notes)
    sig = _statement_line(view, statement.by_witness(about.id or "", entry), key)
    edit = splice.AppendEntry("witnesses", plain_entry(entry._replace(sig=sig), WITNESS_KEYS))
    saved, after = _save_signed(view, file, [edit], verb="witness", **saving)
    owner = after.owner or view.config.owner
    is_evidence = after.source_type == EXTERNAL and voucher.vouches_for(after, owner=owner)
    return Signed(saved=saved, verdict=voucher.of(after).witnesses[-1].verdict, is_evidence=is_evidence)


@again_where_changed
def resolve(
    view: View,
    memory: Named,
    outcome: str,
    *,
    notes: str | None = None,
    key: str | None = None,
    **saving: Unpack[Saving],
) -> Signed:
    """Decide the outcome of a dispute about a memory; both sides stay in the file.

    >>> resolve(ws.view(), babels_insight, "overturned", notes="The log says storage").verdict.state.value
    'valid'

    Args:
        view: the vault.
        memory: the memory; the actor must not be its author.
        outcome: `upheld` or `overturned`.
        notes: one line.
        key: as in `sign`.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor is its author, or has the same controller as the author.
        UsageError: it has no id yet, or no key is named.
        VaultError: the key can't be used.
    """
    file = view.original(memory)
    about = attestable(file)
    voucher = Voucher(view)
    stop_at_own_words(voucher, about, view.actor)
    content, provenance = statement.digests(about)
    entry = Resolution(
        by=view.actor,
        outcome=outcome,
        at=instant(voucher.now),
        content=content,
        provenance=provenance,
        notes=notes,
        sig="",
    )
    sig = _statement_line(view, statement.by_resolution(about.id or "", entry), key)
    edit = splice.AppendEntry("resolutions", plain_entry(entry._replace(sig=sig), RESOLUTION_KEYS))
    saved, after = _save_signed(view, file, [edit], verb="resolve", **saving)
    return Signed(saved=saved, verdict=voucher.of(after).resolutions[-1])


def witness_entry(
    who: str, attestation: str, of: Digests, at: datetime, *, aspects: Sequence[str], notes: str | None
) -> Witness:
    """Return an attestation at a time, in UTC, that is not signed yet; `UsageError` for `partial` without an aspect."""
    if attestation == "partial" and not aspects:
        raise UsageError(
            "a partial attestation needs an aspect", hint="name keys, like --aspect title; --notes can say the rest"
        )
    return Witness(
        agent_id=who,
        attestation=attestation,
        witnessed_at=instant(at),
        content=of.content,
        provenance=of.provenance,
        aspects=tuple(aspects),
        notes=notes,
    )


def stop_at_own_words(voucher: Voucher, memory: Memory, who: str) -> None:
    """Refuse a witness who is the memory's author, or has the same controller as the author."""
    if memory.author and voucher.is_one_voice(who, memory.author):
        raise RefusedError(
            f"{memory.ref} is by {memory.author}, and nobody can attest to their own words",
            hint=f"memstore trust sign {memory.ref}",
        )


def signature_of(view: View, memory: Memory, key: str | None, *, at: datetime) -> splice.SetValue:
    """Return the edit that adds the actor's signature, made at a time, to a memory's file; `key` as in `sign`."""
    content, provenance = statement.digests(memory)
    entry = Signature(by=view.actor, at=instant(at), content=content, provenance=provenance, sig="")
    sig = _statement_line(view, statement.by_author(memory.id or "", entry), key)
    return splice.SetValue("signature", plain_entry(entry._replace(sig=sig), SIGNATURE_KEYS))


def key_of(signatures: Signatures, named: str | None) -> str:
    """Return the key to sign with; `UsageError` if none is named, nor set in the user's settings."""
    key = named or signatures.own_key
    if key is None:
        raise UsageError(
            "there is no key to sign with",
            hint="give --key FILE, or set one for good: memstore trust keys init FILE in your own vault, "
            "memstore config --user signing_key FILE in another's",
        )
    return key


def _statement_line(view: View, said: SignedStatement, key: str | None) -> str:
    return view.of(SIGNATURES).sign(
        statement.message(said), namespace=ATTEST_NAMESPACE, key=key_of(view.of(SIGNATURES), key)
    )


def attestable(file: MemoryFile) -> Memory:
    """Return the memory in a file if anything can be attested about it.

    Raises:
        UsageError: it has no id yet.
        RefusedError: it was forgotten.
    """
    if not file.memory.id:
        raise UsageError(
            f"{file.path} has no id for a signature to name", hint=f"memstore adopt {shlex.quote(file.path)}"
        )
    if file.memory.status == "forgotten":
        raise RefusedError(f"{file.memory.ref} was forgotten: nothing is left to vouch for")
    return file.memory


def plain_entry(entry: Signature | Witness | Resolution, keys: Sequence[Key]) -> dict[str, Plain]:
    """Return an entry in the form that a frontmatter has it, in the order of its table of keys."""
    values = {key.name: getattr(entry, key.name) for key in keys}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}


def _save_signed(
    view: View, file: MemoryFile, edits: Sequence[splice.Edit], *, verb: str, **saving: Unpack[Saving]
) -> tuple[Saved, Memory]:
    """Return the saved file, and the memory that is now in it, or in a dry run would be."""
    data = splice.apply(file, edits)
    saved = save(view, Edit(path=file.path, before=file, after=data), verb=verb, **saving)
    after = memory_file.read(file.path, data, mixed=view.config.mixed)
    return saved, after.memory if isinstance(after, MemoryFile) else file.memory


# -- signed bytes and envelopes --------------------------------------------------------------------


def payload(view: View, memory: Named, *, by: str | None = None) -> bytes:
    """Return the exact bytes that an attestation's signature covers, as input for `ssh-keygen -Y verify`.

    Args:
        view: the vault.
        memory: the memory.
        by: whose attestation; None is the author's. If a witness has several, it is the latest.

    Raises:
        NotFoundError: there is no such memory, or nobody of that name attests to it.
    """
    return statement.message(_entry(view.original(memory).memory, by)[0])


def signature(view: View, ref: str, *, by: str | None = None) -> str:
    """Return an attestation's signature as the file that `ssh-keygen -Y verify -s FILE` reads; see `payload`."""
    return sshsig.armoured(_entry(view.original(ref).memory, by)[1])


def envelope(view: View, ref: str, *, by: str | None = None) -> dict[str, Any]:
    """Return an attestation as a DSSE envelope; see `payload`."""
    said, sig = _entry(view.original(ref).memory, by)
    return statement.envelope(said, sig, sshsig.read(sig, namespace=ATTEST_NAMESPACE).key.fingerprint)


def digest_page(view: View, refs: Sequence[str]) -> str:
    """Return a page that commits to memories: a few lines each with digests and signatures, to publish or to stamp.

    It contains nothing of their text, but somebody who guesses the text can verify the guess.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: one has no id.
    """
    lines = ["memstore digests, memstore.c14n/1"]
    for ref in refs:
        memory = attestable(view.original(ref))
        entries = (memory.signature, *memory.witnesses, *memory.resolutions)
        lines += ["", str(memory.ref)]
        lines += [f"{name} {digest}" for name, digest in statement.digests(memory)._asdict().items()]
        lines += [f"signature {entry.sig}" for entry in entries if entry is not None and entry.sig]
    return "\n".join(lines) + "\n"


def _entry(memory: Memory, by: str | None) -> tuple[SignedStatement, str]:
    """Return the statement that an entry represents, and its signature."""
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
