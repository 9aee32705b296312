"""Verifies who vouches for memories: keyring, signatures, and whose voice each witness is.

Verdicts are stored by blob, and stay valid as long as keys, entities and rules are the same. Verdicts that depend on
anything else are not stored: on anchors and compressed texts, which the repository decides; on other memories that a
witness cites; or on a certificate, which expires by itself.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS, SHARED
from memstore.access.registry import expected_id, is_named
from memstore.beliefs import evidence
from memstore.beliefs.compress import summary_of
from memstore.core.errors import FormatError
from memstore.core.places import RegistryKind
from memstore.files import catalog_entry
from memstore.history.revisions import whole_of
from memstore.lineage.refs import loader
from memstore.search import DERIVED
from memstore.trust import SIGNATURES, sshsig, statement, tampering, vouching
from memstore.trust import statement as canonical
from memstore.trust.anchors import proven_by
from memstore.trust.formats.beta import sponsor_of
from memstore.trust.keyring import ATTEST_NAMESPACE
from memstore.trust.read_keyring import followed_at, read_keyring
from memstore.trust.score import TrustGrounds
from memstore.trust.statement import PROFILE
from memstore.trust.tampering import PastWords, Tampering
from memstore.trust.verify_anchors import verified, written_at
from memstore.trust.vouching import UNSIGNED, Attested, Proof, State, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memstore.core.memory import Memory, Resolution, Witness
    from memstore.core.view import View
    from memstore.trust.anchors import Anchored
    from memstore.trust.statement import Digests, SignedStatement
    from memstore.trust.tampering import Tampered


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """The verdicts on a memory's signature, witnesses, anchors and resolutions, in file order.

    `tampered` has what is in the vault's history but no longer in the file.
    """

    signature: Verdict
    witnesses: tuple[Attested, ...]
    anchors: tuple[Anchored, ...] = ()
    resolutions: tuple[Verdict, ...] = ()
    tampered: tuple[Tampered, ...] = ()

    def is_rolled_back(self, agent: str | None) -> bool:
        """Return whether a later statement of an entity was replaced by an earlier one."""
        return any(one.kind is Tampering.ROLLBACK and one.agent == agent for one in self.tampered)

    def grounds(self, *, reputation: float) -> TrustGrounds:
        """Return what trust rests on."""
        said = [one.witness.attestation for one in self.witnesses if one.verdict.counts]
        return TrustGrounds(
            signed=self.signature.counts,
            confirms=said.count("confirm"),
            disputes=said.count("dispute"),
            anchors=len({anchor.place for anchor in self.anchors if anchor.counts}),
            reputation=reputation,
            tampered=bool(self.tampered),
            timed=any(anchor.counts and anchor.timed for anchor in self.anchors),
            stale=self.signature.state is State.STALE,
        )


class Voucher:
    """Verifies many memories against the current keyring and registry.

    Args:
        view: the vault. In a past state of it, attestations that others made later are ignored.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._stack = view.of(SHARED).manifest
        keys = view.of(SHARED).keys
        self.keyring, self.findings = read_keyring(keys)
        self.now = view.clock.now()
        self.controllers = Controllers(keys, self.keyring.facts)
        self._past = None if view.is_past else PastWords(view)
        self._followed_at = cache(partial(followed_at, keys, self.keyring, self.now))

    def knows_of(self, memory: Memory) -> bool:
        """Return whether anybody attested to a memory, now or in the past."""
        now = memory.signature or memory.witnesses or memory.anchors or memory.resolutions
        return bool(now) or self.has_past(memory.id or "")

    def has_past(self, memory_id: str) -> bool:
        """Return whether an earlier revision, or another memory that had this id, has attestations."""
        return self._past is not None and self._past.knows(memory_id)

    def of(self, memory: Memory) -> Vouched:
        """Return who vouches for a memory."""
        digests = _digests(self._as_signed(memory))
        anchored = (
            ()
            if isinstance(digests, FormatError)
            else verified(self._view, memory, digests, controller_of=self.controller_of)
        )
        attested = [self._attested(memory, witness, digests, anchored) for witness in memory.witnesses]
        signature = self._signature(memory, digests, anchored)
        decided = [self._resolved(memory, one, digests, anchored) for one in memory.resolutions]
        return Vouched(
            signature=signature,
            witnesses=vouching.voices(memory.author, attested, controller_of=self.controller_of),
            anchors=anchored,
            resolutions=tuple(decided),
            tampered=self._tampered(memory, digests, anchored, (signature, attested, decided)),
        )

    def _tampered(
        self,
        memory: Memory,
        digests: Digests | FormatError,
        anchored: Sequence[Anchored],
        now: tuple[Verdict, Sequence[Attested], Sequence[Verdict]],
    ) -> tuple[Tampered, ...]:
        """Return what earlier revisions said of the current memory, or signed later, that is missing in the file.

        `now` has the verdicts on the signature, the witnesses and the resolutions in the file.
        """
        past = self._past.of(memory) if self._past else ()
        if not past:
            return ()
        signature, attested, decided = now
        # Entries that occur in many revisions are verified once.
        witnesses = dict.fromkeys(witness for one in past for witness in one.witnesses)
        signatures = dict.fromkeys(one.signature for one in past if one.signature is not None)
        resolutions = dict.fromkeys(entry for one in past for entry in one.resolutions)
        before = [self._attested(memory, witness, digests, anchored) for witness in witnesses]
        signed = [(one, self._signature(replace(memory, signature=one), digests, anchored)) for one in signatures]
        earlier = [(entry, self._resolved(memory, entry, digests, anchored)) for entry in resolutions]
        there = None if memory.signature is None else (memory.signature, signature)
        return (
            *tampering.of_author(there, signed),
            *tampering.of_witnesses(memory.author, attested, before, controller_of=self.controller_of),
            *tampering.of_resolutions([*zip(memory.resolutions, decided, strict=True)], earlier),
        )

    def _as_signed(self, memory: Memory) -> Memory:
        """Return a memory as it may have been signed: a compressed one with the full text of its summary.

        A summary that does not quote that text is somebody's own words, and is used as it is.
        """
        if memory.compressed_from is None:
            return memory

        whole = whole_of(self._view, memory)
        if whole is None or canonical.canonical_body(summary_of(whole)) != canonical.canonical_body(memory.body):
            return memory
        return replace(memory, body=whole.memory.body)

    def vouches_for(self, memory: Memory, *, owner: str) -> bool:
        """Return whether an external memory is vouched for: by its owner, or by others who neither wrote nor told it.

        What its owner said last decides. Otherwise at least one of the others confirms it, and nobody disputes it.
        """
        found = self.of(memory)
        told_by = {self.controller_of(one) for one in (memory.source_entity, *memory.source_chain) if one}
        if found.tampered or "" in told_by:
            return False
        own = vouching.last_word(owner, found.witnesses)
        if own is not None:
            return own == "confirm"
        others = [one for one in found.witnesses if one.verdict.counts]
        said = {one.witness.attestation for one in others if self.controller_of(one.witness.agent_id) not in told_by}
        return "confirm" in said and "dispute" not in said

    def is_one_voice(self, entity: str, other: str) -> bool:
        """Return whether two entities have the same controller, and so one voice, or may have, as far as is known."""
        controllers = {self.controller_of(entity), self.controller_of(other)}
        return len(controllers) == 1 or "" in controllers

    def controller_of(self, entity: str) -> str:
        """Return who ultimately controls an entity; see `Controllers`."""
        return self.controllers.of(entity)

    def _signature(self, memory: Memory, digests: Digests | FormatError, anchored: Sequence[Anchored]) -> Verdict:
        entry = memory.signature
        if entry is None:
            return UNSIGNED
        if entry.by != memory.author:
            return Verdict(State.INVALID, f"it is by {entry.by}, but the author is {memory.author or 'not named'}")
        return self._verdict(memory, statement.by_author(memory.id or "", entry), entry.sig, digests, anchored)

    def _attested(
        self, memory: Memory, witness: Witness, digests: Digests | FormatError, anchored: Sequence[Anchored]
    ) -> Attested:
        if witness.sig is None:
            return Attested(witness, UNSIGNED)
        if not self.controller_of(witness.agent_id):
            return Attested(witness, Verdict(State.UNTRUSTED, f"who controls {witness.agent_id} can't be read"))
        said = statement.by_witness(memory.id or "", witness)
        found = self._verdict(memory, said, witness.sig, digests, anchored)
        return Attested(witness, found, self._roots(witness))

    def _resolved(
        self, memory: Memory, entry: Resolution, digests: Digests | FormatError, anchored: Sequence[Anchored]
    ) -> Verdict:
        said = statement.by_resolution(memory.id or "", entry)
        found = self._verdict(memory, said, entry.sig, digests, anchored)
        if found.counts and memory.author and self.is_one_voice(entry.by, memory.author):
            return found._replace(state=State.EXCLUDED, reason="nobody decides on their own words")
        return found

    def _verdict(
        self,
        memory: Memory,
        said: SignedStatement,
        sig: str,
        digests: Digests | FormatError,
        anchored: Sequence[Anchored],
    ) -> Verdict:
        if isinstance(digests, FormatError):
            return Verdict(State.INVALID, str(digests))
        changed = [name for name, then, now in zip(digests._fields, said.digests, digests, strict=True) if then != now]
        withheld = changed == ["provenance"] and self._withholds(memory, said)
        judged = partial(
            vouching.verdict,
            said.agent,
            said.at,
            self._proof(said, sig),
            changed=[] if withheld else changed,
            keyring=self.keyring,
            now=self.now,
            written_at=written_at(memory),
        )
        found = judged(proven_by=proven_by(anchored, sig))
        if found.state is State.UNPROVEN_TIME:  # rare, and a long walk through the history
            holding = {one.commit for one in anchored if one.counts and one.commit and sig in one.shows}
            times = [at for commit in holding if (at := self._followed_at(commit))]
            found = judged(proven_by=min(times)) if times else found
        if withheld and found.state is State.VALID:
            return found._replace(state=State.WITHHELD, reason="this copy leaves out refs that were signed")
        return found

    def _withholds(self, memory: Memory, said: SignedStatement) -> bool:
        """Whether what was signed is the original of a memory that is shared without some of its refs."""
        known = self._stack.memory(memory.id or "") if self._stack else None
        return known is not None and known.withheld and known.provenance == said.digests.provenance

    def _proof(self, said: SignedStatement, sig: str) -> Proof:
        try:
            signature, message = sshsig.read(sig, namespace=ATTEST_NAMESPACE), statement.message(said)
        except FormatError as error:
            return Proof(problem=str(error))
        if not self._view.of(SIGNATURES).holds(signature, message):
            return Proof(problem="the signature is over something other than the entry, or over another memory")
        return Proof(signature.key, certificate=signature.certificate)

    def _roots(self, witness: Witness) -> frozenset[str]:
        """Return the roots of what a witness cites; empty if it cites nothing that can be seen."""
        cited = catalog_entry.cited_refs(witness.notes or "")
        memories = [memory for ref in cited if (memory := self._load(ref)) is not None]
        return frozenset(root for memory in memories for root in evidence.roots(memory, self._load))

    @cached_property
    def _load(self) -> Callable[[str], Memory | None]:
        return loader(self._view)


