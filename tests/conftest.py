"""What all tests share."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

from tests.installed import ROOT, at_home

if TYPE_CHECKING:
    from collections.abc import Iterator

# What a person's shell may set, and what no test may depend on; more of the same are told by how they begin.
_NOT_OURS = ("VISUAL", "EDITOR", "EMAIL", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
_NOT_OURS_EITHER = ("GIT_", "MEMSTORE_", "LC_")

# One profile for every run, a person's and a build server's: the same examples each time, so that a failure is the
# change's and not the day's; `--hypothesis-profile=explore` looks for new ones, and `tests/fresh.py` does so for a
# minute. How long an example takes is never asserted: the machine may be busy. How well examples are made is seen by
# the same ones each time.
settings.register_profile("memstore", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "explore", deadline=None, derandomize=False, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("memstore")
# A shell lets what it runs in the background ignore Ctrl-C, and what the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
set_hypothesis_home_dir(ROOT / ".hypothesis")  # wherever the tests are started


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
