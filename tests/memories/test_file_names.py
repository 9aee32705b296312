"""How the files of new memories are called, and what becomes of a name that is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstore.core.config import FILENAMES, Config
from memstore.core.errors import RefusedError
from memstore.core.file_names import path_of_new
from memstore.core.ids import MEMORY_TYPES, is_memory_id
from memstore.core.memory import Memory
from memstore.core.places import (
    FOLDER_OF_TYPE,
    IGNORE_FILE,
    NO_MEMORY_FOLDERS,
    id_endings,
    is_memory_path,
    longer_names,
    stem_of,
    without_id,
)
from memstore.memories.add import add_memory, new_memory
from memstore.memories.edit import move
from memstore.memories.memory_v01 import import_memories
from memstore.search.index import name_words
from memstore.trust.formats.memory_v01 import Placed
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.vault.workspace import Workspace

TEA = Memory(type="note", id="m_7f3k9q2x1c", created_at="2026-02-01T12:00:00Z", title="Green tea", body="Hot.")
TWINS = ("m_7f3k9q2x1c", "m_7f3k9q2x1d", "m_7f3kxxxxxx")


class GivenIds:
    """These ids, one after the other."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = iter(ids)

    def memory_id(self) -> str:
        return next(self._ids)


def workspace(files: dict[str, bytes] | None = None, *, actor: str = OWNER, ids: Sequence[str] = TWINS) -> Workspace:
    return memory_workspace(files, actor=actor)._replace(ids=GivenIds(ids))


@pytest.mark.parametrize(
    ("memory", "filenames", "path"),
    [
        (TEA, "short", "notes/2026/green-tea-7f3k.md"),
        (TEA, "slug-id", "memories/note/2026/02/green-tea-m_7f3k9q2x1c.md"),
        (TEA, "id", "memories/note/2026/02/m_7f3k9q2x1c.md"),
        (replace(TEA, type="raw"), "short", "raw/2026/green-tea-7f3k.md"),
        (replace(TEA, id="mem_abc123"), "short", "notes/2026/green-tea-mem_abc123.md"),
        (replace(TEA, title="茶"), "short", "notes/2026/m_7f3k9q2x1c.md"),
        (replace(TEA, title="word " * 20), "short", "notes/2026/word-word-word-word-word-word-word-word-7f3k.md"),
        (
            replace(TEA, title="word " * 20),
            "slug-id",
            "memories/note/2026/02/word-word-word-word-word-word-word-word-word-word-m_7f3k9q2x1c.md",
        ),
        (replace(TEA, created_at=None), "short", "notes/1999/green-tea-7f3k.md"),
    ],
)
def test_names_of_new_files(memory: Memory, filenames: str, path: str) -> None:
    assert path_of_new(memory, filenames, at="1999-12-31T00:00:00Z") == path
    assert is_memory_path(path, mixed=False)


def test_every_type_has_a_folder_where_memories_can_lie() -> None:
    assert set(FOLDER_OF_TYPE) == set(MEMORY_TYPES)
    assert not NO_MEMORY_FOLDERS & set(FOLDER_OF_TYPE.values())
    assert len(set(FOLDER_OF_TYPE.values())) == len(MEMORY_TYPES)


def test_the_setting_chooses() -> None:
    assert Config(owner=OWNER).filenames == FILENAMES[0] == "short"
    ws = memory_workspace(config=Config(owner=OWNER, filenames="slug-id"))
    assert add_memory(ws.view(), {}, "Tea").path == "memories/note/2026/02/tea-m_0000000001.md"


def test_a_name_shows_a_beginning_of_the_id_that_finds_it() -> None:
    ws = workspace()
    saved = add_memory(ws.view(), {}, "Green tea")
    beginning = f"m_{stem_of(saved.path).rpartition('-')[2]}"
    assert (beginning, ws.view().find(beginning).path) == ("m_7f3k", saved.path)