def _digests(memory: Memory) -> Digests | FormatError:
    try:
        return canonical.digests(memory)
    except FormatError as error:
        return error


# -- controllers and sponsors ----------------------------------------------------------------------


class _Known(NamedTuple):
    controllers: Mapping[str, str]
    sponsors: Mapping[str, str]


class Controllers:
    """Who controls whom, and who sponsors whom.

    Args:
        view: the vault.
        facts: those that count because of the pin, as the keyring has them; None if what the files say counts.
    """

    def __init__(self, view: View, facts: Collection[tuple[str, str, str]] | None) -> None:
        self._view = view
        self._facts = facts

    def of(self, entity: str) -> str:
        """Return who ultimately controls an entity, or itself if nobody does; "" if that can't be read."""
        return vouching.controller(entity, self._known.controllers)

    def sponsor_of(self, entity: str) -> str | None:
        """Return who sponsors an entity, if that one's own sponsors lead to the vault's owner; None otherwise.

        The owner needs no sponsor, and sponsors themselves.
        """
        return sponsor_of(entity, self._sponsors, controller_of=self.of, owner=self._view.config.owner)

    @property
    def statements(self) -> object:
        """Everything that the files of entities say about this, in a stable order."""
        return sorted(self._known.controllers.items()), sorted(self._known.sponsors.items())

    @cached_property
    def _sponsors(self) -> Mapping[str, str]:
        """The sponsor of each controller; if it has several personas, the sponsor of the first by name."""
        found: dict[str, str] = {}
        for entity, sponsor in sorted(self._known.sponsors.items()):
            found.setdefault(self.of(entity), sponsor)
        return found

    @cached_property
    def _known(self) -> _Known:
        controllers: dict[str, str] = {}
        sponsors: dict[str, str] = {}
        known: set[str] = set()
        unknown: set[str] = set()
        for path, file in self._view.of(RIGHTS).registry(RegistryKind.ENTITY).items():
            named = expected_id(path, RegistryKind.ENTITY)
            entity = named if file is None else file.values["id"]
            if file is None or entity in known or not is_named(entity, path, RegistryKind.ENTITY):
                unknown |= {named, entity}
                continue
            known.add(entity)
            controllers |= {entity: controller} if (controller := file.values.get("controller")) else {}
            sponsors |= {entity: sponsor} if (sponsor := file.values.get("sponsor")) else {}
        # The controller of an entity whose file can't be read is unknown. So is that of one with two files, or with a
        # file that is about somebody other than its name says.
        if self._facts is not None:
            controllers, twice = _by_entity(self._facts, "controller")
            sponsors, _ = _by_entity(self._facts, "sponsor")
            unknown |= twice
        sponsors = {entity: sponsor for entity, sponsor in sponsors.items() if entity not in unknown}
        return _Known({**controllers, **dict.fromkeys(unknown, "")}, sponsors)


