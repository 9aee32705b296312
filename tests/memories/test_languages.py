"""Searching memories in other languages than English, and in several beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.memories.search import Wish, search
from memstore.search.retrieval import Unit
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.vault.workspace import Workspace

GERMAN = {
    "katzen": "Die Katzen schlafen nachts auf dem Sofa, weil es dort warm ist.",
    "haus": "Wir haben das alte Haus am See nicht gekauft, sondern nur gemietet.",
    "baeume": "Im Garten stehen drei Apfelbäume und ein paar Büsche, die er gepflanzt hat.",
    "buecher": "Seine Bücher stehen in der Küche, und die Schlüssel liegen auf dem Tisch.",
    "arzt": "Der Tierarzt hat gesagt, dass der Hund weniger fressen soll als bisher.",
}
FRENCH = {
    "chevaux": "Les chevaux sont dans le pré depuis que les voisins ont acheté la ferme.",
    "reunion": "La première réunion a été annulée, et nous avons décidé de nous voir lundi.",
    "medicament": "Il prend ses médicaments le matin avec un verre d'eau, jamais le soir.",
}
SPANISH = {
    "canciones": "Las canciones que canta mi abuela son muy antiguas y no están en los libros.",
    "educacion": "La educación de los niños fue lo más importante para ella y su hermano.",
    "perro": "Los perros de la vecina ladran por la noche cuando pasa el camión.",
}
ENGLISH = {
    "wine": "They win more often than they lose, and that is all there is to say about it.",
    "house": "The house by the lake was sold, and we have not been there since.",
}


NAMES = [*GERMAN, *FRENCH, *SPANISH, *ENGLISH, "wein"]


def vault(*of: Mapping[str, str]) -> Workspace:
    """Return a vault of these texts; the names of their files hold no word."""
    texts = {NAMES.index(name): text for each in of for name, text in each.items()}
    return memory_workspace({f"{at}.md": memory_text(f"{text}\n", id=f"m_{at}") for at, text in texts.items()})


def found(ws: Workspace, text: str, by: Unit = Unit.MEMORY) -> list[str]:
    return [NAMES[int(hit.path.removesuffix(".md"))] for hit in search(ws.view(), text, Wish(by=by)).hits]


ASKED = [
    ("Katze", "katzen"), ("katze", "katzen"), ("schlafende Katze", "katzen"), ("Häuser", "haus"), ("Hauses", "haus"),
    ("Haeuser", "haus"), ("Apfelbaum", "baeume"), ("Apfelbaeume", "baeume"), ("Busch", "baeume"), ("Buch", "buecher"),
    ("Büchern", "buecher"), ("Bucher", "buecher"), ("Buecher", "buecher"), ("Tierärzte", "arzt"), ("Hunde", "arzt"),
    ("Was hat der Tierarzt gesagt?", "arzt"), ("Tierärz*", "arzt"), ("Katz*", "katzen"),
    ("cheval", "chevaux"), ("Chevaux", "chevaux"), ("réunions", "reunion"), ("reunions", "reunion"),
    ("premier", "reunion"), ("annuler", "reunion"), ("médicament", "medicament"), ("medicament", "medicament"),
    ("achetée", "chevaux"), ("cheva*", "chevaux"), ("Où sont les chevaux ?", "chevaux"),
    ("canción", "canciones"), ("cancion", "canciones"), ("antigua", "canciones"), ("educaciones", "educacion"),
    ("educacion", "educacion"), ("niña", "educacion"), ("perro", "perro"), ("¿Qué perros ladran?", "perro"),
]  # fmt: skip


@pytest.mark.parametrize("by", Unit)
@pytest.mark.parametrize(("text", "expected"), ASKED)
def test_forms_of_a_word_find_each_other(text: str, expected: str, by: Unit) -> None:
    assert found(vault(GERMAN, FRENCH, SPANISH, ENGLISH), text, by)[:1] == [expected]


@pytest.mark.parametrize(("text", "expected"), [(f'"{phrase}"', name) for phrase, name in [
    ("die Katzen schlafen", "katzen"), ("alte Haus", "haus"), ("première réunion", "reunion"),
    ("premiere reunion", "reunion"), ("educación de los niños", "educacion"), ("house by the lake", "house"),
]])  # fmt: skip
def test_phrases_stand_letter_by_letter(text: str, expected: str) -> None:
    ws = vault(GERMAN, FRENCH, SPANISH, ENGLISH)
    assert found(ws, text) == [expected]
    assert found(ws, f"+{text}") == [expected]


def test_a_word_in_another_form_is_no_phrase() -> None:
    ws = vault(GERMAN)
    assert found(ws, '"die Katze schläft"') == []
    assert found(ws, "+Katze") == []
    assert found(ws, "+Katzen") == ["katzen"]
    assert found(ws, "Haus -gekauft") == []
    assert found(ws, "Haus -kaufen") == ["haus"]


def test_each_memory_is_compared_in_its_own_language() -> None:
    # In German, `Weine` is a form of `Wein`; in English texts the stem of that would be `win`'s.
    wines = {"wein": "Der Wein vom letzten Jahr ist noch im Keller, und die Flaschen sind voll."}
    assert found(vault(ENGLISH, wines), "Weine") == ["wein"]
    assert found(vault(ENGLISH, wines), "win") == ["wine"]
    assert found(vault(ENGLISH), "Katze") == []


def test_beside_other_languages_english_is_found_as_before() -> None:
    alone, beside = (search(ws.view(), "houses at the lake").hits for ws in (vault(ENGLISH), vault(ENGLISH, FRENCH)))
    assert [hit.path for hit in alone] == [hit.path for hit in beside] == [f"{NAMES.index('house')}.md"]
    assert alone[0].citation == beside[0].citation
    assert (alone[0].language, beside[0].language) == ("en", "en")


def test_what_is_hidden_changes_no_stem() -> None:
    hidden = {"de.md": memory_text(f"{GERMAN['katzen']}\n", id="m_de", owner="si:ash")}
    files = {"house.md": memory_text(f"{ENGLISH['house']}\n", id="m_house")}
    answers = [search(memory_workspace(one).view(), "Häuser house") for one in (files, files | hidden)]
    assert answers[0].hits[0]._replace(relevance=0, quality=0) == answers[1].hits[0]._replace(relevance=0, quality=0)
    assert answers[0].hits[0].relevance == pytest.approx(answers[1].hits[0].relevance, abs=1e-6)


def test_a_word_that_stands_there_is_not_corrected() -> None:
    assert search(vault(GERMAN).view(), "Häusern gesperrt").suggestion is None
    assert search(vault(GERMAN).view(), "Tierarzz").suggestion == "Tierarzt"


def test_what_a_score_is_made_of_names_forms_of_the_language() -> None:
    (hit, *_) = search(vault(GERMAN).view(), "Katze", Wish(explain=True)).hits
    assert hit.explanation is not None
    assert sum(part.points for part in hit.explanation.parts) == pytest.approx(hit.relevance, abs=1e-4)
    assert dict(hit.explanation.parts[0].places) == {"text": 1}
