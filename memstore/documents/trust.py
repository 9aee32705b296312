"""The forms of who vouches for a memory: trust and its terms, attestations, anchors, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired, TypedDict

from memstore.core.keys import EXTERNAL
from memstore.documents.form import Form

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.core.memory import Anchor, Resolution
    from memstore.trust.anchors import Anchored
    from memstore.trust.formats.beta import Beta
    from memstore.trust.keyring import Signer
    from memstore.trust.keys import KeysChanged, KnownKey
    from memstore.trust.reputation import Reputation
    from memstore.trust.score import TrustTerm
    from memstore.trust.trust import Trusted
    from memstore.trust.verify_anchors import Online
    from memstore.trust.vouching import Verdict

Said = Mapping[str, Any]
_THOUSAND = 1000

# -- attestations --------------------------------------------------------------------------------

Form("""Verdict
    state
    reason~: why it does not count
    fingerprint~: the fingerprint of the key that made it, SHA256:…
    pinned: whether the key counts under the commit that the user pinned
""")


def _counts_as_timed(one: Anchored) -> bool:
    return one.timed and one.counts


_ANCHORED = """
    status
    counts: whether it adds to trust
    reason~
    hint~: what to do
    proves=at: the time that it proves
    timed: Whether a third party proves when it existed.
"""
Form(
    f"""Anchored
{_ANCHORED}
""",
    timed=_counts_as_timed,
)


class AnchorStanding(NamedTuple):
    """An anchor as the memory has it, and its status."""

    anchor: Anchor
    anchored: Anchored


class ResolutionStanding(NamedTuple):
    """A decision of a dispute as the memory has it, and the verdict on it."""

    resolution: Resolution
    verdict: Verdict


def _anchors(found: Trusted) -> tuple[AnchorStanding, ...]:
    return tuple(map(AnchorStanding, found.file.memory.anchors, found.vouched.anchors))


def _resolutions(found: Trusted) -> tuple[ResolutionStanding, ...]:
    return tuple(map(ResolutionStanding, found.file.memory.resolutions, found.vouched.resolutions))


Form("Tampered", "kind agent reason")
Form("""Attested
    agent_id=witness.agent_id attestation=witness.attestation[confirm|dispute|partial]
    witnessed_at=witness.witnessed_at aspects=witness.aspects notes=witness.notes *verdict
""")
Form("AnchorStanding", "type=anchor.type reference=anchor.reference *anchored")
Form("""ResolutionStanding
    by=resolution.by outcome=resolution.outcome[upheld|overturned] at=resolution.at notes=resolution.notes *verdict
""")
explanation_document: Form[Trusted] = Form(
    """Trusted
    tampered=vouched.tampered: attestations that are in the vault's history but no longer in the file; the level is
        unverified then
    signature=vouched.signature witnesses=vouched.witnesses anchors resolutions
    unsigned: frontmatter keys that no signature covers
""",
    definition="verified",
    anchors=_anchors,
    resolutions=_resolutions,
)

# -- trust ---------------------------------------------------------------------------------------


def _points(term: TrustTerm) -> float:
    return term.points / _THOUSAND


def _is_external(found: Trusted) -> bool:
    return found.file.memory.source_type == EXTERNAL


Form("TrustTerm", "name points because", points=_points)
Form("""TrustGrounds
    author_reputation=reputation[0..1]
    witness_count=confirms: how many witnesses confirm it and count
    anchor_count=anchors dispute_count=disputes
""")
_computed = Form[object](
    """Trusted
    score=trust.score[0..1] level=trust.level.word[unverified|attested|anchored|consensus]
    contested=trust.contested: whether a witness that counts disputes it
    factors=grounds computed_at
