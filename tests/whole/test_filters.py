"""A vault whose files git stores through filters: encrypted, as pointers, with other line ends or encodings."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.whole.program import Program

pytestmark = pytest.mark.soak(6, together=True)

# It is in the body of every memory here, and in no name.
SECRET = "zanzibar"  # noqa: S105 - no password
ENCRYPTED = """* filter=git-crypt diff=git-crypt
.gitattributes !filter !diff
.memstore/** !filter !diff
"""
needs_git_crypt = pytest.mark.skipif(shutil.which("git-crypt") is None, reason="git-crypt is not installed")
needs_git_lfs = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")


def rotate(program: Program, where: str = "--global", name: str = "rot") -> None:
    """Define a filter that rotates letters, in the person's own settings of git or in the repository's."""
    command = "tr a-zA-Z n-za-mN-ZA-M"
    for kind in ("clean", "smudge"):
        program.git("config", where, f"filter.{name}.{kind}", command)
    program.git("config", where, f"filter.{name}.required", "true")


def attributes(program: Program, text: str) -> None:
    (program.vault / ".gitattributes").write_text(text)
    program.git("add", "-A")
    program.git("commit", "-q", "-m", "attributes")


def stored(program: Program, path: Path | str, revision: str = "HEAD") -> bytes:
    """Return what git has of a file, as it is."""
    name = path if isinstance(path, str) else path.relative_to(program.vault).as_posix()
    return subprocess.run(
        ["git", "cat-file", "blob", f"{revision}:{name}"],
        cwd=program.vault, env=program.environment, capture_output=True, check=True,
    ).stdout  # fmt: skip


def where_secret_is(program: Program, folder: Path | None = None) -> list[str]:
    """Return the objects and files of git's that have the secret in plain text."""
    folder = folder or program.vault
    words = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    printed = subprocess.run(words, cwd=folder, env=program.environment, capture_output=True, check=True).stdout
    found = ["an object"] if SECRET.encode() in printed.lower() else []
    for path in (folder / ".git").rglob("*"):
        if path.is_file() and "objects" not in path.parts and "memstore" not in path.parts:
            found += [str(path)] if SECRET.encode() in path.read_bytes().lower() else []
    return found


# -- stored and read as git does -------------------------------------------------------------------


def test_what_is_committed_is_what_git_add_would_store(program: Program) -> None:
    rotate(program)
    attributes(program, "*.md filter=rot\n")
    ref, path = program.add(f"The code is {SECRET}.", "--title", "code", "-c")
    assert SECRET.encode() not in stored(program, path)
    assert stored(program, path).decode() != path.read_text()
    assert program.git("status", "--porcelain") == ""
    assert "add" not in program.ok("status")
    program.ok("set", ref, "importance=high", "-c")
    assert SECRET in program.ok("show", ref, "--at", "HEAD~1")
    assert "importance" in program.ok("diff", ref, "HEAD~1", "HEAD")
    assert "importance" in program.ok("log", ref)
    assert [line["commit"] for line in program.json("blame", ref)["body"] if SECRET in line["text"]]
    program.git("clone", "-q", ".", str(program.home / "clone"))
    assert (program.home / "clone" / path.relative_to(program.vault)).read_bytes() == path.read_bytes()


def test_hooks_judge_the_text_and_not_what_git_stores(program: Program) -> None:
    rotate(program)
    attributes(program, "*.md filter=rot\n")
    (program.vault / "bad.md").write_text("---\ntype: note\ntitle: a: b\n---\nx\n")
    program.git("add", "bad.md")
    done = program.attempt_git("commit", "-q", "-m", "bad")
    assert done.returncode != 0
    assert "bad.md" in done.stderr
    (program.vault / "bad.md").write_text("---\ntype: note\nid: m_good\n---\nx\n")
    program.git("add", "bad.md")
    program.git("commit", "-q", "-m", "good")
    assert "Memory-Id: m_good" in program.git("log", "-1", "--format=%B")
    (program.vault / "twice.md").write_text("---\ntype: note\nid: m_good\n---\nx\n")
    program.git("add", "twice.md")
    assert "m_good" in program.attempt_git("commit", "-q", "-m", "the id is taken").stderr


def test_a_citation_leads_to_the_text_of_before(program: Program) -> None:
    rotate(program)
    attributes(program, "*.md filter=rot\n")
    ref, path = program.add("The tram leaves at nine.", "--title", "tram", "-c")
    [hit] = program.json("search", "tram")["results"]
    path.write_text(path.read_text().replace("nine", "ten"))
    program.ok("commit")
    line, blob = hit["citation"]["line_start"], hit["citation"]["version_hash"]
    assert "nine" in program.ok("show", "--cite", f"{ref}#L{line}@{blob[:10]}")


def test_versions_from_before_the_filter_are_read_as_they_are(program: Program) -> None:
    ref, path = program.add("The tram leaves at nine.", "--title", "tram", "-c")
    program.git("config", "--global", "filter.rot.clean", "base64 -w0")
    program.git("config", "--global", "filter.rot.smudge", "base64 -d")
    program.git("config", "--global", "filter.rot.required", "true")
    (program.vault / ".gitattributes").write_text("*.md filter=rot\n")
    program.git("add", "--renormalize", ".")
    program.git("add", "-A")
    program.git("commit", "-q", "-m", "from now on")
    assert b"tram" not in stored(program, path)
    assert "leaves at nine" in program.ok("show", ref, "--at", "HEAD~1")
    assert program.json("status")["uncommitted"] == []
    program.ok("log", ref)


# -- whose filters run -----------------------------------------------------------------------------


def test_a_filter_of_the_repository_runs_once_it_was_approved(program: Program) -> None:
    rotate(program, "--local")
    (program.vault / ".gitattributes").write_text("notes/** filter=rot\n")
    done = program.run("add", f"The code is {SECRET}.", "--title", "code", "-c")
    assert done.returncode == Exit.REFUSED
    assert "filter rot" in done.stderr
    assert not [*program.vault.glob("notes/**/*.md")]
    [command] = [line for line in done.stderr.splitlines() if "memstore config --user filters.rot" in line]
    approve = command.partition("config --user filters.rot ")[2].strip("'")
    program.ok("config", "--user", "filters.rot", approve)
    _, path = program.add(f"The code is {SECRET}.", "--title", "code", "-c")
    assert SECRET.encode() not in stored(program, path)
    program.git("config", "--local", "filter.rot.clean", "cat")
    done = program.run("add", f"Another {SECRET}.", "--title", "other", "-c")
    assert done.returncode == Exit.REFUSED
    assert "clean: cat" in done.stderr


