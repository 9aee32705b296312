"""A suggestion states what all its members say: the words they share, and a range or a list where they differ."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.common import details, in_common, repeats, says_details
from memstore.beliefs.consolidate import consolidate
from tests.beliefs.test_consolidate import alone, episode, memory, vault

STATED = [
    (
        ("Ran twelve kilometres along the river before breakfast.", "Ran three kilometres along the river.",
         "Ran five kilometres through the park at dusk.", "Ran eight kilometres along the canal."),
        "Ran three to twelve kilometres.", ("three to twelve",),
    ),
    (
        ("Deployed the shop to staging in two minutes.", "Deployed the shop to staging in nine minutes.",
         "Deployed the shop to staging in 4 minutes."),
        "Deployed the shop to staging in two to nine minutes.", ("two to nine",),
    ),
    (
        ("On Monday the build broke on a stale cache.", "On Friday the build broke on a stale cache.",
         "On Tuesday the build broke again on a stale cache."),
        "On Friday, Monday or Tuesday the build broke on a stale cache.", ("Friday, Monday or Tuesday",),
    ),
    (
        ("The kiln tripped the fuse.", "The kiln tripped the fuse again.", "The kiln tripped the fuse in the rain."),
        "The kiln tripped the fuse.", (),
    ),
]  # fmt: skip
# Four events each, in the words of people: some have a pattern, in most at least two say something else.
EVENTS = {
    "Watered the tomatoes with ten litres from the barrel. | Watered the tomatoes with 15 litres from the barrel. | "
    "Watered the beans with ten litres from the tap. | Watered the tomatoes with eight litres from the barrel.":
        "Watered the tomatoes with eight to 15 litres from the barrel.",
    "The mail server ran out of disk space at 3:10 at night. | The mail server ran out of disk space at 4:25 at night. "
    "| The web server ran out of memory at noon. | The mail server ran out of disk space at 2:50 at night.":
        "The mail server ran out of disk space at 2:50 to 4:25 at night.",
    "Deployed version 4.2.1 to production on the first try. | Deployed version 4.3.0 to production on the second try. "
    "| Deployed version 4.3.2 to staging on the first try. | Deployed version 5.0.0 to production after rolling back.":
        "Deployed version 4.2.1, 4.3.0 or 5.0.0 to production.",
    "The cat brought a mouse into the kitchen. | The cat brought a vole into the kitchen. | "
    "The cat brought a sparrow into the bedroom. | The neighbour's cat brought a mouse into the kitchen.": "",
    "The fire alarm in the east wing went off during the drill. | The fire alarm in the east wing did not go off "
    "during the drill. | The fire alarm in the east wing went off during the drill, late. | "
    "The fire alarm in the west wing never went off during the drill.": "",
    "Took the blood pressure pill with breakfast. | Forgot the blood pressure pill at breakfast. | "
    "Took the blood pressure pill without breakfast. | Took half the blood pressure pill with breakfast.": "",
    "The parcel to Lyon weighed 2 kg and cost 12 euros. | The parcel to Lyon weighed 900 g and cost 9 euros. | "
    "The parcel to Lyon weighed 5 pounds and cost 14 dollars. | The parcel to Lyon weighed 3 kg and cost 13 euros.": "",
    "Almost dropped the milk churn on the stairs. | Dropped the milk churn on the stairs. | "
    "Nearly dropped the milk churn on the stairs again. | Dropped the milk churn on the ramp.": "",
    "Hiked up the Säntis with Jonas in five hours. | Will hike up the Säntis with Jonas in spring. | "
    "Wanted to hike up the Säntis with Jonas but it rained. | Hiked up the Säntis with Lea in six hours.": "",
    "All pupils passed the maths exam in class 7b. | Most pupils passed the maths exam in class 7b. | "
    "No pupil passed the maths exam in class 7a. | Half of the pupils passed the maths exam in class 7b.": "",
    "Only Marta signed the delivery note at gate two. | Marta and Paul signed the delivery note at gate two. | "
    "Paul signed the delivery note at gate two. | Neither Marta nor Paul signed the delivery note at gate two.": "",
    "Slept nine hours, woke once, felt rested. | Slept 5.5 hours, woke three times, felt tired. | "
    "Slept seven hours, never woke, felt rested. | Slept 6 hours, woke twice, felt tired.": "",
}  # fmt: skip
UNLIKE = [
    ("The dog ate the bread.", "The dog saw the bread."),
    ("I slept badly after coffee.", "I did not sleep badly after coffee."),
    ("The ferry was late by an hour.", "Painted the kitchen ceiling."),
    ("Sold 3 jars of honey.", "Sold jars of honey."),
]
FAMILIES = (
    ("Walked to the mill in {} minutes.", "14", "17", "twenty", "25"),
    ("Watered the tomatoes with {} litres.", "3", "5", "eight", "nine"),
    ("The tram to the harbour was late by {} minutes.", "four", "11", "19", "six"),
    ("{} borrowed the ladder and returned it wet.", "Anna", "Tom", "Zoe", "Ilse"),
    ("The heating in room {} rattled all night.", "12", "14", "21", "30"),
)


@pytest.mark.parametrize(
    ("said", "text", "differing"), STATED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_all_say_is_stated_whatever_their_order(
    said: tuple[str, ...], text: str, differing: tuple[str, ...]
) -> None:
    for first, *others in permutations(said):
        found = in_common([first, *others])
        assert found is not None
        assert (found.text, found.differing) == (text, differing)
        assert found.of == tuple(range(len(said)))


@pytest.mark.parametrize("said", UNLIKE)
def test_what_is_unlike_in_verb_sense_or_number_has_nothing_in_common(said: tuple[str, str]) -> None:
    assert in_common(said) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna fed the black dog before dinner, as usual.", True),
        ("Before dinner Anna fed the black dog.", False),  # a name, and another order
        ("Anna fed the black dog after dinner.", False),
        ("Anna almost fed the black dog before dinner.", False),
        ("Anna fed the white dog before dinner.", False),
        ("Anna did not feed the black dog before dinner.", False),
        ("Did Anna feed the black dog before dinner?", None),
        ("The black dog slept.", None),
    ],
)
def test_who_says_it_in_much_the_same_words_has_all_of_them_and_none_that_turns_them(
    text: str,
    told: bool | None,  # noqa: FBT001
) -> None:
    assert repeats("Then Anna fed the black dog before dinner.", f"Then {text}") is told


@given(st.lists(st.sampled_from([one for said, _, _ in STATED for one in said] + [*sum(UNLIKE, ())]), min_size=1))
def test_nothing_is_stated_that_one_of_them_does_not_say(said: list[str]) -> None:
    found = in_common(said)
    if found is None:
        return
    text = found.text
    for each in found.differing:
        text = text.replace(each, "", 1)
    assert 0 in found.of
    assert all(says_details(text, said[at]) for at in found.of)


@pytest.mark.parametrize("seed", range(3))
def test_of_events_that_differ_only_what_all_members_say_is_suggested(seed: int) -> None:
    said = [(at, text) for at, family in enumerate(EVENTS) for text in family.split(" | ")]
    ids = Random(seed).sample(range(10**6), len(said))  # noqa: S311 - ids, not keys
    days = (f'"2025-{at % 4 * 2 + 1:02}-{family * 2 + 1:02}T10:00:00Z"' for at, (family, _) in enumerate(said))
    events = (episode(f"e{i}", text, created_at=day) for i, (_, text), day in zip(ids, said, days, strict=True))
    found = consolidate(vault(dict(events)).view()).suggestions
    assert sorted(one.proposal.text for one in found) == sorted(filter(None, EVENTS.values()))


# Three or four events each, told with a reason, a place or something else that only one of them has.
ADDING = {
    "The printer jammed since the tray was overfull. | The printer jammed again on the second page. | "
    "The printer jammed in the middle of the report.": "The printer jammed.",
    "Slept badly after coffee at nine. | Slept badly again, woke at four. | Slept badly and dozed at noon.":
        "Slept badly.",
    "The lift broke down on Monday. | The lift broke down again on Thursday. | The lift broke down again, third time "
    "this month.": "The lift broke down.",
    "Minou was sick after the tinned food. | Minou was sick after tinned food again. | After the tinned food Minou was "
    "sick again.": "Minou was sick after the tinned food.",
    "Bella barked at the postman. | Bella barked at the postman again. | Bella never barked at the postman this week. "
    "| Bella barked at the postman and the milkman.": "Bella barked at the postman.",
    "The oven burned the bread. | The oven burned the bread again. | The oven did not burn the bread this time.": "",
    "Deploy failed on a stale cache. | Deploy failed again, stale cache. | Bought a cache of coins at the market.": "",
}  # fmt: skip


def test_what_only_one_of_them_adds_is_not_suggested_and_who_denies_it_is_no_evidence() -> None:
    said = [(family, text) for family in ADDING for text in family.split(" | ")]
    events = dict(
        episode(f"e{at}", text, created_at=f'"2025-03-{at + 1:02}T10:00:00Z"') for at, (_, text) in enumerate(said)
    )
    found = [one.proposal for one in consolidate(vault(events, alone(18)).view()).suggestions]
    assert sorted(one.text for one in found) == sorted(filter(None, ADDING.values()))
    assert not any("never" in member.text for one in found for member in (*one.members, *one.against))


def test_numbers_times_and_names_are_details_and_the_first_word_is_none() -> None:
    assert details("Anna met Tom at 7:40 with five friends. They left.") == {"tom", "7.40", "5"}
    assert details("One of them left zone12 with 5km to go.") == {"zone12", "5km"}
    assert details("One of them left.") == frozenset()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
def test_a_suggestion_states_what_its_members_share_and_cites_each(family: tuple[str, ...]) -> None:
    template, *values = family
    texts = []
    for ids in ("abcd", "dcba"):
        part = dict(episode(name, template.format(value)) for name, value in zip(ids, values, strict=True))
        ws = vault(alone(20), part)
        (one,) = consolidate(ws.view(), apply=True).suggestions
        body = memory(ws, one.ref).body
        assert "Stated by 4 of 4: 4 memories from 4 independent roots. They differ in *" in body
        assert body.count("#L9@") == len(values)
        texts.append(one.title)
    assert texts[0] == texts[1]
    stated, _, _ = template.partition("{}")
    assert stated in texts[0]
