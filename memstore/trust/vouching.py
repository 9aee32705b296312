"""What an attestation is worth: whose key made it, whether that key counts, and whose voice it is."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.trust.keyring import ATTEST_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memstore.core.memory import Witness
    from memstore.trust.keyring import Certificate, Keyring, PublicKey, Signer


class State(Enum):
    """The state of an attestation; only a valid one counts.

    A withheld one is about the content here and a provenance of which part was not shared: it holds, but the reader
    can't check what is said here about the origin, so it counts for nothing.
    """

    VALID = "valid"
    WITHHELD = "provenance-withheld"
    STALE = "stale"
    UNSIGNED = "unsigned"
    UNTRUSTED = "untrusted"
    UNPROVEN_TIME = "unproven-time"
    INVALID = "invalid"
    EXCLUDED = "excluded"


class Verdict(NamedTuple):
    """The state of one attestation, why, and whose key made it; `reason` is empty for a valid one.

    `pinned` is true if the key counts because of the user's pin, and not just because the work tree says so.
    """

    state: State
    reason: str = ""
    fingerprint: str = ""
    pinned: bool = False

    @property
    def counts(self) -> bool:
        """Whether it adds to trust, or takes from it."""
        return self.state is State.VALID


class Proof(NamedTuple):
    """What a signature itself shows: the key that made it over the entry's content, or why it proves nothing."""

    key: PublicKey | None = None
    problem: str = ""
    certificate: Certificate | None = None


class Attested(NamedTuple):
    """A witness's entry and its verdict; `roots` are the sources that its evidence goes back to, if it names any."""

    witness: Witness
    verdict: Verdict
    roots: frozenset[str] = frozenset()


UNSIGNED = Verdict(State.UNSIGNED, "it has no signature")
# A statement that was excluded is as validly signed as one that counts.
_SPOKEN = frozenset({State.VALID, State.EXCLUDED})
# If two are simultaneous, the more critical one prevails.
_GRAVITY = {"confirm": 0, "partial": 1, "dispute": 2}


def verdict(
    agent: str,
    at: str,
    proof: Proof,
    *,
    changed: Sequence[str],
    keyring: Keyring,
    now: datetime,
    written_at: datetime | None = None,
    proven_by: datetime | None = None,
) -> Verdict:
    """Return the verdict on a signed attestation.

    Args:
        agent: who is said to have made it.
        at: when, RFC 3339 in UTC, according to the entry.
        proof: what its signature shows.
        changed: the sections of the memory that differ from what was signed.
        keyring: whose keys count.
        now: the time, in UTC.
        written_at: when the memory was written, according to itself; None if it does not say.
        proven_by: the time at which an anchor shows that it existed; None if none does.
    """
    if proof.key is None:
        return Verdict(State.INVALID, proof.problem)
    by_key = keyring.lines_for(proof.key, proof.certificate, ATTEST_NAMESPACE)
    lines = [line for line in by_key if agent in line.principals]
    state, reason = _key_state(agent, datetime.fromisoformat(at), proof, lines, keyring, now, proven_by)
    if state is State.VALID and datetime.fromisoformat(at) > now:
        state, reason = State.UNPROVEN_TIME, f"it is dated {at}, in the future"
    if state is State.VALID and changed:
        state, reason = State.STALE, f"{' and '.join(changed)} changed since"
    if state is State.VALID and written_at is not None and datetime.fromisoformat(at) < written_at:
        state, reason = State.UNPROVEN_TIME, f"it is dated {at}, before the memory was written"
    return Verdict(state, reason, proof.key.fingerprint, any(line.pinned for line in lines))


