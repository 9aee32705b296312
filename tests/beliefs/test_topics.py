"""Topics: families of words, names, and what holds for any memories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.consolidate import side_of
from memstore.beliefs.consolidation import Pattern, Polarity, by_themselves, by_topics, in_time, of_topic, proposals
from memstore.beliefs.likeness import Likeness
from memstore.beliefs.pooled import Pooled
from memstore.beliefs.topics import Signs, circumstances, shared_signs, signs_of
from memstore.beliefs.wording import content_terms
from memstore.core.memory import Memory
from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

BAKING = (
    "Croissant in the staff room, and an hour later the rash on my arms was back.",
    "Two slices of baguette at Anouk's, and by night I itched all over.",
    "A bagel on the train; hives before Lyon.",
)
# Subjects of their own, in no family.
WORDS = (
    "lift oar slide pebble banner ladder compass anchor ribbon turnstile brochure lattice marble thimble pulley "
    "stencil trellis hinge gasket valve plinth cobble gravel tassel"
)
OTHERS = tuple(f"The {word} is where it was." for word in WORDS.split())
# One word in three senses.
CRANES = (
    "A crane stood in the reeds and did not move.",
    "The crane on the building site works through the night.",
    "Folded a crane of gold paper for the window.",
)


def pooled(name: str, text: str, root: str = "") -> Pooled:
    memory = Memory(type="episode", id=f"m_{name}", body=text)
    return Pooled(memory=memory, text=text, terms=tuple(content_terms(text)), roots=(root or f"episode:m_{name}",))


def notes(*texts: str) -> list[Pooled]:
    return [pooled(f"{at:02d}", text) for at, text in enumerate(texts)]


def likeness(part: Sequence[Pooled]) -> Likeness:
    return Likeness({one.ref: None for one in part}, shared=Signs(part).shared())


def patterns(part: Sequence[Pooled]) -> list[Pattern]:
    return [*by_topics(part, Signs(part), likeness(part))]


def together(part: Sequence[Pooled]) -> list[list[str]]:
    return [[member.text for member in pattern.members] for pattern in patterns(part)]


def test_other_words_of_one_family_are_one_topic() -> None:
    part = notes(*BAKING, *OTHERS)
    (pattern,) = patterns(part)
    assert {member.text for member in pattern.members} == set(BAKING)
    assert pattern.topic is not None
    assert {"bread", "rash"} & set(pattern.topic.split(", "))
    assert pattern.quote in BAKING


def test_one_word_of_several_senses_brings_nothing_together() -> None:
    assert together(notes(*CRANES, *OTHERS)) == []


def test_what_only_tells_when_or_by_what_means_is_no_topic() -> None:
    assert "@phone" in circumstances()
    assert together(notes("Ruth phoned.", "The phone was dead.", "No voicemail from the bank.", *OTHERS)) == []


def test_a_name_with_something_else_is_a_topic_and_a_name_alone_is_none() -> None:
    visits = (
        "Met Ostrander at the ferry, he limped.",
        "Ferry at noon, and Ostrander with a stick.",
        "Ostrander's knee.",
    )
    assert together(notes(*visits, *OTHERS)) == [list(visits)]
    alone = ("Lunch with Ostrander.", "A lamp, said Ostrander.", "Ostrander counted coins.")
    assert together(notes(*alone, *OTHERS)) == []


def test_one_subject_is_no_topic() -> None:
    wares = ("The choir sang under the bridge.", "Choir, and Ruth with a cold.", "Sang until the candles were gone.")
    assert together(notes(*wares, *OTHERS)) == []


def test_two_subjects_that_meet_are_a_topic() -> None:
    hats = (
        "The terrier went for the postman's cap.",
        "A man in a helmet rang, and how she barked.",
        "Growling at the window: a scarecrow with a bonnet.",
    )
    (pattern,) = patterns(notes(*hats, *OTHERS))
    assert {member.text for member in pattern.members} == set(hats)
    assert pattern.topic == "dog, hat"
    apart = ("The terrier slept.", "She barked at nothing.", "Growling again.", "A cap.", "My helmet.", "One bonnet.")
    assert patterns(notes(*apart, *OTHERS)) == []


def test_one_word_of_two_subjects_is_not_both() -> None:
    jams = ("Jam.", "Jam again.", "No jam.")  # what is on the bread, or in the printer
    assert patterns(notes(*jams, *OTHERS)) == []


def test_memories_share_what_both_speak_of_and_the_rarer_the_more() -> None:
    part = notes("The terrier barked at a cap.", "A puppy ate my bonnet.", "A puppy.", *OTHERS)
    shared = Signs(part).shared()
    first, second, third = (one.ref for one in part[:3])
    assert shared[first][second] == shared[second][first] > shared[first][third] > 0
    assert part[3].ref not in shared.get(first, {})


def test_two_patterns_do_not_quote_one_sentence() -> None:
    both = "The terrier barked at a cap in the rain."
    part = notes(both, "He barked at a bonnet.", "He growled at a helmet.", *OTHERS)
    signs = Signs(part)
    assert of_topic(part[:3], signs, likeness(part)) is not None
    assert of_topic(part[:3], signs, likeness(part), [both]) is None  # nothing else stands alone


def test_what_happened_on_different_days_is_no_contradiction() -> None:
    part = notes(
        "The tomatoes had split by noon, all of them.",
        "No tomatoes had split by noon after the watering.",
        "Again the tomatoes had split by noon, all of them.",
        "The tomatoes had split by noon in the heat, all of them.",
    )
    assert side_of(part[0].text, part[1].text) is Polarity.OPPOSED
    pattern = Pattern(members=tuple(part), general=part[0], terms=("tomato",), quote=part[0].text, topic="vegetable")
    (proposal,) = proposals([pattern], [], {}, 0.2, side_of)
    assert proposal.members == (part[0], part[2], part[3])
    assert proposal.against == ()


def test_a_family_and_its_word_count_as_one_sign() -> None:
    one, other = "An espresso for Ruth.", "Ruth's espresso was cold."
    assert shared_signs(signs_of(one, content_terms(one)), signs_of(other, content_terms(other))) == 2


def test_turns_of_one_conversation_do_not_stand_alone() -> None:
    part = [pooled("a", BAKING[0], "session:1"), pooled("b", BAKING[1], "session:1"), pooled("c", BAKING[2])]
    assert [one.ref for one in by_themselves(part)] == ["episode:m_c"]


@given(st.permutations(range(len(BAKING + CRANES + OTHERS))))
def test_ids_that_chance_gives_change_nothing(order: list[int]) -> None:
    part = notes(*BAKING, *CRANES, *OTHERS)
    renamed = [replace(one, memory=replace(one.memory, id=f"m_{at:02}")) for at, one in zip(order, part, strict=True)]
    assert _texts(renamed) == _texts(part)


def _texts(part: Sequence[Pooled]) -> list[set[str]]:
    text = {one.ref: one.text for one in part}
    return [{text[ref] for ref in group} for group in likeness(sorted(part, key=in_time)).groups()]


def test_no_word_is_in_two_families() -> None:
    lists = word_lists("beliefs")
    words = [word for line in f"{lists['families']}{lists['circumstances']}".splitlines() for word in line.split()]
    assert sorted(words) == sorted(set(words))
