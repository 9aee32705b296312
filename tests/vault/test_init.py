from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError, VaultError
from memstore.files.local_state import Environment
from memstore.vault import composition
from memstore.vault.init import Initialised, init

if TYPE_CHECKING:
    from pathlib import Path


def _init(root: Path, owner: str | None = None) -> Initialised:
    env = Environment.of_process()
    return init(
        composition.place(env, root),
        owner=owner,
        default_owner="human:tester",
        open_vault=lambda: composition.open_made(env, root).view(),
    )


def _state(root: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}


def test_a_folder_becomes_a_vault_once(tmp_path: Path) -> None:
    root = tmp_path / "not/yet"
    done = _init(root, "si:ash")
    assert done.did_anything
    assert done.repository_made
    assert done.owner == "si:ash"
    assert set(done.changed) == {".memstore/config.toml", ".memstoreignore", ".gitattributes"}
    assert "pre-commit" in done.hooks_installed
    before = _state(root)
    again = _init(root)
    assert not again.did_anything
    assert again.owner == "si:ash"
    assert _state(root) == before


def test_what_lies_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("No fence.\n")
    (tmp_path / ".gitattributes").write_text("*.png binary")
    (tmp_path / ".memstoreignore").write_text("mine/\n")
    done = _init(tmp_path)
    assert (done.notes, done.mixed) == (1, True)
    assert _init(tmp_path).notes is None  # from now on their number is the owner's business
    assert (tmp_path / "old.md").read_text() == "No fence.\n"
    assert (tmp_path / ".memstoreignore").read_text() == "mine/\n"
    assert (tmp_path / ".gitattributes").read_text() == "*.png binary\n*.md merge=memstore diff=memstore\n"


def test_another_programs_hook_stays_and_is_named(tmp_path: Path) -> None:
    _init(tmp_path / "a")
    hook = tmp_path / "a/.git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "a/.gitattributes").unlink()
    done = _init(tmp_path / "a")
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"
    assert done.hooks_refused is not None
    assert "memstore hooks run" in done.hooks_refused


def test_a_repository_around_the_folder_is_used(tmp_path: Path) -> None:
    _init(tmp_path / "first")
    composition.place(Environment.of_process(), tmp_path / "repo").make_repository()
    done = _init(tmp_path / "repo/notes")
    assert not done.repository_made
    assert not (tmp_path / "repo/notes/.git").exists()


def test_a_vault_keeps_its_owner(tmp_path: Path) -> None:
    _init(tmp_path, "si:ash")
    with pytest.raises(UsageError, match="si:ash"):
        _init(tmp_path, "human:sean")
    assert _init(tmp_path, "si:ash").owner == "si:ash"


def test_there_is_no_vault_in_a_vault(tmp_path: Path) -> None:
    _init(tmp_path)
    with pytest.raises(VaultError, match="is inside the vault"):
        _init(tmp_path / "below")
    assert not (tmp_path / "below").exists()


@pytest.mark.parametrize("inside", ["bare.git", "bare.git/new", "bare.git/refs", "work/.git", "work/.git/new"])
def test_there_is_no_vault_among_the_files_of_git(tmp_path: Path, inside: str) -> None:
    for words in (["--bare", "bare.git"], ["work"]):
        subprocess.run(["git", "init", "--quiet", *words], cwd=tmp_path, check=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(VaultError, match="holds git's own files") as refused:
        _init(tmp_path / inside)
    assert sorted(tmp_path.rglob("*")) == before
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(f"git clone {tmp_path / inside.removesuffix('/new').removesuffix('/refs')} ")


def test_a_hunk_is_headed_with_its_key_or_heading(tmp_path: Path) -> None:
    _init(tmp_path)
    history = "".join(f'  - "line {i}"\n' for i in range(9))
    body = "\n".join(f"Sentence {i}." for i in range(9))
    memory = tmp_path / "tea.md"
    memory.write_text(f"---\ntype: note\naliases:\n{history}---\n\n## Leaves\n\n{body}\n")
    _git(tmp_path, "add", "-A")
    memory.write_text(memory.read_text().replace("line 7", "LINE 7").replace("Sentence 8", "SENTENCE 8"))
    hunks = [line for line in _git(tmp_path, "diff").splitlines() if line.startswith("@@")]
    assert [hunk.rpartition("@@ ")[2] for hunk in hunks] == ["aliases:", "## Leaves"]


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_folder_of_notes_is_described(tmp_path: Path) -> None:
    for path, text in {
        "README.md": "# Notes\n",
        "2026-01-02.md": "---\nmood: fine\n---\nRain.\n",
        "Green tea.md": "\ufeff+++\na = 1\n+++\nHot.\n",
        "rm -rf.md": "No.\n",
    }.items():
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "home", "/nowhere"], check=True)
    done = _init(tmp_path)
    assert (done.notes, done.with_keys, done.remotes, done.example) == (4, 2, ("home",), "Green tea")
    again = _init(tmp_path)
    assert (again.notes, again.with_keys, again.remotes, again.example) == (None, None, (), "")
