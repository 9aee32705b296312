"""The merge driver, called by git itself: merges, rebases, cherry-picks, reverts and stashes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import Exit, GitError, RefusedError
from memstore.files import memory_file
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.history import HISTORY
from memstore.history.history import HookState
from memstore.hooks import merge_driver
from memstore.trust import allowed_signers
from tests.git_repositories import git, memory, vault_in
from tests.installed import MEMSTORE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git_repositories import Written

HEAVY = ("click", "whoosh", "git", "frontmatter", "tomlkit", "pathspec")
BASE = memory("m_aaa", "One.\n\nTwo.\n\nThree.\n", title="Tea", tags="[a, b]", access_grants="[human:sean, si:ash]")
# Each changes a line that git would find in conflict with the other's.
OURS = BASE.replace("[a, b]", "[a, b, c]").replace("si:ash]", "si:ash, human:ina]").replace("One", "1")
THEIRS = BASE.replace("[a, b]", "[a, d]").replace("human:sean, ", "").replace("Three", "3")
BOTH = ("title: Tea\ntags: [a, c, d]\naccess_grants: [si:ash, human:ina]\n---\n1.\n\nTwo.\n\n3.\n",
        "title: Tea\ntags: [a, d, c]\naccess_grants: [si:ash, human:ina]\n---\n1.\n\nTwo.\n\n3.\n")  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    vault = vault_in(tmp_path / "the vault")
    vault.write(".gitattributes", "*.md merge=memstore diff=memstore -text\n")
    vault.open().view().of(HISTORY).hooks.install("merge-driver")
    return vault


def attempt(vault: Written, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git; it may fail."""
    command = ["git", "-c", "core.hooksPath=/dev/null", *words]
    return subprocess.run(command, cwd=vault.root, capture_output=True, text=True, check=False)


def two_sides(vault: Written, path: str = "a.md", sides: tuple[str, ...] = (BASE, OURS, THEIRS)) -> None:
    """Commit a base, ours on main, theirs on the branch `side`; main is checked out."""
    base, ours, theirs = sides
    vault.write(path, base)
    vault.commit("base")
    git(vault.root, "switch", "-q", "-c", "side")
    vault.write(path, theirs)
    vault.commit("theirs")
    git(vault.root, "switch", "-q", "main")
    vault.write(path, ours)
    vault.commit("ours")


def content(vault: Written, path: str = "a.md") -> str:
    return (vault.root / path).read_text()


