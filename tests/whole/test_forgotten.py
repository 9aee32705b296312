"""After `forget`, nothing that memstore keeps on this machine has a word of the memory: every file is searched."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import zlib
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import cache_folder
from memstore.search.embedder import DiskVectors
from tests.canary import holds, planted_in
from tests.installed import validated
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

CANARY = "quetzalcoatl"
TEXT = f"The {CANARY}us flies at 12 metres. The vet was told on Monday.\n"
OTHER = f"The {CANARY}us flies at 90 metres. The vet was told on Monday.\n"


def test_the_search_for_it_sees_through_encodings() -> None:
    for data in (
        TEXT.encode(),
        TEXT.encode("utf-16-le"),
        base64.b64encode(TEXT.encode()),
        zlib.compress(TEXT.encode()),
    ):
        assert holds(b"before" + data + b"after", CANARY) or holds(b'{"a": "' + data + b'"}', CANARY)
    assert holds(base64.b64encode(gzip.compress(TEXT.encode())), CANARY)
    assert not holds(b"Something else." * 100, CANARY)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A vault in a repository, in which everything that memstore keeps has the canary."""
    program = InProcess(tmp_path)
    program.init()
    for number in range(40):
        (program.vault / f"n{number}.md").write_text(
            f"---\ntype: note\nid: m_note{number:06}\n---\nNote {number} says {number * 7}.\n"
        )
    program.ok("add", TEXT, "--title", f"About the {CANARY}")
    return program


def test_no_cache_state_or_journal_has_it_afterwards(program: Program) -> None:
    ref = program.json("add", OTHER, "--tag", "canary", "--title", f"{CANARY} again")["ref"]
    first = next(one["ref"] for one in program.json("list")["memories"] if "About" in one["title"])
    program.ok("index", "rebuild")
    program.ok("search", CANARY)
    program.ok("conflicts")
    program.ok("recall", f"the {CANARY}us and the vet")
    program.ok("show", ref)
    program.ok("edit", ref, f"{OTHER} And more.")
    program.ok("tag", ref, "again")
    editor = f"sh -c 'echo type: {CANARY} > \"$0\"; exit 0'"
    assert program.run("edit", ref, EDITOR=editor, MEMSTORE_EDITOR=editor).returncode
    program.ok(
        "privacy",
        "consent",
        "request",
        "--from",
        "human:sean",
        "--to",
        "*",
        "--scope",
        ref,
        "--reason",
        f"the {CANARY}us",
    )
    program.ok("privacy", "grant", ref, "--to", "human:sean")
    program.ok("trust", "request-witness", ref, "--from", "human:sean", "--notes", f"did the {CANARY}us fly?")
    source = program.home / "chat.json"
    source.write_text(json.dumps({"results": [{"id": "1", "memory": TEXT}, {"id": "2", "memory": "Dogs bark."}]}))
    program.ok("import", "mem0", str(source))
    source.unlink()
    imported = next(
        one["ref"] for one in program.json("list", "--limit", "99")["memories"] if "flies at 12" in one["title"]
    )
    DiskVectors(cache_folder(program.vault, cache_home=program.home / "cache")).keep("model", {CANARY: [1.0]})
    program.ok("--as", "si:other", "add", f"Heard of the {CANARY}.", "--tag", "theirs")
    kept = {path.partition("/")[0] for path in planted_in(program.home, CANARY)}
    assert kept >= {"cache", "vault"}

    answer = validated(program.ok("--json", "forget", ref, first, imported))
    assert [one["ref"] for one in answer["forgotten"]] == [ref, first, imported]
    assert answer["left"] == []
    assert [path.partition("/")[0] for path in (*answer["removed"], *answer["cleaned"])] == ["requests"] * 2 + [
        "imports"
    ]
    # The other's own memory is theirs; it is what still has the word.
    theirs = program.json("--as", "si:other", "list", "--tag", "theirs")["memories"][0]["path"]
    (program.vault / theirs).unlink()
    program.ok("--as", "si:other", "add", "Heard of nothing else.")
    program.ok("index", "rebuild")
    assert planted_in(program.home, CANARY) == []


