"""Words of a suggestion: quoted as they stand, or worded by somebody who adds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.beliefs.wording import MOST_WORDS, Quotation, Wording, objection, quotation, said_by

SOURCES = {"episode:m_a": "The heat made Bella slow. Sean waited.", "episode:m_b": "Slow walks at 30 degrees."}


def test_the_sentence_with_most_of_what_is_shared_is_quoted_with_its_lines() -> None:
    much = " Then we talked and talked" * 6
    passages = [("A long day, it was.", 9, 9), (f"We went out. The heat made\nwalks slow!{much}", 11, 12)]
    assert quotation(passages, {"heat", "slow", "walk"}) == Quotation("The heat made walks slow!", 11, 12)


def test_of_equals_the_shorter_is_quoted_and_nothing_where_there_is_no_text() -> None:
    assert quotation([("Heat came to us all.", 1, 1), ("Heat.", 2, 2), ("Heat!", 3, 3)], {"heat"}) == Quotation(
        "Heat.", 2, 2
    )
    assert quotation([], {"heat"}) is None


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
    ],
)
def test_a_wording_says_no_more_than_its_sources(text: str, cites: list[str], why: str | None) -> None:
    found = objection(Wording(text, tuple(cites)), SOURCES)
    assert found == why if why is None else why in (found or "")


@pytest.mark.parametrize("answer", [None, [], "x", {}, {"text": " ", "cites": []}, {"text": "x", "cites": "y"},
                                    {"text": "x", "cites": [1]}, {"text": 3, "cites": []}])  # fmt: skip
def test_an_answer_of_another_form_is_none(answer: Any) -> None:
    assert isinstance(said_by(answer), str)


def test_an_answer_is_put_on_one_line() -> None:
    assert said_by({"text": " a\n b ", "cites": ["x"], "more": 1}) == Wording("a b", ("x",))
