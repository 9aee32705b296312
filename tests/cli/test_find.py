"""`memstore find` picks by fzf or by a number, opens the editor at the line, and shows nobody what is hidden."""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from memstore.vault.editor import Editor
from tests.support import memory_text
from tests.terminal import at_a_terminal
from tests.whole.program import Program

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

EDITOR = '#!/bin/sh\nfor one; do printf "arg:%s\\n" "$one"; done\n'


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Program(tmp_path_factory.mktemp("find"))
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:sam")
    (program.vault / "tea.md").write_bytes(memory_text("Rain.\n\nGreen tea wants eighty degrees.\n", id="m_tea0000001"))
    (program.vault / "shared.md").write_bytes(memory_text("Kettle sings.\n", id="m_kettle0001"))
    program.ok("privacy", "grant", "m_kettle0001", "--to", "human:bo")
    (program.vault / "plain note.md").write_text("# A plain one\n\nNothing of tea.\n")
    (program.home / "bin").mkdir()
    editor = program.home / "bin/ed1"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    # Links to what the program needs, so that fzf is there only where a test puts it.
    for name in ("sh", "git", "less", "cat", "env", "grep", "head", "printf", "cut"):
        (program.home / "bin" / name).symlink_to(shutil.which(name) or "/bin/sh")
    return program


def _at_a_terminal(
    vault: Program,
    *words: str,
    typed: bytes = b"",
    picker: str | None = None,
    interrupted: bool = False,
    folder: Path | None = None,
    **variables: str,
) -> tuple[int, str]:
    fzf = vault.home / "bin/fzf"
    fzf.unlink(missing_ok=True)
    if picker is not None:
        fzf.write_text(f"#!/bin/sh\n{picker}\n")
        fzf.chmod(0o755)
    waiting = [signal.SIGINT] if interrupted else []

    def watched(process: subprocess.Popen[bytes], seen: bytes) -> None:
        if waiting and b"number" in seen:
            process.send_signal(waiting.pop())

    environment = vault.environment | {"TERM": "dumb", "PATH": str(vault.home / "bin"), "EDITOR": "ed1"} | variables
    return at_a_terminal(("find", *words), folder or vault.vault, environment, typed=typed, watched=watched)


def test_a_number_opens_the_editor_at_the_line(vault: Program) -> None:
    code, seen = _at_a_terminal(vault, "eighty", "degrees", typed=b"1\n")
    line = next(n for n, text in enumerate((vault.vault / "tea.md").read_text().splitlines(), 1) if "eighty" in text)
    assert code == 0
    assert f"  tea.md:{line}\n" in seen
    assert seen.endswith(f"arg:+{line}\narg:{vault.vault}/tea.md\n")


@pytest.mark.parametrize(("typed", "code", "said"), [(b"\n", 0, "nothing was chosen"), (b"9\n", 2, "'9' is none of")])
def test_an_empty_or_wrong_choice_is_told(vault: Program, typed: bytes, code: int, said: str) -> None:
    done, seen = _at_a_terminal(vault, typed=typed)
    assert (done, said in seen, "arg:" in seen) == (code, True, False), seen


def test_a_missing_editor_and_an_interrupt_are_told(vault: Program) -> None:
    code, seen = _at_a_terminal(vault, typed=b"1\n", EDITOR="no-such-editor")
    assert (code, "there is no editor 'no-such-editor'" in seen) == (5, True), seen
    code, seen = _at_a_terminal(vault, interrupted=True)
    assert (code, "interrupted" in seen) == (130, True), seen


def test_the_picker_gets_all_and_its_choice_is_opened(vault: Program) -> None:
    code, seen = _at_a_terminal(vault, picker="grep plain")
    assert (code, seen) == (0, f"arg:{vault.vault}/plain note.md\n")
    code, seen = _at_a_terminal(vault, picker="cat > /dev/null; exit 130")
    assert (code, seen) == (0, "nothing was chosen\n")
    code, seen = _at_a_terminal(vault, "zeppelin", picker="cat")
    assert (code, seen) == (0, "nothing found for: zeppelin\n")


def test_the_picker_and_its_preview_show_what_the_viewer_may_see(vault: Program) -> None:
    record = vault.home / "given"
    script = f"""
        for one; do printf '%s\\n' "$one" >> {record}; [ "$before" = --preview ] && preview=$one; before=$one; done
        head -n 20 > {record}.rows; cat {record}.rows >> {record}
        for name in m_tea0000001 "plain note.md" m_kettle0001; do
            sh -c "${{preview%???}} '$name'" >> {record} 2>&1
        done
        grep kettle {record}.rows
    """
    code, seen = _at_a_terminal(vault, "--as", "human:bo", picker=script)
    assert code == 0, seen
    given = record.read_text()
    assert "Kettle sings." in seen  # shown, and not opened: it is Sam's
    assert "arg:" not in seen
    assert given.count("no memory matches") == 2
    assert "Kettle sings." in given
    assert [word for word in ("eighty", "plain one", "Nothing of tea") if word in given] == []


def test_the_preview_shows_the_file_that_is_meant_and_runs_nothing_of_the_folder(vault: Program) -> None:
    below = vault.vault / "below"
    hostile = {"memstore/__init__.py": "", "memstore/__main__.py": "print('owned')\n", "plain note.md": "Another.\n"}
    for path, text in hostile.items():
        (below / path).parent.mkdir(parents=True, exist_ok=True)
        (below / path).write_text(text)
    record = vault.home / "previewed"
    script = f"""
        for one; do [ "$before" = --preview ] && preview=$one; before=$one; done
        name=$(grep "A plain one" | cut -f 2)
        sh -c "${{preview%???}} '$name'" > {record} 2>&1
    """
    _at_a_terminal(vault, picker=script, folder=below)
    assert "Nothing of tea." in record.read_text()
    assert "owned" not in record.read_text()
    shutil.rmtree(below)


@pytest.mark.parametrize("words", [(), ("green tea",), ("--json",), ("--no-input",)])
def test_without_a_terminal_it_says_what_to_use(vault: Program, words: tuple[str, ...]) -> None:
    done = vault.run("find", *words)
    assert done.returncode == 2
    assert "find needs a terminal" in done.stderr + done.stdout
    assert ("memstore search 'green tea' prints" in done.stderr) == ("green tea" in words)


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vi", "+7 F"), ("/usr/bin/nano -w", "-w +7 F"), ("code --wait", "--wait --goto F:7"),
        ("hx", "F:7"), ("ed", "F"),
    ],
)  # fmt: skip
def test_each_editor_is_told_the_line_as_it_takes_it(editor: str, words: str, tmp_path: Path) -> None:
    program, *_ = editor.split()
    script = tmp_path / program.rpartition("/")[2]
    script.write_text('#!/bin/sh\necho "$@" > "$0.given"\n')
    script.chmod(0o755)
    chosen = f"{script}{editor.removeprefix(program)}"
    Editor({"EDITOR": chosen}, tmp_path).open(tmp_path / "F", line=7)
    assert script.with_name(f"{script.name}.given").read_text().strip() == words.replace("F", f"{tmp_path}/F")
