"""After `forget --purge`, a canary is in no object, ref, log or file of the clone, and the original is as it was."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.history import purging
from tests.canary import planted_in
from tests.installed import validated
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

CANARY = "quetzalcoatl"
PAGE = (
    "# Mine\n\n<!-- memstore:begin what has graduated; memstore beliefs graduate writes this -->\n"
    "- About the {word} syndrome [[note:{id}]]\n- Kept line [[note:m_kept000001]]\n"
    "<!-- memstore:end {id}=8c1d2f m_kept000001=123456 -->\n"
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.init()
    program.git("init", "-q")
    return program


def git(folder: Path, *words: str, program: Program) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=program.environment, capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


def test_a_purged_clone_has_it_nowhere(program: Program) -> None:
    title = f"About the {CANARY} syndrome"
    made = program.json("add", f"The {CANARY} syndrome was found on Monday.", "--title", title, "-c")
    memory_id = made["ref"].partition(":")[2]
    (program.vault / "MEMORY.md").write_text(PAGE.format(word=CANARY, id=memory_id))
    (program.vault / "kept.md").write_text("---\ntype: note\nid: m_kept000001\n---\nThis stays.\n")
    program.git("add", "-A")
    program.git("commit", "-qm", f"wip: {title}, seen twice")
    program.git("tag", "-a", "v1", "-m", f"with {title}")
    program.git("notes", "add", "-m", f"see {title}", "HEAD")
    program.git("checkout", "-qb", "side")
    program.ok("edit", memory_id, f"The {CANARY} syndrome was found on Tuesday, they say.", "-c")
    first = program.git("rev-parse", "HEAD").strip()
    program.git("notes", "add", "-m", "a note that stays", "HEAD")
    program.git("checkout", "-q", "main")
    program.ok("tag", memory_id, "again", "-c")
    cites = (
        f'---\ntype: note\nid: m_cites00001\nsource: own\nanchors:\n  - {{type: git_commit, reference: "{first}", '
        f'path: kept.md, created_at: "2026-01-01T00:00:00Z"}}\n---\nSeen in {first}.\n'
    )
    (program.vault / "cites.md").write_text(cites)
    program.git("add", "-A")
    program.git("commit", "-qm", "cites")
    refused = program.run("forget", memory_id, "--purge", "../clean")
    assert (refused.returncode, "memstore forget" in refused.stderr) == (4, True)
    program.ok("forget", memory_id)
    assert "not committed" in program.run("forget", memory_id, "--purge", "../clean").stderr
    program.ok("commit")
    before = program.git("for-each-ref")

    done = program.run("--json", "forget", memory_id, "--purge", "../clean")
    assert done.returncode == 0, done.stderr
    answer = validated(done.stdout)
    assert answer["still"] == []
    assert (answer["removed"], answer["changed"], answer["renamed"]) == (3, 1, ["cites.md"])
    clean = program.home / "clean"
    everything = git(clean, "cat-file", "--batch-all-objects", "--batch", program=program)
    assert CANARY not in everything
    assert planted_in(clean, CANARY) == []
    # The original is read alone.
    assert program.git("for-each-ref") == before
    assert CANARY in program.git("log", "--all", "-p", "--format=%B")

    # What stays is as it was, under new ids.
    assert git(clean, "fsck", "--full", program=program) == ""
    assert git(clean, "status", "--porcelain", program=program) == ""
    assert (clean / "MEMORY.md").read_text().count("[[") == 1
    now = git(clean, "rev-parse", "side", program=program).strip()
    assert now != first
    assert (clean / "cites.md").read_text() == cites.replace(first, now)
    assert git(clean, "notes", "show", now, program=program).strip() == "a note that stays"
    assert git(clean, "tag", "-l", "--format=%(contents)", program=program).startswith(f"with note:{memory_id}")
    assert git(clean, "rev-list", "--count", "--all", "--not", "--glob=refs/notes/*", program=program) != "0\n"
    program.ok("check", cwd=clean)
    assert "forgotten" in program.ok("list", "--status", "forgotten", "--json", cwd=clean)
    assert planted_in(program.home / "cache", CANARY) == []


def test_what_is_left_is_told(program: Program) -> None:
    memory_id = program.json("add", f"The {CANARY} syndrome was found on Monday.", "-c")["ref"].partition(":")[2]
    program.ok("add", "Somebody said: The quetzalcoatl syndrome was found on Monday.", "-c")
    program.git("remote", "add", "origin", "https://example.org/vault.git")
    program.ok("forget", memory_id, "-c")
    program.git("rm", "-rq", "--cached", ".memstore")
    program.git("commit", "-qm", "settings of this machine alone")
    done = program.run("forget", memory_id, "--purge", str(program.home / "clean"))
    assert done.returncode == 0
    assert "have words of it" in done.stdout
    assert "still there: blob" in done.stderr
    assert "the remote origin https://example.org/vault.git" in done.stderr
    assert "not in the clone: .memstore/config.toml, which is not committed" in done.stderr
    program.ok("commit")
    done = program.run("forget", memory_id, "--purge", str(program.home / "settled"))
    assert (done.returncode, "not in the clone: .memstore" in done.stderr) == (0, False)
    again = program.run("forget", memory_id, "--purge", str(program.home / "clean"))
    assert (again.returncode, "is not empty" in again.stderr) == (2, True)
    inside = program.run("forget", memory_id, "--purge", "inside")
    assert (inside.returncode, os.path.lexists(program.vault / "inside")) == (2, False)
    others = program.run("--as", "si:other", "forget", memory_id, "--purge", str(program.home / "other"))
    assert others.returncode == 4


def test_a_submodule_is_another_repository_which_is_not_reached(program: Program) -> None:
    library = program.home / "library"
    library.mkdir()
    git(library, "init", "-q", program=program)
    (library / "a.md").write_text(f"---\ntype: note\nid: m_shelf00000\n---\nThe {CANARY} syndrome again.\n")
    git(library, "add", "-A", program=program)
    git(library, "commit", "-qm", "a", program=program)
    program.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib")
    memory_id = program.json("add", f"The {CANARY} syndrome was found on Monday.", "-c")["ref"].partition(":")[2]
    program.git("add", "-A")
    program.git("commit", "-qm", "with a submodule")
    program.ok("forget", memory_id, "-c")
    done = program.run("forget", memory_id, "--purge", str(program.home / "clean"))
    assert done.returncode == 0, done.stderr
    assert "not reached: the submodule lib, whose history is a repository of its own" in done.stderr
    clean = program.home / "clean"
    assert planted_in(clean, CANARY) == []
    assert "160000 commit" in git(clean, "ls-tree", "HEAD", "lib", program=program)
    answer = program.json("forget", memory_id, "--purge", str(program.home / "again"))
    assert answer["submodules"] == ["lib"]


def test_without_filter_repo_it_says_what_to_install(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = program.json("add", "Something.", "-c")["ref"].partition(":")[2]
    program.ok("forget", memory_id, "-c")
    monkeypatch.setattr(purging, "find_spec", lambda _: None)
    done = program.in_process().run("forget", memory_id, "--purge", "../clean")
    assert (done.returncode, 'pip install "memstore-vault[purge]"' in done.stderr) == (2, True)
    assert not (program.home / "clean").exists()
