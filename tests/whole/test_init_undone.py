"""`memstore init --undo` takes away what `init` made, to the byte, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstore.history.git_hooks import DRIVER, HOOK_NAMES
from memstore.vault.init import ATTRIBUTES_LINE, FUNCTION_KEY
from tests.installed import validated
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OWNER = "human:tester"
PYTHON = sys.executable
NOTE = "# Tea\n\nGreen tea wants eighty degrees.\n"


def state(program: Program) -> dict[str, object]:
    """Return all that is in the vault's folder, folders too, and what git says of it; objects and the index aside."""
    found: dict[str, object] = {}
    for path in program.vault.rglob("*"):
        if path.name not in ("index", "write.lock") and ".git/objects/" not in str(path):
            found[str(path)] = path.lstat().st_mode, path.read_bytes() if path.is_file() else None
    if (program.vault / ".git").exists():
        found["status"] = program.git("status", "--porcelain", "--ignored")
    return found


def another(program: Program) -> Program:
    """Return the program at another home, in which there is no vault's folder yet."""
    (program.home / "another").mkdir()
    return Program(program.home / "another")


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def repository(program: Program) -> None:
    program.git("init", "--quiet")


def with_notes(program: Program) -> None:
    repository(program)
    (program.vault / "tea.md").write_text(NOTE)
    (program.vault / "audit").mkdir()
    (program.vault / "audit" / "2026.json").write_text('{"by": "the accountant"}\n')
    (program.vault / "groups").mkdir()
    (program.vault / "groups" / "club.yaml").write_text("we: meet on Fridays\n")
    program.git("add", "-A")
    program.git("commit", "-qm", "notes")
    (program.vault / "new.md").write_text(NOTE)


def with_a_hook(program: Program) -> None:
    repository(program)
    hook = program.vault / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)


def with_hooks_elsewhere(program: Program) -> None:
    repository(program)
    program.git("config", "core.hooksPath", "tools/hooks")


def with_hooks_outside(program: Program) -> None:
    repository(program)
    (program.home / "hooks").mkdir()
    (program.home / "hooks/commit-msg").write_text("#!/bin/sh\n# memstore-hook, put here by hand\n")
    program.git("config", "core.hooksPath", str(program.home / "hooks"))


def with_attributes(data: bytes) -> Callable[[Program], None]:
    def made(program: Program) -> None:
        repository(program)
        (program.vault / ".gitattributes").write_bytes(data)

    made.__name__ = repr(data)
    return made


def with_own_ignores(program: Program) -> None:
    repository(program)
    (program.vault / ".memstoreignore").write_text("drafts/\n")


def with_a_bare_git_folder(program: Program) -> None:
    program.git("init", "--quiet", "--template=")


def with_an_exclude_of_ones_own(program: Program) -> None:
    repository(program)
    (program.vault / ".git/info/exclude").write_bytes(b"*.tmp")


def with_own_settings_of_git(program: Program) -> None:
    repository(program)
    with (program.vault / ".git/config").open("a") as file:
        file.write('[diff "mine"]\n\txfuncname = "^x"\n# the end')


BEFORE = [
    repository,
    with_notes,
    with_a_hook,
    with_hooks_elsewhere,
    with_hooks_outside,
    with_attributes(b"*.png binary"),
    with_attributes(b"*.png binary\n"),
    with_attributes(b"*.png binary\r\n*.gif binary\r\n"),
    with_attributes(b"*.png binary\r\n*.gif binary"),
    with_attributes(b""),
    with_attributes(f"{ATTRIBUTES_LINE}\n".encode()),
    with_own_ignores,
    with_a_bare_git_folder,
    with_an_exclude_of_ones_own,
    with_own_settings_of_git,
]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path).in_process()
    made.vault.mkdir()
    return made


