"""What holds for every vault: the one on disk, also where no files can be exchanged, and its twin in memory."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memstore.core.errors import ChangedMeanwhileError, NoFileError, SealedError, TooLargeError, VaultError
from memstore.files.age_file import MAGIC
from memstore.files.fence import MOST_BYTES
from memstore.files.memory_file import BrokenFile, PlainFile, SealedFile
from memstore.files.vault import read_file
from tests.memory_vault import MemoryVault
from tests.support import Reversing, disk_vault, reversed_as_sealed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.files.vault import VaultFiles


@pytest.fixture(params=["disk", "plain disk", "memory"])
def vault(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VaultFiles:
    if request.param == "plain disk":
        monkeypatch.setattr("memstore.files.disk_vault._renameat2", lambda: None)
    return MemoryVault() if request.param == "memory" else disk_vault(tmp_path)


@pytest.fixture(params=["disk", "memory"])
def mixed(request: pytest.FixtureRequest, tmp_path: Path) -> VaultFiles:
    return MemoryVault(mixed=True) if request.param == "memory" else disk_vault(tmp_path, mixed=True)


@pytest.fixture(params=["disk", "memory"])
def sealing(request: pytest.FixtureRequest, tmp_path: Path) -> VaultFiles:
    opener = Reversing()
    return MemoryVault(opener=opener) if request.param == "memory" else disk_vault(tmp_path, opener=opener)


def paths(vault: VaultFiles) -> set[str]:
    return {file.path for file in vault.memory_files()}


def test_what_is_written_is_read_and_listed(vault: VaultFiles) -> None:
    vault.create("memories/note/a b\n.md", b"\xef\xbb\xbfone\r\n")
    assert vault.read("memories/note/a b\n.md") == b"\xef\xbb\xbfone\r\n"
    assert [(file.path, file.size) for file in vault.memory_files()] == [("memories/note/a b\n.md", 8)]


def test_what_is_left_out_is_known_before_it_is_written(vault: VaultFiles) -> None:
    assert not vault.leaves_out("raw/2026/a.md")
    vault.create(".memstoreignore", b"raw/\n!/raw/mine/\n")
    assert [vault.leaves_out(path) for path in ("raw/2026/a.md", "x/raw/a.md", "draw/a.md")] == [True, True, False]


NOTE = b"---\nid: 7\n---\nTea.\n"


def test_notes_of_other_programs_are_errors_in_a_vault_of_its_own(vault: VaultFiles) -> None:
    vault.create("tea.md", NOTE)
    vault.create("tea.markdown", NOTE)
    assert not vault.mixed
    assert paths(vault) == {"tea.md"}
    assert isinstance(read_file(vault, "tea.md"), BrokenFile)


def test_notes_of_other_programs_are_read_as_they_are_where_they_lie_beside(mixed: VaultFiles) -> None:
    mixed.create("tea.md", NOTE)
    mixed.create("tea.markdown", NOTE)
    assert mixed.mixed
    assert paths(mixed) == {"tea.md", "tea.markdown"}
    assert isinstance(read_file(mixed, "tea.md"), PlainFile)


@given(data=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_sealed_is_read_and_what_is_stored_is_compared(sealing: VaultFiles, data: bytes) -> None:
    stored, path = reversed_as_sealed(data), "notes/7f3k.md.age"
    sealing.create(path, stored)
    assert (sealing.read(path), sealing.stored(path)) == (data, stored)
    assert paths(sealing) == {path}
    with pytest.raises(ChangedMeanwhileError):
        sealing.replace(path, b"x", expected=data + b"!")
    with pytest.raises(ChangedMeanwhileError):
        sealing.delete(path, expected=data + b"!")
    sealing.replace(path, b"no seal", expected=stored)
    with pytest.raises(SealedError):
        sealing.read(path)
    assert isinstance(read_file(sealing, path), BrokenFile)
    sealing.delete(path, expected=b"no seal")


def test_nothing_sealed_is_read_without_a_key_and_all_else_is(vault: VaultFiles) -> None:
    vault.create("a.md", MAGIC)
    vault.create("a.md.age", reversed_as_sealed(NOTE))
    assert vault.read("a.md") == vault.stored("a.md") == MAGIC
    assert vault.stored("a.md.age") == reversed_as_sealed(NOTE)
    with pytest.raises(SealedError):
        vault.read("a.md.age")
    assert isinstance(read_file(vault, "a.md.age"), SealedFile)


def test_nothing_is_overwritten_by_a_new_file(vault: VaultFiles) -> None:
    vault.create("a.md", b"old")
    with pytest.raises(ChangedMeanwhileError):
        vault.create("a.md", b"new")
    assert vault.read("a.md") == b"old"


def test_a_file_is_replaced_only_while_it_is_the_one_that_was_read(vault: VaultFiles) -> None:
    vault.create("a.md", b"old")
    vault.replace("a.md", b"new", expected=b"old")
    with pytest.raises(ChangedMeanwhileError):
        vault.replace("a.md", b"newer", expected=b"old")
    with pytest.raises(ChangedMeanwhileError):
        vault.replace("gone.md", b"newer", expected=b"old")
    assert vault.read("a.md") == b"new"
    assert paths(vault) == {"a.md"}


def test_a_write_shows_in_the_stats(vault: VaultFiles) -> None:
    vault.create("a.md", b"old")
    before = list(vault.memory_files())
    vault.replace("a.md", b"new", expected=b"old")
    assert list(vault.memory_files()) != before


def test_a_file_is_deleted_only_while_it_is_the_one_that_was_read(vault: VaultFiles) -> None:
    vault.create("a.md", b"a")
    with pytest.raises(ChangedMeanwhileError):
        vault.delete("a.md", expected=b"b")
    vault.delete("a.md", expected=b"a")
    with pytest.raises(ChangedMeanwhileError):
        vault.delete("a.md", expected=b"a")
    assert paths(vault) == set()


def test_a_file_like_another_takes_its_place(vault: VaultFiles) -> None:
    vault.create("a.md", b"a")
    vault.create("deep/b.md", b"a", like="a.md")
    vault.create("c.md", b"a", like="gone.md")
    vault.delete("a.md", expected=b"a")
    assert paths(vault) == {"deep/b.md", "c.md"}


@pytest.mark.parametrize("other", [b"", b"other", b"x" * (MOST_BYTES + 1)])
def test_what_changed_meanwhile_was_not_touched(vault: VaultFiles, other: bytes) -> None:
    vault.create("a.md", other)
    size = next(vault.memory_files()).size
    writes: list[Callable[[], None]] = [
        lambda: vault.create("a.md", b"new"),
        lambda: vault.replace("a.md", b"new", expected=b"old"),
        lambda: vault.delete("a.md", expected=b"old"),
    ]
    for write in writes:
        with pytest.raises(ChangedMeanwhileError) as caught:
            write()
        assert "nothing was written" not in str(caught.value)  # of other files a vault knows nothing
    assert [(file.path, file.size) for file in vault.memory_files()] == [("a.md", size)]


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.md", "a/../../b.md", "", "a//b.md", "./a.md", ".git/config"])
def test_a_path_that_leads_out_is_refused(vault: VaultFiles, path: str) -> None:
    with pytest.raises(VaultError):
        vault.read(path)
    with pytest.raises(VaultError):
        vault.create(path, b"a")


def test_reading_what_is_not_there(vault: VaultFiles) -> None:
    for path in ("a.md", "no/such/folder/a.md"):
        with pytest.raises(NoFileError):
            vault.read(path)


def test_a_file_too_large_is_broken_and_not_read(vault: VaultFiles) -> None:
    vault.create("big.md", b"x" * (MOST_BYTES + 1))
    with pytest.raises(TooLargeError) as caught:
        vault.read("big.md")
    assert (caught.value.size, caught.value.beginning[:MOST_BYTES]) == (MOST_BYTES + 1, b"x" * MOST_BYTES)
    file = read_file(vault, "big.md")
    assert isinstance(file, BrokenFile)
    assert [finding.code for finding in file.findings] == ["file-too-large"]


def test_places_that_hold_no_memories_are_not_listed(vault: VaultFiles) -> None:
    for path in (
        "index.md", "notes/README.md", "log.md", "MEMORY.md", "a.txt", ".hidden.md", ".obsidian/a.md",
        "groups/g.md", "audit/a.md", ".memstore/b.md",
    ):  # fmt: skip
        vault.create(path, b"x")
    for path in ("Index.md", "notes/groups/a.md", "suggestions/s.md"):
        vault.create(path, b"x")
    assert paths(vault) == {"Index.md", "notes/groups/a.md", "suggestions/s.md"}


def test_audit_files_are_listed_apart(vault: VaultFiles) -> None:
    for path in ("audit/si/ash/2026/20260301T000000Z-ev_1.json", "audit/README.md", "entities/a/b.json", "m.md"):
        vault.create(path, b"{}")
    assert set(vault.audit_files()) == {"audit/si/ash/2026/20260301T000000Z-ev_1.json"}


def test_registry_files_are_listed_apart(vault: VaultFiles) -> None:
    for path in ("entities/human/sean.md", "groups/tutors.yaml", "consents/2026/con_1.md", "groups/a.md", "note.md"):
        vault.create(path, b"text")
    assert set(vault.registry_files()) == {"entities/human/sean.md", "groups/tutors.yaml", "consents/2026/con_1.md"}
    assert paths(vault) == {"note.md"}


def test_the_lock_can_be_taken_again(vault: VaultFiles) -> None:
    for _ in range(2):
        with vault.lock(), vault.lock():
            pass


def test_a_file_tells_when_it_was_saved(vault: VaultFiles) -> None:
    vault.create("a.md", b"one")
    first = vault.saved_at("a.md")
    assert first is not None
    assert first.tzinfo is UTC
    assert vault.saved_at("b.md") is None
    assert vault.saved_at("../a.md") is None


def test_files_that_are_written_together_are_there_afterwards(vault: VaultFiles) -> None:
    with vault.together():
        vault.create("a/one.md", b"one")
        vault.create("b/two.md", b"two")
    assert {path: vault.read(path) for path in paths(vault)} == {"a/one.md": b"one", "b/two.md": b"two"}
    assert vault.root.is_absolute()
