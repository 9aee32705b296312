"""Lines that memories cite, and that have changed since."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

CODE = "one = 1\ntwo = 2\nthree = 3\nfour = 4\n"


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    """Return a vault that is a folder of a repository with code, whose lines 2 and 3 a memory cites."""
    program = Program(tmp_path).in_process()
    repository = tmp_path / "repository"
    program.vault = repository / "notes"
    program.vault.mkdir(parents=True)
    program.git("init", "-q", "..")
    (repository / "src.py").write_text(CODE)
    program.ok("init", ".", "--owner", "human:sam")
    commit(program)
    program.ok("add", "Two and three are numbers.", "--cite", "../src.py:L2-L3")
    (program.vault / "tea.md").write_bytes(memory_text("Tea is hot.\n\nVery hot.\n", id="m_tea0000001"))
    commit(program)
    return program


def commit(program: InProcess) -> None:
    program.git("add", "-A", "..")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "work")


def code(vault: InProcess, text: str) -> None:
    (vault.vault.parent / "src.py").write_text(text)


def found(vault: InProcess) -> list[tuple[str, int, str]]:
    findings = vault.json("index", "watch", "--citations")["findings"]
    return [(one["path"], one["line"], one["text"]) for one in findings]


@pytest.mark.parametrize("text", [CODE, "zero = 0\n" + CODE, CODE.replace("one = 1", "one = 1.0"), CODE + "five = 5\n"])
def test_lines_that_stand_or_only_moved_are_not_reported(vault: InProcess, text: str) -> None:
    code(vault, text)
    assert found(vault) == []
    assert vault.ok("index", "watch", "--citations") == ""


def test_lines_that_changed_are_reported_where_they_are_now(vault: InProcess) -> None:
    code(vault, "zero = 0\n" + CODE.replace("three = 3", "three = 33"))
    [(path, line, text)] = found(vault)
    assert (path, line) == ("../src.py", 3)
    assert re.match(r"note:m_\w+ cites lines 2 to 3 of revision [0-9a-f]{10}, which have changed$", text)
    [notice] = vault.ok("index", "watch", "--citations", "--output-format", "github").splitlines()
    assert notice.startswith("::notice file=src.py,line=3,col=1,title=citation-changed::note:m_")
    sarif = json.loads(vault.ok("index", "watch", "--citations", "--output-format", "sarif"))
    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("src.py", 3)


def test_a_strict_check_tells_them_too(vault: InProcess) -> None:
    vault.ok("set", "m_tea0000001", "source=a talk")  # a memory without a source fails a strict check
    assert "citation-changed" not in vault.ok("check", "--strict")
    code(vault, CODE.replace("three = 3", "three = 33"))
    assert "citation-changed" not in vault.ok("check")
    assert "../src.py:2:1: notice: " in vault.ok("check", "--strict")
    told = vault.json("check", "--strict")["notices"]
    assert told == vault.json("index", "watch", "--citations")["findings"]
    assert "citation-changed" not in {one["code"] for one in vault.json("check")["notices"]}


def test_lines_and_files_that_are_gone_are_reported(vault: InProcess) -> None:
    code(vault, "one = 1\nfour = 4\n")
    assert [one[2][-14:] for one in found(vault)] == ["which are gone"]
    (vault.vault.parent / "src.py").unlink()
    assert [(one[0], one[1], one[2][-14:]) for one in found(vault)] == [("../src.py", 1, "which are gone")]


def test_a_renamed_file_is_followed(vault: InProcess) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    repository = vault.vault.parent
    (repository / "src.py").write_text(CODE + text)
    commit(vault)
    vault.ok("add", "Ten is a line.", "--cite", "../src.py:L15")
    for old, new in (("src.py", "lib/näw file.py"), ("lib/näw file.py", "lib/last.py")):
        (repository / new).parent.mkdir(exist_ok=True)
        (repository / old).rename(repository / new)
        commit(vault)
    (repository / "lib/last.py").write_text("# a heading\n" + CODE + text)
    commit(vault)
    assert found(vault) == []
    (repository / "lib/last.py").write_text(CODE + text.replace("line 10\n", "line ten\n"))
    assert [one[:2] for one in found(vault)] == [("../lib/last.py", 15)]
    (repository / "lib/last.py").unlink()
    commit(vault)
    assert [one[:2] for one in found(vault)] == [("../src.py", 1), ("../src.py", 1)]


def test_the_place_of_a_file_outside_the_vault_reads_plainly(vault: InProcess) -> None:
    code(vault, CODE.replace("three = 3", "three = 33"))
    [line] = vault.ok("--vault", str(vault.vault), "index", "watch", "--citations", cwd=vault.home).splitlines()
    assert line.startswith("repository/src.py:2: notice: ")


def test_lines_of_a_memory_count_too(vault: InProcess) -> None:
    cited = vault.json("show", "--cite", "m_tea0000001")
    ref = vault.json("add", f"It is hot: {cited['text']}")["ref"]
    assert found(vault) == []
    vault.ok("edit", "m_tea0000001", "Tea is cold.\n\nVery cold.")
    [(_, _, text)] = found(vault)
    assert text.startswith(f"{ref} cites line")


def test_it_is_for_the_owner_alone_and_a_format_needs_it(vault: InProcess) -> None:
    assert vault.run("--as", "human:eve", "index", "watch", "--citations").returncode == 4
    assert vault.run("index", "watch", "--once", "--output-format", "github").returncode == 2