def _by_entity(facts: Collection[tuple[str, str, str]], key: str) -> tuple[dict[str, str], set[str]]:
    """Return the values of a key by entity, and the entities for which two branches have different values."""
    found: dict[str, str] = {}
    twice = set[str]()
    for entity, name, value in sorted(facts):
        if name == key:
            twice |= {entity} if entity in found else set()
            found[entity] = value
    return {entity: value for entity, value in found.items() if entity not in twice}, twice


# -- stored verdicts -------------------------------------------------------------------------------


# Increased when the same file, keys and entities are judged differently.
POLICY = f"2 {PROFILE}"
_NAME = "attestations"
_SOUND = frozenset({State.VALID, State.UNSIGNED, State.EXCLUDED, State.WITHHELD})


class KnownVerdict(NamedTuple):
    """What counted in a file, and whether `check` found nothing wrong with it."""

    signed: bool
    confirms: int
    disputes: int
    is_sound: bool
    stale: bool

    def grounds(self, *, reputation: float) -> TrustGrounds:
        """Return what trust rests on."""
        return TrustGrounds(self.signed, self.confirms, self.disputes, reputation=reputation, stale=self.stale)


class KnownVerdicts:
    """Verdicts by blob.

    Args:
        view: the vault.
        voucher: has the keys and entities that they depend on.
    """

    def __init__(self, view: View, voucher: Voucher) -> None:
        self._view = view
        self._voucher = voucher
        self._new = False

    def of(self, blob: str) -> KnownVerdict | None:
        """Return the stored verdict on the attestations in a file; None if it must be computed."""
        found = self._known.get(blob)
        if found is None:
            return None
        signed, confirms, disputes, sound, stale = map(int, found)
        return KnownVerdict(bool(signed), confirms, disputes, bool(sound), bool(stale))

    def put(self, blob: str, memory: Memory, found: Vouched) -> None:
        """Remember the verdict on the attestations in a file, unless it depends on more than the file."""
        if not _is_steady(memory, self._voucher.now):
            return
        grounds = found.grounds(reputation=0.0)
        verdicts = (found.signature, *(one.verdict for one in found.witnesses), *found.resolutions)
        sound = all(verdict.state in _SOUND for verdict in verdicts)
        told = (grounds.signed, grounds.confirms, grounds.disputes, sound, grounds.stale)
        self._known[blob] = tuple(str(int(one)) for one in told)
        self._new = True

    def keep(self) -> None:
        """Store what was remembered."""
        if self._new:
            self._view.of(DERIVED).keep(_NAME, self._state, self._known)
            self._new = False

    @cached_property
    def _known(self) -> dict[str, tuple[str, ...]]:
        found = self._view.of(DERIVED).last(_NAME, self._state)
        return {blob: tuple(values) for blob, values in found.items()}

    @cached_property
    def _state(self) -> str:
        """A digest of everything that verdicts depend on besides the files; a key that expires changes it."""
        keyring, now = self._voucher.keyring, self._voucher.now
        expired = [signer.valid_before is not None and now >= signer.valid_before for signer in keyring.signers]
        stack = self._view.of(SHARED).manifest
        keys = (keyring._replace(revoked=frozenset(), facts=None), sorted(keyring.revoked), expired)
        told = (POLICY, *keys, *([stack.digest] if stack else []))
        return hashlib.sha256(repr((told, self._voucher.controllers.statements)).encode()).hexdigest()


def _is_steady(memory: Memory, now: datetime) -> bool:
    """Return whether the verdict on its attestations depends only on the file, the keys and the entities."""
    sigs = [one.sig for one in (memory.signature, *memory.witnesses, *memory.resolutions) if one and one.sig]
    times = [one.witnessed_at for one in memory.witnesses] + [one.at for one in memory.resolutions]
    times += [memory.signature.at] if memory.signature else []
    cites = any("[[" in (witness.notes or "") for witness in memory.witnesses)
    lies_ahead = any(datetime.fromisoformat(time) > now for time in times)
    alone = memory.compressed_from is None and not memory.anchors and not cites
    return alone and not lies_ahead and not any(map(_has_certificate, sigs))


def _has_certificate(sig: str) -> bool:
    try:
        return sshsig.read(sig, namespace=ATTEST_NAMESPACE).certificate is not None
    except FormatError:
        return False
