from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from memstore.core.memory import Memory
from memstore.files import memory_file
from memstore.search.index import VERSION, date_words, searchable
from memstore.search.index_store import FORMAT
from memstore.search.memory_snapshot import cells_of, document_of
from tests.kept_files import KEPT_FILES, digest

if TYPE_CHECKING:
    from memstore.search.memory_snapshot import Document

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
    assert (VERSION, hashlib.sha256(terms.encode()).hexdigest()[:12]) == (16, "f8043cc6aed3")


def test_other_terms_of_other_languages_are_another_version() -> None:
    """As above."""
    bodies = (
        "Die Häuser, die wir nicht gekauft haben.",
        "Les chevaux que nous avons vus.",
        "La canción que no es mía.",
    )
    found = [searchable(Memory(type="note", body=body), "") for body in bodies]
    terms = " ".join(term for one in found for term in (*one.text, *one.head))
    assert (VERSION, hashlib.sha256(terms.encode()).hexdigest()[:12]) == (16, "4ee77177bc26")


def documents() -> list[Document]:
    return [
        document_of(memory_file.read(path, data, mixed=mixed), f"blob {path}")
        for mixed in (False, True)
        for path, data in KEPT_FILES.items()
    ]


def test_other_terms_of_titles_names_and_claims_are_another_version() -> None:
    """As above."""
    terms = [(one.searchable.text, one.searchable.head) for one in documents() if one.searchable]
    assert (VERSION, digest(terms)) == (16, "c8c229d83dff")


def test_another_entry_of_a_file_in_the_catalogue_is_another_format() -> None:
    """Where this fails, the catalogue says something else of the same bytes: raise FORMAT and put both in here."""
    assert (FORMAT, digest([*cells_of(one.entry)] for one in documents())) == (11, "6dac24a23309")