def test_endings_grow_up_to_the_whole_id() -> None:
    endings = id_endings("m_7f3k9q2x1c")
    assert (endings[0], endings[1], endings[-2], endings[-1]) == ("7f3k", "7f3k9", "7f3k9q2x1c", "m_7f3k9q2x1c")
    assert all(map(is_memory_id, endings))
    assert list(longer_names("a/tea-7f3k9q2x1.md", "m_7f3k9q2x1c")) == ["a/tea-7f3k9q2x1c.md", "a/tea-m_7f3k9q2x1c.md"]
    assert list(longer_names("suggestions/m_7f3k9q2x1c.md", "m_7f3k9q2x1c")) == []
    assert list(longer_names("tea-mem_abc123.md", "mem_abc123")) == []


@pytest.mark.parametrize("stem", ["green-tea-7f3k", "green-tea-7f3k9q", "green-tea-m_7f3k9q2x1c"])
def test_the_id_is_no_word_of_a_name(stem: str) -> None:
    assert name_words(f"notes/{stem}.md", "m_7f3k9q2x1c").split() == ["green-tea"]


def test_what_only_looks_like_an_id_stays_a_word() -> None:
    assert without_id("green-tea-2026", "m_7f3k9q2x1c") == "green-tea-2026"
    assert without_id("7f3k", "m_7f3k9q2x1c") == "7f3k"
    assert without_id("green-tea-7f3", "m_7f3k9q2x1c") == "green-tea-7f3"


# -- names that are taken --------------------------------------------------------------------------


def test_a_taken_name_gets_more_of_the_id() -> None:
    ws = workspace()
    paths = [add_memory(ws.view(), {"title": "Green tea"}, f"Cup {n}.").path for n in range(3)]
    names = ["green-tea-7f3k", "green-tea-7f3k9", "green-tea-7f3kx"]
    assert paths == [f"notes/2026/{name}.md" for name in names]
    assert sorted(files_of(ws)) == paths


def test_a_file_of_somebodys_own_is_in_nobodys_way() -> None:
    ws = workspace({"notes/2026/green-tea-7f3k.md": b"mine"})
    assert add_memory(ws.view(), {}, "Green tea").path == "notes/2026/green-tea-7f3k9.md"
    assert files_of(ws)["notes/2026/green-tea-7f3k.md"] == b"mine"


def test_one_operation_gives_each_memory_its_name() -> None:
    ws = workspace()
    view = ws.view()
    with view.transaction("import") as change:
        change.edit(*(new_memory(view, {"type": "note"}, "Green tea") for _ in TWINS))
    assert [saved.path for saved in change.saved] == sorted(files_of(ws))
    assert [saved.path.rpartition("-")[2] for saved in change.saved] == ["7f3k.md", "7f3k9.md", "7f3kx.md"]
    for saved in change.saved:
        assert saved.path in saved.diff


def test_who_comes_second_takes_the_next_name() -> None:
    """Both look before either writes: creating the file fails for the second, who looks again."""
    ws = workspace()
    late = ws.view()
    edit = new_memory(late, {"type": "note"}, "Green tea")
    change = late.transaction("add")
    change.edit(edit)  # the name was free
    first = add_memory(ws._replace(ids=GivenIds(["m_7f3kxxxxxx"])).view(), {"title": "Green tea"}, "Hot.")
    assert first.path == edit.path
    with pytest.raises(Exception, match="the file already exists"):
        change.__exit__(None, None, None)
    with ws.view().transaction("add") as again:
        again.edit(edit)
    assert sorted(files_of(ws)) == ["notes/2026/green-tea-7f3k.md", "notes/2026/green-tea-7f3k9.md"]


def test_a_folder_that_is_left_out_gets_no_memories() -> None:
    """In a vault with other notes `.gitignore` counts, too, and many a project has a folder `raw` that git ignores."""
    ws = workspace({IGNORE_FILE: b"notes/\n"})
    paths = [add_memory(ws.view(), {"title": "Green tea"}, f"Cup {n}.").path for n in range(2)]
    assert paths == ["memories/2026/green-tea-7f3k.md", "memories/2026/green-tea-7f3k9.md"]
    files_of(ws)[IGNORE_FILE] += b"memories/\n"
    with pytest.raises(RefusedError, match="would not be found again") as refused:
        add_memory(ws.view(), {}, "Green tea")
    assert "!/notes/" in (refused.value.hint or "")
    assert sorted(files_of(ws)) == [IGNORE_FILE, *paths]


