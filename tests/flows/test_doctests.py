"""The examples in the docstrings of flows are true; each has a vault `ws` of Sean's to itself, and `memstore`."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import memstore
from tests.memory_workspace import memory_workspace


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder()
    modules = sorted({home for home in memstore._HOMES.values() if ".flows." in home})
    found = [test for module in modules for test in finder.find(import_module(module), globs={"memstore": memstore})]
    return [test for test in found if test.examples]


@pytest.mark.parametrize("example", examples(), ids=lambda test: str(test.name))
def test_an_example_is_true(example: doctest.DocTest) -> None:
    example.globs["ws"] = memory_workspace()
    told: list[str] = []
    failed = doctest.DocTestRunner().run(example, out=told.append).failed
    assert not failed, "".join(told)
