"""Long work is told of while it goes on, and short work never."""

from __future__ import annotations

from itertools import count

import pytest

from memstore.files.local_state import with_progress


@pytest.mark.parametrize(
    ("seconds_each", "expected"),
    [
        (0.1, []),
        (0.3, [(3, 5), (4, 5), (5, 5)]),
        (0.5, [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]),
    ],
    ids=["short", "long", "slow"],
)
def test_work_is_told_of_from_the_first_second_on(seconds_each: float, expected: list[tuple[int, int]]) -> None:
    reported: list[tuple[int, int]] = []
    clock = count(step=seconds_each)
    items = with_progress(lambda done, total: reported.append((done, total)), "abcde", 5, now=lambda: next(clock))
    assert [*items] == [*"abcde"]
    assert reported == expected


def test_fast_items_are_told_of_ten_times_a_second() -> None:
    reported: list[int] = []
    clock = count(step=1 / 64)  # exact in binary
    assert (
        sum(1 for _ in with_progress(lambda done, _: reported.append(done), range(300), 300, now=lambda: next(clock)))
        == 300
    )
    assert reported == [*range(63, 300, 7), 300]


def test_nothing_is_told_where_nobody_listens() -> None:
    assert [*with_progress(None, "abc", 3)] == [*"abc"]
