from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.files.walk import COARSE_TICK_NS, GONE, TICK_NS, Refresh, StatColumns, is_racy, is_settled, plan_refresh

SECOND = 1_000_000_000
READ_AT = 1_000 * SECOND + 5
OLD = READ_AT - 100 * SECOND


def columns(*files: tuple[int, int, int, int]) -> StatColumns:
    return StatColumns(*(list(column) for column in zip(*files, strict=True))) if files else StatColumns([], [], [], [])


@pytest.mark.parametrize("which", range(4))
def test_any_difference_is_a_change(which: int) -> None:
    known = [10, OLD, OLD, 7]
    seen = known.copy()
    seen[which] += 1
    plan = plan_refresh(columns(tuple(known)), columns(tuple(seen)), known_at_ns=READ_AT)  # type: ignore[arg-type]
    assert plan == Refresh(changed=[0], suspicious=[], gone=[])


def test_a_lost_file_is_gone_and_nothing_else() -> None:
    known = columns((10, OLD, OLD, 7), (10, READ_AT, READ_AT, 8))
    assert plan_refresh(known, columns((GONE,) * 4, (GONE,) * 4), known_at_ns=READ_AT) == Refresh(
        changed=[], suspicious=[], gone=[0, 1]
    )


@pytest.mark.parametrize(
    ("time_ns", "racy"),
    [
        (READ_AT, True),
        (READ_AT + SECOND, True),
        (READ_AT - TICK_NS, True),
        (READ_AT - TICK_NS - 1, False),
        (READ_AT - 5 - SECOND, True),  # a whole second: the file system may count in steps of two
        (READ_AT - 5 - 3 * SECOND, False),
    ],
)
def test_a_file_as_young_as_the_reading_is_suspicious(time_ns: int, *, racy: bool) -> None:
    for file in ((10, time_ns, OLD, 7), (10, OLD, time_ns, 7)):
        plan = plan_refresh(columns(file), columns(file), known_at_ns=READ_AT)
        assert plan == Refresh(changed=[], suspicious=[0] if racy else [], gone=[])
        assert is_racy(file[1], file[2], READ_AT) is racy


times = st.integers(READ_AT - 2 * COARSE_TICK_NS, READ_AT + SECOND)
stats = st.tuples(st.integers(0, 3), times, times, st.integers(1, 3))


@given(st.lists(st.tuples(stats, st.one_of(stats, st.none(), st.just((GONE,) * 4)))))
def test_every_file_is_unchanged_and_old_or_in_one_list(
    files: list[tuple[tuple[int, int, int, int], tuple[int, int, int, int] | None]],
) -> None:
    known = [before for before, _ in files]
    seen = [before if after is None else after for before, after in files]
    plan = plan_refresh(columns(*known), columns(*seen), known_at_ns=READ_AT)
    listed = [i for positions in plan for i in positions]
    assert len(listed) == len(set(listed))
    for i, (before, after) in enumerate(zip(known, seen, strict=True)):
        if i not in listed:
            assert before == after
            assert not is_racy(after[1], after[2], READ_AT)
        assert (i in plan.gone) == (after[0] == GONE)
        assert (i in plan.changed) == (after[0] != GONE and before != after)


@given(st.lists(st.tuples(stats, st.one_of(stats, st.none()))))
def test_files_that_are_settled_need_no_look_at_their_times(
    files: list[tuple[tuple[int, int, int, int], tuple[int, int, int, int] | None]],
) -> None:
    known = columns(*(before for before, _ in files))
    seen = columns(*(after or before for before, after in files))
    is_it = is_settled(known, READ_AT)
    assert is_it is not any(is_racy(mtime, ctime, READ_AT) for (_, mtime, ctime, _), _ in files)
    plan = plan_refresh(known, seen, known_at_ns=READ_AT, settled=is_it)
    assert plan == plan_refresh(known, seen, known_at_ns=READ_AT)