def test_finding_and_showing_the_work_tree_runs_no_filter(program: Program) -> None:
    rotate(program)
    attributes(program, "*.md filter=rot\n")
    ref, _ = program.add("The tram leaves at nine.", "--title", "tram", "-c")
    for kind in ("clean", "smudge"):
        program.git("config", "--global", f"filter.rot.{kind}", f"touch '{program.home}/ran'; cat")
    for words in (("search", "tram"), ("list",), ("show", ref), ("recall", "When does the tram leave?")):
        program.ok(*words)
    assert not (program.home / "ran").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "filter=gone"),
        ({"filter.gone.clean": "false", "filter.gone.required": "true"}, "failed"),
    ],
)
def test_without_its_filter_nothing_is_written(program: Program, settings: dict[str, str], said: str) -> None:
    for key, value in settings.items():
        program.git("config", "--global", key, value)
    attributes(program, "notes/** filter=gone\n")
    done = program.run("add", "A stork.", "--title", "stork", "-c")
    assert done.returncode == Exit.REFUSED
    assert said in done.stderr
    assert not [*program.vault.glob("notes/**/*.md")]
    assert program.git("status", "--porcelain") == ""


# -- line ends, encodings, other places of attributes ----------------------------------------------


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("*.md text eol=crlf\n", {}),
        ("*.md text=auto\n", {}),
        ("*.md text=auto eol=crlf\n", {}),
        ("*.md ident\n", {}),
        ("", {"core.autocrlf": "input"}),
        ("", {"core.autocrlf": "true"}),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_converted_files_are_stored_as_git_add_stores_them(
    program: Program, line: str, settings: dict[str, str], end: str
) -> None:
    for key, value in settings.items():
        program.git("config", key, value)
    attributes(program, line)
    path = program.vault / "a.md"
    path.write_bytes(f"---{end}type: note{end}id: m_a{end}---{end}$Id: 1 $ text{end}".encode())
    program.ok("commit")
    assert program.git("hash-object", "--path=a.md", "a.md") == program.git("rev-parse", "HEAD:a.md")
    assert program.git("status", "--porcelain") == ""
    assert program.json("status")["uncommitted"] == []
    program.ok("tag", "m_a", "+x", "-c")
    assert program.json("status")["uncommitted"] == []
    assert program.git("status", "--porcelain") == ""


