from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError
from memstore.files import fence
from memstore.files.fence import FencedText
from memstore.memories.today import note_today, with_item
from memstore.vault.status import undo
from tests.installed import validated
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

DAY = "2026-02-01"


def test_a_day_has_one_note_which_its_first_line_begins() -> None:
    ws = memory_workspace()
    begun = note_today(ws.view(), "Bella slept till nine")
    again = note_today(ws.view(), "  It rained,\r\nand then it snowed\n")
    assert (begun.ref, begun.path) == (again.ref, again.path)
    (text,) = files_of(ws).values()
    head, _, body = text.decode().partition("---\n\n")
    assert f'title: "{DAY}"\ntags: [daily]\n' in head
    assert body == f"# {DAY}\n\n- Bella slept till nine\n- It rained,\n  and then it snowed\n"


def test_without_a_line_the_note_is_begun_once_and_then_left_alone() -> None:
    ws = memory_workspace()
    begun = note_today(ws.view())
    assert begun.changed
    before = files_of(ws)
    assert not note_today(ws.view()).changed
    assert files_of(ws) == before


def test_a_line_is_one_operation_that_undo_takes_back() -> None:
    ws = memory_workspace()
    note_today(ws.view(), "one")
    before = files_of(ws)
    note_today(ws.view(), "two")
    undo(ws.view())
    assert files_of(ws) == before


def test_a_dry_run_writes_nothing() -> None:
    ws = memory_workspace()
    assert f"+# {DAY}" in note_today(ws.view(), "one", dry_run=True).diff
    assert files_of(ws) == {}
    note_today(ws.view(), "one")
    before = files_of(ws)
    assert "+- two" in note_today(ws.view(), "two", dry_run=True).diff
    assert files_of(ws) == before


@pytest.mark.parametrize("line", ["", " \n"])
def test_an_empty_line_is_an_error(line: str) -> None:
    ws = memory_workspace()
    with pytest.raises(UsageError):
        note_today(ws.view(), line)
    assert files_of(ws) == {}


def daily(**keys: str) -> bytes:
    return memory_text("Mine\n", **({"id": "m_7f3k9q2x1c", "title": f'"{DAY} Sunday"', "tags": "[daily]"} | keys))


def test_a_title_may_go_on_after_the_date() -> None:
    ws = memory_workspace({"day.md": daily()})
    assert note_today(ws.view(), "one").path == "day.md"
    assert files_of(ws)["day.md"].endswith(b"Mine\n\n- one\n")


@pytest.mark.parametrize(
    "keys",
    [
        {"title": '"2026-01-31"'},
        {"title": '"a note of 2026-02-01"'},
        {"tags": "[dog]"},
        {"type": "episode"},
        {"status": "archived"},
        {"owner": "si:ash", "access_grants": f'["{OWNER}"]'},
        {"context": "ctx:family"},  # what is said in private is not for those who listen there
    ],
    ids=str,
)
def test_other_memories_are_no_daily_note(keys: dict[str, str]) -> None:
    ws = memory_workspace({"day.md": daily(**keys)})
    note_today(ws.view(), "one")
    assert files_of(ws)["day.md"] == daily(**keys)
    assert len(files_of(ws)) == 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("\n# Day\n", "\n# Day\n\n- x\n"),
        ("\n# Day\n\n", "\n# Day\n\n- x\n"),
        ("\n- one\n", "\n- one\n- x\n"),
        ("\n* one", "\n* one\n- x\n"),
        ("\n- one\n  more\n", "\n- one\n  more\n- x\n"),
        ("\n- one\n\n", "\n- one\n\n- x\n"),
        ("words", "words\n\n- x\n"),
        ("", "\n- x\n"),
        ("\n", "\n- x\n"),
        ("\r\n- one\r\n", "\r\n- one\r\n- x\r\n"),
        ("\r\nwords\r\n", "\r\nwords\r\n\r\n- x\r\n"),
    ],
)
def test_an_item_goes_to_the_end_of_what_is_there(body: str, expected: str) -> None:
    newline = "\r\n" if "\r" in body else "\n"
    before = f"---{newline}type: note{newline}---{newline}{body}".encode()
    text = fence.split(before)
    assert isinstance(text, FencedText)
    after = with_item(text, "x")
    assert after.joined(after.head) == before.removesuffix(body.encode()) + expected.encode()
    assert expected.startswith(body)


def test_two_who_begin_the_day_at_once_begin_one_note(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()
    words = ["one", "two", "three", "four"]
    with ThreadPoolExecutor() as pool:
        for done in pool.map(lambda word: program.run("today", word), words):
            assert done.returncode == 0, done.stderr
    (path,) = {memory["path"] for memory in program.json("list")["memories"]}
    body = (program.vault / path).read_text().partition("---\n\n")[2]
    assert sorted(body.splitlines()[2:]) == sorted(f"- {word}" for word in words)


def test_where_no_terminal_is_there_to_edit_in_the_path_is_printed(tmp_path: Path) -> None:
    program = InProcess(tmp_path).in_process()
    program.init()
    path = program.ok("today", EDITOR="false").rstrip("\n")
    assert (program.vault / path).is_file()
    assert program.ok("today", EDITOR="false").rstrip("\n") == path
    assert validated(program.ok("--json", "today"))["path"] == path
    assert validated(program.ok("--json", "today", "-", stdin="heard\n"))["path"] == path
    assert (program.vault / path).read_text().endswith("\n\n- heard\n")
