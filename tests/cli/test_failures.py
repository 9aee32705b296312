from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli import commands
from memstore.cli.failures import failure_of
from memstore.cli.main import main
from memstore.core import errors
from memstore.core.errors import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.cli.session import CliSession


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (errors.UsageError("x"), "usage", 2),
        (errors.NotFoundError("x"), "not-found", 3),
        (errors.RefusedError("x"), "refused", 4),
        (errors.FormatError("x"), "format", 5),
        (errors.GitError("x"), "git", 5),
        (errors.LockedError("x"), "locked", 6),
        (errors.ChangedMeanwhileError("x"), "changed-meanwhile", 6),
        (click.UsageError("x"), "usage", 2),
        (FileNotFoundError(2, "No such file or directory", "tea.md"), "system", 5),
        (KeyboardInterrupt(), "interrupted", 130),
        (click.Abort(), "interrupted", 130),
        (ValueError("x"), "bug", 70),
    ],
)
def test_every_error_has_a_code_and_an_exit_code(error: BaseException, code: str, exit_code: int) -> None:
    told = failure_of(error)
    assert (told.code, told.exit) == (code, exit_code)
    assert told.message


def test_a_file_that_is_missing_or_a_folder_comes_with_a_hint() -> None:
    assert "relative" in (failure_of(FileNotFoundError(2, "No such file or directory", "tea.md")).hint or "")
    assert failure_of(IsADirectoryError(21, "Is a directory", "tea")).hint == "name a file in it"


def test_an_error_of_the_system_names_the_file() -> None:
    assert failure_of(PermissionError(13, "Permission denied", "a/b.md")).message == "a/b.md: Permission denied"
    assert failure_of(OSError(18, "Cross-device link", "a", None, "b")).message == "a -> b: Cross-device link"
    full = failure_of(OSError(28, "No space left on device"))
    for number in (5, 9, 28):
        unheard = failure_of(OSError(number, "it can't be written", "standard output"))  # it may have changed something
        assert unheard.hint == "only the answer is missing: whatever the command changed is changed"
    assert (full.message, full.hint) == ("no space left on device", "make room, and try again")


class _Broken:
    """A command that fails as it is told, put in the place of `links`."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, _session: CliSession) -> None:
        raise self.error


def _run(monkeypatch: pytest.MonkeyPatch, error: BaseException, *words: str) -> int:
    from memstore.cli import links
    from memstore.cli.options import command

    monkeypatch.setattr(links, "links", command("links", examples=())(_Broken(error)))
    assert commands.COMMANDS["links"][0] == "links:links"
    return main(["links", *words])


def test_a_bug_says_so_and_shows_where_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, KeyError("oops")) == Exit.BUG
    told = capsys.readouterr()
    assert "bug in memstore" in told.err
    assert "Traceback" not in told.err
    assert _run(monkeypatch, KeyError("oops"), "-v") == Exit.BUG
    assert "Traceback" in capsys.readouterr().err


def test_an_error_in_json_is_one_document(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    error = errors.LockedError("\x1b[31mred", hint="wait")
    assert _run(monkeypatch, error, "--json") == 6
    told = capsys.readouterr()
    assert told.err == ""
    assert json.loads(told.out) == {
        "schema": "memstore.error/1",
        "error": {"code": "locked", "exit": 6, "message": "\x1b[31mred", "hint": "wait"},
    }
    assert _run(monkeypatch, error) == 6
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "memstore: <U+001B>[31mred\nhint: wait\n"


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "memstore: interrupted\n"


def test_a_long_argument_is_not_repeated_whole() -> None:
    ref, path = "note:" + 300 * "x", 260 * "é" + "/b c.md"
    for said, given in (
        (f"no memory matches `{ref}`", ref),
        (f"{300 * 'x'} is no id", ref),
        (f"{ref.partition(':')[2]!r} in {ref!r}", f"--ref={ref}"),
        (f"can't read {path}", path),
        (f"the name {260 * 'é'}", path),
        ("a\\n" * 200, "a\n" * 200),
    ):
        told = failure_of(errors.UsageError(said, hint=f"memstore check {said}"), [given, "short"])
        assert len(told.message) < 300, said
        assert len(told.hint or "") < 320
        assert "…" in told.message
    whole = f"no memory matches `{250 * 'x'}`"
    assert failure_of(errors.NotFoundError(whole), [250 * "x"]).message == whole


LONG = 5000 * "n"


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "words",
    [
        ("show", LONG),
        ("show", f"note:{LONG}"),
        ("show", f"{LONG}.md"),
        ("list", "--type", LONG),
        ("list", "--since", LONG),
        ("set", "m_x", f"{LONG}=1"),
        ("show", "--cite", f"{LONG}:L3"),
        ("list", "--context", LONG),
        ("--vault", LONG, "list"),
        (LONG,),
        (f"--{LONG}",),
        ("import", "okf", LONG),
    ],
)
def test_no_command_repeats_a_long_argument(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", ".", "--owner", "human:sean"]) == 0
    capsys.readouterr()
    assert main([*words]) in (2, 3, 5)
    told = capsys.readouterr().err
    assert 20 < len(told) < 900
    assert main(["--json", *words]) in (2, 3, 5)
    assert len(capsys.readouterr().out) < 1200


def test_what_may_be_named_is_listed_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lsp", "install"]) == Exit.USAGE
    assert "missing argument 'NAME': one of nvim, helix, vscode, zed\n" in capsys.readouterr().err
