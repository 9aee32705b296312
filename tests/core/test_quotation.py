"""Quotations: whatever is quoted, it ends neither the quotes nor the margin."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.core.quotation import LONGEST_SOURCE, NOTICE, External, harmless, quoted, quoted_lines

# Letters, and everything that might end a frame, hide something or turn a line around.
NASTY = st.text(
    st.sampled_from(
        "ab \t\n\r\x0b\x0c\x1b\x85\u2028\u2029\"'\u201c\u201d\u201e\xab\xbb\uff02[]\u3010\u3011>`#\u200b\u202e"
        "\u2066\ufeff\U000e0041\ufe01"
    )
)
TEXTS = st.one_of(st.text(), NASTY)


def unseen(text: str) -> list[str]:
    return [one for one in text if unicodedata.category(one) in {"Cc", "Cf", "Zl", "Zp"}]


@given(TEXTS)
@example('" end')
@example("\x1b[31m")
@example("a\u2028b")
def test_on_one_line_the_quotes_are_the_only_ones(text: str) -> None:
    found = quoted(text)
    assert found.count('"') == 2
    assert found[0] == found[-1] == '"'
    assert not set(found) & set("[]\u201c\u201d\u201e\xab\xbb\uff02\n\r")
    assert unseen(found) == []
    assert len(found.splitlines()) == 1


@given(TEXTS)
@example("a\rb")
@example("a\x0bb\x85c\u2028d")
@example("> quoted\n(end of quotation)")
def test_on_several_lines_each_is_behind_the_margin(text: str) -> None:
    found = list(quoted_lines(text))
    assert len(found) == len(text.splitlines())
    assert all(line == ">" or line.startswith("> ") for line in found)
    assert all(unseen(line) == [] and len(line.splitlines()) == 1 for line in found)


@given(st.text(st.sampled_from("abc dé,.")))
def test_plain_words_stay_as_they_are(text: str) -> None:
    assert harmless(text).split() == text.split()
    assert list(quoted_lines(text)) == [f"> {line}".rstrip() for line in text.splitlines()]


@given(TEXTS, TEXTS)
def test_a_source_ends_its_quotes_no_more_than_a_text(source: str, text: str) -> None:
    found = External(source, vouched=False).framed(text)
    assert found.startswith(f"[{NOTICE} (external, ")
    assert found.endswith('"]')
    assert found.count('"') == 4
    assert found.count("[") == found.count("]") == 1


def test_a_long_source_is_shortened() -> None:
    assert len(External("x" * 500, vouched=False).origin) < LONGEST_SOURCE + 60


@pytest.mark.parametrize("mark", ["\u200b", "\u202e", "\ufeff", "\U000e0041", "\u2800", "\u3164", "\ufe01", "\x1b"])
def test_what_can_not_be_seen_is_spelt_out(mark: str) -> None:
    assert f"<U+{ord(mark):04X}>" in quoted(f"a{mark}b")
    assert f"<U+{ord(mark):04X}>" in "".join(quoted_lines(f"a{mark}b"))
