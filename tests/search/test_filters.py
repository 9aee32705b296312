from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.catalog import ITEM_SEPARATOR
from memstore.core.errors import UsageError
from memstore.search.clauses import Filters, Operator, Where
from memstore.search.filters import (
    checked,
    checked_fraction,
    checked_where,
    filters_of,
    holds,
    matching,
    parse_where,
    unknown_keys,
)

COLUMNS = {
    "type": ["note", "belief", "note", "episode"],
    "tags": [ITEM_SEPARATOR.join(("dog", "Walk")), "", "walk", "dog"],
    "status": ["active", "", "archived", "active"],
    "scope": ["", "project:x", "global", ""],
    "subject_ids": ["dog:bella", "", "", ""],
    "source_type": ["seed", "", "", ""],
    "author": ["si:ash", "human:sean", "si:ash", ""],
    "id": ["a", "b", "c", ""],
    "title": ["The vet's visit", "Trust", "Walks", ""],
    "created_at": ["2026-02-01T10:00:00Z", "2026-02-01T23:59:59.5Z", "2025-12-31T00:00:00Z", ""],
    "confidence": ["0.5", "0.90", "", "1.0"],
}


def rows(*filters: Filters) -> list[int]:
    return list(matching(range(4), filters, lambda name: COLUMNS.get(name, [""] * 4)))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Filters(), [0, 1, 3]),
        (Filters(status=("archived",)), [2]),
        (Filters(status=("all",)), [0, 1, 2, 3]),
        (Filters(id=("c",)), [2]),
        (Filters(type=("note", "belief")), [0, 1]),
        (Filters(type=("note",), tag=("dog",)), [0]),
        (Filters(tag=("WALK",), status=("all",)), [0, 2]),
        (Filters(scope=("global",)), [0, 3]),
        (Filters(subject=("dog:bella",)), [0]),
        (Filters(title=(("vet", "visit"),)), [0]),
        (Filters(title=(("visit", "vet"),)), []),
        (Filters(since=datetime(2026, 2, 1, 12, tzinfo=UTC)), [1]),
        (Filters(until=datetime(1, 2, 1, 12, tzinfo=UTC)), []),
        (Filters(until=datetime(2026, 2, 1, 23, 59, 59, tzinfo=UTC)), [0, 1]),
        (Filters(where=(Where("confidence", Operator.AT_LEAST, "0.9"),)), [1, 3]),
        (Filters(where=(Where("confidence", Operator.EQUAL, "0.9"),)), [1]),
        (Filters(where=(Where("confidence", Operator.MISSING),), status=("all",)), [2]),
        (Filters(where=(Where("tags", Operator.UNEQUAL, "dog"),)), [1]),
        (Filters(where=(Where("status", Operator.EQUAL, "archived"),)), [2]),
        (Filters(where=(Where("created_at", Operator.LESS, "2026"),), status=("all",)), [2]),
        (Filters(where=(Where("title", Operator.CONTAINS, "VET"),)), [0]),
        (Filters(where=(Where("title", Operator.LACKS, "vet"),)), [1, 3]),
    ],
)
def test_what_a_filter_lets_through(asked: Filters, expected: list[int]) -> None:
    assert rows(asked) == expected


@pytest.mark.parametrize(
    ("zone", "expected"), [("Pacific/Pago_Pago", [0, 3]), ("UTC", [0, 3]), ("Pacific/Kiritimati", [0])]
)
def test_a_day_without_a_clock_is_that_day_in_every_time_zone(zone: str, expected: list[int]) -> None:
    cells = ["2026-02-01T00:00:00Z", "2026-01-31T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-01T23:30:00Z", ""]
    here = datetime(2026, 2, 1, 12, tzinfo=ZoneInfo(zone))
    asked = filters_of({"since": "2026-02-01", "until": "today", "status": "all"}, now=here)
    assert list(matching(range(5), [asked], lambda _: cells)) == expected


def test_filters_hold_together() -> None:
    assert rows(Filters(tag=("dog",)), Filters(type=("note",))) == [0]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("project", [0, 1, 2]),
        ("Project/Alpha", [1, 2]),
        ("project/alpha/x", [2]),
        ("alpha", []),
        ("proj", []),
        ("other", [2]),
    ],
)
def test_a_tag_is_also_found_by_the_tags_that_it_is_nested_in(tag: str, expected: list[int]) -> None:
    cells = [*map(ITEM_SEPARATOR.join, (["dog", "project"], ["project/alpha"], ["PROJECT/Alpha/x", "other"], []))]
    empty = [""] * len(cells)
    found = {
        name: list(matching(range(4), [asked], lambda column: cells if column == "tags" else empty))
        for name, asked in {
            "filter": Filters(tag=(tag,)),
            "equal": Filters(where=(Where("tags", Operator.EQUAL, tag),)),
            "unequal": Filters(where=(Where("tags", Operator.UNEQUAL, tag),)),
        }.items()
    }
    others = [row for row in range(4) if row not in expected]
    assert found == {"filter": expected, "equal": expected, "unequal": others}


ASKED = st.builds(
    Filters,
    type=st.lists(st.sampled_from(["note", "belief", "episode"]), max_size=2).map(tuple),
    tag=st.lists(st.sampled_from(["dog", "walk"]), max_size=2).map(tuple),
    author=st.lists(st.sampled_from(["si:ash", "x:y"]), max_size=1).map(tuple),
)


