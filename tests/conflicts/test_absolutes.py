"""Absolutes: what is only, always or never so, beside something else said of it; and one thing told differently."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare_statements
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

EXCLUDE = [
    ("Vanessa's piano is a Bechstein.", "Vanessa plays on a Yamaha, the only piano she has."),
    ("The reading room is heated by a stove.", "The whole reading room gets its heat from the district plant."),
    ("Jorun rows in the second boat of the club.", "Jorun has never rowed in a boat of the club."),
    (
        "The waiting list for the moorings has 31 names on it.",
        "There are 40 names left on the waiting list for moorings.",
    ),
    ("The south gate is painted white.", "We turn in by the south gate, which is painted orange."),
]
BOTH = [
    ("Almost nobody uses the back stairs.", "Jasper uses the back stairs."),
    ("The neighbour took in my parcel, since nobody was at home.", "The parcel was delivered to the neighbour."),
    ("Only Hanneke has the admin role.", "Nobody apart from Hanneke is an admin."),
    ("Grandpa Anton never learned to drive.", "Grandpa Anton walked to work for forty years."),
    ("Exit 4 of the car park is locked all night.", "Exit 1 of the car park leads to the street."),
    ("The east shed holds thirty bales.", "Both sheds together hold seventy bales."),
    ("For the Mk II the gap is 0.4 mm.", "The gap for the Mk III is 0.6 mm."),
    ("In Ada's opinion the gate looks blue at dusk.", "Piet finds that at dusk the gate looks grey."),
    (
        "[List of cards in the footer](20211123213414.md)",
        "[Find a card and list it in the footer](f/20211123214904.md)",
    ),
    ("In the evening Piet drinks a cup of tea.", "Piet has a cup of coffee in the evening."),
    ("Irena cannot stand without help.", "Irena needs help to stand."),
    ("Most of the choir can read music.", "Gareth from the choir can't read music."),
    ("The museum is closed in winter.", "In July the museum is open daily."),
    ('"I never touched the thermostat," says Bertrand.', "Hanneke says Bertrand turned the thermostat up."),
    ("Juno is afraid of spiders.", "Spiders scare Juno."),
    ("Ada's mother is a doctor.", "Ada isn't a doctor, she's a welder."),
    ("Having that picture on my board always helps.", "My board is full of quotes and pictures."),
    ("I'll keep working hard.", "All the hard work paid off!"),
]


@pytest.mark.parametrize(("one", "other"), EXCLUDE)
def test_no_room_is_left(one: str, other: str) -> None:
    for these, those in ((one, other), (other, one)):
        assert compare_statements(statements(these), statements(those)).verdict in CONFLICTS


@pytest.mark.parametrize(("one", "other"), BOTH)
@pytest.mark.parametrize("days_apart", [False, True])
def test_both_may_be_so(one: str, other: str, days_apart: bool) -> None:  # noqa: FBT001
    for these, those in ((one, other), (other, one)):
        assert compare_statements(statements(these), statements(those), days_apart=days_apart).verdict not in CONFLICTS


@pytest.mark.parametrize(("one", "other"), EXCLUDE)
def test_gists_rule_nothing_out(one: str, other: str) -> None:
    assert any(may_conflict(gist(this), gist(that)) for this in statements(one) for that in statements(other))
