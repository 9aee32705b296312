"""What a person sees of the past: log, blame, diff, status, commit, undo, the vault at another time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memstore.core.change import Operation
from memstore.core.change import Written as WrittenFile
from memstore.core.errors import ChangedMeanwhileError, FormatError, GitError, NotFoundError, RefusedError, UsageError
from memstore.core.transaction import unified_diff
from memstore.history import HISTORY, WORK_TREE
from memstore.history.diff import diff
from memstore.history.git_history import GitHistory
from memstore.history.history import HookState
from memstore.history.log import log
from memstore.history.revisions import blame
from memstore.memories.add import add_memory
from memstore.memories.listing import list_memories
from memstore.memories.search import search
from memstore.memories.show import show_memory
from memstore.vault.check import check
from memstore.vault.committing import commit_paths
from memstore.vault.status import commit, status, undo
from tests.git_repositories import OWNER, git, memory, vault_in
from tests.memory_workspace import memory_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.git_repositories import Written

EVENT = '{timestamp: "2026-01-15T00:00:00Z", op: support, old: 0.8, new: 0.86, evidence_source: "episode:m_e", '
EVENT += 'by: "si:ash"}'
LEDGER = f"\n  - {EVENT}"


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    return vault_in(tmp_path / "vault")


# -- the vault at another time -------------------------------------------------------------------


@pytest.fixture
def dated(vault: Written) -> Written:
    vault.write("a.md", memory("m_aaa", "Old text.\n"))
    vault.commit("first", "2026-01-10T12:00:00Z")
    vault.write("a.md", memory("m_aaa", "New text.\n"))
    vault.write("b.md", memory("m_bbb"))
    vault.commit("second", "2026-01-20T12:00:00Z")
    return vault


@pytest.mark.parametrize(
    ("when", "back"),
    [
        ("HEAD", 0), ("HEAD~1", 1), ("main", 0), ("2026-01-10", 1), ("2026-01-19", 1), ("2026-01-20", 0),
        ("2026-01", 0), ("2026", 0), ("yesterday", 0), ("2w", 1),
        ("2026-01-20T11:59:59Z", 1), ("2026-01-20T12:00:00Z", 0),
    ],
)  # fmt: skip
def test_a_date_or_revision_names_a_commit(dated: Written, when: str, back: int) -> None:
    assert dated.open().view().of(WORK_TREE).commit_at(when) == git(dated.root, "rev-parse", f"HEAD~{back}").strip()


@pytest.mark.parametrize(
    ("when", "error"),
    [
        ("2026-13-01", UsageError), ("2026-1-1", UsageError), ("nothing", NotFoundError), ("HEAD~7", NotFoundError),
        ("2025-12-31", NotFoundError), ("-n", NotFoundError),
    ],
)  # fmt: skip
def test_what_names_none_is_an_error(dated: Written, when: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        dated.open().view().of(WORK_TREE).commit_at(when)


def test_the_vault_as_it_was(dated: Written) -> None:
    view = dated.open().view().at("2026-01-10")
    assert [view.entry(row).path for row in view.rows] == ["a.md"]
    file = view.read("a.md")
    assert file is not None
    assert b"Old text" in file.data


# -- log -----------------------------------------------------------------------------------------


def test_the_log_follows_the_id_and_not_the_path(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa", "One.\n"))
    vault.write("b.md", memory("m_bbb", "Other.\n"))
    vault.commit("1", "2026-01-01T00:00:00Z")
    (vault.root / "a.md").rename(vault.root / "c.md")
    vault.write("c.md", memory("m_aaa", "All is new, and longer than before.\nMuch longer.\n", tags="[x]"))
    (vault.root / "b.md").rename(vault.root / "a.md")
    vault.commit("2", "2026-01-02T00:00:00Z")
    vault.write("a.md", memory("m_bbb", "Not this one.\n"))
    vault.commit("3", "2026-01-03T00:00:00Z")
    (vault.root / "c.md").rename(vault.root / "a new name.md")
    assert [(line.at[:10], line.verb, line.path, line.details) for line in log(vault.open().view(), "m_aaa").lines] == [
        ("2026-01-02", "edit", "c.md", ("from a.md", "tags +x", "body: 2 lines changed")),
        ("2026-01-01", "add", "a.md", ()),
    ]


def test_events_of_the_confidence_stand_between_commits(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa", confidence="0.8"))
    vault.commit("1", "2026-01-01T00:00:00Z")
    vault.write("a.md", memory("m_aaa", confidence="0.86", confidence_history=LEDGER))
    vault.commit("2", "2026-02-01T00:00:00Z")
    lines = log(vault.open().view(), "m_aaa").lines
    assert [(line.at[:10], line.verb, line.commit is None, line.by) for line in lines] == [
        ("2026-02-01", "reinforce", False, "Tester"),
        ("2026-01-15", "support", True, "si:ash"),
        ("2026-01-01", "add", False, "Tester"),
    ]
    assert lines[0].details == ("confidence 0.80 → 0.86 because episode:m_e",)
    assert lines[1].details == ("confidence 0.80 → 0.86", "because episode:m_e")
    assert [line.verb for line in log(vault.open().view(), "m_aaa", limit=1).lines] == ["reinforce"]


def test_the_log_of_a_moved_memory_is_not_led_astray_by_other_files_of_its_commit(vault: Written) -> None:
    vault.write("a.md", memory("m_a", "First.\n"))
    vault.write(".gitattributes", "*.md -text\n")
    vault.write("aa.md", "No memory, and m_a is only named in it.\n")
    vault.commit("first")
    (vault.root / "a.md").unlink()
    vault.write("b.md", memory("m_a", "First.\n"))
    vault.write(".gitattributes", "*.md -text merge=memstore\n")
    vault.write("aa.md", "No memory.\n")
    vault.commit("moved")
    lines = log(vault.open().view(), "m_a").lines
    assert sorted((line.verb, line.path, line.details) for line in lines) == [
        ("add", "a.md", ()),
        ("move", "b.md", ("from a.md",)),
    ]


def test_the_log_of_the_vault_tells_all_memories_and_each_change_once(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.write("page.txt", "no memory")
    vault.commit("1", "2026-01-01T00:00:00Z")
    git(vault.root, "checkout", "-q", "-b", "side")
    vault.write("b.md", memory("m_bbb"))
    vault.commit("2", "2026-01-02T00:00:00Z")
    git(vault.root, "checkout", "-q", "main")
    vault.write("c.md", memory("m_ccc"))
    vault.commit("3", "2026-01-03T00:00:00Z")
    git(vault.root, "merge", "-q", "--no-edit", "side")
    (vault.root / "a.md").unlink()
    vault.commit("4", "2027-01-04T00:00:00Z")
    lines = log(vault.open().view()).lines
    assert [(line.verb, line.name, line.summary) for line in lines] == [
        ("delete", "note:m_aaa", "4"),
        ("add", "note:m_ccc", "3"),
        ("add", "note:m_bbb", "2"),
        ("add", "note:m_aaa", "1"),
    ]
    assert log(vault.open().view(), limit=2).lines == lines[:2]


def test_a_deleted_memory_has_a_log_while_the_commit_has_it(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.commit("1")
    (vault.root / "a.md").unlink()
    assert [line.verb for line in log(vault.open().view(), "m_aaa").lines] == ["add"]
    with pytest.raises(NotFoundError, match="m_zzz"):
        log(vault.open().view(), "m_zzz")


def test_a_revision_that_cannot_be_read_is_told(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.commit("1", "2026-01-01T00:00:00Z")
    vault.write("a.md", memory("m_aaa", tags="so broken"))
    vault.commit("2", "2026-01-02T00:00:00Z")
    vault.write("a.md", memory("m_aaa", "Mended.\n"))
    vault.commit("3", "2026-01-03T00:00:00Z")
    assert [line.details for line in log(vault.open().view(), "m_aaa").lines] == [
        ("was unreadable",),
        ("is unreadable",),
        (),
    ]


def test_a_note_that_was_adopted_was_never_unreadable(vault: Written) -> None:
    vault.write("a.md", "Mended.\n")
    vault.commit("1", "2026-01-01T00:00:00Z")
    vault.write("a.md", memory("m_aaa", "Mended.\n"))
    vault.commit("2", "2026-01-02T00:00:00Z")
    lines = log(vault.open().view(), "m_aaa").lines
    assert [(line.verb, line.details) for line in lines] == [
        ("edit", ("was a plain note",)),
        ("add", ("is a plain note",)),
    ]


def test_memories_of_others_are_in_no_log_diff_or_status(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.write("b.md", memory("m_bbb", owner="si:ash"))
    vault.commit("secret words")
    vault.write("a.md", memory("m_aaa", "New.\n"))
    vault.write("b.md", memory("m_bbb", "New.\n", owner="si:ash"))
    vault.write("broken.md", "---\n")
    vault.write("plain.md", "plain")
    ash, tester = vault.open("si:ash"), vault.open()
    assert [line.name for line in log(tester.view()).lines] == ["note:m_aaa"]
    assert [m.name for m in diff(tester.view()).memories] == ["note:m_aaa", "plain.md"]
    seen = status(ash.view())
    assert ([u.name for u in seen.uncommitted], seen.notes, seen.broken, seen.memories) == (["note:m_bbb"], 0, (), 1)
    for verb in (log, blame, diff):
        with pytest.raises(NotFoundError) as hidden:
            verb(tester.view(), "m_bbb")
        with pytest.raises(NotFoundError) as unknown:
            verb(tester.view(), "m_zzz")
        assert str(hidden.value).replace("m_bbb", "m_zzz") == str(unknown.value)
        assert hidden.value.hint == unknown.value.hint


def test_the_past_is_refused_to_others_in_the_same_words_whatever_they_name(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.write("b.md", memory("m_bbb", owner="si:ash"))
    vault.commit("1")
    ash = vault.open("si:ash")
    refused: list[Callable[[], object]] = [
        lambda: log(ash.view()), lambda: log(ash.view(), "m_bbb"), lambda: log(ash.view(), "m_zzz"),
        lambda: blame(ash.view(), "m_bbb"), lambda: blame(ash.view(), "m_aaa"), lambda: blame(ash.view(), "m_zzz"),
        lambda: diff(ash.view()), lambda: diff(ash.view(), "m_aaa", "HEAD"), lambda: diff(ash.view(), "m_zzz", "1999"),
        lambda: show_memory(ash.view(), "m_bbb", at="HEAD"), lambda: show_memory(ash.view(), "m_zzz", at="nothing"),
        lambda: list_memories(ash.view(), at="HEAD"), lambda: list_memories(ash.view(), at="2026-13-40"),
        lambda: search(ash.view(), "text", at="HEAD"), lambda: search(ash.view(), "text", at="1999"),
        lambda: check(ash.view()), lambda: check(ash.view(), ["nowhere"]),
    ]  # fmt: skip
    told = set()
    for look in refused:
        with pytest.raises(RefusedError) as refusal:
            look()
        told.add((str(refusal.value), refusal.value.hint))
    assert len(told) == 1


# -- blame ---------------------------------------------------------------------------------------


def test_blame_names_the_commit_of_each_entry_and_line(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa", "one\ntwo\nthree\n", confidence="0.8"))
    first = vault.commit("1")
    vault.write("a.md", memory("m_aaa", "one\n2\nthree\n", confidence="0.86", confidence_history=LEDGER))
    second = vault.commit("2")
    vault.write("b.md", memory("m_aaa", "zero\none\n2\nthree\nfour", confidence="0.86", confidence_history=LEDGER))
    (vault.root / "a.md").unlink()
    found = blame(vault.open().view(), "m_aaa")
    assert found.path == "b.md"
    assert [(line.line, line.commit.id if line.commit else None) for line in found.history] == [(6, second)]
    assert EVENT in found.history[0].text
    assert [(line.line, line.text, line.commit.id if line.commit else None) for line in found.body] == [
        (8, "zero", None),
        (9, "one", first),
        (10, "2", second),
        (11, "three", first),
        (12, "four", None),
    ]


def test_blame_of_a_memory_that_was_never_committed(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    assert [line.commit for line in blame(vault.open().view(), "m_aaa").body] == [None]
    vault.commit("1")
    vault.write("b.md", memory("m_bbb"))
    assert [line.commit for line in blame(vault.open().view(), "m_bbb").body] == [None]


# -- diff and status -----------------------------------------------------------------------------


def test_diff_says_in_words_what_became_different(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa", "one\ntwo\n", confidence="0.8"))
    first = vault.commit("1", "2026-01-01T00:00:00Z")
    vault.write("b.md", memory("m_aaa", "one\n2\n", confidence="0.86", confidence_history=LEDGER))
    (vault.root / "a.md").unlink()
    told = diff(vault.open().view(), "m_aaa")
    assert (told.old, told.new) == (first, None)
    assert told.memories == diff(vault.open().view()).memories
    assert [(m.verb, m.path_before, m.path, m.statements, m.body) for m in told.memories] == [
        (
            "reinforce", "a.md", "b.md",
            ("confidence 0.80 → 0.86 because episode:m_e", "body: 1 line changed"),
            ("@@ -1,2 +1,2 @@", " one", "-two", "+2"),
        )
    ]  # fmt: skip
    second = vault.commit("2", "2026-01-02T00:00:00Z")
    assert diff(vault.open().view(), "m_aaa").memories == ()
    between = diff(vault.open().view(), "m_aaa", "2026-01-01", "HEAD")
    assert (between.old, between.new, between.memories) == (first, second, told.memories)
    assert [m.verb for m in diff(vault.open().view(), "m_aaa", "HEAD", "HEAD~1").memories] == ["edit"]


def test_diff_of_what_came_or_went(vault: Written) -> None:
    vault.commit("0")
    vault.write("a.md", memory("m_aaa"))
    assert [m.verb for m in diff(vault.open().view(), "m_aaa").memories] == ["add"]
    vault.commit("1")
    (vault.root / "a.md").unlink()
    assert [(m.verb, m.body[-1]) for m in diff(vault.open().view(), "m_aaa").memories] == [("delete", "-Some text.")]
    with pytest.raises(NotFoundError, match="neither"):
        diff(vault.open().view(), "m_aaa", "HEAD~1", "HEAD~1")
    vault.write("a.md", memory("m_aaa", tags="so broken"))
    with pytest.raises(FormatError):
        diff(vault.open().view(), "a.md")


def test_status_tells_what_is_not_committed(vault: Written) -> None:
    for name in ("same", "changed", "moved", "gone"):
        vault.write(f"{name}.md", memory(f"m_{name}"))
    vault.commit("1")
    vault.write("changed.md", memory("m_changed", "New.\n"))
    (vault.root / "moved.md").rename(vault.root / "there.md")
    (vault.root / "gone.md").unlink()
    vault.write("new.md", memory("m_new"))
    vault.write("plain.md", "Just text.\n")
    vault.write("broken.md", "---\ntype: note\n")
    found = status(vault.open().view())
    assert [(u.verb, u.name, u.path, u.path_before) for u in found.uncommitted] == [
        ("edit", "note:m_changed", "changed.md", None),
        ("delete", "note:m_gone", "gone.md", None),
        ("add", "note:m_new", "new.md", None),
        ("add", "plain.md", "plain.md", None),
        ("move", "note:m_moved", "there.md", "moved.md"),
    ]
    assert (found.notes, found.broken, found.memories) == (1, ("broken.md",), 4)
    assert set(found.hooks.values()) == {HookState.ABSENT}


def test_status_works_before_the_first_commit_and_without_a_repository(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    assert [u.verb for u in status(vault.open().view()).uncommitted] == ["add"]
    (vault.root / ".git").rename(vault.root.parent / "elsewhere")
    ws = vault.open().having(HISTORY, GitHistory(vault.root, os.environ | {"GIT_CEILING_DIRECTORIES": str(vault.root)}))
    found = status(ws.view())
    assert (found.repository, found.memories, found.uncommitted, found.hooks) == (None, 1, (), {})
    for verb in (log, diff, commit):
        with pytest.raises(GitError, match="not in a git repository"):
            verb(ws.view())


# -- commit --------------------------------------------------------------------------------------


def test_commit_takes_all_memories_and_nothing_else(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.write("gone.md", memory("m_gone"))
    vault.commit("1")
    vault.write("a.md", memory("m_aaa", "New.\n"))
    vault.write("there/b.md", memory("m_bbb"))
    (vault.root / "gone.md").unlink()
    vault.write("plain.md", "Just text.\n")
    vault.write("broken.md", "---\n")
    done = commit(vault.open().view())
    assert done.refs == ("note:m_aaa", "note:m_gone", "plain.md", "note:m_bbb")
    assert done.left_out == ("broken.md",)
    assert done.message.startswith("3 memories, 1 note: 2 added, 1 edited, 1 deleted\n\n")
    assert git(vault.root, "log", "-1", "--format=%B").strip() == done.message.strip()
    assert git(vault.root, "status", "--porcelain").split() == ["??", "broken.md"]
    assert commit(vault.open().view()).commit is None


def test_commit_takes_only_the_memories_that_were_named(vault: Written) -> None:
    for name in ("aaa", "bbb", "ccc"):
        vault.write(f"{name}.md", memory(f"m_{name}"))
    vault.commit("1")
    for name in ("aaa", "bbb"):
        vault.write(f"{name}.md", memory(f"m_{name}", "New.\n"))
    (vault.root / "ccc.md").unlink()
    done = commit(vault.open().view(), ["m_bbb", "note:m_ccc"], message="Two of them")
    assert done.message == "Two of them\n\nMemory-Id: m_bbb\nMemory-Id: m_ccc\n"
    assert git(vault.root, "status", "--porcelain").split() == ["M", "aaa.md"]
    with pytest.raises(NotFoundError, match="pending"):
        commit(vault.open().view(), ["m_bbb"])
    with pytest.raises(NotFoundError):
        commit(vault.open().view(), ["m_zzz"])
    assert commit_paths(vault.open(), ["aaa.md"], None).refs == ("note:m_aaa",)
    assert commit_paths(vault.open(), ["aaa.md"], None).commit is None


def test_commit_makes_the_checks_of_the_hook(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    vault.commit("1")
    vault.write("a.md", memory("m_other"))
    with pytest.raises(RefusedError, match="id-changed"):
        commit(vault.open().view())
    vault.write("a.md", memory("m_aaa"))
    vault.write("copy.md", memory("m_aaa", "A copy.\n"))
    with pytest.raises(RefusedError, match="id-duplicate"):
        commit(vault.open().view())
    (vault.root / "copy.md").unlink()
    vault.write("a.md", memory("m_aaa").replace("note", "belief"))
    assert [finding.code for finding in commit(vault.open().view()).findings] == ["type-changed"]


def test_the_first_commit_of_a_repository(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    done = commit(vault.open().view())
    assert git(vault.root, "log", "--format=%H %s").split(maxsplit=1) == [done.commit, "add Some text\n"]


def test_a_clone_of_what_was_committed_is_a_vault(vault: Written) -> None:
    own = (".gitattributes", ".memstore/config.toml", "entities/human/sean.md", "groups/club.yaml")
    for path in (".gitattributes", "entities/human/sean.md", "groups/club.yaml", "entities/.draft.md", "other.txt"):
        vault.write(path, "text")
    vault.write("a.md", memory("m_aaa"))
    assert status(vault.open().view()).own_files == own
    done = commit(vault.open().view())
    assert done.own_files == own
    assert done.message == (
        "add Some text\n\nwith .gitattributes, .memstore/config.toml, 1 in entities, 1 in groups\n\nMemory-Id: m_aaa\n"
    )
    assert git(vault.root, "ls-files").split() == sorted([*own, "a.md"])
    assert status(vault.open().view()).own_files == ()
    (vault.root / "groups/club.yaml").unlink()
    vault.write(".gitattributes", "other text")
    assert commit(vault.open("si:ash").view()).commit is None
    assert commit(vault.open().view()).message == "vault: .gitattributes, 1 in groups\n"
    assert git(vault.root, "status", "--porcelain").split() == ["??", "entities/.draft.md", "??", "other.txt"]


def test_a_commit_of_named_memories_leaves_the_vaults_own_files(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa"))
    assert commit(vault.open().view(), ["m_aaa"]).own_files == ()
    assert git(vault.root, "ls-files").split() == ["a.md"]


def test_what_git_is_told_to_ignore_is_not_committed(vault: Written) -> None:
    vault.write(".gitignore", "private/\n/groups/\n")
    vault.write("private/a.md", memory("m_aaa"))
    vault.write("groups/club.yaml", "text")
    vault.write("kept.md", memory("m_kept"))
    found = status(vault.open().view())
    assert ([u.path for u in found.uncommitted], found.own_files) == (["kept.md"], (".memstore/config.toml",))
    commit(vault.open().view())
    assert git(vault.root, "ls-files").split() == [".memstore/config.toml", "kept.md"]
    git(vault.root, "add", "-f", "private/a.md")
    assert [u.path for u in status(vault.open().view()).uncommitted] == ["private/a.md"]


# -- undo ----------------------------------------------------------------------------------------


def test_undo_takes_back_and_a_second_one_does_it_again(vault: Written) -> None:
    before, after = memory("m_aaa"), memory("m_aaa", "New.\n")
    vault.write("changed.md", after)
    vault.write("new.md", after)
    files = (
        WrittenFile("changed.md", before.encode(), after.encode()),
        WrittenFile("new.md", None, after.encode()),
        WrittenFile("gone.md", before.encode(), None),
    )
    ws = vault.open()
    with pytest.raises(NotFoundError):
        undo(ws.view())
    ws.journal.record(Operation(verb="set", at="2026-01-01T00:00:00Z", files=files))
    would = undo(ws.view(), dry_run=True)
    assert (vault.root / "changed.md").read_text() == after
    assert would.diff == "".join(unified_diff(file.path, file.after, file.before) for file in files)
    done = undo(vault.open().view())
    assert (done.verb, done.paths) == ("set", ("changed.md", "new.md", "gone.md"))
    assert (vault.root / "changed.md").read_text() == (vault.root / "gone.md").read_text() == before
    assert not (vault.root / "new.md").exists()
    assert undo(vault.open().view()).verb == "undo of set"
    assert (vault.root / "changed.md").read_text() == (vault.root / "new.md").read_text() == after
    assert not (vault.root / "gone.md").exists()


def test_what_somebody_else_wrote_is_neither_undone_nor_shown(vault: Written) -> None:
    mine, ashs = memory("m_aaa"), memory("m_bbb", owner="si:ash")
    vault.write("a.md", mine)
    ash = vault.open("si:ash")
    with pytest.raises(NotFoundError) as nothing:
        undo(ash.view())
    vault.open().journal.record(Operation("add", "2026-01-01T00:00:00Z", (WrittenFile("a.md", None, mine.encode()),)))
    for dry_run in (True, False):
        with pytest.raises(NotFoundError) as hidden:
            undo(ash.view(), dry_run=dry_run)
        assert (str(hidden.value), hidden.value.hint) == (str(nothing.value), nothing.value.hint)
    assert (vault.root / "a.md").read_text() == mine
    vault.write("b.md", ashs)
    ash.journal.record(Operation("add", "2026-01-01T00:00:00Z", (WrittenFile("b.md", None, ashs.encode()),)))
    with pytest.raises(NotFoundError):
        undo(vault.open().view())
    assert undo(ash.view()).paths == ("b.md",)


def test_only_a_vault_in_git_has_git_bring_back_what_is_committed() -> None:
    with pytest.raises(NotFoundError) as caught:
        undo(memory_workspace({}).view())
    assert caught.value.hint == "memstore init --undo removes a vault"


def test_what_others_did_to_what_one_sees_is_not_undone(vault: Written) -> None:
    """A refusal that is taken back by an outsider would open what it closed."""
    public, refusal = memory("m_aaa", access_grants='["*"]'), "---\ntype: consent\nid: con_1\n---\n"
    changed = memory("m_aaa", "New.\n", access_grants='["*"]')
    vault.write("a.md", changed)
    vault.write("consents/2026/con_1.md", refusal)
    owner, bob = vault.open(), vault.open("human:bob")
    written = WrittenFile("a.md", public.encode(), changed.encode())
    refused = WrittenFile("consents/2026/con_1.md", None, refusal.encode())
    for files in ((written,), (refused,), (written, refused)):
        for by in (OWNER, None):
            owner.journal.record(Operation("set", "2026-01-01T00:00:00Z", files, by))
            with pytest.raises(NotFoundError, match="nothing to undo"):
                undo(bob.view())
            assert undo(owner.view(), dry_run=True).paths == tuple(file.path for file in files)
    # What somebody did themselves they take back, to whosever memory it was; so does its owner.
    owner.journal.record(Operation("witness", "2026-01-01T00:00:00Z", (written,), "human:bob"))
    assert undo(owner.view(), dry_run=True).paths == ("a.md",)
    assert undo(bob.view()).paths == ("a.md",)
    assert (vault.root / "a.md").read_text() == public


def test_what_somebody_else_writes_takes_nobody_their_undo(vault: Written) -> None:
    bob = vault.open("human:bob")
    mine = add_memory(bob.view(), {}, "Mine.").path
    add_memory(vault.open().view(), {}, "Hidden.")
    assert undo(bob.view(), dry_run=True).paths == (mine,)
    assert undo(vault.open("human:bob").view()).paths == (mine,)


def test_undo_goes_on_where_a_hand_has_begun(vault: Written) -> None:
    ws = vault.open()
    files = (WrittenFile("a.md", None, b"a"), WrittenFile("b.md", None, b"b"))
    ws.journal.record(Operation(verb="add", at="2026-01-01T00:00:00Z", files=files, by=ws.actor))
    vault.write("a.md", "a")
    assert undo(ws.view()).paths == ("a.md", "b.md")
    assert not (vault.root / "a.md").exists()


def test_undo_leaves_what_was_changed_since(vault: Written) -> None:
    ws = vault.open()
    files = (WrittenFile("a.md", None, b"a"), WrittenFile("b.md", None, b"b"))
    ws.journal.record(Operation(verb="add", at="2026-01-01T00:00:00Z", files=files))
    vault.write("a.md", "a")
    vault.write("b.md", "edited")
    with pytest.raises(ChangedMeanwhileError, match=r"b\.md"):
        undo(ws.view())
    assert (vault.root / "a.md").read_text() == "a"
    assert ws.actor == OWNER


def test_a_commit_or_date_in_the_place_of_a_memory_is_told_to_be_one(dated: Written) -> None:
    view = dated.open().view()
    for word in ("HEAD", "2026-01-15"):
        with pytest.raises(NotFoundError, match=f"no memory matches `{word}`; it names a commit or date") as told:
            diff(view, word)
        assert told.value.hint == f"memstore diff REF {word} compares a memory"
    with pytest.raises(NotFoundError, match=r"no memory matches `nowhere`$"):
        diff(view, "nowhere")
