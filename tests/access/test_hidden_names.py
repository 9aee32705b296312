"""What names a hidden memory, in whatever spelling, and what only has words that everybody uses."""

from __future__ import annotations

import html
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access.hidden_names import Finder, hidden_name_of

TITLE = "Divorce Plan Café"
ID = "m_hidden0001"


def finder(title: str = TITLE, *aliases: str, known: str = "") -> Finder:
    names = hidden_name_of("notes/plan-7f3k.md", ID, title, aliases)
    return Finder(names, is_known=known.split().__contains__)


def found(text: str, *names: str, known: str = "") -> list[str]:
    return [name.text for name in finder(*names, known=known).in_text(text)]


SPELLINGS = (
    quote,
    str.upper,
    str.split,
    html.escape,
    lambda text: "".join(f"&#{ord(sign)};" for sign in text),
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: text.encode("ascii", "backslashreplace").decode(),
    lambda text: text.replace("o", "о").replace("a", "а"),  # Cyrillic letters
    lambda text: text.replace(" ", "&nbsp;"),
    lambda text: text.replace("v", "v\u00ad").replace("n", "\u200bn"),
    lambda text: text.replace("vor", "**vor**"),
    lambda text: text.replace("vor", "<b>vor</b>"),
    lambda text: text.replace(" ", ""),
    lambda text: text.replace(" ", "_"),
    lambda text: quote(quote(text)),
    lambda text: html.escape(text.replace("é", "&eacute;")),
)


@given(st.sampled_from(SPELLINGS), st.sampled_from(["see {}", "{}", "#{}", "[{}]", "x\n{}\ny", "({}.md)", '"{}"']))
def test_a_title_is_found_in_each_spelling(spell: object, frame: str) -> None:
    told = spell(TITLE)  # type: ignore[operator]
    text = frame.format("\n".join(told) if isinstance(told, list) else told)
    assert TITLE in found(text), text
    assert TITLE in [name.text for name in finder().in_path(text.replace("\n", " "))]


@pytest.mark.parametrize(
    "text",
    [ID, f"note:{ID}", ID.upper(), quote(ID).replace("_", "%5f"), ID.replace("_", "&#95;"), "m_hidden\u200b0001"],
)
def test_an_id_is_found_in_each_spelling(text: str) -> None:
    assert found(f"as in {text}.") == [ID]
    assert not found(f"as in {text}2.")


@pytest.mark.parametrize(
    ("title", "text", "is_named"),
    [
        ("Tea", "I had Tea with Tom", False),
        ("Tea", "Tea", False),
        ("Tea", 'he said "Tea"', False),
        ("Tea", "see [[tea]]", True),
        ("Tea", "see [[x/Tea#Milk|this]]", True),
        ("Tea", "see [this](../Tea.md)", True),
        ("Tea", '<a href="tea.md">this</a>', True),
        ("Tea", "see [this](tea.png)", False),
        ("Meeting notes", "add the meeting notes of June", False),
        ("Meeting notes", "see [[Meeting notes]]", True),
        ("How to do it", "this is how to do it", False),
        ("Weekly team meeting", "before the weekly team meeting", True),
        ("Salary talk", "about the salary talk", True),
        ("Zephyrine", "a walk with Zephyrine", True),
        ("離婚", "彼の離婚届", False),
        ("秘密の話", "これは秘密の話です", True),
        ("2026", "in 2026", False),
    ],
)
def test_a_short_title_of_everyday_words_counts_only_as_a_name(title: str, text: str, is_named: bool) -> None:  # noqa: FBT001 - a table's column
    assert (title in found(text, title)) is is_named


def test_a_word_that_the_readers_have_anyway_is_an_everyday_one() -> None:
    assert found("set up kubernetes", "Kubernetes")
    assert not found("set up kubernetes", "Kubernetes", known="kubernetes")
    assert found("see [[Kubernetes]]", "Kubernetes", known="kubernetes")


@given(
    st.lists(
        st.sampled_from(["<!-- ", " -->", "[x](", ")", "<b ", ">", "```", "Div**orce** Plan Café", "[[tea]]", "x"])
    )
)
def test_asking_of_all_texts_misses_none(texts: list[str]) -> None:
    names = [*hidden_name_of("a.md", ID, TITLE, ()), *hidden_name_of("b.md", "", "Tea", ())]
    one_by_one = any(any(Finder(names).in_text(text)) for text in texts)
    assert Finder(names).may_be_in(texts) or not one_by_one


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    assert not [*Finder(()).in_text(text)]
    [*finder().in_text(text), *finder().in_path(text)]
