"""`memstore index watch`, and a cache that can't be written, as a person meets them."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.ok("init", ".")
    (program.vault / "tea.md").write_bytes(memory_text("Hot tea.\n", id="m_tea"))
    return program


def test_it_tells_each_refresh_and_ends_at_ctrl_c(program: Program) -> None:
    watching = program.start("index", "watch", "--every", "0.01")
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith("indexed ")
    for text in ("Cold milk.\n", "Warm milk.\n"):
        half_done = program.vault / "milk.md~"
        half_done.write_bytes(memory_text(text, id="m_milk"))
        half_done.replace(program.vault / "milk.md")
        assert watching.stdout.readline() == "indexed 1 changed file\n"
        assert program.json("index", "status")["changed"] == 0
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=60)
    assert (watching.returncode, out, err) == (130, "", "memstore: interrupted\n")
    assert "milk.md" in program.ok("search", "warm")


def test_it_ends_when_the_vault_is_gone(program: Program) -> None:
    watching = program.start("index", "watch", "--every", "0.01")
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith("indexed ")
    program.vault.rename(program.vault.with_name("elsewhere"))
    out, err = watching.communicate(timeout=60)
    assert (watching.returncode, out) == (5, "")
    assert f"the vault {program.vault} is no longer there" in err
    assert not program.vault.exists()


def test_it_ends_when_nobody_reads_any_more(program: Program) -> None:
    with program.start("index", "watch", "--every", "0.01") as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        watching.stdout.close()
        (program.vault / "milk.md").write_bytes(memory_text("Cold milk.\n", id="m_milk"))
        assert watching.wait(timeout=60) == 0


def test_without_a_cache_it_says_so_and_everything_else_works(program: Program) -> None:
    cache = program.home / "in the way"
    cache.write_text("a file where the cache would be")
    without = str(cache)
    found = program.ok("search", "tea", XDG_CACHE_HOME=without)
    assert found == program.ok("search", "tea") != ""
    assert program.ok("list", XDG_CACHE_HOME=without) == program.ok("list")
    (program.vault / "milk.md").write_bytes(memory_text("Cold milk.\n", id="m_milk"))
    assert "milk.md" in program.ok("search", "milk", XDG_CACHE_HOME=without)
    assert program.json("index", "status", XDG_CACHE_HOME=without)["built"] is False
    for words in (["index", "watch", "--once"], ["index", "rebuild"]):
        done = program.run(*words, XDG_CACHE_HOME=without)
        assert (done.returncode, done.stdout) == (5, ""), words
        assert done.stderr.startswith(f"memstore: the index can't be written: {cache}/memstore/")
