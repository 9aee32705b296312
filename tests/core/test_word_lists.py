"""The lists of words that are kept as data: read when they are needed, and written as texts are read."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.terms import fold
from memstore.core.word_lists import listed, word_lists
from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = sorted(path.parent.name for path in (ROOT / "memstore").glob("*/words.toml"))
# Found by patterns in texts as they were said, with their accents; only capitals and apostrophes are made alike.
IN_TEXTS_AS_SAID = {"agents", "exchange"}


def texts(value: Any) -> Iterator[str]:
    """Yield each list in a table of lists."""
    if isinstance(value, str):
        yield value
    else:
        for item in value.values():
            yield from texts(item)


def as_said(text: str) -> str:
    """Return a text in small letters and with straight apostrophes, and with all its accents."""
    return text.casefold().replace("’", "'")


def test_who_keeps_lists() -> None:
    assert PACKAGES == ["access", "agents", "beliefs", "conflicts", "core", "exchange"]


@pytest.mark.parametrize("package", PACKAGES)
def test_words_are_folded_like_the_texts_they_are_looked_up_for(package: str) -> None:
    for text in texts(word_lists(package)):
        assert listed(text)
        assert (as_said(text) if package in IN_TEXTS_AS_SAID else fold(text)) == text


def test_opposites_have_two_sides_and_pairs_two_words() -> None:
    lists = word_lists("conflicts")
    for name in ("opposites", "opposite_acts"):
        assert {line.count("|") for line in lists[name].strip().splitlines()} == {1}
    assert "|" not in lists["same"]
    for name in ("one_value", "wider"):
        assert {len(listed(line)) for line in lists[name].strip().splitlines()} == {2}


def test_no_list_but_the_stop_words_is_read_before_a_word_is_looked_up() -> None:
    code = (
        "import memstore.beliefs.wording, memstore.conflicts.compare, memstore.conflicts.lexicon as lexicon\n"
        "from memstore.core.word_lists import word_lists\n"
        "print(word_lists.cache_info().currsize, lexicon.opposite('hot', 'cold'), word_lists.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 True 2\n"
