"""Updates: what is said to have changed, in other words than what was so until then; and values in their times."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare_statements, newer
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

# What was so, and what says that it has changed.
UPDATES = [
    ("Mei is going out with a guy called Duncan.", "Mei and Duncan split up; her boyfriend is Anselm now."),
    ("Ada uses a walking stick.", "Ada gave up the stick and gets about with a rollator now."),
    ("Ledger-api is owned by the payments team.", "Ownership of ledger-api passed from payments to platform in Q3."),
    ("We rent the photocopier from Dunlow.", "No more Dunlow: the copier we rent now is from Brill."),
    ("The pub quiz is hosted by Gareth.", "Gareth has handed the quiz over to his daughter Lowri."),
    ("The tablet app needs Android 9.", "As of release 5.0, our tablet app needs a phone with at least Android 12."),
    ("The river gauge sends its data by radio.", "The gauge by the river was switched to sending over a cable."),
    ("Nora teaches the evening class in pottery.", "Nora's pottery class was taken over by Levi."),
    ("We buy our hay from Petersen.", "Since Petersen gave up his farm, our hay has come from Lund."),
    ("Hendrike maintains the register.", "Since Hendrike's leave, Oswin has maintained the register."),
]
# What was so in one time, and in another.
IN_THEIR_TIMES = [
    ("In 2020 lab samples were sent to Truro.", "Since 2024, all of our samples go to the lab in Exeter."),
    (
        "Until March 2024 Biscuit was registered to the Pascoes.",
        "Since May 2024 Biscuit has been registered to Lowther.",
    ),
]
# Nothing that the other says has changed.
BOTH = [
    ("Sofie lives in Padua.", "Sofie used to live in Turin."),
    ("Bertrand's cargo bike is bright orange.", "Bertrand bought a cargo bike."),
    ("Kofi takes the bus to school.", "Kofi's sister takes a taxi to school now."),
    ("Server 3 has 64 gigabytes of memory.", "Server 4 now has twice the memory."),
    ("The bridge carries 8 tonnes.", "The bridge carries up to 12 tonnes."),
    ("Karla lives in Oslo.", "Karla moved into the house by the lake."),
    ("The band reads sheet music.", "The drummer of the band bought new sheet music."),
    ("Ilja plays the cello in the orchestra.", "If the orchestra moves, Ilja might give up the cello."),
    ("The shop sells bread from Holm.", "The shop sells bread, and the rain has stopped."),
    ("In 2019 we planted three apple trees.", "In 2021 we planted five apple trees."),
    ("The lab was in Truro in 2020.", "The lab was in Truro in 2022, too."),
    ("The keeper lives at the lighthouse.", "The keeper went back to the lighthouse at night."),
]


@pytest.mark.parametrize(("was", "then"), UPDATES)
def test_what_changed_is_found_and_is_current(was: str, then: str) -> None:
    for one, other in ((was, then), (then, was)):
        found = compare_statements(statements(one), statements(other))
        current = newer(found)

        assert found.verdict in CONFLICTS
        assert found.at_other_times
        assert current is not None
        assert current.text in then


@pytest.mark.parametrize(("one", "other"), IN_THEIR_TIMES)
def test_values_in_their_times_are_at_other_times(one: str, other: str) -> None:
    found = compare_statements(statements(one), statements(other))

    assert found.verdict in CONFLICTS
    assert found.at_other_times


@pytest.mark.parametrize(("one", "other"), BOTH)
@pytest.mark.parametrize("days_apart", [False, True])
def test_nothing_has_changed(one: str, other: str, days_apart: bool) -> None:  # noqa: FBT001
    for these, those in ((one, other), (other, one)):
        assert compare_statements(statements(these), statements(those), days_apart=days_apart).verdict not in CONFLICTS


@pytest.mark.parametrize(("one", "other"), [*UPDATES, *IN_THEIR_TIMES])
def test_gists_rule_nothing_out(one: str, other: str) -> None:
    pairs = [(gist(this), gist(that)) for this in statements(one) for that in statements(other)]

    assert any(may_conflict(*pair) for pair in pairs)