""",
    definition="computed",
)


def identity_of(of: Beta) -> Literal["unknown", "enrolled", "sponsored"]:
    """Return what is known about the author: nothing, their key, or who introduced them."""
    authors = [voice for voice in of.voices if voice.said == "author"]
    if not authors:
        return "unknown"
    return "sponsored" if authors[0].sponsor else "enrolled"


def _integrity(_: Beta, said: Said) -> str:
    return str(said["Trusted"].integrity)


def _proven_at(_: Beta, said: Said) -> datetime | None:
    found: Trusted = said["Trusted"]
    return found.proven_at


def _author(_: Reputation, said: Said) -> str | None:
    found: Trusted = said["Trusted"]
    return found.file.memory.author


Form("""Voice
    entity said[author|confirm|dispute|partial]
    weight=worth.weight[0..1)] right=worth.right[0..] wrong=worth.wrong[0..] sponsor
""")
Form(
    """Beta
    integrity[valid|stale|unsigned|untrusted|unproven-time|provenance-withheld|invalid|excluded|altered|withheld|rollback]:
        whether the content is what was signed
    identity: what is known about the author
    time: the time at which it existed, as proved by an anchor
    corroboration[0..]: the weight of the witnesses that confirm it
    uncertainty=of.uncertainty[(0..1]
    voices
""",
    integrity=_integrity,
    identity=identity_of,
    time=_proven_at,
)
Form("""Outcome
    ref said[author|confirm|dispute] was_right
    by: who decided: an entity, or the author's own correction
    at
""")
Form("Reputation", "entity value[(0..1)] right wrong outcomes", entity=_author)
Form(
    """StrengthLink
    ref strength[0..1]
    reason~: why the strength is not higher
""",
    definition="link",
)
Form("""Support
    strength[0..1]
    independent=groups: how many sources share no root
    links
""")
Form("""LineageStrength
    derived_from: the weakest of the memories that it was derived from
    relates_to
""")


class AnchorPage(NamedTuple):
    """A page that anchors a memory, and what was found there today."""

    reference: str
    status: Online
    reason: str


def _online(found: Trusted, said: Said) -> tuple[AnchorPage, ...]:
    anchors = found.file.memory.anchors
    return tuple(AnchorPage(anchors[i].reference, one.status, one.reason) for i, one in said["again"].items())


Form("AnchorPage", "reference status reason~")
Form(
    """Trusted
    @trust: who vouches for a memory
    external?: only if texts in it quote an external memory
    ref=file.memory.ref path=file.path
    profile: the method of computing trust
    trust=. terms=trust.terms *explanation=.
    beta: the parts of the result, with the weight of each statement; null in other profiles
    reputation: the author's reputation, from the outcomes of their signed statements
    lineage: how well the memories that it rests on are vouched for; not part of the score
    online?look_again: with --online: what the pages that anchor it say today
""",
    external=_is_external,
    trust=_computed,
    explanation=explanation_document,
    lineage="LineageStrength",
    online=_online,
)


# -- acts ----------------------------------------------------------------------------------------

Form("""Signed
    @resolve: a dispute that was decided
    @sign: a memory that its author signed
    @witness: a memory that somebody else vouched for, or disputed
    *saved
    verdict: the state of the attestation now
""")
Form("""Recorded
    @anchor: a memory that was anchored
    *saved
    anchor=anchored: the state of the new anchor; null if the same one already existed
""")
Form("Digests", "content provenance")
Form("""WitnessRequest
    @witness-request: the content of a request for witnesses
    request=id ref asked requested_by reason
    content: what the memory says
    provenance: where it comes from
    digests: computed from both
""")
Form("""Iterable[WitnessRequest]
    @witness-requests: the requests for witnesses that the actor has not answered
    requests=.
""")


class SignedWitness(TypedDict):
    """A witness as a memory's frontmatter has it."""

    agent_id: str
    attestation: str
    witnessed_at: str
    content: str
    provenance: str
    aspects: NotRequired[list[str]]
    notes: NotRequired[str]
    sig: str


class SignedAnswer(TypedDict):
    """The answer to a request for witnesses, for its sender to take over."""

    request: str
    ref: str
    witness: SignedWitness


Form("""SignedWitness
    agent_id attestation[confirm|dispute|partial] witnessed_at content provenance aspects? notes? sig
""")
Form("SignedAnswer", "request ref witness")
Form("""SignedAnswer
    @witness-answer: a signed answer to a request for witnesses
    *answer=.
""")


class EnvelopeSignature(TypedDict):
    """One signature of an envelope."""

    keyid: str
    sig: str


class Envelope(TypedDict):
    """A DSSE envelope."""

    payloadType: str
    payload: str
    signatures: list[EnvelopeSignature]


Form("EnvelopeSignature", "keyid sig")
Form("Envelope", "payloadType payload signatures")
Form("""str
    @attest-digest: digests and signatures of memories
    page=.
""")
Form("""Envelope
    @attest-export: an attestation for other tools
    envelope=.: a DSSE envelope
""")
Form("""str
    @attest-export
    signature=.: an armoured SSH signature
""")
Form("""str
    @keys-statement: a statement that a key replaces another
    statement=.: one line of JSON: a DSSE envelope with two signatures
""")

# -- keys ----------------------------------------------------------------------------------------


def _is_changed(done: KeysChanged) -> bool:
    return bool(done.diff)


_KEYS_CHANGED = """
    entity path fingerprints=keys.*.fingerprint[fingerprint] changed
    counts?pinned: in a pinned vault, whether a keeper signed the commit
    diff?dry_run: the unified diff, in a dry run
    commit?
"""
Form(
    f"""KeysChanged
    @keys-add: a key that was enrolled
    @keys-revoke: keys that were revoked
    @keys-rotate: a key that replaced others
{_KEYS_CHANGED}
""",
    changed=_is_changed,
)
Form(
    f"""KeysChanged
    @keys-init: the key that you now sign with, and the commit that you trust
{_KEYS_CHANGED}    pin: the pinned commit
""",
    changed=_is_changed,
    pin=str,
)


def _is_keeper(one: KnownKey) -> bool:
    from memstore.trust.keyring import COMMIT_NAMESPACE

    return COMMIT_NAMESPACE in one.signer.namespaces


Form(
    """KnownKey
    entities=signer.principals fingerprint=signer.key.fingerprint[fingerprint] type=signer.key.type
    namespaces=signer.namespaces valid_after=signer.valid_after valid_before=signer.valid_before
    line=signer.line~[1..]: null if the file no longer has it
    standing[valid|revoked|expired|not yet|not counted]
    pinned=signer.pinned: whether it counts under the pin, not just because it is in the file
    keeper: whether commits that it signs may change the keyring
    authority=signer.authority: whether it certifies keys and signs nothing itself
    follows~: the key that it replaced, in a rotation that both keys signed
""",
    keeper=_is_keeper,
)
Form("""KnownKeys
    @keys-list: whose keys count
    pin: the commit that the user pinned
    keys
""")


def _keeps(one: Signer, said: Said) -> bool:
    return one in said["Pinned"].keepers


def _is_let_in(one: Signer, said: Said) -> bool:
    return one in said["Pinned"].let_in


Form(
    """Signer
    entities=principals fingerprint=key.fingerprint[fingerprint] keeper
    let_in: whether it did not count under the previous pin
""",
    keeper=_keeps,
    let_in=_is_let_in,
)
Form("""Pinned
    @keys-pin: the commit whose keyring the user trusts
    commit before keys=signers
""")
Form(
    """None
    @keys-pin-block: the header of a block that was pinned
    height
    at: the latest time at which the block can have been made
""",
    height=int,
    at="datetime",
)
Form(
    """None
    @keys-pin-host: a host on the web that was pinned
    host
    entity: the entity that it belongs to, according to the user
""",
    host=str,
    entity=str,
)
