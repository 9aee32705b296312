"""What lies outside of the vault's tree is as it was before an operation, or as after it."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from memstore.access import FORGOTTEN
from memstore.access.contexts import enter_context
from memstore.access.forgotten import ForgottenTexts
from memstore.core.errors import VaultError
from memstore.core.memory import Memory
from memstore.files.local_state import Environment, vault_hash
from memstore.history.audit_check import verify_audit
from memstore.memories.edit import tag
from memstore.memories.forget import forget
from memstore.vault.composition import open_workspace
from memstore.vault.status import commit
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.core.view import View


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
    vault.ok("privacy", "entity", "add", "human:bob")
    vault.ok("add", "Tea at four.", "--access", "human:bob")
    vault.ok("add", TOLD, "--title", "Storm")
    vault.ok("add", "The boats in the harbour were painted green and white before Easter.", "--title", "Boats")
    vault.ok("commit")
    return home


@pytest.fixture
def vault(made: Path, tmp_path: Path) -> InProcess:
    home = tmp_path / "home"
    shutil.copytree(made, home, symlinks=True)
    return InProcess(home)


def state_of(vault: InProcess) -> Path:
    """Return the folder with the vault's local state; beside it is that of the vault that it is a copy of."""
    return vault.vault / ".git" / "memstore" / vault_hash(vault.vault)


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


def opened(vault: InProcess) -> View:
    """Return a view of the vault, as a server or a Python program has it open."""
    with patch.dict(os.environ, vault.environment, clear=True):
        return open_workspace(Environment.of_process(), vault=str(vault.vault), alone=True).view()


def died(*_: object, **__: object) -> None:
    raise Died


def killed(vault: InProcess, at: str, *words: str) -> None:
    """Run a command that is killed where it calls something."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(at, died)
        patched.setattr("memstore.vault.outside.settle", lambda _: None)
        assert vault.run(*words).returncode


# What a program does that had the vault open when another one died.
SECOND: dict[str, Callable[[View, Path], object]] = {
    "act": lambda view, _: enter_context(view, "ctx:pub"),
    "write": lambda view, path: tag(view, str(path), add=["weather"], commit=True),
    "commit": lambda view, _: commit(view),
}


@pytest.mark.soak(3)
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize(("words", "event", "last"), ACTS, ids=[event for _, event, _ in ACTS])
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_a_program_that_was_open_settles_what_another_had_begun_before_it_died(
    vault: InProcess, words: tuple[str, ...], event: str, last: str, second: str, *, is_done: bool
) -> None:
    view = opened(vault)
    killed(vault, "memstore.vault.outside._clear" if is_done else last, *words)
    assert len(events(vault, event)) == 1
    SECOND[second](view.again(), next((vault.vault / "notes").rglob("storm-*.md")))
    expected = is_done + (event == "context enter" and second == "act")
    for _ in range(2):
        assert len(events(vault, event)) == expected
        assert not (state_of(vault) / "pending-act.json").exists()
        vault.ok("list")
    assert [one for one in verify_audit(view.again()).findings if one.code.startswith("audit-")] == []


@pytest.mark.parametrize("at", ["memstore.vault.transaction.write_all", "memstore.vault.outside.scrub"])
def test_forgetting_that_was_killed_is_settled_by_a_program_that_forgets_next(vault: InProcess, at: str) -> None:
    first, second = (next(one["id"] for one in vault.json("list")["memories"] if one["title"] == title)
                     for title in ("Storm", "Boats"))  # fmt: skip
    view = opened(vault)
    killed(vault, at, "forget", first)
    forget(view, second)
    is_done = at.endswith("scrub")
    for _ in range(2):
        assert bool(vault.found(TOLD)) is not is_done
        assert (bool(view.of(FORGOTTEN).count([first])), bool(view.of(FORGOTTEN).count([second]))) == (is_done, True)


def test_nothing_is_written_on_top_of_what_cannot_be_settled(vault: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    view = opened(vault)
    killed(vault, ACTS[0][2], *ACTS[0][0])
    before = vault.git("status", "--porcelain", "-uall")
    with monkeypatch.context() as patched:
        patched.setattr("memstore.vault.outside._clear", refused)
        with pytest.raises(VaultError, match="what an interrupted command had begun can't be settled: there: Perm"):
            enter_context(view.again(), "ctx:pub")
    assert events(vault, "context enter") == []
    assert before.count("\n") >= vault.git("status", "--porcelain", "-uall").count("\n")
    enter_context(view.again(), "ctx:pub")
    assert events(vault, "privacy share") == []


@pytest.mark.parametrize("at", ["memstore.vault.transaction.write_all", "memstore.vault.outside.scrub"])
def test_forgetting_that_was_killed_is_before_or_after_for_this_machine_too(
    vault: InProcess, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(one["id"] for one in vault.json("list")["memories"] if one["title"] == "Storm")
    vault.ok("set", name, "importance=high")
    state = state_of(vault)
    undo = {path.name: path.read_bytes() for path in state.glob("last-operation*.json")}
    killed(vault, at, "forget", name)
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
