"""The hooks, run by git itself at real commits."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import RefusedError
from memstore.history.git_hooks import DRIVER, HOOK_NAMES
from memstore.history.history import HookState
from memstore.hooks import commit_msg, pre_commit
from memstore.vault import init
from memstore.vault.doctor import DoctorVerdict, hook_checks
from tests.git_repositories import git, memory, vault_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git_repositories import Written

pytestmark = pytest.mark.soak(9, together=True)

HEAVY = ("click", "whoosh", "git", "ruamel", "frontmatter", "tomlkit", "pathspec")

ALL_HOOKS = (DRIVER, *HOOK_NAMES)


@pytest.fixture(params=["sha1", "sha256"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    vault = vault_in(tmp_path / "vault", request.param)
    vault.write("a.md", memory("m_aaa"))
    vault.commit("first")
    init.install(vault.open().view())
    return vault


def attempt(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run git commit; it may fail."""
    return subprocess.run(
        ["git", "commit", *words], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def message(folder: Path) -> str:
    return git(folder, "log", "-1", "--format=%B").strip()


def test_a_sound_commit_passes_and_its_message_names_the_memories(vault: Written) -> None:
    vault.write("b.md", memory("m_bbb"))
    vault.write("a.md", memory("m_aaa", "Another text.\n"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "After the vet")
    assert (done.returncode, done.stderr) == (0, "")
    assert message(vault.root) == "After the vet\n\nMemory-Id: m_aaa\nMemory-Id: m_bbb"


def test_a_broken_file_stops_the_commit_with_its_place(vault: Written) -> None:
    vault.write("sub folder/b.md", memory("m_bbb", tags="one, two"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "broken")
    assert done.returncode == 1
    assert "sub folder/b.md:4:1: error: " in done.stderr
    assert "hint: " in done.stderr
    assert "1 error" in done.stderr


def test_what_is_staged_counts_and_not_the_work_tree(vault: Written) -> None:
    vault.write("b.md", memory("m_bbb"))
    git(vault.root, "add", "-A")
    vault.write("b.md", "---\nbroken\n")
    assert attempt(vault.root, "-m", "sound when staged").returncode == 0
    git(vault.root, "add", "-A")
    vault.write("b.md", memory("m_bbb"))
    assert attempt(vault.root, "-m", "broken when staged").returncode == 1
    assert attempt(vault.root, "-m", "unchecked", "--no-verify").returncode == 0


def test_an_id_must_stay(vault: Written) -> None:
    vault.write("a.md", memory("m_other"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "x")
    assert done.returncode == 1
    assert "a.md:3:1: error: the id was m_aaa" in done.stderr
    assert "[id-changed]" in done.stderr


def test_an_id_must_be_the_only_one(vault: Written) -> None:
    vault.write("copy.md", memory("m_aaa", "A copy.\n"))
    vault.write("body.md", memory("m_bbb", "id: m_aaa\n"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "x")
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "id-duplicate" in line] == [
        "copy.md:3:1: error: the id m_aaa is already that of a.md [id-duplicate]"
    ]


def test_a_move_keeps_the_id(vault: Written) -> None:
    git(vault.root, "mv", "a.md", "li\nne.md")
    assert attempt(vault.root, "-m", "moved").returncode == 0
    assert message(vault.root).endswith("Memory-Id: m_aaa")


def test_many_of_one_kind_are_counted_and_every_other_is_shown(vault: Written) -> None:
    for number in range(25):
        vault.write(f"n{number}.md", memory(f"m_{number:010}", access_grants="[human:bob]"))
    vault.write("z.md", memory("m_zzz", tags="one, two"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "a folder")
    assert done.returncode == 1
    assert done.stderr.count(" warning: ") == 10
    assert "z.md:4:1: error: " in done.stderr
    assert "and 15 more like these [grant-unrecorded]\n" in done.stderr
    assert "hint: memstore check --staged lists all of them\n" in done.stderr
    (vault.root / "z.md").unlink()
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "a folder")
    assert (done.returncode, "--staged" in done.stderr) == (0, False)


def test_a_warning_is_told_and_stops_nothing(vault: Written) -> None:
    vault.write("a.md", memory("m_aaa").replace("type: note", "type: belief"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "x")
    assert done.returncode == 0
    assert "warning: the type was note and is now belief [type-changed]" in done.stderr


def test_the_index_may_be_elsewhere_and_the_folder_any(vault: Written) -> None:
    (vault.root / "deep").mkdir()
    vault.write("b.md", memory("m_bbb", tags="one, two"))
    other = vault.root.parent / "other index"
    other.write_bytes((vault.root / ".git/index").read_bytes())
    git(vault.root, "add", "-A", GIT_INDEX_FILE=str(other))
    assert attempt(vault.root, "-m", "x", GIT_INDEX_FILE=str(other)).returncode == 1
    vault.write("b.md", memory("m_bbb"))
    git(vault.root, "add", "-A", GIT_INDEX_FILE=str(other))
    done = attempt(vault.root / "deep", "-m", "x", GIT_INDEX_FILE=str(other))
    assert done.returncode == 0, done.stderr
    assert message(vault.root).endswith("Memory-Id: m_bbb")
    vault.write("c.md", memory("m_ccc", tags="one, two"))
    git(vault.root, "add", "-A")
    assert attempt(vault.root / "deep", "-am", "x").returncode == 1
    assert attempt(vault.root, "-m", "x", "c.md").returncode == 1


def test_hooks_hold_in_worktrees_and_with_a_named_repository(vault: Written) -> None:
    tree = vault.root.parent / "tree"
    git(vault.root, "worktree", "add", "-q", str(tree))
    (tree / "b.md").write_text(memory("m_bbb", tags="one, two"))
    git(tree, "add", "-A")
    assert attempt(tree, "-m", "x").returncode == 1
    vault.write("b.md", memory("m_bbb", tags="one, two"))
    git(vault.root, "add", "-A")
    words = (f"--git-dir={vault.root}/.git", f"--work-tree={vault.root}", "commit", "-m", "x")
    done = subprocess.run(["git", *words], cwd=vault.root.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "b.md:4:1: error" in done.stderr


def test_only_vaults_are_checked(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "top" / "notes")
    (tmp_path / "top/notes/.git").rename(tmp_path / "top/.git")
    init.install(vault.open().view())
    (tmp_path / "top/page.md").write_text("---\nlayout: [page\n---\n")
    git(tmp_path / "top", "add", "-A")
    assert attempt(tmp_path / "top", "-m", "a page").returncode == 0
    vault.write("b.md", memory("m_bbb", tags="one, two"))
    git(tmp_path / "top", "add", "-A")
    done = attempt(tmp_path / "top", "-m", "x")
    assert done.returncode == 1
    assert "notes/b.md:4:1: error" in done.stderr


def test_the_first_commit_is_checked_too(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    init.install(vault.open().view())
    vault.write("b.md", memory("m_bbb", tags="one, two"))
    git(vault.root, "add", "-A")
    assert attempt(vault.root, "-m", "x").returncode == 1
    vault.write("b.md", memory("m_bbb"))
    git(vault.root, "add", "-A")
    assert attempt(vault.root, "-m", "x").returncode == 0


def test_a_merge_keeps_its_message(vault: Written) -> None:
    git(vault.root, "checkout", "-q", "-b", "side")
    vault.write("b.md", memory("m_bbb"))
    vault.commit("side")
    git(vault.root, "checkout", "-q", "main")
    vault.write("c.md", memory("m_ccc"))
    vault.commit("main")
    git(vault.root, "merge", "-q", "--no-edit", "side")
    assert "Memory-Id" not in message(vault.root)


def test_the_hooks_load_nothing_heavy_and_write_nothing(vault: Written) -> None:
    vault.write("b.md", memory("m_bbb"))
    git(vault.root, "add", "-A")
    before = {path: path.stat().st_mtime_ns for path in vault.root.rglob("*") if path.is_file()}
    code = (
        "import sys, os; from pathlib import Path; from memstore.hooks import pre_commit, commit_msg;"
        "from memstore.hooks.repository import repository_of, vaults_in_commit; given = os.environ, Path.cwd();"
        "assert pre_commit.main(*given) == 0;"
        "commit_msg._trailers(list(vaults_in_commit(repository_of(*given), *given)));"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=vault.root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert {path: path.stat().st_mtime_ns for path in vault.root.rglob("*") if path.is_file()} == before


def test_a_failure_denies_the_commit_and_leaves_the_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    (tmp_path / "MSG").write_text("text\n")
    assert pre_commit.main(nowhere, tmp_path) == 1
    assert "not in a git repository" in capsys.readouterr().err
    assert commit_msg.main(nowhere, tmp_path, ["MSG"]) == 0
    assert (tmp_path / "MSG").read_text() == "text\n"


class _Full(io.StringIO):
    """What takes no text, as a file on a full disk."""

    def write(self, _: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("errors", [_Full(), None])
def test_a_hook_that_can_not_say_anything_decides_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errors: io.StringIO | None
) -> None:
    nowhere = {"GIT_DIR": str(tmp_path / "no.git")}
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/MSG").write_text("A message\n")
    monkeypatch.setattr(sys, "stderr", errors)
    assert pre_commit.main(nowhere, tmp_path) == 1
    assert commit_msg.main(nowhere, tmp_path, [".git/MSG"]) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Text\n", "Text\n\nT: x\n"),
        ("Text\n# comment\n", "Text\n\nT: x\n# comment\n"),
        ("Text\n\nSigned-off-by: a <b>\n\n# c\n", "Text\n\nSigned-off-by: a <b>\nT: x\n# c\n"),
        ("Text\n\nT: x\n", "Text\n\nT: x\n"),
        ("# only a comment\n", "# only a comment\n"),
        ("\n", "\n"),
        (
            "Text\n# ------------------------ >8 ------------------------\ndiff\n",
            "Text\n\nT: x\n\n# ------------------------ >8 ------------------------\ndiff\n",
        ),
        (
            "#1 is done\n; comment\n; ------------------------ >8 ------------------------\ndiff\n",
            "#1 is done\n\nT: x\n; comment\n; ------------------------ >8 ------------------------\ndiff\n",
        ),
    ],
)
def test_trailers_stand_before_the_comments(text: str, expected: str) -> None:
    assert commit_msg.added(text, ["T: x"]) == expected
    assert commit_msg.added(text, []) == text


# -- installing ----------------------------------------------------------------------------------


def test_installing_and_taking_away(tmp_path: Path) -> None:
    ws = vault_in(tmp_path / "vault").open()
    absent = dict.fromkeys(ALL_HOOKS, HookState.ABSENT)
    ours = dict.fromkeys(absent, HookState.OURS)
    assert init.states(ws.view()).states == absent
    assert init.install(ws.view()).states == ours
    assert init.install(ws.view()).states == ours
    shim = (init.states(ws.view()).folder / "pre-commit").read_text()
    assert f"python={sys.executable}\n" in shim
    assert init.uninstall(ws.view()).states == absent


def test_another_programs_hook_stays(tmp_path: Path) -> None:
    ws = vault_in(tmp_path / "vault").open()
    foreign = init.states(ws.view()).folder / "pre-commit"
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("#!/bin/sh\n")
    with pytest.raises(RefusedError, match="another program") as told:
        init.install(ws.view())
    assert 'memstore hooks run pre-commit "$@"' in str(told.value.hint)
    ours = dict.fromkeys(ALL_HOOKS, HookState.OURS)
    assert init.states(ws.view()).states == ours | {"pre-commit": HookState.FOREIGN}
    init.uninstall(ws.view())
    assert foreign.read_text() == "#!/bin/sh\n"


def test_another_programs_hook_that_calls_ours_is_all_that_is_asked_for(tmp_path: Path) -> None:
    ws = vault_in(tmp_path / "vault").open()
    foreign = init.states(ws.view()).folder / "pre-commit"
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text('#!/bin/sh\n# memstore hooks run pre-commit "$@" || exit 1\n')
    with pytest.raises(RefusedError, match="another program"):
        init.install(ws.view())
    foreign.write_text(text := '#!/bin/sh\nnpm test\nmemstore hooks run pre-commit "$@" || exit 1\n')
    assert init.install(ws.view()).states["pre-commit"] is HookState.CALLING
    assert {one.verdict for one in hook_checks(ws.view(), fix=False)} == {DoctorVerdict.OK}
    init.uninstall(ws.view())
    assert foreign.read_text() == text


def test_what_keeps_hooks_from_a_shared_folder_is_said_for_each(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    git(vault.root, "config", "core.hooksPath", str(tmp_path / "shared"))
    told = {one.name: one for one in hook_checks(vault.open().view(), fix=False)}
    assert "core.hooksPath" in told["hook pre-push"].text
    assert 'memstore hooks run pre-push "$@"' in (told["hook pre-push"].hint or "")
    git(vault.root, "config", "core.hooksPath", "/dev/null")
    told = {one.name: one for one in hook_checks(vault.open().view(), fix=False)}
    assert told["hook pre-push"].hint == "git config --unset core.hooksPath, then memstore hooks install"


def test_a_chosen_hooks_folder_is_used_but_not_a_shared_one(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    git(vault.root, "config", "core.hooksPath", ".githooks")
    init.install(vault.open().view())
    assert (vault.root / ".githooks/pre-commit").is_file()
    git(vault.root, "config", "core.hooksPath", str(tmp_path / "shared"))
    with pytest.raises(RefusedError, match=r"core\.hooksPath"):
        init.install(vault.open().view())
    assert not (tmp_path / "shared").exists()
    assert init.states(vault.open().view()).states["merge-driver"] is HookState.OURS


def test_a_shim_without_its_python_denies_with_a_way_out(vault: Written) -> None:
    shim = vault.root / ".git/hooks/pre-commit"
    shim.write_text(shim.read_text().replace(f"python={sys.executable}", "python=/nowhere/python"))
    vault.write("b.md", memory("m_bbb"))
    git(vault.root, "add", "-A")
    done = attempt(vault.root, "-m", "x", PATH="/usr/bin:/bin")
    assert done.returncode == 1
    assert "git commit --no-verify" in done.stderr
    program = f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"  # noqa: PTH120
    done = attempt(vault.root, "-m", "x", PATH=program)
    assert done.returncode == 0, done.stderr


def test_the_shipped_hook_works_as_it_is(vault: Written) -> None:
    from memstore.history.git_hooks import shipped

    for name in HOOK_NAMES:
        place = vault.root / ".git/hooks" / name
        place.write_bytes(shipped(f"hooks/{name}").read_bytes())
    vault.write("b.md", memory("m_bbb", tags="one, two"))
    git(vault.root, "add", "-A")
    path = f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"  # noqa: PTH120
    assert attempt(vault.root, "-m", "x", PATH=path).returncode == 1
