"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

from tests.installed import ROOT, at_home
from tests.postgres import database, engine, postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["database", "engine", "postgres"]  # fixtures

# What a person's shell may set, and what no test may depend on; more of the same are told by how they begin.
_NOT_OURS = ("VISUAL", "EDITOR", "EMAIL", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
_NOT_OURS_EITHER = ("GIT_", "MEMSTORE_", "LC_")

# The same examples each time, so that a failure is the change's and not the day's: a quarter of them.
# `--hypothesis-profile=explore` looks for new ones, and `tests/fresh.py` does so for a minute. How long an example
# takes is never asserted: the machine may be busy. How well examples are made is seen by the same ones.
settings.register_profile("memstore", deadline=None, derandomize=True, print_blob=True, max_examples=25)
settings.register_profile(
    "explore",
    settings.get_profile("memstore"),
    max_examples=100,
    derandomize=False,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("memstore")
# Tests start hundreds of processes, each of which would compile the program again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell lets what it runs in the background ignore Ctrl-C, and what the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
set_hypothesis_home_dir(ROOT / ".hypothesis")  # wherever the tests are started


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--soak", action="store_true", help="run all of what is marked `soak`, and real processes more often"
    )
    parser.addoption("--draw", default="", help="any text: another draw of what is marked `soak`")


@pytest.fixture(scope="session")
def soak(request: pytest.FixtureRequest) -> bool:
    """Whether there is time for the dear ones, too."""
    return bool(request.config.getoption("--soak"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw a few members of each function marked `soak(MEMBERS)`, unless `--soak` asks for all, or the call for one.

    Marked `soak(MEMBERS, together=True)`, a file's tests are drawn from as one. The draw is the same each time, so that
    a failure is the change's, unless `--draw` asks for another.
    """
    if config.getoption("--soak") or any("::" in word for word in config.args):
        return
    drawn: dict[str, list[pytest.Item]] = {}
    draw = config.getoption("--draw")
    for item in items:
        if mark := item.get_closest_marker("soak"):
            drawn.setdefault(item.nodeid.partition("::" if mark.kwargs.get("together") else "[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for name, members in drawn.items():
        mark = members[0].get_closest_marker("soak")
        few = mark.args[0] if mark and mark.args else 1
        left_out |= {*members} - {*Random(name + draw).sample(members, min(few, len(members)))}  # noqa: S311 - the same draw
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


@pytest.fixture(scope="session", autouse=True)
def _a_home_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the caches, settings and git configuration of whoever runs them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name in _NOT_OURS or name.startswith(_NOT_OURS_EITHER):
                patch.delenv(name)
        for name, value in at_home(home).items():
            patch.setenv(name, value)
        time.tzset()
        yield
