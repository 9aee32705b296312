"""The property tests on examples that nobody has seen, for a minute: `python -m tests.fresh [SEED] [PATH ...]`.

Each run has another seed and with it another order, so that over time all tests have their turn. What fails is told
with the command that repeats it.
"""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECONDS = 60.0
_AGAIN = "python -m pytest {test} --hypothesis-profile=explore --hypothesis-seed={seed}"


class FreshExamples:
    """Puts tests into the order of a seed, skips those that would begin when the time is over, says how to repeat one.

    Args:
        seed: what hypothesis begins with, too.
        seconds: for how long tests begin, from the first one on.
        clock: seconds that pass.
    """

    def __init__(self, seed: int, seconds: float, clock: Callable[[], float]) -> None:
        self._seed, self._seconds, self._clock = seed, seconds, clock
        self._end: float | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        Random(self._seed).shuffle(items)  # noqa: S311 - every worker has to come to the same order

    def pytest_runtest_setup(self) -> None:
        if self._end is None:
            self._end = self._clock() + self._seconds
        if self._clock() > self._end:
            pytest.skip("the time is over")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for report in terminalreporter.getreports("failed"):
            again = _AGAIN.format(test=shlex.quote(report.nodeid), seed=self._seed)
            terminalreporter.write_line(f"to repeat it: {again}")


def pytest_configure(config: pytest.Config) -> None:
    """Take part in a run, in each of its workers."""
    seed = int(config.getoption("hypothesis_seed"))
    config.pluginmanager.register(FreshExamples(seed, SECONDS, time.monotonic))


def main(words: Sequence[str]) -> int:
    """Run the tests, and return the exit code."""
    paths = [word for word in words if not word.isdigit()]
    seed = next((int(word) for word in words if word.isdigit()), secrets.randbelow(2**32))
    sys.stdout.write(f"seed {seed}\n")
    sys.stdout.flush()
    options = ("--soak", "--hypothesis-profile=explore", f"--hypothesis-seed={seed}")
    return pytest.main(["-m", "hypothesis", "-p", "tests.fresh", *options, *paths])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