@pytest.mark.soak
@pytest.mark.parametrize("made", BEFORE, ids=lambda made: made.__name__)
def test_everything_is_as_it_was(program: Program, made: Callable[[Program], None]) -> None:
    made(program)
    before = state(program)
    program.ok("init", ".")
    program.ok("search", "tea")
    assert state(program) != before
    told = state(program)
    planned = validated(program.ok("--json", "init", "--undo", "--dry-run"))
    assert state(program) == told
    done = validated(program.ok("--json", "init", "--undo"))
    assert done | {"dry_run": True} == planned
    assert state(program) == before
    assert not names_in(program.home / "cache/memstore")
    assert not (program.home / "hooks").exists() or names_in(program.home / "hooks") == ["commit-msg"]
    assert (done["is_vault"], done["repository"], done["tracked"]) == (False, True, [])
    assert program.run("init", "--undo").returncode == 5


def test_a_repository_that_init_made_stays(program: Program) -> None:
    program.ok("init", ".")
    said = program.ok("init", "--undo")
    assert "the git repository stays" in said
    assert "git still tracks .gitattributes, .memstore/config.toml, .memstoreignore: commit their removal, too" in said
    program.git("commit", "-qam", "none any more")
    fresh = another(program)
    fresh.vault.mkdir()
    repository(fresh)
    mine, bare = (
        {str(path).removeprefix(str(one.vault)): content for path, content in state(one).items()}
        for one in (program, fresh)
    )
    assert {path: mine[path] for path in bare} == bare
    commits = ("/.git/logs", "/.git/refs/heads", "/.git/COMMIT_EDITMSG")
    assert [path for path in mine if path not in bare and not path.startswith(commits)] == []


def test_the_person_is_told_what_went(program: Program) -> None:
    with_a_hook(program)
    (program.vault / ".git/hooks/pre-commit").write_text('#!/bin/sh\nmemstore hooks run pre-commit "$@" || exit 1\n')
    program.ok("init", ".", "--owner", OWNER)
    assert (
        "would remove the git hooks merge-driver, pre-merge-commit, prepare-commit-msg, commit-msg, pre-push"
        in program.ok("init", "--undo", "--dry-run")
    )
    said = program.ok("init", "--undo")
    for line in (
        f"{program.vault} is no longer a vault",
        "removed .gitattributes, .memstore/config.toml, .memstoreignore",
        "removed memstore's line from .git/info/exclude",
        "removed the git hooks merge-driver, pre-merge-commit, prepare-commit-msg, commit-msg, pre-push",
        f"removed git config {FUNCTION_KEY}",
        "hook pre-commit stays: it is another program's; remove the line with `memstore hooks run` from it",
    ):
        assert line in said


def test_a_folder_is_named(program: Program) -> None:
    program.ok("init", "notes")
    assert program.run("init", "--undo").returncode == 5
    program.ok("init", "--undo", "notes")
    assert names_in(program.vault / "notes") == [".git"]
    program.ok("init", "notes")
    (program.vault / "notes/below").mkdir()
    inner = program.run("init", "--undo", cwd=program.vault / "notes/below")
    assert (inner.returncode, "the vault around it is" in inner.stderr) == (5, True)


# -- what the person did since ---------------------------------------------------------------------


def test_lines_of_ones_own_stay(program: Program) -> None:
    program.ok("init", ".")
    for name in (".gitattributes", ".git/info/exclude"):
        with (program.vault / name).open("a") as file:
            file.write("*.png binary\n")
    program.git("config", "diff.memstore.binary", "false")
    (program.vault / ".memstoreignore").write_text("mine/\n")
    done = validated(program.ok("--json", "init", "--undo"))
    assert done["restored"] == [".git/info/exclude", ".gitattributes"]
    assert done["kept"] == [{"what": ".memstoreignore", "why": "it has been changed since"}]
    assert (program.vault / ".gitattributes").read_text() == "*.png binary\n"
    assert (program.vault / ".git/info/exclude").read_text().endswith("*~\n*.png binary\n")
    assert program.git("config", "diff.memstore.binary").strip() == "false"
    changes = [" M .gitattributes", " D .memstore/config.toml", " M .memstoreignore"]
    assert program.git("status", "--porcelain").splitlines() == changes


