"""Commands that read the whole vault say how far they are, on a terminal, and leave nothing of it behind."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest

from memstore.cli import output
from memstore.cli.main import main
from memstore.files import local_state
from tests.installed import at_home
from tests.mcp.serving import sample


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def _terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal, for somebody who waits for nothing."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(local_state, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(local_state, "NEXT_SECONDS", 0.0)
    return shown


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("committed")).vault


@pytest.fixture
def vault(committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in at_home(tmp_path).items():
        monkeypatch.setenv(name, value)
    return Path(shutil.copytree(committed, tmp_path / "vault"))


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "work"),
    [
        (["list"], "indexing files"),
        (["check"], "checking files"),
        (["conflicts"], "reading statements"),
        (["conflicts", "--duplicates"], "comparing memories"),
        (["conflicts", "--candidates", "--status", "active"], "comparing memories"),
        (["check", "fmt", "--check"], "laying out memories"),
        (["beliefs", "consolidate"], "reading memories"),
        (["beliefs", "compress", "--dry-run"], "summarizing memories"),
        (["beliefs", "recompute", "--check"], "reading memories"),
        (["beliefs", "calibrate"], "reading memories"),
        (["export", "html", "-o", "page.html"], "reading memories"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_who_waits_at_a_terminal_is_told(
    vault: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], work: str
) -> None:
    monkeypatch.chdir(vault.parent)
    terminal = _terminal(monkeypatch)
    main(["--vault", str(vault), *words])
    after = re.findall(rf"\r{work}: \d+ of \d+(?=(\r\x1b\[K|\r))", terminal.getvalue())
    assert after[1:]
    assert after[-1] == "\r\x1b[K"  # the last one is erased


def test_whoever_asks_for_quiet_is_told_nothing(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(vault.parent)
    terminal = _terminal(monkeypatch)
    main(["--vault", str(vault), "--quiet", "check"])
    assert " of " not in terminal.getvalue()


def test_a_message_takes_the_place_of_the_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    output.show_progress("checking files", 5, 1000)
    output.write_message("memstore: interrupted")
    output.write_message("again")
    assert terminal.getvalue() == "\rchecking files: 5 of 1,000\r\x1b[Kmemstore: interrupted\nagain\n"


def test_no_message_does_anything_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    output.write_message("memstore: no \x1b[2J\x9b31m\u202e here\nhint: a second line")
    assert terminal.getvalue() == "memstore: no <U+001B>[2J<U+009B>31m<U+202E> here\nhint: a second line\n"
