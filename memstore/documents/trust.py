"""Who vouches for a memory, as JSON: trust and its terms, attestations, anchors, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.keys import EXTERNAL
from memstore.core.times import instant
from memstore.documents.memories import shown_document
from memstore.documents.parts import saved_document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memstore.memories.show import Shown
    from memstore.trust.anchor import Recorded
    from memstore.trust.anchors import Anchored
    from memstore.trust.formats.beta import Beta
    from memstore.trust.keys import KeysChanged, KnownKey, KnownKeys
    from memstore.trust.lineage_strength import LineageStrength, StrengthLink, Support
    from memstore.trust.pin import Pinned
    from memstore.trust.reputation import Reputation
    from memstore.trust.sign import Signed
    from memstore.trust.trust import Trusted
    from memstore.trust.verify_anchors import Fetched
    from memstore.trust.vouching import Attested, Verdict
    from memstore.trust.witness_request import WitnessRequest

_THOUSAND = 1000


def trust_document(
    found: Trusted, lineage: LineageStrength, again: Mapping[int, Fetched] | None = None
) -> dict[str, Any]:
    """Return who vouches for a memory: the number, its level, and all of its terms; `again`: pages fetched anew."""
    memory = found.file.memory
    document = {
        **({"external": True} if memory.source_type == EXTERNAL else {}),
        "ref": str(memory.ref) if memory.ref else None,
        "path": found.file.path,
        "profile": found.profile.value,
        "trust": {**found.seed_factors(), "computed_at": instant(found.computed_at)},
        "terms": [
            {"name": term.name, "points": term.points / _THOUSAND, "because": term.because}
            for term in found.trust.terms
        ],
        **explanation_document(found),
        "beta": None if found.beta is None else _beta_document(found, found.beta),
        "reputation": _reputation_document(memory.author, found.reputation),
        "lineage": {
            "derived_from": _link_document(lineage.derived_from) if lineage.derived_from else None,
            "relates_to": _support_document(lineage.relates_to) if lineage.relates_to else None,
        },
    }
    return document if again is None else {**document, "online": pages_document(found, again)}


def verified_document(shown: Shown, found: Trusted) -> dict[str, Any]:
    """Return a memory, and the status of each of its attestations."""
    return {**shown_document(shown), "verified": explanation_document(found)}


def explanation_document(found: Trusted) -> dict[str, Any]:
    """Return the status of each attestation of a memory, and the keys that no signature covers."""
    memory = found.file.memory
    return {
        "tampered": [
            {"kind": one.kind.value, "agent": one.agent, "reason": one.reason} for one in found.vouched.tampered
        ],
        "signature": verdict_document(found.vouched.signature),
        "witnesses": [_witness_document(one) for one in found.vouched.witnesses],
        "anchors": [
            {"type": anchor.type, "reference": anchor.reference, **anchor_document(one)}
            for anchor, one in zip(memory.anchors, found.vouched.anchors, strict=False)
        ],
        "resolutions": [
            {"by": one.by, "outcome": one.outcome, "at": one.at, "notes": one.notes, **verdict_document(verdict)}
            for one, verdict in zip(memory.resolutions, found.vouched.resolutions, strict=False)
        ],
        "unsigned": list(found.unsigned),
    }


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict on an attestation."""
    return {
        "state": verdict.state.value,
        "reason": verdict.reason or None,
        "fingerprint": verdict.fingerprint or None,
        "pinned": verdict.pinned,
    }


def anchor_document(one: Anchored) -> dict[str, Any]:
    """Return the status of an anchor."""
    return {
        "status": one.status.value,
        "counts": one.counts,
        "reason": one.reason or None,
        "hint": one.hint or None,
        "proves": instant(one.at) if one.at else None,
        "timed": one.timed and one.counts,
    }


def pages_document(found: Trusted, again: Mapping[int, Fetched]) -> list[dict[str, Any]]:
    """Return the pages that anchor a memory, and whether they have changed since."""
    anchors = found.file.memory.anchors
    return [
        {"reference": anchors[i].reference, "status": one.status.value, "reason": one.reason or None}
        for i, one in again.items()
    ]


def _witness_document(one: Attested) -> dict[str, Any]:
    return {
        "agent_id": one.witness.agent_id,
        "attestation": one.witness.attestation,
        "witnessed_at": one.witness.witnessed_at,
        "aspects": list(one.witness.aspects),
        "notes": one.witness.notes,
        **verdict_document(one.verdict),
    }


def _link_document(link: StrengthLink) -> dict[str, Any]:
    return {"ref": link.ref, "strength": link.strength, "reason": link.reason or None}


def _support_document(support: Support) -> dict[str, Any]:
    links = [_link_document(link) for link in support.links]
    return {"strength": support.strength, "independent": support.groups, "links": links}