# -- git-crypt and git-lfs themselves --------------------------------------------------------------


@pytest.fixture
def encrypted(program: Program) -> Program:
    program.git("crypt", "init")
    program.git("crypt", "export-key", str(program.home / "key"))
    clean, smudge = (program.git("config", f"filter.git-crypt.{kind}").strip() for kind in ("clean", "smudge"))
    program.ok("config", "--user", "filters.git-crypt", f"clean: {clean}; smudge: {smudge}")
    attributes(program, ENCRYPTED)
    return program


def commands(program: Program) -> Iterator[tuple[str, ...]]:
    """Yield commands that write, after what they need was written."""
    first, _ = program.add(f"The {SECRET} is old.", "--title", "first", "-c")
    second, _ = program.add(f"Another {SECRET}.", "--title", "second", "-t", "belief", "--confidence", "0.6")
    yield ("commit",)
    yield ("tag", first, "+tea", "-c")
    yield ("set", first, "importance=high", "-c")
    yield ("edit", first, f"The {SECRET} is new.", "-c")
    yield ("mv", first, "moved/first.md", "-c")
    yield ("archive", first, "-c")
    yield ("archive", "--restore", first, "-c")
    episode, _ = program.add(f"They saw the {SECRET}.", "--title", "seen", "-t", "episode", "-c")
    yield ("reinforce", second, "--evidence", episode, "-c")
    yield ("contradict", second, "--evidence", episode, "-c")
    yield ("supersede", second, f"A third {SECRET}.", "--title", "third", "-c")
    raw = program.json("raw", f"Heard of {SECRET}", "--title", "heard", "-c")["ref"]
    yield ("raw", "promote", raw, f"What was heard of {SECRET}", "--to", "note", "--title", "promoted", "-c")
    yield ("conflicts", "split", first, f"One {SECRET}.", f"Two {SECRET}.", "-c")
    same = [program.add(f"The {SECRET} is wide.", "--title", f"wide {n}", "-c")[0] for n in range(2)]
    yield ("conflicts", "merge", *same, "-c")
    yield ("today", f"A day of {SECRET}", "-c")
    yield ("trust", "quarantine", episode, "-c", "--reason", "doubt")
    yield ("privacy", "grant", same[0], "--to", "human:bob", "-c")
    yield ("check", "fmt", "-c")
    unused, _ = program.add(f"Long ago: {SECRET}. " * 9, "--created-at", "2020-01-01T00:00:00Z", "-c")
    yield ("beliefs", "compress", unused, "-c")
    (program.vault / "plain.md").write_text(f"# Plain\n\nA plain {SECRET}.\n")
    yield ("adopt", "plain.md", "-c")
    notes = program.home / "notes"
    notes.mkdir()
    (notes / "one.md").write_text(f"# One\n\nImported {SECRET}.\n")
    yield ("import", "markdown", str(notes), "-c")
    yield ("beliefs", "consolidate", "-c")
    yield ("tag", first, "+undone", "-c")
    yield ("undo",)
    yield ("commit",)
    yield ("forget", same[0], "-c")
    yield ("diff",)
    yield ("check", "--against", "HEAD~3")
    yield ("review", "HEAD", "--against", "HEAD~3")
    yield ("check", "fix-provenance", "-c")
    yield ("log",)


