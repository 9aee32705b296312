"""Histories without what was forgotten, from repositories of every shape: what stays is whole, and has its new id."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.history.git_history import GitHistory
from tests.canary import planted_in
from tests.git_repositories import git, memory, vault_in

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.history.purging import Purged
    from tests.git_repositories import Written

CANARY = "quetzalcoatl"
SECRET = f"The {CANARY} syndrome was found on Monday.\n"
TOMB = "---\ntype: note\nid: m_secret\nstatus: forgotten\n---\nForgotten.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    """A vault whose second commit has the canary, and whose last one has the tombstone."""
    vault = vault_in(tmp_path / "vault")
    vault.write("kept.md", memory("m_kept"))
    vault.commit("kept")
    vault.write(f"notes/{CANARY}.md", memory("m_secret", SECRET, title=f'"On the {CANARY} syndrome"'))
    vault.commit(f"add On the {CANARY} syndrome")
    return vault


def forgotten(vault: Written, folder: str = "notes") -> None:
    (vault.root / folder / f"{CANARY}.md").unlink()
    vault.write(f"{folder}/m_secret.md", TOMB)
    vault.commit("forget m_secret")


def nowhere_in(folder: Path) -> bool:
    """Whether no object and no file below a folder has the canary."""
    return not planted_in(folder, CANARY) and not git(folder, "cat-file", "--batch-all-objects", "--batch").count(
        CANARY
    )


def purged(vault: Written, tmp_path: Path) -> Purged:
    """Purge, and check that the canary is nowhere and everything else is sound."""
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    assert done.still == ()
    assert nowhere_in(done.folder)
    assert git(done.folder, "fsck", "--full", "--strict") == ""
    assert git(done.folder, "status", "--porcelain") == ""
    assert git(vault.root, "log", "-p", "--format=%B", "--all").count(CANARY)  # the original is read alone
    return done


def test_a_vault_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    outer = vault_in(tmp_path / "vault")
    shutil.move(outer.root / ".memstore", outer.root / "my notes/.memstore")
    outer.write("README.md", "A project.\n")
    outer.write(
        f"my notes/notes/{CANARY}.md", memory("m_secret", SECRET, derived_from='["file:imports/x/y.original#L2@00"]')
    )
    outer.write("my notes/imports/x/y.original", f"one\n{CANARY}\r still it\nthree\n")
    page = f"<!-- memstore:begin x -->\n- {CANARY} [[note:m_secret]]\n<!-- memstore:end m_secret=8c1d2f -->\n"
    outer.write("my notes/MEMORY.md", page)
    outer.write("my notes/requests/req_1.md", f"---\nref: note:m_secret\nreason: {CANARY}\n---\n")
    outer.commit("all of it")
    (outer.root / "my notes/requests/req_1.md").unlink()
    outer.write("my notes/MEMORY.md", "")
    forgotten(outer, "my notes/notes")
    history = GitHistory(outer.root / "my notes", os.environ)
    done = history.purged(["m_secret"], tmp_path / "clean")
    assert done.still == ()
    assert nowhere_in(done.folder)
    assert (done.folder / "README.md").read_text() == "A project.\n"
    assert (done.folder / "my notes/imports/x/y.original").read_text() == "one\n\nthree\n"
    assert (done.folder / "my notes/notes/m_secret.md").read_text() == TOMB


def test_commits_and_tags_that_are_signed(vault: Written, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingkey", str(key))):
        git(vault.root, "config", name, value)
    vault.write("kept.md", memory("m_kept", "Signed.\n"))
    git(vault.root, "add", "-A")
    git(vault.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-S", "-m", "signed")
    git(vault.root, "tag", "-s", "v1", "-m", f"with On the {CANARY} syndrome")
    git(vault.root, "tag", "light")
    forgotten(vault)
    done = purged(vault, tmp_path)
    assert done.unsigned == 2
    assert git(done.folder, "tag").split() == ["light", "v1"]
    assert git(done.folder, "rev-parse", "v1^{commit}") == git(done.folder, "rev-parse", "light")
    assert "gpgsig" not in git(done.folder, "cat-file", "commit", "light")
    assert git(done.folder, "tag", "-l", "v1", "--format=%(contents)").startswith("with note:m_secret")


def test_anchors_and_citations_are_renamed_on_every_branch(vault: Written, tmp_path: Path) -> None:
    first = git(vault.root, "rev-parse", "HEAD").strip()
    git(vault.root, "update-ref", "refs/memstore/anchors/m_kept/1", first)
    anchored = memory(
        "m_anchored", f"Seen in {first}.\n",
        anchors=f'[{{type: git_commit, reference: "{first}", path: kept.md, created_at: "2026-01-01T00:00:00Z"}}]',
    )  # fmt: skip
    git(vault.root, "switch", "-qc", "side")
    vault.write("side.md", anchored)
    vault.commit("anchored on a side branch")
    git(vault.root, "switch", "-q", "main")
    vault.write("main.md", anchored)
    forgotten(vault)
    done = purged(vault, tmp_path)
    now = git(done.folder, "rev-parse", "refs/memstore/anchors/m_kept/1").strip()
    assert now != first
    assert git(done.folder, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(done.folder, "show", "main:main.md") == anchored.replace(first, now)
    assert git(done.folder, "show", "side:side.md") == anchored.replace(first, now)
    assert done.renamed == ("main.md", "side.md")
    assert done.commits > 0


def test_a_head_that_is_on_no_branch(vault: Written, tmp_path: Path) -> None:
    git(vault.root, "switch", "-q", "--detach")
    forgotten(vault)
    git(vault.root, "branch", "-f", "main", "HEAD")
    assert (purged(vault, tmp_path).folder / "kept.md").exists()


def test_other_work_trees_and_a_stash(vault: Written, tmp_path: Path) -> None:
    git(vault.root, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    vault.write("kept.md", memory("m_kept", SECRET))
    git(vault.root, "stash", "-q")
    forgotten(vault)
    done = purged(vault, tmp_path)
    assert git(done.folder, "branch", "--format=%(refname:short)").split() == ["beside", "main"]
    assert git(done.folder, "stash", "list") == ""


@pytest.mark.parametrize(
    "head",
    [
        "type: note\nid: m_secret\ntags: [broken",
        f'type: note\n"id": m_secret\ntitle: "About {CANARY}"\ntags: broken: yes',
        "type: note\nid:    'm_secret'  # mine",
        "{type: note, id: m_secret}",
    ],
)
def test_every_way_to_write_its_id_readable_or_not(tmp_path: Path, head: str) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write(f"notes/{CANARY}.md", f"---\n{head}\n---\n{SECRET}")
    vault.write("other.md", memory("m_other", "Another one.\n", relates_to='["note:m_secret"]'))
    vault.commit("first")
    forgotten(vault)
    assert purged(vault, tmp_path).removed == 1


def test_a_short_title_goes_from_messages_that_name_the_memory(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write(f"notes/{CANARY}.md", memory("m_secret", "PIN 4711\n", aliases="[Zoë]"))
    vault.commit("add PIN 4711\n\nMemory-Id: m_secret")
    vault.write("kept.md", memory("m_kept"))
    vault.commit("about PIN 4711 codes, and Zoë")
    git(vault.root, "tag", "-a", "v1", "-m", "m_secret is PIN 4711, or Zoë, not Zoëtrope")
    forgotten(vault)
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    assert done.still == ()
    said = git(done.folder, "log", "--format=%B", "main")
    assert "add note:m_secret\n" in said
    assert "about PIN 4711 codes, and Zoë" in said  # nothing says that it means the memory
    tag = git(done.folder, "tag", "-l", "--format=%(contents)")
    assert tag.strip() == "m_secret is note:m_secret, or note:m_secret, not Zoëtrope"
