"""A batch writes all of its memories or none, with one lock and one entry of the journal, whoever else writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from threading import Thread
from typing import TYPE_CHECKING

import pytest

import memstore

if TYPE_CHECKING:
    from pathlib import Path

    from memstore import Vault

SEAN = "human:sean"


def files(vault: Vault) -> list[str]:
    return sorted(path.name for path in vault.path.rglob("*.md"))


def test_a_batch_is_written_at_its_end(vault: Vault) -> None:
    with vault.batch() as batch:
        assert repr(batch) == "<Batch of 0 memories, open>"
        note = batch.add("Bella eats at eight", tags=["dog"], source="Sean")
        assert (note.ref or "").startswith("note:m_")
        assert (files(vault), len(vault.list()), len(batch)) == ([], 0, 1)
        with pytest.raises(memstore.NotFoundError):
            vault.get(note)
    assert vault.get(note).tags == ("dog",)
    assert [saved.ref for saved in batch.saved] == [note.ref]
    assert (batch.commit, batch.conflicts) == (None, ())
    assert repr(batch) == "<Batch of 1 memories, done>"
    assert vault.status().uncommitted


def test_later_memories_name_earlier_ones(vault: Vault) -> None:
    old = vault.add("Bella ran.", confidence=0.9)
    with vault.batch() as batch:
        seen = batch.add("Bella ate at eight", type="raw", confidence=0.5)
        held = batch.add("Bella eats at eight", type="belief", derived_from=[seen, old], relates_to=[seen.path])
        last = batch.add("She is hungry then.", type="belief", derived_from=[(held.ref or "").partition(":")[2]])
        with pytest.raises(memstore.NotFoundError):
            batch.add("x", derived_from=["belief:m_nothing00"])
        with pytest.raises(memstore.NotFoundError):
            batch.add("x", derived_from=[f"note:{(seen.ref or '').partition(':')[2]}"])
    assert vault.get(held).derived_from == (seen.ref, old.ref)
    assert vault.get(held).relates_to == (seen.ref,)
    # What is made of others is held with no more confidence than they are, here as everywhere.
    assert (vault.get(held).confidence, vault.get(last).confidence) == (0.5, 0.5)
    above = {node.key for node in vault.lineage.trace(last).nodes}
    assert above == {last.ref, held.ref, seen.ref, old.ref}
    assert vault.check().findings == ()


def test_a_message_commits_it_and_nothing_else_does(vault: Vault) -> None:
    with vault.batch("Easter week") as batch:
        batch.add("Bella eats at eight")
        batch.add("Bella sleeps at nine")
    assert batch.commit
    assert vault.history.log(limit=1).lines[0].summary == "Easter week"
    assert vault.status().uncommitted == ()
    with vault.batch(message="nothing") as empty:
        pass
    assert (empty.commit, empty.saved) == (None, ())


@pytest.mark.parametrize("message", ["", " \n"])
def test_a_blank_message_is_none(vault: Vault, message: str) -> None:
    with vault.batch(message) as batch:
        batch.add("Bella sleeps at nine")
    assert batch.commit
    assert vault.history.log(limit=1).lines[0].summary == "add Bella sleeps at nine"
    note = vault.add("Bella eats at eight")
    assert vault.commit(message=message).message.startswith("add Bella eats at eight\n")
    vault.edit(note, "Bella eats at ten", reason=message, commit=True)
    assert vault.history.log(limit=1).lines[0].summary.startswith("edit ")
    subjects = subprocess.run(["git", "log", "--format=%s"], cwd=vault.path, check=True, capture_output=True)
    assert b"" not in subjects.stdout.splitlines()


def test_one_undo_takes_it_back(vault: Vault) -> None:
    vault.add("Stays.")
    with vault.batch() as batch:
        for number in range(12):
            batch.add(f"Number {number}.")
    assert len(vault.list()) == 13
    undone = vault.undo()
    assert (undone.verb, len(undone.paths)) == ("batch", 12)
    assert [entry.title for entry in vault.list()] == ["Stays."]
    assert vault.undo().verb == "undo of batch"
    assert len(vault.list()) == 13


def test_conflicts_are_looked_for_once_at_the_end(vault: Vault) -> None:
    old = vault.add("Sean likes tea.")
    with vault.batch() as batch:
        new = batch.add("Sean dislikes tea.")
        assert new.conflicts == ()
        one, two = batch.add("The car is blue."), batch.add("The car is green.")
        for number in range(8):
            batch.add(f"It rained on day {number}.")
        with pytest.raises(memstore.UsageError, match="at the end"):
            _ = batch.conflicts
    found = {frozenset(conflict.refs) for conflict in batch.conflicts}
    assert found == {frozenset({new.ref, old.ref}), frozenset({one.ref, two.ref})}
    assert len(batch.conflicts) == 2
    assert batch.conflicts is batch.conflicts


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), memstore.UsageError("no")])
def test_a_block_that_fails_writes_nothing(vault: Vault, error: BaseException) -> None:
    kept = vault.add("Stays.")
    batch = vault.batch("never")

    def fail() -> None:
        with batch:
            batch.add("Gone.")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert [entry.ref for entry in vault.list()] == [kept.ref]
    assert (batch.saved, batch.commit, len(batch)) == ((), None, 0)
    assert vault.undo().verb == "add"


def test_what_can_not_be_committed_is_not_written(vault: Vault) -> None:
    (vault.path / ".git" / "MERGE_HEAD").write_text("0" * 40)
    with pytest.raises(memstore.GitError), vault.batch("no") as batch:
        batch.add("Gone.")
    assert files(vault) == []


def test_what_is_wrong_stops_the_block_where_it_stands(vault: Vault) -> None:
    def add_two() -> None:
        with vault.batch() as batch:
            batch.add("Fine.")
            batch.add("Wrong.", confidence=7)

    with pytest.raises(memstore.UsageError, match="confidence"):
        add_two()
    with pytest.raises(memstore.RefusedError), vault.batch() as batch:
        batch.add("Wrong.", keys={"id": "m_mine00000"})
    with pytest.raises(TypeError), vault.batch() as batch:
        batch.add("Wrong.", tags="dog")
    assert files(vault) == []


def test_a_batch_is_used_once_and_inside_its_block(vault: Vault) -> None:
    batch = vault.batch()
    assert repr(batch) == "<Batch of 0 memories, not begun>"
    with pytest.raises(memstore.UsageError, match="inside the block"):
        batch.add("x")
    with batch, pytest.raises(memstore.UsageError, match="used once"):
        batch.__enter__()
    for late in (lambda: batch.add("x"), batch.__enter__):
        with pytest.raises(memstore.UsageError):
            late()


def test_a_raw_memory_that_repeats_another_is_linked(vault: Vault) -> None:
    text = "Claire drinks two cups of green tea every single morning before she reads."
    known = vault.add(text)
    with vault.batch() as batch:
        again = batch.add(text, type="raw")
    assert [finding.code for finding in again.findings] == ["recalled-text"]
    assert vault.get(again).derived_from[0] == known.ref
    assert batch.saved[0].findings == again.findings


# -- among others ----------------------------------------------------------------------------------


def test_threads_that_each_open_their_own_write_at_the_same_time(home: Path) -> None:
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            with memstore.open_vault(home / "notes", entity=SEAN) as own:
                for number in range(20):
                    own.add(f"{name} number {number}.")
                with own.batch() as batch:
                    for number in range(20, 25):
                        batch.add(f"{name} number {number}.")
                assert own.search(f"{name} number", limit=50).total >= 25
        except BaseException as error:  # noqa: BLE001 -- told by the thread that asserts
            failed.append(error)

    threads = [Thread(target=write, args=(name,)) for name in ("Ash", "Claire")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        assert {entry.title for entry in vault.list()} == {
            f"{name} number {number}." for name in ("Ash", "Claire") for number in range(25)
        }
        assert vault.check().findings == ()


KILLED = """
    import os, signal, sys
    import memstore
    from memstore.files.disk_vault import DiskVault

    vault = memstore.open_vault(sys.argv[1], entity="human:sean")
    create, left = DiskVault.create, [int(sys.argv[2])]

    def until_killed(*args, **named):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        create(*args, **named)

    DiskVault.create = until_killed
    with vault.batch() as batch:
        for number in range(6):
            batch.add(f"Number {number}.")
"""


@pytest.mark.soak(2)
@pytest.mark.parametrize("written", [0, 1, 3, 5])
def test_a_batch_that_is_killed_in_the_middle_leaves_nothing(home: Path, vault: Vault, written: int) -> None:
    kept = vault.add("Stays.")
    words = [sys.executable, "-c", textwrap.dedent(KILLED), str(vault.path), str(written)]
    assert subprocess.run(words, check=False, env=os.environ).returncode == -signal.SIGKILL
    assert [entry.ref for entry in vault.list()] == [kept.ref]  # an opened vault takes back what others had begun
    assert len(files(vault)) == 1
    with memstore.open_vault(home / "notes", entity=SEAN) as again:
        assert again.undo().verb == "add"
