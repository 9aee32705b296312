"""Recall: the order, the budget, and what a text takes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.bites import (
    LONGEST_BITE,
    Saying,
    fitted,
    interleaved,
    one_line,
    sayings,
    sentences,
    shortened,
    tokens,
)
from memstore.beliefs.recall import WEIGHTS, Known, RecallProfile, recall_scores
from memstore.files.passages import passages
from memstore.search import query
from memstore.search.quality import Strength

NOW = datetime(2026, 2, 1, tzinfo=UTC)


def known(relevance: float, *, retrieval: float = 0.0, uses: int = 0, days: float | None = None) -> Known:
    made_at = None if days is None else NOW - timedelta(days=days)
    return Known(relevance, Strength(retrieval=retrieval, uses=uses), made_at)


def order(matches: list[Known], profile: RecallProfile) -> list[int]:
    found = recall_scores(matches, profile, NOW)
    return sorted(range(len(found)), key=lambda at: -found[at])


def test_strength_decides_only_what_is_nearly_alike() -> None:
    close = [known(0.9), known(0.89, retrieval=0.9, uses=1)]
    assert recall_scores(close, RecallProfile.DEFAULT, NOW) == pytest.approx([1 / 61, 1 / 62 + 0.1 / 61])
    assert order(close, RecallProfile.DEFAULT) == [1, 0]
    far = [known(0.9), *(known(0.5) for _ in range(18)), known(0.1, retrieval=0.9, uses=9)]
    assert order(far, RecallProfile.DEFAULT)[0] == 0
    assert order([known(0.9), known(0.89, retrieval=0.9)], RecallProfile.DEFAULT) == [0, 1]  # never used: only young


def test_the_seeds_four_lists() -> None:
    assert WEIGHTS[RecallProfile.SEED_002] == {"relevance": 0.4, "similarity": 1.0, "recency": 0.6, "access": 0.4}
    assert order([known(0.9, days=900), known(0.3, days=1)], RecallProfile.SEED_002) == [1, 0]
    one = known(0.9, days=1, uses=2)._replace(similarity=0.5)
    assert recall_scores([one], RecallProfile.SEED_002, NOW) == pytest.approx([(0.4 + 1.0 + 0.6 + 0.4) / 61])


@pytest.mark.parametrize("profile", [RecallProfile.DEFAULT, RecallProfile.SEED_002])
def test_what_matches_by_meaning_alone_is_on_that_list_alone(profile: RecallProfile) -> None:
    found = recall_scores([known(0.9), known(0)._replace(similarity=0.5)], profile, NOW)
    assert found == pytest.approx([WEIGHTS[profile]["relevance"] / 61, 1.0 / 61])


def test_memory_recall_adds_three_numbers() -> None:
    found = recall_scores([known(0.8, days=0, uses=1_000), known(0.5)], RecallProfile.MEMORY_RECALL, NOW)
    assert found == pytest.approx([0.5 * 0.8 + 0.3 + 0.2, 0.25])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("the", 2), ("Bella eats", 3), ("Bella eats at eight.", 6), ("m_7f", 4), ("3.14", 3), ("20,480", 3),
        ("é", 3), ("日本", 2), ("日本です", 4), ("한국어", 3),
        ("\u202e", 10), ("a\nb", 4), ("👍", 2), ("a      b", 4), ("):", 1),
    ],
)  # fmt: skip
def test_tokens_of(text: str, count: int) -> None:
    assert tokens(text) == count


@given(st.text(), st.text())
def test_a_longer_text_takes_no_less(one: str, other: str) -> None:
    assert tokens(one + other) >= max(tokens(one), tokens(other))


@given(st.text(max_size=600), st.integers(min_value=1, max_value=400))
def test_what_fits_never_exceeds_the_room(text: str, room: int) -> None:
    said = fitted(one_line(text), room, lambda part: f"[Memory flash: {part}] a.md:1")
    if said is not None:
        assert tokens(f"[Memory flash: {said}] a.md:1") + 1 <= room
        assert len(said) <= LONGEST_BITE


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three four", 12) == "one two…"
    assert shortened("one two", 12) == "one two"
    assert fitted("word " * 30, 10, str) is None
    assert fitted("short", 4, str) == "short"


# -- whole sentences ---------------------------------------------------------------------------------

BODY = """\
# Kittiwake, winter list

