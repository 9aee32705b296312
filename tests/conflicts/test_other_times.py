"""What is told of two times, places or halves of a year: both may be right."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare

PAIRS = [
    # weekday
    ("On Mondays the bakery opens at seven.", "On Saturdays the bakery opens at eight."),
    ("Choir practice is on Tuesday at six.", "Choir practice is on Thursday at seven."),
    ("We had soup on Monday.", "We had pasta on Tuesday."),
    ("Bella ate nothing on Friday.", "Bella ate two bowls on Saturday."),
    ("The office was empty on Monday.", "The office was full on Wednesday."),
    ("Lena works from home on Fridays.", "Lena works in the office on Tuesdays."),
    ("The market is closed on Sunday.", "The market is open on Wednesday."),
    ("I ran five kilometres on Tuesday.", "I ran eight kilometres on Thursday."),
    ("Monday's stand-up took ten minutes.", "Friday's stand-up took half an hour."),
    ("Dad cooks on Sundays.", "Mum cooks on Mondays."),
    # month
    ("In March the heating cost 120 euros.", "In April the heating cost 80 euros."),
    ("The roses bloomed in June.", "The roses did not bloom in September."),
    ("We sold 40 tickets in May.", "We sold 65 tickets in July."),
    ("The server was down twice in January.", "The server was never down in February."),
    ("In August the pool is open until nine.", "In October the pool is open until six."),
    ("The cat weighed 4.2 kg in March.", "The cat weighed 4.6 kg in November."),
    ("Sales fell in April.", "Sales rose in May."),
    ("In July the swallows are here.", "In December the swallows are gone."),
    ("Invoices in June came to 3,400 euros.", "Invoices in August came to 2,900 euros."),
    ("It rained every day in November.", "It did not rain in May."),
    # place
    ("It rained in Leeds.", "It was sunny in York."),
    ("The office in Berlin has twelve desks.", "The office in Hamburg has thirty desks."),
    ("Coffee costs 2 euros at Lena's.", "Coffee costs 3 euros at the station."),
    ("The printer on the first floor is broken.", "The printer on the second floor works."),
    ("In the kitchen the lamp is on.", "In the hall the lamp is off."),
    ("The window in the bedroom is open.", "The window in the bathroom is closed."),
    ("The shop in Ghent closes at six.", "The shop in Bruges closes at eight."),
    ("Parking in the north lot is free.", "Parking in the south lot costs 4 euros."),
    ("The water in the lake is warm.", "The water in the river is cold."),
    ("My desk at home is black.", "My desk at work is white."),
    # half of a year, season
    ("In the first half of the year we hired five people.", "In the second half of the year we hired two people."),
    ("Revenue in H1 was 1.2 million.", "Revenue in H2 was 1.5 million."),
    ("In winter the hut is closed.", "In summer the hut is open."),
    ("In the first quarter the churn was 4 percent.", "In the third quarter the churn was 6 percent."),
    ("Last spring the garden was dry.", "Last autumn the garden was wet."),
    ("In the morning the tea is hot.", "In the evening the tea is cold."),
    ("Before lunch the queue is short.", "After lunch the queue is long."),
    ("The summer timetable has eight ferries.", "The winter timetable has three ferries."),
    ("In the first half we scored twice.", "In the second half we scored once."),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_may_be_right(one: str, other: str) -> None:
    assert compare(one, other).verdict not in CONFLICTS
    assert compare(other, one).verdict not in CONFLICTS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The crew meets on Mondays.", "The crew meets on Thursdays."),
        ("In March the heating cost 120 euros.", "In March the heating cost 80 euros."),
        ("The heating costs 120 euros.", "Since April the heating costs 80 euros."),
    ],
)
def test_only_one_of_them_is_right_now(one: str, other: str) -> None:
    assert compare(one, other).verdict in CONFLICTS