def _beta_document(found: Trusted, of: Beta) -> dict[str, Any]:
    return {
        "integrity": found.integrity,
        "identity": identity_of(of),
        "time": instant(found.proven_at) if found.proven_at else None,
        "corroboration": of.corroboration,
        "uncertainty": of.of.uncertainty,
        "voices": [
            {
                "entity": voice.entity,
                "said": voice.said,
                "weight": voice.worth.weight,
                "right": voice.worth.right,
                "wrong": voice.worth.wrong,
                "sponsor": voice.sponsor,
            }
            for voice in of.voices
        ],
    }


def identity_of(of: Beta) -> str:
    """Return what is known about the author: nothing, their key, or who introduced them."""
    authors = [voice for voice in of.voices if voice.said == "author"]
    if not authors:
        return "unknown"
    return "sponsored" if authors[0].sponsor else "enrolled"


def _reputation_document(author: str | None, found: Reputation) -> dict[str, Any]:
    return {
        "entity": author,
        "value": found.value,
        "right": found.right,
        "wrong": found.wrong,
        "outcomes": [
            {"ref": one.ref, "said": one.said, "was_right": one.was_right, "by": one.by, "at": instant(one.at)}
            for one in found.outcomes
        ],
    }


# -- attestations and keys -----------------------------------------------------------------------


def signed_document(done: Signed, *, dry_run: bool) -> dict[str, Any]:
    """Return a memory that somebody vouched for, and the verdict on that."""
    return {**saved_document(done.saved, dry_run=dry_run), "verdict": verdict_document(done.verdict)}


def anchored_document(done: Recorded, *, dry_run: bool) -> dict[str, Any]:
    """Return a memory that was anchored, and the anchor's status; null if the anchor already existed."""
    return {
        **saved_document(done.saved, dry_run=dry_run),
        "anchor": anchor_document(done.anchored) if done.anchored else None,
    }


def witness_request_document(asked: WitnessRequest) -> dict[str, Any]:
    """Return what a request for witnesses asks about."""
    return {
        "request": asked.id,
        "ref": str(asked.ref),
        "asked": list(asked.asked),
        "requested_by": asked.requested_by,
        "reason": asked.reason,
        "content": asked.content,
        "provenance": asked.provenance,
        "digests": asked.digests._asdict(),
    }


def digest_document(page: str) -> dict[str, Any]:
    """Return a page of digests and signatures."""
    return {"page": page}


def envelope_document(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return an attestation as a DSSE envelope."""
    return {"envelope": envelope}


def signature_document(signature: str) -> dict[str, Any]:
    """Return an attestation as an OpenSSH signature file."""
    return {"signature": signature}


def statement_document(statement: str) -> dict[str, Any]:
    """Return a statement that a key replaces another, signed by both."""
    return {"statement": statement}


def keys_changed_document(done: KeysChanged, *, dry_run: bool) -> dict[str, Any]:
    """Return keys that were enrolled, revoked or replaced."""
    document: dict[str, Any] = {
        "entity": done.entity,
        "path": done.path,
        "fingerprints": [key.fingerprint for key in done.keys],
        "changed": bool(done.diff),
    }
    document |= {"counts": done.counts} if done.pinned else {}
    return document | ({"diff": done.diff} if dry_run else {}) | ({"commit": done.commit} if done.commit else {})


def keys_init_document(done: KeysChanged, pinned: Pinned) -> dict[str, Any]:
    """Return the key that a user signs with from now on, and the commit that they trust."""
    return keys_changed_document(done, dry_run=False) | {"pin": pinned.commit}


def keys_document(found: KnownKeys) -> dict[str, Any]:
    """Return whose keys count."""
    return {"pin": found.pin, "keys": [_key_document(one) for one in found.keys]}


def _key_document(one: KnownKey) -> dict[str, Any]:
    from memstore.trust.keyring import COMMIT_NAMESPACE

    signer = one.signer
    return {
        "entities": list(signer.principals),
        "fingerprint": signer.key.fingerprint,
        "type": signer.key.type,
        "namespaces": list(signer.namespaces),
        "valid_after": instant(signer.valid_after) if signer.valid_after else None,
        "valid_before": instant(signer.valid_before) if signer.valid_before else None,
        "line": signer.line or None,
        "standing": one.standing,
        "pinned": signer.pinned,
        "keeper": COMMIT_NAMESPACE in signer.namespaces,
        "authority": signer.authority,
        "follows": one.follows or None,
    }


def pinned_document(done: Pinned) -> dict[str, Any]:
    """Return the commit whose keyring the user trusts, and the keys in it."""
    return {
        "commit": done.commit,
        "before": done.before,
        "keys": [
            {
                "entities": list(one.principals),
                "fingerprint": one.key.fingerprint,
                "keeper": one in done.keepers,
                "let_in": one in done.let_in,
            }
            for one in done.signers
        ],
    }


def pinned_block_document(height: int, at: datetime) -> dict[str, Any]:
    """Return a block of Bitcoin's chain whose header the user trusts, and the time that it proves."""
    return {"height": height, "at": instant(at)}


def pinned_host_document(host: str, entity: str) -> dict[str, Any]:
    """Return a web host, and its owner according to the user."""
    return {"host": host, "entity": entity}
