from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core import terms
from memstore.core.config import LANGUAGES
from memstore.core.languages import OTHERS, beginning, language_of, stem, stemmer, stop_words

ENDINGS = st.sampled_from(
    """en ungen heit ismus ation ciones cion amente iendome gue yendo aux ees iere ivite issement oes coes azione heden
    arna ene ssa lla ами ого ии ый""".split()  # noqa: SIM905 - a list of words reads best as words
)
LETTERS = st.text(
    st.sampled_from("abcdefghijklmnopqrstuvwxyz") | st.sampled_from("абвгдежзиклмнопрстухыья"), max_size=9
)
WORDS = st.builds("{}{}".format, LETTERS, ENDINGS | st.just("")).filter(bool)


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", "Haus Hauses Häuser Häusern"), ("de", "Straße Straßen Strasse"), ("de", "schön schöne schönsten"),
        ("fr", "cheval chevaux"), ("fr", "mangé mangée mangées manger"), ("fr", "premier première premières"),
        ("es", "educación educacion educaciones educativo"), ("es", "niño niños niña"), ("es", "canción canciones"),
        ("it", "ragazzo ragazzi ragazza ragazze"), ("pt", "nação nações"), ("pt", "decisão decisões"),
        ("nl", "boek boeken"), ("sv", "hund hundar hunden"), ("da", "hus huse huset"), ("no", "hund hunder hunden"),
        ("fi", "talo talon talossa talot"), ("ru", "собака собаки собаке собакой"), ("ru", "новый новая новых"),
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(language: str, forms: str) -> None:
    assert len({stem(word, language) for word in terms.words(forms)}) == 1


@given(WORDS, st.sampled_from(OTHERS))
def test_no_stem_is_a_stop_words_and_each_begins_its_word(word: str, language: str) -> None:
    (folded,) = terms.whole_words(word)
    found = stem(folded, language)
    assert found == folded or found not in stop_words(language) | terms.stop_words()
    assert found
    assert folded.startswith(beginning(found, language))


@pytest.mark.parametrize("language", OTHERS)
def test_a_stop_word_is_its_own_stem(language: str) -> None:
    assert len(stop_words(language)) > 50
    assert {stem(word, language) for word in stop_words(language)} == stop_words(language)


def test_english_is_stemmed_as_ever() -> None:
    assert stemmer("en") is terms.term_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Hund hat die ganze Nacht gebellt, und wir haben nicht geschlafen.", "de"),
        ("Bella hat am Freitag noch einen Termin bei Dr. Smith.", "de"),
        ("Le chien a aboyé toute la nuit et nous n'avons pas dormi.", "fr"),
        ("El perro ladró toda la noche y no hemos dormido nada.", "es"),
        ("De hond heeft de hele nacht geblaft en wij hebben niet geslapen.", "nl"),
        ("Il cane ha abbaiato tutta la notte e noi non abbiamo dormito.", "it"),
        ("O cão ladrou a noite inteira e nós não dormimos, porque ele estava com medo.", "pt"),
        ("Собака лаяла всю ночь, и мы совсем не спали, потому что было громко.", "ru"),
        ("The dog barked all night, and we did not sleep.", "en"),
        ("Dr. de la Cruz, São Paulo", "en"),
        ("`die hard` was in the top ten", "en"),
        ("", "en"),
        ("Tee", "en"),
    ],
)  # fmt: skip
def test_the_stop_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(terms.words(text), LANGUAGES) == language


def test_what_is_not_clear_is_in_the_first_language() -> None:
    words = terms.words("Tee um acht")
    assert language_of(words, ("de", "en")) == "de"
    assert language_of(words, ("en", "de")) == "en"
    assert language_of(words, ("fr",)) == "fr"


def test_a_name_that_is_a_stop_word_elsewhere_tells_no_language_however_often_it_stands_there() -> None:
    assert language_of(terms.words("Sean Sean Sean"), LANGUAGES) == "en"
