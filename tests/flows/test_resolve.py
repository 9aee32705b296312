from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.adapters.memory_snapshot import snapshot_of_files
from memstore.errors import NotFoundError
from memstore.flows.resolve import resolve
from memstore.flows.visible import sees_unreadable, visible_rows
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.ports.search_index import Snapshot
    from memstore.ports.workspace import Workspace

FILES = [
    ("memories/tea.md", memory_text(id="m_7f3k9q2x1c", title="Tea")),
    ("memories/milk.md", memory_text(id="m_7f3aaaaaaa", title="Milk", type="belief")),
    ("memories/sugar.md", memory_text(id="m_7f3bbbbbbb", title="Sugar", owner="human:claire")),
    ("memories/nameless.md", memory_text(title="No id yet")),
    ("memories/broken.md", b"---\ntype: note\n"),
    ("plain.md", b"Just text.\n"),
]


@pytest.fixture
def snapshot() -> Snapshot:
    return snapshot_of_files(FILES, blob_id=lambda data: str(len(data)))


def looking_as(actor: str) -> Workspace:
    return memory_workspace(dict(FILES), actor=actor)


SEAN, CLAIRE, NOBODY = looking_as("human:sean"), looking_as("human:claire"), looking_as("")


def test_each_sees_their_own(snapshot: Snapshot) -> None:
    assert list(visible_rows(SEAN, snapshot)) == [0, 1, 3]
    assert list(visible_rows(CLAIRE, snapshot)) == [2]
    assert list(visible_rows(NOBODY, snapshot)) == []
    assert [sees_unreadable(ws) for ws in (SEAN, CLAIRE, NOBODY)] == [True, False, False]


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
def test_what_a_ref_may_be(snapshot: Snapshot, text: str, path: str) -> None:
    assert resolve(SEAN, text, snapshot=snapshot).path == path


@pytest.mark.parametrize("text", ["", "m_", "nothing", "note:nothing", "memories/gone.md"])
def test_what_answers_to_nothing(snapshot: Snapshot, text: str) -> None:
    with pytest.raises(NotFoundError, match="no memory answers"):
        resolve(SEAN, text, snapshot=snapshot)


@pytest.mark.parametrize(
    ("path", "why", "hint"),
    [
        ("memories/broken.md", "can't be read", "memstore check memories/broken.md"),
        ("./plain.md", "no frontmatter", "memstore adopt plain.md"),
    ],
)
def test_the_owner_is_told_why_a_file_is_no_memory_and_nobody_else(
    snapshot: Snapshot, path: str, why: str, hint: str
) -> None:
    with pytest.raises(NotFoundError, match=why) as told:
        resolve(SEAN, path, snapshot=snapshot)
    assert told.value.hint == hint
    with pytest.raises(NotFoundError, match="no memory answers"):
        resolve(looking_as("si:ash"), path, snapshot=snapshot)


def test_a_hidden_memory_reads_as_if_it_were_not_there(snapshot: Snapshot) -> None:
    without = snapshot_of_files([file for file in FILES if "sugar" not in file[0]], blob_id=lambda _: "")
    for text in ("m_7f3bbbbbbb", "m_7f3b", "note:m_7f3bbbbbbb", "memories/sugar.md", "m_7f3bbbbbbc"):
        errors = []
        for each in (snapshot, without):
            with pytest.raises(NotFoundError) as caught:
                resolve(SEAN, text, snapshot=each)
            errors.append((str(caught.value), caught.value.hint))
        assert errors[0] == errors[1]


def test_an_ambiguous_ref_lists_its_candidates(snapshot: Snapshot) -> None:
    with pytest.raises(NotFoundError) as caught:
        resolve(SEAN, "m_7f3", snapshot=snapshot)
    assert str(caught.value).splitlines() == [
        "`m_7f3` may mean 2 memories:",
        "  belief:m_7f3aaaaaaa  Milk  memories/milk.md",
        "  note:m_7f3k9q2x1c  Tea  memories/tea.md",
    ]


def test_a_copy_with_the_same_id_is_ambiguous() -> None:
    twice = snapshot_of_files([FILES[0], ("copy.md", FILES[0][1])], blob_id=lambda _: "")
    with pytest.raises(NotFoundError, match="may mean 2 memories"):
        resolve(SEAN, "m_7f3k9q2x1c", snapshot=twice)


def test_another_type_is_reported(snapshot: Snapshot) -> None:
    with pytest.raises(NotFoundError, match="names no episode: that memory is note:m_7f3k9q2x1c"):
        resolve(SEAN, "episode:m_7f3k9q2x1c", snapshot=snapshot)


def test_a_near_id_is_suggested(snapshot: Snapshot) -> None:
    with pytest.raises(NotFoundError) as caught:
        resolve(SEAN, "m_7f3k9q2x1d", snapshot=snapshot)
    assert caught.value.hint == "did you mean m_7f3k9q2x1c?"
