"""Patterns and what they suggest: gates, partitions, sides, what was suggested before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.clustering import Weights
from memstore.beliefs.consolidation import (
    Action,
    ConsolidationProposal,
    Earlier,
    KnownBelief,
    Pattern,
    Polarity,
    depth_of,
    is_news,
    partitions,
    patterns,
    proposals,
    shared_terms,
    spoken_for,
)
from memstore.beliefs.pooled import Pooled
from memstore.beliefs.wording import content_terms
from memstore.core.memory import LedgerLine, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WALKS = ("Slow walks in the heat", "The heat made walks slow", "A slow walk, the heat", "Heat: slow walks")


def pooled(name: str, text: str, *, root: str = "", depth: int = 0, **keys: Any) -> Pooled:
    memory = Memory(type="episode", id=f"m_{name}", body=text, **keys)
    terms = tuple(content_terms(text))
    return Pooled(memory=memory, text=text, terms=terms, roots=(root or f"session:{name}",), depth=depth)


def held(text: str, **keys: Any) -> KnownBelief:
    memory = Memory(type="belief", id="m_belief", body=text, confidence=0.8, **keys)
    return KnownBelief(memory=memory, text=text, terms=tuple(content_terms(text)))


def some(*texts: str, **keys: Any) -> list[Pooled]:
    return [pooled(f"e{i}", text, **keys) for i, text in enumerate(texts)]


def found(part: Sequence[Pooled], *beliefs: KnownBelief) -> tuple[list[Pattern], dict[str, dict[str, float]]]:
    weights = Weights([one.terms for one in part])
    vectors = {one.ref: weights.vector(one.terms) for one in part}
    vectors |= {str(one.memory.ref): weights.vector(one.terms) for one in beliefs}
    return patterns(part, vectors, 0.2), vectors


def suggested(
    part: Sequence[Pooled], *beliefs: KnownBelief, compare: Callable[[str, str], Polarity | None] = lambda *_: None
) -> list[ConsolidationProposal]:
    patterns_found, vectors = found(part, *beliefs)
    return proposals(patterns_found, beliefs, vectors, 0.2, compare)


def opposed_by_never(said: str, other: str) -> Polarity:
    return Polarity.SAME if ("never" in said.lower()) == ("never" in other.lower()) else Polarity.OPPOSED


# -- gates ---------------------------------------------------------------------------------------


def test_three_memories_of_three_origins_are_a_pattern() -> None:
    (pattern,), _ = found(some(*WALKS[:3]))
    assert [member.ref for member in pattern.members] == ["episode:m_e0", "episode:m_e1", "episode:m_e2"]
    assert set(pattern.terms) == {"heat", "slow", "walk"}


@pytest.mark.parametrize(
    "part",
    [
        some(*WALKS[:2]),
        some(*WALKS, root="session:one"),
        [*some(*WALKS[:2]), pooled("e9", WALKS[2], root="session:e0")],
        [*some(*WALKS[:2]), pooled("e9", WALKS[2], depth=2)],
        some("Heat of one lamp", "Heat of that kettle", "Heat of our oven"),
        # Two thirds have either word, and one memory has both.
        some("Heat of the walk", "Heat of one lamp", "A walk to the stone"),
        # Each needs what was said before.
        some("It was a slow walk", "That slow walk", "They're on a slow walk"),
        some("A nice day, thanks!", "What a great day, thank you!", "Thanks, you had a nice day"),
    ],
    ids=[
        "two",
        "one session",
        "three episodes of two sessions",
        "too abstract",
        "one word in common",
        "one word each",
        "nothing to quote",
        "small talk",
    ],
)
def test_nothing_forms(part: list[Pooled]) -> None:
    assert found(part)[0] == []


def test_who_denies_what_the_others_state_is_neither_quoted_nor_evidence() -> None:
    texts = ["Flaky tests made the release late.", "The release was late; flaky tests.", "Late release, flaky tests."]
    (proposal,) = suggested(some(*texts, "The release was not late, and no tests were flaky."))
    assert [member.ref for member in proposal.members] == ["episode:m_e0", "episode:m_e1", "episode:m_e2"]
    assert (proposal.general in proposal.members, proposal.against) == (True, ())
    assert suggested(some(*texts[:2], "The release was not late, and no tests were flaky.")) == []


def test_two_thirds_share_a_term() -> None:
    assert shared_terms(some("heat walk", "heat walk", "heat slow")) == ("heat", "walk")


@given(st.permutations([*some(*WALKS), pooled("k1", "a kettle sang"), pooled("k2", "a kettle sang high")]))
def test_shuffled_memories_give_the_same_proposals(part: list[Pooled]) -> None:
    ordered = [one for group in partitions(part) for one in group]
    (proposal,) = suggested(ordered)
    assert proposal == suggested(sorted(part, key=lambda one: one.ref))[0]
    assert proposal.id == suggested(some(*WALKS))[0].id


@pytest.mark.parametrize(
    "keys",
    [
        {"scope": "project:a"}, {"owner": "si:ash"}, {"subject_ids": ("dog:bella",)}, {"context": "ctx:care"},
        {"access_grants": ("human:sean",)}, {"access_denies": ("human:sean",)}, {"consent_grants": ("human:sean",)},
        {"upstream_grants": (("human:sean",),)},
    ],
    ids=lambda keys: next(iter(keys)),
)  # fmt: skip
def test_private_and_public_and_two_projects_never_mix(keys: dict[str, Any]) -> None:
    part = [*some(*WALKS[:2]), pooled("e9", WALKS[2], **keys), pooled("e8", WALKS[3], **keys)]
    assert [len(group) for group in partitions(part)] == [2, 2]


def test_the_order_of_grants_makes_no_partition() -> None:
    one, two = ("human:sean", "human:tom"), ("human:tom", "human:sean")
    part = [pooled("a", "x", access_grants=one), pooled("b", "x", access_grants=two)]
    assert len(partitions(part)) == 1


# -- extract -------------------------------------------------------------------------------------


def test_what_a_belief_rests_on_is_spoken_for_over_any_number_of_links() -> None:
    line = LedgerLine(timestamp="2026-01-01T00:00:00Z", op="contradict", evidence_source="episode:m_against")
    belief = Memory(type="belief", id="m_b", derived_from=("note:m_n",), relates_to=("episode:m_e",))
    note = Memory(type="note", id="m_n", derived_from=("raw:m_r",), relates_to=("raw:m_other",))
    known = {"note:m_n": note}
    taken = spoken_for([replace(belief, confidence_history=(line,))], known.get)
    assert taken == {"belief:m_b", "note:m_n", "episode:m_e", "raw:m_r", "episode:m_against"}


def test_layers_of_beliefs_are_counted_and_circles_end() -> None:
    known = {
        "belief:m_one": Memory(type="belief", id="m_one", derived_from=("episode:m_e",)),
        "belief:m_two": Memory(type="belief", id="m_two", derived_from=("belief:m_one",)),
        "belief:m_round": Memory(type="belief", id="m_round", derived_from=("belief:m_round2",)),
        "belief:m_round2": Memory(type="belief", id="m_round2", derived_from=("belief:m_round",)),
    }
    made_of = [Memory(type="episode", id="m_x", derived_from=(ref,)) for ref in ("episode:m_e", *known)]
    assert [depth_of(memory, known.get) for memory in made_of] == [0, 1, 2, 3, 3]


# -- match ---------------------------------------------------------------------------------------


def test_a_contradiction_as_alike_as_a_paraphrase_is_proposed_as_one() -> None:
    belief = held("Walks are slow in the heat")
    part = some("Walks are never slow in the heat", "Never slow walks in the heat", "In the heat walks are never slow")
    (proposal,) = suggested(part, belief, compare=opposed_by_never)
    assert (proposal.action, proposal.target) == (Action.CONTRADICT, belief.memory)
    assert proposal.unanimous


def test_what_says_the_same_is_proposed_as_support_and_not_as_another_belief() -> None:
    belief = held("Walks are slow in the heat")
    (proposal,) = suggested(some(*WALKS), belief, compare=opposed_by_never)
    assert (proposal.action, proposal.target, len(proposal.members)) == (Action.SUPPORT, belief.memory, 4)


def test_likeness_alone_reinforces_nothing_and_what_is_held_hides_no_pattern() -> None:
    (proposal,) = suggested(some(*WALKS), held("Walks are slow in the heat"))
    assert (proposal.action, proposal.target) == (Action.CREATE, None)


def test_both_sides_are_proposed_where_both_are_founded_and_neither_is_unanimous() -> None:
    part = some(*WALKS[:3], *(f"{text} never" for text in WALKS[:3]))
    made = suggested(part, held("Walks are slow in the heat"), compare=opposed_by_never)
    assert [(one.action, len(one.members), one.unanimous) for one in made] == [
        (Action.CONTRADICT, 3, False), (Action.SUPPORT, 3, False),
    ]  # fmt: skip


def test_a_belief_about_something_else_is_left_alone() -> None:
    (proposal,) = suggested(some(*WALKS), held("The heat ruins a parser of tabs"), compare=opposed_by_never)
    assert (proposal.action, proposal.target) == (Action.CREATE, None)


def test_what_contradicts_the_most_general_member_counts_against_a_new_belief() -> None:
    (proposal,) = suggested([*some(*WALKS), pooled("z", "Heat never made walks slow")], compare=opposed_by_never)
    assert [member.ref for member in proposal.against] == ["episode:m_z"]
    assert len(proposal.members) == 4
    assert not proposal.unanimous


# -- what was suggested before -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "is_open", "news"),
    [
        (range(4), False, False),
        (range(3), False, False),
        (range(1, 4), True, False),
        (range(1), True, False),
        (range(20, 24), False, True),
        ([0, 21, 22, 23], False, True),
    ],
    ids=["the same", "one more", "open", "open, three more", "others", "one in common"],
)
def test_rejected_stays_rejected_unless_three_more_say_so(members: Sequence[int], *, is_open: bool, news: bool) -> None:
    (proposal,) = suggested(some(*WALKS))
    refs = frozenset(f"episode:m_e{i}" for i in members)
    before = Earlier(action=Action.CREATE, target=None, members=refs, is_open=is_open)
    assert is_news(proposal, [before]) is news


def test_three_more_members_make_it_news() -> None:
    (proposal,) = suggested(some(*WALKS, *WALKS[:3]))
    assert len(proposal.members) == 7
    refs = frozenset(f"episode:m_e{i}" for i in range(4))
    assert is_news(proposal, [Earlier(action=Action.CREATE, target=None, members=refs)])
    assert not is_news(proposal, [Earlier(action=Action.CREATE, target=None, members=refs | {"episode:m_e4"})])
    assert is_news(proposal, [Earlier(action=Action.SUPPORT, target="belief:m_b", members=refs)])
