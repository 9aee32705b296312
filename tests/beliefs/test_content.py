"""What a text is about, and which of its sentences stand by themselves."""

from __future__ import annotations

import pytest

from memstore.beliefs.wording import content_terms, denies, is_lasting, stands_alone


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The walks were slow.", ["walk", "slow"]),
        ("On Monday, 2026-02-01 at 12:30, and on the 3rd of March", []),
        ("Bella walked with Sean's dog", ["walk", "dog"]),
        ("port 8080 of v1.2", ["port", "v1.2"]),
        ("I was there and you weren't", []),
        ("Thanks! Really great, I totally love making things work.", []),
        ("She kept going, and got it done.", []),
        ("The kettle? Tea!", ["tea"]),
    ],
)
def test_terms_are_what_a_text_is_about(text: str, terms: list[str]) -> None:
    assert content_terms(text, {"bella", "sean"}) == terms


@pytest.mark.parametrize(
    ("sentence", "alone"),
    [
        ("Stale caches break the build.", True),
        ("So the heat made her slow.", False),
        ("Because on Sunday the shop is shut.", False),
        ("Anyway, the heat made her slow.", False),
        ("The walk this afternoon was slow.", False),
        ("After a walk in the heat Bella sleeps.", True),
        ("I was wrong about him.", False),
        ("Tom brought the ladder that I lent him.", True),
        ("It broke the build again.", False),
        ("Yeah, that's the stale cache.", False),
        ("They're my escape.", False),
        ("Thanks for the recipe!", False),
        ("Your support means a lot.", False),
        ("Let's walk early.", False),
        ("You must run the tests before a commit.", True),
        ("Never push to your main branch.", True),
        ("Oh well.", False),
        ("", False),
    ],
)
def test_some_sentences_need_those_before_them_or_whom_they_were_said_to(sentence: str, alone: bool) -> None:  # noqa: FBT001
    assert stands_alone(sentence) is alone


def test_what_happened_yesterday_is_no_lasting_thing() -> None:
    assert is_lasting("Bella walks every week.")
    assert not is_lasting("Bella walked last week.")


def test_what_denies() -> None:
    assert denies("No test failed this week.")
    assert denies("She doesn't eat fish.")
    assert not denies("The tests failed again.")
