from __future__ import annotations

import pytest

from memstore.core.errors import ChangedMeanwhileError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.files.memory_file import MemoryFile, read
from memstore.memories.adopt import adopt, adoptable, is_prose
from memstore.memories.edit import fmt, move
from memstore.memories.search import search
from memstore.vault.status import undo
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

FILES = {
    "plain.md": b"\xef\xbb\xbf# Tea\r\n\r\nHot.\r\n",
    "obsidian/tea.md": b"---\n# mine\naliases: [Chai]\ncreated: 2025-12-24\n---\nHot.",
    "nameless.md": b"---\ntype: belief\nsource: a walk\n---\nx\n",
    "known.md": memory_text(id="m_known"),
    "broken.md": b"---\ntype: note\ntags: x y\n---\n",
    "anothers.md": memory_text(owner="si:ash"),
}


def test_what_could_be_adopted_is_listed() -> None:
    found = {a.path: a.lacks for a in adoptable(memory_workspace(FILES).view())[0]}
    assert found == {
        "plain.md": ("type", "id", "created_at", "source_type"),
        "obsidian/tea.md": ("type", "id", "created_at", "source_type"),
        "nameless.md": ("id", "created_at"),
    }


def test_adopted_files_keep_all_their_bytes() -> None:
    ws = memory_workspace(FILES)
    adopted = adopt(ws.view(), kind="observation")
    files = files_of(ws)
    assert files["plain.md"] == (
        b"\xef\xbb\xbf---\r\ntype: observation\r\nid: m_0000000006\r\n"
        b'created_at: "1970-01-01T00:00:01Z"\r\nsource_type: unknown\r\n---\r\n# Tea\r\n\r\nHot.\r\n'
    )
    assert files["obsidian/tea.md"].decode() == (
        "---\n# mine\naliases: [Chai]\n"
        'created_at: "2025-12-24T00:00:00Z"\nsource_type: unknown\n'
        "created: 2025-12-24\ntype: observation\nid: m_0000000005\n---\nHot."
    )
    for path in ("known.md", "broken.md", "anothers.md"):
        assert files[path] == FILES[path]
    assert [finding.path for finding in adopted.left_alone] == ["broken.md"]
    assert all(
        isinstance(read(path, files[path]), MemoryFile) for path in ("plain.md", "obsidian/tea.md", "nameless.md")
    )
    undo(ws.view())
    assert files_of(ws) == FILES


def test_a_folder_or_a_file_alone() -> None:
    ws = memory_workspace(FILES)
    assert [a.path for a in adoptable(ws.view(), ["obsidian/"])[0]] == ["obsidian/tea.md"]
    assert [saved.path for saved in adopt(ws.view(), ["./plain.md"], dry_run=True).saved] == ["plain.md"]
    assert files_of(ws) == FILES
    with pytest.raises(VaultError):
        adopt(ws.view(), ["gone.md"])


def test_only_the_owner_adopts() -> None:
    with pytest.raises(RefusedError):
        adopt(memory_workspace(FILES, actor="si:ash").view())


@pytest.mark.parametrize(
    ("to", "path"), [("a/b.md", "a/b.md"), ("a/", "a/known.md"), ("./known.md", "known.md"), (".", "known.md")]
)
def test_a_memory_moves(to: str, path: str) -> None:
    ws = memory_workspace({"known.md": memory_text(id="m_known"), "tea/x.md": memory_text()})
    moved = move(ws.view(), "m_known", to)
    assert (moved.path_before, moved.path, moved.ref) == ("known.md", path, "note:m_known")
    assert files_of(ws)[path] == memory_text(id="m_known")
    assert len(files_of(ws)) == 2


def test_a_move_can_be_undone_and_tried() -> None:
    ws = memory_workspace({"known.md": memory_text(id="m_known")})
    move(ws.view(), "m_known", "a.md", dry_run=True)
    assert list(files_of(ws)) == ["known.md"]
    move(ws.view(), "m_known", "a.md")
    undo(ws.view())
    assert list(files_of(ws)) == ["known.md"]


@pytest.mark.parametrize("to", ["../x.md", "x.txt", ".hidden.md", "entities/x.md", "README.md", "a/entities.txt/x"])
def test_no_memory_can_lie_there(to: str) -> None:
    ws = memory_workspace({"a/known.md": memory_text(id="m_known")})
    with pytest.raises(UsageError):
        move(ws.view(), "m_known", to)


@pytest.mark.parametrize("odd", ["\n", "\t", "\x7f", "\x9b", "\u2028", "\udcff"])
def test_no_new_name_has_a_line_break_or_another_control_character(odd: str) -> None:
    ws = memory_workspace({"a/known.md": memory_text(id="m_known")})
    for to in (f"x{odd}y.md", f"x{odd}y/", f"x{odd}y/known.md"):
        with pytest.raises(UsageError, match="control character") as caught:
            move(ws.view(), "m_known", to)
        assert caught.value.hint
        assert caught.value.message.isprintable()
    assert list(files_of(ws)) == ["a/known.md"]


def test_a_name_that_is_there_stays_usable() -> None:
    ws = memory_workspace({"a\tb/x\ny.md": memory_text(id="m_known")})
    assert move(ws.view(), "m_known", "c/").path == "c/x\ny.md"
    assert move(ws.view(), "m_known", "c/y.md").path == "c/y.md"


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_move_never_overwrites(dry_run: bool) -> None:  # noqa: FBT001 - a parameter of the test
    ws = memory_workspace({"known.md": memory_text(id="m_known"), "x.md": b"mine"})
    with pytest.raises(ChangedMeanwhileError):
        move(ws.view(), "m_known", "x.md", dry_run=dry_run)
    assert files_of(ws)["x.md"] == b"mine"


UNEVEN = b"---\ntype: note  \nid: m_known\n---\n\ttext  \n"
EVEN = b"---\ntype: note\nid: m_known\n---\n\ttext  \n"


def test_layout_is_made_even() -> None:
    files = {"a.md": UNEVEN, "b.md": EVEN.replace(b"known", b"other"), "c.md": FILES["broken.md"]}
    ws = memory_workspace(files)
    tried = fmt(ws.view(), dry_run=True)
    assert ([saved.path for saved in tried.saved], tried.total, tried.left_out) == (["a.md"], 2, 1)
    assert files_of(ws) == files
    fmt(ws.view())
    assert files_of(ws) == {**files, "a.md": EVEN}
    assert fmt(ws.view(), ["m_known"]).saved == ()
    with pytest.raises(NotFoundError):
        fmt(ws.view(), ["c.md"])


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("\nThe okapi slept: a rule above.\n\n", True),
        ("\nNote: it rained.\n\n", True),
        ("The okapi slept: a rule above.\n", True),
        ("title: x\n", False),
        ("\ntitle: x\n", False),
        ("date created: x\ndate modified: y\n", False),
        ("tags:\n  - a b c d\n", False),
        ("", False),
    ],
)
def test_prose_between_rules_is_no_front_matter(head: str, said: bool) -> None:  # noqa: FBT001 -- a case
    assert is_prose(head) is said


def test_adopting_leaves_prose_between_rules_in_the_text() -> None:
    prose = "---\n\nThe okapi slept: a rule above.\n\n---\n\nMore.\n"
    ws = memory_workspace({"h.md": prose.encode()})
    adopt(ws.view(), ["h.md"])
    assert files_of(ws)["h.md"].decode().endswith("source_type: unknown\n---\n" + prose)
    assert [hit.path for hit in search(ws.view(), "okapi").hits] == ["h.md"]
