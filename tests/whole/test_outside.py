"""What lies outside of the vault's tree is as it was before an operation, or as after it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from memstore.access.forgotten import ForgottenTexts
from memstore.core.memory import Memory
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

TOLD = "The tram to the coast was late again on the day of the storm."


class Died(BaseException):
    """The program is killed: nothing that would clean up runs."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("outside")
    vault = InProcess(home)
    vault.vault.mkdir()
    vault.git("init", "-q")
    vault.ok("init", ".", "--owner", "human:ann")
    vault.ok("entity", "add", "human:bob")
    vault.ok("add", "Tea at four.", "--access", "human:bob")
    vault.ok("add", TOLD, "--title", "Storm")
    vault.ok("commit")
    return home


@pytest.fixture
def vault(made: Path, tmp_path: Path) -> InProcess:
    home = tmp_path / "home"
    shutil.copytree(made, home, symlinks=True)
    return InProcess(home)


def events(vault: InProcess, about: str) -> list[str]:
    """Return the audit events of an act."""
    return [path.name for path in (vault.vault / "audit").rglob("*.json") if f'"{about}"' in path.read_text()]


def refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied", "there")


# What is done, the event of it, and what does it at last.
ACTS = [
    (("share", "--to", "human:bob", "../stack"), "privacy share", "memstore.vault.stack_place.UnfinishedStack.finish"),
    (("config", "remotes.origin", "owner"), "config", "memstore.files.config_file.ConfigFile.set"),
    (("context", "enter", "ctx:park"), "context enter", "memstore.access.local_state.ContextFile.enter"),
]


@pytest.mark.parametrize(("words", "event", "last"), ACTS, ids=[event for _, event, _ in ACTS])
def test_an_act_that_fails_leaves_no_event(
    vault: InProcess, words: tuple[str, ...], event: str, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(last, refused)
        done = vault.run(*words)
    assert done.returncode
    assert "there: Permission denied" in done.stderr
    assert not events(vault, event)
    vault.ok(*words)
    assert len(events(vault, event)) == 1


@pytest.mark.parametrize(("words", "event", "last"), ACTS, ids=[event for _, event, _ in ACTS])
def test_the_event_of_an_act_that_was_killed_before_it_is_taken_back_by_the_next_command(
    vault: InProcess, words: tuple[str, ...], event: str, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(last, refused)
        patched.setattr("memstore.vault.outside.settle", lambda _: None)  # who is killed settles nothing
        assert vault.run(*words).returncode
    assert events(vault, event)
    vault.ok("list")
    assert not events(vault, event)


@pytest.mark.parametrize(("words", "event", "last"), ACTS, ids=[event for _, event, _ in ACTS])
def test_the_event_of_an_act_that_was_killed_after_it_stays(
    vault: InProcess, words: tuple[str, ...], event: str, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert last
    with monkeypatch.context() as patched:
        patched.setattr("memstore.vault.outside._clear", refused)
        vault.ok(*words)
    pending = [*vault.vault.glob(".git/memstore/*/pending-act.json")]
    assert pending
    vault.ok("list")
    assert len(events(vault, event)) == 1
    assert not pending[0].exists()


@pytest.mark.parametrize("at", ["memstore.vault.transaction.write_all", "memstore.vault.outside.scrub"])
def test_forgetting_that_was_killed_is_before_or_after_for_this_machine_too(
    vault: InProcess, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(one["id"] for one in vault.json("list")["memories"] if one["title"] == "Storm")
    vault.ok("set", name, "importance=high")
    state = next(one for one in vault.vault.glob(".git/memstore/*/") if not (one / "init").exists())  # not the first's
    undo = {path.name: path.read_bytes() for path in state.glob("last-operation*.json")}

    def died(*_: object, **__: object) -> None:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(at, died)
        patched.setattr("memstore.vault.outside.settle", lambda _: None)
        assert vault.run("forget", name).returncode
    vault.ok("list")
    is_done = at.endswith("scrub")
    assert bool(vault.found(TOLD)) is not is_done
    assert (state / "forgotten.json").exists() is is_done
    assert ({path.name: path.read_bytes() for path in state.glob("last-operation*.json")} == undo) is not is_done
    assert not (state / "pending-act.json").exists()


def test_turns_are_noted_only_as_long_as_their_memory_is_not_forgotten(tmp_path: Path) -> None:
    forgotten = ForgottenTexts(tmp_path, lambda: "ab" * 16)
    for name in ("m_one", "m_one1", "m_two"):
        forgotten.note_turns(name, [f"session\0{name}"])
    forgotten.add([Memory(type="note", id="m_one", body="Tea.")])
    assert [json.loads(line)["memory"] for line in forgotten.places[1].read_bytes().splitlines()] == ["m_one1", "m_two"]
    assert forgotten.count(["m_one"]) == 1
