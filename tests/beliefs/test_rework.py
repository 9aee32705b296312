"""Better words, out of sight, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from memstore.beliefs.archive import archive, restore
from memstore.beliefs.revise import revise
from memstore.core.errors import ChangedMeanwhileError, NotFoundError, RefusedError, UsageError
from memstore.files import memory_file
from memstore.memories.listing import list_memories
from memstore.memories.show import show_memory
from tests.git_repositories import git, vault_in
from tests.memory_workspace import files_of, memory_workspace
from tests.strategies import HandStyled, hand_styled_files
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

HELD = b"---\r\ntype: belief\r\nid: m_b # mine\r\nconfidence: 0.50\r\n---\r\n\r\n\r\nBella eats.\r\nAt nine.\r\n\r\n"
FILES = {
    "b.md": HELD,
    "bare.md": b"---\ntype: belief\nid: m_bare\nstatus: 'active'\n---\nNo end",
    "t.md": memory_text(type="belief", id="m_t", status="forgotten"),
}


def test_better_words_keep_id_ledger_and_layout() -> None:
    ws = memory_workspace(FILES)
    saved = revise(ws.view(), "m_b", "Bella eats\nat nine sharp.", title="Bella's breakfast")
    assert saved.ref == "belief:m_b"
    wanted = HELD.replace(b"# mine\r\n", b"# mine\r\ntitle: Bella's breakfast\r\n")
    assert files_of(ws)["b.md"] == wanted.replace(b"Bella eats.\r\nAt nine.", b"Bella eats\r\nat nine sharp.")
    revise(ws.view(), "m_bare", "Still none")
    assert files_of(ws)["bare.md"].endswith(b"---\nStill none")


def test_words_that_are_there_already_change_no_byte() -> None:
    ws = memory_workspace(FILES)
    assert not revise(ws.view(), "m_b", "Bella eats.\nAt nine.").changed
    assert revise(ws.view(), "m_b", "Other", dry_run=True).changed
    assert files_of(ws) == FILES


def test_a_part_of_the_text_gives_way_to_another() -> None:
    ws = memory_workspace(FILES)
    revise(ws.view(), "m_b", "eats.\nAt ten", old="eats.\nAt nine")
    assert files_of(ws)["b.md"] == HELD.replace(b"nine", b"ten")
    revise(ws.view(), "m_b", "", old="\nAt ten.")
    assert files_of(ws)["b.md"] == HELD.replace(b"\r\nAt nine.", b"")


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("at nine", "x", "does not stand"),
        ("e", "x", "3 times"),
        ("", "x", "not stand"),
        ("Bella eats.\nAt nine.", " ", "no text"),
    ],
)
def test_a_part_that_does_not_stand_there_once_is_none(old: str, new: str, match: str) -> None:
    ws = memory_workspace(FILES)
    with pytest.raises(UsageError, match=match):
        revise(ws.view(), "m_b", new, old=old)
    assert files_of(ws) == FILES


def test_another_version_than_was_read_is_left_alone() -> None:
    ws = memory_workspace(FILES)
    version = show_memory(ws.view(), "m_b").revision
    for other in ("0" * 40, "", version[:6], version[1:]):
        with pytest.raises(ChangedMeanwhileError, match="not version"):
            revise(ws.view(), "m_b", "ten", old="nine", version=other)
    assert files_of(ws) == FILES
    assert revise(ws.view(), "m_b", "ten", old="nine", version=version[:7]).changed
    with pytest.raises(ChangedMeanwhileError):
        revise(ws.view(), "m_b", "eleven", old="ten", version=version)


def test_what_is_no_revision() -> None:
    ws = memory_workspace(FILES)
    for words in (None, " \n"):
        with pytest.raises(UsageError, match="no new text"):
            revise(ws.view(), "m_b", words)
    with pytest.raises(RefusedError):
        revise(ws.view(), "m_t", "Not again")
    with pytest.raises(NotFoundError):
        revise(ws.view(), "m_nobody", "Hello")
    with pytest.raises(UsageError, match="nothing is committed"):
        revise(ws.view(), "m_b", "Hello", reason="Because")


def test_an_archived_memory_is_out_of_sight_and_kept() -> None:
    ws = memory_workspace(FILES)
    assert {entry.id for entry in list_memories(ws.view()).entries} == {"m_b", "m_bare"}
    archive(ws.view(), ["m_b", "b.md", "m_bare"])
    assert b"# mine\r\nstatus: archived\r\n" in files_of(ws)["b.md"]
    assert list_memories(ws.view()).entries == ()
    assert show_memory(ws.view(), "m_b").memory.status == "archived"
    assert [saved.changed for saved in archive(ws.view(), ["m_b"])] == [False]
    restore(ws.view(), ["m_b", "m_bare"])
    assert files_of(ws) == FILES
    with pytest.raises(RefusedError):
        archive(ws.view(), ["m_t"])


@given(hand_styled_files())
def test_restoring_is_the_exact_inverse_whatever_the_style(file: HandStyled) -> None:
    read = memory_file.read("a.md", file.data)
    assert isinstance(read, memory_file.MemoryFile)
    if read.memory.status not in ("active", "draft") or not read.memory.id:
        return
    ws = memory_workspace({"a.md": file.data}, actor=read.memory.owner or "human:sean")
    for reason in (None, 'Refuted: "long"\nago'):
        archive(ws.view(), ["a.md"], reason=reason)
        if reason:
            assert show_memory(ws.view(), "a.md").memory.status_reason == 'Refuted: "long" ago'
        restore(ws.view(), ["a.md"])
        assert files_of(ws)["a.md"] == file.data


def test_what_was_changed_since_stays_changed_and_the_rest_comes_back(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("bare.md", FILES["bare.md"].decode())
    vault.commit("first")
    ws = vault.open()
    archive(ws.view(), ["m_bare"], commit=True, reason="for now")
    assert git(vault.root, "log", "-1", "--format=%s").strip() == "for now"
    assert show_memory(ws.view(), "m_bare").memory.status_reason == "for now"
    revise(ws.view(), "m_bare", "Another end", commit=True)
    with pytest.raises(UsageError, match="nothing is committed"):
        restore(ws.view(), ["m_bare"], reason="again")
    restore(ws.view(), ["m_bare"])
    assert (vault.root / "bare.md").read_bytes() == FILES["bare.md"].replace(b"No end", b"Another end")
