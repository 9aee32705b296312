"""Text that was made to take long: a run of one sign takes time in proportion to its length."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from memstore.conflicts import lexicon
from memstore.conflicts.contradiction import compare
from memstore.conflicts.frames import frames
from memstore.conflicts.statements import in_third_person, sentences, statements
from memstore.core import terms
from memstore.core.full_stops import split_sentences
from memstore.search import query

if TYPE_CHECKING:
    from collections.abc import Iterator

# Some hundred times what it takes; what grows with the square of it takes several times as long.
CPU_SECONDS = 5.0
LENGTH = 60_000


@pytest.fixture
def _soon() -> Iterator[None]:
    """Fail a test that uses the processor for much too long."""

    def too_long(*_: object) -> None:
        raise AssertionError(f"it took more than {CPU_SECONDS} s of processor time")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.soak(2)
@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("piece", ["[", "[[", "[^", "(", '"', "`", "no ", ". ", "1.", "12:", "-", "a-", "+", "a.", "'"])
def test_a_run_of_signs_is_read_as_a_statement(piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    statements(text)
    list(sentences(text))


@pytest.mark.soak(2)
@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("piece", ["-", "'", "’-", "a-", ", ", "I ", "we, ", "a 'b ", "I'm "])
def test_a_run_of_signs_is_read_as_said_of_the_speaker(piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    in_third_person(text)
    in_third_person(f"I am {text}")


@pytest.mark.soak
@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("piece", ["a", "(", "'s", "1-", "It is A", ", who ", " and has ", "but ", "A. ", '"', "said "])
def test_a_run_of_signs_is_compared(piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    compare(f"The gate is open {text}", f"The gate is not open {text}")
    frames(text[:2_000])
    list(split_sentences(text))


@pytest.mark.usefixtures("_soon")
def test_the_states_in_a_statement_of_many_words_are_found() -> None:
    assert not list(lexicon.states_in(("kettle", "hums", "soft") * 30_000))


def test_a_query_is_folded_a_few_times_however_many_words_stand_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    words = terms.words

    def counted(text: str) -> list[str]:
        asked.append(len(text))
        return words(text)

    monkeypatch.setattr(terms, "words", counted)
    for count in (100, 1000):
        asked.clear()
        query.parse("[a](b)" * count)
        assert sum(asked) < 10 * len("[a](b)") * count