- antifoul: two coats
- new jib sheets, 10 mm
  and a shackle. Ask Ferris.

Dr. Amsel looked at no. 3 in the
yard. She said no. It will keep.

| item | qty |
|---|---|
| rope | 3 |

```
run --all
```
"""


def said(first: int, last: int, *asked: str) -> list[Saying]:
    return sayings(sentences(passages(BODY, first_line=5)), first, last, asked)


def test_sentences_have_their_lines() -> None:
    assert [(one.text, one.line_start, one.line_end) for one in sentences(passages(BODY, first_line=5))] == [
        ("antifoul: two coats", 7, 7),
        ("new jib sheets, 10 mm and a shackle.", 8, 9),
        ("Ask Ferris.", 9, 9),
        ("Dr. Amsel looked at no. 3 in the yard.", 11, 12),
        ("She said no.", 12, 12),
        ("It will keep.", 12, 12),
        ("| item | qty |", 14, 14),
        ("| rope | 3 |", 16, 16),
        ("run --all", 19, 19),
    ]


def test_a_block_quote_is_said_without_its_markers() -> None:
    body = "> A link is a statement, and it\n> can be wrong.\n>\n>> It wants a date.\n\n> Is 3 > 2?"
    assert [(one.text, one.line_start) for one in sentences(passages(body, first_line=1))] == [
        ("A link is a statement, and it can be wrong.", 1),
        ("It wants a date.", 4),
        ("Is 3 > 2?", 6),
    ]


def test_code_is_said_without_its_fence() -> None:
    body = "```make\ncheck: all\n```\n"
    assert [one.text for one in sentences(passages(body, first_line=1))] == ["check: all"]


@given(st.text(alphabet=st.sampled_from("ab. \n|-#`>:é日"), max_size=200))
def test_sentences_stand_where_they_say(body: str) -> None:
    lines = body.split("\n")
    for one in sentences(passages(body, first_line=1)):
        assert 1 <= one.line_start <= one.line_end <= len(lines)
        there = one_line(" ".join(lines[one.line_start - 1 : one.line_end]))
        assert one.text.split(": ")[-1] in there or one.text.split()[-1] in there


def test_what_is_said_is_the_best_sentence_with_those_beside_it() -> None:
    whole = "Dr. Amsel looked at no. 3 in the yard. She said no. It will keep."
    assert said(11, 12, "keep")[0][:3] == (whole, 11, 12)
    # Too little by itself, so that what precedes it comes along.
    assert said(11, 12, "keep")[-1][:3] == ("She said no. It will keep.", 12, 12)
    assert said(11, 12, "yard")[-1][:3] == ("Dr. Amsel looked at no. 3 in the yard.", 11, 12)


def test_few_words_take_the_next_passage_along() -> None:
    assert said(7, 7, "antifoul")[-1][:3] == ("antifoul: two coats; new jib sheets, 10 mm and a shackle.", 7, 9)
    assert said(19, 19, "run") == [("| item | qty | | rope | 3 | run --all", 14, 19, None)]


def test_below_a_heading_stands_what_it_is_about() -> None:
    assert said(5, 5, "kittiwake")[-1][1] == 7
    assert said(1, 2) == said(5, 5)
    assert sayings([], 1, 1, ()) == []


def test_memories_and_beliefs_take_in_turn() -> None:
    assert list(interleaved(3, 1)) == [(False, 0), (True, 0), (False, 1), (False, 2)]


def test_a_prompt_is_words_alone() -> None:
    asked = query.of_prompt('What about "Bella" -park type:belief?')
    assert [clause.asked.term for clause in asked.clauses] == ["bella", "park", "type", "belief"]  # type: ignore[union-attr]
    assert query.of_prompt("what is it then?").clauses == ()
    assert len(query.of_prompt(" ".join(f"word{n}" for n in range(500))).clauses) == query.MOST_WORDS
