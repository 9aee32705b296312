"""Histories without what was forgotten, from repositories of every shape: what stays is whole, and has its new id."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import GitError
from memstore.history.git_history import GitHistory
from tests.canary import planted_in
from tests.git_repositories import git, memory, vault_in

if TYPE_CHECKING:
    from collections.abc import Callable
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
    assert done.work_trees == (str(tmp_path / "beside"),)
    assert git(done.folder, "branch", "--format=%(refname:short)").split() == ["beside", "main"]
    assert git(done.folder, "stash", "list") == ""


@pytest.mark.soak(3)
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
    foreign = vault.commit("about PIN 4711 codes, and Zoë")
    git(vault.root, "tag", "-a", "v1", "-m", "m_secret is PIN 4711, or Zoë, not Zoëtrope")
    forgotten(vault)
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    renamed = git(done.folder, "log", "--format=%H", "--grep=PIN", "main").strip()
    assert done.still == (f"commit {renamed[:10]} has its short title",)
    assert renamed != foreign
    said = git(done.folder, "log", "--format=%B", "main")
    assert "add note:m_secret\n" in said
    assert "about PIN 4711 codes, and Zoë" in said  # nothing says that it means the memory
    tag = git(done.folder, "tag", "-l", "--format=%(contents)")
    assert tag.strip() == "m_secret is note:m_secret, or note:m_secret, not Zoëtrope"


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("title", "message", "listed"),
    [
        ("Zorblax", "fix zorblax's dose", "each"),
        ("Vet bill", "paid the VET BILL, finally", "each"),
        ("Vet bill", "the vet sent a bill", "none"),
        ("Zorblax", "zorblaxes and rezorblax", "none"),
        ("Zorblax", "written by Zorblax", "each"),
        ("Quux", "nothing of it", "none"),  # whoever commits has that name
        ("Tea", "tea time", "counted"),  # a file has the word, too
    ],
)
def test_a_short_title_in_a_foreign_message_is_listed_if_no_file_has_it(
    tmp_path: Path, title: str, message: str, listed: str
) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("notes/x.md", memory("m_secret", "x\n", title=title))
    vault.write("kept.md", memory("m_kept", "Tea at four.\n"))
    vault.commit("first")
    git(vault.root, "config", "user.name", "Quux")
    for i in range(30):
        vault.write("other.txt", f"{i}\n")
        vault.commit(message)
    (vault.root / "notes/x.md").unlink()
    vault.write("notes/m_secret.md", TOMB)
    vault.commit("forget m_secret")
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    if listed == "each":
        assert len(done.still) == 21
        assert done.still[-1] == "10 more commits and tags have its short title"
        assert all(one.endswith("has its short title") for one in done.still[:20])
    elif listed == "counted":
        one, other = done.still
        assert one.startswith("30 commits and tags have its short title, as other files do")
        assert other.startswith("1 file has (kept.md) its short title, or that of something else")
    else:
        assert done.still == ()


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("title", "name", "listed"),
    [
        ("Divorce", "divorce", True),
        ("Divorce", "x/Divorce_2", True),
        ("Divorce", "2026/divorce-7f3k", True),
        ("Divorce", "divorce/tea", False),
        ("Divorce", "divorces", False),
        ("Cat scan", "the_cat-scan", True),
        ("Cat scan", "cat/scan", False),
    ],
)
def test_a_name_of_a_branch_a_tag_or_a_file_that_is_its_short_title_is_listed(
    tmp_path: Path,
    title: str,
    name: str,
    listed: bool,  # noqa: FBT001 - a table's column
) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("notes/x.md", memory("m_secret", "x\n", title=title))
    vault.write(f"files/{name}.txt", "Nothing else.\n")
    vault.commit("first")
    git(vault.root, "branch", f"b/{name}")
    git(vault.root, "tag", f"t/{name}")
    (vault.root / "notes/x.md").unlink()
    vault.write("notes/m_secret.md", TOMB)
    vault.commit("forget m_secret")
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    names = (f"ref refs/heads/b/{name}", f"ref refs/tags/t/{name}", f"path files/{name}.txt")
    assert done.still == (tuple(f"the {one} is called by its short title" for one in names) if listed else ())


@pytest.mark.soak(3)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le", "utf-32"])
def test_a_file_in_wider_characters_that_quotes_it_is_listed(tmp_path: Path, encoding: str) -> None:
    vault = vault_in(tmp_path / "vault")
    said = "The vet in Mill Lane told us that her murmur is a grade three now.\n"
    vault.write("notes/x.md", memory("m_secret", said, title="Heart"))
    mark = {"utf-16-be": b"\xfe\xff", "utf-16-le": b"\xff\xfe"}.get(encoding, b"")
    (vault.root / "old.txt").write_bytes(mark + f"{said.upper()}And more.\n".encode(encoding))
    (vault.root / "picture.bin").write_bytes(b"\xff\xfe\x00\xd8\x00\xd8\x00")
    (vault.root / "saved.md").write_bytes(mark + memory("m_secret", "Quux.\n").encode(encoding))
    vault.commit("first")
    (vault.root / "saved.md").unlink()
    (vault.root / "notes/x.md").unlink()
    vault.write("notes/m_secret.md", TOMB)
    vault.commit("forget m_secret")
    still = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean").still
    assert any("(old.txt) has words of it" in one for one in still)
    assert "the file old.txt has words of it" in still
    assert not any("picture" in one or "saved" in one for one in still)
    kept = ("git", "-C", str(tmp_path / "clean"), "log", "--all", "--format=", "--name-only")
    assert "saved.md" not in subprocess.run(kept, capture_output=True, text=True, check=True).stdout


def test_files_with_a_short_title_are_counted(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("notes/x.md", memory("m_secret", "x\n", title="Other", aliases="[Zyfalias]"))
    vault.write("kept.md", memory("m_kept", "Ask Zyfalias.\n"))
    vault.write("a.txt", "ask ZYFALIAS again\n")
    vault.commit("first")
    (vault.root / "notes/x.md").unlink()
    vault.write("notes/m_secret.md", TOMB)
    vault.commit("forget m_secret")
    [told] = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean").still
    assert told.startswith("2 files have its short title, or that of something else: git log")


def test_what_tells_it_in_part_or_otherwise_is_listed(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    said = "The vet in Mill Lane told us that\nher murmur is a grade three now.\n"
    vault.write("notes/x.md", memory("m_secret", said, title="The murmur of the little dog"))
    vault.write("files/The_murmur_of_the_little_dog.txt", "Nothing else.\n")
    vault.commit("Told us that her murmur is serious")
    vault.write("wrapped.md", memory("m_wrapped", "She said: told us that her\n> murmur, is a thing.\n"))
    vault.write("other.md", memory("m_other", "The vet in Mill Lane has moved, and told us.\n"))
    vault.commit("other [things](The%20murmur%20of%20the%20little%20dog.md)")
    git(vault.root, "tag", "-a", "the-murmur-of-the-little-dog", "-m", "x")
    git(vault.root, "branch", "topic/The-Murmur-of-the-little-dog")
    git(vault.root, "notes", "add", "-m", "US THAT HER MURMUR IS a grade", "HEAD")
    (vault.root / "notes/x.md").unlink()
    vault.write("notes/m_secret.md", TOMB)
    vault.commit("forget m_secret")
    done = GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
    assert done.notes == 0
    told = "\n".join(done.still)
    for what in (
        "(commit) has words of it", "(wrapped.md) has words of it", "the file wrapped.md has words of it",
        "the path files/The_murmur_of_the_little_dog.txt has its title",
        "the ref refs/tags/the-murmur-of-the-little-dog has its title",
        "the ref refs/heads/topic/The-Murmur-of-the-little-dog has its title",
    ):  # fmt: skip
        assert what in told
    assert "other.md" not in told
    assert told.count("(commit) has words of it") == 2  # in its own words, and in percent signs
    assert len(done.still) == 8  # the tag's object names it, too


def test_the_message_of_a_commit_about_it_alone_says_no_more(vault: Written, tmp_path: Path) -> None:
    path = f"notes/{CANARY}.md"
    vault.write(path, memory("m_secret", "Second.\n"))
    vault.commit("edit note:m_secret\n\nThe neighbour knows.\n\nMemory-Id: m_secret\nEvidence: raw:m_kept")
    vault.write(path, memory("m_secret", "Third.\n"))
    vault.write("audit/ann/ev_1.json", "{}")
    vault.commit("The baker knows.\n\nMemory-Id: m_secret")
    vault.write(path, memory("m_secret", "Fourth.\n"))
    vault.write("kept.md", memory("m_kept", "Other.\n"))
    vault.commit("Two things.\n\nMemory-Id: m_secret")
    forgotten(vault)
    said = git(purged(vault, tmp_path).folder, "log", "--format=%B%x00").split("\0\n")
    assert said[1:4] == [
        "Two things.\n\nMemory-Id: m_secret\n",
        "(forgotten)\n\nMemory-Id: m_secret\n",
        "edit note:m_secret\n\nMemory-Id: m_secret\nEvidence: raw:m_kept\n",
    ]


def test_of_an_interrupted_purge_nothing_is_left(
    vault: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten(vault)
    before = {*tmp_path.iterdir()}
    for step, error in (("_rewritten", GitError("no")), ("_proof", KeyboardInterrupt())):
        with monkeypatch.context() as patched:
            patched.setattr(f"memstore.history.purging.{step}", failing(error))
            with pytest.raises(type(error)):
                GitHistory(vault.root, os.environ).purged(["m_secret"], tmp_path / "clean")
        assert {*tmp_path.iterdir()} == before
    (tmp_path / "clean").mkdir()
    assert purged(vault, tmp_path).folder == tmp_path / "clean"
    assert {*tmp_path.iterdir()} == {*before, tmp_path / "clean"}


def test_of_a_failure_of_git_its_own_line_is_told(vault: Written, tmp_path: Path) -> None:
    forgotten(vault)
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin/git"
    full = "fatal: sha1 file write error: No space left on device"
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *fast-import*) echo "{full}" >&2; exit 128;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    wrapper.chmod(0o755)
    environ = {**os.environ, "PATH": f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"}
    with pytest.raises(GitError) as failed:
        GitHistory(vault.root, environ).purged(["m_secret"], tmp_path / "clean")
    assert str(failed.value) == f"git-filter-repo failed: {full}"
    assert not (tmp_path / "clean").exists()


def failing(error: BaseException) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail
