"""Gists never rule out what laying the sentences side by side would find."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from memstore.conflicts.contradiction import TextVerdict, compare
from memstore.conflicts.prefilter import Gist, SentenceGist, gist, may_conflict

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFLICTS = (TextVerdict.CONTRADICTS, TextVerdict.OTHER_VALUE)

SUBJECTS = ("Sean", "the gate", "the living room", "Bella's bowl", "the couldn't-care team", "python", "I", "PR #38")
VERBS = (
    *("is", "isn't", "was", "likes", "does not like", "dislikes", "lives in", "costs", "closes at", "can swim to"),
    *("can't swim to", "has", "hasn't", "no longer has", "is unable to find", "used to have", "always eats"),
    *("never eats", "couldn't find", "could find", "won't be", "will be", "prefers", "was not only", "began on"),
)
OBJECTS = (
    *("tea", "coffee", "Paris", "Rome", "New York", "good", "bad", "open", "closed", "two miles", "5 km", "5000 m"),
    *("$20", "9 pm", "21:00", "3 May 2019", "4 May", "the first row", "the third row", "blue", "grey", "gray", "big"),
    *("large", "small", "Monday", "Tuesday", "twelve", "a dozen", "the kitchen", "far away from it", "next to it"),
    *(
        "twenty-one",
        "two hundred and five",
        "205",
        "two and a half km",
        "half a mile",
        "the boss' car",
        "an *odd* co-op",
        "[[note:m_x]] milk",
        "no doubt hot",
        "cold",
        "10 °C",
        "v2",
    ),
)
ADDED = ("", " in the evening", " every day", " with Bella", " since last week", " at all", " really", " always")
ENDS = (".", "!", "?", ";", "\n\n", "\n- ", " but ", "")


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = (draw(st.sampled_from(part)) for part in (SUBJECTS, VERBS, OBJECTS, ADDED))
    subject, verb, thing, added = words
    return f"{subject} {verb} {thing}{added}"


@st.composite
def alike(draw: st.DrawFn) -> tuple[str, str]:
    """Return two texts with a sentence each that differ in a part or two."""
    ones = [draw(st.sampled_from(part)) for part in (SUBJECTS, VERBS, OBJECTS, ADDED)]
    others = list(ones)
    for at in draw(st.lists(st.integers(0, 3), min_size=1, max_size=2)):
        others[at] = draw(st.sampled_from((SUBJECTS, VERBS, OBJECTS, ADDED)[at]))
    texts = []
    for subject, verb, thing, added in (ones, others):
        around = draw(st.lists(sentences(), max_size=1)), draw(st.sampled_from(ENDS))
        text = f"{subject} {verb} {thing}{added}{around[1]} {''.join(around[0])}"
        texts.append(draw(st.sampled_from((text, text.upper(), text.replace("'", "’")))))
    return texts[0], texts[1]


@given(alike())
@example(("Sean likes tea", "Sean dislikes tea"))
@example(("The small dog ate", "The big dog ate in small hours"))
@example(("He couldn't swim there", "He could swim there"))
@example(("Sean no longer has a boat", "Sean has a boat"))
@example(("Sean is unable to swim", "Sean is able to swim"))
@example(("Sean cannot swim", "Sean can swim"))
@example(("Sean will swim", "Sean won't swim"))
@example(("The run is 5 km long", "The run is three miles long"))
@example(("The house has two hundred and five rooms", "The house has 206 rooms"))
@example(("Why not? Sean likes tea in the morning", "Sean does not like tea"))
@example(("Sean lives in New York", "Sean lives in Rome"))
@example(("Bella was born on 3 May", "Bella was born on the 4th of May"))
def test_no_conflict_is_ruled_out(texts: tuple[str, str]) -> None:
    found = compare(*texts, any_order=False).verdict in CONFLICTS
    one, other = (gist((text,)) for text in texts)

    assert may_conflict(one, other) or not found
    assert may_conflict(other, one) == may_conflict(one, other)


@given(alike())
def test_nor_is_one_that_a_larger_lexicon_finds(texts: tuple[str, str]) -> None:
    found = compare(*texts, opposes=lambda one, other: one != other, any_order=False).verdict in CONFLICTS

    assert may_conflict(gist((texts[0],)), gist((texts[1],)), any_opposites=True) or not found


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_written(one: str, other: str) -> None:
    assert may_conflict(gist((one,)), gist((other,))) or compare(one, other, any_order=False).verdict not in CONFLICTS


def test_most_is_ruled_out() -> None:
    said = gist(("Sean likes tea. The gate closes at nine.",))

    for other in ("Sean likes tea.", "Bella dislikes tea.", "Sean walks to the gate", "The shop closes on Monday", ""):
        assert not may_conflict(said, gist((other,)))


def test_of_a_text_without_full_stops_no_more_is_looked_at_than_it_takes() -> None:
    class Counted(list[str]):
        looked_at = 0

        def __iter__(self) -> Iterator[str]:
            for word in super().__iter__():
                self.looked_at += 1
                yield word

    one = gist(("The gate is never open",))
    table = gist(("the gate is open with " + " ".join(map("".join, product("bdfgk", "aeio", "kmnp", "aeio"))),))
    words = Counted(table.sentences[0].words)
    counted = Gist((SentenceGist(words),), table.stems)
    for _ in range(2):  # what is found out once is kept
        words.looked_at = 0
        assert not may_conflict(one, counted)
    assert words.looked_at < len(words) / 10
