from __future__ import annotations

import pytest

from memstore.core.errors import did_you_mean, nearest


@pytest.mark.parametrize(("word", "near"), [("actve", "active"), ("drat", "draft"), ("xyzzy", None), ("", None)])
def test_a_slip_is_forgiven(word: str, near: str | None) -> None:
    assert nearest(word, ("active", "draft", "archived")) == near


def test_how_similar_is_similar_can_be_chosen() -> None:
    assert nearest("m_7f3k9q2x1c", ["m_7f3k9q2x10"], similar=0.8) == "m_7f3k9q2x10"
    assert nearest("m_7f3k9q2x1c", ["m_0000000001"], similar=0.8) is None


def test_a_hint_names_the_word_or_says_something_else() -> None:
    assert did_you_mean("nte", ["note"], otherwise="choose one") == "did you mean note?"
    assert did_you_mean("xyzzy", ["note"], otherwise="choose one") == "choose one"
