"""What was taken out of a memory, or turned back: laws that hold for all words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memstore.model.attestation import Witness
from memstore.rules.tampering import of_witnesses
from memstore.rules.vouching import Attested, State, Verdict

AUTHOR = "si:babel"


def said(agent: str, attestation: str, day: int, state: State) -> Attested:
    at = f"2026-02-{day:02}T16:00:00Z"
    return Attested(Witness(agent_id=agent, attestation=attestation, witnessed_at=at), Verdict(state))


def words(*states: State) -> st.SearchStrategy[list[Attested]]:
    one = st.builds(
        said,
        st.sampled_from([AUTHOR, "si:pith", "human:claire"]),
        st.sampled_from(["confirm", "dispute", "partial"]),
        st.integers(1, 5),
        st.sampled_from(states),
    )
    return st.lists(one, max_size=6)


@given(words(*State), words(*State))
def test_what_the_file_has_was_not_taken_out(there: list[Attested], more: list[Attested]) -> None:
    assert of_witnesses(AUTHOR, there, there, controller_of=str) == ()
    assert of_witnesses(AUTHOR, [*there, *more], there, controller_of=str) == ()


@given(words(*State), words(*(state for state in State if state is not State.VALID)))
def test_what_would_not_count_is_not_missed(there: list[Attested], before: list[Attested]) -> None:
    assert of_witnesses(AUTHOR, there, before, controller_of=str) == ()


@given(words(State.VALID), words(State.VALID))
def test_the_order_of_lines_does_not_matter(there: list[Attested], before: list[Attested]) -> None:
    found = of_witnesses(AUTHOR, there, before, controller_of=str)
    assert of_witnesses(AUTHOR, there[::-1], before[::-1], controller_of=str) == found


@given(words(State.VALID))
def test_an_empty_file_misses_the_standing_disputes_alone(before: list[Attested]) -> None:
    latest = {}
    for one in sorted(before, key=lambda one: (one.witness.witnessed_at, one.witness.attestation == "dispute")):
        latest[one.witness.agent_id] = one.witness.attestation
    disputing = {agent for agent, word in latest.items() if word == "dispute" and agent != AUTHOR}
    found = of_witnesses(AUTHOR, [], before, controller_of=str)
    assert {one.agent for one in found} == disputing
    assert all(one.kind.value == "withheld" for one in found)
