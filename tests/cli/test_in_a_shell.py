"""What a shell and a person at it may do to the installed program."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from memstore.core.columns import columns as width
from tests.installed import MEMSTORE
from tests.terminal import at_a_terminal
from tests.transcripts import runner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.soak(12, together=True)

VAULT = runner.FOLDER / "vault"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> runner.Shell:
    return runner.Shell(tmp_path_factory.mktemp("shell"), None)


def _bash(shell: runner.Shell, script: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**shell.environment, **variables}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=shell.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def test_a_reader_that_has_read_enough_is_no_failure(shell: runner.Shell) -> None:
    done = _bash(shell, "set -o pipefail; for i in 1 2 3; do memstore list | true; done; memstore list | head -1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("command", ["list", "list --json", "list --jsonl", "--help"])
def test_a_full_disk_is_a_failure(shell: runner.Shell, command: str) -> None:
    done = _bash(shell, f"memstore {command} > /dev/full")
    assert done.returncode == 5
    assert b"standard output: No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_closed_standard_output_is_a_failure(shell: runner.Shell) -> None:
    for command in ("list", "list --help"):
        done = _bash(shell, f"memstore {command} >&-")
        assert done.returncode == 5
        assert b"standard output: it is closed\nhint: only the answer is missing" in done.stderr
    assert _bash(shell, "memstore list 2>&- | head -1").returncode == 0


@pytest.mark.parametrize("errors", ["2> /dev/full", "2>&-", "2> >(true)"])
def test_an_aside_that_can_not_be_written_changes_nothing(shell: runner.Shell, tmp_path: Path, errors: str) -> None:
    added = json.loads(_bash(shell, f"memstore add 'A cup too many, {tmp_path.name}.' --json").stdout)
    done = _bash(shell, f"memstore forget {added['ref']} {errors}")  # it also says what git still has
    assert (done.returncode, b"forgotten" in done.stdout) == (0, True)
    assert _bash(shell, f"memstore search nothing_like_it {errors}").returncode == 0
    assert _bash(shell, f"memstore forget {added['ref'][:-1]}o {errors}").returncode == 3


def test_any_locale_will_do(shell: runner.Shell) -> None:
    memory = shell.folder / "memories/odd.md"
    memory.write_text("---\ntype: note\nid: m_0ddd00000d\ntitle: Tee → 茶 … 🐕\n---\n\nGrün.\n")
    try:
        for variables in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}):
            done = _bash(shell, "memstore show m_0ddd && memstore list --json", **variables)
            assert (done.returncode, done.stderr) == (0, b""), variables
            document = json.loads(done.stdout.splitlines()[-1])
            assert "Tee → 茶 … 🐕" in {memory["title"] for memory in document["memories"]}
    finally:
        memory.unlink()


def test_a_path_that_is_no_text_is_printed_as_it_is(shell: runner.Shell) -> None:
    odd = os.fsencode(shell.folder) + b"/memories/caf\xe9 \n.md"
    shutil.copy(os.fsencode(VAULT / "memories/tea.md"), odd)
    with open(odd, "r+b") as file:  # noqa: PTH123 - a Path can't be made of bytes
        data = file.read().replace(b"m_0tea00001x", b"m_0caf00001x")
        file.seek(0)
        file.write(data)
    try:
        done = _bash(shell, 'test -f "$(memstore show --path m_0caf)" && memstore list --json | wc -l && memstore list')
        assert done.returncode == 0, done.stderr
        assert b"caf\xe9  .md" in done.stdout  # in a list, a line end in a path must not end the line
    finally:
        os.unlink(odd)  # noqa: PTH108


def test_escapes_in_memories_do_nothing(shell: runner.Shell) -> None:
    memory = shell.folder / "memories/evil.md"
    memory.write_text("---\ntype: note\nid: m_0ev100000d\n---\n\n\x1b]0;owned\x07 \u202eevil\n")
    try:
        for command in ("list --color always", "show m_0ev1", "show m_0ev1 --json"):
            shown = _bash(shell, f"memstore {command}").stdout
            assert b"\x1b]0" not in shown, command
            assert "\u202e".encode() not in shown, command
    finally:
        memory.unlink()


@pytest.mark.soak(3)
@pytest.mark.parametrize("command", ["list", "show m_0tea", "config", "doctor", "help", "path nothing", "lst"])
def test_json_is_exactly_one_document(shell: runner.Shell, command: str) -> None:
    done = _bash(shell, f"memstore {command} --json")
    document = json.loads(done.stdout)
    assert done.stderr == b""
    assert document["schema"].startswith("memstore.")
    assert ("error" in document) == (done.returncode > 1)


def test_a_vault_that_cannot_be_read_says_why(shell: runner.Shell, tmp_path: Path) -> None:
    (tmp_path / ".memstore/config.toml").mkdir(parents=True)
    done = _bash(shell, f"memstore list --vault {tmp_path}")
    assert done.returncode == 5
    assert b"config.toml" in done.stderr


def test_interrupted_is_130_and_says_so_in_one_line(shell: runner.Shell) -> None:
    with subprocess.Popen(
        [MEMSTORE, "search", "--queries", "-"],
        cwd=shell.folder,
        env=shell.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(b"tea\n")
        program.stdin.flush()
        answered = program.stdout.readline()  # and now it waits for the next query
        program.send_signal(signal.SIGINT)
        errors = program.communicate()[1]
    assert answered == b"==> tea\n"
    assert program.returncode == 130
    assert errors == b"memstore: interrupted\n"


def _at_a_terminal(
    shell: runner.Shell, *words: str, rows: int = 0, columns: int = 80, typed: bytes = b"", **variables: str
) -> str:
    """Return what a terminal shows of the program, which knows its size if the rows are given."""
    environment = {**shell.environment, "TERM": "xterm", **variables}
    size = (rows, columns) if rows else None
    return at_a_terminal(words, shell.folder, environment, size=size, typed=typed).text


def test_a_terminal_gets_colours_unless_it_must_not(shell: runner.Shell) -> None:
    assert "\x1b[" in _at_a_terminal(shell, "list")
    assert "\x1b[" not in _at_a_terminal(shell, "list", NO_COLOR="1")
    assert "\x1b[" not in _at_a_terminal(shell, "list", "--color", "never")
    assert "\x1b[" not in _at_a_terminal(shell, "list", TERM="dumb")


def _screen(shell: runner.Shell, columns: int, *words: str) -> list[str]:
    """Return the lines of an answer at a terminal that is so wide."""
    seen = _at_a_terminal(shell, *words, rows=500, columns=columns, NO_COLOR="1")
    return seen.removesuffix("\n").split("\n")


@pytest.fixture
def wide(shell: runner.Shell) -> Iterator[Path]:
    memory = shell.folder / "memories/wide.md"
    text = (
        "茶は八十度のお湯で淹れると甘くなります。" * 6
        + " Nao\u0308e\u0301 👩‍👩‍👧 ❤️ likes sencha and \x1b]0;owned\x07 "
        + "very " * 20
    )
    memory.write_text(
        f"---\ntype: note\nid: m_0w1de0000x\ntitle: Sencha 日本茶の淹れ方\n---\n\n{text}\n", encoding="utf-8"
    )
    yield memory
    memory.unlink()


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("columns", [20, 80, 120, 200])
def test_answers_fit_the_terminal(shell: runner.Shell, columns: int) -> None:
    for words in (("search", "sencha", "likes"), ("list",)):
        seen = _screen(shell, columns, *words)
        paths = {line for line in seen if re.fullmatch(r"memories/\S+:\d+( \[.*)?", line)}
        assert [line for line in seen if width(line) > columns and line not in paths] == [], words
        assert "Sencha" in seen[0] or words == ("list",)
        assert "\x1b" not in "".join(seen)


def test_errors_and_hints_are_broken_between_words(shell: runner.Shell) -> None:
    seen = _screen(shell, 50, "find", "--no-input")
    assert seen == [
        "memstore: find needs a terminal",
        "hint: memstore search WORDS prints the lines that",
        "    match, memstore list all titles",
    ]


@pytest.mark.usefixtures("wide")
def test_a_result_at_a_terminal_is_a_title_a_place_and_a_wrapped_line(shell: runner.Shell) -> None:
    title, place, *text = _screen(shell, 80, "search", "sencha", "likes")
    assert (title, place) == ("Sencha 日本茶の淹れ方", "memories/wide.md:7 [note]")
    assert (len(text), text[0][0], text[-1][-6:]) == (2, "…", " very…"), text
    piped = _bash(shell, "memstore search sencha likes | cat").stdout.decode()
    assert piped.startswith("memories/wide.md:7: …")
    assert piped.count("\n") == 1
    seen = _screen(shell, 80, "search", "bella", "-n", "3")
    assert [result.split("\n")[1][:9] for result in "\n".join(seen).split("\n\n")] == ["memories/"] * 3
    assert _bash(shell, "memstore list | head -1").stdout.count(b"\t") == 3


def test_a_result_that_only_repeats_its_title_shows_it_once(shell: runner.Shell) -> None:
    memory = shell.folder / "memories/single.md"
    memory.write_text("---\ntype: note\nid: m_0s1ng1e00x\n---\n\nThe zeppelin leaves at noon.\n")
    try:
        assert _screen(shell, 80, "search", "zeppelin", "noon") == [
            "The zeppelin leaves at noon.", "memories/single.md:6 [note]",
        ]  # fmt: skip
    finally:
        memory.unlink()


def test_columns_of_a_list_are_aligned_and_shortened(shell: runner.Shell) -> None:
    wide, narrow, tiny = (_screen(shell, columns, "list", "--sort", "path") for columns in (200, 60, 20))
    assert len({line.index("memories/") for line in wide if "memories/" in line}) == 1
    assert all(re.search(r"  \d{4}-\d\d-\d\d  \w+", line) for line in wide if "note:" in line)
    assert any("…" in line for line in narrow)
    assert len(wide) == len(narrow) == len(tiny)


@pytest.mark.parametrize("words", ["status", "log", "doctor", "links m_0tea", "config", "show nothing-of-that-name"])
def test_no_line_is_broken_within_a_word(shell: runner.Shell, words: str) -> None:
    wide = "\n".join(_screen(shell, 500, *words.split())).split()
    narrow = _screen(shell, 40, *words.split())
    assert "\n".join(narrow).split() == wide
    assert [line for line in narrow if width(line) > 40 and len(line.split()) > 1] == []


def test_lines_of_a_file_are_not_broken(shell: runner.Shell) -> None:
    long = " ".join(["and so on"] * 12)
    (shell.folder / "long.md").write_text(f"---\ntype: note\nid: m_0long0000x\n---\n\n{long}\n")
    try:
        for words in (("show", "m_0long0000x"), ("edit", "m_0long0000x", "Short.", "--dry-run")):
            assert any(long in line for line in _screen(shell, 40, *words)), words
        assert _bash(shell, "memstore edit m_0long0000x Short.").returncode == 0
        assert any(long in line for line in _screen(shell, 40, "undo", "--dry-run"))
    finally:
        (shell.folder / "long.md").unlink()


def test_a_draft_with_a_slip_is_opened_again_by_the_return_key(shell: runner.Shell, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        'if test -e "$0.went"; then sed -i s/beleif/belief/ "$1"; else sed -i s/^type:.*/type:\\ beleif/ "$1"; fi\n'
        'touch "$0.went"\n'
    )
    seen = _at_a_terminal(shell, "edit", "m_0tea", "--dry-run", typed=b"\n", EDITOR=f"sh {editor}")
    assert "hint: did you mean belief?" in seen
    assert "+type: belief" in seen
    editor.with_name("editor.went").unlink()
    seen = _at_a_terminal(shell, "edit", "m_0tea", "--dry-run", typed=b"\x04", EDITOR=f"sh {editor}")
    assert "[Y/n] \n" in seen  # the end of the input is a no, and what follows begins a line
    assert "the draft is kept in" in seen


def test_the_note_of_the_day_is_begun_and_opened(shell: runner.Shell, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("printf 'It rained.\\n' >> \"$1\"\n")
    for _ in range(2):
        assert "note:m_" in _at_a_terminal(shell, "today", EDITOR=f"sh {editor}")
    path = _bash(shell, "memstore today", EDITOR="false").stdout.decode().rstrip("\n")
    assert _bash(shell, f"tail -n 2 '{path}'").stdout == b"It rained.\nIt rained.\n"


def test_an_editor_that_takes_the_draft_away_changes_nothing(shell: runner.Shell) -> None:
    done = _bash(shell, "memstore edit m_0tea", EDITOR="rm")
    assert (done.returncode, b"the editor left no draft" in done.stderr) == (5, True)


def test_an_answer_longer_than_the_screen_goes_to_the_pager(shell: runner.Shell) -> None:
    pager = "sed s/^/paged:/"
    assert "paged:" in _at_a_terminal(shell, "list", rows=3, MEMSTORE_PAGER=pager)
    assert "paged:" in _at_a_terminal(shell, "list", rows=3, PAGER=pager)
    assert "paged:" not in _at_a_terminal(shell, "list", rows=200, PAGER=pager)
    assert "paged:" not in _at_a_terminal(shell, "list", "--json", rows=3, PAGER=pager)
    assert "paged:" not in _at_a_terminal(shell, "list", "--no-input", rows=3, PAGER=pager)
    for none in ("", "cat", "no-such-pager", "'"):
        assert _at_a_terminal(shell, "list", rows=3, MEMSTORE_PAGER=none, PAGER=pager).count("\n") > 3
    assert b"paged:" not in _bash(shell, "memstore list", PAGER=pager).stdout


def test_a_pager_that_has_enough_ends_the_answer(shell: runner.Shell) -> None:
    seen = _at_a_terminal(shell, "list", rows=3, PAGER="head -1")
    assert (seen.count("\n"), "Traceback" in seen) == (1, False)


def _offered(shell: runner.Shell, *words: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    done = _bash(
        shell, "memstore", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1),
        _MEMSTORE_COMPLETE="bash_complete",
    )  # fmt: skip
    assert done.stderr == b""
    return [line.partition(",")[2] for line in done.stdout.decode().splitlines() if line]


def test_completion_knows_commands_options_values_and_refs(shell: runner.Shell) -> None:
    offered = partial(_offered, shell)

    assert offered("memstore", "sho") == ["show"]
    assert offered("memstore", "list", "--sor") == ["--sort"]
    assert offered("memstore", "list", "--sort", "ti") == ["title"]
    assert offered("memstore", "list", "-t", "be") == ["belief"]
    assert offered("memstore", "show", "m_0tea") == ["m_0tea00001x"]
    assert offered("memstore", "show", "belief:m_0b") == ["belief:m_0be11abelf"]
    assert offered("memstore", "show", "m_0ash") == []
    assert offered("memstore", "--vault", "nowhere", "show", "m_0") == []
    assert offered("memstore", "show", "bella") == ["Bella eats at eight", "Bella's heart is watched, not treated"]
    assert offered("memstore", "links", "[[tea") == ["[[Tea before mail]]"]
    assert offered("memstore", "archive", "[[value:m_0t") == ["[[value:m_0tea00001x]]"]
    assert offered("memstore", "sign", "bella") == offered("memstore", "show", "What") == []


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("memstore show belief : m_0b", b"m_0be11abelf"),
        ("memstore show m_0te", b"m_0tea00001x"),
        ("memstore reinforce belief : m_0be11abelf --evidence episode : m_0be", b"m_0be11aheart"),
        ("memstore show --cite belief : m_0b", b"m_0be11abelf"),
        ("memstore add x --relates-to belief : m_0b", b"m_0be11abelf"),
        ("memstore list -t be", b"belief"),
    ],
)
def test_bash_completes_a_ref_behind_its_colon(shell: runner.Shell, words: str, offered: bytes) -> None:
    script = f"""
        eval "$(memstore completion bash)"
        COMP_WORDS=({words}) COMP_CWORD={len(words.split()) - 1}
        _memstore_completion memstore && printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = _bash(shell, script)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [offered], b"")