@needs_git_crypt
def test_no_object_has_plain_text_after_any_command_that_writes(encrypted: Program) -> None:
    for words in commands(encrypted):
        done = encrypted.run(*words)
        assert done.returncode in (Exit.DONE, Exit.FOUND_ERRORS), (words, done.stdout, done.stderr)
        assert where_secret_is(encrypted) == [], words
    encrypted.git("gc", "-q")
    assert where_secret_is(encrypted) == []
    clone = encrypted.home / "clone"
    encrypted.git("clone", "-q", ".", str(clone))
    assert where_secret_is(encrypted, clone) == []
    subprocess.run(
        ["git", "crypt", "unlock", str(encrypted.home / "key")], cwd=clone, env=encrypted.environment, check=True
    )
    for name in encrypted.git("ls-files", "-z").split("\0")[:-1]:
        assert (clone / name).read_bytes() == (encrypted.vault / name).read_bytes()


def test_a_merge_joins_the_texts(program: Program) -> None:
    rotate(program)
    attributes(program, "*.md filter=rot merge=memstore\n")
    ref, path = program.add(f"The {SECRET} is old.", "--title", "tram", "-c")
    program.git("checkout", "-q", "-b", "other")
    program.ok("tag", ref, "+theirs", "-c")
    program.git("checkout", "-q", "main")
    program.ok("tag", ref, "+ours", "-c")
    program.git("merge", "-q", "other")
    assert {"ours", "theirs"} <= {*program.json("show", ref)["tags"]}
    assert SECRET in path.read_text()
    assert where_secret_is(program) == []
    assert program.git("status", "--porcelain") == ""


@needs_git_crypt
def test_a_clone_without_the_key_says_so_and_stops_no_git_command(encrypted: Program) -> None:
    ref, path = encrypted.add(f"The {SECRET} is old.", "--title", "first", "-c")
    (encrypted.vault / "plain.md").write_text(f"# Plain\n\nA plain {SECRET}.\n")
    encrypted.git("add", "-A")
    encrypted.git("commit", "-q", "-m", "plain")
    clone = encrypted.home / "locked"
    encrypted.git("clone", "-q", ".", str(clone))
    encrypted.ok("hooks", "install", cwd=clone)
    checked = encrypted.ok("check", cwd=clone)
    assert "[not-checked-out]" in checked
    assert "git-crypt unlock" in checked
    assert encrypted.json("search", "old plain", "--vault", str(clone))["results"] == []
    for words in (("status",), ("log",), ("list",), ("diff",), ("check", "--against", "HEAD~1"), ("index", "rebuild")):
        assert encrypted.run(*words, cwd=clone).returncode == 0, words
    refused = encrypted.run("add", f"Here, {SECRET}.", "-c", cwd=clone)
    assert refused.returncode == Exit.REFUSED
    assert "git-crypt unlock" in refused.stderr
    assert not [file for file in (clone / "notes").rglob("*.md") if SECRET.encode() in file.read_bytes()]
    encrypted.ok("tag", ref, "+more", "-c")
    there = encrypted.vault
    encrypted.vault = clone
    encrypted.git("pull", "-q", "--no-rebase")
    (clone / ".memstore" / "notes.txt").write_text("x")
    encrypted.git("add", "-A")
    encrypted.git("commit", "-q", "-m", "something else")
    encrypted.git("rm", "-q", path.relative_to(there).as_posix())
    encrypted.git("commit", "-q", "-m", "gone")
    encrypted.git("revert", "--no-edit", "HEAD")
    (clone / ".memstore/config.toml").write_bytes(b"\0GITCRYPT\0 as if it were encrypted, too")
    encrypted.git("add", "-A")
    assert "not unlocked" in encrypted.attempt_git("commit", "-m", "settings").stderr
    assert encrypted.git("status", "--porcelain") == ""


