from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from memstore.core.errors import UsageError
from memstore.files import fence
from memstore.files.fence import FencedText
from memstore.memories.today import note_today, with_item
from memstore.vault.status import undo
from tests.installed import validated
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess, Program

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
    program = Program(tmp_path)
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


PLAIN = "# Mine\n"


def days_of(program: InProcess, *paths: str) -> None:
    for path in paths:
        (program.vault / path).parent.mkdir(parents=True, exist_ok=True)
        (program.vault / path).write_text(PLAIN)


def settings_of_obsidian(program: InProcess, text: str) -> None:
    (program.vault / ".obsidian").mkdir()
    (program.vault / ".obsidian/daily-notes.json").write_text(text)


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path).in_process()
    program.init()
    return program


def this_day() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


@pytest.mark.parametrize(
    ("kept", "name"),
    [
        (["daily/2020-01-31.md"], "daily/{}-{}-{}.md"),
        (["journals/2020_01_31.md", "pages/tea.md"], "journals/{}_{}_{}.md"),
        (["a/2020/01/2020-01-31.md"], "a/{0}/{1}/{0}-{1}-{2}.md"),
        (["2020-01-31.md"], "{}-{}-{}.md"),
        (["meetings/2020-01-30.md", "daily/2020-01-29.md", "daily/2020-01-28.md"], "daily/{}-{}-{}.md"),
        (["old/2019-01-31.md", "new/2020-01-30.md"], "new/{}-{}-{}.md"),
    ],
)
def test_the_note_is_where_daily_notes_already_are(program: InProcess, kept: list[str], name: str) -> None:
    path = name.format(*this_day().split("-"))
    days_of(program, *kept)
    assert program.ok("today", "one").startswith(f"{path}: ")
    assert program.ok("today", "two").startswith(f"{path}: ")
    assert (program.vault / path).read_text().endswith("- one\n- two\n")
    (program.vault / path).write_text(PLAIN)  # as that program begins it
    assert program.ok("today").strip() == path
    assert (program.vault / path).read_text() == PLAIN
    done = program.run("today", "three")
    assert (done.returncode, f"adopted {path}" in done.stderr) == (0, True), done
    assert program.ok("today", "four").startswith(f"{path}: ")
    assert (program.vault / path).read_text().endswith("\n# Mine\n\n- three\n- four\n")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ('{"folder": "days"}', "days/{}-{}-{}.md"),
        ('{"folder": "/days/", "format": "YYYY/MM/YYYY.MM.DD"}', "days/{0}/{1}/{0}.{1}.{2}.md"),
        ('{"format": "YYYYMMDD", "autorun": true}', "{}{}{}.md"),
        ("{}", "{}-{}-{}.md"),
    ],
)
def test_the_note_is_where_obsidian_is_told_to_put_it(program: InProcess, settings: str, name: str) -> None:
    path = name.format(*this_day().split("-"))
    days_of(program, "elsewhere/2020-01-31.md")
    settings_of_obsidian(program, settings)
    assert program.ok("today", "one").startswith(f"{path}: ")
    (program.vault / path).write_text(PLAIN)
    assert program.ok("today", "two").startswith(f"{path}: ")
    assert (program.vault / path).read_text().endswith("\n# Mine\n\n- two\n")


@pytest.mark.parametrize(
    "settings",
    [
        "", "[1", "[]", '{"folder": 1}', '{"folder": "../out"}', '{"folder": ".git"}', '{"folder": "a/../../b"}',
        '{"folder": "entities"}', '{"format": "dddd"}', '{"format": "YYYY-MM"}', '{"format": "[Day] DD"}',
    ],
)  # fmt: skip
def test_settings_that_name_no_place_for_a_note_are_passed_over(program: InProcess, settings: str) -> None:
    settings_of_obsidian(program, settings)
    assert program.ok("today", "one").startswith("notes/")


def test_only_the_owner_has_the_habits_of_the_vault(program: InProcess) -> None:
    days_of(program, f"daily/{this_day()}.md")
    assert program.ok("--as", "si:ash", "today", "one").startswith("notes/")
    assert (program.vault / f"daily/{this_day()}.md").read_text() == PLAIN


def test_a_day_is_that_of_the_vaults_time_zone(program: Program) -> None:
    program.ok("config", "timezone", "Pacific/Kiritimati")
    day = datetime.now(UTC).astimezone(ZoneInfo("Pacific/Kiritimati")).date().isoformat()
    program.ok("today", "early tea")
    assert day in program.ok("search", "early tea")
    assert "early" in program.ok("list", "--since", "today", "--json") or day in program.ok("list", "--since", "today")
    program.ok("add", "dated", "--created-at", "2021-05-05")
    assert "2021-05-05" in program.ok("list", "--since", "2021-05-05", "--until", "2021-05-05")
    refused = program.run("config", "timezone", "Mars/Olympus")
    assert refused.returncode == 2
    assert "a time zone, like Europe/Zurich" in refused.stderr


def test_lists_and_hits_have_days_of_the_vaults_time_zone_and_a_day_is_the_same_everywhere(program: Program) -> None:
    program.ok("add", "late tea", "--created-at", "2026-06-30T23:30:00Z")
    program.ok("add", "day tea", "--created-at", "2026-06-30")
    program.ok("config", "timezone", "Europe/Zurich")
    days = {line.split("\t")[0]: line.split("\t")[1] for line in program.ok("list").splitlines()}
    assert days == {"late tea": "2026-07-01", "day tea": "2026-06-30"}
    assert "2026-07-01" in program.ok("search", "late")
    stored = {one["title"]: one["created_at"] for one in program.json("list")["memories"]}
    assert stored["late tea"] == "2026-06-30T23:30:00Z"
    who = ("--from", "human:tester", "--to", "human:ann", "--scope", "ctx:tea")
    consent = program.json("privacy", "consent", "grant", *who, "--expires", "2031-07-01")["path"]
    assert "2031-06-30T22:00:00Z" in (program.vault / consent).read_text()