def merged_head(vault: Written) -> str:
    return content(vault).partition("id: m_aaa\n")[2]


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "words",
    [("merge", "side", "-m", "both"), ("cherry-pick", "side"), ("rebase", "side"), ("merge", "--squash", "side")],
)
def test_git_merges_what_lines_alone_could_not(vault: Written, words: tuple[str, ...]) -> None:
    two_sides(vault)
    done = attempt(vault, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "memstore" not in done.stdout + done.stderr
    assert merged_head(vault) in BOTH


def test_git_reverts_a_commit_under_later_ones(vault: Written) -> None:
    vault.write("a.md", BASE)
    vault.commit("base")
    vault.write("a.md", THEIRS)
    vault.commit("theirs")
    vault.write("a.md", THEIRS.replace("[a, d]", "[a, d, e]").replace("[si:ash]", "[si:ash, human:ina]"))
    vault.commit("later")
    done = attempt(vault, "revert", "--no-edit", "HEAD~1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tags: [a, e, b]\naccess_grants: [si:ash, human:ina, human:sean]\n" in content(vault)


def test_a_stash_is_popped(vault: Written) -> None:
    vault.write("a.md", BASE)
    vault.commit("base")
    vault.write("a.md", THEIRS)
    git(vault.root, "stash")
    vault.write("a.md", OURS)
    vault.commit("ours")
    done = attempt(vault, "stash", "pop")
    assert done.returncode == 0, done.stdout + done.stderr
    assert merged_head(vault) == BOTH[0]


def test_a_conflict_stops_git_and_nobody_reads_the_memory(vault: Written) -> None:
    two_sides(vault, sides=(BASE, OURS.replace("Tea", "Green tea"), THEIRS.replace("Tea", "Black tea")))
    done = attempt(vault, "merge", "side")
    assert done.returncode == 1
    assert "CONFLICT (content): Merge conflict in a.md" in done.stdout
    torn = content(vault)
    assert "<<<<<<< ours\ntitle: Green tea\n=======\ntitle: Black tea\n>>>>>>> theirs\ntags: [a, c, d]\n" in torn
    assert isinstance(memory_file.read("a.md", torn.encode()), BrokenFile)
    assert attempt(vault, "commit", "-a", "--dry-run").returncode == 0
    git(vault.root, "merge", "--abort")
    git(vault.root, "config", "merge.conflictStyle", "diff3")
    attempt(vault, "merge", "side")
    assert "title: Green tea\n||||||| base\ntitle: Tea\n=======\ntitle: Black tea\n" in content(vault)


@pytest.mark.parametrize("has_driver", [True, False])
@pytest.mark.parametrize("line_ends", ["\n", "\r\n"])
def test_a_memory_in_conflict_is_shown_to_nobody_but_the_owner(
    vault: Written, line_ends: str, *, has_driver: bool
) -> None:
    hooks = vault.open().view().of(HISTORY).hooks
    if not has_driver:
        hooks.uninstall("merge-driver")
    theirs = THEIRS.replace("title: Tea", "title: Black tea").replace("\n", line_ends)
    two_sides(vault, sides=(BASE, OURS.replace("title: Tea", "title: Green tea"), theirs))
    assert len(vault.open("human:ina").view().rows) == 1
    done = attempt(vault, "merge", "side")
    assert done.returncode == 1
    owner = vault.open().view()
    assert (len(owner.rows), len(owner.plain), len(owner.broken)) == (0, 0, 1)
    for name in ("human:ina", "human:sean", "si:ash"):
        view = vault.open(name).view()
        assert (len(view.rows), len(view.texts)) == (0, 0)


def test_crossing_merges_have_a_base_of_git_s_own(vault: Written) -> None:
    two_sides(vault)
    git(vault.root, "branch", "old", "main")
    assert attempt(vault, "merge", "side", "-m", "one way").returncode == 0
    git(vault.root, "switch", "-q", "side")
    assert attempt(vault, "merge", "old", "-m", "other way").returncode == 0
    vault.write("a.md", content(vault).replace("Tea", "Black tea"))
    vault.commit("more of theirs")
    git(vault.root, "switch", "-q", "main")
    vault.write("a.md", content(vault).replace("1.", "1!"))
    vault.commit("more of ours")
    done = attempt(vault, "merge", "side", "-m", "crossed")
    assert done.returncode == 0, done.stdout
    assert "title: Black tea\n" in content(vault)
    assert "\n1!\n" in content(vault)
    assert "sean" not in content(vault)


def test_a_moved_memory_is_merged_where_it_lies_now(vault: Written) -> None:
    more = "".join(f"\nParagraph {number}.\n" for number in range(9))  # git knows it again by what stayed
    two_sides(vault, sides=(BASE + more, OURS + more, THEIRS + more))
    git(vault.root, "mv", "a.md", "tea's & ü.md")
    vault.commit("moved")
    assert attempt(vault, "merge", "side", "-m", "both").returncode == 0
    assert content(vault, "tea's & ü.md").endswith(BOTH[0] + more)


@pytest.mark.parametrize("how", ["no driver", "program gone", "program broken"])
def test_without_the_program_nothing_is_lost_silently(vault: Written, tmp_path: Path, how: str) -> None:
    hooks = vault.open().view().of(HISTORY).hooks
    if how == "no driver":
        hooks.uninstall("merge-driver")
    else:
        line = git(vault.root, "config", "merge.memstore.driver")
        (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "python").chmod(0o755)
        place = str(tmp_path / ("none" if how == "program gone" else "python"))
        git(vault.root, "config", "merge.memstore.driver", line.strip().replace(sys.executable, place))
    assert hooks.states()["merge-driver"] is (HookState.OURS if how == "program broken" else HookState.ABSENT)
    two_sides(vault)
    done = attempt(vault, "merge", "side")
    assert done.returncode == 1
    assert "CONFLICT" in done.stdout
    if how == "program broken":
        assert content(vault) == OURS  # as git left it, and in conflict
    else:
        assert isinstance(memory_file.read("a.md", content(vault).encode()), BrokenFile)


def test_a_failure_leaves_both_sides_in_a_conflict(
    vault: Written, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("base", BASE), ("ours", BASE.replace("One", "1")), ("theirs", BASE.replace("Three", "3"))):
        vault.write(name, text)
    monkeypatch.setattr(memory_file, "read", lambda *_, **__: 1 / 0)
    assert merge_driver.main(vault.root, ["base", "ours", "theirs", "a.md"]) == 1
    assert content(vault, "ours") == BASE.replace("One", "1").replace("Three", "3")
    assert "'a.md' is left to git merge-file: ZeroDivisionError" in capfd.readouterr().err


def test_bytes_that_are_no_text_are_a_conflict(vault: Written) -> None:
    for name in ("base", "ours", "theirs"):
        (vault.root / name).write_bytes(b"\0" + name.encode())
    assert merge_driver.main(vault.root, ["base", "ours", "theirs", "a.md"]) == 1
    assert (vault.root / "ours").read_bytes() == b"\0ours"


def test_plain_notes_of_a_mixed_vault_are_merged_as_ever(vault: Written) -> None:
    vault.write(".memstore/config.toml", content(vault, ".memstore/config.toml") + 'notes = "mixed"\n')
    note = "---\ntags: [a]\n---\nOne.\n\nTwo.\n"
    two_sides(vault, sides=(note, note.replace("[a]", "[a, b]"), note.replace("Two", "2")))
    assert attempt(vault, "merge", "side", "-m", "both").returncode == 0
    assert content(vault) == "---\ntags: [a, b]\n---\nOne.\n\n2.\n"
    git(vault.root, "reset", "-q", "--hard", "HEAD~1")
    vault.write("a.md", note.replace("[a]", "[a, b]").replace("One", "1"))
    vault.commit("more")
    git(vault.root, "switch", "-q", "side")
    vault.write("a.md", note.replace("[a]", "[a, c]"))
    vault.commit("and more")
    assert attempt(vault, "merge", "main").returncode == 1  # two lists of another program's are not united
    assert "<<<<<<< ours\ntags: [a, c]\n" in content(vault)


def test_a_vault_may_be_a_folder_of_the_repository(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "repository")
    (vault.root / "notes").mkdir()
    (vault.root / ".memstore").rename(vault.root / "notes/.memstore")
    vault.write("notes/.gitattributes", "*.md merge=memstore\n")
    git(vault.root, "config", "merge.memstore.driver", f"{MEMSTORE} merge-driver %O %A %B %P")
    two_sides(vault, "notes/a.md")
    assert attempt(vault, "merge", "side", "-m", "both").returncode == 0
    assert content(vault, "notes/a.md").endswith(BOTH[0])


def test_installing_is_repeatable_and_leaves_another_driver_alone(vault: Written) -> None:
    hooks = vault.open().view().of(HISTORY).hooks
    before = (vault.root / ".git/config").read_text()
    hooks.install("merge-driver")
    assert (vault.root / ".git/config").read_text() == before
    hooks.uninstall("merge-driver")
    assert "merge" not in (vault.root / ".git/config").read_text()
    git(vault.root, "config", "merge.memstore.driver", "other %A")
    assert hooks.states()["merge-driver"] is HookState.FOREIGN
    hooks.uninstall("merge-driver")
    with pytest.raises(RefusedError, match="another program's"):
        hooks.install("merge-driver")
    assert git(vault.root, "config", "merge.memstore.driver") == "other %A\n"


def test_settings_that_cant_be_changed_are_told_in_words(vault: Written) -> None:
    hooks = vault.open().view().of(HISTORY).hooks
    (vault.root / ".git/config.lock").touch()
    with pytest.raises(GitError, match="the merge driver is not installed, because git's settings here") as told:
        hooks.install("merge-driver")
    assert "could not lock config file" in str(told.value)
    assert str(told.value.hint).startswith("make the git folder writable")


def test_the_driver_loads_nothing_heavy(vault: Written) -> None:
    for name, text in (("base", BASE), ("ours", OURS), ("theirs", THEIRS)):
        vault.write(name, text)
    code = (
        "import sys; from pathlib import Path; from memstore.hooks.merge_driver import main; "
        "print(main(Path.cwd(), ['base', 'ours', 'theirs', 'a.md', '7'])); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=vault.root, env=os.environ, capture_output=True, text=True, check=True
    )
    answer, modules = done.stdout.split("\n")[:2]
    assert (answer, done.stderr) == ("0", "")
    assert {name.partition(".")[0] for name in modules.split(" ")}.isdisjoint(HEAVY)
    assert isinstance(memory_file.read("a.md", (vault.root / "ours").read_bytes()), MemoryFile)


# -- files of the vault's own ----------------------------------------------------------------------


GROUP = "id: group:club\nmembers:\n  - {id: human:ina}\n  - {id: human:otto}\n"


def test_a_group_in_conflict_opens_nothing_and_goes_on_denying(vault: Written) -> None:
    vault.write("open.md", memory("m_bbb", access_grants="[group:club]"))
    vault.write("shut.md", memory("m_ccc", access_grants='["*"]', access_denies="[group:club]"))
    sides = (GROUP, GROUP.replace("otto", "claire"), GROUP.replace("otto", "bob"))
    two_sides(vault, "groups/club.yaml", sides)
    assert attempt(vault, "merge", "side").returncode == 1
    assert "<<<<<<<" in content(vault, "groups/club.yaml")
    for name in ("ina", "otto", "claire", "bob"):
        view = vault.open(f"human:{name}").view()
        assert list(view.rows) == [], name


def test_both_changes_of_a_group_hold(vault: Written) -> None:
    two_sides(
        vault,
        "groups/club.yaml",
        (
            GROUP + "  - {id: si:ash}\n  - {id: si:bob}\n",
            GROUP.replace("  - {id: human:ina}\n", "") + "  - {id: si:ash}\n  - {id: si:bob}\n",
            GROUP + "  - {id: si:ash}\n  - {id: si:bob}\n  - {id: si:claire}\n",
        ),
    )
    vault.write("open.md", memory("m_bbb", access_grants="[group:club]"))
    vault.commit("more")
    assert attempt(vault, "merge", "side", "-m", "both").returncode == 0
    assert {name for name in ("human:ina", "human:otto", "si:claire") if list(vault.open(name).view().rows)} == {
        "human:otto",
        "si:claire",
    }


@pytest.mark.parametrize(
    ("path", "base"),
    [
        ("consents/2026/con_1.md", "---\na: 1\nb: 2\nc: 3\nd: 4\n---\n"),
        # An event names the digest of what it says.
        ("audit/si/2026/1.json", '{\n  "a": 1,\n  "b": 2,\n  "c": 4,\n  "digest": "14"\n}\n'),
    ],
)
def test_what_is_written_once_is_never_made_one_of_two(vault: Written, path: str, base: str) -> None:
    two_sides(vault, path, (base, base.replace("1", "7"), base.replace("4", "8")))
    assert attempt(vault, "merge", "side").returncode == 1, content(vault, path)


def test_keys_in_conflict_revoke_everything(vault: Written) -> None:
    keys = "# revoked\n"
    path = ".memstore/revoked_keys"
    two_sides(vault, path, (keys, keys + f"ssh-ed25519 {'A' * 68}\n", keys + f"ssh-ed25519 {'B' * 68}\n"))
    assert attempt(vault, "merge", "side").returncode == 1
    keyring, findings = allowed_signers.read(b"", content(vault, path).encode())
    assert keyring.unreadable
    assert findings


def test_settings_in_conflict_open_no_vault(vault: Written) -> None:
    settings = content(vault, ".memstore/config.toml")
    sides = (settings, settings.replace("human:tester", "si:ash"), settings.replace("human:tester", "si:bob"))
    two_sides(vault, ".memstore/config.toml", sides)
    assert attempt(vault, "merge", "side").returncode == 1
    done = subprocess.run([MEMSTORE, "list"], cwd=vault.root, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.VAULT
    assert ".memstore/config.toml:2" in done.stderr


@pytest.mark.parametrize("words", [("merge", "side", "-m", "both"), ("rebase", "side"), ("cherry-pick", "side")])
def test_what_one_side_forgot_stays_forgotten_and_the_change_is_kept(vault: Written, words: tuple[str, ...]) -> None:
    tomb = memory("m_aaa", "Forgotten.\n", status="forgotten")
    two_sides(vault, sides=(BASE, tomb, THEIRS))
    done = attempt(vault, *words)
    assert done.returncode != 0
    assert "one side forgot this memory" in done.stdout + done.stderr
    assert content(vault) == tomb
    assert "Three" not in content(vault)
    git(vault.root, "add", "a.md")
    assert git(vault.root, "show", "side:a.md") == THEIRS


def test_a_stash_of_a_change_is_kept_where_the_memory_was_forgotten(vault: Written) -> None:
    vault.write("a.md", BASE)
    vault.commit("base")
    vault.write("a.md", THEIRS)
    git(vault.root, "stash", "-q")
    vault.write("a.md", memory("m_aaa", "Forgotten.\n", status="forgotten"))
    vault.commit("forgotten")
    assert attempt(vault, "stash", "pop").returncode != 0
    assert "forgotten" in content(vault)
    assert git(vault.root, "show", "stash@{0}:a.md") == THEIRS


def test_a_change_of_a_memory_whose_tombstone_is_elsewhere_does_not_bring_it_back(vault: Written) -> None:
    vault.write("tea.md", BASE)
    vault.commit("base")
    git(vault.root, "switch", "-q", "-c", "side")
    vault.write("tea.md", THEIRS)
    vault.commit("theirs")
    git(vault.root, "switch", "-q", "main")
    (vault.root / "tea.md").unlink()
    vault.write("m_aaa.md", memory("m_aaa", "Forgotten.\n", status="forgotten"))
    vault.commit("forgotten")
    assert "deleted in HEAD and modified in side" in attempt(vault, "merge", "side").stdout
    vault.open().view().of(HISTORY).hooks.install("pre-commit")
    git(vault.root, "add", "-A")  # clumsily
    done = subprocess.run(["git", "commit", "-m", "both"], cwd=vault.root, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "m_aaa" in done.stderr, done.stderr