def _key_state(
    agent: str,
    at: datetime,
    proof: Proof,
    lines: Sequence[Signer],
    keyring: Keyring,
    now: datetime,
    proven_by: datetime | None,
) -> tuple[State, str]:
    """Return whether the key belongs to the agent according to some lines of the keyring, and did at that time."""
    what = "certificate" if proof.certificate else "key"
    if keyring.unreadable:
        return State.UNTRUSTED, f"no key counts: {keyring.unreadable}"
    if proof.key and keyring.is_revoked(proof.key, proof.certificate):
        return State.UNTRUSTED, "the key was revoked"
    if not lines:
        of = "by a certificate" if proof.certificate else "with a key"
        return State.UNTRUSTED, f"it was not made {of} of {agent}"
    then = [line for line in lines if line.is_valid_at(at)]
    if not then:
        return State.UNTRUSTED, f"the {what} was not valid then"
    if any(_still_counts(line, now, proven_by) for line in then):
        return State.VALID, ""
    return State.UNPROVEN_TIME, f"the {what} has expired, and nothing proves that this is older"


def _still_counts(line: Signer, now: datetime, proven_by: datetime | None) -> bool:
    if line.valid_before is None or now < line.valid_before:
        return True
    return proven_by is not None and proven_by < line.valid_before


def controller(entity: str, controllers: Mapping[str, str]) -> str:
    """Return who ultimately controls an entity, or itself if nobody does; for a cycle, its first member by name."""
    path = {entity: 0}
    last = entity
    while (above := controllers.get(last)) is not None and above not in path:
        path[above] = len(path)
        last = above
    return last if above is None else min(name for name, place in path.items() if place >= path[above])


def _lateness(witness: Witness) -> tuple[datetime, int, str]:
    """Return the sort key of attestations: later, then more critical; then the name, so line order never matters."""
    return datetime.fromisoformat(witness.witnessed_at), _GRAVITY[witness.attestation], witness.agent_id


def last_word(entity: str, attested: Iterable[Attested]) -> str | None:
    """Return what an entity attested last with a valid signature, though it be the author; None if it said nothing."""
    mine = [one.witness for one in attested if one.witness.agent_id == entity and one.verdict.state in _SPOKEN]
    return max(mine, key=_lateness).attestation if mine else None


def voices(
    author: str | None, attested: Iterable[Attested], *, controller_of: Callable[[str], str]
) -> tuple[Attested, ...]:
    """Return all attestations, with those excluded that are not a voice of their own.

    Each controller has one vote, its latest statement, or of simultaneous ones the more critical. The author has none.
    All that say the same and have no other roots have one vote, again the latest. A dispute and a confirmation based on
    the same evidence both count: nobody can silence the other side by citing what it cites.

    Args:
        author: who wrote the memory.
        attested: the attestations, in file order.
        controller_of: returns who controls an entity, or the entity itself if nobody else does; "" if that can't be
            read.
    """
    entries = list(attested)
    own = None if author is None else controller_of(author)
    counting = [index for index, entry in enumerate(entries) if entry.verdict.counts]

    def order(index: int) -> tuple[tuple[datetime, int, str], list[str]]:
        return _lateness(entries[index].witness), sorted(entries[index].roots)  # who says it twice at once has an order

    latest_first = sorted(counting, key=order, reverse=True)
    heard: set[str] = set()
    roots: dict[str, set[str]] = {}
    for index in latest_first:
        entry = entries[index]
        who = controller_of(entry.witness.agent_id)
        known = roots.setdefault(entry.witness.attestation, set())
        if own == "":
            reason = f"who controls {author} can't be read, so it may be the author's own voice"
        elif who == own:
            reason = f"it is the author's own voice ({who})"
        elif who in heard:
            reason = f"{who} said something later, and that counts"
        elif entry.roots and entry.roots <= known:
            reason = "another witness relies on the same evidence"
        else:
            heard.add(who)
            known |= entry.roots
            continue
        entries[index] = entry._replace(verdict=entry.verdict._replace(state=State.EXCLUDED, reason=reason))
    return tuple(entries)


class Outcome(NamedTuple):
    """One statement that was right or wrong: about which memory, who decided it, and when (UTC)."""

    ref: str
    said: str
    was_right: bool
    at: datetime
    by: str