@given(ASKED, ASKED)
def test_one_more_filter_never_shows_more(one: Filters, other: Filters) -> None:
    assert set(rows(one, other)) == set(rows(one)) & set(rows(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("confidence >= 0.8", Where("confidence", Operator.AT_LEAST, "0.8")),
        ("mood=good", Where("mood", Operator.EQUAL, "good")),
        ('mood = "very good"', Where("mood", Operator.EQUAL, "very good")),
        ("mood!=a=b", Where("mood", Operator.UNEQUAL, "a=b")),
        ("origin.session_id ~ 42", Where("origin.session_id", Operator.CONTAINS, "42")),
        ("mood !~ bad", Where("mood", Operator.LACKS, "bad")),
        ("mood exists", Where("mood", Operator.EXISTS)),
        (" mood  missing ", Where("mood", Operator.MISSING)),
    ],
)
def test_a_condition(text: str, expected: Where) -> None:
    assert parse_where(text) == expected


@pytest.mark.parametrize("text", ["", "mood", "= 3", "mood =", "mood == ", "mood is good", "a b = c", "mood exist"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a condition"):
        parse_where(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("type", "nte"), ("status", ""), ("source_type", "told"), ("tag", " "),
        ("author", "bob"), ("subject", "Bella"), ("scope", "team"), ("scope", "project:"),
    ],
)  # fmt: skip
def test_a_value_that_no_memory_can_have_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError) as error:
        checked(name, value)
    assert error.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "confidence >= high", "confidence != x", "confidence = 80%", "created_at > yesterday", "valid_until < soon",
        "type = nte", "status != gone", "source_type = told", "confidence >= nan", "confidence <= inf",
        "confidence > 1_0", "created_at < 2026-13", "created_at < 2026-02-32", "created_at > 2026-02-01T24:00",
    ],
)  # fmt: skip
def test_a_condition_on_what_the_key_never_holds_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        checked_where(parse_where(text))
    assert error.value.hint


@pytest.mark.parametrize(
    "text", ["confidence >= .8", "created_at > 2026", "type ~ no", "mine = high", "title = 12", "status exists"]
)
def test_a_condition_that_some_memory_may_meet_is_none_to_refuse(text: str) -> None:
    assert parse_where(text).key == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    ("condition", "meeting"),
    [
        ("created_at = 2026-02", {1, 2}),
        ("created_at != 2026-02", {0, 3}),
        ("created_at <= 2026-02", {0, 1, 2}),
        ("created_at > 2026-02", {3}),
        ("created_at >= 2026-02-03", {2, 3}),
        ("created_at < 2026-02-03T10:30Z", {0, 1}),
        ("created_at = 2026-02-03T10:30", {2}),
        ("created_at = 2026-02-03T10:30:00Z", {2}),
        ("created_at = 2026", {1, 2, 3}),
    ],
)
def test_a_time_is_in_the_day_month_or_year_that_it_is_compared_with(condition: str, meeting: set[int]) -> None:
    times = ["2025-12-31T23:59:59Z", "2026-02-01T00:00:00Z", "2026-02-03T10:30:00Z", "2026-03-01T00:00:00Z"]
    where = parse_where(condition)
    assert {at for at, time in enumerate(times) if holds(where, [time])} == meeting


@pytest.mark.parametrize("text", ["", "x", "-0.1", "1.1", "nan", "80%", "0_1"])
def test_what_is_no_confidence_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a valid confidence"):
        checked_fraction(text)


@given(st.lists(st.sampled_from(["1", "1.0", "2", "a", "b"])), st.sampled_from(["1", "2", "a"]))
def test_conditions_and_their_opposites(values: list[str], value: str) -> None:
    for one, other in (
        (Operator.EQUAL, Operator.UNEQUAL),
        (Operator.CONTAINS, Operator.LACKS),
        (Operator.EXISTS, Operator.MISSING),
    ):
        assert holds(Where("k", one, value), values) != holds(Where("k", other, value), values)


def test_a_number_is_not_compared_with_a_word() -> None:
    assert not holds(Where("k", Operator.GREATER, "3"), ["word"])
    assert not holds(Where("k", Operator.GREATER, "2026"), ["word"])
    assert holds(Where("k", Operator.GREATER, "2026"), ["2026-02-01T10:00:00.5Z"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("title = 'a b'", "a b"),
        ('title = "a b"', "a b"),
        ('title = "a b', '"a b'),
        ("title = 'a\"", "'a\""),
        ("title = '", "'"),
    ],
)
def test_a_value_is_taken_out_of_a_pair_of_quotes(text: str, value: str) -> None:
    assert parse_where(text).value == value


def test_a_condition_on_a_key_of_ones_own_is_left_to_the_caller() -> None:
    mine = Filters(where=(Where("mood", Operator.EQUAL, "fine"),))
    assert rows(mine) == [0, 1, 3]
    assert unknown_keys([mine]) == [*mine.where]
    assert not holds(Where("k", Operator.LESS, "word"), ["3"])


def test_keys_that_only_the_files_hold() -> None:
    asked = Filters(where=(Where("mood", Operator.EXISTS), Where("title", Operator.EXISTS)))
    assert [where.key for where in unknown_keys([asked])] == ["mood"]
