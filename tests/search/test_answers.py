from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.terms import words
from memstore.search.answers import ShownLines, answer_to, holds_time, kind_of_time, kinds, lacks_answer, names_held
from memstore.search.matching import matcher_of
from memstore.search.query import parse

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("question", "answer", "holds"),
    [
        ("When did she go?", "We went last Tuesday.", True),
        ("and when did she go", "In 2019", True),
        ("When did she go?", "She may go", True),
        ("When did she go?", "She went.", False),
        ("How many dogs?", "Two dogs", True),
        ("How much is it?", "34,500", True),
        ("How old is she?", "Quite old", False),
    ],
)
def test_what_a_question_asks_for(question: str, answer: str, *, holds: bool) -> None:
    wanted = answer_to(words(question))
    assert wanted is not None
    assert bool(wanted.search(answer)) is holds


@pytest.mark.parametrize("question", ["What is it?", "how is she", "what did she do there when it rained", ""])
def test_most_questions_tell_nothing_of_their_answer(question: str) -> None:
    assert answer_to(words(question)) is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("On which weekday are no-shows most frequent?", "weekday"),
        ("At what hour did it start?", "hour"),
        ("what day is it", "day"),
        ("Which university does Zoë attend?", None),
        ("Which of the two came on the day before?", None),
        ("When was it?", None),
    ],
)
def test_the_word_by_which_a_question_asks_for_a_time(question: str, kind: str | None) -> None:
    assert kind_of_time(words(question)) == kind


@pytest.mark.parametrize(("text", "holds"), [("It came on Monday.", True), ("at 3:30", True), ("It came late.", False)])
def test_whether_a_text_names_a_time(text: str, *, holds: bool) -> None:
    assert holds_time(text) is holds


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("What did Bella and Ash eat?", "bella's bowl", 0.5),
        ("What did Bella eat?", "a bowl for Bella", 1.0),
        ("Bella eats", "nothing", 1.0),
        ("what did I eat", "nothing", 1.0),
        ("What did Bella eat on Monday in June", "bella", 1.0),
        ("", "", 1.0),
    ],
)
def test_the_share_of_names_that_a_text_holds(query: str, text: str, share: float) -> None:
    assert names_held(query, text) == share


def lacks(question: str, title: str, *lines: str) -> bool:
    return lacks_answer(question, ShownLines((title, "March 2026"), lines), matcher_of(parse(question)))


@pytest.mark.parametrize(
    ("question", "answers", "does_not"),
    [
        ("How old is the harpist?", "The harpist turned forty.", "The harpist has played for forty years."),
        ("What age is the harpist?", "Harpist, 13 yrs, nervous", "The harpist came in at bar 13."),
        ("How much did we pay for the harp?", "The harp: 4,300, paid at once", "We paid for the harp after 30 days."),
        ("What does the harp cost?", "The harp costs nothing.", "The cost of the harp came up on 12 May."),
        ("price of the harp", "harp, price €40", "The price of the harp is a secret."),
        ("How long is the harp being mended?", "The harp is mended for two weeks.", "They are mending the harp."),
        ("How many strings has the harp?", "The harp has forty-six strings.", "Strings for the harp came on 3 June."),
        ("How heavy is the harp?", "The harp is heavy, 36 kg.", "The harp is heavy."),
        ("What is the harpist's mobile number?", "Harpist: mobile 0171 33", "The harpist has no mobile."),
        ("harpist phone number", "harpist phone: 33 12", "The harpist hates the phone."),
        ("In which year was the harp built?", "The harp was built in 1912.", "The harp was built by 3 men."),
        ("What is the harpist's dog called?", "The harpist's dog is Rufus.", "The harpist's dog barks."),
        ("names of the harpist's sons", "The harpist's sons, Jo and Al", "Both of the harpist's sons sing."),
        ("Which school has a harpist?", "The harpist of Long Mill school", "The school has a harpist."),
        ("What colour is the harp?", "The harp is painted dark green.", "The harp is painted."),
    ],
)
def test_the_kind_of_answer_that_a_question_asks_for(question: str, answers: str, does_not: str) -> None:
    assert not lacks(question, "Harp", answers)
    assert lacks(question, "Harp", does_not)


@pytest.mark.parametrize(
    "question",
    ["Who changed the phone number?", "Why did the price rise?", "What did she say when I called?", "harp"],
)
def test_most_questions_ask_for_nothing_that_has_a_form(question: str) -> None:
    assert not lacks(question, "Harp", "The harp is here.")


PIECES = (
    "how", "what", "which", "what’s", "old", "age", "much", "do", "pay", "price", "of", "rent", "long", "often", "many",
    "phone", "number", "pin", "e-mail", "email address", "year", "is", "called", "names", "school", "colour",
    "what's", "who", "the",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(" ".join), st.sampled_from([str, str.upper]))
def test_a_pattern_is_not_tried_only_where_it_cannot_match(question: str, spelt: Callable[[str], str]) -> None:
    for kind in kinds():
        if re.search(kind.asks, spelt(question), re.IGNORECASE):
            assert kind.may_be_asked_for(spelt(question))


def test_an_answer_about_something_else_is_none() -> None:
    question = "How much did the harp cost?"
    assert lacks(question, "Music", "The harp costs too much.", "Chairs: 40 each")
    assert not lacks(question, "Music", "The harp costs too much: 900")
    # What goes on is about the same.
    assert not lacks(question, "Music", "The harp costs too much. 900 at least.")
    assert not lacks(question, "Music", "The harp costs too much.", "It was 900.")


def test_below_a_heading_that_says_what_it_is_about_every_line_counts() -> None:
    assert not lacks("How heavy is the harp?", "The harp", "36 kg without its case")
    assert not lacks("How heavy is the harp?", "Music", "# The harp\n36 kg without its case")
    assert lacks("How heavy is the harp?", "Music", "36 chairs", "The harp is heavy.")


@given(st.text(alphabet="harp and why?\n# 1.", min_size=1, max_size=60), st.text(alphabet="harp 1.\n#", max_size=80))
def test_what_asks_for_nothing_that_has_a_form_lacks_nothing(question: str, text: str) -> None:
    assert not lacks(f"harp {question}", text, text)


@given(
    st.sampled_from(["how old is the harp", "price of the harp", "harp room number", "what year was the harp made"]),
    st.text(alphabet="harp x.;\n#", max_size=80),
)
def test_no_text_without_a_number_tells_one(question: str, text: str) -> None:
    assert lacks(question, text, f"{text}\nharp")
