"""Likeness: how alike memories are by their vectors, and the groups that grow from it."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from memstore.beliefs import likeness
from memstore.beliefs.likeness import FEWEST, MOST, Likeness
from memstore.search.meaning import Dense

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

SIZE = 40


def vectors(*groups: int, alike: float = 0.6) -> dict[str, Dense]:
    """Return vectors of as many memories as fit; those of a group have this cosine, all others 0."""
    made = {}
    at = 0
    for group, size in enumerate(groups):
        for _ in range(size):
            numbers = [0.0] * SIZE * 2
            numbers[at], numbers[SIZE + group] = math.sqrt(1 - alike), math.sqrt(alike)
            made[f"episode:m_{at:02d}"] = Dense(numbers)
            at += 1
    return made | {
        f"episode:m_{one:02d}": Dense([float(one == to) for to in range(SIZE * 2)]) for one in range(at, SIZE)
    }


def measured(vectors: Mapping[str, Dense], shared: Mapping[str, Mapping[str, float]] | None = None) -> Likeness:
    return Likeness(dict.fromkeys(vectors), vectors, shared or {})


def refs(*places: int) -> tuple[str, ...]:
    return tuple(f"episode:m_{at:02d}" for at in places)


def test_what_is_alike_forms_groups_and_what_is_not_forms_none() -> None:
    assert measured(vectors(4, 3)).groups() == [refs(0, 1, 2, 3), refs(4, 5, 6)]
    assert measured(vectors()).groups() == []


def test_a_pair_is_no_group_and_a_group_does_not_grow_for_ever() -> None:
    assert measured(vectors(2)).groups() == []
    groups = measured(vectors(9)).groups()
    assert max(len(group) for group in groups) == MOST


def test_what_stands_out_a_little_among_unlike_texts_is_no_group() -> None:
    assert measured(vectors(4, alike=0.2)).groups() == []


def test_likeness_is_counted_from_what_is_usual() -> None:
    alike = measured(vectors(4))
    assert alike.between(*refs(0, 1)) > 5
    assert alike.between(*refs(0, 9)) < 0


def test_what_memories_share_counts_beside_their_vectors() -> None:
    made = vectors(4, alike=0.4)
    ones, others = refs(0, 1), refs(20, 21, 22)
    shared = {one: {other: 0.3 for other in others if other != one} for one in others}
    alone, both = measured(made), measured(made, shared)
    assert both.between(*others[:2]) > alone.between(*others[:2])
    assert both.between(*ones) > both.between(*others[:2])  # a word in common is less than to be alike in meaning
    assert refs(0, 1, 2, 3) in both.groups()
    assert others not in both.groups()  # with nothing in common but a word


def test_what_is_like_everything_is_like_nothing() -> None:
    made = vectors(4)
    hub = Dense([sum(one[at] for one in made.values()) / math.sqrt(SIZE) for at in range(SIZE * 2)])
    alike = measured(made | {"episode:m_99": hub})
    assert alike.between(*refs(0, 1)) > alike.between(refs(0)[0], "episode:m_99") + 2


def test_what_tells_of_one_week_is_one_occasion() -> None:
    made = vectors(4)
    days = dict(zip(made, range(0, 10 * SIZE, 10), strict=True))
    assert Likeness(days, made).groups() == [refs(0, 1, 2, 3)]
    days[refs(1)[0]] = 6
    assert Likeness(days, made).groups() == [refs(0, 2, 3)]


def test_who_is_less_like_the_others_is_no_member() -> None:
    shared = {one: dict.fromkeys(refs(0, 1, 2), 1.0) for one in refs(0, 1, 2)}
    shared[refs(3)[0]] = {refs(0)[0]: 0.9}
    shared[refs(0)[0]][refs(3)[0]] = 0.9
    alike = Likeness(dict.fromkeys(refs(*range(SIZE))), shared=shared)
    assert alike.groups() == [refs(0, 1, 2)]


def test_too_few_memories_tell_nothing() -> None:
    few = measured(dict([*vectors(3).items()][:3]))
    assert not few.is_measured
    assert few.groups() == []


def test_groups_are_the_same_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    made = measured(vectors(4, 3)).groups()
    monkeypatch.setattr(likeness, "numpy_if_there", lambda: None)
    assert measured(vectors(4, 3)).groups() == made


@st.composite
def on_some_subjects(draw: st.DrawFn) -> dict[str, Dense]:
    """Return vectors of memories, some of which are about one or two of a few subjects."""
    made = {}
    for at in range(SIZE):
        numbers = [0.6 * (at == to) for to in range(SIZE)] + [0.0] * 6
        for subject in draw(st.lists(st.integers(SIZE, SIZE + 5), max_size=2)) if at < SIZE // 2 else ():
            numbers[subject] += 0.8
        made[f"episode:m_{at:02d}"] = Dense([number / math.hypot(*numbers) for number in numbers])
    return made


SHARED_SUBJECT = vectors(4, 3) | {refs(0)[0]: Dense([0.0] * SIZE + [math.sqrt(0.5)] * 2 + [0.0] * (SIZE - 2))}


@given(on_some_subjects())
@example(SHARED_SUBJECT)
def test_groups_are_small_and_share_at_most_half(made: dict[str, Dense]) -> None:
    groups = measured(made).groups()
    assert all(FEWEST <= len(set(group)) == len(group) <= MOST for group in groups)
    for one, other in combinations(groups, 2):
        assert 2 * len(set(one) & set(other)) <= min(len(one), len(other))


def test_a_memory_may_be_in_two_groups() -> None:
    assert len([group for group in measured(SHARED_SUBJECT).groups() if refs(0)[0] in group]) == 2
