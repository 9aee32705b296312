"""Whether a text says what was learnt without giving away from whom: the published cases, and more."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access import generalization
from memstore.access import world as principals
from memstore.access.names import is_one_slip_away, named_in, names_of
from memstore.access.world import Entity, Kind, World
from tests.access_cases import CASES

BELLA = {"dog:bella": ["Bella"]}
MURMUR = ["Bella has grade 2 heart murmur"]


@pytest.mark.parametrize("row", CASES["generalize"], ids=lambda row: row["id"])
def test_the_published_cases(row: dict[str, Any]) -> None:
    world = World(owner="si:ash", entities={name: Entity(aliases=tuple(a)) for name, a in row["aliases"].items()})
    subjects = {s: row["aliases"].get(s, []) for s in row["subjects"] if principals.needs_consent(world, s)}
    found = generalization.check(row["text"], row["sources"], subjects)
    assert (found.verdict, list(found.checks)) == (row["expect"]["verdict"], row["expect"]["checks"])


@pytest.mark.parametrize(
    ("text", "blocked"),
    [
        ("𝐁𝐞𝐥𝐥𝐚 taught me caution", True),
        ("Ｂｅｌｌａ taught me caution", True),
        ("🅑ella taught me caution", True),
        ("ᴮella taught me caution", True),
        ("Be\u200blla taught me caution", True),
        ("Be\u00adlla taught me caution", True),
        ("Bèllá taught me caution", True),
        ("Βеllа taught me caution", True),  # Greek, Cyrillic, Cyrillic
        ("Be<b>ll</b>a taught me caution", True),
        ("Bel<!-- <i> -->la taught me caution", True),
        ("[Bel](https://example.org)la taught me caution", True),
        ("Bel[](x)la taught me caution", True),
        ("B&#101;lla taught me caution", True),
        ("b-e-l-l-a taught me caution", True),
        ("B.E.L.L.A taught me caution", True),
        ("Bel-la taught me caution", True),
        ("B€ll4 taught me caution", False),
        ("Bel1a taught me caution", True),
        ("8e||@ taught me caution", True),
        ("Bellas case taught me caution", True),
        ("#bella taught me caution", True),
        ("see https://example.org/bellathedog", True),
        ("see https://example.org/%42%65lla", True),
        ("%F0%9D%90%81ella taught me caution", True),
        ("a rise of 100%, or 50%ee", False),
        ("@bellasays hello", True),
        ("my_bella_notes", True),
        ("myBellaNotes", True),
        ("HTMLBella taught me caution", True),
        ("🇧🇪🇱🇱🇦 taught me caution", True),
        ("🇧 🇪 🇱 🇱 🇦 taught me caution", True),
        ("bella2019 taught me caution", True),
        ("write to bella7", True),
        ("umbella2019 and 2019bell", False),
        ("Rebellious puppies need patience", False),
        ("Labels and umbrellas", False),
        ("Bellamy wrote about it", False),
        ("", False),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, blocked: bool) -> None:  # noqa: FBT001 - a table's column
    found = generalization.check(text, MURMUR, BELLA)
    assert (found.blocked_reason is not None, "entity-name" in found.checks) == (blocked, blocked)


@pytest.mark.parametrize("text", ["Belle taught me caution", "Bela taught me caution", "Blela taught me caution"])
def test_a_name_with_one_slip_is_a_warning(text: str) -> None:
    found = generalization.check(text, MURMUR, BELLA)
    assert (found.verdict, found.checks) == ("warn", ("entity-name",))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("#bellalearns taught me caution", "warn"),
        ("#teambella taught me caution", "warn"),
        ("#umbellate taught me caution", "safe"),
        ("No. #7 of bellalearns", "safe"),
    ],
)
def test_a_name_at_either_end_of_a_tag_is_a_warning(text: str, verdict: str) -> None:
    assert generalization.check(text, MURMUR, BELLA).verdict == verdict


@pytest.mark.parametrize(
    ("entities", "text", "blocked", "near"),
    [
        ({"human:student_123": ["Kim Park"]}, "Dogs love a walk in the park", None, "Kim Park"),
        ({"human:student_123": ["Kim Park"]}, "The Park twins", "Kim Park", None),
        ({"human:student_123": ["Kim Park"]}, "kimpark said so", "Kim Park", None),
        ({"human:student_123": []}, "Every student counts to 123", None, None),
        ({"human:student_123": []}, "It is student 123", "student_123", None),
        ({"vet:dr_smith": ["Dr. Smith"]}, "A doctor, a dr., said so", None, None),
        ({"vet:dr_smith": ["Dr. Smith"]}, "Smith said so", "Dr. Smith", None),
        ({"human:sean": ["Sean O'Brien"]}, "ask o'brien", "Sean O'Brien", None),
        ({"human:sean": ["Sean O'Brien"]}, "ask OBrien", "Sean O'Brien", None),
        ({"human:tom": []}, "Tim, Tam and Ton", None, None),
        ({"human:jurgen": ["Jürgen"]}, "Jurgen's garden", "Jürgen", None),
        ({"human:zoe": ["Zoë"]}, "z o e", "Zoë", None),
    ],
)
def test_whose_names_are_looked_for(
    entities: dict[str, list[str]], text: str, blocked: str | None, near: str | None
) -> None:
    assert named_in(text, names_of(entities)) == (blocked, near)


@pytest.mark.parametrize(
    ("source", "text", "checks"),
    [
        ("Kim cried on 2026-01-14.", "The 14th of January is hard.", ["date", "number"]),
        ("Kim cried on 14 January.", "Something is hard in January", ["date"]),
        ("Kim cried on 14/01/2026.", "Tests on January 14 are hard.", ["date"]),
        ("Kim cried on 2026-01-14.", "Every Wednesday is hard.", ["date"]),
        ("Kim cried on 14 January.", "The 15th of January is hard.", []),
        ("Kim cried on a Wednesday.", "January is hard.", []),
        ("Kim cried on 14/01/26.", "Every Wednesday is hard.", ["date"]),
        ("Kim cried on 14/01/00.", "Every Friday is hard.", ["date"]),
        ("Kim cried on 14.1.26.", "Tests on January 14 are hard.", ["date"]),
        ("Kim cried on 14/01/2026.", "Every Wednesday is hard.", ["date"]),
        ("Kim cried on 14/01/2026.", "Every Thursday is hard.", []),
        ("Kim cried on 25/12/2026.", "December 25 is hard.", ["date"]),
        ("Kim cried at 13/15/2026.", "Read 13/15/2026 again.", ["coverage", "number"]),
        ("Kim may cry.", "It may be hard to read.", []),
        ("Kim cried on 2026-05-14.", "On 14 may it was hard to read.", ["date", "number"]),
        ("Kim cried on 2026-05-14.", "On may 14 it was hard to read.", ["date", "number"]),
        ("Kim scored 37.", "Thirty-seven suffices.", ["number"]),
        ("Kim scored 37.", "Scores of 38 suffice.", []),
        ("Kim scored 17.", "Seventeen suffices.", ["number"]),
        ("Kim scored 10 or 19.", "Between ten and nineteen suffices.", ["number"]),
        ("Kim scored 16.", "Seventeen suffices.", []),
        ("Kim scored 20.", "Twenty suffices.", ["number"]),
        ("Kim scored 37.", "Thirty suffices.", []),
        ("Kim scored 0037.", "Thirty-seven suffices.", ["number"]),
        ("Call Kim: +1 (512) 555-0134", "Telephone 15125550134 helps others", ["contact"]),
        ("Kim's mother is dana@example.org", "Write to Dana@Example.org.", ["contact", "coverage"]),
        ("Kim cried.", "A pupil of mine wept.", ["individual"]),
        ("Kim cried.", "One of my pupils wept.", ["individual"]),
        ("Kim cried.", "One of our younger children wept.", ["individual"]),
        ("Kim cried.", "One of my worries is how few read.", []),
        ("They met at Zilker with everybody.", "Zilker has many hounds.", ["individual"]),
        ("Zilker was full of people.", "Many hounds live at Zilker.", ["individual"]),
        ("Spiders frighten Kim.", "Spiders often live in quiet corners.", []),
        ("Kim said that it was hard for them.", "Often readers find that it was hard to start.", []),
        ("Kim owns a broken kettle from home.", "Never drink out of a broken kettle from anybody.", ["shared-phrase"]),
        ("Everybody met there.", "Nobody else reads that slowly.", ["uniqueness"]),
        ("Everybody met there.", "The tallest girl reads slowly.", ["uniqueness"]),
    ],
)
def test_what_points_back_is_a_warning(source: str, text: str, checks: list[str]) -> None:
    assert list(generalization.check(text, [source], {}).checks) == checks


def test_a_word_that_begins_the_text_after_a_quotation_mark_is_no_name() -> None:
    assert generalization.check("“Walks help most old dogs a lot.”", ["“Walks do me good.”"], {}).safe
    assert generalization.check("They say Walks help most old dogs.", ["“Walks do me good.”"], {}).checks == (
        "individual",
    )


def test_each_warning_stands_where_its_check_does() -> None:
    found = generalization.check("Belle scored 0 on Zilker road.", ["At Zilker Kim scored 000."], BELLA)
    assert dict(zip(found.checks, found.warnings, strict=True)) == {
        "entity-name": "a word is close to the name 'Bella'",
        "individual": "it gives a name that its source gives: 'zilker'",
        "number": "it gives a number that its source gives: 0",
    }


@given(st.text(alphabet="Bellaé лB3@._* -", max_size=12), st.text(max_size=20))
def test_the_check_never_fails_and_answers_the_same(text: str, source: str) -> None:
    first = generalization.check(text, [source], BELLA)
    assert first == generalization.check(text, [source], BELLA)
    assert first.safe == (first.checks == ())


@given(st.text(alphabet="abc", min_size=1, max_size=5), st.text(alphabet="abc", min_size=1, max_size=5))
def test_a_slip_is_one_in_both_directions(word: str, other: str) -> None:
    assert is_one_slip_away(word, other) == is_one_slip_away(other, word)


def test_topics_have_no_names_to_hide() -> None:
    world = World(owner="si:ash", entities={"place:zilker": Entity(kind=Kind.TOPIC)})
    assert not principals.needs_consent(world, "place:zilker")


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [("", "Der Hund schläft. Herr Ab ", ""), ("", "l.", ""), ("", "a-", "@"), ("<", "a", ""), ("<", "林", ""),
     ("Ab", "\n", "1 Ab"), ("", "1", ""), ("", "李 ", ""), ("", "· ", "")],
)  # fmt: skip
def test_long_texts_take_linear_time(start: str, piece: str, end: str) -> None:
    def cost(times: int) -> float:
        text = start + piece * times + end
        began = process_time()
        generalization.check(text, [text], {"human:x1": ["Ann Bo", "李伟"]})
        return process_time() - began

    short, long = cost(1_000), cost(16_000)
    assert long < max(short, 0.01) * 16 * 4  # what takes quadratic time takes 256 times as long


@pytest.mark.parametrize(
    "text",
    [
        "One dog I care for is afraid of thunder.",
        "A dog in our street bites the postman.",
        "A neighbour of mine drinks in the mornings.",
        "Somebody at my work is looking for another job.",
        "One of my colleagues hides her pregnancy.",
        "A friend of ours lost his licence last year.",
        "A certain teacher at the school shouts at children.",
        "Someone I know takes pills to sleep.",
        "The woman upstairs cries at night.",
        "A child in my class cannot read yet.",
        "One patient I saw this week refuses to eat.",
        "My landlord never declares the rent.",
        "An old man on our stairs forgets his own name.",
        "Our cleaner has no papers.",
        "A cousin of my wife owes money to everybody.",
        "A boy whom I teach is beaten at home.",
        "The couple next door are getting divorced.",
        "Another parent in our group is in debt.",
        "A client of ours failed his audit.",
        "One person in my team cannot stand the boss.",
        "A colleague at our office lost his badge twice.",
        "One of the children in my class steals.",
        "The guy opposite plays drums at night.",
        "A horse we look after kicks.",
        "This teenager in my building smokes.",
        "Our nanny is pregnant.",
        "My flatmate never pays.",
        "A dog that I walk eats stones.",
        "Someone in our choir cannot sing.",
        "A relative of mine is ill.",
    ],
)
def test_whoever_lives_or_works_near_is_one_of_them(text: str) -> None:
    found = generalization.check(text, ["Kim cried."], {})
    assert (found.verdict, found.checks) == ("warn", ("individual",))


@pytest.mark.parametrize(
    "text",
    [
        "Dogs that are afraid of thunder settle in a dark room.",
        "A dog needs water in hot weather.",
        "One should ask before one touches a dog.",
        "A neighbour who hears the alarm can call for help.",
        "People who sleep badly remember less.",
        "A child learns to read by being read to.",
        "Someone who is afraid needs time.",
        "A good teacher waits for the answer.",
        "One test is worth more than three opinions.",
        "A friend listens before he answers.",
        "The best way to calm a horse is to breathe slowly.",
        "Patients who are told the reason take their medicine more often.",
        "A guest who feels welcome comes again.",
        "Some people in pain say nothing.",
        "A member of a choir listens first.",
        "The nurse on duty decides.",
        "A parent who listens is told more.",
        "One dog per walker is enough.",
        "A coach asks more than he tells.",
        "Someone on call answers within an hour.",
        "A supplier in another country needs more time.",
        "The house opposite a school should keep its cars out of the way.",
        "A child of two cannot wait.",
        "Another visitor may see it differently.",
    ],
)
def test_what_is_said_of_anybody_is_safe(text: str) -> None:
    assert generalization.check(text, ["Kim cried."], {}).safe