@needs_git_crypt
def test_purging_finds_what_was_encrypted(encrypted: Program) -> None:
    kept, _ = encrypted.add("Nothing of that kind is in here.", "--title", "kept", "-c")
    ref, path = encrypted.add(f"The {SECRET} is old.", "--title", "first", "-c")
    blob = encrypted.git("rev-parse", f"HEAD:{path.relative_to(encrypted.vault)}").strip()
    encrypted.ok("forget", ref, "-c")
    clone = encrypted.home / "purged"
    encrypted.ok("forget", ref, "--purge", str(clone))
    listed = ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]
    names = subprocess.run(listed, cwd=clone, env=encrypted.environment, capture_output=True, check=True, text=True)
    assert blob not in names.stdout
    assert where_secret_is(encrypted, clone) == []
    subprocess.run(
        ["git", "crypt", "unlock", str(encrypted.home / "key")], cwd=clone, env=encrypted.environment, check=True
    )
    assert "of that kind" in encrypted.ok("show", kept, cwd=clone)


@needs_git_lfs
def test_a_pointer_is_said_and_nothing_is_fetched(program: Program) -> None:
    program.git("lfs", "install", "--skip-repo")
    attributes(program, "notes/** filter=lfs diff=lfs merge=lfs -text\n")
    _, path = program.add(f"The {SECRET} is large.", "--title", "large", "-c")
    assert stored(program, path).startswith(b"version https://git-lfs")
    assert program.json("status")["uncommitted"] == []
    assert program.git("status", "--porcelain") == ""
    clone = program.home / "clone"
    subprocess.run(
        ["git", "clone", "-q", ".", str(clone)],
        cwd=program.vault, env=program.environment | {"GIT_LFS_SKIP_SMUDGE": "1"}, check=True,
    )  # fmt: skip
    assert "git lfs pull" in program.ok("check", cwd=clone)
    assert program.json("status", "--vault", str(clone))["uncommitted"] == []
    assert program.json("search", "sha256", "--vault", str(clone))["results"] == []
    assert not [place for place in (clone / ".git/lfs/objects").rglob("*") if place.is_file()]


# -- pushes ----------------------------------------------------------------------------------------


def remote(program: Program, reader: str) -> Path:
    place = program.home / "remote.git"
    program.git("init", "-q", "--bare", str(place))
    program.git("remote", "add", "origin", str(place))
    program.ok("config", "remotes.origin", reader)
    program.ok("commit")
    return place


def test_the_guard_of_pushes_judges_the_text(program: Program) -> None:
    rotate(program)
    attributes(program, "notes/** filter=rot\n")
    remote(program, "human:bob")
    _, shown = program.add("For Bob.", "--title", "open", "--access", "human:bob", "-c")
    _, closed = program.add(f"Not for Bob: {SECRET}.", "--title", "closed", "-c")
    said = program.attempt_git("push", "origin", "main").stderr
    assert f"{closed.name}: human:bob may not see it" in said
    assert shown.name not in said


def test_a_server_refuses_what_it_has_no_key_for(program: Program) -> None:
    rotate(program)
    attributes(program, "notes/** filter=rot\n")
    place = remote(program, "human:bob")
    program.ok("hooks", "install", "--pre-receive", str(place))
    program.ok("add", "For Bob.", "--title", "open", "--access", "human:bob", "-c")
    done = program.attempt_git("push", "--no-verify", "origin", "main")
    assert done.returncode != 0
    assert [line for line in done.stderr.splitlines() if "notes/" in line and "read" in line], done.stderr
