"""Whether what happened once speaks for what happens often, or against it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.habits import bearing, is_one_case

FOR = [
    ("The printer on floor two jams often.", "The printer on floor two jammed again today."),
    ("The 7:42 train is usually late.", "The 7:42 train was late by eleven minutes."),
    ("Claire answers mails within a day.", "Claire answered my mail within an hour."),
    ("Bella always barks at the postman.", "When the postman came this morning, Bella barked at him."),
    ("The cellar floods when it rains hard.", "It rained hard last night and the cellar flooded."),
    ("Tom tends to forget his keys.", "Tom forgot his keys again on Tuesday."),
    ("Our builds usually take under ten minutes.", "Today's build took eight minutes."),
    ("The bakery sells out of rye before nine.", "The bakery had sold out of rye at half past eight."),
    ("Grandma calls every Sunday.", "Grandma called on Sunday at six."),
    ("Jonas never eats breakfast.", "Jonas did not eat breakfast today."),
    ("The heating often fails in cold weather.", "The heating failed again in the cold this morning."),
    ("The cat sleeps on the radiator most afternoons.", "Found the cat sleeping on the radiator this afternoon."),
    ("The staging server gets slow after lunch.", "The staging server was slow again after lunch."),
    ("Buses on line 4 skip our stop now and then.", "The line 4 bus skipped our stop this morning."),
    ("Whenever the wind turns north, the chimney smokes.", "The wind turned north at noon and the chimney smoked."),
    ("Deploys on Fridays usually break something.", "The Friday deploy broke the login page."),
    ("Kim keeps losing her glasses.", "Kim lost her glasses on the train."),
    ("The review usually takes two days.", "The review took two days."),
    ("The stand-up usually runs over.", "The standup ran over again today."),
    ("The lift often gets stuck.", "The lift got stuck again this morning."),
    ("The Wi-Fi on the train usually drops.", "The wifi on the train dropped twice today."),
    ("The heating often breaks in January.", "The heating broke on 12 January."),
    ("The follow-up usually gets forgotten.", "The followup was forgotten again."),
    ("The rebuild often takes an hour.", "The re-build took an hour this time."),
    ("Parcels often get stolen here.", "A parcel was stolen again today."),
]
AGAINST = [
    ("The printer on floor two jams often.", "The printer on floor two printed all day without jamming."),
    ("The 7:42 train is usually late.", "The 7:42 train was on time today."),
    ("Claire answers mails within a day.", "Claire took four days to answer my mail."),
    ("Bella always barks at the postman.", "Bella did not bark at the postman today."),
    ("The cellar floods when it rains hard.", "It rained hard all night and the cellar stayed dry."),
    ("Tom tends to forget his keys.", "Tom remembered his keys today."),
    ("Our builds usually take under ten minutes.", "The build took twenty-five minutes today."),
    ("Grandma calls every Sunday.", "Grandma did not call this Sunday."),
    ("Jonas never eats breakfast.", "Jonas ate a big breakfast today."),
    ("The lift is often out of order.", "The lift worked all day yesterday."),
    ("The staging server gets slow after lunch.", "The staging server was fast after lunch today."),
    ("Whenever the wind turns north, the chimney smokes.", "The wind turned north, but the chimney did not smoke."),
    ("Our landlord ignores letters most of the time.", "Our landlord answered my letter the next day."),
    ("Kim keeps losing her glasses.", "Kim found her glasses where she had put them."),
    ("The post arrives before ten.", "The post arrived at quarter past twelve."),
    ("Ferries to the island are never cancelled.", "The ferry to the island was cancelled because of fog."),
    ("The report job takes about ten minutes.", "The report job ran for ninety minutes last night."),
    ("The stand-up usually runs over.", "The standup didn't run over today."),
    ("The lift often gets stuck.", "The lift did not get stuck all week."),
    ("Maria usually brings cake to the meeting.", "Maria brought no cake to the meeting yesterday."),
    ("The dog often digs holes.", "The dog dug no holes today."),
    ("The tent usually gets wet.", "The tent stayed dry this time."),
]
NEITHER = [
    ("The printer on floor two jams often.", "The printer on floor three jammed again today."),
    ("The printer on floor two jams often.", "The printer on floor two was moved to the hall."),
    ("The 7:42 train is usually late.", "The 8:12 train was late by eleven minutes."),
    ("Claire answers mails within a day.", "Sean answered my mail within an hour."),
    ("Claire answers mails within a day.", "Claire answered my mail."),
    ("Claire answers mails within a day.", "Claire might take four days to answer my mail."),
    ("Claire answers mails within a day.", "Claire no longer answered mails in March."),
    ("The cellar floods when it rains hard.", "The cellar flooded when the pipe burst."),
    ("Tom tends to forget his keys.", "Tom forgot his umbrella at the office."),
    ("Grandma calls every Sunday.", "Grandma called on Wednesday about the curtains."),
    ("The lift is often out of order.", "The lift in the station was out of order."),
    ("Buses on line 4 skip our stop now and then.", "The line 4 bus did not skip our stop today."),
    ("Felix keeps his promises.", "Felix had promised to help and then didn't turn up."),
    ("The barn held 40 cows.", "After the fire the barn held 20 cows."),
    ("Lena has never been to Iceland.", "Lena went to Iceland in May."),
    ("The stand-up usually runs over.", "The stand-in for Otto read the minutes."),
    ("The lift often gets stuck.", "The key got stuck in the door this morning."),
    ("The heating often breaks in January.", "The heating broke on 12 July."),
    ("Nina usually drinks tea.", "Nina bought no tea this morning."),
    ("The dog often digs holes.", "The dog brought no ball today."),
    ("", "The printer jammed."),
    ("The printer jams often.", ""),
]
PAIRS = [(pair, expected) for pairs, expected in ((FOR, True), (AGAINST, False), (NEITHER, None)) for pair in pairs]


@pytest.mark.parametrize(("pair", "expected"), PAIRS)
def test_a_case_speaks_for_a_habit_or_against_it(pair: tuple[str, str], *, expected: bool | None) -> None:
    found = bearing(*pair)

    assert (found and found.is_for) == expected
    assert bearing(*reversed(pair)) is None or expected is None


@pytest.mark.parametrize("habit", [habit for habit, _ in FOR])
def test_a_case_of_another_habit_says_nothing(habit: str) -> None:
    others = [case for other, case in (*FOR, *AGAINST) if other != habit]

    assert [case for case in others if bearing(habit, case)] == []


WORDS = sorted({word for pairs in (FOR, AGAINST, NEITHER) for pair in pairs for text in pair for word in text.split()})
TEXTS = st.lists(st.sampled_from([*WORDS, "has", "be", "is", "when", ",", "7:42", "within", "two"]), max_size=9).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_any_words_are_read(one: str, other: str) -> None:
    found = bearing(one, other)

    assert found is None or found.why
    assert found is None or is_one_case(one, other)