def test_another_pattern_of_the_same_key_stays(program: Program) -> None:
    program.ok("init", ".")
    program.git("config", FUNCTION_KEY, "^mine")
    assert validated(program.ok("--json", "init", "--undo"))["git_key"] is None
    assert program.git("config", FUNCTION_KEY).strip() == "^mine"


def test_what_init_found_stays(program: Program) -> None:
    """A clone has its settings from elsewhere."""
    program.ok("init", ".")
    clone = another(program)
    program.git("clone", "--quiet", str(program.vault), str(clone.vault))
    before = state(clone)
    clone.ok("init", ".")
    done = validated(clone.ok("--json", "init", "--undo"))
    assert (done["is_vault"], done["removed"], done["hooks"]) == (True, [], [DRIVER, *HOOK_NAMES])
    assert state(clone) == before
    # Where nobody called `init`, what looks as it writes it goes.
    done = validated(clone.ok("--json", "init", "--undo"))
    assert done["removed"] == done["tracked"] == [".gitattributes", ".memstore/config.toml", ".memstoreignore"]
    assert not clone.run("list").stdout


def test_of_a_vault_that_was_moved_goes_what_looks_as_init_writes_it(program: Program) -> None:
    with_attributes(b"*.png binary")(program)
    program.ok("init", ".")
    program.vault.rename(program.home / "moved")
    done = validated(program.ok("--json", "init", "--undo", str(program.home / "moved"), cwd=program.home))
    assert done["removed"] == [".memstore/config.toml", ".memstoreignore"]
    assert done["restored"] == [".git/info/exclude", ".gitattributes"]
    assert (program.home / "moved/.gitattributes").read_bytes() == b"*.png binary\n"
    assert sorted(names_in(program.home / "moved")) == [".git", ".gitattributes"]


def test_a_worktree_of_its_own(program: Program) -> None:
    repository(program)
    program.git("commit", "-q", "--allow-empty", "-m", "empty")
    before = state(program)
    program.git("worktree", "add", "-q", "../beside")
    beside = program.home / "beside"
    with_worktree = state(program)
    program.ok("init", ".", cwd=beside)
    program.ok("init", "--undo", cwd=beside)
    assert state(program) == with_worktree != before
    assert names_in(beside) == [".git"]
    program.ok("init", ".")
    program.ok("init", ".", cwd=beside)
    done = validated(program.ok("--json", "init", "--undo", cwd=beside))
    assert {"what": "hook pre-commit", "why": "the repository has another vault, ../vault"} in done["kept"]
    program.ok("init", "--undo")
    assert state(program) == with_worktree


@pytest.mark.soak
@pytest.mark.parametrize("is_committed", [False, True])
def test_what_git_has_is_to_be_committed(program: Program, *, is_committed: bool) -> None:
    repository(program)
    program.ok("init", ".")
    program.git("add", "-A")
    if is_committed:
        program.git("commit", "-qm", "a vault")
    done = program.ok("init", "--undo")
    assert "git still tracks .gitattributes, .memstore/config.toml, .memstoreignore: commit their removal" in done
    program.git("add", "-A")
    if is_committed:
        program.git("commit", "-qm", "none any more")
    assert program.git("ls-files") == program.git("status", "--porcelain") == ""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "path", "named"),
    [
        (["add", "Bella eats at eight."], "", "memories: notes/"),
        (["config", "auto_commit", "true"], "", ".memstore/config.toml has been changed"),
        (["config", "owner", "human:claire"], "", ".memstore/config.toml has been changed"),
        (["privacy", "entity", "add", "human:claire"], "", "files in entities/: entities/human/claire.md"),
        ([], ".memstore/templates/note.md", "settings: .memstore/templates"),
        ([], "broken.md", "broken memories: broken.md"),
    ],
)
def test_what_came_since_is_in_the_way(program: Program, words: list[str], path: str, named: str) -> None:
    program.ok("init", ".", "--owner", OWNER)
    if words:
        program.ok(*words)
    else:
        (program.vault / path).parent.mkdir(exist_ok=True)
        (program.vault / path).write_text("---\nid: m_7f3k9q2x1c\ntags: [\n---\n\nx\n")
    before = state(program)
    for more in ((), ("--dry-run",)):
        done = program.run("init", "--undo", *more)
        assert done.returncode == 4, done.stdout
        assert named in done.stderr
        assert "nothing was changed" in done.stderr
        assert "hint: " in done.stderr
    assert state(program) == before