@pytest.mark.soak(2)
@pytest.mark.parametrize("typed", ["bella\\ e", "'bella e", '"bella e'])
def test_bash_completes_a_title_so_that_it_stays_one_word(shell: runner.Shell, typed: str) -> None:
    script = r"""
        eval "$(memstore completion bash)"
        COMP_WORDS=(memstore show "$typed") COMP_CWORD=2
        _memstore_completion memstore "$typed" show && printf '%s' "${COMPREPLY[@]}"
    """
    done = _bash(shell, script, typed=typed)
    completed = typed[:1].strip("b") + done.stdout.decode() + typed[:1].strip("b")
    assert done.stderr == b""
    shown = _bash(shell, f"memstore show --path {completed}")
    assert (shown.returncode, shown.stdout) == (0, b"memories/bella-eats-at-eight.md\n")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: runner.Shell, name: str) -> None:
    done = _bash(shell, f"memstore completion {name}")
    assert done.returncode == 0
    assert b"_MEMSTORE_COMPLETE" in done.stdout


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize(("word", "offered"), [("m_0tea", "m_0tea00001x"), ("Bella\\ e", "Bella eats at eight")])
def test_zsh_completes_refs_and_titles(shell: runner.Shell, word: str, offered: str) -> None:
    # What zsh's own completion system does with the answers is its own affair.
    script = f"""
        compdef() {{ registered=$* }}
        compadd() {{ print -rl -- $completions }}
        _describe() {{ print -rl -- $completions_with_descriptions }}
        eval "$(memstore completion zsh)"
        words=(memstore show '{word}') CURRENT=3
        _memstore_completion
        print -r -- $registered
    """
    done = subprocess.run(
        ["zsh", "-fc", script], cwd=shell.folder, env=shell.environment, capture_output=True, text=True, check=False
    )
    first, *_, registered = done.stdout.splitlines()
    assert (first.partition(":")[0], registered, done.stderr) == (offered, "_memstore_completion memstore", "")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("memstore show m_0tea", "m_0tea00001x"),
        ("memstore show bella\\ e", "Bella eats at eight"),
        ("memstore sho", "show"),
        ("memstore config time", "timezone"),
    ],
)
def test_fish_completes_commands_refs_and_titles(shell: runner.Shell, line: str, offered: str) -> None:
    script = f"memstore completion fish | source; complete -C '{line}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=shell.folder, env=shell.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    answers = [answer.partition("\t")[0] for answer in done.stdout.splitlines()]
    assert (answers, done.stderr) == ([offered], ""), done.stdout


def test_completion_knows_tags_settings_and_plain_notes(shell: runner.Shell) -> None:
    offered = partial(_offered, shell)

    plain = shell.folder / "gravel.md"
    plain.write_text("# Where the gravel is\n\nBy the gate. #walks\n")
    try:
        assert offered("memstore", "show", "grav") == ["gravel.md"]
        assert offered("memstore", "show", "where") == ["Where the gravel is"]
        assert offered("memstore", "show", "memories/te") == ["memories/tea.md"]
        assert (
            offered("memstore", "list", "--tag", "wal") == offered("memstore", "add", "x", "--tag", "wal") == ["walks"]
        )
        assert offered("memstore", "tag", "m_0tea00001x", "+wal") == ["+walks"]
        assert offered("memstore", "trust", "sign", "grav") == []
        assert offered("memstore", "--as", "human:bo", "show", "grav") == []
        assert offered("memstore", "--as", "human:bo", "list", "--tag", "wal") == []
    finally:
        plain.unlink()
    assert offered("memstore", "config", "time") == ["timezone"]
    assert offered("memstore", "config", "--user", "embed") == ["embedder"]
