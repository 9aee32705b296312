from __future__ import annotations

import hashlib

from memstore.core.memory import Memory
from memstore.search.index import VERSION, date_words, searchable

TEXT = (
    "Bella's heart: the vet (Dr. Müller) said it's 3:30, v1.2 — don't worry. 日本語 Running runs naïve café l'ami."
    " Łódź किताब กาแฟ מלון parse_level getHTTPResponse utf8 F09 a.b_cde/f.py"
)


def test_what_is_searched_of_a_memory() -> None:
    found = searchable(
        Memory(type="note", title="Hot tea", aliases=("green tea",), created_at="2026-05-08T10:00:00Z", body="Milk.\n"),
        "tea.md",
    )
    assert found.text == ["milk"]
    assert found.head[:4] == ["hot", "tea", "green", "tea"]
    assert found.head[-3:] == ["8", "mai", "2026"]


def test_a_date_as_people_say_it() -> None:
    assert date_words("2023-05-08T10:00:00Z") == "8 May 2023"
    assert date_words(None) == ""


def test_other_terms_are_another_version() -> None:
    """Where this fails because the analysis has changed, raise VERSION and put both in here."""
    terms = " ".join(searchable(Memory(type="note", body=TEXT), "").text)
    assert (VERSION, hashlib.sha256(terms.encode()).hexdigest()[:12]) == (10, "68e4aeea3ad1")


def test_other_terms_of_other_languages_are_another_version() -> None:
    """As above."""
    bodies = (
        "Die Häuser, die wir nicht gekauft haben.",
        "Les chevaux que nous avons vus.",
        "La canción que no es mía.",
    )
    found = [searchable(Memory(type="note", body=body), "") for body in bodies]
    terms = " ".join(term for one in found for term in (*one.text, *one.head))
    assert (VERSION, hashlib.sha256(terms.encode()).hexdigest()[:12]) == (10, "4ee77177bc26")
