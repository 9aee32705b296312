from __future__ import annotations

import pytest

from tests.installed import ROOT

pytest_plugins = ["pytester"]

HOOKS = "from tests.conftest import pytest_addoption, pytest_collection_modifyitems, soak\n"
TESTS = """
import pytest

@pytest.mark.soak(3)
@pytest.mark.parametrize("number", range(10))
def test_dear(number): ...

@pytest.mark.parametrize("number", range(10))
def test_cheap(number): ...

@pytest.mark.soak(4, together=True)
@pytest.mark.parametrize("number", range(6))
def test_one_scene(number): ...

@pytest.mark.soak(4, together=True)
@pytest.mark.parametrize("number", range(6))
def test_another_scene(number): ...

def test_once(soak): assert soak
"""


@pytest.mark.parametrize(
    ("words", "passed", "failed"),
    [((), 17, 1), (("--soak",), 33, 0), (("test_it.py::test_dear[7]",), 1, 0), (("test_it.py::test_dear",), 10, 0)],
)
def test_of_the_dearest_tests_a_few_members_are_drawn_unless_all_are_asked_for(
    words: tuple[str, ...], passed: int, failed: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeini("[pytest]\nmarkers = soak")
    pytester.makeconftest(HOOKS)
    pytester.makepyfile(test_it=TESTS)
    pytester.runpytest_inprocess(*words).assert_outcomes(passed=passed, failed=failed)


def test_another_draw_is_of_other_members(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeini("[pytest]\nmarkers = soak")
    pytester.makeconftest(HOOKS)
    pytester.makepyfile(test_it=TESTS)
    told = [pytester.runpytest_inprocess("--collect-only", "-q", "--draw", draw).outlines for draw in "0123450"]
    drawn = [{line for line in lines if "::" in line} for lines in told]
    assert {len(names) for names in drawn} == {18}
    assert drawn[0] == drawn[-1]
    assert len({*map(frozenset, drawn)}) > 1
