from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from memstore.search import disk_library
from memstore.search import disk_library as in_two
from memstore.search.disk_library import DiskLibrary
from tests.search.test_disk_library import fill, said
from tests.support import disk_vault

if TYPE_CHECKING:
    from pathlib import Path

FIRST = os.getpid()


@pytest.fixture(autouse=True)
def _on_a_machine_with_two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_two, "_processors", lambda: 2)
    monkeypatch.setattr(in_two, "MANY", 250)


def who(number: int) -> tuple[int, bool]:
    return number, os.getpid() == FIRST


def test_results_come_in_order_and_half_of_them_from_another_process() -> None:
    done = list(in_two.worked(range(1050), who))
    assert [number for number, _ in done] == list(range(1050))
    assert sum(by_the_first for _, by_the_first in done) == 550
    no_child_is_left()


def no_child_is_left() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("count", [0, 1, 249])
def test_a_few_are_done_by_one(count: int) -> None:
    assert list(in_two.worked(range(count), who)) == [(number, True) for number in range(count)]


def test_one_processor_or_other_threads_are_no_reason_for_a_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert all(by_the_first for _, by_the_first in in_two.worked(range(300), who))
    finally:
        stop.set()
        thread.join()
    monkeypatch.setattr(in_two, "_processors", lambda: 1)
    assert all(by_the_first for _, by_the_first in in_two.worked(range(300), who))


def test_where_no_process_can_be_started_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refused)
    assert list(in_two.worked(range(300), who)) == [(number, True) for number in range(300)]


def dies(number: int) -> tuple[int, bool]:
    if number == 350 and os.getpid() != FIRST:
        os.kill(os.getpid(), signal.SIGKILL)
    return who(number)


def test_the_first_does_the_work_of_a_second_that_dies() -> None:
    done = list(in_two.worked(range(1000), dies))
    assert [number for number, _ in done] == list(range(1000))
    assert [number for number, by_the_first in done if not by_the_first] == list(range(100, 200))
    no_child_is_left()


def fails(number: int) -> int:
    if number == 150:
        raise ValueError(number)
    return number


def test_what_fails_in_the_second_fails_in_the_first(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="150"):
        list(in_two.worked(range(1000), fails))
    no_child_is_left()
    assert capfd.readouterr() == ("", "")


def test_stopping_early_ends_the_second() -> None:
    done = in_two.worked(range(1000), who)
    assert next(done) == (0, True)
    done.close()
    no_child_is_left()


KILLED = """
import os, signal, sys
from memstore.search import disk_library
disk_library._processors = lambda: 2
def work(number):
    if number == 100:
        os.kill(first, signal.SIGKILL)
    return bytes(1000)
first = os.getpid()
print("ready", flush=True)
list(disk_library.worked(range(100_000), work))
"""


def test_no_process_outlives_one_that_is_killed() -> None:
    # The second has the same standard output, so the end of that is the end of both.
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, "ready\n", "")


INTERRUPTED = """
import os, signal, sys
from memstore.search import disk_library
disk_library._processors = lambda: 2
def work(number):
    if number == 150:
        os.killpg(0, signal.SIGINT)
    return number
try:
    list(disk_library.worked(range(100_000), work))
except KeyboardInterrupt:
    print("interrupted")
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("alone")
"""


def test_ctrl_c_ends_both_without_a_word_of_the_second() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\nalone\n", "")


def test_an_index_made_by_two_is_that_made_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 300)
    (vault.root / "broken.md").write_text("---\ntype: note\n")
    (vault.root / "plain.md").write_text("no fence\n")
    monkeypatch.setattr(disk_library, "MANY_FILES", 100)
    told: list[tuple[int, int]] = []
    two = DiskLibrary(vault, cache=tmp_path / "two", on_progress=lambda done, of: told.append((done, of))).snapshot()
    assert told == [*((done, 302) for done in range(50, 301, 50)), (302, 302)]
    monkeypatch.setattr(in_two, "MANY", 1000)
    one = DiskLibrary(vault, cache=tmp_path / "one").snapshot()
    assert two.catalog.column("path") == one.catalog.column("path")
    assert said(two) == said(one)
    for name in (".pst", ".trm", ".row.col"):
        written = [next((tmp_path / which).rglob(f"*{name}")).read_bytes() for which in ("one", "two")]
        assert written[0] == written[1], name