def test_an_unfinished_text_is_in_the_way(program: Program) -> None:
    program.ok("init", ".")
    program.run("add", EDITOR="sh -c 'echo \"type: [\" > $0; exit 1'")
    assert [*(program.vault / ".git/memstore").rglob("drafts/*")]
    done = program.run("init", "--undo")
    assert (done.returncode, "drafts: " in done.stderr) == (4, True)


def test_only_the_owner_may(program: Program) -> None:
    program.ok("init", ".", "--owner", OWNER)
    before = state(program)
    assert program.run("--as", "si:ash", "init", "--undo").returncode == 4
    assert state(program) == before


@pytest.mark.parametrize("words", [["--owner", OWNER], ["--notes", "own"]])
def test_options_of_a_new_vault_are_not_for_undoing(program: Program, words: list[str]) -> None:
    program.ok("init", ".")
    assert program.run("init", "--undo", *words).returncode == 2
    assert program.run("init", "--dry-run").returncode == 2


def test_another_vault_in_the_repository_keeps_what_it_needs(program: Program) -> None:
    repository(program)
    program.ok("init", "one")
    program.ok("init", "two")
    done = validated(program.ok("--json", "init", "--undo", "one"))
    assert {one["what"] for one in done["kept"]} == {
        "../.git/info/exclude",
        *(f"hook {name}" for name in (DRIVER, *HOOK_NAMES)),
        FUNCTION_KEY,
    }
    assert "two" in done["kept"][0]["why"]
    assert names_in(program.vault / "one") == []
    assert program.json("hooks", "status", "--vault", "two")["hooks"]["pre-commit"] == "ours"
    # The last one takes it along, though the first one made it.
    program.ok("init", "--undo", "two")
    assert not [name for name in names_in(program.vault / ".git/hooks") if not name.endswith(".sample")]


def test_undo_after_init_points_to_it(program: Program) -> None:
    program.ok("init", ".")
    done = program.run("undo")
    assert (done.returncode, "memstore init --undo" in done.stderr) == (3, True)


# -- interrupted -----------------------------------------------------------------------------------


STEPS = ("uninstall", "unset", "change", "remove_empty", "forget")


@pytest.mark.soak
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_who_is_interrupted_runs_it_again(program: Program, step: str, nth: int) -> None:
    with_attributes(b"*.png binary")(program)
    before = state(program)
    program.ok("init", ".", "--owner", OWNER)
    script = f"""
import os
from memstore.vault import surroundings
from memstore.history.git_hooks import GitHooks
left = {nth}
def dying(call):
    def called(*arguments):
        global left
        left -= 1
        if not left:
            os._exit(9)
        return call(*arguments)
    return called
place = GitHooks if {step!r} == "uninstall" else surroundings.DiskPlace
if {step!r} == "forget":
    surroundings._delete = dying(surroundings._delete)
else:
    setattr(place, {step!r}, dying(getattr(place, {step!r})))
from memstore.cli.main import run
run()
"""
    killed = subprocess.run(
        [PYTHON, "-c", script, "init", "--undo"], cwd=program.vault, env=program.environment, check=False
    )
    if killed.returncode == 9:
        assert program.run("--as", "si:ash", "init", "--undo").returncode in (4, 5)
        program.run("init", "--undo")
    assert state(program) == before
    assert program.run("init", "--undo").returncode == 5


def test_whoever_is_named_owns_the_new_vault(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.vault.mkdir()
    assert "its owner is human:ben" in program.ok("--as", "human:ben", "init")
    assert "its owner is human:ben" in program.ok("--as", "human:eve", "init")
