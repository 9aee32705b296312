from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from whoosh.lang.porter import stem as whoosh_stem

from memstore.core.porter import stem
from memstore.core.word_lists import listed

WORDS = Path(__file__).parents[2] / "benchmarks" / "words.txt"
ENDINGS = listed(
    """
    s sses ies ss ed ing eed y e ll ational tional enci anci izer bli alli entli eli ousli ization ation ator alism
    iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible
    ant ement ment ent ou ism ate iti ous ive ize ion sion tion
    """
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_the_words_of_a_long_list_have_the_stems_that_whoosh_gives() -> None:
    words = [word.lower() for word in WORDS.read_text().split() if word.isascii() and word.isalpha()]
    assert [stem(word) for word in words] == [whoosh_stem(word) for word in words]


@given(st.text(alphabet=LETTERS + "aeiouyaeiouy", max_size=7), st.lists(st.sampled_from(sorted(ENDINGS)), max_size=3))
def test_so_has_whatever_looks_like_a_word(beginning: str, endings: list[str]) -> None:
    word = "".join((beginning, *endings))
    assert stem(word) == whoosh_stem(word)
