"""A suggestion states what all its members say: the words they share, and a range or a list where they differ."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.common import details, in_common, says_details
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
