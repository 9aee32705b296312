"""A memory whose sources go is shown to nobody who could not see it before, in any drawn vault and session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from memstore.access.policy import Judge, id_in, is_passed_generalization
from memstore.access.sight import detached
from memstore.access.widening import widenings
from memstore.access.world import Session
from tests.access.test_access_decisions import MEMORIES, Dice, sessions
from tests.access_cases import NOW

if TYPE_CHECKING:
    from memstore.access.world import World

seeds = st.integers(0, 2**32)


def drawn(seed: int) -> World:
    """Return a drawn world in which the first memory was made from the second, and perhaps from others."""
    dice = Dice(seed)
    world = dice.world()
    made, source = world.memories["m_1"], world.memories["m_2"]
    named = dict.fromkeys(("note:m_2", *made.derived_from))
    made = made._replace(derived_from=tuple(named), generalized=False, status="active", owner=None)
    source = source._replace(status="active", owner=None)
    return world._replace(memories={**world.memories, "m_1": made, "m_2": source})


@given(seeds, sessions, st.sets(st.sampled_from(MEMORIES[1:]), max_size=2))
@example(509, Session("human:kid", NOW), set()).via("two memories that were made from each other")
def test_detaching_shows_nothing_to_anybody_new(seed: int, session: Session, more: set[str]) -> None:
    world = drawn(seed)
    made, lost = world.memories["m_1"], {"m_2", *more}
    [after] = detached(world, [made], lost, NOW)
    assert lost.isdisjoint(map(id_in, after.derived_from))
    forgotten = {name: world.memories[name]._replace(status="forgotten", access_grants=()) for name in lost}
    later = world._replace(memories={**world.memories, **forgotten, "m_1": after})
    if session.viewer != world.owner or session.context is not None:
        before = Judge(world, session._replace(alone=False)).decide_on(made).allowed
        assert before or not Judge(later, session._replace(alone=False)).decide_on(after).allowed


@given(seeds, sessions)
def test_memories_made_from_each_other_are_shown_to_nobody_new(seed: int, session: Session) -> None:
    world = drawn(seed)
    refs = {"m_1": "note:m_3", "m_3": "note:m_1"}
    made = [
        world.memories[name]._replace(
            derived_from=("note:m_2", ref), generalized=False, generalization=None, status="active", owner=None
        )
        for name, ref in refs.items()
    ]
    world = world._replace(memories={**world.memories, **{one.id: one for one in made}})
    after = detached(world, made, {"m_2"}, NOW)
    gone = world.memories["m_2"]._replace(status="forgotten", access_grants=())
    later = world._replace(memories={**world.memories, **{one.id: one for one in (*after, gone)}})
    if session.viewer != world.owner or session.context is not None:
        session = session._replace(alone=False)
        for old, new in zip(made, after, strict=True):
            assert Judge(world, session).decide_on(old).allowed or not Judge(later, session).decide_on(new).allowed


@given(seeds)
@example(0)
@example(709291359).via("a lost source that was made from an unknown id")
def test_the_commit_check_finds_nothing_wider(seed: int) -> None:
    world = drawn(seed)
    made = world.memories["m_1"]
    [after] = detached(world, [made], {"m_2"}, NOW)
    assert not is_passed_generalization(made)
    assert not [*widenings(world, made, after, NOW)]


def test_whoever_saw_both_still_sees_it() -> None:
    kept = 0
    for seed in range(300):
        world = drawn(seed)
        made = world.memories["m_1"]
        [after] = detached(world, [made], {"m_2"}, NOW)
        later = world._replace(memories={**world.memories, "m_1": after})
        for viewer in ("human:alice", "human:bob"):
            session = next(one for one in [Dice(seed).session()] if one)
            session = session._replace(viewer=viewer, context=None, alone=False)
            kept += Judge(world, session).allows("m_1") and Judge(later, session).allows("m_1")
    assert kept
