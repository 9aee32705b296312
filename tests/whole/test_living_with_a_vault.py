"""What people do all day: write, edit in an editor, review with git, search. All through the installed program."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.installed import MEMSTORE, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import Program

BEFORE, AFTER = "The kettle sings at ninety degrees", "The kettle hums at eighty degrees"


def edit(path: Path, old: str, new: str) -> None:
    """Save a change as an editor does."""
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


def excerpts(program: Program, query: str) -> list[str]:
    return [hit["citation"]["excerpt"] for hit in program.json("search", query)["results"]]


def test_an_edit_in_an_editor_is_found_before_and_after_the_commit(program: Program) -> None:
    _, path = program.add(BEFORE, "-t", "note")
    program.git("add", "-A")
    program.git("commit", "-m", "one note")
    edit(path, BEFORE, AFTER)

    changed = [
        line for line in program.git("diff", "-U0").splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert changed == [f"-{BEFORE}", f"+{AFTER}"]
    name = path.relative_to(program.vault).as_posix()
    for _ in ("before the commit", "after it"):
        assert program.found("hums") == {name}
        assert excerpts(program, "sings") == [AFTER]  # by its name, which the file keeps
        program.git("add", "-A")
        program.git("commit", "-m", "a better ear", "--allow-empty")


def test_the_commit_runs_the_checks(program: Program) -> None:
    _, path = program.add(BEFORE)
    edit(path, "type: note", "type: note\nconfidence: 1.5")
    program.git("add", "-A")
    done = subprocess.run(
        ["git", "commit", "-m", "too sure"],
        cwd=program.vault,
        env=program.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "confidence" in done.stdout + done.stderr
    assert path.name in done.stdout + done.stderr


def test_a_deleted_memory_is_not_found(program: Program) -> None:
    _, path = program.add(BEFORE)
    assert program.found("kettle")
    path.unlink()
    assert program.found("kettle") == set()


def test_a_renamed_memory_is_found_under_its_new_name(program: Program) -> None:
    ref, path = program.add(BEFORE)
    assert program.found("kettle")
    (program.vault / "kitchen").mkdir()
    path.rename(program.vault / "kitchen" / "odd name é.md")
    assert program.found("kettle") == {"kitchen/odd name é.md"}
    assert program.ok("show", "--path", ref).strip() == "kitchen/odd name é.md"


def test_another_branch_has_its_own_memories(program: Program) -> None:
    program.git("checkout", "-b", "kitchen")
    program.add(BEFORE)
    program.git("add", "-A")
    program.git("commit", "-m", "kettle")
    assert program.found("kettle")
    program.git("checkout", "main")
    assert program.found("kettle") == set()
    program.git("checkout", "kitchen")
    assert program.found("kettle")


def test_an_edit_that_keeps_size_and_time_is_seen(program: Program) -> None:
    _, path = program.add("The code word is swordfish")
    assert program.found("swordfish")
    times = path.stat()
    edit(path, "swordfish", "albatross")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert program.found("albatross")
    assert excerpts(program, "swordfish") == ["The code word is albatross"]  # by its name, which the file keeps


@pytest.mark.soak(2)
@pytest.mark.parametrize("damage", ["delete", "truncate", "garbage", "empty"])
def test_the_index_may_be_deleted_or_damaged(program: Program, damage: str) -> None:
    for i in range(40):
        program.vault.joinpath("memories").mkdir(exist_ok=True)
        (program.vault / "memories" / f"{i}.md").write_text(
            f"---\ntype: note\nid: m_{i:05}\n---\nThe kettle number {i}\n"
        )
    before = program.json("search", "kettle 17")
    cache = program.home / "cache"
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files
    for path in files:
        data = path.read_bytes()
        match damage:
            case "delete":
                path.unlink()
            case "truncate":
                path.write_bytes(data[: len(data) // 2])
            case "garbage":
                path.write_bytes(bytes(255 - byte for byte in data))
            case _:
                path.write_bytes(b"")
    assert program.json("search", "kettle 17") == before


def test_every_excerpt_equals_what_sed_prints(program: Program) -> None:
    sample = program.vault.parent / "sample"
    shutil.copytree(ROOT / "sample-vault", sample)
    shutil.copy(
        sample / "memories/note/2026/02/what-the-vet-said-about-bellas-heart-m_p56fb0ar85.md", program.home / "copy.md"
    )
    (sample / "crlf.md").write_bytes(
        b"\xef\xbb\xbf---\r\ntype: note\r\nid: m_crlf\r\n---\r\n\r\n"
        b"The vet came\r\nat noon\r\n\r\n- Bella barked\r\n- the heart, too\r\n"
    )
    program.vault = sample
    hits = 0
    for query in ("Bella heart vet", "review", "fractions", "kettle OR memory", "vet noon", "Saturday"):
        for hit in program.json("search", query, "-n", "50", "--by", "passage")["results"]:
            cite = hit["citation"]
            printed = subprocess.run(
                ["sed", "-n", f"{cite['line_start']},{cite['line_end']}p", sample / cite["path"]],
                capture_output=True,
                check=True,
            ).stdout.decode()
            assert printed.removesuffix("\n") == cite["excerpt"]
            hits += 1
    assert hits > 60


def test_natural_questions_find_things(program: Program) -> None:
    program.vault = program.home / "sample"
    shutil.copytree(ROOT / "sample-vault", program.vault)
    first = program.json("search", "What did the vet say about Bella's heart?")["results"][0]
    assert "grade 2 heart murmur" in first["citation"]["excerpt"]
    lines = program.ok("search", "What did the vet say about Bella's heart?").splitlines()
    assert lines[0].startswith(f"{first['path']}:{first['citation']['line_start']}:")


@pytest.mark.parametrize(
    "words",
    [
        ("--since", "lately"), ("--type", "nte"), ("--where", "confidence >"), ("--min-confidence", "high"),
        ("--until", "2026-13"), ("--status", "actve"), ("--sort", "colour"), ("-n", "many"),
    ],
)  # fmt: skip
def test_a_bad_filter_is_an_error_and_never_a_wider_result(program: Program, words: tuple[str, ...]) -> None:
    program.add(BEFORE)
    done = program.run("search", "kettle", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_a_pipe_that_closes_early_is_no_failure(program: Program) -> None:
    for i in range(200):
        (program.vault / f"{i}.md").write_text(
            f"---\ntype: note\nid: m_{i:05}\n---\nThe kettle number {i} {'and so on ' * 200}\n"
        )
    done = subprocess.run(
        ["bash", "-c", f"{MEMSTORE} search kettle -n 200 | head -1; echo ${{PIPESTATUS[0]}}"],
        cwd=program.vault,
        env=program.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("0", "141")


def test_no_colour_where_none_is_wanted(program: Program) -> None:
    program.add(BEFORE)
    assert "\x1b[" not in program.ok("search", "kettle")
    assert "\x1b[" in program.ok("search", "kettle", "--color", "always")
    assert "\x1b[" not in program.ok("search", "kettle", NO_COLOR="1")


def test_a_huge_file_and_a_loop_of_folders_are_survived(program: Program) -> None:
    program.add(BEFORE)
    with (program.vault / "huge.md").open("wb") as huge:
        huge.write(b"---\ntype: note\n---\nkettle\n")
        huge.truncate(200 * 1024 * 1024)
    (program.vault / "loop").symlink_to(program.vault, target_is_directory=True)
    (program.vault / "self.md").symlink_to("self.md")
    assert len(program.found("kettle")) == 1
    done = program.run("check")
    assert done.returncode == 1
    assert "huge.md:1:1: error:" in done.stdout
