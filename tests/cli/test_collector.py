"""Python's garbage collector: seldom in a command that soon ends, as Python does it in one that goes on."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from memstore.cli.main import MOST_UNSCANNED
from memstore.memories.search import search
from tests.memory_workspace import memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("words", [("mcp",), ("index", "watch", "--once"), ("search", "--queries", "-")])
def test_what_goes_on_collects_as_python_does(tmp_path: Path, words: tuple[str, ...]) -> None:
    program = InProcess(tmp_path)
    program.init()
    usual = gc.get_threshold()
    try:
        gc.set_threshold(MOST_UNSCANNED)
        program.run(*words, stdin="")
        assert gc.get_threshold() == usual
    finally:
        gc.set_threshold(*usual)


def test_a_search_leaves_no_view_in_a_circle() -> None:
    ws = memory_workspace({"a.md": memory_text("Sean likes tea\n", id="m_aaa")})
    search(ws.view(), "tea")
    gc.collect()
    gc.disable()
    try:
        search(ws.view(), "Sean tea")
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        assert not [one for one in gc.garbage if type(one).__module__.startswith("memstore.")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
