"""Words of a suggestion: quoted as they stand, or worded by somebody who adds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.beliefs.wording import (
    MOST_WORDS,
    Quotation,
    Wording,
    closest,
    located,
    objection,
    said_by,
    sayings,
    sentences,
)

SOURCES = {"episode:m_a": "The heat made Bella slow. Sean waited.", "episode:m_b": "Slow walks at 30 degrees."}


def test_the_sentence_with_most_of_what_is_shared_is_quoted_with_its_lines() -> None:
    text = "We went out. The heat made\nwalks slow! It was a long day, with many rests."
    quote = closest(text, {"heat", "slow", "walk"})
    assert quote == "The heat made walks slow!"
    passages = [("A long day for all.", 9, 9), (text, 11, 12)]
    assert located(passages, quote) == Quotation(quote, 11, 12)


def test_a_quotation_over_two_passages_has_the_lines_of_all_and_one_that_is_nowhere_none() -> None:
    passages = [("The heat came.", 1, 1), ("It stayed.", 3, 3)]
    assert located(passages, "The heat came. It stayed.") == Quotation("The heat came. It stayed.", 1, 3)
    assert located(passages, "The heat went.") is None
    assert located([], "The heat went.") is None


def test_what_needs_the_sentence_before_it_is_quoted_with_it_and_a_short_text_whole() -> None:
    text = f"Tom asked how the scales are tuned. I was wrong about him. {'One more thing follows here. ' * 5}"
    assert "Tom asked how the scales are tuned. I was wrong about him." in sayings(text)
    assert all(len(one.split()) <= MOST_WORDS for one in sayings(text))
    assert sayings("Rain again. The hall was damp.")[-1] == "Rain again. The hall was damp."


def test_a_title_is_no_part_of_the_first_sentence_and_a_row_of_a_table_is_none() -> None:
    assert sentences("Shed rent\n\nThe shed\nis 240.\n\n| shed | 240 |") == ["Shed rent", "The shed is 240."]


@pytest.mark.parametrize(
    ("text", "cites", "why"),
    [
        ("Heat slows Bella down.", ["episode:m_a"], None),
        ("Walking slowly, Sean waits in the heat.", ["episode:m_a", "episode:m_b"], None),
        ("Heat slows Bella.", ["episode:m_c"], "cites episode:m_c"),
        ("Heat slows Bella.", [], "cites nothing"),
        ("Heat slows Max.", ["episode:m_a"], "names Max"),
        ("Max is slow in the heat.", ["episode:m_a"], "names Max"),
        ("At 31 degrees walks are slow.", ["episode:m_b"], "names 31"),
        ("slow " * (MOST_WORDS + 1), ["episode:m_a"], "31 words"),
        ("Sean did not wait.", ["episode:m_a"], "contradicts episode:m_a"),
        ("A swim keeps any dog healthy and content.", ["episode:m_a"], "half are needed"),
    ],
)
def test_a_wording_says_no_more_than_its_sources(text: str, cites: list[str], why: str | None) -> None:
    found = objection(Wording(text, tuple(cites)), SOURCES)
    assert found == why if why is None else why in (found or "")


def test_what_speaks_against_the_others_may_be_contradicted() -> None:
    wording = Wording("Sean did not wait.", ("episode:m_b",))
    assert (
        objection(wording, {**SOURCES, "episode:m_b": "Sean did not wait for the walks."}, against={"episode:m_a"})
        is None
    )


@pytest.mark.parametrize("answer", [None, [], "x", {}, {"text": " ", "cites": []}, {"text": "x", "cites": "y"},
                                    {"text": "x", "cites": [1]}, {"text": 3, "cites": []}])  # fmt: skip
def test_an_answer_of_another_form_is_told_what_is_wrong(answer: Any) -> None:
    assert said_by(answer) == 'it is not {"text": "…", "cites": ["type:id", …]}'


def test_an_answer_is_put_on_one_line() -> None:
    assert said_by({"text": " a\n b ", "cites": ["x"], "more": 1}) == Wording("a b", ("x",))
