"""What two texts say about each other: tables of cases, and laws for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.contradiction import TextVerdict, compare, compare_pair
from memstore.conflicts.statements import statements

CONTRADICT = [
    ("likes tea", "dislikes tea", "antonyms"),
    ("User likes tea", "User really hates tea", "antonyms"),
    ("Sean prefers tea in the morning", "Sean dislikes tea in the morning", "antonyms"),
    ("python is good", "python is not good", "negation"),
    ("Python isn't good.", "Python is good.", "negation"),
    ("Bella can swim", "Bella can't swim", "negation"),
    ("Bella can swim", "Bella cannot swim", "negation"),
    ("Sean does not like jazz", "Sean likes jazz", "negation"),
    ("Sean doesn’t like jazz", "Sean likes jazz", "negation"),
    ("Sean always eats meat", "Sean never eats meat", "negation"),
    ("There is no milk in the house", "There is milk in the house", "negation"),
    ("The gate is open", "The gate is closed", "antonyms"),
    ("The shop lies near the station", "The shop lies far away from the station", "antonyms"),
    ("Sean does not drink tea", "Sean drinks tea in the evening", "negation"),
    ("Everybody came to the party", "Nobody came to the party", "antonyms"),
    ("The flag is enabled in production", "The flag is disabled in production", "antonyms"),
    ("Everybody knows the password", "Nobody knows the password", "antonyms"),
    ("The March invoice is paid", "The March invoice is unpaid", "antonyms"),
    ("Not all tests pass", "All tests pass", "negation"),
    ("User prefers dark mode", "User prefers light mode", "antonyms"),
]
OTHER_VALUES = [
    ("The kettle in the kitchen holds 4 cups", "The kettle in the kitchen holds 5 cups", "numbers"),
    ("User's favorite color is blue", "User's favorite color is green", "values"),
    ("Sean lives in Paris", "Sean lives in Rome", "values"),
    ("The project uses PostgreSQL", "The project uses MySQL", "values"),
    ("Sean prefers tea in the morning", "Sean prefers coffee in the morning", "values"),
    ("Sean has two children", "Sean has 3 children", "numbers"),
    ("The run is 5 km long", "The run is 5 miles long", "units"),
    ("The dose is 2.5 mg", "The dose is 5 mg", "units"),
    ("The licence costs $20", "The licence costs $25", "units"),
    ("The gate closes at 21:00", "The gate closes at 8 pm", "times of day"),
    ("Bella was born on 3 May 2019", "Bella was born on 4 May 2019", "dates"),
    ("The meeting is on Monday", "The meeting is on Tuesday", "dates"),
    ("Sean is in the first row", "Sean is in the third row", "ordinals"),
    ("The meeting starts at 9:00", "The meeting starts at 10:30", "times of day"),
    ("The temperature is -5 °C", "The temperature is 5 °C", "units"),
    ("The offset is −3", "The offset is 3", "numbers"),
    ("The balance is -$20", "The balance is $20", "units"),
    ("Use tabs for retired projects", "Use spaces for retired projects", "values"),
    ("The project uses Postgres", "The project uses SQLite", "values"),
    ("Only 3 tests are slow", "Only 4 tests are slow", "numbers"),
    ("The project uses version 2.3", "The project uses version 2.4", "numbers"),
]  # fmt: skip
AGREE = [
    ("Sean likes tea", "Sean likes tea"),
    ("Sean likes tea.", "Sean really likes tea!"),
    ("Sean likes tea", "Sean enjoys tea"),
    ("The run is 5 km long", "The run is 5000 m long"),
    ("The gate closes at 21:00", "The gate closes at 9 pm"),
    ("Bella has two puppies", "Bella has 2 puppies"),
    ("Sean likes tea", "Sean likes tea in the morning"),
    ("Sean does not like tea", "Sean doesn't like tea"),
    ("The temperature is -5 °C", "The temperature is −5 °C"),
    ("Open from 3-5", "Open from 3 - 5"),
    ("Sean writes C++", "Sean writes C++!"),
    ("Bella was born on 3 May", "Bella was born on May 3rd, 2019"),
]
SILENT = [
    ("The kettle of house 4 sings at noon", "The kettle of house 5 sings at noon"),
    ("The owner of flat 4 pays on Mondays", "The owner of flat 6 pays on Mondays"),
    ("The lamp in room 12 flickers", "The lamp in room 14 flickers"),
    ("favor swimming", "oppose cycling"),  # two things differ
    ("Sean likes tea", "Bella dislikes tea"),  # another subject
    ("She tied a knot", "She tied a rope"),  # no negation in `knot`
    ("American food is good", "food is good"),  # nor in `American`
    ("The American team is good", "The team is good"),
    ("Sean likes tea", "Sean likes coffee"),  # one likes many things
    ("Sean dislikes tea in the morning", "Sean dislikes coffee in the morning"),
    ("Sean enjoys tea", "Sean enjoys coffee"),
    ("Sean speaks French", "Sean speaks Italian"),
    ("Sean plays the guitar", "Sean plays the piano"),
    ("We drank beer at the lake", "We drank wine at the lake"),  # two evenings
    ("Sean bought a boat", "Sean sold a boat"),  # one after the other
    ("Sean likes tea", "Sean does not like tea in the evening"),  # only a part is denied
    ("Is Sean in Paris?", "Is Sean in Rome?"),  # questions state nothing
    ("It is great", "It is awful"),  # nobody knows what
    ("Review PR #38 again", "Review PR #52 again"),  # two reviews
    ("Read chapter 3 of the book", "Read chapter 4 of the book"),
    ("Eleven lines.", "Two lines."),  # of what?
    ("Sixty lines on the screen, so there was nothing to hide behind.", "Eleven lines."),
    ("At least 3 people came", "About 5 people came"),
    ("The run is 5 km long", "The run is 5 kg long"),
    ("Sean drinks espresso in bed", "Sean drinks coffee in bed"),  # the one is the other
    ("The soup is not hot", "The soup is cold"),  # lukewarm
    ("The soup is not hot", "The soup is not cold"),
    ("Sean writes C", "Sean writes C++"),
    ("Sean prefers C#", "Sean prefers C"),
    ("Do not call Anna before 9", "Do not call Anna after 9"),
    ("The cat sleeps in the kitchen", "The dog sleeps in the kitchen"),  # each does
    ("The left engine failed", "The right engine failed"),
    ("Some tests pass", "Some tests do not pass"),
    ("Not all tests pass", "The test passes with seed 1"),
    ("Bella does not always bark", "Bella barks"),
    ("Lisa has a brother", "Lisa has a sister"),
    ("Eva likes summer", "Eva likes winter"),
    ("Invoice 77 was paid", "Invoice 78 was paid"),
    ("Version 2.3 fixes the leak", "Version 2.4 fixes the leak"),
    ("Lunch with Ana on 3 May", "Dinner with Ana on 5 May"),
    ("Order 5 apples", "Order 5 pears"),
    ("The test passes with seed 1", "The test passes with seed 2"),
    ("Sean thinks that tea is good", "Tea is good"),
    (
        "The dog ran over the meadow to the river",
        "The dog ran over the meadow to the village",
    ),  # alike, and nothing more
    ("", "Sean likes tea"),
    ("Python is not only good", "Ruby is good"),  # two subjects
    ("The north gate is locked", "The south gate is locked"),
    ("My first server is down", "My second server is down"),
    ("Sean is unable to swim and Bella is able to run", "Sean is able to swim and Bella is unable to run"),
]


@pytest.mark.parametrize(("one", "other", "rule"), CONTRADICT)
def test_contradiction(one: str, other: str, rule: str) -> None:
    found = compare(one, other)

    assert (found.verdict, found.rule) == (TextVerdict.CONTRADICTS, rule)


@pytest.mark.parametrize(("one", "other", "rule"), OTHER_VALUES)
def test_another_value(one: str, other: str, rule: str) -> None:
    found = compare(one, other)

    assert (found.verdict, found.rule) == (TextVerdict.OTHER_VALUE, rule)


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_agreement(one: str, other: str) -> None:
    assert compare(one, other).verdict is TextVerdict.AGREES


@pytest.mark.parametrize(("one", "other"), SILENT)
def test_silence(one: str, other: str) -> None:
    assert compare(one, other).verdict is TextVerdict.SILENT


ALL_PAIRS = [pair[:2] for pair in (*CONTRADICT, *OTHER_VALUES, *AGREE, *SILENT)]


@pytest.mark.parametrize(("one", "other"), ALL_PAIRS)
def test_it_is_the_same_the_other_way_round(one: str, other: str) -> None:
    assert compare(other, one).verdict is compare(one, other).verdict


@pytest.mark.parametrize(("one", "other"), ALL_PAIRS)
def test_capitals_and_markup_change_nothing(one: str, other: str) -> None:
    assert compare(f"**{one.upper()}**", other).verdict is compare(one, other).verdict


def test_among_many_sentences_the_strongest_counts_and_says_where_it_stands() -> None:
    found = compare("Sean has a cat.\nHe was born in May. Sean likes\ntea.", "Rain again.\n\nSean dislikes tea.")

    assert found.verdict is TextVerdict.CONTRADICTS
    assert found.left
    assert (found.left.line_start, found.left.line_end) == (1, 2)
    assert found.right
    assert (found.right.text, found.right.line_start) == ("Sean dislikes tea.", 2)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("In 2023 Sean lived in Paris", "In 2024 Sean lives in Rome", True),
        ("The office was blue", "The office is green", True),
        ("Sean formerly worked in Berlin", "Sean works in Rome now", True),
        ("Sean used to live in Paris", "Sean lives in Rome", True),
        ("Sean lives in Paris", "Sean lives in Rome", False),
        ("In 2024 Sean lives in Paris", "Sean lives in Rome in 2024", False),
    ],
)
def test_what_names_different_times_says_so(one: str, other: str, apart: bool) -> None:  # noqa: FBT001
    found = compare(one, other)

    assert (found.verdict, found.at_other_times) == (TextVerdict.OTHER_VALUE, apart)


def test_i_and_you_are_others_where_others_speak() -> None:
    assert compare("I like tea", "I dislike tea").verdict is TextVerdict.CONTRADICTS
    assert compare("I like tea", "I dislike tea", same_speaker=False).verdict is TextVerdict.SILENT
    assert compare("Sean likes tea", "Sean dislikes tea", same_speaker=False).verdict is TextVerdict.CONTRADICTS


def test_opposites_that_the_list_lacks_may_be_told() -> None:
    pair = "The tone is sarcastic here", "The tone is sincere here"

    assert compare(*pair).verdict is TextVerdict.SILENT
    told = compare(*pair, opposes=lambda one, other: {one, other} == {"sarcastic", "sincere"})
    assert told.verdict is TextVerdict.CONTRADICTS


WORDS = st.sampled_from(  # a list of words reads best as words
    """Sean tea likes dislikes not never the no 3 two 5km in Paris Rome good bad is was 2024 May . ? ! - é * 21:00 one
    first far from 7% $5 n't can't""".split()  # noqa: SIM905
)
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_no_sentence_conflicts_with_itself(text: str) -> None:
    for one in statements(text):
        assert compare_pair(one, one).verdict in {TextVerdict.AGREES, TextVerdict.SILENT}


@given(TEXTS, TEXTS)
def test_both_ways_give_the_same(one: str, other: str) -> None:
    assert compare(one, other).verdict is compare(other, one).verdict


@given(TEXTS, st.lists(st.sampled_from(["zebra", "not", "isn't", "hates", "grazes", "4", "."])).map(" ".join))
def test_without_a_topic_in_common_there_is_silence(one: str, other: str) -> None:
    if "zebra" not in one and "hate" not in one and "graze" not in one:
        assert compare(one, other).verdict is TextVerdict.SILENT
