"""Which attestations count: cases, and laws that hold for all input."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.core.memory import Witness
from memstore.trust.keyring import ATTEST_NAMESPACE, Keyring, PublicKey, Signer
from memstore.trust.vouching import Attested, Proof, State, Verdict, controller, last_word, verdict, voices

NOW = datetime(2026, 11, 22, tzinfo=UTC)
THEN = "2026-02-04T16:00:00Z"
KEY, OTHER = PublicKey("ssh-ed25519", b"ash"), PublicKey("ssh-ed25519", b"pith")
JANUARY, MARCH, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 3, 5))


def line(**changes: Any) -> Signer:
    return Signer(("si:ash",), KEY, (ATTEST_NAMESPACE,))._replace(**changes)


@pytest.mark.parametrize(
    ("keyring", "state"),
    [
        (Keyring((line(),)), State.VALID),
        (Keyring((line(valid_after=JANUARY),)), State.VALID),
        (Keyring(()), State.UNTRUSTED),
        (Keyring((line(key=OTHER),)), State.UNTRUSTED),
        (Keyring((line(principals=("si:ashe",)),)), State.UNTRUSTED),
        (Keyring((line(namespaces=("git",)),)), State.UNTRUSTED),
        (Keyring((line(valid_after=MARCH),)), State.UNTRUSTED),
        (Keyring((line(valid_before=JANUARY),)), State.UNTRUSTED),
        (Keyring((line(valid_before=MARCH),)), State.UNPROVEN_TIME),
        (Keyring((line(valid_before=MARCH), line())), State.VALID),
        (Keyring((line(valid_before=NOW),)), State.UNPROVEN_TIME),
        (Keyring((line(valid_before=datetime(2026, 11, 22, 0, 0, 1, tzinfo=UTC)),)), State.VALID),
        (Keyring((line(),), revoked=frozenset({KEY.blob})), State.UNTRUSTED),
        (Keyring((line(),), revoked=frozenset({OTHER.blob})), State.VALID),
        (Keyring((line(),), unreadable="revoked_keys:1: no key"), State.UNTRUSTED),
    ],
)
def test_a_key_counts_for_its_agent_its_purpose_and_its_time(keyring: Keyring, state: State) -> None:
    assert verdict("si:ash", THEN, Proof(KEY), changed=(), keyring=keyring, now=NOW).state is state


def test_an_expired_key_counts_where_an_anchor_proves_the_time() -> None:
    keyring = Keyring((line(valid_before=MARCH),))
    for proven_by, state in (
        (None, State.UNPROVEN_TIME), (MAY, State.UNPROVEN_TIME), (MARCH, State.UNPROVEN_TIME), (JANUARY, State.VALID),
    ):  # fmt: skip
        found = verdict("si:ash", THEN, Proof(KEY), changed=(), keyring=keyring, now=NOW, proven_by=proven_by)
        assert found.state is state


def test_the_time_of_what_does_not_count_is_no_reason() -> None:
    early = {"now": NOW, "written_at": MARCH}
    found = verdict("si:ash", THEN, Proof(KEY), changed=(), keyring=Keyring((line(),)), **early)
    assert found.state is State.UNPROVEN_TIME
    found = verdict("si:ash", THEN, Proof(KEY), changed=(), keyring=Keyring(()), **early)
    assert found.state is State.UNTRUSTED
    found = verdict("si:ash", THEN, Proof(KEY), changed=("content",), keyring=Keyring((line(),)), **early)
    assert found.state is State.STALE


def test_what_changed_is_named() -> None:
    keyring = Keyring((line(),))
    found = verdict("si:ash", THEN, Proof(KEY), changed=("content", "provenance"), keyring=keyring, now=NOW)
    assert (found.state, found.reason) == (State.STALE, "content and provenance changed since")


def test_a_signature_that_proves_nothing_says_why() -> None:
    found = verdict("si:ash", THEN, Proof(problem="it is not base64"), changed=(), keyring=Keyring(()), now=NOW)
    assert found == Verdict(State.INVALID, "it is not base64")


# -- whose voice it is ---------------------------------------------------------------------------

CONTROLLERS = {"si:ash": "human:sean", "si:ash-too": "human:sean", "si:pith-2": "si:pith"}
AGENTS = ["si:ash", "si:ash-too", "si:pith", "si:pith-2", "human:sean", "human:claire"]


def controller_of(entity: str) -> str:
    return CONTROLLERS.get(entity, entity)


def said(
    agent: str, attestation: str = "confirm", *, day: int = 1, state: State = State.VALID, roots: str = ""
) -> Attested:
    witness = Witness(agent_id=agent, attestation=attestation, witnessed_at=f"2026-02-{day:02}T16:00:00Z")
    return Attested(witness, Verdict(state), frozenset(roots.split()))


def states(*attested: Attested, author: str = "si:ash") -> list[str]:
    return [entry.verdict.state.value for entry in voices(author, attested, controller_of=controller_of)]


def test_one_vote_a_controller_and_none_for_the_authors() -> None:
    assert states(said("si:pith"), said("human:claire")) == ["valid", "valid"]
    assert sorted(states(said("si:pith"), said("si:pith"))) == ["excluded", "valid"]
    assert states(said("si:ash"), said("si:ash-too"), said("human:sean")) == ["excluded"] * 3
    assert states(said("si:pith", day=1), said("si:pith-2", day=2)) == ["excluded", "valid"]
    assert states(said("si:pith", day=2), said("si:pith-2", day=1)) == ["valid", "excluded"]


def test_the_last_word_of_somebody_is_one_that_is_validly_signed() -> None:
    confirmed = said("si:pith", "confirm", day=1)
    assert last_word("si:pith", [confirmed, said("si:pith", "dispute", day=2)]) == "dispute"
    assert last_word("si:pith", [confirmed, said("si:pith", "dispute", day=2, state=State.EXCLUDED)]) == "dispute"
    for state in {*State} - {State.VALID, State.EXCLUDED}:
        assert last_word("si:pith", [confirmed, said("si:pith", "dispute", day=2, state=state)]) == "confirm"
        assert last_word("si:pith", [said("si:pith", "dispute", state=state)]) is None
    assert last_word("si:ash", [confirmed]) is None


def test_the_latest_statement_counts_and_at_one_instant_the_dispute() -> None:
    assert states(said("si:pith", "dispute", day=1), said("si:pith", "confirm", day=2)) == ["excluded", "valid"]
    assert states(said("si:pith", "confirm"), said("si:pith", "dispute")) == ["excluded", "valid"]
    assert states(said("si:pith", "dispute"), said("si:pith", "partial")) == ["valid", "excluded"]
    assert states(said("si:pith", "confirm"), said("si:pith", "partial")) == ["excluded", "valid"]


def test_where_nobody_wrote_it_nobody_is_asked_who_controls_the_author() -> None:
    found = voices(None, [said("si:pith")], controller_of=str.lower)
    assert [one.verdict.state.value for one in found] == ["valid"]


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        ("human:sean", "human:sean"),
        ("si:ash", "human:sean"),
        ("si:ash-2", "human:sean"),
        ("si:b", "si:a"),
        ("si:a", "si:a"),
        ("si:into-the-circle", "si:a"),
        ("si:alone", "si:alone"),
    ],
)
def test_who_controls_an_entity_in_the_end(entity: str, expected: str) -> None:
    controllers = {
        "si:ash": "human:sean", "si:ash-2": "si:ash", "si:alone": "si:alone",
        "si:a": "si:b", "si:b": "si:c", "si:c": "si:a", "si:into-the-circle": "si:c",
    }  # fmt: skip
    assert controller(entity, controllers) == expected


def test_witnesses_of_the_same_evidence_are_one() -> None:
    assert states(said("si:pith", roots="session:1", day=1), said("human:claire", roots="session:1", day=2)) == [
        "excluded",
        "valid",
    ]
    assert states(said("si:pith", roots="session:1"), said("human:claire", roots="session:2")) == ["valid", "valid"]
    assert states(said("si:pith"), said("human:claire")) == ["valid", "valid"]


def test_naming_the_same_evidence_silences_no_other_side() -> None:
    against = said("human:claire", "dispute", roots="session:1", day=1)
    for word, state in (("confirm", "valid"), ("partial", "valid"), ("dispute", "excluded")):
        assert states(against, said("si:pith", word, roots="session:1", day=2)) == [state, "valid"]
    # Nor does more of it make one witness two.
    more = said("human:claire", roots="session:1 session:2", day=2)
    assert states(said("si:pith", roots="session:1", day=1), more) == ["excluded", "valid"]
    assert states(said("si:pith", roots="session:1 session:3", day=1), more) == ["valid", "valid"]


def test_nobody_counts_for_an_author_of_whom_it_is_not_known_who_controls_them() -> None:
    attested = (said("si:pith"), said("human:claire", "dispute"))
    found = voices("si:ash", attested, controller_of=lambda one: "" if one == "si:ash" else one)
    assert [one.verdict.state.value for one in found] == ["excluded"] * 2


def test_what_does_not_count_keeps_its_reason_and_silences_nobody() -> None:
    assert states(said("si:pith", day=1), said("si:pith", "dispute", day=2, state=State.UNSIGNED)) == [
        "valid",
        "unsigned",
    ]


@st.composite
def attestations(draw: st.DrawFn) -> list[Attested]:
    return draw(
        st.lists(
            st.builds(
                said,
                st.sampled_from(AGENTS),
                st.sampled_from(["confirm", "dispute", "partial"]),
                day=st.integers(1, 5),
                state=st.sampled_from(list(State)),
                roots=st.sampled_from(["", "session:1", "session:2"]),
            ),
            max_size=8,
        )
    )


@given(attestations(), st.sampled_from(AGENTS))
@example(
    [
        said("si:ash", "confirm", roots="session:2"),
        said("si:pith", "confirm"),
        said("si:pith", "confirm", roots="session:2"),
    ],
    "human:claire",
)
def test_who_is_heard_does_not_depend_on_the_order_and_nobody_is_heard_twice(
    attested: list[Attested], author: str
) -> None:
    heard = [one.witness for one in voices(author, attested, controller_of=controller_of) if one.verdict.counts]
    who = [controller_of(witness.agent_id) for witness in heard]
    assert len(set(who)) == len(who)
    assert controller_of(author) not in who
    turned = voices(author, attested[::-1], controller_of=controller_of)
    assert sorted((one.witness.agent_id, one.witness.attestation) for one in turned if one.verdict.counts) == sorted(
        (witness.agent_id, witness.attestation) for witness in heard
    )