def test_the_program_finds_what_it_wrote_beside_ignored_folders(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    (program.vault / "tea.md").write_text("Green tea wants eighty degrees.\n")
    (program.vault / ".gitignore").write_text("raw/\n")
    program.ok("init", ".")
    program.ok("raw", "Claire called at noon.")
    program.ok("add", "The kettle is blue.")
    listed = [one["path"] for one in program.json("list")["memories"] if one["id"]]
    assert sorted(path.rpartition("/")[0] for path in listed) == ["memories/2026", "notes/2026"]
    (program.vault / ".memstoreignore").write_text("/notes/\n/memories/\n")
    refused = program.run("add", "The kettle is red.")
    assert (refused.returncode, "!/notes/" in refused.stderr) == (4, True)
    with (program.vault / ".memstoreignore").open("a") as file:
        file.write("!/notes/\n")
    program.ok("add", "The kettle is red.")
    assert len(program.json("search", "red kettle")["results"]) == 2


HIDDEN = {"notes/2026/green-tea-7f3k.md": memory_text(id="m_7f3kaaaaaa", title="Green tea")}


def test_a_hidden_memory_in_the_way_is_not_told() -> None:
    """A longer name would say that the short one is taken; another id says nothing."""
    ws = workspace(HIDDEN, actor="si:ash", ids=("m_7f3k9q2x1c", "m_aaaa000000"))
    saved = add_memory(ws.view(), {}, "Green tea")
    assert (saved.ref, saved.path) == ("note:m_aaaa000000", "notes/2026/green-tea-aaaa.md")
    assert files_of(ws)["notes/2026/green-tea-7f3k.md"] == HIDDEN["notes/2026/green-tea-7f3k.md"]


def test_others_own_memories_are_in_their_way_as_anybodys() -> None:
    ws = workspace(actor="si:ash", ids=("m_7f3k9q2x1c", "m_7f3k9q2x1d"))
    assert [add_memory(ws.view(), {"title": "Green tea"}, f"Cup {n}.").path for n in range(2)] == [
        "notes/2026/green-tea-7f3k.md",
        "notes/2026/green-tea-7f3k9.md",
    ]


DOCUMENT = {
    "id": "mem_abc123",
    "version": 1,
    "content": {"type": "insight", "summary": "Green tea", "body": "Hot.", "tags": []},
    "provenance": {"author": {"agent_id": "Babel"}, "created_at": "2026-02-04T16:00:00Z", "context": {}},
}


def test_others_who_choose_an_id_get_all_of_it_into_the_name() -> None:
    ws = memory_workspace(actor="si:ash")
    (saved,) = import_memories(ws.view(), [Placed("a.json:1", DOCUMENT)]).saved
    memory_id = (saved.ref or "").partition(":")[2]
    assert saved.path == f"insights/2026/green-tea-{memory_id}.md"


def test_others_move_their_memory_into_a_folder_under_the_name_it_got() -> None:
    ws = workspace(actor="si:ash")
    saved = add_memory(ws.view(), {}, "Green tea")
    for name in ("tea/other-7f3k.md", "tea/rent.md", "tea/green-tea-7f3k9.md"):
        with pytest.raises(RefusedError):
            move(ws.view(), saved.ref or "", name)
    assert move(ws.view(), saved.ref or "", "tea/").path == "tea/green-tea-7f3k.md"


def test_others_do_not_move_a_name_that_somebody_chose() -> None:
    files = {"rent.md": memory_text(id="m_7f3k9q2x1c", owner="si:ash")}
    with pytest.raises(RefusedError):
        move(workspace(files, actor="si:ash").view(), "m_7f3k9q2x1c", "secret/")
