"""Moves and corrections: they find what they replace by the value that they name as the old one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.conflicts.contradiction import CONFLICTS, compare, newer
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

# What was so, and what says that it is no more so, or never was.
CHANGED = [
    ("Kiran works on project Heron.", "Kiran was reassigned from project Heron to project Egret on Monday."),
    ("The release is on Friday.", "The release was postponed to Monday."),
    ("The town has 31,000 inhabitants.", "The town has 33,500 inhabitants, not 31,000."),
    ("The stock is 31,000 bolts.", "The stock was recounted: 33,500, not 31,000."),
    ("The rent is 820 a month.", "The rent goes from 820 to 905 in June."),
    ("We use Jenkins for CI.", "We moved CI from Jenkins to GitHub Actions."),
    ("The queue limit is 1000 messages.", "We raised the queue limit to 5000 messages."),
    ("The account belongs to Mara.", "The account was transferred from Mara to Jonas."),
    ("The meeting is at ten.", "The meeting moved from ten to eleven."),
    ("The house is blue.", "The house is green, not blue."),
    ("The spare key is in the flat.", "The spare key isn't in the flat. It's in the office."),
]
# The old value is another, or something else has changed, or may change.
BOTH = [
    ("Kiran works on project Egret.", "Kiran was reassigned from project Heron to project Egret on Monday."),
    ("Kiran works on project Plover.", "Kiran was reassigned from project Heron to project Egret on Monday."),
    ("Mara works on project Heron.", "Kiran was reassigned from project Heron to project Egret on Monday."),
    ("Kiran's sister works on project Heron.", "Kiran was reassigned from project Heron to project Egret."),
    ("Kiran worked on project Heron.", "Kiran was reassigned from project Heron to project Egret on Monday."),
    ("The release is on Monday.", "The release was postponed to Monday."),
    ("The release is on Friday.", "The release might be postponed to Monday."),
    ("The release of the app is on Friday.", "The audit was postponed to Monday."),
    ("The town has 33,500 inhabitants.", "The town has 33,500 inhabitants, not 31,000."),
    ("The village has 31,000 inhabitants.", "The town has 33,500 inhabitants, not 31,000."),
    ("The house is green.", "The house is green, not blue."),
    ("The queue limit is 5000 messages.", "We raised the queue limit to 5000 messages."),
]


@pytest.mark.parametrize(("was", "then"), CHANGED)
def test_what_changed_is_found_by_the_old_value(was: str, then: str) -> None:
    for one, other in ((was, then), (then, was)):
        assert compare(one, other).verdict in CONFLICTS
        pairs = [(this, that) for this in statements(one) for that in statements(other)]
        assert any(may_conflict(gist(this), gist(that)) for this, that in pairs)


@pytest.mark.parametrize(("was", "then"), CHANGED[:-1])
def test_what_tells_of_the_change_is_current_on_one_day_and_the_later_side_on_two(was: str, then: str) -> None:
    found = compare(was, then)

    assert found.at_other_times
    for days, current in ((("2026-05-01", "2026-05-01"), found.right), (("2026-05-02", "2026-05-01"), found.left)):
        said = newer(found, days)
        assert said is not None
        assert said == current


@pytest.mark.parametrize(("one", "other"), BOTH)
def test_what_another_value_replaces_is_left_alone(one: str, other: str) -> None:
    assert compare(one, other).verdict not in CONFLICTS
    assert compare(other, one).verdict not in CONFLICTS


PLACES = ("Oslo", "Rome", "Bari", "Turin")


@given(st.sampled_from(PLACES), st.sampled_from(PLACES), st.sampled_from(PLACES), st.sampled_from(("Tom", "Ida")))
def test_a_move_concerns_whoever_is_at_the_old_place_alone(old: str, new: str, at: str, who: str) -> None:
    found = compare(f"{who} works in {at}.", f"Tom was transferred from {old} to {new}.")

    assert (found.verdict in CONFLICTS) == (who == "Tom" and at == old != new)


@given(st.sampled_from(PLACES), st.sampled_from(PLACES))
def test_what_is_no_longer_so_is_the_same_thing(at: str, left: str) -> None:
    assert (compare(f"Tom lives in {at}.", f"Tom no longer lives in {left}.").verdict in CONFLICTS) == (at == left)
