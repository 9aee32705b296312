"""The history's commands as they are installed: what they print, their JSON, their exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.history.git_hooks import DRIVER, HOOK_NAMES
from tests.git_repositories import memory
from tests.support import memory_text
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

CREATED = '"2026-01-01T00:00:00Z"'
REFUSED, NOT_FOUND, USAGE, VAULT = 4, 3, 2, 5

ALL_HOOKS = (DRIVER, *HOOK_NAMES)


@pytest.fixture
def here(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    (program.vault / "a b.md").write_text(memory("m_aaa", "one\ntwo\n", confidence="0.8", created_at=CREATED))
    return program


def test_a_memory_that_was_edited_into_being_unreadable_is_not_committed(here: InProcess) -> None:
    here.ok("commit")
    file = here.vault / "a b.md"
    for broken in (b"---\ntype: note\nid: [\n---\none\n", b"---\ntype: note\nid: m_aaa\none\n"):
        file.write_bytes(broken)
        said = here.ok("status")
        assert "all committed" not in said
        assert "can't be read (memstore check says why)\n  a b.md" in said
        assert here.json("status")["broken_uncommitted"] == ["a b.md"]
    here.git("commit", "--no-verify", "-qam", "broken")
    assert "all committed" in here.ok("status")
    assert here.json("status")["broken_uncommitted"] == []


def test_a_day_with_the_history(here: InProcess) -> None:
    program = Program(here.home)
    assert "  add note:m_aaa  a b.md\n" in program.ok("status")
    made = program.json("commit")
    assert (made["schema"], made["refs"], made["message"]) == (
        "memstore.commit/1", ["note:m_aaa"],
        "add one\n\nMemory-Id: m_aaa\n",
    )  # fmt: skip
    assert program.ok("commit") == "nothing to commit\n"
    assert program.ok("status").splitlines()[0] == f"1 memory, on branch main at {made['commit'][:10]}, all committed"
    (program.vault / "a b.md").write_text(memory("m_aaa", "one\n2\n", confidence="0.9"))
    assert program.ok("diff").splitlines() == [
        "edit note:m_aaa  a b.md",
        "  confidence 0.80 → 0.90",
        "  created_at 2026-01-01T00:00:00Z → (none)",
        "  body: 1 line changed",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
    ]
    warned = program.run("commit", "-m", "Surer", "m_aaa")
    assert warned.returncode == 0
    assert "[created-at-changed]" in warned.stderr
    second = program.json("log", "m_aaa", "-n", "1")["entries"][0]
    assert (second["verb"], second["summary"], second["by"]) == ("edit", "Surer", "Tester")
    assert [line.split()[3:5] for line in program.ok("log").splitlines()] == [
        ["one", "note:m_aaa:"],
        ["one", "note:m_aaa"],
    ]
    blamed = program.json("blame", "m_aaa")["body"]
    assert [(line["text"], line["commit"]) for line in blamed] == [("one", made["commit"]), ("2", second["commit"])]
    assert program.ok("blame", "m_aaa").count("Tester") == 2
    assert program.json("diff", "m_aaa", "HEAD~1")["memories"][0]["changes"] == [
        "confidence 0.80 → 0.90",
        "created_at 2026-01-01T00:00:00Z → (none)",
        "body: 1 line changed",
    ]
    assert program.json("show", "m_aaa", "--at", "HEAD~1")["confidence"] == 0.8
    assert "Memory-Id: m_aaa" in program.git("log", "-1", "--format=%B")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("log", "m_zzz"), NOT_FOUND), (("blame", "m_zzz"), NOT_FOUND), (("diff", "m_aaa", "nothing"), NOT_FOUND),
        (("diff", "m_aaa", "2026-13-01"), USAGE), (("commit", "m_zzz"), NOT_FOUND), (("undo",), NOT_FOUND),
        (("hooks", "nothing"), USAGE), (("log", "-n", "x"), USAGE),
    ],
)  # fmt: skip
def test_exit_codes(here: InProcess, words: tuple[str, ...], code: int) -> None:
    here.ok("commit")
    done = here.run(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr


def test_hooks_come_and_go(here: InProcess) -> None:
    assert here.json("hooks", "status")["hooks"] == dict.fromkeys(ALL_HOOKS, "ours")
    assert "not installed" in here.ok("hooks", "uninstall")
    assert f"no hook: {', '.join(ALL_HOOKS)} (memstore hooks install)" in here.ok("status")
    (here.vault / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 0\n")
    done = here.run("hooks", "install")
    assert done.returncode == REFUSED
    others = [name for name in ALL_HOOKS if name != "pre-commit"]
    assert f"another program's hook and stays as it is\ninstalled: {', '.join(others)}\n" in done.stderr
    assert here.json("hooks", "status")["hooks"] == dict.fromkeys(ALL_HOOKS, "ours") | {"pre-commit": "foreign"}


def test_without_an_identity_only_the_commit_fails(here: InProcess) -> None:
    (here.home / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    for words in (("status",), ("diff",), ("log",), ("list",), ("show", "m_aaa")):
        here.ok(*words)
    done = here.run("commit")
    assert done.returncode == VAULT
    assert "git config --global user.name" in done.stderr
    assert "git config --global user.email" in done.stderr


def test_without_a_repository_the_rest_works(here: InProcess) -> None:
    (here.vault / ".git").rename(here.home / "elsewhere")
    here.environment["GIT_CEILING_DIRECTORIES"] = str(here.home.parent)
    assert "not in a git repository" in here.ok("status")
    assert "m_aaa" in here.ok("list")
    for words in (
        ("log",),
        ("blame", "m_aaa"),
        ("diff",),
        ("commit",),
        ("show", "m_aaa", "--at", "HEAD"),
        ("hooks", "install"),
    ):
        done = here.run(*words)
        assert (done.returncode, done.stdout) == (VAULT, ""), words
        assert "not in a git repository" in done.stderr, words


def test_a_path_with_a_line_break_drives_nothing(here: InProcess) -> None:
    (here.vault / "evil\n\x1b[31m.md").write_text(memory("m_bbb", "\x1b[2J\n"))
    here.ok("commit")
    (here.vault / "evil\n\x1b[31m.md").write_text(memory("m_bbb", "\x1b[3J\n"))
    for words in (("status",), ("diff",), ("log",), ("blame", "m_bbb"), ("commit",)):
        assert "\x1b" not in here.ok(*words)


def test_a_clone_is_a_vault_that_init_only_sets_up(here: InProcess, tmp_path: Path) -> None:
    here.ok("commit")
    here.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = tmp_path / "clone"
    assert "note:m_aaa" in here.ok("list", cwd=clone)
    told = here.ok("init", cwd=clone)
    assert told.startswith(f"{clone} is already a vault; its owner is human:tester\n")
    assert f"set up {len(ALL_HOOKS)} git hooks" in told
    assert "adopt" not in told


def test_whoever_acts_commits_and_sees_the_records_of_it(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()
    ben = ("--as", "human:ben")
    consent = ("--from", "human:ben", "--scope", "source:human:ben")
    program.ok("context", "add", "ctx:watch", "--roster", "human:ben", "human:cleo")
    program.ok("commit")

    def left() -> list[str]:
        return [line[3:] for line in program.git("status", "--short", "-uall").splitlines()]

    program.ok(*ben, "add", "On call from Monday", "--access", "human:tester", "-c")
    assert left() == []
    program.ok(*ben, "consent", "grant", *consent, "--to", "human:cleo", "-c")
    assert left() == []
    program.ok(*ben, "consent", "refuse", *consent, "--to", "human:tester")
    records = left()
    assert [path.partition("/")[0] for path in records] == ["audit", "consents"]
    assert program.json(*ben, "status")["own_files"] == records
    assert program.json("--as", "human:cleo", "status")["own_files"] == []
    assert program.json(*ben, "--context", "ctx:watch", "status")["own_files"] == []
    program.ok("privacy", "entity", "add", "human:dan")
    program.ok(*ben, "commit")
    assert not {*records} & {*left()}
    assert left()


def test_reasons_of_an_earlier_day(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()
    files = {
        "b.md": memory_text(
            "The lift sticks.\n", type="belief", id="m_bel", confidence="0.6", created_at='"2020-01-01T00:00:00Z"'
        ),
        "e.md": memory_text("It stuck.\n", type="episode", id="m_epi", source_type="direct_experience"),
    }
    for name, data in files.items():
        (program.vault / name).write_bytes(data)

    def commit(day: str) -> str:
        program.git("add", "-A")
        program.environment |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{day}T12:00:00 +0000")
        program.git("commit", "-q", "--no-verify", "-m", day)
        return program.git("rev-parse", "HEAD").strip()

    first = commit("2020-02-01")
    program.ok("reinforce", "m_bel", "--evidence", "m_epi")
    program.ok("set", "m_bel", "derived_from=m_epi")
    for name in ("m_epi", "m_bel"):
        program.ok("privacy", "grant", name, "--to", "human:eve")
    commit("2020-06-01")

    def reasons(*at: str) -> tuple[float, bool, int]:
        why = program.json("why", "m_bel", *at)["numbers"][0]["value"]
        sees = program.json("privacy", "explain", "m_bel", "--for", "human:eve", *at)["decision"] == "allow"
        return why, sees, len(program.json("trace", "m_bel", *at)["edges"])

    now = program.json("search", "sticks")["results"][0]["combined_score"]
    for at in ("2020-03-01", first, first[:9]):
        assert reasons("--at", at) == (0.6, False, 0)
        assert program.json("show", "m_bel", "--at", at)["confidence_now"] == pytest.approx(0.6, abs=0.01)
        assert program.json("search", "sticks", "--at", at)["results"][0]["combined_score"] > now
    assert reasons("--at", "2020-07-01") == reasons() == (0.6496, True, 1)
    assert program.run("why", "m_bel", "--at", "2019").returncode == NOT_FOUND
    assert program.run("trace", "m_bel", "--at", "no day").returncode == NOT_FOUND
    assert program.run("--as", "human:eve", "why", "m_bel", "--at", first).returncode == REFUSED
