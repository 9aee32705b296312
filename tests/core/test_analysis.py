from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.terms import beginning, is_question, stop_words, term_of, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Bella's vet say?", "what did bella vet say"),
        ("Bella’s don’t isn't", "bella don't isn't"),
        ("eudaemon_0 and m_7f3k9q2x1c", "eudaemon_0 eudaemon and m_7f3k9q2x1c"),
        ("parse_level, parseLevel()", "parse_level parse level parselevel parse level"),
        ("getHTTPResponse GENESIS_PROMPT", "gethttpresponse get http response genesis_prompt genesis prompt"),
        ("src/auth_check.py core.wordLists", "src auth_check auth check py core wordlists word lists"),
        ("utf8.1's 15th 10km F09 v1.2", "utf8.1 utf 15th 10km f09 v1.2 1.2"),
        ("+bCJG8FqQ/ parse_levelTwo", "bcjg8fqq cjg bcjg fqq parse_leveltwo parse level two leveltwo"),
        ("_so_ __init__ größeMax", "_so_ __init__ init grossemax grosse max"),
        ("at 3:30pm, v1.2. 10.0.0.1", "at 3:30 pm v1.2 1.2 10.0.0.1"),
        ("sean@example.org re-use", "sean example org reuse re use"),
        ("Wi-Fi WiFi e-mail V2.10.3", "wifi wi fi wifi email e mail v2.10.3 2.10.3"),
        ("state-of-the-art -x- 2026-05-08 a-1", "state of the art x 2026 05 08 a 1"),
        ("Jürgen Straße ÉCLAIR naïve", "jurgen strasse eclair naive"),
        ("l'amour qu'elle o'brien", "amour elle o'brien"),
        ("東京で Bella", "東 京 で bella"),
        ("서울에", "서 울 에"),
        ("Ｂｅｌｌａ ﬁne", "bella fine"),
        ("İstanbul'da IŞIK ışık", "istanbul'da isik isik"),
        ("Łódź Ærø Þór Đà Nẵng", "lodz aero thor da nang"),
        ("किताब पढ़ो। बस", "किताब पढ़ो बस"),
        ("தமிழ் நூல்", "தமிழ் நூல்"),
        ("שָׁלוֹם مُحَمَّد كتـــاب", "שלום محمد كتاب"),
        ("กาแฟ ดี", "ก า แ ฟ ดี"),
        ("ភាសា ខ្ម", "ភា សា ខ្ ម"),
        ("“quoted” → re\u00adusable 🐕", "quoted reusable 🐕"),
        ("✅️ 👍🏽👍 👨‍👩‍👧 🇩🇪🇫🇷 1️⃣ a→b • c", "✅ 👍 👍 👨‍👩‍👧 🇩🇪 🇫🇷 1 a b c"),
        ("", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("walks", "walking"),
        ("Caroline", "caroline"),
        ("happy", "happiness"),
        ("MÜLLER", "Muller"),
        ("dogs'", "dog"),
        ("plan", "planning"),
        ("plans", "planned"),
        ("create", "creating"),
        ("troubled", "troubling"),
        ("organize", "organizing"),
        ("add", "adding"),
        ("spell", "spelling"),
        ("agree", "agreed"),
        ("hop", "hopped"),
    ],
)
def test_words_that_are_found_by_each_other(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(("one", "other"), [("hoping", "hopping"), ("red", "r"), ("bring", "br"), ("planet", "plan")])
def test_words_that_are_not(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@given(st.text(st.sampled_from("adehinosuwy"), min_size=1, max_size=6))
def test_no_word_has_the_term_of_a_stop_word(word: str) -> None:
    assert word in stop_words() or term_of(word) not in {term_of(stop) for stop in stop_words()}


@pytest.mark.parametrize("word", ["doe", "Ines", "thi", "Ona", "wa", "ha", "whil"])
def test_these_are_no_stop_words(word: str) -> None:
    assert terms(word)[0] not in {term_of(stop) for stop in stop_words()}


# With endings, which chance hardly makes.
@given(
    st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=14),
    st.sampled_from(["", "ed", "ing", "ating", "bled", "tting"]),
)
def test_a_word_begins_with_the_beginning_of_its_term(start: str, ending: str) -> None:
    word = start + ending
    assert word.startswith(beginning(term_of(word)))


@given(st.lists(st.sampled_from(["parse", "level", "http", "frame"]), min_size=2, max_size=4))
def test_a_name_is_found_by_its_parts_however_it_joins_them(parts: list[str]) -> None:
    camel = parts[0] + "".join(map(str.capitalize, parts[1:]))
    for name in ("_".join(parts), "_".join(parts).upper(), camel, camel[0].upper() + camel[1:]):
        assert words(f"in {name}: so") == ["in", name.lower(), *parts, "so"]
    for name in (".".join(parts), "/".join(parts), "::".join(parts)):
        assert words(f"in {name}: so") == ["in", *parts, "so"]
    whole = ["".join(parts)] if len(parts) == 2 else []
    assert words(f"in {'-'.join(parts)}: so") == ["in", *whole, *parts, "so"]


@pytest.mark.parametrize("sign", ["a_", "aA", "1a", "_", "A", "Aa1_"])
def test_names_without_end_are_read_in_linear_time(sign: str) -> None:
    start = time.process_time()
    words(sign * 200_000)
    assert time.process_time() - start < 5


@given(st.text(max_size=60))
def test_any_text_has_words_without_capitals(text: str) -> None:
    assert all(word and word == word.casefold() for word in words(text))


@pytest.mark.parametrize("text", ["When did she see the vet", "did she see the vet?  ", "how"])
def test_what_asks(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["vet, when", "whenever", "a? b", ""])
def test_what_does_not(text: str) -> None:
    assert not is_question(text)


def test_stop_words_are_words() -> None:
    assert stop_words()
    assert [word for word in stop_words() if words(word) != [word]] == []


def test_stemming_does_not_load_the_rest_of_whoosh() -> None:
    code = (
        "import sys; from memstore.core.terms import terms; terms('walking dogs');"
        "print(sorted(name for name in sys.modules if name.startswith('whoosh')))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "['whoosh', 'whoosh.lang', 'whoosh.lang.porter']"
