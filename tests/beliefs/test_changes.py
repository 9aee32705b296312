"""Changes: values that take another's place, and what is said outright."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.changes import Change, changes
from memstore.beliefs.consolidation import Action, superseding
from memstore.beliefs.likeness import Likeness
from memstore.beliefs.pooled import Pooled
from memstore.beliefs.topics import Signs
from memstore.beliefs.wording import content_terms, says_outright
from memstore.core.memory import Memory
from memstore.search.meaning import Dense

if TYPE_CHECKING:
    from collections.abc import Mapping

FILLER = (
    "The lift sticks between two floors.", "A parrot swore at the postman.", "Sent the slides to Ruth.",
    "Quiet afternoon, all windows open.", "The chess club elected nobody.", "Varnished the oars.",
    "A heron on the roof.", "Soup for nine.", "Lost a glove.", "The clock struck thirteen.", "Fog until noon.",
    "Counted the spoons.", "A wasp in the jam.", "The bell rope frayed.", "Ironed two shirts.", "Slept badly.",
)  # fmt: skip
RENT = (
    "Rent for the kiln shed: 240, paid in coins.", "Landlady took 240 for the shed.", "Shed rent, 240, as ever.",
    "The shed is 275 since the roof was done.", "Rent went out: 275 for the shed.",
)  # fmt: skip
SUPPLIER = (
    "Fetched glaze from Orsini.", "Orsini had no blue glaze.", "A crate of glaze came from Wexley.",
    "Wexley's glaze runs less.",
)  # fmt: skip
PARKING = (
    "Parked the van by the chapel.", "The van got a scratch by the chapel wall.",
    "From now on the van stands in the yard.", "Found the van in the yard under leaves.",
)  # fmt: skip


def notes(*texts: str, on_one_day: bool = False) -> list[Pooled]:
    made = []
    for at, text in enumerate(texts):
        day = 1 if on_one_day else at + 1
        memory = Memory(type="episode", id=f"m_{at:02d}", body=text, created_at=f"2026-03-{day:02d}T{at:02d}:00:00Z")
        ref = f"episode:m_{at:02d}"
        made.append(Pooled(memory=memory, text=text, terms=tuple(content_terms(text)), roots=(ref,)))
    return made


def found(part: list[Pooled], vectors: Mapping[str, Dense] | None = None) -> list[Change]:
    signs = Signs(part)
    days = {one.ref: int((one.memory.created_at or "")[8:10]) for one in part}
    return changes(part, signs, Likeness(days, vectors or {}, signs.shared(of_word=1)))


def sides(change: Change) -> tuple[list[str], list[str]]:
    return [one.text for one in change.before], [one.text for one in change.after]


def test_a_number_takes_anothers_place() -> None:
    (change,) = found(notes(*FILLER[:3], *RENT, *FILLER[3:]))
    assert sides(change) == (list(RENT[:3]), list(RENT[3:]))
    assert "240" in change.once.text
    assert "275" in change.since.text


def test_a_name_takes_anothers_place() -> None:
    (change,) = found(notes(*SUPPLIER, *FILLER))
    assert sides(change) == (list(SUPPLIER[:2]), list(SUPPLIER[2:]))
    assert change.sign == "glaze"


def test_what_is_said_outright_is_a_change_of_what_earlier_ones_speak_of() -> None:
    (change,) = found(notes(*FILLER[:2], *PARKING, *FILLER[2:]))
    assert sides(change) == (list(PARKING[:2]), list(PARKING[2:]))
    assert change.since.text == PARKING[2]


def test_a_value_that_comes_back_took_nobodys_place() -> None:
    assert found(notes(*RENT[:4], "Shed rent, 240 again.", RENT[4], *FILLER)) == []


def test_values_of_one_day_are_no_change() -> None:
    assert found(notes(*RENT, on_one_day=True)) == []


def test_a_value_that_was_told_once_is_no_change() -> None:
    assert found(notes(*RENT[:3], RENT[4], *FILLER)) == []


def test_numbers_of_other_things_are_no_change() -> None:
    texts = ("Paid 240 for oars.", "The chess set cost 240.", "The parrot costs 275.", "Ruth's slides: 275 of them.")
    assert found(notes(*texts, *FILLER)) == []


def test_in_a_long_text_only_what_stands_beside_a_value_counts() -> None:
    more = "The parrot swore at the postman and at Ruth. " * 5

    def apart(number: int, thing: str) -> str:
        return f"The shed needs a coat of paint. {more}The {thing}: {number}."

    assert found(notes(apart(240, "oar"), apart(240, "kiln"), apart(275, "anchor"), apart(275, "stool"), *FILLER)) == []

    def beside(number: int) -> str:
        return f"The rent of the shed is {number}. {more}"

    (change,) = found(notes(beside(240), beside(240), beside(275), beside(275), *FILLER))
    assert "275" in change.since.text


def test_both_sides_are_quoted_and_the_later_one_is_suggested() -> None:
    (change,) = found(notes(*PARKING, *FILLER))
    proposal = superseding(change)
    assert (proposal.action, proposal.target, proposal.quote) == (Action.SUPERSEDE, None, PARKING[2])
    assert proposal.once is not None
    assert proposal.once.text in PARKING[:2]
    assert set(proposal.counted) <= set(proposal.members)


@pytest.mark.parametrize(
    "texts",
    [
        (
            "The yoga class met at half past six, mats in a ring.", "Yoga at 6.30, and Ruth was late for class.",
            "Half past seven, yoga class, new teacher.", "Yoga class at 7.30 with a cold nose.",
        ),
        (
            "The bins were full on Tuesday.", "Bins, Tuesdays, as ever.",
            "Friday: two bins out before dawn.", "On Fridays the bins wake the street.",
        ),
        (
            "Visited Uncle Otto on Sunday.", "Sundays with Otto, radishes and all.",
            "The Sundays are gone; I visit Otto on Wednesdays now.", "Otto won at cards on Wednesday.",
        ),
        (
            "Cycled to the mill in the rain.", "New tyre on the bike, and off to the mill.",
            "Sold the bike. From today I take the tram to the mill.", "The tram to the mill was empty.",
        ),
    ],
)  # fmt: skip
def test_times_of_day_weekdays_and_what_stands_in_another_sentence_change(texts: tuple[str, ...]) -> None:
    (change,) = found(notes(*texts, *FILLER))
    assert sides(change) == (list(texts[:2]), list(texts[2:]))


def test_who_holds_an_office_now_is_a_change() -> None:
    texts = ("Hedda runs the ward with a whistle.", "Asked Hedda for a day off.")
    (change,) = found(notes(*texts, "Hedda has gone to the clinic. Joost is the head of the ward now.", *FILLER))
    assert [one.text for one in change.before] == list(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("Went round by the weir instead of Mill Lane.", "Chain off in Mill Lane.", "Mill Lane threw the chain."),
        ("Four boots by the stove.", "Four black boots.", "Boots for 400, black.", "400 boots in a black crate."),
        ("Ruth snapped at Orsini.", "Orsini has a name for that.", "Wexley's string snapped.", "A name for Wexley."),
    ],
)
def test_what_only_looks_like_a_change_is_none(texts: tuple[str, ...]) -> None:
    assert found(notes(*texts, *FILLER)) == []


def vectors(*near: int, of: int) -> dict[str, Dense]:
    """Return vectors of so many memories, of which some are alike and all others unlike."""
    made = {}
    for at in range(of):
        numbers = [0.0] * (of + 1)
        numbers[at], numbers[of] = (0.6, 0.8) if at in near else (1.0, 0.0)
        made[f"episode:m_{at:02d}"] = Dense(numbers)
    return made


def test_by_meaning_a_change_needs_no_common_word() -> None:
    sugar = ("Two lumps for me, as since I was six.", "A punishment when nobody sweetens.")
    part = notes(*sugar, "The dentist has spoken: no more sugar in my tea.", *FILLER)
    assert found(part) == []
    (change,) = found(part, vectors(0, 1, 2, of=len(part)))
    assert sides(change) == (list(sugar), [part[2].text])
    assert change.once.text in sugar


@pytest.mark.parametrize(
    ("text", "outright"),
    [
        ("I no longer take sugar.", True),
        ("From this month on the fee is 95.", True),
        ("We don't meet at the pier any more.", True),
        ("I was wrong about Ostrander.", True),
        ("I'VE SWITCHED to the night bus.", True),
        ("Joost is our charge nurse now.", True),
        ("From Monday on, sorting begins at six.", True),
        ("I've started bringing bread in a tin.", True),
        ("A trout, my first in nineteen years.", True),
        ("A retired midwife lives there, and resigned to it.", False),
        ("He is late by now and then some.", False),
        ("Any more cake?", False),
        ("The longer route is nicer.", False),
        ("Don't quit.", False),
    ],
)
def test_what_says_a_change_outright(text: str, outright: bool) -> None:  # noqa: FBT001
    assert says_outright(text) is outright


@given(st.permutations(range(len(RENT))))
def test_no_memory_is_on_two_sides_and_the_sides_follow_one_another(order: list[int]) -> None:
    for change in found(notes(*(RENT[at] for at in order), *FILLER)):
        before, after = ({one.ref for one in side} for side in (change.before, change.after))
        assert not before & after
        newest = max(one.memory.created_at or "" for one in change.before)
        assert newest < min(one.memory.created_at or "" for one in change.after)


@given(st.permutations(notes(*RENT, *SUPPLIER, *FILLER)))
def test_the_order_of_memories_changes_nothing(part: list[Pooled]) -> None:
    assert found(part) == found(sorted(part, key=lambda one: one.ref))
