"""No module reaches itself again along the imports of the program, wherever they stand."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

import pytest

from tests.installed import ROOT

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def counts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("counts", ROOT / "benchmarks/counts.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["counts"] = made
    spec.loader.exec_module(made)
    return made


def test_modules_that_import_each_other_are_found(counts: ModuleType) -> None:
    ways = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"d"}}
    assert counts.circles(ways) == [["a", "b", "c"]]


def test_no_module_imports_itself_again_even_from_inside_functions_or_for_types(counts: ModuleType) -> None:
    assert counts.circles(counts.ways(for_types=True)) == []
