"""Where sentences end, and where a full stop belongs to the word before it."""

from __future__ import annotations

import pytest

from memstore.conflicts.statements import sentences
from memstore.core.full_stops import first_sentence, split_sentences
from memstore.core.titles import default_title

ONE_SENTENCE = (
    "Dr. Okafor is our vet.",
    "Ask Prof. Lund.",
    "Locker no. 12 is mine.",
    "It takes approx. 40 minutes.",
    "The stall is run by J. R. Quill.",
    "The flat is at St. Olaf's.",
    "We met at 7 a.m. on the pier.",
    "Pack tea, e.g. oolong.",
    "See p. 12 of the manual.",
    "The pH is 7.4 today.",
    "The train leaves at 10.30 sharp.",
)
TWO_SENTENCES = (
    ("He said no.", "Nobody asked again."),
    ("We fell back on plan B.", "The rest is history."),
    ("The lab has 12.", "It needs more."),
    ("Is it cold?", "Yes."),
    ('She said "stop."', "Then it was quiet."),
)


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_a_full_stop_may_belong_to_a_word(text: str) -> None:
    assert list(split_sentences(text)) == [text]
    assert [text[start:end] for start, end in sentences(text)] == [text]
    assert default_title(f"{text} More of it.") == text


@pytest.mark.parametrize(("first", "second"), TWO_SENTENCES)
def test_or_end_a_sentence(first: str, second: str) -> None:
    assert list(split_sentences(f"{first} {second}")) == [first, second]
    assert first_sentence(f"{first} {second}") == first
    assert default_title(f"{first} {second}") == first


def test_an_exception_is_no_sentence() -> None:
    text = "The mill is open every day but Monday."

    assert [text[start:end] for start, end in sentences(text)] == [text]


def test_what_is_said_against_it_is() -> None:
    text = "The mill is open, but nobody goes there in winter."

    assert len(list(sentences(text))) == 2