def test_what_a_killed_writer_left_of_it_goes_and_nothing_else_does(program: Program) -> None:
    found = next(one for one in program.json("list")["memories"] if "About" in one["title"])
    path = program.vault / found["path"]
    left = path.with_name(".memstore-tmp-1-0a")
    left.write_bytes(path.read_bytes() + b"More.\n")
    (program.vault / ".memstore-tmp-1-0b").write_bytes(path.read_bytes()[: path.read_bytes().index(b"title")])
    other = path.with_name(".memstore-tmp-1-0c")
    other.write_text(f"---\ntype: note\nid: m_other00001\nrelates_to: [{found['ref']}]\n---\nSaved by hand.\n")
    program.ok("forget", found["ref"])
    assert [one.name for one in program.vault.rglob(".memstore-tmp-*")] == [other.name]


def test_the_index_forgets_without_being_rebuilt(program: Program) -> None:
    first = next(one["ref"] for one in program.json("list")["memories"] if "About" in one["title"])
    program.ok("index", "rebuild")
    program.ok("search", CANARY)
    assert planted_in(program.home / "cache", CANARY)
    program.ok("forget", first)
    assert planted_in(program.home, CANARY) == []
    assert "tombstone" not in program.ok("search", CANARY)
    assert program.run("undo").returncode == 4
    assert "forgotten" in program.ok("list", "--status", "forgotten", "--json")
    shown = validated(program.ok("--json", "show", first))
    assert (shown["status"], shown["status_reason"]) == ("forgotten", "requested")


def test_a_commit_of_it_passes_the_hooks_and_the_checks(program: Program) -> None:
    program.ok("hooks", "install")
    made = program.json("list")["memories"]
    first = next(one["ref"] for one in made if "About" in one["title"])
    rests = program.json(
        "add", "It follows.", "--type", "belief", "--derived-from", first, "--confidence", "0.8", "--access", "si:ash"
    )["ref"]
    program.ok("commit")
    refused = program.run("forget", first)
    assert (refused.returncode, rests in refused.stderr) == (4, True)
    plan = program.ok("forget", first, "--detach", "--dry-run")
    assert (rests in plan, program.git("status", "--porcelain")) == (True, "")
    program.ok("forget", first, "--detach", "-c")
    assert program.git("status", "--porcelain") == ""
    assert program.git(
        "log", "-1", "--format=%s"
    ).strip() == "2 memories: 1 forget, 1 edit" or CANARY not in program.git("log", "-1", "--format=%B")
    program.ok("check")
    program.ok("privacy", "log", "verify")
    said = program.json("privacy", "log", "show")["events"]
    assert [one["event"] for one in said if one["event"] == "forget"] == ["forget"]
    program.ok("trace", rests)
    assert "already forgotten" in program.run("forget", first).stderr


def test_without_a_repository_nothing_is_said_to_have_what_was_forgotten(program: Program) -> None:
    shutil.rmtree(program.vault / ".git")
    program.ok("forget", next(one["ref"] for one in program.json("list")["memories"] if "About" in one["title"]))
    done = program.run("undo")
    assert (done.returncode, "git has" in done.stderr) == (4, False)
    assert "nothing has it any more" in done.stderr


def test_what_the_guard_of_a_push_keeps_of_commits_has_none_of_its_names(program: Program) -> None:
    program.ok("hooks", "install")
    program.ok("config", "remotes.origin", "public")
    program.git("init", "--quiet", "--bare", "../remote.git")
    program.git("remote", "add", "origin", "../remote.git")
    found = next(one for one in program.json("list")["memories"] if "About" in one["title"])
    program.ok("commit")

    push = ("push", "origin", "HEAD:main")
    assert program.attempt_git(*push).returncode
    assert any(path.endswith("labels.json") for path in planted_in(program.home / "cache", CANARY))
    program.ok("forget", found["ref"], "-c")
    assert planted_in(program.home / "cache", CANARY) == []
    assert program.attempt_git(*push).returncode  # the commits still have it
    assert planted_in(program.home / "cache", CANARY) == []
    assert [*(program.home / "cache").rglob("labels.json")]
