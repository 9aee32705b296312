"""Anthropic's memory tool on a vault: the texts of its documentation, and nothing outside of what may be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.adapters.memory_tool import MemoryTool, ToolText, sdk_tool
from tests.adapters.vaults import OTHER, made, opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

GUIDE = "/memories/support/guide.xml"
HEADER = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:"


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    return made(tmp_path)


@pytest.fixture
def tool(program: InProcess) -> MemoryTool:
    return MemoryTool(opened(program))


def done(tool: MemoryTool, command: str, **given: Any) -> str:
    answer = tool.execute({"command": command, **given})
    assert not answer.is_error, answer.text
    return answer.text


def refused(tool: MemoryTool, command: str, **given: Any) -> str:
    answer = tool.execute({"command": command, **given})
    assert answer.is_error, answer.text
    return answer.text


def test_a_session_as_documented(tool: MemoryTool) -> None:
    assert done(tool, "view", path="/memories") == f"{HEADER.format('/memories')}\n4.0K\t/memories"
    created = done(tool, "create", path=GUIDE, file_text="<guide>\n- be kind\n- ask twice\n</guide>\n")
    assert created == f"File created successfully at: {GUIDE}"
    assert done(tool, "view", path="/memories").splitlines()[1:] == [
        "4.0K\t/memories", "4.0K\t/memories/support", f"38B\t{GUIDE}",
    ]  # fmt: skip
    shown = done(tool, "view", path=GUIDE)
    assert shown == (
        f"Here's the content of {GUIDE} with line numbers:\n"
        "     1\t<guide>\n     2\t- be kind\n     3\t- ask twice\n     4\t</guide>"
    )
    assert done(tool, "view", path=GUIDE, view_range=[2, 3]).splitlines()[1:] == [
        "     2\t- be kind",
        "     3\t- ask twice",
    ]
    assert done(tool, "view", path=GUIDE, view_range=[4, -1]).splitlines()[1:] == ["     4\t</guide>"]
    edited = done(tool, "str_replace", path=GUIDE, old_str="be kind", new_str="be brief")
    assert edited.startswith("The memory file has been edited.\n     1\t<guide>\n     2\t- be brief\n")
    assert (
        done(tool, "insert", path=GUIDE, insert_line=0, insert_text="# Guide\n") == f"The file {GUIDE} has been edited."
    )
    assert done(tool, "view", path=GUIDE).splitlines()[1:3] == ["     1\t# Guide", "     2\t<guide>"]
    moved = done(tool, "rename", old_path="/memories/support", new_path="/memories/help")
    assert moved == "Successfully renamed /memories/support to /memories/help"
    assert done(tool, "view", path="/memories/help").splitlines()[2].endswith("/memories/help/guide.xml")
    assert done(tool, "delete", path="/memories/help") == "Successfully deleted /memories/help"
    assert done(tool, "view", path="/memories") == f"{HEADER.format('/memories')}\n4.0K\t/memories"


def test_errors_as_documented(tool: MemoryTool) -> None:
    done(tool, "create", path=GUIDE, file_text="one\ntwo\none\n")
    missing = "/memories/no.md"
    assert refused(tool, "view", path=missing) == f"The path {missing} does not exist. Please provide a valid path."
    assert refused(tool, "create", path=GUIDE, file_text="x") == f"Error: File {GUIDE} already exists"
    assert (
        refused(tool, "create", path="/memories/support", file_text="x")
        == "Error: File /memories/support already exists"
    )
    for path in (missing, "/memories/support"):
        assert refused(tool, "str_replace", path=path, old_str="a", new_str="b") == (
            f"Error: The path {path} does not exist. Please provide a valid path."
        )
        assert refused(tool, "insert", path=path, insert_line=0, insert_text="x") == (
            f"Error: The path {path} does not exist"
        )
    assert refused(tool, "str_replace", path=GUIDE, old_str="three", new_str="b") == (
        f"No replacement was performed, old_str `three` did not appear verbatim in {GUIDE}."
    )
    assert refused(tool, "str_replace", path=GUIDE, old_str="one", new_str="b") == (
        "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique"
    )
    assert refused(tool, "insert", path=GUIDE, insert_line=4, insert_text="x") == (
        "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]"
    )
    assert refused(tool, "delete", path=missing) == f"Error: The path {missing} does not exist"
    assert refused(tool, "rename", old_path=missing, new_path="/memories/x") == (
        f"Error: The path {missing} does not exist"
    )
    done(tool, "create", path="/memories/x", file_text="x")
    assert refused(tool, "rename", old_path=GUIDE, new_path="/memories/x") == (
        "Error: The destination /memories/x already exists"
    )
    assert "itself" in refused(tool, "delete", path="/memories")
    assert "itself" in refused(tool, "rename", old_path="/memories/", new_path="/memories/y")


OUTSIDE = [
    "/etc/passwd", "memories/x", "", "/memoriesx", "/memories/../x", "/memories/a/../../x", "/memories/./x",
    "/memories//x", "/memories/%2e%2e/x", "/memories/%252e%252e%252fx", "/memories/..\\x", "/memories/a\\..\\..\\x",
    "/memories/\x00", "/memories/a\nb",
]  # fmt: skip


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename"])
def test_no_path_leads_out(tool: MemoryTool, program: InProcess, command: str) -> None:
    given: dict[str, dict[str, Any]] = {
        "create": {"file_text": "x"},
        "str_replace": {"old_str": "a"},
        "insert": {"insert_line": 0, "insert_text": "x"},
    }
    for path in OUTSIDE:
        paths = {"old_path": path, "new_path": path} if command == "rename" else {"path": path}
        said = refused(tool, command, **paths, **given.get(command, {}))
        assert said.startswith(("Error: Path must start with /memories", "Error: Path ")), path
    assert not list(program.vault.glob("notes/**/*.md"))


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "command",
    [{}, {"command": "run", "path": "/memories"}, {"command": "view"}, {"command": "view", "path": 3},
     {"command": "view", "path": "/memories", "more": 1}, {"command": "create", "path": "/memories/x"},
     {"command": "insert", "path": "/memories/x", "insert_line": "0", "insert_text": "x"},
     {"command": "create", "path": "/memories/x", "file_text": " \n"}],
)  # fmt: skip
def test_odd_commands_are_errors(tool: MemoryTool, command: dict[str, Any]) -> None:
    answer = tool.execute(command)
    assert answer.is_error
    assert answer.text.startswith("Error: ")


def test_memories_of_others_are_files_as_well(tool: MemoryTool, program: InProcess) -> None:
    ref = program.json("add", "Bella eats at eight\n\nBut on Sundays at nine.")
    path = f"/memories/{ref['path']}"
    assert done(tool, "view", path="/memories/notes").count("\n") == 3
    done(tool, "str_replace", path=path, old_str="nine", new_str="ten")
    assert program.json("show", ref["ref"])["body"].strip().endswith("at ten.")
    done(tool, "rename", old_path=path, new_path="/memories/bella.txt")
    assert done(tool, "view", path="/memories").splitlines()[-1] == "43B\t/memories/bella.txt"
    done(tool, "delete", path="/memories/bella.txt")
    assert program.json("show", ref["ref"])["status"] == "archived"
    assert "- name" not in program.ok("undo")


def test_what_somebody_else_owns_is_read_and_not_written(program: InProcess) -> None:
    ref = program.json("add", "Bella eats at eight", "--access", "*")
    tool = MemoryTool(opened(program, OTHER))
    path = f"/memories/{ref['path']}"
    assert "Bella eats at eight" in done(tool, "view", path=path)
    for command, given in (
        ("str_replace", {"path": path, "old_str": "eight", "new_str": "nine"}), ("delete", {"path": path}),
        ("rename", {"old_path": path, "new_path": "/memories/x"}),
    ):  # fmt: skip
        assert refused(tool, command, **given).startswith("Error: ")
    assert program.json("show", ref["ref"])["body"].strip() == "Bella eats at eight"


def test_what_is_hidden_is_missing(program: InProcess) -> None:
    program.ok("add", "Everybody knows Bella", "--access", "*")
    MemoryTool(opened(program)).execute(
        {"command": "create", "path": "/memories/secret.md", "file_text": "Bella bites"}
    )
    hidden = next(path for path in program.vault.glob("notes/**/*.md") if "bites" in path.read_text())
    where = f"/memories/{hidden.relative_to(program.vault)}"
    commands: list[dict[str, Any]] = [
        {"command": "view", "path": "/memories"}, {"command": "view", "path": "/memories/notes"},
        *({"command": "view", "path": path} for path in ("/memories/secret.md", where)),
        *({"command": "delete", "path": path} for path in ("/memories/secret.md", where)),
        {"command": "str_replace", "path": where, "old_str": "bites", "new_str": "x"},
        {"command": "insert", "path": where, "insert_line": 9, "insert_text": "x"},
        {"command": "rename", "old_path": "/memories/secret.md", "new_path": "/memories/x"},
    ]  # fmt: skip

    def told() -> list[ToolText]:
        return [MemoryTool(opened(program, OTHER)).execute(command) for command in commands]

    full = told()
    hidden.unlink()
    assert told() == full


def test_with_the_real_package(program: InProcess) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason="the package anthropic is not installed")
    tool = sdk_tool(opened(program))
    assert isinstance(tool, tools.BetaAbstractMemoryTool)
    assert tool.to_dict() == MemoryTool.PARAM
    assert tool.call({"command": "create", "path": GUIDE, "file_text": "one\n"}).endswith(GUIDE)
    assert tool.call({"command": "view", "path": GUIDE, "view_range": [1, 1]}).endswith("     1\tone")
    with pytest.raises(tools.ToolError, match="already exists"):
        tool.call({"command": "create", "path": GUIDE, "file_text": "one\n"})
    assert "edited" in tool.call({"command": "insert", "path": GUIDE, "insert_line": 1, "insert_text": "two"})
    tool.call({"command": "rename", "old_path": GUIDE, "new_path": "/memories/x"})
    assert tool.call({"command": "delete", "path": "/memories/x"}) == "Successfully deleted /memories/x"


def test_half_a_character_is_refused(tool: MemoryTool) -> None:
    """A model's JSON can spell one, and no file can hold it."""
    done(tool, "create", path=GUIDE, file_text="one")
    for command in ({"command": "create", "path": "/memories/x", "file_text": "\ud83d"},
                    {"command": "str_replace", "path": GUIDE, "old_str": "one", "new_str": "\ud83d"}):  # fmt: skip
        assert tool.execute(command) == ("Error: a text has a character that can't be written", True)
    assert done(tool, "view", path=GUIDE).endswith("\tone")


def test_what_is_written_after_a_page_was_shown_is_derived_from_it(program: InProcess) -> None:
    page = program.json("add", "Dr. Evil sells food", "--source-type", "external")
    tool, vault = MemoryTool(opened(program)), opened(program)

    def sources() -> list[tuple[str, ...]]:
        return [vault.get(entry.id or "").derived_from for entry in vault.list() if entry.source_type != "external"]

    done(tool, "create", path=GUIDE, file_text="one\n")
    done(tool, "view", path="/memories")
    done(tool, "str_replace", path=GUIDE, old_str="one", new_str="two")
    assert sources() == [()]
    done(tool, "view", path=f"/memories/{page['path']}")
    done(tool, "rename", old_path=GUIDE, new_path="/memories/guide.md")
    assert sources() == [()]
    done(tool, "insert", path="/memories/guide.md", insert_line=0, insert_text="Buy at Dr. Evil's.")
    done(tool, "create", path="/memories/more.md", file_text="more\n")
    assert sources() == [(page["ref"],)] * 2
