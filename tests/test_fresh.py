from __future__ import annotations

from typing import Any

import pytest

from tests.fresh import FreshExamples
from tests.installed import ROOT

pytest_plugins = ["pytester"]

PROPERTY = """
from hypothesis import given, strategies as st
import pytest

@pytest.mark.parametrize("name", ["a b", "c"])
@given(number=st.integers())
def test_numbers(name, number):
    assert number < 1000
"""
PROFILE = """
from hypothesis import settings
settings.register_profile("explore", derandomize=False, database=None)
"""


def test_the_order_is_the_seeds() -> None:
    def order(seed: int) -> list[Any]:
        items: list[Any] = list(range(50))
        FreshExamples(seed, 1, lambda: 0).pytest_collection_modifyitems(items)
        return items

    assert order(1) == order(1) != order(2)
    assert sorted(order(2)) == list(range(50))


def test_no_test_begins_when_the_time_is_over_that_began_with_the_first() -> None:
    now = [100.0]
    fresh = FreshExamples(1, 60, lambda: now[0])
    for at in (100, 130, 160):
        now[0] = at
        fresh.pytest_runtest_setup()
    now[0] = 160.5
    with pytest.raises(pytest.skip.Exception):
        fresh.pytest_runtest_setup()


def test_what_fails_is_told_with_a_command_that_repeats_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(test_it=PROPERTY)
    pytester.makeconftest(PROFILE)
    options = "--hypothesis-profile=explore --hypothesis-seed=7"
    told = pytester.runpytest_subprocess("-p", "tests.fresh", *options.split())
    told.assert_outcomes(failed=2)
    lines = [line for line in told.outlines if line.startswith("to repeat it: ")]
    assert sorted(lines) == [
        f"to repeat it: python -m pytest {test} {options}"
        for test in ("'test_it.py::test_numbers[a b]'", "'test_it.py::test_numbers[c]'")
    ]
