from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import NotFoundError
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.vault.redaction import redacted
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.view import View

FILES = [
    ("memories/tea.md", memory_text(id="m_7f3k9q2x1c", title="Tea")),
    ("memories/milk.md", memory_text(id="m_7f3aaaaaaa", title="Milk", type="belief")),
    ("memories/sugar.md", memory_text(id="m_7f3bbbbbbb", title="Sugar", owner="human:claire")),
    ("memories/nameless.md", memory_text(title="No id yet")),
    ("memories/broken.md", b"---\ntype: note\n"),
    ("plain.md", b"Just text.\n"),
]


def looking_as(actor: str, files: list[tuple[str, bytes]] = FILES) -> View:
    return memory_workspace(dict(files), actor=actor).view()


SEAN, CLAIRE, NOBODY = looking_as("human:sean"), looking_as("human:claire"), looking_as("")


def test_each_sees_their_own() -> None:
    assert list(SEAN.rows) == [0, 1, 3]
    assert list(CLAIRE.rows) == [2]
    assert list(NOBODY.rows) == []
    assert [view.is_owners for view in (SEAN, CLAIRE, NOBODY)] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("note:m_7f3k9q2x1c", "memories/tea.md"),
        ("m_7f3k9q2x1c", "memories/tea.md"),
        ("[[note:m_7f3k9q2x1c]]", "memories/tea.md"),
        ("m_7f3k", "memories/tea.md"),
        ("belief:m_7f3", "memories/milk.md"),
        ("memories/tea.md", "memories/tea.md"),
        ("./memories/nameless.md", "memories/nameless.md"),
    ],
)
def test_what_a_ref_may_be(text: str, path: str) -> None:
    assert SEAN.find(text).path == path


@pytest.mark.parametrize("text", ["", "m_", "nothing", "note:nothing", "memories/gone.md"])
def test_what_answers_to_nothing(text: str) -> None:
    with pytest.raises(NotFoundError, match="no memory matches"):
        SEAN.find(text)


@pytest.mark.parametrize("text", ["episode:m_7f3", "m_7f3"])
def test_the_order_of_files_is_no_matter_to_what_a_ref_may_mean(text: str) -> None:
    told = []
    for files in (FILES, FILES[::-1]):
        with pytest.raises(NotFoundError) as caught:
            looking_as("human:sean", files).find(text)
        told.append(str(caught.value))

    assert told[0] == told[1]


def test_two_copies_are_named_by_their_paths_whatever_the_order_of_files() -> None:
    copies = [(f"memories/{name}.md", memory_text(id="m_7f3cccccccc", title=name)) for name in "ab"]

    for files in (copies, copies[::-1]):
        view = looking_as("human:sean", files)
        assert [view.entry(row).path for row in view.rows_of_id("m_7f3cccccccc")] == ["memories/a.md", "memories/b.md"]


def test_who_asks_for_a_suggestion_is_told_how_to_list_them() -> None:
    with pytest.raises(NotFoundError) as told:
        SEAN.find("prop_zzz")

    assert told.value.hint == "memstore beliefs suggestions list shows what waits for a decision"


@pytest.mark.parametrize(
    ("path", "why", "hint"),
    [
        ("memories/broken.md", "can't be read", "memstore check memories/broken.md"),
        ("./plain.md", "is a plain note", "memstore adopt plain.md makes it one"),
    ],
)
def test_the_owner_is_told_why_a_file_is_no_memory_and_nobody_else(path: str, why: str, hint: str) -> None:
    with pytest.raises(NotFoundError, match=why) as told:
        SEAN.find(path)
    assert told.value.hint == hint
    with pytest.raises(NotFoundError, match="no memory matches"):
        looking_as("si:ash").find(path)


def test_a_hidden_memory_reads_as_if_it_were_not_there() -> None:
    without = looking_as("human:sean", [file for file in FILES if "sugar" not in file[0]])
    for text in ("m_7f3bbbbbbb", "m_7f3b", "note:m_7f3bbbbbbb", "memories/sugar.md", "m_7f3bbbbbbc"):
        errors = []
        for each in (SEAN, without):
            with pytest.raises(NotFoundError) as caught:
                each.find(text)
            errors.append((str(caught.value), caught.value.hint))
        assert errors[0] == errors[1]


def test_an_ambiguous_ref_lists_its_candidates() -> None:
    with pytest.raises(NotFoundError) as caught:
        SEAN.find("m_7f3")
    assert str(caught.value).splitlines() == [
        "`m_7f3` may mean 2 memories:",
        "  belief:m_7f3aaaaaaa  Milk  memories/milk.md",
        "  note:m_7f3k9q2x1c  Tea  memories/tea.md",
    ]


def test_a_copy_with_the_same_id_is_ambiguous() -> None:
    twice = looking_as("human:sean", [FILES[0], ("copy.md", FILES[0][1])])
    with pytest.raises(NotFoundError, match="may mean 2 memories") as caught:
        twice.find("m_7f3k9q2x1c")
    assert caught.value.hint == "these files have the same id: name one by its path"


def test_another_type_is_reported() -> None:
    with pytest.raises(NotFoundError, match="is not of type episode: that memory is note:m_7f3k9q2x1c"):
        SEAN.find("episode:m_7f3k9q2x1c")


def test_a_near_id_is_suggested() -> None:
    with pytest.raises(NotFoundError) as caught:
        SEAN.find("m_7f3k9q2x1d")
    assert caught.value.hint == "did you mean m_7f3k9q2x1c?"


def test_what_another_program_means_by_a_key_stays_when_hidden_refs_are_left_out() -> None:
    data = b"---\nid: m_7f3k9q2x1c\nstatus: seedling\nauthor: [Me]\nderived_from: ['note:m_hidden0001']\n---\nTea.\n"
    file = memory_file.read("tea.md", data, mixed=True)
    assert isinstance(file, MemoryFile)
    left = redacted(file, lambda _: False)
    assert left.memory == replace(file.memory, derived_from=())
    assert (left.memory.type, left.memory.status, left.memory.author) == ("note", "active", None)
