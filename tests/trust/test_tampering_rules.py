"""What was taken out of a memory, or turned back: laws that hold for all words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memstore.core.memory import Resolution, Witness
from memstore.trust.tampering import of_resolutions, of_witnesses
from memstore.trust.vouching import Attested, State, Verdict

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


def decided(by: str, outcome: str, day: int, state: State) -> tuple[Resolution, Verdict]:
    at = f"2026-02-{day:02}T16:00:00Z"
    return Resolution(by=by, outcome=outcome, at=at, content="c", provenance="p", sig="s"), Verdict(state)


def decisions(*states: State) -> st.SearchStrategy[list[tuple[Resolution, Verdict]]]:
    outcomes, agents = st.sampled_from(["upheld", "overturned"]), st.sampled_from(["si:pith", "human:claire"])
    one = st.builds(decided, agents, outcomes, st.integers(1, 5), st.sampled_from(states))
    return st.lists(one, max_size=6)


@given(decisions(*State), decisions(*State), decisions(*(state for state in State if state is not State.VALID)))
def test_a_decision_that_is_there_or_would_not_count_is_not_missed(
    there: list[tuple[Resolution, Verdict]],
    more: list[tuple[Resolution, Verdict]],
    idle: list[tuple[Resolution, Verdict]],
) -> None:
    assert of_resolutions([*there, *more], [*there, *idle]) == ()


@given(decisions(State.VALID), decisions(State.VALID))
def test_the_last_decision_of_each_must_be_there(
    there: list[tuple[Resolution, Verdict]], before: list[tuple[Resolution, Verdict]]
) -> None:
    missed = {one.agent for one in of_resolutions(there, before)}
    known = {entry for entry, _ in there}
    for by in ("si:pith", "human:claire"):
        mine = [entry for entry, _ in (*there, *before) if entry.by == by]
        last = {entry for entry in mine if entry.at == max(one.at for one in mine)}
        assert (by in missed) == (bool(last) and last.isdisjoint(known))
