"""What two sentences say of whoever speaks: it is compared like what is said of somebody with a name."""

from __future__ import annotations

import pytest

from memstore.conflicts.compare import conflicts
from memstore.conflicts.contradiction import CONFLICTS, compare
from memstore.conflicts.statements import in_third_person
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

EXCLUDED = (
    ("I am vegan.", "I grilled a steak for my dinner yesterday."),
    ("I don't drive.", "On Sunday I drove to Wales."),
    ("I have never been to Iceland.", "Last year I spent a week in Iceland."),
    ("I can’t swim.", "I swam across the lake this morning."),
    ("I don't own a bicycle.", "My bicycle needs new tyres."),
    ("I'm single.", "My wife called from the station."),
    ("I've stopped eating sugar.", "I ate a bar of chocolate on the way."),
    ("I get up at six.", "I get up at eight."),
    ("We have no pets.", "Our dog sleeps in the kitchen."),
    ("We never eat meat.", "We had a roast lamb on Sunday."),
    ("We don't own a car.", "Our car needs new tyres."),
    ("We've never been to Spain.", "We spent a week in Spain last year."),
    ("We only accept cash.", "We take cards."),
)
BOTH_ARE_RIGHT = (
    ("I am vegan.", "My sister grilled a steak for her dinner."),
    ("I am vegan.", "We grilled a steak for the guests."),
    ("I don't drive.", "Tom drove to Wales."),
    ("I don't drive at night.", "I drove to Wales this morning."),
    ("I can't find my keys.", "My keys hang by the door."),
    ("I have a brother.", "I have a sister."),
    ("I like tea.", "I like coffee."),
    ("I have never seen a whale.", "I saw a seal."),
    ("I don't eat breakfast.", "I eat lunch at noon."),
    ("My bedroom has two windows.", "I cleaned the window."),
    ("I walked lane 3 with my dog.", "I walked lane 4 with my dog."),
    ("I ate two apples.", "I ate three apples."),
    ("I am here for you.", "I'm down for a walk."),
    ("It's the oven, it knocks me out.", "My father knocks off at two."),
    ('"I never touch sugar," said the man on the poster.', "I bought two kilos of sugar for the jam."),
    ("The butcher told me that “I eat no meat” is a fad.", "I had a steak."),
)
IN_THIRD_PERSON = {
    "I'm late.": "Ego is late.",
    "Today I have my own key.": "Today Ego has Ego's own key.",
    "We haven't sold our boat.": "Nos has not sold Nos's boat.",
    "- We flew to the US.": "- Nos flew to the US.",
    "I was down the mine.": "Ego was down the mine.",
    "My keys are gone.": "Ego's keys are gone.",
    "She gave it to me.": None,
    "Tom said that it would rain and I laughed.": None,
    "'I don't' is all I heard.": None,
}


@pytest.mark.parametrize(("one", "other"), EXCLUDED)
def test_what_can_not_be_so_of_one_speaker(one: str, other: str) -> None:
    assert compare(one, other).verdict in CONFLICTS
    assert compare(other, one).verdict in CONFLICTS
    assert compare(one, other, same_speaker=False).verdict not in CONFLICTS


@pytest.mark.parametrize(("one", "other"), BOTH_ARE_RIGHT)
def test_both_may_be_right(one: str, other: str) -> None:
    assert compare(one, other).verdict not in CONFLICTS
    assert compare(other, one).verdict not in CONFLICTS


@pytest.mark.parametrize(("told", "by_others"), IN_THIRD_PERSON.items())
def test_told_by_others(told: str, by_others: str | None) -> None:
    assert in_third_person(told) == by_others


def test_what_a_speaker_is_finds_what_speaks_against_it_among_many_memories() -> None:
    many = {f"{n}.md": memory_text(f"I walked lane {n} with my dog.\n", id=f"m_{n}") for n in range(60)}
    ours = memory_text("We served a steak to our guests.\n", id="m_ours")
    ws = memory_workspace(
        {
            **many,
            "ours.md": ours,
            "steak.md": memory_text("I grilled a steak yesterday.\n", id="m_steak"),
            "vegan.md": memory_text("I am vegan.\n", id="m_vegan"),
        }
    )

    assert [sorted(found.refs) for found in conflicts(ws.view())] == [["note:m_steak", "note:m_vegan"]]


def test_memories_without_ids_may_be_in_conflict() -> None:
    ws = memory_workspace(
        {"a.md": b"---\ntype: note\n---\nSean likes tea.\n", "b.md": b"---\ntype: note\n---\nSean dislikes tea.\n"}
    )

    assert [found.refs for found in conflicts(ws.view())] == [("a.md", "b.md")]


@pytest.mark.parametrize(
    ("mine", "theirs", "are_in_conflict"),
    [
        (None, None, True),
        ("human:sean", None, True),
        ("human:sean", "human:sean", True),
        ("human:sean", "si:ash", False),
    ],
)
def test_whoever_names_no_author_may_be_the_same(mine: str | None, theirs: str | None, are_in_conflict: bool) -> None:  # noqa: FBT001
    said = (("I don't drive.\n", "m_not", mine), ("I drive a van.\n", "m_van", theirs))
    made = [memory_text(text, id=one, **({"author": author} if author else {})) for text, one, author in said]
    ws = memory_workspace({f"{at}.md": text for at, text in enumerate(made)})

    assert bool(conflicts(ws.view())) is are_in_conflict


@pytest.mark.parametrize(("theirs", "are_in_conflict"), [("external", False), ("direct_experience", True)])
def test_a_page_from_outside_speaks_of_somebody_else(theirs: str, are_in_conflict: bool) -> None:  # noqa: FBT001
    mine = memory_text("I don't drive.\n", id="m_not", author="human:sean")
    page = memory_text("I drive a van.\n", id="m_van", source_type=theirs)
    ws = memory_workspace({"mine.md": mine, "page.md": page})

    assert bool(conflicts(ws.view())) is are_in_conflict
